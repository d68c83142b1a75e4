//! The literal prefilter: one case-insensitive DFA over all needles.
//!
//! The contract: a hit is only a candidate (false positives are fine); a record that holds a needle is never missed.
//! A needle may carry guards that are part of its definition, so that the block search and the search in a single
//! record agree: `<429>` is bounded on both sides, and a failure word is passed over where its value says nothing
//! (`"error":null`, `errors=0`, `0 failed`).

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};
use anyhow::Context;
use std::collections::BTreeMap;
use std::ops::Range;

/// Guards of a needle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guard {
    /// No letter, digit or `_` stands before it.
    pub left: bool,
    /// No letter, digit or `_` stands behind it.
    pub right: bool,
    /// It is a word of failure: passed over where its value or count says nothing.
    pub failure: bool,
    /// It is a number that must stand in the context of an HTTP status.
    pub status: bool,
}

/// A literal that stands in the raw bytes of a record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Needle {
    /// The text, lower-case.
    pub text: String,
    /// Its guards.
    pub guard: Guard,
}

impl Needle {
    /// Reads the written form: `<` at the start and `>` at the end are bounds.
    pub fn written(written: &str) -> Needle {
        let left = written.starts_with('<')
            && written.len() > 1
            && !written.starts_with("<?")
            && written.ends_with('>')
            && !written[1..].contains('<');
        let text = if left {
            &written[1..written.len() - 1]
        } else {
            written
        };
        Needle {
            text: text.to_lowercase(),
            guard: Guard {
                left,
                right: left,
                ..Guard::default()
            },
        }
    }

    /// A word of failure, bounded on the right (`TimeoutError`, `extract_failed` count).
    pub fn failure(text: &str) -> Needle {
        Needle {
            text: text.to_lowercase(),
            guard: Guard {
                right: true,
                failure: true,
                ..Guard::default()
            },
        }
    }

    /// An HTTP status in its context.
    pub fn status(code: u16) -> Needle {
        Needle {
            text: code.to_string(),
            guard: Guard {
                left: true,
                right: true,
                status: true,
                ..Guard::default()
            },
        }
    }

    /// How it can stand in raw bytes: as it is, and where a JSON writer escapes: other scripts as `\uXXXX`, `"`, `/`.
    fn spellings(&self) -> Vec<Vec<u8>> {
        let mut all = vec![self.text.clone().into_bytes()];
        if !self.text.is_ascii() {
            // The automaton folds ASCII case only; other scripts need both cases spelled out.
            for form in [
                self.text.clone(),
                self.text.to_uppercase(),
                title_case(&self.text),
            ] {
                all.push(form.clone().into_bytes());
                all.push(escape_unicode(&form).into_bytes());
            }
        }
        if self.text.contains('"') {
            all.push(self.text.replace('"', "\\\"").into_bytes());
        }
        if self.text.contains('/') {
            all.push(self.text.replace('/', "\\/").into_bytes());
        }
        if self.text.contains(['<', '>', '&', '\'']) {
            // Go's encoder escapes these for HTML.
            let escaped = self
                .text
                .replace('&', "\\u0026")
                .replace('<', "\\u003c")
                .replace('>', "\\u003e")
                .replace('\'', "\\u0027");
            all.push(escaped.into_bytes());
        }
        all.sort();
        all.dedup();
        all
    }
}

