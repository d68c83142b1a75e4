//! The first screen: the answer, why, what to do, and what is not known, in this order.

mod behaviour;
mod grid;
mod input;
mod names;

use super::{Report, Style, words};
use crate::audit::finding::{
    Confidence, Cost, Failure, Finding, Outcome, Place, Severity, Standing,
};
use grid::Tint;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// The format `table`.
pub const REPORT: Report = Report {
    name: "table",
    help: "the first screen, for a person at a terminal",
    write: Some(write),
    directory: None,
};

/// Rows of a block, unless all are asked for.
const ROWS: usize = 12;

fn write(outcome: &Outcome, style: &Style, to: &mut dyn Write) -> io::Result<()> {
    let screen = Screen::new(outcome, style);
    let mut blocks = vec![screen.head()];
    let (many, listed) = names::many_names(&screen);
    blocks.extend(many);
    blocks.push(names::against_causes(&screen, &listed));
    blocks.push(behaviour::findings(&screen));
    blocks.push(names::not_judged(&screen));
    blocks.push(input::problems(&screen));
    blocks.push(screen.hidden());
    blocks.push(screen.commands());
    blocks.retain(|b| !b.is_empty());
    for (at, block) in blocks.iter().enumerate() {
        if at > 0 {
            writeln!(to)?;
        }
        for line in block {
            writeln!(to, "{line}")?;
        }
    }
    Ok(())
}

/// What every block needs to know.
struct Screen<'a> {
    outcome: &'a Outcome,
    style: &'a Style,
    width: usize,
}

