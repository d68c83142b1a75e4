//! The lines of a block: counts, ends, neighbourhoods.

use crate::scan::record::{self, LONGEST, Shape};
use crate::scan::source::blocks::Block;
use std::collections::BTreeSet;
use std::ops::Range;

/// How far a neighbourhood reaches: whole lines, so that it is the same whatever ends them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// The most lines.
    pub(super) lines: usize,
    /// The most bytes; what ends a line counts as one.
    pub(super) bytes: usize,
}

impl Reach {
    /// Where the neighbourhood before the line that begins at `start` begins.
    pub(super) fn back(self, buf: &[u8], mut start: usize) -> usize {
        let mut left = self.bytes;
        for _ in 0..self.lines {
            let Some(newline) = start.checked_sub(1) else {
                break;
            };
            let begin = memchr::memrchr(b'\n', &buf[..newline]).map_or(0, |at| at + 1);
            let Some(rest) = left.checked_sub(net(&buf[begin..newline])) else {
                break;
            };
            left = rest;
            start = begin;
        }
        start
    }

    /// Where the neighbourhood behind the line that ends at `end` ends.
    pub(super) fn forward(self, buf: &[u8], mut end: usize) -> usize {
        let mut left = self.bytes;
        for _ in 0..self.lines {
            let rest = buf.get(end..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let Some(less) = left.checked_sub(net(&rest[..length])) else {
                break;
            };
            left = less;
            end = buf.len().min(end + length + 1);
        }
        end
    }
}

/// The bytes of a line without what ends it, and one for that.
fn net(line: &[u8]) -> usize {
    line.strip_suffix(b"\r").unwrap_or(line).len() + 1
}

/// The ranges of the buffer around failures, sorted and apart.
pub(super) fn surroundings(block: &Block<'_>, failures: &[u64]) -> Vec<Range<usize>> {
    let reach = super::SURROUNDINGS;
    let from = (block.offset + block.own.start as u64).saturating_sub(4 * reach.bytes as u64);
    let to = block.offset + block.own.end as u64 + 4 * reach.bytes as u64;
    let first = failures.partition_point(|at| *at < from.max(block.offset));
    let mut out: Vec<Range<usize>> = Vec::new();
    for failure in failures.iter().skip(first).take_while(|at| **at < to) {
        let at = (failure - block.offset) as usize;
        if at >= block.buf.len() {
            break;
        }
        let range = reach.back(block.buf, at)..reach.forward(block.buf, at);
        match out.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

/// How many lines begin in a range of whole lines.
pub fn lines(own: &[u8]) -> i64 {
    let newlines = memchr::memchr_iter(b'\n', own).count() as i64;
    newlines + i64::from(own.last().is_some_and(|b| *b != b'\n'))
}

/// How many of them are longer than what is read of a record.
pub(super) fn long_lines(own: &[u8]) -> i64 {
    let (mut rest, mut count) = (own, 0);
    while let Some(window) = rest.get(..=LONGEST) {
        let end = match memchr::memrchr(b'\n', window) {
            Some(at) => at + 1,
            None => {
                count += 1;
                memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1)
            }
        };
        rest = &rest[end..];
    }
    count
}

/// Lines that are no valid UTF-8, or, in a JSONL file, do not begin and end like an object. Only as much of a line is
/// looked at as is read.
pub(super) fn bad_lines(own: &[u8], shape: &Shape) -> i64 {
    let mut bad: BTreeSet<usize> = BTreeSet::new();
    let mut at = 0;
    while let Err(error) = std::str::from_utf8(&own[at..]) {
        let place = at + error.valid_up_to();
        let start = memchr::memrchr(b'\n', &own[..place]).map_or(0, |n| n + 1);
        if place - start < LONGEST - 4 {
            bad.insert(start);
        }
        let Some(next) = memchr::memchr(b'\n', &own[place..]) else {
            break;
        };
        at = place + next + 1;
    }
    if shape.is_json() {
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', own).chain([own.len()]) {
            let line = &own[start..end];
            let text = line.trim_ascii();
            if line.len() <= LONGEST && text.first() == Some(&b'{') && text.last() != Some(&b'}') {
                bad.insert(start);
            }
            start = end + 1;
        }
    }
    bad.len() as i64
}

/// The first instant of a source's first lines and the last of its last, as far as this block holds them.
pub(super) fn ends(block: &Block<'_>, shape: &Shape) -> Option<(i64, i64)> {
    let reach = super::ENDS;
    let time = |line: &[u8]| record::parse(line, shape).time;
    let newline = |b: &u8| *b == b'\n';
    let buf = block.buf;
    let first = || buf[..reach.forward(buf, 0)].split(newline).find_map(time);
    let last = || {
        let end = buf.strip_suffix(b"\n").unwrap_or(buf).len();
        buf[reach.back(buf, end + 1).min(end)..end]
            .rsplit(newline)
            .find_map(time)
    };
    let first = if block.first { first() } else { None };
    let last = if block.last { last() } else { None };
    match (first, last) {
        (Some(a), Some(z)) => Some((a.min(z), a.max(z))),
        (a, z) => a.or(z).map(|t| (t, t)),
    }
}
