//! What a file looks like, judged by samples of it, so that each record can be read the same way.

use super::{text, wrapper};
use crate::time::{self, Anchor, Found};
use jiff::tz::TimeZone;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

/// How many sampled lines are looked at.
const LINES: usize = 4000;

/// What a file looks like. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Shape(Arc<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    zone: TimeZone,
    anchor: Anchor,
    json: bool,
    stamped: bool,
    piped: bool,
    indented: bool,
    runner: bool,
    epoch_column: Option<usize>,
    columns: Option<Columns>,
    elements: Option<usize>,
}

/// The columns of a delimited file, from its header line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    pub delimiter: char,
    pub names: Vec<String>,
    /// The header itself.
    pub header: String,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape::of(&[], "", &TimeZone::UTC, None)
    }
}

impl Shape {
    /// Judges a file by samples: pieces of it with their offsets. A piece that does not begin the file loses its first
    /// line, which is probably half of one. `name` is the file's name, `zone` that of stamps without one, `now` the
    /// instant that counts as now, in nanoseconds.
    pub fn of(samples: &[(u64, Vec<u8>)], name: &str, zone: &TimeZone, now: Option<i64>) -> Shape {
        let mut anchor = Anchor {
            file_date: time::date_in_name(name),
            now,
            ..Anchor::default()
        };
        let lines = sampled(samples);
        let mut tally = Tally::default();
        for line in &lines {
            tally.add(line);
        }
        anchor.day_first = tally.dates.day_first();
        tally.piped = tally.pipes >= 3 && tally.pipes * 10 >= tally.solid * 6;
        let bare = |line: &str| -> String {
            if tally.piped {
                let cut = wrapper::pipe_prefix(line).unwrap_or(0);
                line.get(cut..).unwrap_or_default().to_owned()
            } else {
                line.to_owned()
            }
        };
        let (mut hits, mut plain) = (0, 0);
        for line in &lines {
            let line = bare(line);
            if line.trim().is_empty() || line.starts_with([' ', '\t', '{']) {
                if let Some(ns) = json_time(&line, zone) {
                    anchor.dated = anchor.dated.max(Some(ns));
                }
                continue;
            }
            plain += 1;
            if let Some(found) = time::find(&line, zone, &anchor) {
                hits += 1;
                if found.has_date && found.has_year {
                    anchor.dated = anchor.dated.max(Some(found.ns));
                }
            }
        }
        let first = samples.iter().any(|(offset, _)| *offset == 0);
        let columns = if first { header(&lines) } else { None };
        Shape(Arc::new(Inner {
            zone: zone.clone(),
            json: tally.json * 2 > tally.solid,
            stamped: hits >= 3 || (hits > 0 && hits * 2 >= plain),
            piped: tally.piped,
            indented: tally.solid >= 3 && tally.indented == tally.solid,
            runner: tally.runner >= 3 && tally.runner * 10 >= tally.solid * 6,
            epoch_column: if hits * 2 < plain {
                epoch_column(&lines)
            } else {
                None
            },
            columns,
            elements: if first { elements(&lines) } else { None },
            anchor,
        }))
    }

    /// The indentation of the objects of an array that is written over several lines.
    pub(super) fn elements(&self) -> Option<usize> {
        self.0.elements
    }

    /// Whether most lines are JSON objects.
    pub fn is_json(&self) -> bool {
        self.0.json
    }

    /// Whether records carry a stamp at their head.
    pub fn is_stamped(&self) -> bool {
        self.0.stamped
    }

    /// The zone of stamps without one.
    pub fn zone(&self) -> &TimeZone {
        &self.0.zone
    }

    /// Where stamps take the parts that they do not have.
    pub fn anchor(&self) -> &Anchor {
        &self.0.anchor
    }

