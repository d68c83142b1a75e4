//! The whole story: from the command line to the exit code.

mod auditing;
mod classifying;
mod explaining;
mod gating;
pub mod inputs;
mod listing;
mod scanning;
mod starting;
mod stored;
mod suggest;

use crate::cli::{Cli, Command};
use crate::evidence::Table;
use crate::inspect;
use anyhow::Result;
use inputs::Inputs;

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
        Command::Audit(args) => auditing::run_audit(global, args),
        Command::Gate(args) => gating::gate(global, args),
        Command::Scan {
            paths,
            output,
            known,
        } => scanning::scan(global, paths, output, known.as_deref()),
        Command::Explain { what, findings } => explaining::explain(global, what, findings),
        Command::Baseline { action, held } => gating::baseline(global, action, held),
        Command::Waive { waive, held } => gating::waive(global, waive, None, held),
        Command::Override { args, held } => gating::overriding(global, args, held),
        Command::Report {
            run,
            format,
            output,
            all,
        } => stored::report(global, run, format, output, *all),
        Command::Diff {
            earlier,
            later,
            json,
        } => stored::diff(earlier, later, *json),
        Command::Init { dir, print } => starting::init(global, dir, *print),
        Command::Completions { shell } => stored::completions(*shell),
        Command::Man => stored::man(),
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
