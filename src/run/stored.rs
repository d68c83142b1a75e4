//! Commands over what was stored: `report`, `diff`; and what the command line says of itself: completions, man page.

use super::{DONE, INCOMPLETE, auditing, inputs};
use crate::audit::finding::Outcome;
use crate::audit::identity::short;
use crate::cli::{Cli, Global};
use crate::gate::diff;
use crate::report::{self, Style, words};
use anyhow::{Context, Result, bail};
use clap::CommandFactory;
use std::io::Write;
use std::path::Path;

/// Reads a stored run.
///
/// # Errors
/// When the file cannot be read, or is no JSON report of a version that is known; it names the file.
pub fn load(path: &Path) -> Result<Outcome> {
    let shown = path.display();
    let bytes = std::fs::read(path).with_context(|| {
        format!("cannot read {shown}; `misnomer audit --output json={shown}` writes a run")
    })?;
    let outcome: Outcome = serde_json::from_slice(&bytes)
        .with_context(|| format!("{shown} is no JSON report of a run"))?;
    if outcome.schema != "misnomer/1" {
        bail!(
            "{shown} is of the schema {}, and this program reads misnomer/1",
            words::visible(&outcome.schema)
        );
    }
    Ok(outcome)
}

/// `misnomer report`.
///
/// # Errors
/// When the run cannot be read or an output not be written.
pub fn report(
    global: &Global,
    run: &Path,
    format: &str,
    output: &[String],
    all: bool,
) -> Result<u8> {
    report::find(format)?;
    let outputs = auditing::outputs(output)?;
    let outcome = load(run)?;
    let settings = inputs::settings(global, &[])?;
    let style = Style {
        width: inputs::width(),
        color: inputs::color(global),
        all,
        zone: settings.timezone.clone(),
        title: run.display().to_string(),
        ..Style::default()
    };
    for (name, path) in &outputs {
        report::write_to(name, &auditing::dated(path, &outcome), &outcome, &style)?;
    }
    if !global.quiet {
        let mut out = std::io::stdout().lock();
        report::print(format, &outcome, &style, &mut out)?;
    }
    Ok(match outcome.complete() {
        true => DONE,
        false => INCOMPLETE,
    })
}

/// `misnomer diff`.
///
/// # Errors
/// When a run cannot be read.
pub fn diff(earlier: &Path, later: &Path, json: bool) -> Result<u8> {
    let changes = diff::diff(&load(earlier)?, &load(later)?);
    let mut out = std::io::stdout().lock();
    for change in &changes {
        if json {
            writeln!(out, "{}", serde_json::to_string(change)?)?;
            continue;
        }
        writeln!(
            out,
            "{:<8}  {}  {} in {}: {}",
            change.state,
            words::visible(short(&change.fingerprint)),
            words::visible(&change.rule),
            words::visible(&change.lane),
            words::visible(&change.what)
        )?;
    }
    if changes.is_empty() && !json {
        writeln!(out, "no difference")?;
    }
    Ok(DONE)
}

/// `misnomer completions`.
///
/// # Errors
/// When standard output cannot be written.
pub fn completions(shell: clap_complete::Shell) -> Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "misnomer", &mut text);
    std::io::stdout().lock().write_all(&text)?;
    Ok(DONE)
}

/// `misnomer man`.
///
/// # Errors
/// When standard output cannot be written.
pub fn man() -> Result<u8> {
    let mut text = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut text)?;
    std::io::stdout().lock().write_all(&text)?;
    Ok(DONE)
}
