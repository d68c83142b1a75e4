//! The findings as JUnit XML: one test case a finding. What fails a gate is a failure, what is known or waived is
//! skipped, and what is only possible passes.
//!
//! The fingerprint stands in the name, for readers drop test cases of equal names.

use super::{Report, Style, gate, words};
use crate::audit::finding::{Confidence, Finding, Outcome};
use std::io::{self, Write};

/// The format `junit`.
pub const REPORT: Report = Report {
    name: "junit",
    help: "findings as JUnit XML, one test case each",
    write: Some(write),
    directory: None,
};

fn write(outcome: &Outcome, style: &Style, to: &mut dyn Write) -> io::Result<()> {
    let all = &outcome.findings;
    let failures = all.iter().filter(|f| gate::fails(f, style)).count();
    let skipped = all.iter().filter(|f| skipped(f, style)).count();
    let figures = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"0\"",
        all.len()
    );
    writeln!(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(to, "<testsuites name=\"misnomer\" {figures}>")?;
    writeln!(
        to,
        "  <testsuite name=\"misnomer\" {figures} skipped=\"{skipped}\">"
    )?;
    for finding in all {
        case(finding, style, to)?;
    }
    if !outcome.input.unreadable.is_empty() {
        writeln!(to, "    <system-err>")?;
        for file in &outcome.input.unreadable {
            writeln!(
                to,
                "not read: {}: {}",
                escaped(&file.path),
                escaped(&file.why)
            )?;
        }
        writeln!(to, "    </system-err>")?;
    }
    writeln!(to, "  </testsuite>\n</testsuites>")
}

fn skipped(f: &Finding, style: &Style) -> bool {
    !gate::fails(f, style) && f.confidence > Confidence::Possible
}

fn case(f: &Finding, style: &Style, to: &mut dyn Write) -> io::Result<()> {
    write!(
        to,
        "    <testcase classname=\"{}\" name=\"{} {} {}\"",
        escaped(&f.lane),
        escaped(&f.code),
        escaped(&f.rule),
        escaped(&f.fingerprint)
    )?;
    if gate::fails(f, style) {
        writeln!(to, ">")?;
        writeln!(
            to,
            "      <failure type=\"{}\" message=\"{}\">",
            escaped(&f.state),
            escaped(&words::clip(&f.message, 500))
        )?;
        for place in f.places.iter().take(5) {
            writeln!(to, "{}:{}", escaped(&place.file), place.line)?;
        }
        for command in gate::commands(f, style) {
            writeln!(to, "{}", escaped(&command))?;
        }
        return writeln!(to, "      </failure>\n    </testcase>");
    }
    if skipped(f, style) {
        let why = gate::ruling(f).unwrap_or_else(|| f.state.clone());
        return writeln!(
            to,
            ">\n      <skipped message=\"{}\"/>\n    </testcase>",
            escaped(&why)
        );
    }
    writeln!(to, "/>")
}

/// Text for XML 1.0, in an attribute too; the characters that it forbids are made visible before.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in words::visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