    /// The same shape with an instant of dated neighbours of the lane, in nanoseconds, for a file that has no whole
    /// date of its own.
    pub fn anchored(&self, dated: i64) -> Shape {
        let mut inner = Inner::clone(&self.0);
        inner.anchor.dated = inner.anchor.dated.or(Some(dated));
        Shape(Arc::new(inner))
    }

    pub(super) fn is_piped(&self) -> bool {
        self.0.piped
    }

    pub(super) fn is_indented(&self) -> bool {
        self.0.indented
    }

    pub(super) fn is_runner(&self) -> bool {
        self.0.runner
    }

    pub(super) fn columns(&self) -> Option<&Columns> {
        self.0.columns.as_ref()
    }

    /// The stamp at the head of a line, or the epoch in the column where this file has it.
    pub(super) fn find_stamp(&self, line: &str) -> Option<Found> {
        if let Some(found) = time::find(line, &self.0.zone, &self.0.anchor) {
            return Some(found);
        }
        let column = self.0.epoch_column?;
        let (start, word) = nth_word(line, column)?;
        let ns = time::parse_number(word)?;
        Some(Found {
            ns,
            range: start..start + word.len(),
            has_date: true,
            has_year: true,
            has_zone: true,
            letter: None,
        })
    }
}

fn sampled(samples: &[(u64, Vec<u8>)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (offset, bytes) in samples {
        let body = if *offset == 0 {
            bytes.as_slice()
        } else {
            let cut = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |i| i + 1);
            bytes.get(cut..).unwrap_or_default()
        };
        for line in body.split(|b| *b == b'\n') {
            if lines.len() >= LINES {
                return lines;
            }
            // A stamp and the shape of a head stand in the first bytes; JSON is judged by both ends.
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            lines
                .push(text::clean(line.get(..line.len().min(16_384)).unwrap_or(line)).into_owned());
        }
    }
    lines
}

#[derive(Default)]
struct Tally {
    solid: usize,
    json: usize,
    indented: usize,
    pipes: usize,
    piped: bool,
    runner: usize,
    dates: Dates,
}

impl Tally {
    fn add(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        self.solid += 1;
        self.json += usize::from(line.starts_with("{\""));
        self.indented += usize::from(line.starts_with([' ', '\t']));
        self.pipes += usize::from(wrapper::pipe_prefix(line).is_some());
        self.runner += usize::from(wrapper::runner_stamp(line).is_some());
        self.dates.add(line);
    }
}

/// What the numeric dates of a file show about their order.
#[derive(Default)]
struct Dates {
    first_beyond: bool,
    second_beyond: bool,
    short: bool,
    firsts: BTreeSet<u32>,
    thirds: BTreeSet<u32>,
}

static DATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^.{0,40}?\b(\d{1,2})[/.-](\d{1,2})(?:[/.-](\d{4}|\d{2}))?[ ,T]{1,2}\d{1,2}:\d\d")
        .ok()
});

impl Dates {
    fn add(&mut self, line: &str) {
        let head: String = line.chars().take(80).collect();
        let Some(found) = DATE.as_ref().and_then(|r| r.captures(&head)) else {
            return;
        };
        let number = |i: usize| found.get(i).and_then(|m| m.as_str().parse::<u32>().ok());
        let (Some(a), Some(b)) = (number(1), number(2)) else {
            return;
        };
        match found.get(3).map(|m| m.as_str().len()) {
            Some(2) => {
                self.short = true;
                self.firsts.insert(a);
                self.thirds.extend(number(3));
                self.second_beyond |= b > 12;
                self.first_beyond |= a > 12;
            }
            _ => {
                self.first_beyond |= a > 12 && b <= 12;
                self.second_beyond |= b > 12 && a <= 12;
            }
        }
    }

    /// With two-digit years the part that never changes is the year; without a sign, none.
    fn day_first(&self) -> Option<bool> {
        if self.short {
            if self.second_beyond {
                return Some(false);
            }
            let year_last = self.thirds.len() == 1 && self.firsts.len() > 1;
            return (year_last && self.first_beyond).then_some(true);
        }
        match (self.first_beyond, self.second_beyond) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }
}

