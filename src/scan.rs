//! Bytes to evidence. Stateless, parallel, fast.
//!
//! The first pass finds, by literals, the records that may name or explain a failure, and takes evidence from these
//! only. The second visits what the failures found ask for: the records around them, and those that hold their keys.

pub mod fold;
pub mod keys;
mod memo;
pub mod name;
pub mod pattern;
mod profile;
pub mod record;
pub mod source;
mod wanted;
pub mod worker;

use crate::evidence::{Capped, FileSummary, Table};
use crate::settings::{Now, Settings};
use anyhow::Result;
use fold::Fold;
use pattern::matcher::Patterns;
use pattern::needles::{Needle, Needles};
use source::blocks::{Plan, SourceEnd, run};
use source::progress::Progress;
use source::{Found, Source};
use std::collections::BTreeMap;
use std::sync::Arc;
use wanted::Wanted;
use worker::{BlockScan, Mode, Profile, Worker};

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
    // How many lines stand before each block, so that the second pass may leave blocks out.
    let mut before: BTreeMap<(usize, u64), i64> = BTreeMap::new();
    let ends = run(
        sources,
        &options.plan,
        |_, _| true,
        || (),
        |(), block| worker.scan(block),
        &options.progress,
        |index, mut part| {
            let total = &mut totals[index];
            before.insert((index, part.begins), total.lines);
            fold.merge(std::mem::take(&mut part.fold), total.lines);
            source::blocks::Merge::merge(total, part);
        },
    );

    let mut capped = Vec::new();
    if options.mode != Mode::Census {
        fold.settle();
        let lines: Vec<i64> = totals.iter().map(|t| t.lines).collect();
        let wanted = Wanted::of(&fold, sources, &samples, &lines);
        run(
            sources,
            &options.plan,
            |index, range| {
                let all = 0..u64::MAX;
                // A stream is one piece.
                let plain = sources[index].is_plain();
                wanted.any(
                    index,
                    &sources[index].lane,
                    if plain { &range } else { &all },
                )
            },
            || (),
            |(), block| worker.revisit(block, &wanted),
            &Progress::new(source::progress::Mode::Never, 0),
            |index, part| {
                // What was appended meanwhile is left for the next run.
                if let Some(lines) = before.get(&(index, part.begins)) {
                    fold.merge(part.fold, *lines);
                }
            },
        );
        capped.extend(wanted.capped);
    }
    options.progress.finish();

    let (rows, cut) = fold.finish();
    capped.extend(cut);
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
    for (samples, shape) in samples.iter().zip(shapes(sources, samples, now)) {
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

/// The shape of each source. A file whose stamps name no year takes it from the dated files of its lane, else from
/// those of all lanes.
fn shapes(
    sources: &[Source],
    samples: &[Vec<(u64, Vec<u8>)>],
    now: Option<i64>,
) -> Vec<record::Shape> {
    let shapes: Vec<record::Shape> = sources
        .iter()
        .zip(samples)
        .map(|(source, samples)| record::Shape::of(samples, &source.name, &source.timezone, now))
        .collect();
    let mut by_lane: BTreeMap<&str, i64> = BTreeMap::new();
    for (source, shape) in sources.iter().zip(&shapes) {
        if let Some(dated) = shape.anchor().dated {
            let newest = by_lane.entry(&source.lane).or_insert(dated);
            *newest = dated.max(*newest);
        }
    }
    let newest = by_lane.values().copied().max();
    let neighbours = |source: &Source| by_lane.get(&*source.lane).copied().or(newest);
    sources
        .iter()
        .zip(&shapes)
        .map(|(source, shape)| match neighbours(source) {
            Some(dated) => shape.anchored(dated),
            None => shape.clone(),
        })
        .collect()
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
