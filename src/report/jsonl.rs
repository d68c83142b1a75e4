//! The outcome as one JSON object a line: the run, its lanes, its failures, its findings. Each says what it is in `type`.

use super::{Report, Style};
use crate::audit::finding::Outcome;
use serde::Serialize;
use std::io::{self, Write};

/// The format `jsonl`.
pub const REPORT: Report = Report {
    name: "jsonl",
    help: "everything, as one JSON object a line",
    write: Some(write),
    directory: None,
};

#[derive(Serialize)]
struct Typed<'a, T> {
    r#type: &'a str,
    #[serde(flatten)]
    item: T,
}

fn write(outcome: &Outcome, _: &Style, to: &mut dyn Write) -> io::Result<()> {
    let head = Outcome {
        lanes: Vec::new(),
        failures: Vec::new(),
        findings: Vec::new(),
        ..outcome.clone()
    };
    let mut head = serde_json::to_value(&head)?;
    if let Some(fields) = head.as_object_mut() {
        fields.retain(|key, _| !matches!(key.as_str(), "lanes" | "failures" | "findings"));
    }
    line("run", head, to)?;
    outcome.lanes.iter().try_for_each(|l| line("lane", l, to))?;
    outcome
        .failures
        .iter()
        .try_for_each(|f| line("failure", f, to))?;
    outcome
        .findings
        .iter()
        .try_for_each(|f| line("finding", f, to))
}

fn line(r#type: &str, item: impl Serialize, to: &mut dyn Write) -> io::Result<()> {
    let mut text = serde_json::to_vec(&Typed { r#type, item })?;
    text.push(b'\n');
    to.write_all(&text)
}
