//! MN401: what was taken out comes back, fails in the same way, and is taken out again.

use super::{Detector, Extent, Subject, View};
use crate::audit::failures::place;
use crate::audit::finding::{Confidence, Finding, Severity, Tally};
use crate::audit::observe::{Hold, Observed, SECOND, between, span};

pub(super) const RULE: Detector = Detector {
    id: "quarantine-loop",
    code: "MN401",
    title: "in and out of quarantine, for ever",
    help: "The same account, host, job or deployment is put into quarantine (benched, banned, cooled down, disabled for a while), comes back, fails again and is put in again, and nothing counts the rounds. \
It keeps silent where the rounds are counted against a bound, where each key goes in once, and where it stays in good order after it came back. \
Drop it for good after twice the threshold; if all fail at once, look at your own session first.",
    severity: Severity::Warning,
    extent: Extent::Key,
    knobs: &[("rounds", "3", "how often one key goes in")],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, _, observed) in view.lanes() {
        let least = rule.knob(view, lane.lane, "rounds").max(2) as usize;
        let mut looping: Vec<(&str, Vec<&Hold>)> = Vec::new();
        for (key, holds) in observed.holds.iter().filter(|(k, _)| !k.starts_with('<')) {
            let rounds = rounds(observed, holds);
            if rounds.len() >= least && !rounds.iter().any(|h| h.counted) {
                looping.push((key, rounds));
            }
        }
        let Some((key, worst)) = looping
            .iter()
            .max_by_key(|(k, r)| (r.len(), std::cmp::Reverse(*k)))
        else {
            continue;
        };
        let mut tally = Tally::default();
        for (_, rounds) in &looping {
            for hold in rounds.iter().skip(1) {
                tally.attempt(lane.row(hold.row));
            }
        }
        let length = between(worst[0].time, worst.last().and_then(|h| h.time));
        let subject = Subject {
            lane: lane.lane,
            recorded: key,
            cause: "",
            decides: "",
        };
        let others = match looping.len() {
            1 => String::new(),
            n => format!(" ({n} such keys)"),
        };
        out.push(
            rule.finding(
                &subject,
                Confidence::Likely,
                format!(
                    "\"{key}\" went in {} times within {}{others}, and nothing counts the rounds. Drop it for good after twice the threshold.",
                    worst.len(),
                    span(length)
                ),
            )
            .fact("key", key)
            .fact("rounds", worst.len())
            .fact("keys", looping.len())
            .tallied(tally)
            .at(worst.iter().map(|h| place(lane.row(h.row)))),
        );
    }
}

/// The entries with a failure or a way out before the next one: a state that is merely printed again is one entry.
fn rounds<'h>(observed: &Observed<'_>, holds: &'h [Hold]) -> Vec<&'h Hold> {
    let mut out: Vec<&Hold> = Vec::new();
    let mut left = true;
    for hold in holds {
        if !hold.enters {
            left = true;
            continue;
        }
        let failed = out.last().is_none_or(|last| {
            observed.signs.iter().any(|s| {
                matches!((last.time, s.time, hold.time), (Some(a), Some(t), Some(b)) if t > a && t <= b + SECOND)
            })
        });
        if left || failed {
            out.push(hold);
        }
        left = false;
    }
    out
}
