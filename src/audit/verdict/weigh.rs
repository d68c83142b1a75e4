//! The weights: measured on labelled cases, in tenths.

use super::super::case::{Case, LaneView, Row};
use super::relation::Relations;
use crate::cause::Cause;
use crate::evidence::{Evidence, Grade, Kind, OWN_WORDS};
use std::collections::{BTreeMap, BTreeSet};

/// How near a sign stands to the failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// In the record that names the failure, its trace or its cause chain.
    Own,
    /// In a record that shares its request or target.
    Key,
    /// Within three lines.
    Beside,
    /// In another file of the lane at the same time.
    Elsewhere,
    /// In the same run, or within a minute where no runs are seen.
    Window,
    /// Outside.
    Far,
}

impl Scope {
    const fn weight(self) -> i64 {
        match self {
            Scope::Own => 30,
            Scope::Key => 26,
            Scope::Beside | Scope::Elsewhere => 16,
            Scope::Window => 8,
            Scope::Far => -30,
        }
    }
}

/// Nanoseconds within which records of one file belong together where no runs are seen.
const WINDOW: i64 = 60_000_000_000;
/// Nanoseconds within which a record of another file of the lane may explain a failure.
const OTHER_FILE: i64 = 180_000_000_000;
/// How many rows to either side are looked at.
const REACH: usize = 200;
/// How many names of a case are looked around.
const ANCHORS: usize = 8;
/// Lines within which records without times belong together.
const LINES: i64 = 40;

/// What a step of depth adds.
const DEPTH: i64 = 8;
/// What a sign in the words of the name itself gets for its place: they are what is claimed, so they prove no more
/// than what stands beside the name.
const CLAIMED: i64 = 16;

/// A sign of a cause, weighed for one case.
#[derive(Clone, Debug)]
pub struct Weighed {
    /// The row.
    pub row: usize,
    /// What it is a sign of, after relations.
    pub cause: Cause,
    /// Its grade, after relations.
    pub grade: Grade,
    /// How near it stands.
    pub scope: Scope,
    /// The sum.
    pub score: i64,
    /// A consequence.
    pub after_effect: bool,
    /// It stands in the words of the name itself.
    pub claimed: bool,
    /// No run holds it and the failure together.
    pub loose: bool,
    /// It is of another process or names another target.
    pub foreign: bool,
}

/// All signs of one cause.
#[derive(Clone, Debug)]
pub struct Sum {
    /// The cause.
    pub cause: Cause,
    /// Its weight.
    pub score: i64,
    /// The index of its best sign among the candidates.
    pub best: usize,
    /// The order of its best sign's row.
    pub first: usize,
    /// How many different patterns speak for it.
    pub signs: usize,
}

/// The signs around a case, each once, with the scope in which it stands nearest.
pub fn candidates(view: &LaneView<'_>, case: &Case, relations: &Relations) -> Vec<Weighed> {
    let mut found: BTreeMap<usize, Weighed> = BTreeMap::new();
    let mut anchors: Vec<usize> = vec![case.best];
    anchors.extend(case.names.iter().copied().take(ANCHORS));
    anchors.extend(case.names.iter().rev().copied().take(ANCHORS));
    anchors.sort_unstable();
    anchors.dedup();
    for anchor in anchors {
        let mut reached: BTreeSet<usize> = BTreeSet::new();
        around(view, anchor, &mut reached);
        for row in reached {
            let Some((cause, grade)) = relations.reading(view, row) else {
                continue;
            };
            let weighed = weigh(view, anchor, row, cause, grade);
            if weighed.scope == Scope::Far {
                continue;
            }
            let slot = found.entry(row).or_insert_with(|| weighed.clone());
            if weighed.score > slot.score {
                *slot = weighed;
            }
        }
    }
    let mut all: Vec<Weighed> = found.into_values().collect();
    all.sort_by_key(|w| (std::cmp::Reverse(w.score), w.row));
    all.truncate(64);
    all
}

/// The rows near an anchor: in time, in its file, and by shared keys.
fn around(view: &LaneView<'_>, anchor: usize, reached: &mut BTreeSet<usize>) {
    let here = &view.rows[anchor];
    let near = |other: &Row<'_>| match (here.time, other.time) {
        (Some(a), Some(b)) => a.abs_diff(b) <= OTHER_FILE as u64,
        _ => true,
    };
    let sign = |i: &usize| view.row(*i).kind == Kind::Cause;
    let after = (anchor..view.rows.len())
        .take_while(|i| near(&view.rows[*i]))
        .take(REACH);
    let before = (0..anchor)
        .rev()
        .take_while(|i| near(&view.rows[*i]))
        .take(REACH);
    reached.extend(after.filter(sign));
    reached.extend(before.filter(sign));
    let file = view.of_file(&here.evidence.file);
    let from = here.rank.saturating_sub(REACH / 2);
    reached.extend(
        file[from..file.len().min(here.rank + REACH / 2)]
            .iter()
            .copied()
            .filter(sign),
    );
    for (kind, value) in &here.evidence.keys {
        if matches!(
            kind.as_str(),
            "logger" | "thread" | "process" | "credential"
        ) {
            continue;
        }
        let sharing = view.with_key(kind, value);
        let at = sharing.partition_point(|i| *i < anchor);
        let from = at.saturating_sub(32);
        reached.extend(
            sharing[from..sharing.len().min(at + 32)]
                .iter()
                .copied()
                .filter(sign),
        );
    }
}

