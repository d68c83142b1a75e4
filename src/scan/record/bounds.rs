//! Where a record begins and ends: a line, or a line with the trace that follows it.
//!
//! The lines are folded one after the other ([`fold`]). To find the record of a byte in the middle of a file, the fold
//! begins at the nearest line before it that begins a record whatever stands before (a *sure* line). Where none is near,
//! a grid decides: the file is thought cut every 64 KiB, and the first line behind a cut begins a record if no line
//! between this cut and the one before was sure. So the answer depends on the bytes around the record, and neither on
//! where a block begins nor on where the search does.

mod fold;
mod line;

use super::shape::Shape;
use fold::Fold;
use line::Line;
use std::ops::Range;

/// Bytes between the cuts of the grid.
const GRID: u64 = 64 << 10;
/// The most lines of one record.
const RECORD_LINES: usize = 2000;

/// The most bytes of a record that are read; what one line holds beyond that is passed over.
pub const LONGEST: usize = 256 << 10;
/// How far before a record the search for its bounds looks.
pub const BEHIND: usize = 2 * GRID as usize;
/// How far behind the first byte of a record the search for its bounds looks: two cells of the grid, the longest line
/// there, and the head of the next.
pub const AHEAD: usize = BEHIND + LONGEST + (8 << 10);

/// A stretch of a source in which records are looked for.
#[derive(Clone, Copy)]
pub struct Stretch<'a> {
    /// The bytes: [`BEHIND`] before what is asked for and [`AHEAD`] after it, where the source has them.
    pub buf: &'a [u8],
    /// Where they begin in the decoded source.
    pub offset: u64,
    /// What the source looks like.
    pub shape: &'a Shape,
}

/// The start of a record that an earlier search found.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    start: usize,
    /// The last sure line at or before it, if one was seen.
    sure: Option<usize>,
}

impl Stretch<'_> {
    /// The record (one or more whole lines) that holds the byte at `at`. One of more than 2000 lines or 256 KiB is cut
    /// at a line's end, and the rest begins another; a line is never cut here.
    pub fn record(&self, at: usize) -> Range<usize> {
        self.record_after(at, &mut None)
    }

    /// The same, for searches that go forward: they need not look back beyond what the one before found.
    pub fn record_after(&self, at: usize, known: &mut Option<Known>) -> Range<usize> {
        let buf = self.buf;
        let line_start = start_of_line(buf, at.min(buf.len()));
        let anchor = self.anchor(line_start, *known);
        let (mut start, mut sure) = (anchor.start, anchor.sure);
        let mut fold = Fold::new(self.shape);
        let (mut record, mut lines, mut before) = (start, 0, None);
        let mut line = self.line(start);
        loop {
            let end = end_of_line(buf, start);
            let next = (end < buf.len()).then(|| self.line(end));
            if let Some(before) = before {
                let is_sure = line.is_sure(
                    || self.line(before),
                    || next.as_ref().is_some_and(Line::is_frame),
                );
                let forced = self.cell(before) < self.cell(start)
                    && sure.is_none_or(|at| self.cell(at) + 1 < self.cell(start));
                if is_sure {
                    sure = Some(start);
                }
                if is_sure || forced || lines >= RECORD_LINES || end - record > LONGEST {
                    fold = Fold::new(self.shape);
                }
            }
            if fold.step(&line, next.as_ref()) && start > record {
                *known = Some(Known { start, sure });
                if start > line_start {
                    return record..start;
                }
                (record, lines) = (start, 0);
            }
            lines += 1;
            before = Some(start);
            start = end;
            match next {
                Some(next) => line = next,
                None => return record..buf.len(),
            }
        }
    }

    /// The nearest start of a record at or before a line that can be told without what stands further up.
    fn anchor(&self, line_start: usize, known: Option<Known>) -> Known {
        let mut start = line_start;
        // The first line of a later cell, which begins a record if the cell before it has no sure line.
        let mut grid: Option<usize> = None;
        loop {
            if let Some(known) = known.filter(|k| k.start == start) {
                return known;
            }
            let bare = |start| Known { start, sure: None };
            let Some(newline) = start.checked_sub(1) else {
                // The source's first line is sure.
                return match (self.offset, grid) {
                    (0, _) => Known {
                        start,
                        sure: Some(start),
                    },
                    (_, grid) => bare(grid.unwrap_or(start)),
                };
            };
            let before = start_of_line(self.buf, newline);
            let sure = self.line(start).is_sure(
                || self.line(before),
                || {
                    let end = end_of_line(self.buf, start);
                    end < self.buf.len() && self.line(end).is_frame()
                },
            );
            if sure {
                return Known {
                    start,
                    sure: Some(start),
                };
            }
            if self.cell(before) < self.cell(start) {
                let first = *grid.get_or_insert(start);
                if self.cell(before) + 1 < self.cell(first) {
                    return bare(first);
                }
            }
            start = before;
        }
    }

    fn cell(&self, at: usize) -> u64 {
        (self.offset + at as u64) / GRID
    }

    fn line(&self, start: usize) -> Line<'_> {
        let end = end_of_line(self.buf, start);
        Line::of(self.buf.get(start..end).unwrap_or_default(), self.shape)
    }
}

fn start_of_line(buf: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', buf.get(..at).unwrap_or_default()).map_or(0, |i| i + 1)
}

/// The byte behind the newline of the line that begins at `start`.
fn end_of_line(buf: &[u8], start: usize) -> usize {
    buf.get(start..)
        .and_then(|rest| memchr::memchr(b'\n', rest))
        .map_or(buf.len(), |i| start + i + 1)
}
