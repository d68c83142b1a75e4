//! Earlier runs: the JSON reports that a nightly job leaves in a directory.

use crate::audit::finding::Outcome;
use crate::audit::ruling::Since;
use anyhow::{Context, Result};
use jiff::Timestamp;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// After so many days without a finding its entry in the baseline may be stale.
pub const DAYS: i64 = 30;
/// And after so many complete runs.
pub const RUNS: usize = 10;

/// What matters of an earlier run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its now.
    pub now: Timestamp,
    /// Whether it read everything and left out nothing.
    pub complete: bool,
    /// Fingerprint to count; 1 where the rule does not count.
    pub findings: BTreeMap<String, i64>,
    /// Lane to number of lines.
    pub lanes: BTreeMap<String, i64>,
}

/// The part of a report that is read; the rest of it may be of any later version.
#[derive(Deserialize)]
struct Written {
    schema: String,
    now: Option<String>,
    #[serde(default)]
    narrowed: bool,
    input: WrittenInput,
    #[serde(default)]
    lanes: Vec<WrittenLane>,
    findings: Vec<WrittenFinding>,
}

#[derive(Deserialize)]
struct WrittenInput {
    files: i64,
    #[serde(default)]
    unreadable: Vec<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct WrittenLane {
    lane: String,
    lines: i64,
}

#[derive(Deserialize)]
struct WrittenFinding {
    fingerprint: String,
    #[serde(default)]
    facts: BTreeMap<String, String>,
}

impl Run {
    /// What matters of an outcome.
    pub fn of(outcome: &Outcome) -> Option<Run> {
        Some(Run {
            now: outcome.now.as_deref()?.parse().ok()?,
            complete: outcome.complete() && !outcome.narrowed,
            findings: outcome
                .findings
                .iter()
                .map(|f| (f.fingerprint.clone(), f.count().unwrap_or(1)))
                .collect(),
            lanes: outcome
                .lanes
                .iter()
                .map(|l| (l.lane.clone(), l.lines))
                .collect(),
        })
    }
}

/// Reads the runs of a directory, the oldest first. Of files that are no JSON reports nothing is read; runs without a
/// now cannot be placed and are left out. A directory that does not exist yet has none.
///
/// # Errors
/// When the directory or a file cannot be read, or a `*.json` file is broken; it names the file.
pub fn read(dir: &Path) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    if !dir.exists() {
        return Ok(runs);
    }
    let shown = || format!("cannot read the history {}", dir.display());
    for entry in std::fs::read_dir(dir).with_context(shown)? {
        let path = entry.with_context(shown)?.path();
        if path.extension().is_none_or(|e| e != "json") || !path.is_file() {
            continue;
        }
        let fault = || format!("{} is no report of a run", path.display());
        let bytes = std::fs::read(&path).with_context(fault)?;
        let value: serde_json::Value = serde_json::from_slice(&bytes).with_context(fault)?;
        let ours = value
            .get("schema")
            .and_then(|s| s.as_str())
            .is_some_and(|s| s.starts_with("misnomer/"));
        if ours {
            let written: Written = serde_json::from_value(value).with_context(fault)?;
            runs.extend(run(written));
        }
    }
    runs.sort_by(|a, b| (a.now, &a.findings).cmp(&(b.now, &b.findings)));
    Ok(runs)
}

fn run(written: Written) -> Option<Run> {
    if written.schema != "misnomer/1" {
        return None;
    }
    Some(Run {
        now: written.now?.parse().ok()?,
        complete: written.input.files > 0
            && written.input.unreadable.is_empty()
            && !written.narrowed,
        findings: written
            .findings
            .into_iter()
            .map(|f| {
                let count = f.facts.get("count").and_then(|n| n.parse().ok());
                (f.fingerprint, count.unwrap_or(1))
            })
            .collect(),
        lanes: written
            .lanes
            .into_iter()
            .map(|l| (l.lane, l.lines))
            .collect(),
    })
}

/// The runs before `now`. A report of this same run may lie in the directory already; it is no earlier one.
pub fn before(runs: &[Run], now: Option<Timestamp>) -> &[Run] {
    let Some(now) = now else { return runs };
    let end = runs.partition_point(|r| r.now < now);
    runs.get(..end).unwrap_or_default()
}

/// This run beside the last complete one before it.
pub fn since(runs: &[Run], this: &Run) -> Option<Since> {
    let last = runs.iter().rev().find(|r| r.complete)?;
    let mut since = Since {
        run: last.now.to_string(),
        ..Since::default()
    };
    for (fp, count) in &this.findings {
        match last.findings.get(fp) {
            None => since.new.push(fp.clone()),
            Some(before) if count > before => since.worse.push(fp.clone()),
            Some(_) => {}
        }
    }
    if this.complete {
        let gone = last
            .findings
            .keys()
            .filter(|f| !this.findings.contains_key(*f));
        since.gone = gone.cloned().collect();
    }
    Some(since)
}

/// Lanes of the last complete run that have no line in this one.
pub fn silent(runs: &[Run], this: &Run) -> Vec<String> {
    let Some(last) = runs.iter().rev().find(|r| r.complete) else {
        return Vec::new();
    };
    let mute = |lane: &String| this.lanes.get(lane).is_none_or(|n| *n == 0);
    let had = last
        .lanes
        .iter()
        .filter(|(_, n)| **n > 0)
        .map(|(lane, _)| lane);
    had.filter(|lane| mute(lane)).cloned().collect()
}

/// When a finding was seen last, and whether 30 days and 10 complete runs have passed without it. `added` is when it
/// became known: where no run saw it, the time counts from there.
pub fn absence(
    runs: &[Run],
    fp: &str,
    added: Timestamp,
    now: Timestamp,
) -> (Option<Timestamp>, bool) {
    let seen = runs.iter().rposition(|r| r.findings.contains_key(fp));
    let last = seen.and_then(|at| runs.get(at)).map(|r| r.now);
    let later = runs.get(seen.map_or(0, |at| at + 1)..).unwrap_or_default();
    let without = later
        .iter()
        .filter(|r| r.complete && r.now >= added)
        .count();
    let days = now.duration_since(last.unwrap_or(added)).as_hours() / 24;
    (last, without >= RUNS && days >= DAYS)
}