fn title_case(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

fn escape_unicode(text: &str) -> String {
    let mut out = String::new();
    let mut units = [0u16; 2];
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

/// A spelling of a needle, found by a window of it.
struct Spelled {
    /// The whole spelling, ASCII letters lower-case.
    text: Box<[u8]>,
    /// Where the window stands in it.
    at: usize,
    guard: Guard,
    owners: Vec<u32>,
}

/// All needles as one automaton. Each needle has owners (indices of patterns, or of what else the caller numbers).
///
/// The automaton searches a short window of each needle and compares the rest on a hit: thousands of needles share
/// few windows, so that the DFA stays small. Each window is the rarest of its needle by the pairs of bytes in
/// ordinary lines.
pub struct Needles {
    automaton: Option<AhoCorasick>,
    /// For each window of the automaton: the spellings that hold it.
    spelled: Vec<Vec<Spelled>>,
}

/// Bytes of a window.
const WINDOW: usize = 8;
/// Bytes of a window in other scripts, where a character has several bytes.
const WIDE_WINDOW: usize = 12;
/// Bytes of a window of `\uXXXX` escapes: two characters and a bit.
const ESCAPED_WINDOW: usize = 15;

impl Needles {
    /// Builds the automaton.
    ///
    /// # Errors
    /// If the automaton would be too large.
    pub fn new<'a>(
        needles: impl IntoIterator<Item = (&'a Needle, u32)>,
    ) -> anyhow::Result<Needles> {
        let mut by_text: BTreeMap<(Vec<u8>, Guard), Vec<u32>> = BTreeMap::new();
        for (needle, owner) in needles {
            for mut text in needle.spellings() {
                text.make_ascii_lowercase();
                let owners = by_text.entry((text, needle.guard)).or_default();
                if owners.last() != Some(&owner) {
                    owners.push(owner);
                }
            }
        }
        let common = Pairs::of(super::check::ORDINARY.as_bytes());
        let mut windows: BTreeMap<Vec<u8>, Vec<Spelled>> = BTreeMap::new();
        for ((text, guard), owners) in by_text {
            let at = common.rarest(&text);
            let window = text[at.clone()].to_vec();
            windows.entry(window).or_default().push(Spelled {
                text: text.into_boxed_slice(),
                at: at.start,
                guard,
                owners,
            });
        }
        let automaton = if windows.is_empty() {
            None
        } else {
            let automaton = AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::Standard)
                .kind(Some(AhoCorasickKind::DFA))
                .build(windows.keys())
                .context("the needles of all patterns make too large an automaton")?;
            Some(automaton)
        };
        Ok(Needles {
            automaton,
            spelled: windows.into_values().collect(),
        })
    }

    /// The literals, sorted: every spelling of every needle.
    pub fn literals(&self) -> Vec<String> {
        let mut all: Vec<String> = self
            .spelled
            .iter()
            .flatten()
            .map(|s| String::from_utf8_lossy(&s.text).into_owned())
            .collect();
        all.sort();
        all.dedup();
        all
    }

    /// Bytes that the automaton takes.
    pub fn memory(&self) -> usize {
        self.automaton.as_ref().map_or(0, AhoCorasick::memory_usage)
    }

    /// The first needle that lies in `buf[from..to]` and whose guards hold: its bounds. Guards look at all of `buf`.
    pub fn find(&self, buf: &[u8], from: usize, to: usize) -> Option<(usize, usize)> {
        let automaton = self.automaton.as_ref()?;
        automaton
            .find_overlapping_iter(Input::new(buf).span(from..to))
            .find_map(|hit| {
                let spelled = &self.spelled[hit.pattern().as_usize()];
                spelled
                    .iter()
                    .find_map(|s| s.holds(buf, hit.start(), from, to))
            })
    }

    /// Every needle that lies in `buf[from..to]` and whose guards hold: calls with its owner and its bounds.
    pub fn each(
        &self,
        buf: &[u8],
        from: usize,
        to: usize,
        mut call: impl FnMut(u32, usize, usize),
    ) {
        let Some(automaton) = &self.automaton else {
            return;
        };
        for hit in automaton.find_overlapping_iter(Input::new(buf).span(from..to)) {
            for spelled in &self.spelled[hit.pattern().as_usize()] {
                if let Some((start, end)) = spelled.holds(buf, hit.start(), from, to) {
                    spelled
                        .owners
                        .iter()
                        .for_each(|owner| call(*owner, start, end));
                }
            }
        }
    }
}

impl Spelled {
    /// The bounds of the whole spelling around its window at `hit`, if it stands there and its guards hold.
    fn holds(&self, buf: &[u8], hit: usize, from: usize, to: usize) -> Option<(usize, usize)> {
        let start = hit.checked_sub(self.at).filter(|s| *s >= from)?;
        let end = start + self.text.len();
        let stands = end <= to && buf[start..end].eq_ignore_ascii_case(&self.text);
        (stands && self.guard.holds(buf, start, end)).then_some((start, end))
    }
}

/// How often pairs of bytes stand in ordinary lines.
struct Pairs(Vec<u32>);

impl Pairs {
    fn of(text: &[u8]) -> Pairs {
        let mut counts = vec![0; 1 << 16];
        for pair in text.windows(2) {
            counts[usize::from(pair[0].to_ascii_lowercase()) << 8
                | usize::from(pair[1].to_ascii_lowercase())] += 1;
        }
        Pairs(counts)
    }

    /// The window of a text whose pairs are the rarest; the whole of a short text.
    fn rarest(&self, text: &[u8]) -> Range<usize> {
        let size = match text {
            _ if text.windows(2).filter(|w| *w == b"\\u").count() >= 2 => ESCAPED_WINDOW,
            _ if !text.is_ascii() => WIDE_WINDOW,
            _ => WINDOW,
        };
        if text.len() <= size {
            return 0..text.len();
        }
        let weight = |start: &usize| -> u32 {
            text[*start..*start + size]
                .windows(2)
                .map(|p| self.0[usize::from(p[0]) << 8 | usize::from(p[1])].min(1000))
                .sum()
        };
        let start = (0..=text.len() - size).min_by_key(weight).unwrap_or(0);
        start..start + size
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl Guard {
    /// Whether the guards hold for a hit at `start..end`.
    pub fn holds(self, buf: &[u8], start: usize, end: usize) -> bool {
        if self.left && start > 0 && is_word(buf[start - 1]) {
            return false;
        }
        if self.right && buf.get(end).is_some_and(|b| is_word(*b)) {
            return false;
        }
        if self.failure && says_nothing(buf, start, end) {
            return false;
        }
        !self.status || super::status::in_context(buf, start, end)
    }
}

/// Whether a word of failure is followed by a value that says nothing, or counted as none.
fn says_nothing(buf: &[u8], start: usize, end: usize) -> bool {
    let after = &buf[end..buf.len().min(end + 16)];
    let keyed = matches!(buf[end - 1], b'=' | b':' | b' ') && end - start > 1;
    let mut rest = after;
    if !keyed {
        if let [b's', ..] = rest {
            rest = &rest[1..];
        }
        let quoted = rest
            .iter()
            .take_while(|b| matches!(b, b'"' | b'\'' | b'\\'))
            .count();
        rest = &rest[quoted..];
    }
    let value = match rest {
        [b':' | b'=', value @ ..] => Some(value),
        value if keyed => Some(value),
        _ => None,
    };
    if let Some(value) = value {
        let value = &value[value.iter().take_while(|b| **b == b' ').count()..];
        let nothing: [&[u8]; 14] = [
            b"null",
            b"none",
            b"nil",
            b"false",
            b"0",
            b"\"\"",
            b"''",
            b"[]",
            b"{}",
            b"-",
            b"\\\"\\\"",
            b"\"null\"",
            b"\"none\"",
            b"\"0\"",
        ];
        for word in nothing {
            if value.len() >= word.len()
                && value[..word.len()].eq_ignore_ascii_case(word)
                && !value.get(word.len()).is_some_and(|b| {
                    is_word(*b)
                        || matches!(b, b'.' | b' ')
                            && value
                                .get(word.len() + 1)
                                .is_some_and(u8::is_ascii_alphabetic)
                })
            {
                return true;
            }
        }
    }
    let before = &buf[start.saturating_sub(12)..start];
    let line = before
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(before, |at| &before[at + 1..]);
    let trimmed = line.trim_ascii_end();
    if trimmed.len() == line.len() {
        return false;
    }
    let word_start = trimmed
        .iter()
        .rposition(|b| !is_word(*b))
        .map_or(0, |at| at + 1);
    let word = &trimmed[word_start..];
    let zero = word == b"0"
        && !trimmed[..word_start].ends_with(b".")
        && !trimmed[..word_start].ends_with(b"/");
    zero || word.eq_ignore_ascii_case(b"no")
        || word.eq_ignore_ascii_case(b"without")
        || word.eq_ignore_ascii_case(b"zero")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_words_without_a_value_are_passed_over() {
        let needles = [Needle::failure("error"), Needle::failure("failed")];
        let all = Needles::new(needles.iter().zip(0..)).unwrap();
        for quiet in [
            "{\"error\":null,\"id\":4}",
            "errors=0 retries=0",
            "error=null",
            "0 failed, 12 ok",
            "no error",
            "error: 0",
            "\"failed\": [] ",
            "error_rate=0.1",
        ] {
            assert_eq!(all.find(quiet.as_bytes(), 0, quiet.len()), None, "{quiet}");
        }
        for loud in [
            "TimeoutError: x",
            "{\"error\":\"boom\"}",
            "10 failed",
            "extract_failed",
            "error=0x80070005",
            "ERROR boom",
            "error: null pointer",
            "1.0 failed",
        ] {
            assert!(all.find(loud.as_bytes(), 0, loud.len()).is_some(), "{loud}");
        }
    }

    #[test]
    fn other_scripts_are_found_in_both_cases_and_escaped() {
        let needles = [Needle::written("取得失敗"), Needle::written("ошибка")];
        let all = Needles::new(needles.iter().zip(0..)).unwrap();
        for text in [
            "全ソース取得失敗",
            "\\u53d6\\u5f97\\u5931\\u6557",
            "ОШИБКА: нет",
            "Ошибка",
            "\\u041e\\u0448\\u0438\\u0431\\u043a\\u0430",
        ] {
            assert!(all.find(text.as_bytes(), 0, text.len()).is_some(), "{text}");
        }
    }

    #[test]
    fn a_longer_needle_at_the_same_byte_is_not_hidden_by_a_guard() {
        let needles = [Needle::failure("error"), Needle::written("error:0a00")];
        let all = Needles::new(needles.iter().zip(0..)).unwrap();
        let text = "x error:0a00 y";
        assert!(all.find(text.as_bytes(), 0, text.len()).is_some());
    }
}