static JSON_TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#""(?:@?timestamp|time|ts|@t|datetime)": ?"?([^",}]{6,40})"#).ok()
});

fn json_time(line: &str, zone: &TimeZone) -> Option<i64> {
    if !line.starts_with('{') {
        return None;
    }
    let found = JSON_TIME.as_ref()?.captures(line)?;
    time::parse_value(found.get(1)?.as_str(), zone)
}

fn nth_word(line: &str, column: usize) -> Option<(usize, &str)> {
    let word = line.split_whitespace().nth(column)?;
    let start = word.as_ptr() as usize - line.as_ptr() as usize;
    Some((start, word))
}

/// The column in which most lines have an epoch number (some cluster logs).
fn epoch_column(lines: &[String]) -> Option<usize> {
    let solid: Vec<&String> = lines.iter().filter(|l| !l.trim().is_empty()).collect();
    (0..8).find(|column| {
        let hits = solid
            .iter()
            .filter(|l| nth_word(l, *column).is_some_and(|(_, w)| time::parse_number(w).is_some()))
            .count();
        hits >= 3 && hits * 10 >= solid.len() * 6
    })
}

/// The header of a delimited file: at least three names on the first line, and as many cells on most others. The
/// `#Fields:` line of W3C logs counts as one.
fn header(lines: &[String]) -> Option<Columns> {
    if let Some(line) = lines.iter().take(8).find(|l| l.starts_with("#Fields: ")) {
        let names: Vec<String> = line.split(' ').skip(1).map(str::to_owned).collect();
        return Some(Columns {
            delimiter: ' ',
            names,
            header: line.clone(),
        });
    }
    let first = lines.first()?;
    for delimiter in [',', '\t', ';'] {
        let names: Vec<String> = cells(first, delimiter)
            .into_iter()
            .map(|(_, cell)| cell)
            .collect();
        let named = names.len() >= 3
            && names.iter().all(|n| {
                !n.is_empty()
                    && n.len() <= 40
                    && n.chars()
                        .next()
                        .is_some_and(|c| c.is_alphabetic() || c == '_')
                    && n.chars()
                        .all(|c| c.is_alphanumeric() || " _-./".contains(c))
            });
        let body: Vec<&String> = lines
            .iter()
            .skip(1)
            .filter(|l| !l.is_empty())
            .take(200)
            .collect();
        let fit = body
            .iter()
            .filter(|l| cells(l, delimiter).len() == names.len())
            .count();
        if named && !body.is_empty() && fit * 10 >= body.len() * 6 {
            return Some(Columns {
                delimiter,
                names,
                header: first.clone(),
            });
        }
    }
    None
}

/// The cells of a line with the bytes at which they begin; quotes as in RFC 4180.
pub(super) fn cells(line: &str, delimiter: char) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut cell = String::new();
    let mut quoted = false;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if quoted {
            if c == '"' {
                if chars.peek().is_some_and(|(_, n)| *n == '"') {
                    cell.push('"');
                    chars.next();
                } else {
                    quoted = false;
                }
            } else {
                cell.push(c);
            }
        } else if c == '"' && cell.is_empty() {
            quoted = true;
        } else if c == delimiter {
            out.push((start, std::mem::take(&mut cell)));
            start = at + c.len_utf8();
        } else {
            cell.push(c);
        }
    }
    out.push((start, cell));
    out
}

/// `[`, then objects, each opened on a line of its own: how far these are indented.
fn elements(lines: &[String]) -> Option<usize> {
    let mut solid = lines.iter().filter(|l| !l.trim().is_empty());
    let open = solid.next()?.trim_start_matches('\u{feff}').trim_end() == "[";
    let first = solid.next()?;
    (open && first.trim() == "{").then(|| first.len() - first.trim_start().len())
}