impl<'a> Screen<'a> {
    fn new(outcome: &'a Outcome, style: &'a Style) -> Screen<'a> {
        Screen {
            outcome,
            style,
            width: style.width.clamp(40, 500),
        }
    }

    /// Failures whose name is wrong or empty, as sure as was asked for.
    fn accused(&self) -> impl Iterator<Item = &'a Failure> {
        let least = self.style.min_confidence;
        let all = self.outcome.failures.iter();
        all.filter(move |f| accuses(f) && f.confidence >= least)
    }

    /// Findings as sure and as severe as was asked for.
    fn findings(&self) -> impl Iterator<Item = &'a Finding> {
        let (confidence, severity) = (self.style.min_confidence, self.style.min_severity);
        let all = self.outcome.findings.iter();
        all.filter(move |f| f.confidence >= confidence && f.severity >= severity)
    }

    /// How many rows of a block to show.
    fn rows(&self, of: usize) -> usize {
        if self.style.all || of == ROWS + 1 {
            of
        } else {
            of.min(ROWS)
        }
    }

    /// Log text in a cell: escaped, and cut unless everything is asked for.
    fn cell(&self, text: &str, columns: usize) -> String {
        let shown = words::visible(text);
        if self.style.all {
            shown
        } else {
            words::clip(&shown, columns)
        }
    }

    fn paint(&self, text: &str, tint: Tint) -> String {
        tint.paint(text, self.style.color)
    }

    fn heading(&self, text: &str) -> Vec<String> {
        let lines = grid::wrap(text, self.width);
        lines.iter().map(|l| self.paint(l, Tint::Bold)).collect()
    }

    fn draw(&self, columns: &[grid::Column], rows: &[grid::Row]) -> Vec<String> {
        grid::draw(columns, rows, self.width, self.style.color)
    }

    /// Prose below a block.
    fn note(&self, text: &str) -> Vec<String> {
        let lines = grid::wrap(text, self.width.saturating_sub(2));
        lines.into_iter().map(|l| format!("  {l}")).collect()
    }

    fn more(&self, hidden: usize, one: &str, many: &str) -> Vec<String> {
        if hidden == 0 {
            return Vec::new();
        }
        let hidden = i64::try_from(hidden).unwrap_or(i64::MAX);
        self.note(&format!(
            "({} more {}: --all)",
            words::number(hidden),
            if hidden == 1 { one } else { many }
        ))
    }

    /// What was looked at, what came out, and what it cost.
    fn head(&self) -> Vec<String> {
        let mut lines = grid::wrap(&self.looked_at(), self.width);
        lines.push(String::new());
        lines.extend(self.heading(&answer(self.outcome)));
        if let Some(cost) = costs(&self.outcome.summary.cost) {
            lines.extend(grid::wrap(&format!("What it cost: {cost}."), self.width));
        }
        if let Some(since) = input::since(self) {
            lines.push(String::new());
            lines.extend(grid::wrap(&since, self.width));
        }
        lines
    }

    fn looked_at(&self) -> String {
        let (outcome, zone) = (self.outcome, &self.style.zone);
        let lanes = i64::try_from(outcome.lanes.len()).unwrap_or(i64::MAX);
        let mut parts = Vec::new();
        if !self.style.title.is_empty() {
            parts.push(words::visible(&self.style.title));
        }
        parts.push(words::count(lanes, "lane", "lanes"));
        parts.push(words::count(outcome.input.files, "file", "files"));
        parts.push(words::bytes(outcome.input.bytes));
        let first = outcome
            .lanes
            .iter()
            .filter_map(|l| l.first.as_deref())
            .min();
        let last = outcome.lanes.iter().filter_map(|l| l.last.as_deref()).max();
        if let (Some(first), Some(last)) = (first, last) {
            parts.push(format!(
                "{} to {} ({})",
                words::instant(first, zone),
                words::instant(last, zone),
                words::zone(zone, last)
            ));
        }
        parts.join(" · ")
    }

    /// What the filters hold back, and the flags that show it.
    fn hidden(&self) -> Vec<String> {
        let style = self.style;
        let unsure: i64 = self
            .outcome
            .failures
            .iter()
            .filter(|f| accuses(f) && f.confidence < style.min_confidence)
            .map(|f| f.count)
            .fold(0, i64::saturating_add);
        let findings = self.outcome.findings.iter();
        let (unsure_findings, mild): (Vec<_>, Vec<_>) = findings
            .filter(|f| f.confidence < style.min_confidence || f.severity < style.min_severity)
            .partition(|f| f.confidence < style.min_confidence);
        let size = |v: &[&Finding]| i64::try_from(v.len()).unwrap_or(i64::MAX);
        let mut parts = Vec::new();
        if unsure + size(&unsure_findings) > 0 {
            let mut what = Vec::new();
            if unsure > 0 {
                what.push(words::count(unsure, "verdict", "verdicts"));
            }
            if !unsure_findings.is_empty() {
                what.push(words::count(size(&unsure_findings), "finding", "findings"));
            }
            let (sure, flag) = match style.min_confidence {
                Confidence::Certain => ("less than certain", "likely or possible"),
                _ => ("only possible", "possible"),
            };
            parts.push(format!(
                "{} that are {sure} (--min-confidence {flag})",
                what.join(" and ")
            ));
        }
        if !mild.is_empty() {
            let below = match style.min_severity {
                Severity::Error => "an error",
                _ => "a warning",
            };
            let findings = words::count(size(&mild), "finding", "findings");
            parts.push(format!("{findings} below {below} (--min-severity note)"));
        }
        if parts.is_empty() {
            return Vec::new();
        }
        grid::wrap(&format!("Not shown: {}.", parts.join("; ")), self.width)
    }

    /// What to type next.
    fn commands(&self) -> Vec<String> {
        let mut commands = Vec::new();
        let fresh = self.findings().find(|f| f.state == "new");
        let finding = fresh.or_else(|| self.findings().next());
        let accused = self.accused().next();
        match (finding, accused) {
            (Some(f), _) => commands.push(format!("misnomer explain {}", words::shell(&f.code))),
            (None, Some(f)) => commands.push(format!("misnomer explain {}", f.cause)),
            (None, None) => {}
        }
        let of_failure = accused.and_then(|f| f.places.first());
        let place = of_failure.or_else(|| finding.and_then(|f| f.places.first()));
        if let Some(place) = place {
            let paths = self.style.paths.iter().map(|path| words::shell(path));
            let words: Vec<String> = std::iter::once(words::shell(&at(place)))
                .chain(paths)
                .collect();
            commands.push(format!("misnomer inspect {}", words.join(" ")));
        }
        if commands.is_empty() {
            return Vec::new();
        }
        let page = super::ALL.iter().find(|r| r.name == "html");
        commands.push(match page {
            Some(_) => "--output html=report.html".to_owned(),
            None => "--output csv=report".to_owned(),
        });
        // As many on a line as fit, each whole: a broken command cannot be pasted.
        let mut lines: Vec<String> = Vec::new();
        for command in commands {
            match lines.last_mut() {
                Some(line) if line.width() + 3 + command.width() <= self.width => {
                    line.push_str(" · ");
                    line.push_str(&command);
                }
                _ => lines.push(command),
            }
        }
        lines.iter().map(|l| self.paint(l, Tint::Dim)).collect()
    }
}

