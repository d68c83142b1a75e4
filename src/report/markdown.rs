//! The answer as Markdown, short enough for a comment on a pull request or a step summary.

use super::frames::word;
use super::{Report, Style, gate, words};
use crate::audit::finding::{Failure, Finding, Outcome, Standing};
use crate::audit::identity::short;
use std::io::{self, Write};

/// The format `markdown`.
pub const REPORT: Report = Report {
    name: "markdown",
    help: "the answer as Markdown, for a comment or a step summary",
    write: Some(write),
    directory: None,
};

/// The most bytes: GitHub takes comments of 65,536 characters, and step summaries of 1 MiB.
const MOST: usize = 60_000;

/// By this line a later run finds the comment that it replaces.
const MARK: &str = "<!-- misnomer -->\n";

fn write(outcome: &Outcome, style: &Style, to: &mut dyn Write) -> io::Result<()> {
    let mut text = Text {
        out: MARK.to_owned(),
        cut: 0,
    };
    let s = &outcome.summary;
    text.out.push_str(&format!(
        "### misnomer: {}\n\n{} under a wrong name, {} under a name that says nothing, {} named right, {} not judged.\n",
        words::count(s.failures, "failure", "failures"),
        words::number(s.misnamed),
        words::number(s.opaque),
        words::number(s.accurate),
        words::number(s.unsupported),
    ));
    if !outcome.complete() {
        text.out
            .push_str("\n**Part of the input could not be read.**\n");
    }
    let failing: Vec<&Finding> = outcome
        .findings
        .iter()
        .filter(|f| gate::fails(f, style))
        .collect();
    let rest: Vec<&Finding> = outcome
        .findings
        .iter()
        .filter(|f| !gate::fails(f, style))
        .collect();
    findings(&mut text, "Findings that are new or lapsed", &failing);
    findings(&mut text, "Known, waived, or only possible", &rest);
    failures(&mut text, outcome);
    if text.cut > 0 {
        text.out.push_str(&format!(
            "\n{} more rows are left out here; the JSON report has all.\n",
            text.cut
        ));
    }
    to.write_all(text.out.as_bytes())
}

struct Text {
    out: String,
    cut: usize,
}

impl Text {
    fn row(&mut self, row: &str) {
        if self.out.len() + row.len() > MOST {
            self.cut += 1;
        } else {
            self.out.push_str(row);
        }
    }
}

fn findings(text: &mut Text, title: &str, list: &[&Finding]) {
    if list.is_empty() {
        return;
    }
    text.row(&format!(
        "\n#### {title} ({})\n\n| state | rule | lane | what | where | fingerprint |\n| --- | --- | --- | --- | --- | --- |\n",
        list.len()
    ));
    for f in list {
        let place = f.places.first().map(|p| format!("{}:{}", p.file, p.line));
        let why = gate::ruling(f).map_or(String::new(), |w| format!(" ({w})"));
        text.row(&format!(
            "| {} | {} {} | {} | {} | {} | {} |\n",
            escaped(&f.state),
            escaped(&f.code),
            escaped(&f.rule),
            escaped(&f.lane),
            escaped(&words::clip(&format!("{}{why}", f.message), 400)),
            escaped(&place.unwrap_or_default()),
            escaped(&f.fingerprint),
        ));
    }
    if let Some(first) = list.first() {
        text.row(&format!(
            "\nTo see the evidence: `misnomer explain {}`\n",
            code(short(&first.fingerprint))
        ));
    }
}

fn failures(text: &mut Text, outcome: &Outcome) {
    let accused: Vec<&Failure> = outcome
        .failures
        .iter()
        .filter(|f| matches!(f.standing, Standing::Misnamed | Standing::Opaque))
        .collect();
    if accused.is_empty() {
        return;
    }
    text.row("\n<details><summary>Names against causes</summary>\n\n| lane | recorded as | times | really | sure | will waiting fix it? |\n| --- | --- | ---: | --- | --- | --- |\n");
    for f in accused {
        let judged = f.overruled.as_ref().map_or(String::new(), |o| {
            format!(" (judged {}; {} ruled otherwise)", o.judged, o.owner)
        });
        text.row(&format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            escaped(&f.lane),
            escaped(&words::clip(&f.recorded_name, 120)),
            words::number(f.count),
            escaped(&format!("{}{judged}", f.cause)),
            word(&f.confidence),
            escaped(&words::clip(&f.advice.wait, 120)),
        ));
    }
    text.out.push_str("\n</details>\n");
}

/// Log text that Markdown shows as it is: no markup, no HTML, no table bar, no mention, no reference to an issue.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in words::visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '|' => out.push_str("&#124;"),
            '@' => out.push_str("@<!-- -->"),
            '#' => out.push_str("#<!-- -->"),
            ':' => out.push_str("&#58;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '!' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Text within a pair of back-quotes.
fn code(text: &str) -> String {
    words::visible(text).replace('`', "'")
}
