//! Commands that print what the program knows: patterns, lanes, explanations.

use super::inputs::{self, Inputs};
use crate::audit::detect;
use crate::cli::{Global, Patterns as Action};
use crate::explain::{Shelf, explain as explained};
use crate::report;
use crate::scan::pattern::check;
use crate::scan::pattern::{Pattern, matcher::Patterns};
use crate::scan::worker::Mode;
use crate::time;
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::io::Write;

/// Whether a rule exists.
///
/// # Errors
/// If it does not, with the nearest that does.
pub fn known_rule(rule: &str) -> Result<()> {
    if detect::ALL
        .iter()
        .any(|d| d.id == rule || d.code.eq_ignore_ascii_case(rule))
    {
        return Ok(());
    }
    let known = detect::ALL.iter().flat_map(|d| [d.id, d.code]);
    match crate::caret::did_you_mean(rule, known) {
        Some(near) => bail!("there is no rule `{rule}`; did you mean `{near}`?"),
        None => bail!(
            "there is no rule `{rule}`; the rules are {}",
            detect::ALL
                .iter()
                .map(|d| d.id)
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}

/// `misnomer explain WHAT`.
pub fn explain(global: &Global, what: &str) -> Result<u8> {
    let settings = inputs::settings(global, &[])?;
    let patterns = inputs::patterns(global, &settings)?;
    let rules: Vec<(String, &str, String)> = detect::ALL
        .iter()
        .map(|d| (format!("{} {}", d.code, d.id), d.title, rule_text(d)))
        .collect();
    let known: Vec<(String, String, String)> = patterns
        .packs
        .patterns
        .iter()
        .map(|p| {
            (
                p.id.to_string(),
                p.cause
                    .map_or(p.kind.slug().to_string(), |c| c.slug().to_string()),
                pattern_text(p),
            )
        })
        .collect();
    let rules: Vec<(&str, &str, &str)> = rules
        .iter()
        .map(|(id, title, text)| (id.as_str(), *title, text.as_str()))
        .collect();
    let known: Vec<(&str, &str, &str)> = known
        .iter()
        .map(|(id, title, text)| (id.as_str(), title.as_str(), text.as_str()))
        .collect();
    let formats: Vec<(&str, &str, &str)> = report::ALL
        .iter()
        .map(|r| (r.name, "a report format", r.help))
        .collect();
    let ideas = [(
        "evidence-gap",
        "failures that can't be judged",
        EVIDENCE_GAP,
    )];
    let shelves = [
        Shelf {
            kind: "rule",
            entries: &rules,
        },
        Shelf {
            kind: "pattern",
            entries: &known,
        },
        Shelf {
            kind: "format",
            entries: &formats,
        },
        Shelf {
            kind: "notion",
            entries: &ideas,
        },
    ];
    let text = explained(what, &shelves)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", text.trim_end())?;
    Ok(super::DONE)
}

const EVIDENCE_GAP: &str = "A failure is `unsupported` when its lane left no status, code, exception or other sign near it: the name can be neither confirmed nor refuted, \
and misnomer does not guess. Write into the record that names the failure what the call answered: the HTTP status, the provider's code, the first 500 bytes of the body; \
for an exception its class, message and innermost cause; for a cut text its length and the limit; for a child process its exit status and last line.";

fn rule_text(rule: &detect::Detector) -> String {
    let mut text = rule.help.to_string();
    text.push_str(&format!(
        "\nSeverity: {:?}. Scope: {}.",
        rule.severity,
        match rule.extent {
            detect::Extent::Key => "one key of a lane",
            detect::Extent::Lane => "one lane",
            detect::Extent::AllLanes => "all lanes",
        }
    ));
    for (knob, default, meaning) in rule.knobs {
        text.push_str(&format!("\nKnob `{knob}` (default {default}): {meaning}. Set it under [rules.{}] in misnomer.toml.", rule.id));
    }
    text
}

fn pattern_text(pattern: &Pattern) -> String {
    let mut lines = Vec::new();
    let cause = pattern
        .cause
        .map_or(String::new(), |c| format!(", a sign of {c}"));
    lines.push(format!(
        "{}{cause}; grade {}; pack {}",
        pattern.kind.slug(),
        pattern.grade.slug(),
        pattern.pack
    ));
    if let Some(waiting) = pattern.waiting {
        lines.push(format!("waiting: {}", waiting.slug()));
    }
    let list = |words: Vec<&str>| words.join(" | ");
    if !pattern.needles.is_empty() {
        lines.push(format!(
            "needles: {}",
            list(pattern.needles.iter().map(|n| n.text.as_str()).collect())
        ));
    }
    if !pattern.status.is_empty() {
        lines.push(format!(
            "status: {}",
            pattern
                .status
                .iter()
                .map(u16::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        ));
    }
    if !pattern.near.is_empty() {
        lines.push(format!(
            "near: {}",
            list(pattern.near.iter().map(String::as_str).collect())
        ));
    }
    for (what, regex) in [("regex", &pattern.regex), ("unless", &pattern.unless)] {
        if let Some(regex) = regex {
            lines.push(format!("{what}: {}", regex.written()));
        }
    }
    for test in &pattern.field {
        lines.push(format!(
            "field: {} {}",
            test.key,
            [&test.equals, &test.contains, &test.starts]
                .into_iter()
                .flatten()
                .cloned()
                .collect::<Vec<_>>()
                .join(" | ")
        ));
    }
    if !pattern.advice.is_empty() {
        lines.push(format!("advice: {}", pattern.advice));
    }
    if !pattern.source.is_empty() {
        lines.push(format!("source: {}", pattern.source));
    }
    lines.extend(pattern.examples.iter().map(|e| format!("example: {e}")));
    lines.extend(pattern.counterexamples.iter().map(|e| format!("not: {e}")));
    lines.join("\n")
}

/// `misnomer patterns ...`.
pub fn patterns(global: &Global, action: &Action) -> Result<u8> {
    if let Action::Suggest { paths, most } = action {
        return super::suggest::suggest(global, paths, *most);
    }
    let settings = inputs::settings(global, &[])?;
    let patterns = inputs::patterns(global, &settings)?;
    let mut out = std::io::stdout().lock();
    match action {
        Action::Suggest { .. } => {}
        Action::List { needles: true } => patterns
            .needles
            .literals()
            .iter()
            .try_for_each(|n| writeln!(out, "{n}"))?,
        Action::List { needles: false } => list(&patterns, &mut out)?,
        Action::Show { id } => {
            let Some(pattern) = patterns.packs.patterns.iter().find(|p| *p.id == **id) else {
                let near =
                    crate::caret::did_you_mean(id, patterns.packs.patterns.iter().map(|p| &*p.id));
                bail!(
                    "there is no pattern `{id}`{}",
                    near.map_or_else(
                        || "; `misnomer patterns list` shows all".to_string(),
                        |n| format!("; did you mean `{n}`?")
                    )
                );
            };
            writeln!(out, "{}\n{}", pattern.id, pattern_text(pattern))?;
        }
        Action::Check => {
            let faults = check::check(&patterns);
            for fault in &faults {
                writeln!(out, "{}: {}: {}", fault.pack, fault.id, fault.what)?;
            }
            let (good, bad) = check::examples(&patterns.packs);
            writeln!(
                out,
                "{} patterns in {} packs, {good} examples, {bad} counterexamples: {} faults",
                patterns.packs.patterns.len(),
                patterns.packs.titles.len(),
                faults.len()
            )?;
            return Ok(if faults.is_empty() { super::DONE } else { 2 });
        }
    }
    Ok(super::DONE)
}

fn list(patterns: &Patterns, out: &mut impl Write) -> Result<()> {
    for pattern in &patterns.packs.patterns {
        let cause = pattern.cause.map_or("", |c| c.slug());
        writeln!(
            out,
            "{:<44} {:<8} {:<26} {:<10} {}",
            pattern.id,
            pattern.kind.slug(),
            cause,
            pattern.grade.slug(),
            pattern.pack
        )?;
    }
    Ok(())
}

/// `misnomer lanes`.
pub fn lanes(global: &Global, inputs: &Inputs, full: bool) -> Result<u8> {
    let table = inputs.scan_as(global, if full { Mode::Census } else { Mode::Prefilter })?;
    let mut out = std::io::stdout().lock();
    let mut lanes: BTreeMap<&str, Vec<&crate::evidence::FileSummary>> = BTreeMap::new();
    for file in &table.files {
        lanes.entry(&file.lane).or_default().push(file);
    }
    let zone = &inputs.settings.timezone;
    for (lane, files) in lanes {
        let sum =
            |of: fn(&crate::evidence::FileSummary) -> i64| files.iter().map(|f| of(f)).sum::<i64>();
        let span = match (
            files.iter().filter_map(|f| f.first).min(),
            files.iter().filter_map(|f| f.last).max(),
        ) {
            (Some(first), Some(last)) => {
                format!("{} to {}", time::show(first, zone), time::show(last, zone))
            }
            _ => "no time found".to_string(),
        };
        writeln!(
            out,
            "{lane}: {} files, {} lines, {} bytes, {span}",
            files.len(),
            sum(|f| f.lines),
            sum(|f| f.bytes)
        )?;
        for file in files {
            let mut line = format!("  {}: {} lines", file.file, file.lines);
            if let (Some(records), Some(timed)) = (file.records, file.timed) {
                let share = if records > 0 {
                    100.0 * timed as f64 / records as f64
                } else {
                    100.0
                };
                line.push_str(&format!(
                    ", {records} records, time found on {timed} ({share:.1} %)"
                ));
            }
            if let Some(error) = &file.error {
                line.push_str(&format!(", not read: {error}"));
            }
            writeln!(out, "{line}")?;
        }
    }
    for (path, why) in &table.passed_over {
        writeln!(out, "passed over: {path} ({why})")?;
    }
    Ok(super::completeness(&table))
}