/// The figures of the summary, as a sentence.
pub(super) fn answer(outcome: &Outcome) -> String {
    let s = &outcome.summary;
    if outcome.input.files == 0 && s.failures == 0 {
        return "Nothing was read: no log file was found.".to_owned();
    }
    if s.failures == 0 {
        let lines = words::count(outcome.input.lines, "line", "lines");
        return match outcome.findings.is_empty() {
            true => format!("No failure in {lines}, and nothing else to report."),
            false => format!("No failure in {lines}."),
        };
    }
    let failures = words::count(s.failures, "failure", "failures");
    if s.accurate == s.failures {
        return match s.failures {
            1 => "1 failure, under its right name.".to_owned(),
            _ => format!("{failures}, each under its right name."),
        };
    }
    if s.unsupported == s.failures {
        return format!("{failures}, and nothing in the logs says why: not one can be judged.");
    }
    let kinds = [
        (s.misnamed, "under a wrong name"),
        (s.opaque, "under a name that says nothing"),
        (s.accurate, "named right"),
        (s.unsupported, "cannot be judged"),
    ];
    let parts: Vec<String> = kinds
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| match (*n == s.failures, *n) {
            (true, 1) => (*what).to_owned(),
            (true, _) => format!("all {what}"),
            (false, n) => format!("{} {what}", words::number(n)),
        })
        .collect();
    let colon = if parts.len() == 1 { "," } else { ":" };
    format!("{failures}{colon} {}.", parts.join(", "))
}

/// The name is wrong or says nothing.
fn accuses(failure: &Failure) -> bool {
    matches!(failure.standing, Standing::Misnamed | Standing::Opaque)
}

/// `file:line`, as it is clicked or pasted.
fn at(place: &Place) -> String {
    format!("{}:{}", place.file, place.line)
}

/// Where the first of several places is; escaped.
fn first_place(places: &[Place]) -> String {
    places
        .first()
        .map(|p| words::visible(&at(p)))
        .unwrap_or_default()
}

/// A cost as one figure, for the order only: a request or attempt counts as ten seconds, a dropped item as a minute.
fn weight(cost: &Cost) -> i64 {
    cost.requests
        .max(cost.attempts)
        .saturating_mul(10)
        .saturating_add(cost.seconds)
        .saturating_add(cost.undetected / 10)
        .saturating_add(cost.items.saturating_mul(60))
}

/// What is not zero of a cost, in words.
pub(super) fn costs(cost: &Cost) -> Option<String> {
    let mut parts = Vec::new();
    if cost.seconds > 0 {
        parts.push(format!(
            "{} waited or run in vain",
            words::duration(cost.seconds)
        ));
    }
    if cost.requests > 0 {
        parts.push(format!(
            "{} in vain",
            words::count(cost.requests, "request", "requests")
        ));
    }
    if cost.attempts > 0 {
        parts.push(format!(
            "{} in vain",
            words::count(cost.attempts, "attempt", "attempts")
        ));
    }
    if cost.items > 0 {
        parts.push(format!(
            "{} dropped",
            words::count(cost.items, "item", "items")
        ));
    }
    if cost.undetected > 0 {
        parts.push(format!("{} unnoticed", words::duration(cost.undetected)));
    }
    if parts.is_empty() {
        return None;
    }
    let estimated = if cost.estimated {
        " (partly estimated)"
    } else {
        ""
    };
    Some(format!("{}{estimated}", parts.join(" · ")))
}
