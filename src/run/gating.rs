//! `misnomer gate`, `baseline`, `waive` and `override`.

use super::inputs::{self, Inputs};
use super::{DONE, FOUND, INCOMPLETE, auditing, complain, completeness, stored};
use crate::audit::finding::{Finding, Outcome};
use crate::audit::{Filter, audit, identity, newest};
use crate::cause::Cause;
use crate::cli::{
    BaselineAction, FailOn, FindingsArgs, GateArgs, Global, HeldArgs, OverrideArgs, WaiveArgs,
};
use crate::gate::baseline::{self, Baseline, Entry};
use crate::gate::waivers::{self, Covers, Match, New, Waivers};
use crate::gate::{Held, history};
use crate::report;
use crate::settings::Settings;
use anyhow::{Context, Result, anyhow, bail};
use jiff::{Timestamp, ToSpan, civil::Date};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// So many days a waiver holds where no end is given.
const DAYS: i64 = 90;

/// Reads what an outcome is held against.
///
/// # Errors
/// When a file that is named is missing, or one that is there is broken.
pub fn held(global: &Global, args: &HeldArgs, settings: &Settings) -> Result<Held> {
    let baseline = found(args.baseline.as_deref(), baseline::FILE_NAME, settings);
    let waivers = found(args.waivers.as_deref(), waivers::FILE_NAME, settings);
    Ok(Held {
        baseline: match baseline {
            Some(path) => Some((path.display().to_string(), Baseline::read(&path)?)),
            None => None,
        },
        waivers: waivers.as_deref().map(Waivers::read).transpose()?,
        history: args.history.as_deref().map(history::read).transpose()?,
        today: today(global, settings)?,
    })
}

/// The file that is named, else one of the usual name in the working directory or beside misnomer.toml.
fn found(named: Option<&Path>, usual: &str, settings: &Settings) -> Option<PathBuf> {
    if let Some(path) = named {
        return Some(path.to_path_buf());
    }
    let here = PathBuf::from(usual);
    let beside = settings
        .file
        .as_deref()
        .and_then(Path::parent)
        .map(|d| d.join(usual));
    [Some(here), beside]
        .into_iter()
        .flatten()
        .find(|p| p.is_file())
}

/// The file to write: as [`found`], else the usual name in the working directory.
fn target(named: Option<&Path>, usual: &str, settings: &Settings) -> PathBuf {
    found(named, usual, settings).unwrap_or_else(|| usual.into())
}

/// The day on which waivers are looked at: that of `--now`, else of the clock.
fn today(global: &Global, settings: &Settings) -> Result<Date> {
    let now = match &global.now {
        Some(_) => inputs::now(global, settings)?,
        None => None,
    };
    let at = match now {
        Some(ns) => Timestamp::from_nanosecond(i128::from(ns))?,
        None => Timestamp::now(),
    };
    Ok(at.to_zoned_datetime(settings.timezone.clone()).date())
}

/// `misnomer gate`.
///
/// # Errors
/// When the job could not be done.
pub fn gate(global: &Global, args: &GateArgs) -> Result<u8> {
    let format = args.audit.format.as_deref().unwrap_or("gate");
    report::find(format)?;
    let done = auditing::done(global, &args.audit)?;
    let outcome = &done.outcome;
    let strict = args.strict
        && outcome.gate.as_ref().is_some_and(|g| {
            g.absent.iter().any(|a| a.state == "stale")
                || g.remarks
                    .iter()
                    .any(|r| matches!(r.state.as_str(), "unused" | "void"))
        });
    let found = auditing::failing(outcome, args.audit.fail_on.unwrap_or(FailOn::New)) || strict;
    let complete = match args.allow_incomplete {
        true => DONE,
        false => completeness(&done.table),
    };
    let code = match found && !args.exit_zero {
        true => FOUND,
        false => complete,
    };
    if !global.quiet || found || completeness(&done.table) != DONE {
        let mut out = std::io::stdout().lock();
        report::print(format, outcome, &done.style, &mut out)?;
        out.flush()?;
    }
    if found && format != "gate" {
        // Other formats are for programs: what to do is said beside them.
        let failing = outcome
            .findings
            .iter()
            .filter(|f| report::gate::fails(f, &done.style));
        for finding in failing.take(20) {
            let [explain, waive] = report::gate::commands(finding, &done.style);
            anstream::eprintln!(
                "misnomer: {} {}: {explain} · {waive}",
                finding.state,
                finding.code
            );
        }
    }
    if strict {
        anstream::eprintln!(
            "misnomer: --strict fails on stale entries and on waivers that are unused or void"
        );
    }
    complain(&done.table);
    Ok(code)
}

/// The findings of a stored run, or of an audit of the paths.
///
/// # Errors
/// When the run cannot be read, or the audit could not be done.
pub fn findings(global: &Global, args: &FindingsArgs) -> Result<(Outcome, Settings)> {
    if let Some(run) = &args.from {
        return Ok((stored::load(run)?, inputs::settings(global, &[])?));
    }
    let inputs = Inputs::new(global, &args.paths, false)?;
    let table = inputs.scan(global)?;
    complain(&table);
    let now = inputs::now(global, &inputs.settings)?.or_else(|| newest(&table));
    let outcome = audit(&table, &inputs.settings, now, &Filter::default());
    Ok((outcome, inputs.settings))
}

