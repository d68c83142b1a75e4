//! MN102: the recorded name says nothing, the evidence does.

use super::{Detector, Extent, Subject, View};
use crate::audit::failures::accused;
use crate::audit::finding::{Finding, Severity, Standing};

pub(super) const RULE: Detector = Detector {
    id: "opaque-name",
    code: "MN102",
    title: "the name says nothing",
    help: "The recorded name (FATAL, error, missing, exit 1) claims no cause, while the same operation left evidence of one. \
It keeps silent where there is no evidence: that is the evidence gap of the lane. Put the cause into the name.",
    severity: Severity::Warning,
    extent: Extent::Lane,
    knobs: &[],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for failure in view
        .judged
        .iter()
        .flat_map(|j| &j.failures)
        .filter(|f| f.standing == Standing::Opaque && accused(f))
    {
        let decides = failure.evidence.first().map_or("", |p| p.pattern.as_str());
        let subject = Subject {
            lane: &failure.lane,
            recorded: &failure.recorded_name,
            cause: failure.cause.slug(),
            decides,
        };
        let message = format!(
            "\"{}\" says nothing; it was {} ({} ×). {}",
            failure.recorded_name, failure.cause, failure.count, failure.advice.change
        );
        out.push(
            rule.finding(&subject, failure.confidence, message)
                .fact("recorded_name", &failure.recorded_name)
                .fact("cause", failure.cause)
                .fact("count", failure.count)
                .fact("waiting", failure.waiting.slug())
                .fact("decides", decides)
                .costs(failure.cost.clone())
                .at(failure.places.clone()),
        );
    }
}
