//! Bytes to evidence. Stateless, parallel, fast.
//!
//! The first pass finds, by literals, the records that may name or explain a failure, and takes evidence from these
//! only. The second visits what the failures found ask for: the records around them, and those that hold their keys.

pub mod fold;
pub mod keys;
pub mod name;
pub mod pattern;
mod profile;
pub mod record;
pub mod source;
pub mod worker;

use crate::evidence::{Capped, Evidence, FileSummary, Grade, Kind, Table};
use crate::settings::{Now, Settings};
use anyhow::Result;
use fold::Fold;
use pattern::matcher::Patterns;
use pattern::needles::{Guard, Needle, Needles};
use source::blocks::{Plan, SourceEnd, run};
use source::progress::Progress;
use source::{Found, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use worker::{BlockScan, Mode, Profile, Worker};

/// How many keys the second pass looks for.
const KEYS: usize = 4096;
/// A key that stands in more than this share (1 of n) of the sampled lines is no key.
const COMMON_KEY: usize = 20;

/// How to scan.
pub struct Options {
    /// Blocks and threads.
    pub plan: Plan,
    /// How records are chosen.
    pub mode: Mode,
    /// Where progress is shown.
    pub progress: Progress,
}

/// What is found at the paths, and all evidence in it.
///
/// # Errors
/// If a path does not exist. What can't be read is said in the table.
pub fn scan(
    found: &Found,
    settings: &Settings,
    patterns: &Arc<Patterns>,
    options: &Options,
) -> Result<Table> {
    let sources = &found.sources;
    let samples: Vec<Vec<(u64, Vec<u8>)>> = sources.iter().map(source::sample::sample).collect();
    let profiles = profiles(sources, &samples, settings, patterns)?;
    let worker = Worker {
        patterns: patterns.clone(),
        settings,
        profiles: &profiles,
        mode: options.mode,
    };

    let mut totals: Vec<BlockScan> = vec![BlockScan::default(); sources.len()];
    let mut fold = Fold::default();
    let take = |index: usize, mut part: BlockScan, fold: &mut Fold, totals: &mut Vec<BlockScan>| {
        let rows = std::mem::take(&mut part.fold);
        fold.merge(rows, totals[index].lines);
        source::blocks::Merge::merge(&mut totals[index], part);
    };
    let ends = run(
        sources,
        &options.plan,
        |_, _| true,
        || (),
        |(), block| worker.scan(block),
        &options.progress,
        |index, part| take(index, part, &mut fold, &mut totals),
    );

    if options.mode != Mode::Census {
        fold.settle();
        let wanted = Wanted::of(&fold, sources, &samples)?;
        let mut again: Vec<BlockScan> = vec![BlockScan::default(); sources.len()];
        let quiet = Progress::new(source::progress::Mode::Never, 0);
        run(
            sources,
            &options.plan,
            |index, _| {
                wanted.files.contains_key(&index)
                    || wanted.orphans.contains_key(&index)
                    || wanted.lanes.contains_key(sources[index].lane.as_ref())
            },
            || (),
            |(), block| {
                let failures = wanted.files.get(&block.source_index);
                worker.revisit(
                    block,
                    failures.map_or(&[], Vec::as_slice),
                    wanted
                        .orphans
                        .get(&block.source_index)
                        .map_or(&[], Vec::as_slice),
                    wanted.lanes.get(block.source.lane.as_ref()),
                )
            },
            &quiet,
            |index, part| take(index, part, &mut fold, &mut again),
        );
    }
    options.progress.finish();

    let (rows, mut capped) = fold.finish();
    capped.extend(long_lines(sources, &totals));
    capped.sort();
    Ok(Table {
        rows,
        files: summaries(found, totals, &ends, options.mode),
        passed_over: found.passed_over.clone(),
        capped,
    })
}

/// What each source looks like.
///
/// # Errors
/// If the spellings of a file make too large an automaton.
pub fn profiles_of(
    sources: &[Source],
    settings: &Settings,
    patterns: &Patterns,
) -> Result<Vec<Profile>> {
    let samples: Vec<Vec<(u64, Vec<u8>)>> = sources.iter().map(source::sample::sample).collect();
    profiles(sources, &samples, settings, patterns)
}

/// What each file looks like, and the spellings of its levels that the packs do not find.
fn profiles(
    sources: &[Source],
    samples: &[Vec<(u64, Vec<u8>)>],
    settings: &Settings,
    patterns: &Patterns,
) -> Result<Vec<Profile>> {
    let now = match settings.now {
        Now::At(ns) => Some(ns),
        _ => None,
    };
    let mut known: BTreeMap<Vec<Needle>, Option<Arc<Needles>>> = BTreeMap::new();
    let mut all = Vec::with_capacity(sources.len());
    for (source, samples) in sources.iter().zip(samples) {
        let shape = record::Shape::of(samples, &source.name, &source.timezone, now);
        let spellings = profile::spellings(samples, &shape, &patterns.needles);
        let needles = match known.get(&spellings) {
            Some(needles) => needles.clone(),
            None => {
                let needles = if spellings.is_empty() {
                    None
                } else {
                    Some(Arc::new(Needles::new(spellings.iter().map(|n| (n, 0)))))
                };
                known.insert(spellings, needles.clone());
                needles
            }
        };
        all.push(Profile { shape, needles });
    }
    Ok(all)
}

/// What the second pass visits.
struct Wanted {
    /// Where the failures begin, by source; sorted.
    files: BTreeMap<usize, Vec<u64>>,
    /// Where records begin that carry a sign of a cause which no failure claims, by source; sorted.
    orphans: BTreeMap<usize, Vec<u64>>,
    /// The keys of the failures, by lane.
    lanes: BTreeMap<String, Needles>,
}

impl Wanted {
    fn of(fold: &Fold, sources: &[Source], samples: &[Vec<(u64, Vec<u8>)>]) -> Result<Wanted> {
        let index: BTreeMap<&str, usize> = sources
            .iter()
            .enumerate()
            .map(|(i, s)| (s.name.as_ref(), i))
            .collect();
        let mut files: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        let mut keys: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for row in fold.rows().filter(|r| r.kind == Kind::Name) {
            if let Some(at) = index.get(row.file.as_ref()) {
                files.entry(*at).or_default().push(row.offset.max(0) as u64);
            }
            keys.entry(row.lane.to_string())
                .or_default()
                .extend(joining(row).map(str::to_string));
        }
        let orphans = orphans(fold, &index);
        for failures in files.values_mut() {
            failures.sort_unstable();
        }
        let mut lanes = BTreeMap::new();
        for (lane, keys) in keys {
            let text: Vec<&[u8]> = sources
                .iter()
                .zip(samples)
                .filter(|(s, _)| *s.lane == *lane)
                .flat_map(|(_, windows)| windows.iter().map(|(_, w)| w.as_slice()))
                .collect();
            let lines: usize = text
                .iter()
                .map(|w| memchr::memchr_iter(b'\n', w).count())
                .sum();
            let rare = |key: &str| {
                let finder = memchr::memmem::Finder::new(key.as_bytes());
                text.iter()
                    .map(|w| finder.find_iter(w).count())
                    .sum::<usize>()
                    * COMMON_KEY
                    <= lines.max(200)
            };
            let list: Vec<Needle> = keys
                .iter()
                .filter(|k| rare(k))
                .take(KEYS)
                .map(|k| Needle {
                    text: k.to_lowercase(),
                    guard: Guard::default(),
                })
                .collect();
            if !list.is_empty() {
                lanes.insert(lane, Needles::new(list.iter().map(|n| (n, 0))));
            }
        }
        Ok(Wanted {
            files,
            orphans,
            lanes,
        })
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

/// What is said of lines that were not read to their end.
fn long_lines(sources: &[Source], totals: &[BlockScan]) -> Vec<Capped> {
    let long = sources.iter().zip(totals).filter(|(_, t)| t.long_lines > 0);
    long.map(|(source, total)| Capped {
        what: "lines".to_string(),
        place: source.name.to_string(),
        kept: total.lines - total.long_lines,
        of: total.lines,
    })
    .collect()
}

fn summaries(
    found: &Found,
    totals: Vec<BlockScan>,
    ends: &[SourceEnd],
    mode: Mode,
) -> Vec<FileSummary> {
    let census = mode == Mode::Census;
    let mut files: Vec<FileSummary> = found
        .sources
        .iter()
        .zip(totals)
        .zip(ends)
        .map(|((source, total), end)| FileSummary {
            lane: source.lane.to_string(),
            file: source.name.to_string(),
            bytes: end.bytes as i64,
            lines: total.lines,
            bad_lines: total.bad_lines,
            records: census.then_some(total.records.0),
            timed: census.then_some(total.records.1),
            first: total.span.map(|s| s.0),
            last: total.span.map(|s| s.1),
            error: end.error.clone(),
        })
        .collect();
    files.extend(found.unreadable.iter().map(|(file, why)| FileSummary {
        file: file.clone(),
        error: Some(why.clone()),
        ..FileSummary::default()
    }));
    files.sort_by(|a, b| a.file.cmp(&b.file));
    files
}
