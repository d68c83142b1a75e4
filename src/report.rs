//! Reports: an outcome rendered in one of several formats. Each file below is one format.

pub mod csv;
mod frames;
pub mod gate;
pub mod github;
pub mod gitlab;
pub mod html;
pub mod json;
pub mod jsonl;
pub mod junit;
pub mod markdown;
pub mod parquet;
pub mod prometheus;
pub mod sarif;
pub mod table;
pub mod words;

use crate::audit::finding::{Confidence, Outcome, Severity};
use crate::table::whole;
use anyhow::{Result, anyhow};
use std::io::{self, Write};
use std::path::Path;

/// How to show an outcome. Only the table heeds it: stored formats hold everything, in UTC.
#[derive(Clone, Debug)]
pub struct Style {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether to colour; nothing depends on it.
    pub color: bool,
    /// Whether to show every row.
    pub all: bool,
    /// Less sure verdicts and findings are counted, not shown.
    pub min_confidence: Confidence,
    /// Findings that matter less are counted, not shown.
    pub min_severity: Severity,
    /// The zone in which instants are shown.
    pub zone: jiff::tz::TimeZone,
    /// What was audited: the paths as given.
    pub title: String,
    /// The paths that were typed, which the commands to type next need too.
    pub paths: Vec<String>,
    /// Whether a gate fails on any finding, known or not.
    pub any: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            width: 100,
            color: false,
            all: false,
            min_confidence: Confidence::Likely,
            min_severity: Severity::Note,
            zone: jiff::tz::TimeZone::UTC,
            title: String::new(),
            paths: Vec::new(),
            any: false,
        }
    }
}

/// Renders to a stream.
pub type Render = fn(&Outcome, &Style, &mut dyn Write) -> io::Result<()>;

/// Renders one named file of a directory.
pub type RenderFile = fn(&Outcome, &str, &mut dyn Write) -> Result<()>;

/// A report that is a directory of files.
#[derive(Clone, Copy, Debug)]
pub struct Directory {
    /// The names of the files.
    pub files: &'static [&'static str],
    /// Renders one of them.
    pub write: RenderFile,
}

/// One format.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// The permanent name, as in `--format` and `--output`.
    pub name: &'static str,
    /// One line for the help.
    pub help: &'static str,
    /// The form for a stream; none if it is only a directory.
    pub write: Option<Render>,
    /// The form for `--output NAME=PATH` where that is a directory; none if `PATH` is a file.
    pub directory: Option<Directory>,
}

/// Every format, in the order of the help.
pub const ALL: &[Report] = &[
    table::REPORT,
    gate::REPORT,
    json::REPORT,
    jsonl::REPORT,
    csv::REPORT,
    parquet::REPORT,
    markdown::REPORT,
    html::REPORT,
    sarif::REPORT,
    junit::REPORT,
    github::REPORT,
    gitlab::REPORT,
    prometheus::REPORT,
];

/// The format of a name.
///
/// # Errors
/// When there is none; the error lists them and, where one is near, suggests it.
pub fn find(name: &str) -> Result<&'static Report> {
    ALL.iter().find(|r| r.name == name).ok_or_else(|| {
        let near = ALL
            .iter()
            .map(|r| (strsim::damerau_levenshtein(r.name, name), r.name))
            .filter(|(distance, _)| *distance <= 2)
            .min()
            .map_or(".".to_owned(), |(_, n)| format!("; did you mean `{n}`?"));
        let names: Vec<&str> = ALL.iter().map(|r| r.name).collect();
        anyhow!(
            "no format is called `{name}`{near} Formats: {}",
            names.join(", ")
        )
    })
}

/// Renders a format to a stream. A reader that has closed the pipe has seen enough: that is success.
///
/// # Errors
/// When there is no such format, when it is only a directory, or when the stream cannot be written.
pub fn print(name: &str, outcome: &Outcome, style: &Style, to: &mut dyn Write) -> Result<()> {
    let report = find(name)?;
    let Some(render) = report.write else {
        return Err(anyhow!(
            "{name} is a directory: use --output {name}=DIR instead of --format {name}"
        ));
    };
    match render(outcome, style, to).and_then(|()| to.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Renders a format to a file or directory, which appears whole or not at all.
///
/// # Errors
/// When there is no such format or the path cannot be written; it names the path.
pub fn write_to(name: &str, path: &Path, outcome: &Outcome, style: &Style) -> Result<()> {
    let report = find(name)?;
    if let Some(directory) = report.directory {
        return whole::directory(path, directory.files, |file, to| {
            (directory.write)(outcome, file, to)
        });
    }
    let Some(render) = report.write else {
        return Ok(());
    };
    whole::file(path, |to| Ok(render(outcome, style, to)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_is_listed_once_and_has_a_form() {
        let names: std::collections::BTreeSet<_> = ALL.iter().map(|r| r.name).collect();
        assert_eq!(names.len(), ALL.len());
        for report in ALL {
            assert!(report.write.is_some() || report.directory.is_some());
            assert!(!report.help.is_empty());
        }
    }

    #[test]
    fn a_misspelt_format_is_answered_with_a_near_one() {
        let error = find("jsn").map(|r| r.name).map_err(|e| e.to_string());
        assert_eq!(
            error,
            Err("no format is called `jsn`; did you mean `json`? Formats: table, gate, json, jsonl, csv, parquet, markdown, html, sarif, junit, github, gitlab, prometheus".into())
        );
    }
}
