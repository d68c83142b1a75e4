//! One block against the patterns: candidates, their records, evidence.

mod asked;
mod place;
mod rows;
mod text;

use super::fold::Fold;
use super::name::{Name, name_of, quotes};
use super::pattern::matcher::{Around, Hit, Patterns};
use super::pattern::needles::Needles;
use super::record::{self, Known, LONGEST, Record, Shape, Stretch};
use super::source::blocks::{Block, Merge};
use crate::evidence::Level;
use crate::settings::Settings;
use rows::inherited;
use std::ops::Range;
use std::sync::Arc;
pub use text::lines;
use text::{Reach, bad_lines, ends, long_lines};

/// How far a record without a time looks back for one.
const LOOK_BACK: Reach = Reach {
    lines: 400,
    bytes: 48 << 10,
};
/// How far the neighbourhood of a record for `near` reaches before it and behind it.
const AROUND: (Reach, Reach) = (
    Reach {
        lines: 20,
        bytes: 2048,
    },
    Reach {
        lines: 5,
        bytes: 512,
    },
);
/// How far the surroundings of a failure reach that are visited whole.
const SURROUNDINGS: Reach = Reach {
    lines: 100,
    bytes: 16 << 10,
};
/// How far from either end of a file its first or last instant is looked for.
const ENDS: Reach = Reach {
    lines: 50,
    bytes: 32 << 10,
};

/// What is known of a source before its blocks are read.
pub struct Profile {
    /// What the file looks like.
    pub shape: Shape,
    /// The spellings of failing levels in this file that the packs do not find.
    pub needles: Option<Arc<Needles>>,
}

/// What a block (or several in a row) yields.
#[derive(Clone, Debug, Default)]
pub struct BlockScan {
    /// The evidence; lines count from 1 at the first byte of the block's own range.
    pub fold: Fold,
    /// Where the own range begins in the source.
    pub begins: u64,
    /// Lines that begin in the own ranges.
    pub lines: i64,
    /// Lines of which only the first [`LONGEST`] bytes are read.
    pub long_lines: i64,
    /// Lines that are no valid UTF-8, or broken JSON in a JSONL file.
    pub bad_lines: i64,
    /// The least and the greatest instant of the evidence and of the file's ends.
    pub span: Option<(i64, i64)>,
    /// Records and records with a time of their own; only where every record is visited.
    pub records: (i64, i64),
}

impl BlockScan {
    /// Nothing yet of a block.
    fn of(block: &Block<'_>) -> BlockScan {
        BlockScan {
            begins: block.offset + block.own.start as u64,
            ..BlockScan::default()
        }
    }
}

impl Merge for BlockScan {
    fn merge(&mut self, later: BlockScan) {
        self.fold.merge(later.fold, self.lines);
        self.lines += later.lines;
        self.long_lines += later.long_lines;
        self.bad_lines += later.bad_lines;
        self.records.0 += later.records.0;
        self.records.1 += later.records.1;
        self.span = join(self.span, later.span);
    }
}

fn join(a: Option<(i64, i64)>, b: Option<(i64, i64)>) -> Option<(i64, i64)> {
    match (a, b) {
        (Some((a, z)), Some((b, y))) => Some((a.min(b), z.max(y))),
        (a, b) => a.or(b),
    }
}

/// How records are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Records that hold a needle.
    Prefilter,
    /// Every record, by the same definition: for the test that the prefilter hides nothing.
    Exhaustive,
    /// Every record, counted with its time; no evidence.
    Census,
}

/// A worker: what it needs to look at blocks.
pub struct Worker<'a> {
    /// The packs.
    pub patterns: Arc<Patterns>,
    /// The configuration.
    pub settings: &'a Settings,
    /// One profile for each source.
    pub profiles: &'a [Profile],
    /// How records are chosen.
    pub mode: Mode,
}

/// A record in its block.
pub struct Seen<'b> {
    /// Its bytes in the buffer.
    pub bounds: Range<usize>,
    /// Parsed.
    pub record: Record<'b>,
    /// Own or inherited instant.
    pub time: Option<i64>,
    /// What matched.
    pub hits: Vec<Hit>,
    /// The recorded name, if it is a failure.
    pub name: Option<Name>,
}

impl Seen<'_> {
    /// Takes the instant of the lines before, if the record has none of its own.
    fn date(&mut self, block: &Block<'_>, profile: &Profile) {
        if self.time.is_none() {
            self.time = inherited(block.buf, self.bounds.start, &profile.shape);
        }
    }
}

