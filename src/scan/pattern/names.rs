//! What a reader takes a recorded name to mean, and by which words a record of any level is a failure.

use super::is_nothing;
use super::load::{LabelUse, Packs, Words};
use super::needles::Needle;
use crate::cause::Cause;
use crate::scan::memo::Memo;
use crate::scan::record::{folded, tail_matches, tails};
use anyhow::{Context, Result};
use regex::{Regex, RegexSet, RegexSetBuilder};
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// The vocabulary of names, ready to use.
pub struct Names {
    claims: List,
    empty: List,
    failures: List,
    successes: List,
    /// The uses of each key, by its folded form.
    labels: HashMap<String, Vec<Label>>,
    taught: Vec<Needle>,
}

/// One list of word entries: the entry of each expression, and what forbids it.
struct List {
    words: RegexSet,
    owner: Vec<usize>,
    unless: Vec<Option<RegexSet>>,
    claims: Vec<Vec<Cause>>,
    needles: Vec<Needle>,
    /// The entry that matches a text first: the same names come again and again.
    known: Memo<Option<usize>>,
}

struct Label {
    key: String,
    used: LabelUse,
    not_failure: Vec<String>,
    failing: Vec<String>,
}

/// Words that by themselves make a record a failure's candidate, in every program's spelling. They are bounded on the
/// right, so that `TimeoutError` and `extract_failed` count and `errors_total` does not.
const LEVEL_WORDS: &[&str] = &[
    "error",
    "err",
    "fatal",
    "critical",
    "severe",
    "panic",
    "failed",
    "failure",
    "exception",
    "fail",
    "traceback",
    "alert",
    "emerg",
    "emergency",
    "eror",
];

/// Numeric levels of pino, bunyan (40 is a warning there, an error in Python), Monolog and GCP, as JSON writes them.
const LEVEL_FIELDS: &[&str] = &[
    "\"level\":50",
    "\"level\": 50",
    "\"level\":60",
    "\"level\": 60",
    "\"level\":400",
    "\"level\":500",
    "\"levelno\":40",
    "\"priority\":\"3\"",
    "\"priority\":\"2\"",
];

/// Stems of values that are failing under any key that may carry a label (`TransientFailure`, `HTTP_ERROR`).
const STEMS: &[&str] = &[
    "fail",
    "error",
    "exception",
    "timeout",
    "timed_out",
    "denied",
    "reject",
    "abort",
    "crash",
    "refus",
    "expired",
];

/// Values that are failing under some keys and ordinary under most: no needles.
const EVERYDAY: &[&str] = &[
    "false", "unknown", "empty", "no_data", "ng", "ko", "down", "bad", "dead", "lost", "missing",
    "offline",
];

impl Names {
    /// The owner of the needles of names in the automaton: no pattern.
    pub const OWNER: u32 = u32::MAX;

    /// Compiles the word lists.
    ///
    /// # Errors
    /// If a list does not compile.
    pub fn new(packs: &Packs) -> Result<Names> {
        let mut labels: HashMap<String, Vec<Label>> = HashMap::new();
        for entry in &packs.label_keys {
            for key in &entry.keys {
                labels.entry(folded(key)).or_default().push(Label {
                    key: key.clone(),
                    used: entry.used,
                    not_failure: entry.not_failure.clone(),
                    failing: entry.failing.clone(),
                });
            }
        }
        Ok(Names {
            claims: List::new(&packs.words, "word")?,
            empty: List::new(&packs.empty, "empty")?,
            failures: List::new(&packs.failure_words, "failure_word")?,
            successes: List::new(&packs.success_words, "success_word")?,
            labels,
            taught: Vec::new(),
        })
    }