/// The one finding whose fingerprint begins so.
///
/// # Errors
/// When there is none, or several.
pub fn one<'a>(outcome: &'a Outcome, beginning: &str) -> Result<&'a Finding> {
    let known = outcome.findings.iter().map(|f| f.fingerprint.as_str());
    let fp = identity::resolve(beginning, known).map_err(|why| anyhow!(why))?;
    outcome
        .findings
        .iter()
        .find(|f| f.fingerprint == fp)
        .with_context(|| format!("no finding has the fingerprint `{fp}`"))
}

/// `misnomer baseline`.
///
/// # Errors
/// When the job could not be done.
pub fn baseline(global: &Global, action: &BaselineAction, held: &HeldArgs) -> Result<u8> {
    let named = held.baseline.as_deref();
    let own = |settings: &Settings| target(named, baseline::FILE_NAME, settings);
    match action {
        BaselineAction::Create {
            findings: from,
            force,
        } => {
            let (outcome, settings) = findings(global, from)?;
            let path = own(&settings);
            if path.exists() && !force {
                bail!(
                    "{} exists: `misnomer baseline add FP` adds to it, --force replaces it",
                    path.display()
                );
            }
            let day = today(global, &settings)?;
            let mut new = Baseline::default();
            // What is only possible accuses nobody, and needs no tolerance.
            for finding in outcome.findings.iter().filter(|f| f.fails()) {
                let entry = Entry::of(finding, &outcome, day);
                new.entries.insert(entry.fp.clone(), entry);
            }
            new.write(&path)?;
            say(&format!(
                "{}: {} entries",
                path.display(),
                new.entries.len()
            ))?;
            Ok(if outcome.complete() { DONE } else { INCOMPLETE })
        }
        BaselineAction::Add {
            fingerprint,
            findings: from,
            ceil,
        } => {
            let (outcome, settings) = findings(global, from)?;
            let path = own(&settings);
            let mut all = match path.exists() || named.is_some() {
                true => Baseline::read(&path)?,
                false => Baseline::default(),
            };
            let finding = one(&outcome, fingerprint)?;
            let fresh = Entry::of(finding, &outcome, today(global, &settings)?);
            let entry = all.entries.entry(fresh.fp.clone()).or_insert(fresh);
            if ceil.is_some() {
                entry.ceil = *ceil;
            }
            let words = entry.words();
            all.write(&path)?;
            say(&format!("{}: {words}", path.display()))?;
            Ok(DONE)
        }
        BaselineAction::Prune {
            findings: from,
            dormant,
        } => prune(global, held, from, *dormant),
        BaselineAction::List | BaselineAction::Stats | BaselineAction::Fmt => {
            let path = own(&inputs::settings(global, &[])?);
            let all = Baseline::read(&path)?;
            match action {
                BaselineAction::Fmt => all.write(&path)?,
                BaselineAction::Stats => stats(&all)?,
                _ => list(&all)?,
            }
            Ok(DONE)
        }
        BaselineAction::Merge { base, ours, theirs } => {
            let merged = Baseline::merge(
                &Baseline::read(base)?,
                &Baseline::read(ours)?,
                &Baseline::read(theirs)?,
            );
            merged.write(ours)?;
            Ok(DONE)
        }
    }
}

fn prune(global: &Global, args: &HeldArgs, from: &FindingsArgs, dormant: bool) -> Result<u8> {
    let (mut outcome, settings) = findings(global, from)?;
    let path = target(args.baseline.as_deref(), baseline::FILE_NAME, &settings);
    let mut all = Baseline::read(&path)?;
    if !outcome.complete() || outcome.narrowed {
        bail!(
            "this run is not complete, so what it did not find may still be there: nothing is pruned"
        );
    }
    if !dormant && args.history.is_none() {
        bail!(
            "what is stale is known by earlier runs: name their directory with --history, or take out all that this run did not find with --dormant"
        );
    }
    let held = Held {
        baseline: Some((path.display().to_string(), all.clone())),
        waivers: None,
        history: args.history.as_deref().map(history::read).transpose()?,
        today: today(global, &settings)?,
    };
    held.apply(&mut outcome);
    let gone = outcome.gate.map(|g| g.absent).unwrap_or_default();
    let mut lines = Vec::new();
    for entry in gone.iter().filter(|a| dormant || a.state == "stale") {
        if let Some(entry) = all.entries.remove(&entry.fingerprint) {
            lines.push(format!("{}  {}", identity::short(&entry.fp), entry.words()));
        }
    }
    all.write(&path)?;
    lines.push(format!(
        "{}: {} taken out, {} left",
        path.display(),
        lines.len(),
        all.entries.len()
    ));
    say(&lines.join("\n"))?;
    Ok(DONE)
}

