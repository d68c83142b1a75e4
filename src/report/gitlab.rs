//! The findings as a code quality report of GitLab: a JSON array in the form of Code Climate's issues.

use super::{Report, Style, gate, words};
use crate::audit::finding::{Finding, Outcome, Severity};
use serde_json::{Value, json};
use std::io::{self, Write};

/// The format `gitlab`.
pub const REPORT: Report = Report {
    name: "gitlab",
    help: "findings as a code quality report of GitLab",
    write: Some(write),
    directory: None,
};

fn write(outcome: &Outcome, style: &Style, to: &mut dyn Write) -> io::Result<()> {
    let all: Vec<Value> = outcome.findings.iter().map(|f| issue(f, style)).collect();
    let mut text = serde_json::to_vec_pretty(&all)?;
    text.push(b'\n');
    to.write_all(&text)
}

fn issue(f: &Finding, style: &Style) -> Value {
    let severity = match (gate::fails(f, style), f.severity) {
        (false, _) => "info",
        (true, Severity::Note) => "minor",
        (true, Severity::Warning) => "major",
        (true, Severity::Error) => "critical",
    };
    let place = f.places.first();
    let path = place.map_or(f.lane.as_str(), |p| &p.file);
    json!({
        "description": words::visible(&format!("{} [{}]: {}", f.code, f.state, f.message)),
        "check_name": f.rule,
        "fingerprint": f.fingerprint,
        "severity": severity,
        "location": { "path": words::visible(path), "lines": { "begin": place.map_or(1, |p| p.line.max(1)) } },
    })
}
