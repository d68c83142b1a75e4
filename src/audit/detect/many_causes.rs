//! MN104: one name stands for several causes.

use super::{Detector, Extent, Subject, View};
use crate::audit::finding::{Confidence, Failure, Finding, Severity};
use crate::cause::Cause;
use std::collections::BTreeMap;

pub(super) const RULE: Detector = Detector {
    id: "many-causes",
    code: "MN104",
    title: "one name, several causes",
    help: "In one lane the same recorded name covers causes that want different answers, so that no one answer fits the name. \
Causes that are only possible, and those of one class with the same answer to waiting, do not count. Split the name by cause.",
    severity: Severity::Warning,
    extent: Extent::Lane,
    knobs: &[],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for judged in view.judged {
        let mut by_name: BTreeMap<&str, Vec<&Failure>> = BTreeMap::new();
        for failure in judged
            .failures
            .iter()
            .filter(|f| f.cause != Cause::Unknown && f.confidence > Confidence::Possible)
        {
            by_name
                .entry(&failure.recorded_name)
                .or_default()
                .push(failure);
        }
        for (name, failures) in by_name {
            let differ = failures.iter().any(|a| {
                failures
                    .iter()
                    .any(|b| a.cause.class() != b.cause.class() || a.waiting != b.waiting)
            });
            if failures.len() < 2 || !differ {
                continue;
            }
            let causes: Vec<String> = failures
                .iter()
                .map(|f| format!("{} {} ×", f.cause, f.count))
                .collect();
            let subject = Subject {
                lane: judged.lane,
                recorded: name,
                cause: "",
                decides: "",
            };
            let confidence = failures
                .iter()
                .map(|f| f.confidence)
                .min()
                .unwrap_or(Confidence::Likely);
            out.push(
                rule.finding(
                    &subject,
                    confidence,
                    format!(
                        "\"{name}\" stands for {} causes: {}. Split the name by cause.",
                        failures.len(),
                        causes.join(", ")
                    ),
                )
                .fact("recorded_name", name)
                .fact(
                    "causes",
                    failures
                        .iter()
                        .map(|f| f.cause.slug())
                        .collect::<Vec<_>>()
                        .join(", "),
                )
                .at(failures.iter().filter_map(|f| f.places.first().cloned())),
            );
        }
    }
}
