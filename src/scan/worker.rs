//! One block against the patterns: candidates, their records, evidence.

mod text;

use super::fold::Fold;
use super::keys::keys_of;
use super::name::{Name, name_of};
use super::pattern::matcher::{Around, Hit, Patterns};
use super::pattern::needles::Needles;
use super::record::{self, Known, LONGEST, Record, Shape, Stretch};
use super::source::blocks::{Block, Merge};
use crate::evidence::{Evidence, Grade, Keys, Kind, Level, Values};
use crate::redact::redact;
use crate::settings::Settings;
use std::ops::Range;
use std::sync::Arc;
use text::{Reach, bad_lines, ends, lines, long_lines, surroundings};

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
/// How far before a bad end its last message is looked for.
const LAST_MESSAGE: usize = 16 << 10;
/// How far from either end of a file its first or last instant is looked for.
const ENDS: Reach = Reach {
    lines: 50,
    bytes: 32 << 10,
};
/// The most characters of an excerpt.
const EXCERPT: usize = 300;

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
            ..BlockScan::default()
        };
        if self.mode == Mode::Census {
            self.census(block, profile, &mut out);
            return out;
        }
        for bounds in self.candidates(block, profile) {
            let seen = self.look(block, profile, bounds, false);
            out.span = join(out.span, seen.time.map(|t| (t, t)));
            for row in self.rows(block, &seen) {
                out.fold.add(row);
            }
        }
        out
    }

    /// Visits records again, whole, for what only a failure asks for: the records around `failures` (where these
    /// begin, sorted) and those that hold a key. It gives the rows that the first visit did not, and names nothing.
    pub fn revisit(
        &self,
        block: &Block<'_>,
        failures: &[u64],
        keys: Option<&Needles>,
    ) -> BlockScan {
        let profile = &self.profiles[block.source_index];
        let mut out = BlockScan {
            lines: lines(&block.buf[block.own.clone()]),
            ..BlockScan::default()
        };
        let near = surroundings(block, failures);
        let stretch = stretch(block, profile);
        let end = self.reach(block, &stretch);
        let (mut at, mut known) = (block.own.start, None);
        while at < end {
            let next_range = near
                .iter()
                .find(|range| range.end > at)
                .map(|range| range.start.max(at));
            let limit = next_range.unwrap_or(end).min(end);
            let next_key = keys
                .and_then(|k| k.find(block.buf, at, limit))
                .map(|(start, _)| start);
            let Some(next) = next_key.or(next_range).filter(|n| *n < end) else {
                break;
            };
            let (bounds, after) = record_at(&stretch, next, &mut known);
            at = after;
            if !block.own.contains(&bounds.start) {
                continue;
            }
            let visited = self.mode == Mode::Exhaustive
                || self
                    .next_hit(block.buf, bounds.start, bounds.end, profile)
                    .is_some();
            let mut seen = self.look(block, profile, bounds, true);
            seen.name = None;
            seen.hits
                .retain(|hit| !visited || self.patterns.get(hit.pattern).common);
            for row in self.evidence(block, &seen) {
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
        let raw = &block.buf[bounds.clone()];
        let record = record::parse(raw, &profile.shape);
        let time = record
            .time
            .or_else(|| inherited(block.buf, bounds.start, &profile.shape));
        let around = self.around(block, &bounds);
        let hits = self.patterns.matches(&record, &around, extra);
        let name = name_of(&record, &hits, &self.patterns, &self.settings.names);
        Seen {
            bounds,
            record,
            time,
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

    /// The rows of a record: its name, and a row for each hit; a bad end also names the record before it.
    pub fn rows(&self, block: &Block<'_>, seen: &Seen<'_>) -> Vec<Evidence> {
        let mut rows = self.evidence(block, seen);
        let ended_badly = seen
            .hits
            .iter()
            .any(|h| self.patterns.get(h.pattern).kind == Kind::Scope && failed_exit(&h.values));
        if ended_badly && let Some(before) = self.before(block, seen) {
            rows.push(before);
        }
        rows
    }

    fn evidence(&self, block: &Block<'_>, seen: &Seen<'_>) -> Vec<Evidence> {
        let base = self.base(block, seen);
        let mut rows = Vec::new();
        if let Some(name) = &seen.name {
            rows.push(named(&base, name, seen));
        }
        for hit in &seen.hits {
            let pattern = self.patterns.get(hit.pattern);
            let (first, last) = (
                seen.record.line_at(hit.start) as i64,
                seen.record
                    .line_at(hit.end.saturating_sub(1).max(hit.start)) as i64,
            );
            rows.push(Evidence {
                kind: pattern.kind,
                pattern: pattern.id.clone(),
                line: base.record_line + first,
                end_line: base.record_line + last,
                // The same in both visits, whatever else matched.
                seq: i64::from(hit.pattern) + 1,
                cause: pattern.cause,
                grade: pattern.grade,
                after_effect: pattern.after_effect,
                waiting: pattern.waiting,
                values: hit.values.clone(),
                text: excerpt(&seen.record.text, hit.start),
                advice: pattern.advice.clone(),
                ..base.clone()
            });
        }
        rows
    }

    /// The last message before a bad end is its name.
    fn before(&self, block: &Block<'_>, seen: &Seen<'_>) -> Option<Evidence> {
        let profile = &self.profiles[block.source_index];
        let stretch = stretch(block, profile);
        let mut at = seen.bounds.start;
        for _ in 0..3 {
            at = at.checked_sub(1)?;
            if at + LAST_MESSAGE < seen.bounds.start {
                return None;
            }
            let (bounds, _) = record_at(&stretch, at, &mut None);
            at = bounds.start;
            let before = self.look(block, profile, bounds, false);
            if before.record.message.trim().is_empty() {
                continue;
            }
            if before.name.is_some() || self.patterns.names.succeeds(&before.record.message) {
                return None;
            }
            let text = before
                .record
                .message
                .lines()
                .next()
                .unwrap_or("")
                .trim()
                .to_string();
            let name = Name {
                rule: "name.run-end",
                name: record::mask(&text),
                claims: self.patterns.names.claims(&text),
                told: Vec::new(),
                rank: 2,
            };
            let base = self.base(block, &before);
            return Some(named(&base, &name, &before));
        }
        None
    }

    /// What all rows of a record share.
    fn base(&self, block: &Block<'_>, seen: &Seen<'_>) -> Evidence {
        let lines_before = newlines_between(block, seen.bounds.start);
        let within = memchr::memchr_iter(b'\n', seen.record.raw.trim_ascii_end()).count() as i64;
        let mut keys = keys_of(&seen.record);
        let lane = match self
            .settings
            .lane_field
            .as_deref()
            .and_then(|f| seen.record.fields.value(f))
        {
            Some(lane) if !lane.trim().is_empty() => Arc::from(lane.trim()),
            _ => block.source.lane.clone(),
        };
        redact_keys(&mut keys);
        Evidence {
            kind: Kind::Context,
            pattern: Arc::from(""),
            lane,
            file: block.source.name.clone(),
            line: lines_before + 1,
            end_line: lines_before + 1,
            record_line: lines_before + 1,
            record_end: lines_before + 1 + within,
            offset: (block.offset + seen.bounds.start as u64) as i64,
            seq: 0,
            time: seen.time,
            level: seen.record.level,
            cause: None,
            grade: Grade::Symptom,
            after_effect: false,
            waiting: None,
            name: String::new(),
            claims: Vec::new(),
            keys,
            values: Values::new(),
            text: String::new(),
            advice: String::new(),
            repeat: 1,
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

fn redact_keys(keys: &mut Keys) {
    for value in keys.values_mut() {
        if let std::borrow::Cow::Owned(clean) = redact(value) {
            *value = clean;
        }
    }
}

fn named(base: &Evidence, name: &Name, seen: &Seen<'_>) -> Evidence {
    let at = seen
        .record
        .text
        .find(seen.record.message.trim())
        .unwrap_or(0);
    let line = base.record_line + seen.record.line_at(at) as i64;
    let mut values = Values::new();
    values.insert("rank".to_string(), name.rank.to_string());
    if !name.told.is_empty() {
        values.insert(
            "told".to_string(),
            name.told
                .iter()
                .map(|c| c.slug())
                .collect::<Vec<_>>()
                .join(","),
        );
    }
    Evidence {
        kind: Kind::Name,
        pattern: Arc::from(name.rule),
        line,
        end_line: line,
        name: redact(&name.name).into_owned(),
        claims: name.claims.clone(),
        values,
        text: excerpt(&seen.record.text, at),
        ..base.clone()
    }
}

/// Whether the captures of a run's end say that it went badly.
fn failed_exit(values: &Values) -> bool {
    values
        .get("exit")
        .is_some_and(|exit| exit.trim() != "0" && exit.trim().parse::<i64>().is_ok())
        || values.get("result").is_some_and(|r| r == "failed")
        || values.contains_key("signal")
}

/// Newlines of the block's own range before a byte; negative before the own range.
fn newlines_between(block: &Block<'_>, at: usize) -> i64 {
    let start = block.own.start;
    if at >= start {
        memchr::memchr_iter(b'\n', &block.buf[start..at]).count() as i64
    } else {
        -(memchr::memchr_iter(b'\n', &block.buf[at..start]).count() as i64)
    }
}

/// The instant of the nearest line before a record that has one.
fn inherited(buf: &[u8], start: usize, shape: &Shape) -> Option<i64> {
    if !(shape.is_stamped() || shape.is_json()) {
        return None;
    }
    let before = &buf[LOOK_BACK.back(buf, start)..start];
    let body = before.strip_suffix(b"\n")?;
    body.rsplit(|b| *b == b'\n')
        .find_map(|line| record::parse(line, shape).time)
}

/// What is shown of a text: the line around a position, redacted and cut.
fn excerpt(text: &str, at: usize) -> String {
    let at = text.floor_char_boundary(at.min(text.len()));
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let end = text[at..].find('\n').map_or(text.len(), |n| at + n);
    let line = &text[start..end];
    let from = if line.len() > EXCERPT && at - start > EXCERPT / 2 {
        line.floor_char_boundary(at - start - EXCERPT / 3)
    } else {
        0
    };
    let shown: String = line[from..].chars().take(EXCERPT).collect();
    redact(shown.trim()).into_owned()
}

/// The level from which a record is a failure by its level alone.
pub const FAILING: Level = Level::Error;
