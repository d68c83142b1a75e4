//! The sample lanes against what their incidents say, written down before any program had read them.

mod common;

use anyhow::{Context, Result};
use clap::Parser;
use misnomer::audit::finding::{Confidence, Failure, Finding, Outcome, Standing};
use misnomer::audit::{Filter, audit, detect};
use misnomer::cause::Cause;
use misnomer::cli::Cli;
use misnomer::evidence::Table;
use misnomer::run::inputs::{self, Inputs};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// `samples/expected.toml`.
#[derive(Deserialize)]
struct Expected {
    failure: Vec<ExpectedFailure>,
    finding: Vec<ExpectedFinding>,
    also_right: Vec<AlsoRight>,
    quiet: Vec<Quiet>,
    summary: ExpectedSummary,
}

#[derive(Deserialize)]
struct ExpectedFailure {
    lane: String,
    recorded_name: String,
    aliases: Vec<String>,
    claimed: Option<Cause>,
    cause: Cause,
    class: Option<String>,
    standing: Standing,
    confidence: Option<Confidence>,
    #[serde(default)]
    waiting: Vec<String>,
    count: i64,
    keys: Option<usize>,
    first_day: Option<String>,
    last_day: Option<String>,
    proof: Option<String>,
    #[serde(default)]
    advice: Vec<String>,
}

#[derive(Deserialize)]
struct ExpectedFinding {
    rule: String,
    code: String,
    lane: String,
    recorded_name: Option<String>,
    cause: Option<Cause>,
    names: Option<BTreeSet<String>>,
    lanes: Option<BTreeSet<String>>,
    #[serde(default)]
    facts: BTreeMap<String, toml::Value>,
}

#[derive(Deserialize)]
struct AlsoRight {
    rule: String,
    lane: String,
}

#[derive(Deserialize)]
struct Quiet {
    lane: String,
    since: String,
    until: String,
    named_right: i64,
    cause: Option<Cause>,
}

#[derive(Deserialize)]
struct ExpectedSummary {
    misnamed: i64,
    opaque: i64,
    unsupported: i64,
    missing_success: usize,
}

/// What differs, in words.
#[derive(Default)]
struct Differences(Vec<String>);

impl Differences {
    fn same<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, expected: T, found: T) {
        if expected != found {
            self.0
                .push(format!("{what}: {found:?} instead of {expected:?}"));
        }
    }

    fn hold(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.0.push(what());
        }
    }
}

/// The samples, scanned once.
struct Samples {
    inputs: Inputs,
    table: Table,
    now: Option<i64>,
}

impl Samples {
    fn read() -> Result<Samples> {
        let cli = Cli::try_parse_from(["misnomer", "audit", "samples", "--progress", "never"])?;
        std::env::set_current_dir(env!("CARGO_MANIFEST_DIR"))?;
        let inputs = Inputs::new(&cli.global, &["samples".to_string()], false)?;
        let table = inputs.scan(&cli.global)?;
        let now = inputs::now(&cli.global, &inputs.settings)?;
        Ok(Samples { inputs, table, now })
    }

    fn audit(&self, filter: &Filter) -> Outcome {
        audit(&self.table, &self.inputs.settings, self.now, filter)
    }
}

fn line_of(file: &str, line: i64) -> Option<String> {
    let text = std::fs::read_to_string(Path::new("samples").join(file)).ok()?;
    let at = usize::try_from(line - 1).ok()?;
    text.lines().nth(at).map(str::to_string)
}

fn exists(rule: &str) -> bool {
    detect::ALL.iter().any(|d| d.id == rule)
}

