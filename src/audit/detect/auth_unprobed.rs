//! MN107: a refusal that would have passed is handed to a person.

use super::{Detector, Extent, Subject, View};
use crate::audit::failures::accused;
use crate::audit::finding::{Finding, Severity};
use crate::cause::Cause;

pub(super) const RULE: Detector = Detector {
    id: "auth-unprobed",
    code: "MN107",
    title: "a passing refusal, handed to a person",
    help: "A credential was refused and accepted shortly after, unchanged, and the lane did not try again: the failure goes to a person as an expired login. \
It keeps silent where the lane retries, and where the refusal is a real one. Probe once with the same credential before a person is asked.",
    severity: Severity::Warning,
    extent: Extent::Lane,
    knobs: &[],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (_, judged, observed) in view.lanes() {
        if !observed.attempts.is_empty() {
            continue;
        }
        for failure in judged
            .failures
            .iter()
            .filter(|f| f.cause == Cause::AuthTransient && accused(f))
        {
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
                        "\"{}\" was handed on {} ×, and the same credential was accepted shortly after. Probe once before a person is asked.",
                        failure.recorded_name, failure.count
                    ),
                )
                .fact("count", failure.count)
                .at(failure.places.clone()),
            );
        }
    }
}
