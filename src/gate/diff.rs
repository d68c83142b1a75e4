//! What changed between two stored runs.

use crate::audit::finding::{Finding, Outcome};
use serde::Serialize;
use std::collections::BTreeMap;

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// `new`, `gone`, `changed`, `worse`, `better` or `evidence`.
    pub state: &'static str,
    /// The fingerprint in the later run; of `gone`, in the earlier.
    pub fingerprint: String,
    /// The rule's name.
    pub rule: String,
    /// The lane.
    pub lane: String,
    /// The masked name.
    pub recorded: String,
    /// What differs, in words.
    pub what: String,
}

/// The differences, by state and fingerprint. `evidence` says that the same finding rests on other signs; it never
/// fails a gate.
pub fn diff(earlier: &Outcome, later: &Outcome) -> Vec<Change> {
    let old = by_fingerprint(earlier);
    let new = by_fingerprint(later);
    let mut out = Vec::new();
    let mut replaced: Vec<&str> = Vec::new();
    for (fp, finding) in &new {
        let change = |state, what: String| Change {
            state,
            fingerprint: (*fp).to_owned(),
            rule: finding.rule.clone(),
            lane: finding.lane.clone(),
            recorded: finding.recorded.clone(),
            what,
        };
        match old.get(fp) {
            Some(before) => {
                let (a, b) = (before.count().unwrap_or(1), finding.count().unwrap_or(1));
                match a.cmp(&b) {
                    std::cmp::Ordering::Less => {
                        out.push(change("worse", format!("{a} × before, {b} × now")))
                    }
                    std::cmp::Ordering::Greater => {
                        out.push(change("better", format!("{a} × before, {b} × now")))
                    }
                    std::cmp::Ordering::Equal => {}
                }
                let (a, b) = (signs(earlier, before), signs(later, finding));
                if a != b {
                    out.push(change("evidence", format!("rested on {a}, rests on {b}")));
                }
            }
            None => {
                let was = old
                    .iter()
                    .find(|(of, f)| f.anchor == finding.anchor && !new.contains_key(*of));
                match was {
                    Some((of, before)) => {
                        replaced.push(of);
                        out.push(change(
                            "changed",
                            format!("was {}, now {}", before.cause, finding.cause),
                        ));
                    }
                    None => out.push(change("new", finding.message.clone())),
                }
            }
        }
    }
    for (fp, finding) in &old {
        if !new.contains_key(fp) && !replaced.contains(fp) {
            out.push(Change {
                state: "gone",
                fingerprint: (*fp).to_owned(),
                rule: finding.rule.clone(),
                lane: finding.lane.clone(),
                recorded: finding.recorded.clone(),
                what: finding.message.clone(),
            });
        }
    }
    let rank = ["new", "changed", "worse", "gone", "better", "evidence"];
    out.sort_by_key(|c| {
        (
            rank.iter().position(|r| *r == c.state),
            c.fingerprint.clone(),
        )
    });
    out
}

fn by_fingerprint(outcome: &Outcome) -> BTreeMap<&str, &Finding> {
    outcome
        .findings
        .iter()
        .map(|f| (f.fingerprint.as_str(), f))
        .collect()
}

/// The patterns that proved what a finding is about.
fn signs(outcome: &Outcome, finding: &Finding) -> String {
    let mut signs: Vec<&str> = outcome
        .failures
        .iter()
        .filter(|f| f.lane == finding.lane && f.recorded_name == finding.recorded)
        .flat_map(|f| f.evidence.iter().map(|p| p.pattern.as_str()))
        .collect();
    signs.sort_unstable();
    signs.dedup();
    match signs.is_empty() {
        true => "nothing".to_owned(),
        false => signs.join(", "),
    }
}