impl Worker<'_> {
    /// Scans the records that begin in a block's own range.
    pub fn scan(&self, block: &Block<'_>) -> BlockScan {
        let profile = &self.profiles[block.source_index];
        let own = &block.buf[block.own.clone()];
        let mut out = BlockScan {
            lines: lines(own),
            long_lines: long_lines(own),
            bad_lines: bad_lines(own, &profile.shape),
            span: ends(block, &profile.shape),
            ..BlockScan::of(block)
        };
        if self.mode == Mode::Census {
            self.census(block, profile, &mut out);
            return out;
        }
        for bounds in self.candidates(block, profile) {
            let mut seen = self.glance(block, profile, bounds, false);
            if seen.name.is_none() && seen.hits.is_empty() {
                continue;
            }
            if self.mode == Mode::Exhaustive && !self.holds_needle(block, profile, &seen) {
                continue;
            }
            seen.date(block, profile);
            out.span = join(out.span, seen.time.map(|t| (t, t)));
            for row in self.rows(block, &seen) {
                out.fold.add(row);
            }
        }
        out
    }

    /// The bounds of the record that holds a byte of a block.
    pub fn record(&self, block: &Block<'_>, at: usize) -> Range<usize> {
        let stretch = stretch(block, &self.profiles[block.source_index]);
        record_at(&stretch, at, &mut None).0
    }

    /// The bounds of the records of the own range that hold a needle (or of all), in order.
    fn candidates(&self, block: &Block<'_>, profile: &Profile) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        let stretch = stretch(block, profile);
        let end = self.reach(block, &stretch);
        let (mut at, mut known) = (block.own.start, None);
        while at < end {
            let next = if self.mode == Mode::Exhaustive {
                Some(at)
            } else {
                self.next_hit(block.buf, at, end, profile)
            };
            let Some(next) = next else { break };
            let (bounds, after) = record_at(&stretch, next, &mut known);
            at = after;
            if !block.own.contains(&bounds.start) {
                continue;
            }
            // What stands beyond the longest record that is read does not count.
            if self.mode == Mode::Prefilter
                && next >= bounds.end
                && self
                    .next_hit(block.buf, bounds.start, bounds.end, profile)
                    .is_none()
            {
                continue;
            }
            found.push(bounds);
        }
        found
    }

    /// Where the last record of the own range ends.
    fn reach(&self, block: &Block<'_>, stretch: &Stretch<'_>) -> usize {
        match block.own.is_empty() {
            true => block.own.start,
            false => stretch.record(block.own.end - 1).end.max(block.own.end),
        }
    }

    /// Whether a record holds a needle, in its bytes or in its decoded text: without one it is no candidate, also where
    /// every record is looked at. One that stands in the text alone is what the prefilter would miss.
    fn holds_needle(&self, block: &Block<'_>, profile: &Profile, seen: &Seen<'_>) -> bool {
        let (from, to) = (seen.bounds.start, seen.bounds.end);
        let text = seen.record.text.as_bytes();
        self.next_hit(block.buf, from, to, profile).is_some()
            || self.patterns.needles.find(text, 0, text.len()).is_some()
    }

    fn next_hit(&self, buf: &[u8], from: usize, to: usize, profile: &Profile) -> Option<usize> {
        let general = self
            .patterns
            .needles
            .find(buf, from, to)
            .map(|(start, _)| start);
        let own = profile
            .needles
            .as_ref()
            .and_then(|n| n.find(buf, from, general.unwrap_or(to)))
            .map(|(start, _)| start);
        own.or(general)
    }

    /// Parses and matches the record at `bounds`.
    pub fn look<'b>(
        &self,
        block: &Block<'b>,
        profile: &Profile,
        bounds: Range<usize>,
        extra: bool,
    ) -> Seen<'b> {
        let mut seen = self.glance(block, profile, bounds, extra);
        seen.date(block, profile);
        seen
    }

    /// The same, with the record's own instant only.
    fn glance<'b>(
        &self,
        block: &Block<'b>,
        profile: &Profile,
        bounds: Range<usize>,
        extra: bool,
    ) -> Seen<'b> {
        let raw = &block.buf[bounds.clone()];
        let record = record::parse(raw, &profile.shape);
        let around = self.around(block, &bounds);
        let mut hits = self.patterns.matches(&record, &around, extra);
        if quotes(&record.message) {
            hits.clear();
        }
        let name = name_of(&record, &hits, &self.patterns, &self.settings.names);
        Seen {
            bounds,
            time: record.time,
            record,
            hits,
            name,
        }
    }

    /// What stands around a record.
    pub fn around<'b>(&self, block: &Block<'b>, bounds: &Range<usize>) -> Around<'b> {
        let from = AROUND.0.back(block.buf, bounds.start);
        let to = AROUND.1.forward(block.buf, bounds.end);
        Around {
            lane: &block.source.lane,
            file: &block.source.name,
            bytes: &block.buf[from..to],
        }
    }

    fn census(&self, block: &Block<'_>, profile: &Profile, out: &mut BlockScan) {
        let stretch = stretch(block, profile);
        let (mut at, mut known) = (block.own.start, None);
        while at < block.own.end {
            let (bounds, after) = record_at(&stretch, at, &mut known);
            at = after;
            if bounds.start < block.own.start {
                continue;
            }
            let record = record::parse(&block.buf[bounds], &profile.shape);
            if record.text.trim().is_empty() {
                continue;
            }
            out.records.0 += 1;
            out.records.1 += i64::from(record.time.is_some());
            out.span = join(out.span, record.time.map(|t| (t, t)));
        }
    }
}

fn stretch<'b>(block: &Block<'b>, profile: &'b Profile) -> Stretch<'b> {
    Stretch {
        buf: block.buf,
        offset: block.offset,
        shape: &profile.shape,
    }
}

/// The record at a byte, as much of it as is read, and where the next one may begin.
fn record_at(stretch: &Stretch<'_>, at: usize, known: &mut Option<Known>) -> (Range<usize>, usize) {
    let whole = stretch.record_after(at, known);
    let after = whole.end.max(at + 1);
    (whole.start..whole.end.min(whole.start + LONGEST), after)
}

/// The level from which a record is a failure by its level alone.
pub const FAILING: Level = Level::Error;
