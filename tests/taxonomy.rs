//! Known failures as data: every line of `tests/taxonomy` is a lane of its own, and all lanes of a table are one run.
//!
//! Cells are separated by tabs; `\n`, `\t` and `\\` stand for a newline, a tab and a backslash. A cause with `?` may be
//! `possible`, any other must be `likely` or `certain`; `unknown` means that nothing may be claimed.

mod common;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// The rows of a table under its heading.
fn rows(text: &str, columns: usize) -> Result<Vec<Vec<String>>> {
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate().skip(1) {
        let row: Vec<String> = line.split('\t').map(plain).collect();
        ensure!(
            row.len() == columns,
            "line {}: {} cells instead of {columns}",
            index + 1,
            row.len()
        );
        rows.push(row);
    }
    ensure!(!rows.is_empty(), "an empty table");
    Ok(rows)
}

/// A cell without its escapes.
fn plain(cell: &str) -> String {
    let mut out = String::new();
    let mut chars = cell.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
            _ => out.push(c),
        }
    }
    out
}

/// An ordinary line in the form of the line that follows it.
fn ordinary(text: &str) -> &'static str {
    if text.starts_with('{') {
        "{\"time\":\"2026-03-01T02:09:58Z\",\"level\":\"info\",\"msg\":\"starting\"}"
    } else if text.starts_with("20") {
        "2026-03-01T02:09:58Z INFO starting"
    } else {
        "starting"
    }
}

/// The failures of each text, which stands in a lane of its own.
fn audited<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Vec<Vec<Value>>> {
    let dir = tempfile::tempdir()?;
    let mut count = 0;
    for text in texts {
        let lane = dir.path().join(format!("l{count:04}"));
        fs::create_dir(&lane)?;
        fs::write(lane.join("x.log"), format!("{}\n{text}\n", ordinary(text)))?;
        count += 1;
    }
    let ran = common::misnomer(&["audit", ".", "--format", "json"], dir.path())?;
    ensure!(ran.code == Some(0), "{:?} {}", ran.code, ran.err);
    let report: Value = serde_json::from_str(&ran.out)?;
    let mut lanes: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for failure in report["failures"].as_array().context("failures")? {
        let lane = failure["lane"].as_str().context("a lane")?;
        lanes
            .entry(lane.to_string())
            .or_default()
            .push(failure.clone());
    }
    Ok((0..count)
        .map(|n| lanes.remove(&format!("l{n:04}")).unwrap_or_default())
        .collect())
}

/// What is wrong with the failures of a lane, in words.
fn fault(failures: &[Value], cause: &str, waiting: &str) -> Option<String> {
    let (cause, possible) = match cause.strip_suffix('?') {
        Some(cause) => (cause, true),
        None => (cause, false),
    };
    let sure = |f: &&Value| f["confidence"] != "possible";
    let said: Vec<String> = failures
        .iter()
        .map(|f| format!("{} {} {}", f["cause"], f["confidence"], f["waiting"]))
        .collect();
    let wrong = failures
        .iter()
        .filter(sure)
        .any(|f| f["cause"] != cause && f["cause"] != "unknown");
    let right = failures.iter().find(|f| {
        f["cause"] == cause
            && (possible || f["confidence"] != "possible")
            && (waiting.is_empty() || f["waiting"] == waiting)
    });
    if !wrong && (cause == "unknown" || right.is_some()) {
        return None;
    }
    Some(format!("{} instead of {cause} {waiting}", said.join(", ")))
}

/// Classifies every text and compares.
fn compare(cases: &[(&str, &str, &str)]) -> Result<()> {
    let found = audited(cases.iter().map(|(text, _, _)| *text))?;
    let faults: Vec<String> = cases
        .iter()
        .zip(&found)
        .filter_map(|((text, cause, waiting), failures)| {
            fault(failures, cause, waiting).map(|what| format!("{what}: {text}"))
        })
        .collect();
    ensure!(
        faults.is_empty(),
        "{} of {}\n{}",
        faults.len(),
        cases.len(),
        faults.join("\n")
    );
    Ok(())
}

#[test]
fn every_checked_row_of_the_taxonomy_is_told() -> Result<()> {
    let rows = rows(include_str!("taxonomy/rows.tsv"), 5)?;
    let cases: Vec<(&str, &str, &str)> = rows
        .iter()
        .map(|r| (r[1].as_str(), r[2].as_str(), r[3].as_str()))
        .collect();
    compare(&cases)
}

#[test]
fn each_trap_is_told_in_its_misleading_and_its_deciding_form() -> Result<()> {
    let rows = rows(include_str!("taxonomy/traps.tsv"), 5)?;
    for trap in 1..=30 {
        for form in ["misleading", "deciding"] {
            ensure!(
                rows.iter()
                    .any(|r| r[0] == trap.to_string() && r[1] == form),
                "trap {trap} has no {form} form"
            );
        }
    }
    let cases: Vec<(&str, &str, &str)> = rows
        .iter()
        .map(|r| (r[2].as_str(), r[3].as_str(), r[4].as_str()))
        .collect();
    compare(&cases)
}

#[test]
fn every_announced_reset_gives_one_instant() -> Result<()> {
    let rows = rows(include_str!("taxonomy/resets.tsv"), 3)?;
    let found = audited(rows.iter().map(|r| r[1].as_str()))?;
    let mut faults = Vec::new();
    for (row, failures) in rows.iter().zip(&found) {
        let mut instants: Vec<&str> = failures
            .iter()
            .filter_map(|f| f["reset_at"].as_str())
            .collect();
        instants.dedup();
        // What is past, too far away or not said is not obeyed.
        let right = if row[2].starts_with("20") {
            instants == [row[2].as_str()]
        } else {
            !failures.is_empty() && instants.is_empty()
        };
        if !right {
            faults.push(format!("{}: {instants:?} instead of {}", row[0], row[2]));
        }
    }
    ensure!(
        faults.is_empty(),
        "{} of {}\n{}",
        faults.len(),
        rows.len(),
        faults.join("\n")
    );
    Ok(())
}
