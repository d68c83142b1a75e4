//! MN307: a failure that passes by itself ends the work at the first try.

use super::{Detector, Extent, Subject, View};
use crate::audit::finding::{Confidence, Finding, Severity};
use crate::cause::Cause;

pub(super) const RULE: Detector = Detector {
    id: "no-retry",
    code: "MN307",
    title: "a passing failure, never tried again",
    help: "The cause passes by itself within moments, it came more than once, and the lane shows no retry at all. \
It keeps silent where any retry layer writes to the lane, and for causes that a retry does not mend. Try once more after a short pause.",
    severity: Severity::Note,
    extent: Extent::Lane,
    knobs: &[("times", "2", "how many such failures make a finding")],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, judged, observed) in view.lanes() {
        let times = rule.knob(view, lane.lane, "times").max(1);
        if !observed.attempts.is_empty() {
            continue;
        }
        for failure in judged.failures.iter().filter(|f| {
            f.cause == Cause::AuthTransient
                && f.confidence > Confidence::Possible
                && f.count >= times
        }) {
            let subject = Subject {
                lane: &failure.lane,
                recorded: &failure.recorded_name,
                cause: failure.cause.slug(),
                decides: "",
            };
            out.push(
                rule.finding(
                    &subject,
                    Confidence::Likely,
                    format!(
                        "{} ended the work {} times at the first try, and passes within moments. Try once more after a short pause.",
                        failure.cause, failure.count
                    ),
                )
                .fact("count", failure.count)
                .at(failure.places.clone()),
            );
        }
    }
}
