//! The same credential or target, accepted again without a change: the refusal was transient.

use super::{Relations, number};
use crate::audit::case::LaneView;
use crate::cause::Cause;
use crate::evidence::{Evidence, Kind};

/// Within this many nanoseconds an acceptance refutes a refusal.
const SOON: i64 = 60_000_000_000;
/// A refusal this soon after a credential was issued may be one of a store that has not caught up.
const FRESH: i64 = 10_000_000_000;
/// How many rows to either side are looked at.
const REACH: usize = 200;

const EXPIRED: &str = "Renew the credential before its lifetime ends, and once more on a refusal, then try again: it had run out.";
const ADVICE: &str = "Probe once more with the same credential before a person is asked: it was accepted shortly after.";

/// Rewrites refusals that a later acceptance refutes, and notes what speaks against the others.
pub fn relate(view: &LaneView<'_>, relations: &mut Relations) {
    for row in (0..view.rows.len()).filter(|i| is_refusal(view.row(*i))) {
        let here = view.row(row);
        if view.rows[row].time.is_none() {
            continue;
        }
        let issued = before(view, row, FRESH).any(is_issue);
        let accepted = |same: fn(&Evidence, &Evidence) -> bool| {
            after(view, row, SOON)
                .take_while(|r| !is_issue(r))
                .any(|r| is_acceptance(r) && same(here, r))
        };
        let outlived = outlived(view, row);
        if accepted(same_credential) || (issued && accepted(same_anything)) {
            relations.rewrite(row, Cause::AuthTransient, ADVICE);
        } else if outlived.is_some() || renewed(view, row) {
            relations.rewrite(row, Cause::AuthTransient, EXPIRED);
            relations.witnesses.extend(outlived.map(|w| (row, w)));
        } else if issued
            || accepted(same_anything)
            || before(view, row, SOON).any(|r| is_acceptance(r) && same_credential(here, r))
        {
            relations.against.insert(row);
        }
    }
}

/// The row that issued the credential of a refusal, where its stated lifetime was over by then.
fn outlived(view: &LaneView<'_>, row: usize) -> Option<usize> {
    let (here, now) = (view.row(row), view.rows[row].time?);
    let issue = (0..row).rev().take(REACH).find(|i| {
        let there = view.row(*i);
        is_issue(there) && (there.file == here.file || same_credential(here, there))
    })?;
    let there = view.row(issue);
    let seconds = match (number(there, "seconds"), number(there, "minutes")) {
        (Some(seconds), _) => seconds,
        (None, Some(minutes)) => minutes.checked_mul(60)?,
        _ => return None,
    };
    let begun = there
        .values
        .get("at")
        .and_then(|at| crate::time::parse_value(at, &jiff::tz::TimeZone::UTC))
        .or(view.rows[issue].time)?;
    let age = now.checked_sub(begun)? / 1_000_000_000;
    (seconds > 0 && age >= seconds).then_some(issue)
}

/// Whether the program fetched a new credential right after the refusal, and the same target then took it.
fn renewed(view: &LaneView<'_>, row: usize) -> bool {
    let here = view.row(row);
    let mut fresh = false;
    for there in after(view, row, SOON) {
        if is_issue(there)
            && there
                .values
                .get("what")
                .is_some_and(|w| w == "token_issued")
        {
            fresh = true;
        } else if fresh
            && is_acceptance(there)
            && (shares(here, there, "target") || shares(here, there, "request"))
        {
            return true;
        }
    }
    false
}

fn before<'v>(view: &'v LaneView<'_>, row: usize, span: i64) -> impl Iterator<Item = &'v Evidence> {
    let time = view.rows[row].time;
    view.rows[..row]
        .iter()
        .rev()
        .take(REACH)
        .take_while(move |r| near(time, r.time, span))
        .map(|r| r.evidence)
}

fn after<'v>(view: &'v LaneView<'_>, row: usize, span: i64) -> impl Iterator<Item = &'v Evidence> {
    let time = view.rows[row].time;
    view.rows[row + 1..]
        .iter()
        .take(REACH)
        .take_while(move |r| near(time, r.time, span))
        .map(|r| r.evidence)
}

fn near(a: Option<i64>, b: Option<i64>, span: i64) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a.abs_diff(b) <= span as u64)
}

fn is_refusal(row: &Evidence) -> bool {
    row.kind == Kind::Cause && row.cause == Some(Cause::AuthRejected) && !row.after_effect
}

fn is_issue(row: &Evidence) -> bool {
    row.kind == Kind::Context
        && row
            .values
            .get("what")
            .is_some_and(|w| w == "token_issued" || w == "login_ok")
}

fn is_acceptance(row: &Evidence) -> bool {
    row.kind == Kind::Outcome && row.values.get("result").is_some_and(|r| r == "ok")
}

fn shares(a: &Evidence, b: &Evidence, kind: &str) -> bool {
    a.keys
        .get(kind)
        .is_some_and(|v| b.keys.get(kind) == Some(v))
}

fn same_credential(a: &Evidence, b: &Evidence) -> bool {
    shares(a, b, "credential")
}

fn same_anything(a: &Evidence, b: &Evidence) -> bool {
    ["credential", "target", "request"]
        .iter()
        .any(|kind| shares(a, b, kind))
}