fn list(all: &Baseline) -> Result<()> {
    let lines: Vec<String> = all
        .entries
        .values()
        .map(|e| {
            let ceil = e.ceil.map_or(String::new(), |c| format!(", at most {c}"));
            format!(
                "{}  {}  {}{ceil}",
                identity::short(&e.fp),
                e.added,
                e.words()
            )
        })
        .collect();
    say(&lines.join("\n"))
}

fn stats(all: &Baseline) -> Result<()> {
    let mut lines = vec![format!("{} entries", all.entries.len())];
    type Field = (&'static str, fn(&Entry) -> &str);
    let fields: [Field; 3] = [
        ("rule", |e| &e.rule),
        ("lane", |e| &e.lane),
        ("cause", |e| &e.cause),
    ];
    for (what, of) in fields {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in all.entries.values() {
            *counts.entry(of(entry)).or_default() += 1;
        }
        for (value, n) in counts {
            let value = if value.is_empty() { "(none)" } else { value };
            lines.push(format!("{what:<6} {n:>5}  {value}"));
        }
    }
    say(&lines.join("\n"))
}

/// Lines on standard output; log text in them is made harmless.
fn say(text: &str) -> Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    for line in text.lines() {
        writeln!(out, "{}", report::words::visible(line))?;
    }
    Ok(())
}

/// `misnomer waive`; with a cause, `misnomer override`.
///
/// # Errors
/// When what is to be waived is not found, a reason or an owner is missing, or the file cannot be written.
pub fn waive(
    global: &Global,
    args: &WaiveArgs,
    verdict: Option<Cause>,
    held: &HeldArgs,
) -> Result<u8> {
    let Some(reason) = args.reason.as_deref().filter(|r| !r.trim().is_empty()) else {
        bail!("say why: --reason 'TEXT'");
    };
    let user = || {
        ["MISNOMER_OWNER", "USER", "LOGNAME"]
            .iter()
            .find_map(|v| std::env::var(v).ok())
    };
    let Some(owner) = args
        .owner
        .clone()
        .or_else(user)
        .filter(|o| !o.trim().is_empty())
    else {
        bail!("say who answers for it: --owner NAME");
    };
    let fields = Match {
        rule: args.match_rule.clone(),
        lane: args.match_lane.clone(),
        recorded: args.match_recorded.clone(),
        cause: args.match_cause.clone(),
    };
    let outcome;
    let (covers, settings) = match &args.fingerprint {
        Some(beginning) => {
            let (found, settings) = findings(global, &args.findings)?;
            outcome = found;
            (Ok(one(&outcome, beginning)?), settings)
        }
        None if fields == Match::default() => {
            bail!("say what: a fingerprint, or --match-lane and the like with --max-matches")
        }
        None => {
            let Some(most) = args.max_matches else {
                bail!("say how many findings it is meant for: --max-matches N");
            };
            (Err((&fields, most)), inputs::settings(global, &[])?)
        }
    };
    let created = today(global, &settings)?;
    let expires = match &args.expires {
        Some(text) => text
            .parse()
            .map_err(|_| anyhow!("--expires {text}: write a date such as 2026-12-31"))?,
        None => created.checked_add(DAYS.days())?,
    };
    let path = target(held.waivers.as_deref(), waivers::FILE_NAME, &settings);
    let new = New {
        covers,
        verdict,
        reason,
        owner: &owner,
        created,
        expires,
    };
    waivers::append_to(&path, &new)?;
    say(&format!(
        "{}: written, holds until {expires}",
        path.display()
    ))?;
    Ok(DONE)
}

/// `misnomer override`.
///
/// # Errors
/// As [`waive`], and when there is no such cause.
pub fn overriding(global: &Global, args: &OverrideArgs, held: &HeldArgs) -> Result<u8> {
    if args.labels {
        let settings = inputs::settings(global, &[])?;
        return labels(&target(
            held.waivers.as_deref(),
            waivers::FILE_NAME,
            &settings,
        ));
    }
    let verdict = waivers::cause(args.cause.as_deref().unwrap_or_default())?;
    waive(global, &args.waive, Some(verdict), held)
}

/// The overrides as labels to test patterns with: what was judged, and what a person ruled.
fn labels(path: &Path) -> Result<u8> {
    let all = Waivers::read(path)?;
    let mut out = std::io::stdout().lock();
    for waiver in all.all.iter().filter(|w| w.verdict.is_some()) {
        let (lane, recorded, judged) = match (&waiver.covers, &waiver.of) {
            (Covers::One(_), Some(of)) => (Some(&of.lane), Some(&of.recorded), Some(&of.cause)),
            (Covers::One(_), None) => (None, None, None),
            (Covers::Many { fields, .. }, _) => (
                fields.lane.as_ref(),
                fields.recorded.as_ref(),
                fields.cause.as_ref(),
            ),
        };
        let fp = match &waiver.covers {
            Covers::One(fp) => Some(fp),
            Covers::Many { .. } => None,
        };
        let label = serde_json::json!({
            "lane": lane, "recorded_name": recorded, "judged": judged,
            "cause": waiver.verdict.map(|v| v.slug()), "fingerprint": fp,
            "reason": waiver.reason, "owner": waiver.owner, "created": waiver.created.to_string(),
        });
        writeln!(out, "{label}")?;
    }
    Ok(DONE)
}
