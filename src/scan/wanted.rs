//! What the second pass visits: the surroundings of failures, the records that hold their keys, and what follows a sign
//! that nobody claims.

use super::fold::Fold;
use super::pattern::needles::{Guard, Needle, Needles};
use super::source::Source;
use crate::evidence::{Capped, Evidence, Grade, Kind};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How many keys the second pass looks for.
const KEYS: usize = 4096;
/// A key that stands in more than this share (1 of n) of the sampled lines is no key.
const COMMON_KEY: usize = 20;
/// All keys of a lane together stand in no more than this share (1 of n) of its lines, or in so many lines.
const VISITS: (i64, i64) = (100, 20_000);
/// Bytes from a failure or an orphan within which a visit to it may look.
const REACH: u64 = 64 << 10;

/// What the second pass visits.
pub(super) struct Wanted {
    /// Where the failures begin, by source; sorted.
    files: BTreeMap<usize, Vec<u64>>,
    /// Where records begin that carry a sign of a cause which no failure claims, by source; sorted.
    orphans: BTreeMap<usize, Vec<u64>>,
    /// The keys of the failures, by lane.
    lanes: BTreeMap<String, Needles>,
    /// Lanes of which some keys are not looked for.
    pub(super) capped: Vec<Capped>,
}

impl Wanted {
    /// What the failures found ask for. `lines`: how many lines each source has.
    pub(super) fn of(
        fold: &Fold,
        sources: &[Source],
        samples: &[Vec<(u64, Vec<u8>)>],
        lines: &[i64],
    ) -> Wanted {
        let index: BTreeMap<&str, usize> = sources
            .iter()
            .enumerate()
            .map(|(i, s)| (s.name.as_ref(), i))
            .collect();
        let mut files: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        let mut keys: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for row in fold.rows().filter(|r| r.kind == Kind::Name) {
            if let Some(at) = index.get(row.file.as_ref()) {
                files.entry(*at).or_default().push(row.offset.max(0) as u64);
            }
            keys.entry(&row.lane).or_default().extend(joining(row));
        }
        for failures in files.values_mut() {
            failures.sort_unstable();
        }
        let mut all = Wanted {
            files,
            orphans: orphans(fold, &index),
            lanes: BTreeMap::new(),
            capped: Vec::new(),
        };
        for (lane, keys) in keys {
            let mut text: Vec<&[u8]> = Vec::new();
            let mut written = 0;
            for ((source, windows), lines) in sources.iter().zip(samples).zip(lines) {
                if *source.lane == *lane {
                    text.extend(windows.iter().map(|(_, w)| w.as_slice()));
                    written += lines;
                }
            }
            all.add(lane, &keys, &text, written);
        }
        all
    }

    /// Takes the keys of a lane that are rare enough, judged by samples of it.
    fn add(&mut self, lane: &str, keys: &BTreeSet<&str>, text: &[&[u8]], written: i64) {
        let sampled: usize = text
            .iter()
            .map(|w| memchr::memchr_iter(b'\n', w).count())
            .sum();
        let mut rare: Vec<(usize, &str)> = keys
            .iter()
            .map(|key| {
                let finder = memchr::memmem::Finder::new(key.as_bytes());
                (text.iter().map(|w| finder.find_iter(w).count()).sum(), *key)
            })
            .filter(|(seen, _): &(usize, &str)| seen * COMMON_KEY <= sampled.max(200))
            .collect();
        rare.sort_unstable();
        let of = rare.len();
        let most = (written / VISITS.0).max(VISITS.1) as i128;
        let mut seen = 0;
        let kept = rare
            .iter()
            .take(KEYS)
            .take_while(|(times, _)| {
                seen += *times as i128;
                seen * i128::from(written) <= most * sampled.max(1) as i128
            })
            .count();
        rare.truncate(kept);
        if kept < of {
            self.capped.push(Capped {
                what: "keys".to_string(),
                place: lane.to_string(),
                kept: kept as i64,
                of: of as i64,
            });
        }
        let needles: Vec<Needle> = rare
            .iter()
            .map(|(_, key)| Needle {
                text: key.to_lowercase(),
                guard: Guard::default(),
            })
            .collect();
        if !needles.is_empty() {
            self.lanes.insert(
                lane.to_string(),
                Needles::new(needles.iter().map(|n| (n, 0))),
            );
        }
    }

    /// Where the failures of a source begin.
    pub(super) fn failures(&self, source: usize) -> &[u64] {
        self.files.get(&source).map_or(&[], Vec::as_slice)
    }

    /// Where its unclaimed signs begin.
    pub(super) fn orphans(&self, source: usize) -> &[u64] {
        self.orphans.get(&source).map_or(&[], Vec::as_slice)
    }

    /// The keys of a lane.
    pub(super) fn keys(&self, lane: &str) -> Option<&Needles> {
        self.lanes.get(lane)
    }

    /// Whether anything in a range of a source is to be visited.
    pub(super) fn any(&self, source: usize, lane: &str, range: &Range<u64>) -> bool {
        let near = |all: &[u64]| {
            let first = all.partition_point(|at| *at < range.start.saturating_sub(REACH));
            all.get(first)
                .is_some_and(|at| *at < range.end.saturating_add(REACH))
        };
        self.lanes.contains_key(lane) || near(self.failures(source)) || near(self.orphans(source))
    }
}

/// The signs that no failure claims: none is named in their record or in the three lines behind it.
fn orphans(fold: &Fold, index: &BTreeMap<&str, usize>) -> BTreeMap<usize, Vec<u64>> {
    let mut names: BTreeMap<&str, BTreeSet<i64>> = BTreeMap::new();
    for row in fold.rows().filter(|r| r.kind == Kind::Name) {
        names.entry(row.file.as_ref()).or_default().insert(row.line);
    }
    let mut out: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    for row in fold
        .rows()
        .filter(|r| r.kind == Kind::Cause && !r.after_effect && r.grade <= Grade::Status)
    {
        let named = names.get(row.file.as_ref()).is_some_and(|lines| {
            lines
                .range(row.record_line..=row.record_end + 3)
                .next()
                .is_some()
        });
        if let Some(at) = index.get(row.file.as_ref()).filter(|_| !named) {
            out.entry(*at).or_default().push(row.offset.max(0) as u64);
        }
    }
    for offsets in out.values_mut() {
        offsets.sort_unstable();
        offsets.dedup();
    }
    out
}

/// The keys of a failure by which later records are looked for.
fn joining(row: &Evidence) -> impl Iterator<Item = &str> {
    ["request", "target", "credential", "run"]
        .into_iter()
        .filter_map(|kind| row.keys.get(kind))
        .map(String::as_str)
        .filter(|v| v.len() >= 4 && v.len() <= 120 && !v.starts_with('<'))
}
