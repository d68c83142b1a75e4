//! The literal prefilter: one case-insensitive search for all needles.
//!
//! The contract: a hit is only a candidate (false positives are fine); a record that holds a needle is never missed.
//! A needle may carry guards that are part of its definition, so that the block search and the search in a single
//! record agree: `<429>` is bounded on both sides, and a failure word is passed over where its value says nothing
//! (`"error":null`, `errors=0`, `0 failed`).

use super::grams::{self, Grams, LONG};
use super::ordinary::{Ordinary, Shares};
use std::collections::HashMap;

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
    /// A number at either end of it does not go on beyond.
    pub whole: bool,
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

    /// The needle of a pattern that asks for these statuses: where it is one of them (`<429>`), it stands for nothing but
    /// a status.
    pub fn of_statuses(mut self, statuses: &[u16]) -> Needle {
        let code = self.text.parse::<u16>().ok();
        self.guard.status |= self.guard.left && code.is_some_and(|code| statuses.contains(&code));
        self
    }

    /// With numbers at its ends that stand for themselves alone: `code=32` is not in `code=327`.
    pub fn whole_numbers(mut self, whole: bool) -> Needle {
        self.guard.whole = whole;
        self
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

/// A spelling of a needle.
struct Spelled {
    /// ASCII letters lower-case.
    text: Box<[u8]>,
    guard: Guard,
    owners: Box<[u32]>,
}

/// A place in a spelling where a gram stands.
#[derive(Clone, Copy)]
struct Held {
    /// Which spelling.
    spelled: u32,
    /// Where the gram stands in it.
    at: u32,
    /// Its length.
    length: u32,
    /// Its ends, which are compared first: needles that share a gram differ there.
    ends: (u8, u8),
}

/// All needles together. Each needle has owners (indices of patterns, or of what else the caller numbers).
///
/// The search is for grams of each needle, the rarest by what ordinary lines hold; on a hit the rest is compared.
pub struct Needles {
    grams: Grams,
    spelled: Vec<Spelled>,
    /// Where spellings hold grams, sorted by the number of the gram.
    held: Vec<Held>,
    /// For each gram: where its places end in that list.
    ends: Vec<u32>,
}

impl Needles {
    /// Makes the needles ready to be searched.
    pub fn new<'a>(needles: impl IntoIterator<Item = (&'a Needle, u32)>) -> Needles {
        // In the order in which they come, so that the same needles make the same search.
        let mut texts: Vec<(Vec<u8>, Guard, Vec<u32>)> = Vec::new();
        let mut known: HashMap<(Vec<u8>, Guard), usize> = HashMap::new();
        for (needle, owner) in needles {
            for mut text in needle.spellings() {
                text.make_ascii_lowercase();
                let at = *known
                    .entry((text.clone(), needle.guard))
                    .or_insert(texts.len());
                match texts.get_mut(at) {
                    Some((_, _, owners)) if owners.last() == Some(&owner) => {}
                    Some((_, _, owners)) => owners.push(owner),
                    None => texts.push((text, needle.guard, vec![owner])),
                }
            }
        }
        let (ordinary, mut shares) = (Ordinary::shared(), Shares::new());
        let mut numbers: HashMap<u64, usize> = HashMap::new();
        let mut found_by: Vec<(u64, usize)> = Vec::new();
        let mut places: Vec<(usize, Held)> = Vec::new();
        let mut spelled: Vec<Spelled> = Vec::new();
        for (text, guard, owners) in texts {
            let run = ordinary.rarest(&text, &shares);
            let length = if run.len() > LONG { LONG } else { run.len() };
            for at in run.start..=run.end - length {
                let key = grams::packed(text.get(at..at + length).unwrap_or_default());
                shares.take(key);
                let number = *numbers.entry(key).or_insert_with(|| {
                    found_by.push((key, length));
                    found_by.len() - 1
                });
                places.push((
                    number,
                    Held {
                        spelled: spelled.len() as u32,
                        at: at as u32,
                        length: text.len() as u32,
                        ends: (
                            text.first().copied().unwrap_or(0),
                            text.last().copied().unwrap_or(0),
                        ),
                    },
                ));
            }
            spelled.push(Spelled {
                text: text.into_boxed_slice(),
                guard,
                owners: owners.into_boxed_slice(),
            });
        }
        places.sort_by_key(|(number, _)| *number);
        let ends = (0..found_by.len())
            .map(|number| places.partition_point(|(n, _)| *n <= number) as u32)
            .collect();
        Needles {
            grams: Grams::new(&found_by),
            spelled,
            held: places.into_iter().map(|(_, held)| held).collect(),
            ends,
        }
    }

    /// The literals, sorted: every spelling of every needle.
    pub fn literals(&self) -> Vec<String> {
        let mut all: Vec<String> = self
            .spelled
            .iter()
            .map(|s| String::from_utf8_lossy(&s.text).into_owned())
            .collect();
        all.sort();
        all.dedup();
        all
    }

    /// Bytes that the search itself takes, the needles aside.
    pub fn memory(&self) -> usize {
        self.grams.memory()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.spelled.is_empty()
    }

    /// The first needle that lies in `buf[from..to]` and whose guards hold: its bounds. Guards look at all of `buf`.
    pub fn find(&self, buf: &[u8], from: usize, to: usize) -> Option<(usize, usize)> {
        self.grams.find(buf.get(from..to)?, |gram, at| {
            self.held(gram)
                .iter()
                .find_map(|held| self.stands(*held, buf, from + at, from, to))
                .map(|(start, end, _)| (start, end))
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
        let text = buf.get(from..to).unwrap_or_default();
        self.grams.find(text, |gram, at| {
            for held in self.held(gram) {
                if let Some((start, end, owners)) = self.stands(*held, buf, from + at, from, to) {
                    owners.iter().for_each(|owner| call(*owner, start, end));
                }
            }
            None::<()>
        });
    }

    /// Where spellings hold a gram.
    fn held(&self, gram: usize) -> &[Held] {
        let end = |number: usize| self.ends.get(number).copied().unwrap_or(0) as usize;
        let start = gram.checked_sub(1).map_or(0, end);
        self.held.get(start..end(gram)).unwrap_or_default()
    }

    /// The bounds and owners of the whole spelling around its gram at `hit`, if it stands there and its guards hold.
    #[inline(always)]
    fn stands(
        &self,
        held: Held,
        buf: &[u8],
        hit: usize,
        from: usize,
        to: usize,
    ) -> Option<(usize, usize, &[u32])> {
        let start = hit.checked_sub(held.at as usize).filter(|s| *s >= from)?;
        let end = start + held.length as usize;
        let like = |at: usize, byte: u8| buf.get(at).is_some_and(|b| b | 0x20 == byte | 0x20);
        if end > to || !like(end - 1, held.ends.1) || !like(start, held.ends.0) {
            return None;
        }
        let spelled = self.spelled.get(held.spelled as usize)?;
        let stands = buf[start..end].eq_ignore_ascii_case(&spelled.text)
            && spelled.guard.holds(buf, start, end);
        stands.then_some((start, end, &*spelled.owners))
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
        // A needle that ends in a blank (`cannot `) is bounded by it.
        let word = |at: usize| buf.get(at).is_some_and(|b| is_word(*b));
        if self.right && word(end) && end.checked_sub(1).is_some_and(word) {
            return false;
        }
        if self.whole && goes_beyond(buf, start, end) {
            return false;
        }
        if self.failure && says_nothing(buf, start, end) {
            return false;
        }
        !self.status || super::status::in_context(buf, start, end)
    }
}

/// Whether a number at an end of `start..end` goes on beyond it.
fn goes_beyond(buf: &[u8], start: usize, end: usize) -> bool {
    let digit = |at: usize| buf.get(at).is_some_and(u8::is_ascii_digit);
    let both = |a: Option<usize>, b: usize| a.is_some_and(digit) && digit(b);
    both(start.checked_sub(1), start) || both(end.checked_sub(1), end)
}

/// Whether a value that says nothing is only the beginning of one that says something: `null pointer`, `0x8007`. Behind
/// `error=null ttl=199` the next pair begins.
fn goes_on(rest: &[u8]) -> bool {
    match rest {
        [b, ..] if is_word(*b) => true,
        [b'.' | b' ', word @ ..] => {
            let length = word.iter().take_while(|b| is_word(**b)).count();
            word.first().is_some_and(u8::is_ascii_alphabetic) && word.get(length) != Some(&b'=')
        }
        _ => false,
    }
}

/// Whether a word of failure is followed by a value that says nothing, or counted as none.
fn says_nothing(buf: &[u8], start: usize, end: usize) -> bool {
    let after = &buf[end..buf.len().min(end + 40)];
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
        let words: &[&[u8]] = match value.first().map(u8::to_ascii_lowercase) {
            Some(b'n') => &[b"null", b"none", b"nil"],
            Some(b'f') => &[b"false"],
            Some(b'0') => &[b"0"],
            Some(b'"') => &[b"\"\"", b"\"null\"", b"\"none\"", b"\"0\""],
            Some(b'\'') => &[b"''"],
            Some(b'[') => &[b"[]"],
            Some(b'{') => &[b"{}"],
            Some(b'-') => &[b"-"],
            Some(b'\\') => &[b"\\\"\\\""],
            _ => &[],
        };
        let nothing = words.iter().any(|word| {
            value
                .split_at_checked(word.len())
                .is_some_and(|(v, rest)| v.eq_ignore_ascii_case(word) && !goes_on(rest))
        });
        if nothing {
            return true;
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
mod tests;