fn weigh(view: &LaneView<'_>, anchor: usize, row: usize, cause: Cause, grade: Grade) -> Weighed {
    let (here, there) = (&view.rows[anchor], &view.rows[row]);
    let scope = scope(here, there);
    let evidence = there.evidence;
    let claimed = evidence.values.contains_key(OWN_WORDS) && scope == Scope::Own;
    let place = if claimed { CLAIMED } else { scope.weight() };
    let mut score = grade.weight() + DEPTH * cause.depth() + place;
    if evidence.after_effect {
        score -= 30;
    }
    let mut foreign = false;
    if !matches!(scope, Scope::Own | Scope::Key) {
        let same_file = evidence.file == here.evidence.file;
        let lines = if same_file {
            (evidence.line - here.evidence.line).abs()
        } else {
            10
        };
        score -= (lines / 4).min(5);
        if same_file && evidence.offset > here.evidence.offset {
            // What comes after belongs to the next call more often than not.
            score -= if grade >= Grade::Status { 10 } else { 3 };
            foreign = true;
        }
        if other_target(here.evidence, evidence) {
            score -= 12;
            foreign = true;
        }
        if same_file && other_session(here.evidence, evidence) {
            score -= 25;
            foreign = true;
        }
    }
    Weighed {
        row,
        cause,
        grade,
        scope,
        score,
        after_effect: evidence.after_effect,
        claimed,
        loose: !here.has_runs,
        foreign,
    }
}

/// Whether both are of one program and of different processes of it: sessions of a server that have nothing in common.
fn other_session(here: &Evidence, there: &Evidence) -> bool {
    let differ = |kind: &str| matches!((here.keys.get(kind), there.keys.get(kind)), (Some(a), Some(b)) if a != b);
    differ("process")
        && here.keys.contains_key("logger")
        && here.keys.get("logger") == there.keys.get("logger")
}

/// Whether both name a target of the same sort and the targets differ: then the sign is of another call.
fn other_target(here: &Evidence, there: &Evidence) -> bool {
    match (here.keys.get("target"), there.keys.get("target")) {
        (Some(a), Some(b)) => {
            a != b
                && a.contains("://") == b.contains("://")
                && a.contains('/') == b.contains('/')
                && !a.contains(b.as_str())
                && !b.contains(a.as_str())
        }
        _ => false,
    }
}

fn scope(here: &Row<'_>, there: &Row<'_>) -> Scope {
    let (a, b) = (here.evidence, there.evidence);
    let gap = match (here.time, there.time) {
        (Some(a), Some(b)) => Some(a.abs_diff(b) as i64),
        _ => None,
    };
    let same_file = a.file == b.file;
    if same_file && a.offset == b.offset {
        return Scope::Own;
    }
    let shares = |kind: &str| {
        a.keys
            .get(kind)
            .is_some_and(|v| b.keys.get(kind) == Some(v))
    };
    if shares("request") {
        return Scope::Key;
    }
    let same_run = !(here.has_runs && there.has_runs && same_file) || here.run == there.run;
    if shares("target") && same_run && gap.is_none_or(|g| g <= 10 * WINDOW) {
        return Scope::Key;
    }
    if same_file {
        if !same_run {
            return Scope::Far;
        }
        let lines = (b.record_line - a.record_end).max(a.record_line - b.record_end);
        return if lines <= 3 && gap.is_none_or(|g| g <= WINDOW) {
            Scope::Beside
        } else if gap.is_some_and(|g| g <= WINDOW)
            || (gap.is_none() && lines <= LINES)
            || (here.has_runs && here.run > 0 && gap.is_some_and(|g| g <= 10 * WINDOW))
        {
            Scope::Window
        } else {
            Scope::Far
        };
    }
    match gap {
        Some(gap) if gap <= OTHER_FILE => Scope::Elsewhere,
        _ => Scope::Far,
    }
}

/// The candidates summed by cause: the best sign, and a little for each further pattern that agrees.
pub fn by_cause(candidates: &[Weighed]) -> Vec<Sum> {
    let mut sums: BTreeMap<Cause, Sum> = BTreeMap::new();
    let mut rows: BTreeMap<Cause, BTreeSet<(usize, Grade)>> = BTreeMap::new();
    for (index, candidate) in candidates.iter().enumerate() {
        rows.entry(candidate.cause)
            .or_default()
            .insert((candidate.row, candidate.grade));
        sums.entry(candidate.cause)
            .and_modify(|s| {
                s.signs += 1;
                if candidate.score > candidates[s.best].score {
                    s.best = index;
                    s.first = candidate.row;
                }
            })
            .or_insert(Sum {
                cause: candidate.cause,
                score: 0,
                best: index,
                first: candidate.row,
                signs: 1,
            });
    }
    for sum in sums.values_mut() {
        sum.score = candidates[sum.best].score + 2 * (sum.signs as i64 - 1).min(3);
    }
    sums.into_values().collect()
}

/// The rows that prove a cause: the deciding one, then those of other records than the one that names the failure,
/// which a reader would not look at otherwise.
pub fn proofs(candidates: &[Weighed], sum: &Sum) -> Vec<usize> {
    let decider = candidates[sum.best].row;
    let mut rows: Vec<(bool, usize, usize)> = candidates
        .iter()
        .enumerate()
        .filter(|(_, c)| c.cause == sum.cause && !c.after_effect && c.row != decider)
        .map(|(order, c)| (c.scope == Scope::Own, order, c.row))
        .collect();
    rows.sort_unstable();
    std::iter::once(decider)
        .chain(rows.into_iter().map(|(_, _, row)| row))
        .take(12)
        .collect()
}
