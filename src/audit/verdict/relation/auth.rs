//! The same credential or target, accepted again without a change: the refusal was transient.

use super::Relations;
use crate::audit::case::LaneView;
use crate::cause::Cause;
use crate::evidence::{Evidence, Kind};

/// Within this many nanoseconds an acceptance refutes a refusal.
const SOON: i64 = 60_000_000_000;
/// A refusal this soon after a credential was issued may be one of a store that has not caught up.
const FRESH: i64 = 10_000_000_000;
/// How many rows to either side are looked at.
const REACH: usize = 200;

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
        if accepted(same_credential) || (issued && accepted(same_anything)) {
            relations.rewrite(row, Cause::AuthTransient, ADVICE);
        } else if issued
            || accepted(same_anything)
            || before(view, row, SOON).any(|r| is_acceptance(r) && same_credential(here, r))
        {
            relations.against.insert(row);
        }
    }
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
