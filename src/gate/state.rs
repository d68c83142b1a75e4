//! The state of each finding, and what is said of entries and waivers that no finding meets.

use super::Held;
use super::history::{self, Run};
use super::waivers::{Covers, WARNED, Waiver};
use crate::audit::finding::{Confidence, Failure, Finding, Outcome, Standing};
use crate::audit::ruling::{Absent, Gate, Overruled, Remark, Ruling};
use crate::cause::guide;
use jiff::{Timestamp, civil::Date};
use std::collections::BTreeSet;

/// Sets the states and [`Outcome::gate`].
pub(super) fn apply(held: &Held, outcome: &mut Outcome) {
    let this = Run::of(outcome);
    let now: Option<Timestamp> = outcome.now.as_deref().and_then(|n| n.parse().ok());
    let mut gate = Gate {
        baseline: held.baseline.as_ref().map(|(name, _)| name.clone()),
        waivers: held.waivers.as_ref().map(|w| w.file.clone()),
        ..Gate::default()
    };
    let waivers = held.waivers.as_ref().map_or(&[][..], |w| &w.all);
    let seen: BTreeSet<String> = outcome
        .findings
        .iter()
        .map(|f| f.fingerprint.clone())
        .collect();
    let void: Vec<bool> = waivers
        .iter()
        .map(|w| too_many(w, &outcome.findings))
        .collect();

    overrule(waivers, &void, held.today, outcome);
    for finding in &mut outcome.findings {
        let own = waivers
            .iter()
            .zip(&void)
            .filter(|(w, void)| !**void && w.covers(finding))
            .map(|(w, _)| w)
            // One that still holds goes before one that is over; an override before a waiver.
            .min_by_key(|w| (w.lapsed(held.today), w.verdict.is_none()));
        let (state, ruling) = match own {
            Some(waiver) => ruled(waiver, held.today),
            None => against(held, finding, &seen),
        };
        finding.state = state.to_owned();
        finding.ruling = ruling;
        if finding.confidence > Confidence::Possible {
            *gate.states.entry(state.to_owned()).or_default() += 1;
        }
    }

    let runs = held.history.as_deref().unwrap_or_default();
    let earlier = history::before(runs, now);
    if !outcome.narrowed {
        gate.absent = absent(held, &seen, earlier, now);
    }
    if let Some(this) = &this {
        gate.since = history::since(earlier, this);
        if !outcome.narrowed {
            gate.silent = history::silent(earlier, this);
        }
    }
    gate.remarks = remarks(held, outcome, waivers, &void);
    outcome.gate = Some(gate);
}

/// Whether a waiver matches more than it was written for: it then covers nothing.
fn too_many(waiver: &Waiver, findings: &[Finding]) -> bool {
    match waiver.covers {
        Covers::One(_) => false,
        Covers::Many { most, .. } => findings.iter().filter(|f| waiver.covers(f)).count() > most,
    }
}

fn ruled(waiver: &Waiver, today: Date) -> (&'static str, Option<Ruling>) {
    let state = match (waiver.lapsed(today), waiver.verdict) {
        (true, _) => "lapsed",
        (false, Some(_)) => "overridden",
        (false, None) => "waived",
    };
    let ruling = Ruling {
        verdict: waiver.verdict,
        reason: Some(waiver.reason.clone()),
        owner: Some(waiver.owner.clone()),
        expires: Some(waiver.expires.to_string()),
        ..Ruling::default()
    };
    (state, Some(ruling))
}

/// The state of a finding of which nobody has ruled.
fn against(
    held: &Held,
    finding: &Finding,
    seen: &BTreeSet<String>,
) -> (&'static str, Option<Ruling>) {
    let Some((_, baseline)) = &held.baseline else {
        return ("new", None);
    };
    if let Some(entry) = baseline.entries.get(&finding.fingerprint) {
        let over = entry
            .ceil
            .filter(|ceil| finding.count().unwrap_or(1) > *ceil);
        return match over {
            None => ("known", None),
            Some(ceil) => (
                "surge",
                Some(Ruling {
                    ceil: Some(ceil),
                    ..Ruling::default()
                }),
            ),
        };
    }
    // The same name in the same place was another cause, and is that no more: it has changed.
    let was = baseline
        .entries
        .values()
        .find(|e| e.anchor() == finding.anchor && !seen.contains(&e.fp));
    match was {
        None => ("new", None),
        Some(entry) => (
            "changed",
            Some(Ruling {
                was: Some(entry.cause.clone()),
                ..Ruling::default()
            }),
        ),
    }
}

