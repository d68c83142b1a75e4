//! The long answer to one word: a cause with its three answers, or an entry of the caller's shelves (rules, patterns).

use crate::cause::{Cause, Waiting, guide};
use std::fmt;

/// An entry: its names, separated by spaces; its title; its text.
pub type Entry<'a> = (&'a str, &'a str, &'a str);

/// Entries of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Shelf<'a> {
    /// What its entries are, in the singular: `rule`, `pattern`, `format`.
    pub kind: &'a str,
    /// The entries.
    pub entries: &'a [Entry<'a>],
}

/// What can be explained in every build, besides the causes.
const TOPICS: Shelf<'static> = Shelf {
    kind: "topic",
    entries: &[(
        "evidence-gap",
        "a failure without evidence",
        "The lane recorded that something failed, and no line near it says how: no status, no code, no exception. \
         Such a failure is counted as not judged, because a guess would be worse.\n\n\
         To close the gap, write what the failing call returned beside the name, in the same record: the HTTP status and \
         the provider's code, the exception's type and message, or the exit code and the last line of standard error; \
         and a key (request, target, run) that the record shares with the lines around it.",
    )],
};

/// Nothing is known under the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// What was asked for.
    pub what: String,
    /// Names that are spelt alike, the nearest first.
    pub near: Vec<String>,
    /// What can be asked for.
    pub kinds: Vec<String>,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = self.kinds.join(", ");
        write!(f, "`{}` is none of: {kinds}", self.what.escape_debug())?;
        match self.near.is_empty() {
            true => Ok(()),
            false => write!(f, "; did you mean {}?", self.near.join(" or ")),
        }
    }
}

impl std::error::Error for Unknown {}

/// Explains a cause, a topic, or an entry of the shelves. Case does not matter, nor does `-` against `_`.
///
/// # Errors
/// When nothing is called so; the error holds the names that are spelt alike.
pub fn explain(what: &str, shelves: &[Shelf<'_>]) -> Result<String, Unknown> {
    let wanted = plain(what);
    let cause = Cause::ALL.iter().find(|c| plain(c.slug()) == wanted);
    if let Some(cause) = cause {
        return Ok(of_cause(*cause));
    }
    let all = || shelves.iter().chain(std::iter::once(&TOPICS));
    for shelf in all() {
        for (names, title, text) in shelf.entries {
            if names.split_whitespace().any(|n| plain(n) == wanted) {
                return Ok(of_entry(shelf.kind, names, title, text));
            }
        }
    }
    let names = Cause::ALL.iter().map(|c| c.slug());
    let names = names.chain(all().flat_map(|s| s.entries.iter().flat_map(|e| e.0.split(' '))));
    let mut kinds = vec!["cause".to_owned()];
    kinds.extend(all().map(|s| s.kind.to_owned()));
    Err(Unknown {
        what: what.to_owned(),
        near: nearest(&wanted, names),
        kinds,
    })
}

/// Prose in lines of at most 100 characters.
fn fold(text: &str, indent: &str) -> String {
    let mut out = String::new();
    for paragraph in text.split("\n\n") {
        if !out.is_empty() {
            out.push('\n');
        }
        let mut column = 0;
        for word in paragraph.split_whitespace() {
            let length = word.chars().count();
            if column == 0 {
                out.push_str(indent);
            } else if column + 1 + length > 96 {
                out.push('\n');
                out.push_str(indent);
                column = 0;
            } else {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += length;
        }
        out.push('\n');
    }
    out
}

fn of_cause(cause: Cause) -> String {
    let guide = guide(cause);
    let wait = match guide.waiting {
        Waiting::Yes => "Yes, it passes by itself.",
        Waiting::AfterReset => "Yes, after the reset that the other side states; not before it.",
        Waiting::No => "No, the same attempt will fail again.",
        Waiting::Depends => "It depends; this cause alone does not say.",
    };
    format!(
        "{cause}: {}\ncause of the class {}\n\n{}\nWill waiting fix it?\n{}\nWhen is it to be cut off?\n{}\n\
         What must change before the next attempt?\n{}",
        guide.title,
        cause.class(),
        fold(guide.meaning, ""),
        fold(wait, "  "),
        fold(guide.cut_off, "  "),
        fold(guide.change, "  "),
    )
}

fn of_entry(kind: &str, names: &str, title: &str, text: &str) -> String {
    format!("{names}: {title}\n{kind}\n\n{}", fold(text, ""))
}

fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace('_', "-")
}

/// At most three names that a slip of the fingers, or a part of the word, explains.
fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let slips = match wanted.chars().count() {
        0..=3 => 1,
        4..=7 => 2,
        _ => 3,
    };
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|name| {
            let candidate = plain(name);
            let part = wanted.len() >= 4 && candidate.contains(wanted);
            let distance = strsim::damerau_levenshtein(&candidate, wanted);
            (part || distance <= slips).then_some((if part { 0 } else { distance }, name))
        })
        .collect();
    near.sort();
    near.dedup();
    near.into_iter()
        .take(3)
        .map(|(_, n)| n.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Shelf<'static> = Shelf {
        kind: "rule",
        entries: &[(
            "MN301 stacked-retries",
            "two layers retry the same call",
            "Each layer multiplies the attempts of the one below.\n\nKeep one.",
        )],
    };

    #[test]
    fn a_cause_is_explained_by_its_three_answers() {
        let text = explain("RATE-limited", &[]).unwrap_or_default();
        for part in [
            "rate_limited: too many requests\n",
            "class rate_limited",
            "Will waiting fix it?\n  Yes, after the reset",
            "When is it to be cut off?\n  3 attempts",
            "What must change before the next attempt?\n  The rate:",
        ] {
            assert!(text.contains(part), "{part} is missing in:\n{text}");
        }
        for cause in Cause::ALL {
            let text = explain(cause.slug(), &[]).unwrap_or_default();
            assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
            assert!(text.ends_with(".\n") && text.lines().count() > 8, "{text}");
        }
    }

    #[test]
    fn an_entry_is_found_by_each_of_its_names() {
        for name in ["MN301", "mn301", "stacked-retries", "stacked_retries"] {
            let text = explain(name, &[RULES]);
            assert_eq!(
                text.as_deref(),
                Ok(
                    "MN301 stacked-retries: two layers retry the same call\nrule\n\n\
                    Each layer multiplies the attempts of the one below.\n\nKeep one.\n"
                )
            );
        }
        assert!(explain("evidence-gap", &[]).is_ok());
    }

    #[test]
    fn an_unknown_word_is_answered_with_near_ones() {
        for (what, near) in [
            ("rate_limted", vec!["rate_limited"]),
            ("timeout", vec!["connect_timeout", "read_timeout"]),
            ("MN310", vec!["MN301"]),
            ("xyzzy", vec![]),
        ] {
            let unknown = explain(what, &[RULES]).err();
            assert_eq!(
                unknown.map(|u| u.near),
                Some(near.into_iter().map(str::to_owned).collect()),
                "{what}"
            );
        }
        let message = explain("stacked-retry", &[RULES]).map_err(|u| u.to_string());
        assert_eq!(
            message,
            Err(
                "`stacked-retry` is none of: cause, rule, topic; did you mean stacked-retries?"
                    .into()
            )
        );
    }
}
