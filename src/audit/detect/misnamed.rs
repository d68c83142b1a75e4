//! MN101: the recorded name claims another cause than the evidence proves.

use super::{Detector, Extent, Subject, View};
use crate::audit::failures::accused;
use crate::audit::finding::{Finding, Severity, Standing};

pub(super) const RULE: Detector = Detector {
    id: "misnamed",
    code: "MN101",
    title: "recorded under the wrong name",
    help: "The recorded name would make a reader look for one cause; the status, code or exception of the same operation proves another. \
It keeps silent where the evidence is only possible, where the name says nothing (MN102), and where the name is right. \
Record the cause before the step that hides it, and keep the status and the body.",
    severity: Severity::Error,
    extent: Extent::Lane,
    knobs: &[],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for failure in view
        .judged
        .iter()
        .flat_map(|j| &j.failures)
        .filter(|f| f.standing == Standing::Misnamed && accused(f))
    {
        let claimed = failure.claimed.map_or("", |c| c.slug());
        let subject = Subject {
            lane: &failure.lane,
            recorded: &failure.recorded_name,
            cause: failure.cause.slug(),
            decides: "",
        };
        let message = format!(
            "\"{}\" reads as {claimed}, but it was {} ({} ×). {}",
            failure.recorded_name, failure.cause, failure.count, failure.advice.change
        );
        let mut finding = rule
            .finding(&subject, failure.confidence, message)
            .fact("recorded_name", &failure.recorded_name)
            .fact("claimed", claimed)
            .fact("cause", failure.cause)
            .fact("count", failure.count)
            .fact("waiting", failure.waiting.slug())
            .costs(failure.cost.clone())
            .at(failure.places.clone());
        if let Some(proof) = failure.evidence.first() {
            finding = finding.fact(
                "decides",
                format!("{}:{} {}", proof.file, proof.line, proof.pattern),
            );
        }
        out.push(finding);
    }
}
