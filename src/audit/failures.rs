//! Verdicts of one lane, gathered: one entry for each recorded name and cause.

use super::case::{Case, LaneView};
use super::finding::{Advice, Confidence, Cost, Failure, Place, Proof, SetAside, Standing};
use super::verdict::{self, Verdict, relation::Relations};
use crate::cause::{Cause, guide};
use crate::evidence::{Evidence, Kind};
use crate::time::rfc3339;
use std::collections::{BTreeMap, BTreeSet};

/// At most this many places, proofs and refusals are listed for a failure; the count is exact.
const LISTED: usize = 20;
/// So many signs of the cause stand before what bears on it.
const SIGNS: usize = 3;
/// At most so many lines that bear on it.
const BEARING: usize = 2;
/// How many rows to either side of the name are looked at for them.
const NEAR: usize = 20;
/// At most this many lines of proof.
const PROOFS: usize = 10;

/// What is known of a lane after its verdicts.
pub struct Judged<'t> {
    /// The lane.
    pub lane: &'t str,
    /// The relations found in it.
    pub relations: Relations,
    /// One verdict for each case of the lane, in order; `None` where the case is outside the time asked for.
    pub verdicts: Vec<Option<Verdict>>,
    /// The verdicts gathered.
    pub failures: Vec<Failure>,
}

/// Judges every case of a lane and gathers the verdicts.
pub fn judge<'t>(view: &LaneView<'t>, since: Option<i64>, until: Option<i64>) -> Judged<'t> {
    let relations = Relations::of(view);
    let inside = |case: &Case| {
        let time = view.row(case.best).time;
        since.is_none_or(|s| time.is_some_and(|t| t >= s))
            && until.is_none_or(|u| time.is_some_and(|t| t <= u))
    };
    let verdicts: Vec<Option<Verdict>> = view
        .cases
        .iter()
        .map(|case| inside(case).then(|| verdict::judge(view, case, &relations)))
        .collect();
    let failures = gather(view, &verdicts);
    Judged {
        lane: view.lane,
        relations,
        verdicts,
        failures,
    }
}

fn gather(view: &LaneView<'_>, verdicts: &[Option<Verdict>]) -> Vec<Failure> {
    let mut groups: BTreeMap<(&str, Cause), Vec<usize>> = BTreeMap::new();
    for (index, verdict) in verdicts.iter().enumerate() {
        if let Some(verdict) = verdict {
            groups
                .entry((&view.row(view.cases[index].best).name, verdict.cause))
                .or_default()
                .push(index);
        }
    }
    groups
        .into_iter()
        .filter_map(|((name, cause), members)| failure(view, verdicts, name, cause, &members))
        .collect()
}

fn failure(
    view: &LaneView<'_>,
    verdicts: &[Option<Verdict>],
    name: &str,
    cause: Cause,
    members: &[usize],
) -> Option<Failure> {
    let pairs: Vec<(&Case, &Verdict)> = members
        .iter()
        .filter_map(|i| Some((&view.cases[*i], verdicts[*i].as_ref()?)))
        .collect();
    // The surest verdict speaks for the group; of equals the first.
    let (case, verdict) = pairs
        .iter()
        .copied()
        .min_by_key(|(c, v)| (std::cmp::Reverse(v.confidence), c.best))?;
    let best = view.row(case.best);
    let mut aliases: BTreeSet<&str> = BTreeSet::new();
    for (case, _) in &pairs {
        aliases.extend(
            case.names
                .iter()
                .map(|n| view.row(*n).name.as_str())
                .filter(|n| *n != name),
        );
    }
    let times: Vec<i64> = pairs
        .iter()
        .flat_map(|(c, _)| c.names.iter().filter_map(|n| view.row(*n).time))
        .collect();
    let mut places: Vec<Place> = pairs.iter().map(|(c, _)| place(view.row(c.best))).collect();
    places.dedup();
    places.truncate(LISTED);
    let mut evidence: Vec<Proof> = Vec::new();
    for (row, decides) in verdict
        .proofs
        .iter()
        .zip(std::iter::once(true).chain(std::iter::repeat(false)))
    {
        let proof = proof(view.row(*row), decides);
        if !evidence
            .iter()
            .any(|p| (&p.file, p.line) == (&proof.file, proof.line))
        {
            evidence.push(proof);
        }
    }
    // What stands beside it and bears on it: a limit, a reset, an attempt, a token issued.
    evidence.truncate(SIGNS);
    for row in beside(view, case) {
        let proof = proof(view.row(row), false);
        if evidence.len() < SIGNS + BEARING
            && !evidence
                .iter()
                .any(|p| (&p.file, p.line) == (&proof.file, proof.line))
        {
            evidence.push(proof);
        }
    }
    // One more of each other operation of the group, so that the list shows more than one day.
    for (_, verdict) in &pairs {
        if let Some(row) = verdict.proofs.first() {
            let proof = proof(view.row(*row), false);
            if evidence.len() < PROOFS
                && !evidence
                    .iter()
                    .any(|p| (&p.file, p.line) == (&proof.file, proof.line))
            {
                evidence.push(proof);
            }
        }
    }
    // The same sign elsewhere in the run: a reader sees by it that it is no chance.
    if let Some(row) = verdict.proofs.first() {
        for again in same_sign(view, *row) {
            let proof = proof(view.row(again), false);
            if evidence.len() < 5
                && !evidence
                    .iter()
                    .any(|p| (&p.file, p.line) == (&proof.file, proof.line))
            {
                evidence.push(proof);
            }
        }
    }
    evidence.truncate(PROOFS);
    let guide = guide(cause);
    let count: i64 = pairs.iter().map(|(c, _)| c.count).sum();
    let standing = verdict.standing;
    let change = if verdict.advice.is_empty() {
        guide.change.to_string()
    } else {
        verdict.advice.clone()
    };
    let reset_at = pairs
        .iter()
        .filter_map(|(_, v)| v.reset_at)
        .max()
        .map(rfc3339);
    Some(Failure {
        lane: view.lane.to_string(),
        recorded_name: name.to_string(),
        aliases: aliases
            .into_iter()
            .take(LISTED)
            .map(str::to_string)
            .collect(),
        claimed: best.claims.first().copied(),
        cause,
        class: cause.class().to_string(),
        standing,
        waiting: verdict.waiting,
        confidence: verdict.confidence,
        count,
        first: times.iter().min().copied().map(rfc3339),
        last: times.iter().max().copied().map(rfc3339),
        places,
        evidence,
        set_aside: verdict
            .set_aside
            .iter()
            .map(|(row, why)| SetAside {
                file: view.row(*row).file.to_string(),
                line: view.row(*row).line,
                pattern: view.row(*row).pattern.to_string(),
                why: (*why).to_string(),
            })
            .collect(),
        advice: Advice {
            wait: wait(verdict, reset_at.as_deref()),
            cut_off: guide.cut_off.to_string(),
            change,
        },
        reset_at,
        cost: Cost {
            items: if standing == Standing::Unsupported {
                0
            } else {
                count
            },
            ..Cost::default()
        },
    })
}

