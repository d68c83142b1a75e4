//! The outcome as JSON: every field, every confidence.

use super::{Report, Style};
use crate::audit::finding::Outcome;
use std::io::{self, Write};

/// The format `json`.
pub const REPORT: Report = Report {
    name: "json",
    help: "everything, as one JSON document",
    write: Some(write),
    directory: None,
};

fn write(outcome: &Outcome, _: &Style, to: &mut dyn Write) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(outcome)?;
    text.push(b'\n');
    to.write_all(&text)
}
