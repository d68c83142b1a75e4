//! The tables of the CSV report as Parquet files.

use super::frames::{self, Frame};
use super::{Directory, Report};
use crate::audit::finding::Outcome;
use crate::table::write_frame;
use anyhow::{Result, anyhow};
use std::io::Write;

/// The format `parquet`.
pub const REPORT: Report = Report {
    name: "parquet",
    help: "a directory of Parquet tables: failures, findings, lanes, evidence",
    write: None,
    directory: Some(Directory {
        files: &[
            "failures.parquet",
            "findings.parquet",
            "lanes.parquet",
            "evidence.parquet",
        ],
        write,
    }),
};

fn write(outcome: &Outcome, file: &str, to: &mut dyn Write) -> Result<()> {
    let frame: Frame =
        frames::by_name(outcome, file).ok_or_else(|| anyhow!("no table is called {file}"))?;
    write_frame(&mut frame.polars(|text| text)?, to)
}