/// Puts a person's verdict in the place of the program's.
fn overrule(waivers: &[Waiver], void: &[bool], today: Date, outcome: &mut Outcome) {
    let mut changed = false;
    for at in 0..outcome.failures.len() {
        let Some(failure) = outcome.failures.get(at) else {
            continue;
        };
        let ruling = waivers.iter().zip(void).find(|(waiver, void)| {
            waiver.verdict.is_some()
                && !**void
                && !waiver.lapsed(today)
                && (waiver.rules(failure)
                    || outcome
                        .findings
                        .iter()
                        .any(|f| of_failure(f, failure) && waiver.covers(f)))
        });
        let Some((waiver, _)) = ruling else { continue };
        if let (Some(verdict), Some(failure)) = (waiver.verdict, outcome.failures.get_mut(at)) {
            failure.overruled = Some(Overruled {
                judged: failure.cause,
                reason: waiver.reason.clone(),
                owner: waiver.owner.clone(),
            });
            failure.cause = verdict;
            failure.class = verdict.class().to_owned();
            failure.standing = match failure.claimed {
                None => Standing::Opaque,
                Some(claimed) if claimed == verdict => Standing::Accurate,
                Some(_) => Standing::Misnamed,
            };
            failure.confidence = Confidence::Certain;
            let guide = guide(verdict);
            failure.waiting = guide.waiting;
            failure.reset_at = None;
            failure.advice.wait = guide.waiting.slug().replace('_', " ");
            failure.advice.cut_off = guide.cut_off.to_owned();
            failure.advice.change = guide.change.to_owned();
            changed = true;
        }
    }
    if changed {
        // What it cost stays, whatever it is called.
        let cost = std::mem::take(&mut outcome.summary.cost);
        outcome.summary = crate::audit::summary(&outcome.failures, &outcome.findings);
        outcome.summary.cost = cost;
        for lane in &mut outcome.lanes {
            let sum = |standing: Standing| {
                outcome
                    .failures
                    .iter()
                    .filter(|f| f.lane == lane.lane && f.standing == standing)
                    .map(|f| f.count)
                    .sum()
            };
            lane.misnamed = sum(Standing::Misnamed);
            lane.opaque = sum(Standing::Opaque);
            lane.unsupported = sum(Standing::Unsupported);
        }
    }
}

/// Whether a finding is the verdict on a failure's name.
fn of_failure(finding: &Finding, failure: &Failure) -> bool {
    matches!(finding.rule.as_str(), "misnamed" | "opaque-name")
        && finding.lane == failure.lane
        && finding.recorded == failure.recorded_name
        && finding.cause == failure.cause.slug()
}

fn absent(
    held: &Held,
    seen: &BTreeSet<String>,
    earlier: &[Run],
    now: Option<Timestamp>,
) -> Vec<Absent> {
    let Some((_, baseline)) = &held.baseline else {
        return Vec::new();
    };
    let missing = baseline.entries.values().filter(|e| !seen.contains(&e.fp));
    missing
        .map(|entry| {
            let added = entry
                .added
                .parse::<Date>()
                .ok()
                .and_then(|d| d.to_zoned_datetime(jiff::tz::TimeZone::UTC).ok())
                .map(|z| z.timestamp());
            let (last_seen, stale) = match (added, now) {
                (Some(added), Some(now)) => history::absence(earlier, &entry.fp, added, now),
                _ => (None, false),
            };
            Absent {
                fingerprint: entry.fp.clone(),
                rule: entry.rule.clone(),
                lane: entry.lane.clone(),
                recorded: entry.recorded.clone(),
                cause: entry.cause.clone(),
                state: if stale { "stale" } else { "dormant" }.to_owned(),
                last_seen: last_seen.map(|t| t.to_string()),
            }
        })
        .collect()
}

fn remarks(held: &Held, outcome: &Outcome, waivers: &[Waiver], void: &[bool]) -> Vec<Remark> {
    let file = held.waivers.as_ref().map_or("", |w| &w.file);
    // As the program had judged: an override is looked for under the cause that it overrules.
    let mut judged = outcome.failures.clone();
    for failure in &mut judged {
        if let Some(overruled) = &failure.overruled {
            failure.cause = overruled.judged;
        }
    }
    let mut out = Vec::new();
    for (waiver, void) in waivers.iter().zip(void) {
        let met = outcome.findings.iter().filter(|f| waiver.covers(f)).count();
        // One failure may be ruled by an override that meets no finding.
        let matches = met.max(judged.iter().filter(|f| waiver.rules(f)).count());
        let left = held.today.until(waiver.expires).map_or(0, |s| s.get_days());
        let state = if *void {
            "void"
        } else if waiver.lapsed(held.today) {
            "lapsed"
        } else if matches == 0 && !outcome.narrowed {
            "unused"
        } else if i64::from(left) <= WARNED {
            "soon"
        } else {
            continue;
        };
        out.push(Remark {
            place: format!("{file}:{}", waiver.line),
            state: state.to_owned(),
            what: waiver.words(),
            reason: waiver.reason.clone(),
            owner: waiver.owner.clone(),
            expires: waiver.expires.to_string(),
            matches: i64::try_from(matches).unwrap_or(i64::MAX),
        });
    }
    out
}
