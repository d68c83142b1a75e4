//! The findings as annotations of GitHub Actions: workflow commands, at most ten a level, for a step shows no more.

use super::{Report, Style, gate, words};
use crate::audit::finding::{Finding, Outcome, Severity};
use std::io::{self, Write};

/// The format `github`.
pub const REPORT: Report = Report {
    name: "github",
    help: "findings as annotations of GitHub Actions",
    write: Some(write),
    directory: None,
};

/// The annotations of one level that a step shows.
const MOST: usize = 10;

const LEVELS: [&str; 3] = ["error", "warning", "notice"];

fn write(outcome: &Outcome, style: &Style, to: &mut dyn Write) -> io::Result<()> {
    for level in LEVELS {
        let of_level: Vec<&Finding> = outcome
            .findings
            .iter()
            .filter(|f| self::level(f, style) == level)
            .collect();
        // The last of ten says how many there are besides.
        let shown = match of_level.len() {
            n if n > MOST => MOST - 1,
            n => n,
        };
        for finding in of_level.iter().take(shown) {
            annotation(level, finding, to)?;
        }
        if of_level.len() > shown {
            writeln!(
                to,
                "::{level} title=misnomer::{} more findings are not shown here; the JSON report has all",
                of_level.len() - shown
            )?;
        }
    }
    for file in &outcome.input.unreadable {
        writeln!(to, "not read: {}: {}", plain(&file.path), plain(&file.why))?;
    }
    Ok(())
}

fn level(f: &Finding, style: &Style) -> &'static str {
    match (gate::fails(f, style), f.severity) {
        (true, Severity::Error) => "error",
        (true, Severity::Warning) => "warning",
        _ => "notice",
    }
}

fn annotation(level: &str, f: &Finding, to: &mut dyn Write) -> io::Result<()> {
    let mut properties = Vec::new();
    if let Some(place) = f.places.first() {
        properties.push(format!("file={}", property(&place.file)));
        properties.push(format!("line={}", place.line));
        if place.end_line > place.line {
            properties.push(format!("endLine={}", place.end_line));
        }
    }
    properties.push(format!(
        "title={}",
        property(&format!("{} {} ({}, {})", f.code, f.rule, f.lane, f.state))
    ));
    writeln!(
        to,
        "::{level} {}::{} [{}]",
        properties.join(","),
        data(&f.message),
        data(&f.fingerprint)
    )
}

/// The text of a command: a line end or a percent sign would end it or be decoded.
fn data(text: &str) -> String {
    words::visible(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A property of a command: colons and commas part them.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Text on a line of its own, in which no command begins (`::` or the older `##[`).
fn plain(text: &str) -> String {
    words::visible(text)
        .replace("::", ":\u{200b}:")
        .replace("##[", "#\u{200b}#[")
}