    /// Adds the texts taught in `misnomer.toml` to the needles.
    pub fn teach<'a>(&mut self, texts: impl Iterator<Item = &'a str>) {
        self.taught.extend(texts.map(|text| Needle {
            text: text.to_lowercase(),
            guard: super::needles::Guard::default(),
        }));
    }

    /// The literals by which a block is searched for failures that no pattern knows.
    pub fn needles(&self) -> Vec<Needle> {
        let mut all: Vec<Needle> = LEVEL_WORDS.iter().map(|w| Needle::failure(w)).collect();
        all.extend(LEVEL_FIELDS.iter().map(|f| Needle {
            text: (*f).to_string(),
            guard: super::needles::Guard {
                right: true,
                ..Default::default()
            },
        }));
        all.extend(self.failures.needles.iter().cloned());
        all.extend(self.taught.iter().cloned());
        for label in self.labels.values().flatten() {
            for key in [
                label.key.clone(),
                label.key.replace('_', ""),
                label.key.replace('_', "-"),
            ] {
                if label.used == LabelUse::Always {
                    for form in [format!("{key}="), format!("{key}\":"), format!("{key}: ")] {
                        all.push(Needle {
                            text: form,
                            guard: super::needles::Guard {
                                left: true,
                                failure: true,
                                ..Default::default()
                            },
                        });
                    }
                }
            }
        }
        // Of a key that most records have (`status`, `type`), only failing values are searched, whatever the key.
        let values: BTreeSet<&str> = self
            .labels
            .values()
            .flatten()
            .filter(|l| l.used == LabelUse::IfFailing)
            .flat_map(|l| &l.failing)
            .map(String::as_str)
            .collect();
        for value in values.into_iter().filter(|v| !EVERYDAY.contains(v)) {
            for form in [
                format!("={value}"),
                format!("=\"{value}"),
                format!("\":\"{value}"),
                format!("\": \"{value}"),
                format!(": {value}"),
                format!("': '{value}"),
            ] {
                all.push(Needle {
                    text: form,
                    guard: super::needles::Guard {
                        right: true,
                        ..Default::default()
                    },
                });
            }
        }
        all.sort();
        all.dedup();
        all
    }

    /// What a name claims: of its first clause that says something, the main reading first.
    pub fn claims(&self, name: &str) -> Vec<Cause> {
        for clause in clauses(name).into_iter().take(2) {
            let claims = self.claims_of(clause);
            if !claims.is_empty() {
                return claims;
            }
        }
        Vec::new()
    }

    /// What one clause claims.
    pub fn claims_of(&self, clause: &str) -> Vec<Cause> {
        self.claims.claims(&without_numbers(normal(clause)))
    }

    /// Whether a name is made of words that say nothing.
    pub fn says_nothing(&self, name: &str) -> bool {
        self.empty.matches(&normal(name))
    }

    /// Whether a message tells of a failure.
    pub fn fails(&self, message: &str) -> bool {
        self.failures.matches(message)
    }

    /// Whether a message tells of a success.
    pub fn succeeds(&self, message: &str) -> bool {
        self.successes.matches(message)
    }

    /// Whether a field is a label that names a failure. `failed`: the record is a failure by another sign.
    pub fn is_label(&self, path: &str, value: &str, failed: bool) -> bool {
        let lower = value.trim().to_lowercase();
        if is_nothing(&lower) || lower.len() > 200 || !lower.contains(char::is_alphabetic) {
            return false;
        }
        let path = folded(path);
        let labels = || {
            tails(&path)
                .filter_map(|tail| self.labels.get(tail))
                .flatten()
        };
        !labels().any(|label| label.used == LabelUse::Never)
            && labels().any(|label| {
                !label.not_failure.contains(&lower)
                    && match label.used {
                        LabelUse::Always => true,
                        LabelUse::IfFailed => failed,
                        LabelUse::Never => false,
                        LabelUse::IfFailing => {
                            label.failing.contains(&lower)
                                || STEMS.iter().any(|s| lower.contains(s))
                                || !self.claims(&lower).is_empty()
                        }
                    }
            })
    }
}