fn failure(expected: &ExpectedFailure, found: &Failure, out: &mut Differences) {
    let name = format!("{} {:?}", expected.lane, expected.recorded_name);
    let aliases: BTreeSet<&String> = expected.aliases.iter().collect();
    out.same(
        &format!("{name}: aliases"),
        aliases,
        found.aliases.iter().collect(),
    );
    if expected.claimed.is_some() {
        out.same(&format!("{name}: claimed"), expected.claimed, found.claimed);
    }
    if let Some(class) = &expected.class {
        out.same(&format!("{name}: class"), class, &found.class);
    }
    out.same(
        &format!("{name}: standing"),
        expected.standing,
        found.standing,
    );
    if let Some(least) = expected.confidence {
        out.hold(found.confidence >= least, || {
            format!("{name}: only {:?}, not {least:?}", found.confidence)
        });
    }
    let waiting = found.waiting.slug();
    out.hold(
        expected.waiting.is_empty() || expected.waiting.iter().any(|w| w == waiting),
        || {
            format!(
                "{name}: waiting {waiting} instead of {:?}",
                expected.waiting
            )
        },
    );
    out.same(&format!("{name}: count"), expected.count, found.count);
    for (what, day, instant) in [
        ("first", &expected.first_day, &found.first),
        ("last", &expected.last_day, &found.last),
    ] {
        if let Some(day) = day {
            let seen = instant.as_deref().unwrap_or("never");
            out.hold(seen.starts_with(day.as_str()), || {
                format!("{name}: {what} {seen} instead of {day}")
            });
        }
    }
    let in_lane = |file: &str| file.starts_with(&format!("{}/", expected.lane));
    out.hold(
        !found.places.is_empty() && found.places.iter().all(|p| in_lane(&p.file)),
        || format!("{name}: named at {:?}", found.places),
    );
    if let Some(keys) = expected.keys {
        let lines: BTreeSet<String> = found
            .places
            .iter()
            .filter_map(|p| line_of(&p.file, p.line))
            .filter_map(|line| {
                let value: serde_json::Value = serde_json::from_str(&line).ok()?;
                value.get("shop").map(ToString::to_string)
            })
            .collect();
        out.same(&format!("{name}: shops at its places"), keys, lines.len());
    }
    if let Some(proof) = &expected.proof {
        let decides = found.evidence.iter().find(|e| e.decides);
        let text = decides
            .and_then(|e| line_of(&e.file, e.line))
            .unwrap_or_default();
        out.hold(text.contains(proof.as_str()), || {
            format!("{name}: decided by {decides:?}, which holds no {proof:?}")
        });
    } else if expected.standing == Standing::Unsupported {
        out.hold(!found.evidence.iter().any(|e| e.decides), || {
            format!("{name}: decided by {:?}", found.evidence)
        });
    }
    let advice = [
        &found.advice.wait,
        &found.advice.cut_off,
        &found.advice.change,
    ]
    .map(|a| a.to_lowercase());
    for part in &expected.advice {
        out.hold(advice.iter().any(|a| a.contains(part)), || {
            format!("{name}: no advice to {part:?} in {advice:?}")
        });
    }
}

fn failures(expected: &Expected, outcome: &Outcome, out: &mut Differences) {
    let mut known = BTreeSet::new();
    for want in &expected.failure {
        let found: Vec<(usize, &Failure)> = outcome
            .failures
            .iter()
            .enumerate()
            .filter(|(_, f)| {
                f.lane == want.lane
                    && f.recorded_name == want.recorded_name
                    && f.cause == want.cause
            })
            .collect();
        match found.as_slice() {
            [(at, one)] => {
                known.insert(*at);
                failure(want, one, out);
            }
            other => out.0.push(format!(
                "{} {:?} of {}: {} entries",
                want.lane,
                want.recorded_name,
                want.cause,
                other.len()
            )),
        }
    }
    // What else is reported carries its right name, in a repaired period.
    let mut right: BTreeMap<&str, i64> = BTreeMap::new();
    for (_, other) in outcome
        .failures
        .iter()
        .enumerate()
        .filter(|(at, _)| !known.contains(at))
    {
        let quiet = expected.quiet.iter().find(|q| {
            let within = |instant: &Option<String>| {
                instant
                    .as_ref()
                    .is_some_and(|i| *i >= q.since && *i <= q.until)
            };
            q.lane == other.lane && within(&other.first) && within(&other.last)
        });
        let named_right = other.standing == Standing::Accurate
            && quiet.is_some_and(|q| q.cause == Some(other.cause));
        out.hold(named_right, || {
            format!(
                "{} {:?} ({} ×, {:?}, {}) is reported besides",
                other.lane, other.recorded_name, other.count, other.standing, other.cause
            )
        });
        if named_right {
            *right.entry(&other.lane).or_default() += other.count;
        }
    }
    for (lane, count) in right {
        let most: i64 = expected
            .quiet
            .iter()
            .filter(|q| q.lane == lane)
            .map(|q| q.named_right)
            .sum();
        out.hold(count <= most, || {
            format!("{lane}: {count} failures named right, where there are {most}")
        });
    }
}

