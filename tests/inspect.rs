//! What `inspect` shows of a record is what the audit has of it.

use anyhow::{Result, ensure};
use clap::Parser;
use misnomer::cli::Cli;
use misnomer::evidence::Evidence;
use misnomer::inspect::Inspector;
use misnomer::run::inputs::Inputs;
use std::collections::BTreeSet;

/// How many records are inspected.
const RECORDS: usize = 200;

/// A row as it was before what was folded into it was counted.
fn alone(row: &Evidence) -> Evidence {
    Evidence {
        repeat: 1,
        ..row.clone()
    }
}

#[test]
fn inspect_and_audit_agree_on_every_record() -> Result<()> {
    let cli = Cli::try_parse_from(["misnomer", "audit", "--progress", "never"])?;
    let samples = format!("{}/samples", env!("CARGO_MANIFEST_DIR"));
    let inputs = Inputs::new(&cli.global, &[samples], false)?;
    let inspector = Inspector::new(&cli.global, &inputs)?;
    let places: Vec<(&str, i64)> = inspector
        .table
        .rows
        .iter()
        .map(|r| (r.file.as_ref(), r.record_line))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    ensure!(places.len() > RECORDS, "only {} records", places.len());
    let capped: BTreeSet<&str> = inspector
        .table
        .capped
        .iter()
        .map(|c| c.place.as_str())
        .collect();
    let mut named = 0;
    for (file, line) in places.iter().step_by(places.len() / RECORDS) {
        let Some(step) = inspector.at(file, *line) else {
            anyhow::bail!("{file} has no line {line}");
        };
        let held: Vec<Evidence> = inspector
            .table
            .rows
            .iter()
            .filter(|r| *r.file == **file && r.record_line == *line)
            .map(alone)
            .collect();
        let by_place = |row: &Evidence| matches!(&*row.pattern, "name.run-end" | "name.after");
        for row in held.iter().filter(|r| !by_place(r)) {
            ensure!(
                step.rows.contains(row) || step.asked.contains(row),
                "{file}:{line}: the audit has {row:?}, inspect {:?}",
                step.asked
            );
        }
        for row in &step.rows {
            let label = if row.name.is_empty() {
                row.pattern.as_ref()
            } else {
                &row.name
            };
            ensure!(
                held.contains(row) || capped.contains(format!("{}: {label}", row.lane).as_str()),
                "{file}:{line}: inspect has {row:?}, the audit {held:?}"
            );
        }
        let text = inspector.verdicts(file, *line);
        for failure in &inspector.outcome.failures {
            let here = |place: &str, from: i64, to: i64| {
                place == *file && from <= *line && *line <= to.max(from)
            };
            let named_here = failure
                .places
                .iter()
                .any(|p| here(&p.file, p.line, p.end_line));
            let proved_here = failure
                .evidence
                .iter()
                .any(|p| here(&p.file, p.line, p.end_line));
            let standing = format!("{:?}, {}", failure.standing, failure.cause).to_lowercase();
            if named_here || proved_here {
                ensure!(text.contains(&standing), "{file}:{line}: {text}");
                named += 1;
            }
        }
    }
    ensure!(named > 20, "only {named} verdicts were compared");
    Ok(())
}
