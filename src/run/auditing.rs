//! `misnomer audit`, and what other commands need of an audit.

use super::inputs::{self, Inputs};
use super::{DONE, FOUND, complain, completeness, gating, listing};
use crate::audit::finding::{Confidence, Outcome};
use crate::audit::{Filter, audit, newest};
use crate::cli::{AuditArgs, FailOn, Global};
use crate::evidence::Table;
use crate::report::{self, Style};
use crate::scan::source::lanes;
use crate::settings::Settings;
use crate::table;
use anyhow::{Context, Result};
use std::io::Write;
use std::path::PathBuf;

/// An audit that was done.
pub struct Done {
    /// What came out, held against the baseline.
    pub outcome: Outcome,
    /// What was read.
    pub table: Table,
    /// How it is shown.
    pub style: Style,
}

/// Audits as asked, and writes the outputs.
///
/// # Errors
/// When the job could not be done.
pub fn done(global: &Global, args: &AuditArgs) -> Result<Done> {
    let outputs = outputs(&args.output)?;
    let inputs = Inputs::new(global, &args.paths, !args.evidence.is_empty())?;
    let settings = &inputs.settings;
    let held = gating::held(global, &args.held, settings)?;
    let mut sets = Vec::new();
    if !inputs.paths.is_empty() {
        sets.push(inputs.scan(global)?);
    }
    if !args.evidence.is_empty() {
        sets.push(table::read(&args.evidence)?);
    }
    let table = if sets.len() == 1 {
        sets.remove(0)
    } else {
        table::merge(sets)
    };
    let now = inputs::now(global, settings)?.or_else(|| newest(&table));
    let filter = filter(args, &table, settings, now)?;
    let mut outcome = audit(&table, settings, now, &filter);
    held.apply(&mut outcome);
    let style = style(global, args, &inputs);
    for (name, path) in &outputs {
        report::write_to(name, &dated(path, &outcome), &outcome, &style)?;
    }
    Ok(Done {
        outcome,
        table,
        style,
    })
}

/// `misnomer audit`.
///
/// # Errors
/// When the job could not be done.
pub fn run_audit(global: &Global, args: &AuditArgs) -> Result<u8> {
    let format = args.format.as_deref().unwrap_or("table");
    report::find(format)?;
    let done = done(global, args)?;
    let found = failing(&done.outcome, args.fail_on.unwrap_or(FailOn::Never));
    let code = if found {
        FOUND
    } else {
        completeness(&done.table)
    };
    let fresh = done.outcome.findings.iter().any(|f| f.fails());
    let silent = done
        .outcome
        .gate
        .as_ref()
        .is_some_and(|g| !g.silent.is_empty());
    if !global.quiet || code != DONE || fresh || silent {
        let mut out = std::io::stdout().lock();
        report::print(format, &done.outcome, &done.style, &mut out)?;
        out.flush()?;
    }
    complain(&done.table);
    Ok(code)
}

/// Whether an outcome holds what was asked to fail on.
pub fn failing(outcome: &Outcome, on: FailOn) -> bool {
    outcome.findings.iter().any(|f| match on {
        FailOn::New => f.fails(),
        FailOn::Any => f.confidence > Confidence::Possible,
        FailOn::Never => false,
    })
}

/// The `NAME=PATH` of `--output`, taken apart.
///
/// # Errors
/// When one has no `=` or names no format.
pub fn outputs(given: &[String]) -> Result<Vec<(String, PathBuf)>> {
    given
        .iter()
        .map(|text| {
            let (name, path) = text.split_once('=').with_context(|| {
                format!("--output {text}: write NAME=PATH, such as json=run.json")
            })?;
            report::find(name)?;
            Ok((name.to_string(), path.into()))
        })
        .collect()
}

/// A path with `{date}` replaced by the day of now (UTC).
pub fn dated(path: &std::path::Path, outcome: &Outcome) -> PathBuf {
    dated_by(path, outcome.now.as_deref())
}

/// The same by an instant (RFC 3339).
pub fn dated_by(path: &std::path::Path, now: Option<&str>) -> PathBuf {
    let day = now.and_then(|n| n.get(..10));
    match path.to_str() {
        Some(text) => text.replace("{date}", day.unwrap_or("undated")).into(),
        None => path.to_path_buf(),
    }
}

fn filter(
    args: &AuditArgs,
    table: &Table,
    settings: &Settings,
    now: Option<i64>,
) -> Result<Filter> {
    let instant = |text: &Option<String>| {
        text.as_deref()
            .map(|t| inputs::instant(t, &settings.timezone))
            .transpose()
    };
    let known: Vec<&str> = table
        .files
        .iter()
        .map(|f| f.lane.as_str())
        .chain(table.rows.iter().map(|r| r.lane.as_ref()))
        .collect();
    let lanes = if args.lane.is_empty() {
        None
    } else {
        Some(lanes::select(&args.lane, &known)?)
    };
    let since = match &args.last {
        Some(span) => {
            let seconds = crate::settings::duration(span)
                .map_err(|why| anyhow::anyhow!("--last {span}: {why}"))?;
            now.map(|n| n - seconds * 1_000_000_000)
        }
        None => instant(&args.since)?,
    };
    for rule in args.rule.iter().chain(&args.skip_rule) {
        listing::known_rule(rule)?;
    }
    Ok(Filter {
        lanes,
        since,
        until: instant(&args.until)?,
        rules: args.rule.clone(),
        skip_rules: args.skip_rule.clone(),
    })
}

fn style(global: &Global, args: &AuditArgs, inputs: &Inputs) -> Style {
    let title = match inputs.paths.is_empty() {
        true => "evidence".to_string(),
        false => inputs.paths.join(" "),
    };
    let zone = inputs.settings.timezone.clone();
    Style {
        width: inputs::width(),
        color: inputs::color(global),
        all: args.all,
        min_confidence: args.min_confidence,
        min_severity: args.min_severity,
        zone,
        title,
        paths: args.paths.clone(),
        any: args.fail_on == Some(FailOn::Any),
    }
}
