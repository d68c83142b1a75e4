//! One block against the patterns: candidates, their records, evidence.

use super::fold::Fold;
use super::keys::keys_of;
use super::name::{Name, name_anyway, name_of};
use super::pattern::matcher::{Around, Hit, Patterns};
use super::pattern::needles::Needles;
use super::record::{self, Record, Shape};
use super::source::blocks::{Block, Merge};
use crate::evidence::{Evidence, Grade, Keys, Kind, Level, OWN_WORDS, Values};
use crate::redact::redact;
use crate::settings::Settings;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// How far a record without a time looks back for one, in bytes and lines.
const LOOK_BACK: (usize, usize) = (48 << 10, 400);
/// Bytes within which the name of an orphaned sign follows it.
const FOLLOWS: usize = 16 << 10;
/// How many bytes around a record count as its neighbourhood for `near`.
const AROUND: (usize, usize) = (2048, 512);
/// Nanoseconds within which a record follows another.
const SOON: u64 = 10_000_000_000;
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
    /// Newlines of the own ranges.
    pub newlines: i64,
    /// Bytes of the own ranges.
    pub bytes: i64,
    /// Lines that are no valid UTF-8, or broken JSON in a JSONL file.
    pub bad_lines: i64,
    /// The own range ends without a newline.
    pub open: bool,
    /// The least and the greatest instant of the evidence.
    pub span: Option<(i64, i64)>,
    /// Records and records with a time of their own; only where every record is visited.
    pub records: (i64, i64),
}