/// Rows near the names of a case that bear on it without being signs of a cause, nearest first.
fn beside(view: &LaneView<'_>, case: &Case) -> Vec<usize> {
    let here = view.rows[case.best];
    let file = view.of_file(&here.evidence.file);
    let bears = |i: &usize| {
        let there = view.rows[*i];
        matches!(
            there.evidence.kind,
            Kind::Limit | Kind::Reset | Kind::Attempt | Kind::GiveUp | Kind::Hold | Kind::Context
        ) && there.run == here.run
            && there.evidence.offset != here.evidence.offset
    };
    let mut rows: Vec<usize> = file
        [here.rank.saturating_sub(NEAR)..file.len().min(here.rank + NEAR)]
        .iter()
        .copied()
        .filter(bears)
        .collect();
    rows.sort_by_key(|i| (view.rows[*i].rank.abs_diff(here.rank), *i));
    rows
}

/// Rows of the same pattern in the same run of the same file, nearest before first.
fn same_sign(view: &LaneView<'_>, row: usize) -> Vec<usize> {
    let here = view.rows[row];
    let file = view.of_file(&here.evidence.file);
    let same = |i: &usize| {
        view.row(*i).pattern == here.evidence.pattern && view.rows[*i].run == here.run && *i != row
    };
    let before = file[..here.rank].iter().rev().take(200).copied();
    let after = file[here.rank + 1..].iter().take(200).copied();
    before.chain(after).filter(same).take(8).collect()
}

fn wait(verdict: &Verdict, reset_at: Option<&str>) -> String {
    use crate::cause::Waiting;
    match (verdict.waiting, reset_at) {
        (Waiting::Yes, _) => "yes".to_string(),
        (Waiting::AfterReset, Some(at)) => format!("after the reset at {at}"),
        (Waiting::AfterReset, None) => {
            "after the limit's window; its end is not in the log".to_string()
        }
        (Waiting::No, _) => "no".to_string(),
        (Waiting::Depends, _) => "the log does not say".to_string(),
    }
}

/// Where a row stands.
pub fn place(row: &Evidence) -> Place {
    Place {
        file: row.file.to_string(),
        line: row.line,
        end_line: row.end_line,
    }
}

fn proof(row: &Evidence, decides: bool) -> Proof {
    Proof {
        file: row.file.to_string(),
        line: row.line,
        end_line: row.end_line,
        kind: row.kind.slug().to_string(),
        pattern: row.pattern.to_string(),
        text: row.text.clone(),
        decides,
    }
}

/// Whether a failure accuses its name, and surely enough.
pub fn accused(failure: &Failure) -> bool {
    matches!(failure.standing, Standing::Misnamed | Standing::Opaque)
        && failure.confidence > Confidence::Possible
}
