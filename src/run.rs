//! The whole story: from the command line to the exit code.

mod classifying;
pub mod inputs;
mod listing;
mod suggest;

use crate::audit::finding::{Confidence, Outcome};
use crate::audit::{Filter, audit, newest};
use crate::cli::{AuditArgs, Cli, Command, FailOn, Global};
use crate::evidence::Table;
use crate::report::{self, Style};
use crate::scan::source::lanes;
use crate::settings::Settings;
use crate::{inspect, table};
use anyhow::{Context, Result};
use inputs::Inputs;
use std::io::Write;

/// Done, and nothing that was asked to fail on.
const DONE: u8 = 0;
/// `--fail-on` found something.
const FOUND: u8 = 1;
/// Done, but some input was unreadable, or there was none.
const INCOMPLETE: u8 = 3;

/// Runs a command; gives the exit code.
///
/// # Errors
/// When the job could not be done (exit code 2).
pub fn run(cli: &Cli) -> Result<u8> {
    let global = &cli.global;
    match &cli.command {
        Command::Audit(args) => run_audit(global, args),
        Command::Scan { paths, output } => {
            let inputs = Inputs::new(global, paths, false)?;
            let table = inputs.scan(global)?;
            table::write(&table, output)?;
            complain(&table);
            Ok(completeness(&table))
        }
        Command::Explain { what } => listing::explain(global, what),
        Command::Inspect { place, paths } => {
            inspect::inspect(global, &Inputs::for_place(global, paths, place)?, place)
        }
        Command::Classify(args) => classifying::classify(global, args),
        Command::Patterns { action } => listing::patterns(global, action),
        Command::Lanes { paths, full } => {
            listing::lanes(global, &Inputs::new(global, paths, false)?, *full)
        }
    }
}

fn run_audit(global: &Global, args: &AuditArgs) -> Result<u8> {
    let outputs = args
        .output
        .iter()
        .map(|o| named_output(o))
        .collect::<Result<Vec<_>>>()?;
    report::find(&args.format)?;
    let inputs = Inputs::new(global, &args.paths, !args.evidence.is_empty())?;
    let settings = &inputs.settings;
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
    let outcome = audit(&table, settings, now, &filter);
    let style = style(global, args, &inputs);
    for (name, path) in &outputs {
        report::write_to(name, path, &outcome, &style)?;
    }
    let code = exit_code(args, &table, &outcome);
    if !global.quiet
        || code != DONE
        || outcome
            .findings
            .iter()
            .any(|f| f.confidence > Confidence::Possible)
    {
        let mut out = std::io::stdout().lock();
        report::print(&args.format, &outcome, &style, &mut out)?;
        out.flush()?;
    }
    complain(&table);
    Ok(code)
}

fn named_output(text: &str) -> Result<(String, std::path::PathBuf)> {
    let (name, path) = text
        .split_once('=')
        .with_context(|| format!("--output {text}: write NAME=PATH, such as json=run.json"))?;
    report::find(name)?;
    Ok((name.to_string(), path.into()))
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
    }
}

fn exit_code(args: &AuditArgs, table: &Table, outcome: &Outcome) -> u8 {
    let found = outcome
        .findings
        .iter()
        .any(|f| f.confidence > Confidence::Possible);
    match args.fail_on {
        FailOn::New | FailOn::Any if found => FOUND,
        _ => completeness(table),
    }
}

fn completeness(table: &Table) -> u8 {
    if table.files.is_empty() || table.files.iter().any(|f| f.error.is_some()) {
        INCOMPLETE
    } else {
        DONE
    }
}

/// Says on standard error what could not be read.
fn complain(table: &Table) {
    for file in table.files.iter().filter(|f| f.error.is_some()) {
        anstream::eprintln!(
            "misnomer: {}: {}",
            file.file,
            file.error.as_deref().unwrap_or_default()
        );
    }
    if table.files.is_empty() {
        anstream::eprintln!(
            "misnomer: no log was found at the paths given; `misnomer lanes PATH` shows what is passed over and why"
        );
    }
}
