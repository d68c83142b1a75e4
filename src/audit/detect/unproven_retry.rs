//! MN314: a lane claims to retry and never showed it.

use super::{Detector, Extent, Subject, View};
use crate::audit::finding::{Confidence, Finding, Severity};

pub(super) const RULE: Detector = Detector {
    id: "unproven-retry",
    code: "MN314",
    title: "retries that nobody has seen",
    help: "`declares-retries = true` says that every retry of the lane is written to its log, and no line of a retry layer stands there: neither a real one nor one of an injected fault. \
It keeps silent for lanes that declare nothing. Make one call fail on purpose and look at the log.",
    severity: Severity::Note,
    extent: Extent::Lane,
    knobs: &[],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, _, observed) in view.lanes() {
        let declares = view
            .settings
            .lane(lane.lane)
            .is_some_and(|s| s.declares_retries);
        if !declares || !observed.attempts.is_empty() {
            continue;
        }
        let subject = Subject {
            lane: lane.lane,
            recorded: "",
            cause: "",
            decides: "",
        };
        out.push(rule.finding(
            &subject,
            Confidence::Likely,
            "the lane declares retries, and no line of one was ever written. Make one call fail on purpose and look.".to_string(),
        ));
    }
}
