//! MN110: a normal cut-off is recorded as a failure.

use super::{Detector, Extent, Subject, View};
use crate::audit::failures::accused;
use crate::audit::finding::{Finding, Severity, Standing};
use crate::cause::Cause;

pub(super) const RULE: Detector = Detector {
    id: "budget-as-failure",
    code: "MN110",
    title: "the budget's end, recorded as a failure",
    help: "A run used up its time (or was told to stop) and went out under the name of a failure, so that a normal cut-off counts as a fault. \
It keeps silent where the name says so. Give the cut-off an ending of its own, and say what is left.",
    severity: Severity::Warning,
    extent: Extent::Lane,
    knobs: &[],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for failure in view.judged.iter().flat_map(|j| &j.failures).filter(|f| {
        f.cause == Cause::CancelledOrTimeBudget && f.standing == Standing::Misnamed && accused(f)
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
                failure.confidence,
                format!(
                    "\"{}\" was the end of the time budget ({} ×): a normal cut-off. Give it an ending of its own.",
                    failure.recorded_name, failure.count
                ),
            )
            .fact("count", failure.count)
            .at(failure.places.clone()),
        );
    }
}