/// A fact as the report writes it.
fn fact(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn fits(want: &ExpectedFinding, found: &Finding) -> bool {
    let says = |key: &str, value: &str| found.facts.get(key).is_some_and(|f| f == value);
    let lists = |key: &str, separator: &str, values: &BTreeSet<String>| {
        found.facts.get(key).is_some_and(|f| {
            f.split(separator)
                .map(str::to_string)
                .collect::<BTreeSet<_>>()
                == *values
        })
    };
    found.rule == want.rule
        && found.code == want.code
        && found.lane == want.lane
        && want
            .recorded_name
            .as_ref()
            .is_none_or(|n| says("recorded_name", n))
        && want.cause.is_none_or(|c| says("cause", c.slug()))
        && want.names.as_ref().is_none_or(|n| lists("names", " | ", n))
        && want.lanes.as_ref().is_none_or(|l| lists("lanes", ", ", l))
        && want
            .facts
            .iter()
            .all(|(key, value)| says(key, &fact(value)))
}

fn findings(expected: &Expected, outcome: &Outcome, out: &mut Differences) {
    let mut known = BTreeSet::new();
    for want in expected.finding.iter().filter(|f| exists(&f.rule)) {
        let found: Vec<usize> = (0..outcome.findings.len())
            .filter(|at| fits(want, &outcome.findings[*at]))
            .collect();
        let near: Vec<&BTreeMap<String, String>> = outcome
            .findings
            .iter()
            .filter(|f| f.rule == want.rule && f.lane == want.lane)
            .map(|f| &f.facts)
            .collect();
        // Without a name, any of the lane's will do.
        let any = want.recorded_name.is_none() && !found.is_empty();
        out.hold(found.len() == 1 || any, || {
            format!(
                "{} in {}: {} findings with {:?} {:?} {:?}; there are {near:?}",
                want.rule,
                want.lane,
                found.len(),
                want.recorded_name,
                want.names,
                want.facts
            )
        });
        known.extend(found);
    }
    for (_, other) in outcome
        .findings
        .iter()
        .enumerate()
        .filter(|(at, _)| !known.contains(at))
    {
        let also = expected
            .also_right
            .iter()
            .any(|a| a.rule == other.rule && a.lane == other.lane);
        out.hold(also, || {
            format!(
                "{} in {} is a false alarm: {}",
                other.rule, other.lane, other.message
            )
        });
    }
    let overdue = outcome
        .findings
        .iter()
        .filter(|f| f.rule == "missing-success")
        .count();
    out.same("missing-success", expected.summary.missing_success, overdue);
}

fn quiet(samples: &Samples, expected: &Expected, out: &mut Differences) -> Result<()> {
    for span in &expected.quiet {
        let instant = |text: &str| inputs::instant(text, &samples.inputs.settings.timezone);
        let outcome = samples.audit(&Filter {
            lanes: Some([span.lane.clone()].into()),
            since: Some(instant(&span.since)?),
            until: Some(instant(&span.until)?),
            ..Filter::default()
        });
        let when = format!("{} from {} to {}", span.lane, span.since, span.until);
        for failure in &outcome.failures {
            out.hold(failure.standing == Standing::Accurate, || {
                format!(
                    "{when}: {:?} is {:?}",
                    failure.recorded_name, failure.standing
                )
            });
        }
        out.hold(outcome.findings.is_empty(), || {
            format!("{when}: {:?}", outcome.findings.iter().map(|f| &f.rule))
        });
        out.hold(outcome.summary.accurate <= span.named_right, || {
            format!("{when}: {} named right", outcome.summary.accurate)
        });
    }
    Ok(())
}

#[test]
fn the_samples_say_what_happened() -> Result<()> {
    let samples = Samples::read()?;
    let text = std::fs::read_to_string("samples/expected.toml")?;
    let expected: Expected = toml::from_str(&text).context("samples/expected.toml")?;
    let outcome = samples.audit(&Filter::default());
    let mut out = Differences::default();
    failures(&expected, &outcome, &mut out);
    findings(&expected, &outcome, &mut out);
    quiet(&samples, &expected, &mut out)?;
    let summary = &outcome.summary;
    out.same(
        "summary: misnamed, opaque, unsupported",
        (
            expected.summary.misnamed,
            expected.summary.opaque,
            expected.summary.unsupported,
        ),
        (summary.misnamed, summary.opaque, summary.unsupported),
    );
    assert!(out.0.is_empty(), "{}", out.0.join("\n"));
    Ok(())
}

/// The README shows what the program prints; `...` stands for what it leaves out at the end.
#[test]
fn the_readme_shows_the_output() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ran = common::misnomer(&["audit", "samples"], root)?;
    let readme = std::fs::read_to_string(root.join("README.md"))?;
    let (_, shown) = readme
        .split_once("```console\n$ misnomer audit samples\n")
        .context("the README shows an audit of the samples")?;
    let shown = shown.split("```").next().unwrap_or_default();
    let (shown, whole) = match shown.strip_suffix("...\n") {
        Some(head) => (head, false),
        None => (shown, true),
    };
    assert!(
        !shown.is_empty() && ran.out.starts_with(shown) && (!whole || ran.out == shown),
        "README.md shows another output than\n{}",
        ran.out
    );
    Ok(())
}