impl Merge for BlockScan {
    fn merge(&mut self, later: BlockScan) {
        self.fold.merge(later.fold, self.newlines);
        self.newlines += later.newlines;
        self.bytes += later.bytes;
        self.bad_lines += later.bad_lines;
        if later.bytes > 0 {
            self.open = later.open;
        }
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
            newlines: memchr::memchr_iter(b'\n', own).count() as i64,
            bytes: own.len() as i64,
            open: own.last().is_some_and(|b| *b != b'\n'),
            bad_lines: bad_lines(own, &profile.shape),
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

    /// Visits records again for what only a failure asks for: `common` patterns, and names that stand by their place.
    pub fn revisit(
        &self,
        block: &Block<'_>,
        wanted: &[Range<u64>],
        orphans: &[u64],
        keys: Option<&Needles>,
    ) -> BlockScan {
        let profile = &self.profiles[block.source_index];
        let own = &block.buf[block.own.clone()];
        let mut out = BlockScan {
            newlines: memchr::memchr_iter(b'\n', own).count() as i64,
            bytes: own.len() as i64,
            ..BlockScan::default()
        };
        // The name of an orphan may stand in the next block, so those before this one are looked at too.
        let from = block.offset + block.own.start.saturating_sub(FOLLOWS) as u64;
        let to = block.offset + block.own.end as u64;
        let first = orphans.partition_point(|o| *o < from);
        for orphan in orphans[first..].iter().take_while(|o| **o < to) {
            if let Some(row) = self.after(block, profile, (orphan - block.offset) as usize) {
                out.fold.add(row);
            }
        }
        let mut at = block.own.start;
        while at < block.own.end {
            let here = block.offset + at as u64;
            let next = wanted[wanted.partition_point(|r| r.end <= here)..]
                .first()
                .map(|r| (r.start.max(here) - block.offset) as usize);
            let limit = next.unwrap_or(block.own.end).min(block.own.end);
            let key = keys
                .and_then(|k| k.find(block.buf, at, limit))
                .map(|(start, _)| start);
            let Some(next) = key.or(next).filter(|n| *n < block.own.end) else {
                break;
            };
            let bounds = record::bounds(block.buf, next, &profile.shape);
            at = bounds.end.max(next + 1);
            if bounds.start < block.own.start {
                continue;
            }
            let seen = self.look(block, profile, bounds, true);
            for row in self.rows(block, &seen) {
                if self.patterns.is_common(&row.pattern) {
                    out.fold.add(row);
                }
            }
        }
        out
    }

    /// The bounds of the records of the own range that hold a needle (or of all), in order.
    fn candidates(&self, block: &Block<'_>, profile: &Profile) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        if block.own.is_empty() {
            return found;
        }
        // A record that begins in the own range may reach beyond it.
        let last = record::bounds(block.buf, block.own.end - 1, &profile.shape);
        let end = last.end.max(block.own.end);
        let mut at = block.own.start;
        while at < end {
            let next = if self.mode == Mode::Exhaustive {
                Some(at)
            } else {
                self.next_hit(block.buf, at, end, profile)
            };
            let Some(next) = next else { break };
            let bounds = record::bounds(block.buf, next, &profile.shape);
            at = bounds.end.max(next + 1);
            if bounds.start < block.own.start || bounds.start >= block.own.end {
                continue;
            }
            if self.mode == Mode::Exhaustive
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
        let from = bounds.start.saturating_sub(AROUND.0);
        Around {
            lane: &block.source.lane,
            file: &block.source.name,
            bytes: &block.buf[from..block.buf.len().min(bounds.end + AROUND.1)],
        }
    }

    /// The rows of a record: its name, and a row for each hit; a bad end also names the record before it.
    pub fn rows(&self, block: &Block<'_>, seen: &Seen<'_>) -> Vec<Evidence> {
        let profile = &self.profiles[block.source_index];
        let base = self.base(block, seen);
        let mut rows = Vec::new();
        if let Some(name) = &seen.name {
            rows.push(named(&base, name, seen));
        }
        for (hit, seq) in seen.hits.iter().zip(1..) {
            let pattern = self.patterns.get(hit.pattern);
            let mut values = hit.values.clone();
            if pattern.kind == Kind::Cause
                && pattern.grade >= Grade::Phrase
                && let Some(name) = seen.name.as_ref().filter(|n| n.span.contains(&hit.start))
            {
                // What the lane says of its failure is a claim. Its label proves nothing, its prose little.
                if name.label {
                    continue;
                }
                values.insert(OWN_WORDS.to_string(), "1".to_string());
            }
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
                seq,
                cause: pattern.cause,
                grade: pattern.grade,
                after_effect: pattern.after_effect,
                waiting: pattern.waiting,
                values,
                text: excerpt(&seen.record.text, hit.start),
                advice: pattern.advice.clone(),
                ..base.clone()
            });
        }
        let ended_badly = seen
            .hits
            .iter()
            .any(|h| self.patterns.get(h.pattern).kind == Kind::Scope && failed_exit(&h.values));
        if ended_badly && let Some(before) = self.before(block, profile, seen) {
            rows.push(before);
        }
        rows
    }

    /// The last message before a bad end is its name.
    fn before(&self, block: &Block<'_>, profile: &Profile, seen: &Seen<'_>) -> Option<Evidence> {
        let mut at = seen.bounds.start;
        for _ in 0..3 {
            at = at.checked_sub(1)?;
            let bounds = record::bounds(block.buf, at, &profile.shape);
            at = bounds.start;
            let before = self.look(block, profile, bounds, false);
            if before.record.message.trim().is_empty() {
                continue;
            }
            if before.name.is_some() || self.patterns.names.succeeds(&before.record.message) {
                return None;
            }
            let name = name_anyway(&before.record, &before.hits, &self.patterns)?;
            return Some(named(
                &self.base(block, &before),
                &Name {
                    rule: "name.run-end",
                    rank: 2,
                    ..name
                },
                &before,
            ));
        }
        None
    }

    /// The name that follows the sign of a cause: a record that is no failure by itself, but stands right after one
    /// that no failure claims, and warns or claims a cause.
    fn after(&self, block: &Block<'_>, profile: &Profile, orphan: usize) -> Option<Evidence> {
        let sign = self.look(
            block,
            profile,
            record::bounds(block.buf, orphan, &profile.shape),
            false,
        );
        let mut at = sign.bounds.end;
        for _ in 0..3 {
            if at >= block.buf.len() {
                return None;
            }
            let seen = self.look(
                block,
                profile,
                record::bounds(block.buf, at, &profile.shape),
                false,
            );
            at = seen.bounds.end.max(at + 1);
            let soon = matches!((sign.time, seen.time), (Some(a), Some(b)) if b.abs_diff(a) <= SOON)
                || sign.time.is_none();
            if seen.name.is_some() || !soon {
                return None;
            }
            let spoken = matches!(seen.record.level, Level::None | Level::Info | Level::Warn);
            let signs = seen
                .hits
                .iter()
                .any(|h| self.patterns.get(h.pattern).kind == Kind::Cause);
            if !spoken || signs || self.patterns.names.succeeds(&seen.record.message) {
                continue;
            }
            let Some(name) = name_anyway(&seen.record, &seen.hits, &self.patterns) else {
                continue;
            };
            if seen.record.level == Level::Warn || !name.claims.is_empty() {
                let owned = block.own.contains(&seen.bounds.start);
                return owned.then(|| {
                    named(
                        &self.base(block, &seen),
                        &Name {
                            rule: "name.after",
                            rank: name.rank.min(3),
                            ..name
                        },
                        &seen,
                    )
                });
            }
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
        let mut at = block.own.start;
        while at < block.own.end {
            let bounds = record::bounds(block.buf, at, &profile.shape);
            at = bounds.end.max(at + 1);
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
    const BAD: &[&str] = &[
        "fail",
        "abort",
        "timeout",
        "exit-code",
        "signal",
        "core-dump",
        "oom-kill",
        "watchdog",
    ];
    let result = values
        .get("result")
        .map(|r| r.to_lowercase())
        .unwrap_or_default();
    values
        .get("exit")
        .is_some_and(|exit| exit.trim().parse::<i64>().is_ok_and(|code| code != 0))
        || BAD.iter().any(|bad| result.starts_with(bad))
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
    let floor = start.saturating_sub(LOOK_BACK.0);
    let mut end = start;
    for _ in 0..LOOK_BACK.1 {
        if end <= floor {
            return None;
        }
        let line_start =
            memchr::memrchr(b'\n', &buf[floor..end - 1]).map_or(floor, |at| floor + at + 1);
        if let Some(time) = record::parse(&buf[line_start..end], shape).time {
            return Some(time);
        }
        end = line_start;
    }
    None
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

/// Lines that are no valid UTF-8, or, in a JSONL file, do not begin and end like an object.
fn bad_lines(own: &[u8], shape: &Shape) -> i64 {
    let mut bad: BTreeSet<usize> = BTreeSet::new();
    let mut rest = own;
    let mut at = 0;
    while let Err(error) = std::str::from_utf8(rest) {
        let place = at + error.valid_up_to();
        bad.insert(memchr::memrchr(b'\n', &own[..place]).map_or(0, |n| n + 1));
        let Some(next) = memchr::memchr(b'\n', &own[place..]) else {
            break;
        };
        at = place + next + 1;
        rest = &own[at..];
    }
    let mut count = bad.len() as i64;
    if shape.is_json() {
        for line in own.split(|b| *b == b'\n') {
            let line = line.trim_ascii();
            if line.first() == Some(&b'{') && line.last() != Some(&b'}') {
                count += 1;
            }
        }
    }
    count
}

/// The level from which a record is a failure by its level alone.
pub const FAILING: Level = Level::Error;
