//! The outcome as CSV (RFC 4180, lines end in CR LF): failures to a stream, all tables to a directory.
//!
//! Spreadsheets take a cell that starts with `=`, `+`, `-`, `@`, TAB or CR for a formula, so such a cell of text gets a
//! leading `'`. Control characters of log text are shown in their escaped form, so that `cat` of a file is harmless.

use super::frames::{self, Frame};
use super::{Directory, Report, Style, words};
use crate::audit::finding::Outcome;
use anyhow::{Result, anyhow};
use polars::prelude::{CsvWriter, SerWriter};
use std::io::{self, Write};

/// The format `csv`.
pub const REPORT: Report = Report {
    name: "csv",
    help: "failures as CSV; as --output csv=DIR also findings, lanes and evidence",
    write: Some(write),
    directory: Some(Directory {
        files: &["failures.csv", "findings.csv", "lanes.csv", "evidence.csv"],
        write: write_file,
    }),
};

fn write(outcome: &Outcome, _: &Style, to: &mut dyn Write) -> io::Result<()> {
    to.write_all(&encode(&frames::failures(outcome)).map_err(io::Error::other)?)
}

fn write_file(outcome: &Outcome, file: &str, to: &mut dyn Write) -> Result<()> {
    let frame =
        frames::by_name(outcome, file).ok_or_else(|| anyhow!("no table is called {file}"))?;
    Ok(to.write_all(&encode(&frame)?)?)
}

fn encode(frame: &Frame) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    CsvWriter::new(&mut out)
        .include_header(true)
        .with_line_terminator("\r\n".into())
        .n_threads(1)
        .finish(&mut frame.polars(guarded)?)?;
    Ok(out)
}

/// A cell that no spreadsheet executes and no terminal obeys.
fn guarded(text: String) -> String {
    let shown = words::visible_lines(&text);
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        return format!("'{shown}");
    }
    shown
}