impl List {
    fn new(entries: &[Words], what: &str) -> Result<List> {
        let build = |words: &[String]| {
            RegexSetBuilder::new(words)
                .size_limit(32 << 20)
                .dfa_size_limit(8 << 20)
                .build()
                .with_context(|| {
                    format!("the [[{what}]] lists of the packs do not compile together")
                })
        };
        let mut words = Vec::new();
        let mut owner = Vec::new();
        let mut unless = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            words.extend(entry.words.iter().cloned());
            owner.extend(std::iter::repeat_n(index, entry.words.len()));
            unless.push(
                entry
                    .unless
                    .as_ref()
                    .map(|u| build(std::slice::from_ref(u)))
                    .transpose()?,
            );
        }
        Ok(List {
            words: build(&words)?,
            owner,
            unless,
            claims: entries.iter().map(|e| e.claims.clone()).collect(),
            needles: entries
                .iter()
                .flat_map(|e| e.needles.iter().cloned())
                .collect(),
            known: Memo::default(),
        })
    }

    fn hits(&self, text: &str) -> impl Iterator<Item = usize> {
        let mut owners: Vec<usize> = self
            .words
            .matches(text)
            .into_iter()
            .map(|word| self.owner[word])
            .collect();
        owners.dedup();
        owners.retain(|owner| {
            !self.unless[*owner]
                .as_ref()
                .is_some_and(|set| set.is_match(text))
        });
        owners.into_iter()
    }

    fn matches(&self, text: &str) -> bool {
        self.words.is_match(text) && self.hits(text).next().is_some()
    }

    /// The claims of the first entry that matches: the packs go from the particular to the general.
    fn claims(&self, text: &str) -> Vec<Cause> {
        self.known
            .get(text, || self.hits(text).next())
            .and_then(|owner| self.claims.get(owner).cloned())
            .unwrap_or_default()
    }
}

/// A name as the word lists see it: lower-case, `_` and `-` as blanks.
pub fn normal(name: &str) -> String {
    name.to_lowercase().replace(['_', '-'], " ")
}

/// Where a reader takes a breath, and how many bytes that takes.
fn breath(text: &str) -> Option<(usize, usize)> {
    const MARKS: &[&str] = &[
        ": ", "; ", " - ", " (", ". ", " -- ", "：", "。", ", ", " | ", " => ",
    ];
    let bytes = text.as_bytes();
    (0..bytes.len()).find_map(|at| {
        let rest = bytes.get(at..)?;
        // Most bytes begin none.
        if !matches!(rest.first()?, b' '..=b'>' | 0x80..) {
            return None;
        }
        let mark = MARKS.iter().find(|m| rest.starts_with(m.as_bytes()))?;
        Some((at, mark.len()))
    })
}

/// A text without the three-digit numbers that are no statuses: of an `api 412` the number claims nothing. In a name
/// of a few words a number is what the name says.
fn without_numbers(text: String) -> String {
    static LOOSE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"([^\s(\[\]:=,]+)?([\s:=\[(]*)\b([1-5]\d\d)\b").ok());
    if text.split_whitespace().nth(3).is_none() || !text.bytes().any(|b| b.is_ascii_digit()) {
        return text;
    }
    let Some(loose) = LOOSE.as_ref() else {
        return text;
    };
    let stays = |word: &str| {
        word.is_empty()
            || [
                "http",
                "status",
                "code",
                "error",
                "err",
                "exit",
                "returned",
                "got",
                "answered",
                "responded",
                "response",
            ]
            .iter()
            .any(|w| word.contains(w))
    };
    loose
        .replace_all(&text, |c: &regex::Captures<'_>| {
            let word = c.get(1).map_or("", |m| m.as_str());
            if stays(word) {
                c[0].to_string()
            } else {
                format!("{word}{}000", &c[2])
            }
        })
        .into_owned()
}

/// The clauses of a message: cut where a reader takes a breath.
pub fn clauses(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    loop {
        let cut = breath(rest);
        match cut {
            Some((at, len)) => {
                if !rest[..at].trim().is_empty() {
                    out.push(rest[..at].trim());
                }
                rest = &rest[at + len..];
            }
            None => {
                if !rest.trim().is_empty() {
                    out.push(rest.trim());
                }
                return out;
            }
        }
    }
}

/// Whether a dotted path ends in a key, without case and separators.
pub fn same_key(path: &str, key: &str) -> bool {
    tail_matches(path, key)
}
