//! MN103: one cause stands under several names.

use super::{Detector, Extent, Subject, View};
use crate::audit::failures::accused;
use crate::audit::finding::{Failure, Finding, Severity};
use crate::cause::{Cause, guide};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const RULE: Detector = Detector {
    id: "many-names",
    code: "MN103",
    title: "one cause, several names",
    help: "The same cause is recorded under three or more names (or two in one lane) that do not name it, so that it looks like several small faults instead of one. \
Names that are right, and names that differ only in numbers or ids, do not count. Record one name for it everywhere.",
    severity: Severity::Error,
    extent: Extent::AllLanes,
    knobs: &[("names", "3", "how many names of one cause make a finding")],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    let mut by_cause: BTreeMap<Cause, Vec<&Failure>> = BTreeMap::new();
    for failure in view
        .judged
        .iter()
        .flat_map(|j| &j.failures)
        .filter(|f| accused(f))
    {
        by_cause.entry(failure.cause).or_default().push(failure);
    }
    let least = view
        .settings
        .knob("*", rule.id, "names")
        .and_then(|v| v.as_integer())
        .unwrap_or(3)
        .max(2) as usize;
    for (cause, failures) in by_cause {
        let mut names: Vec<&str> = Vec::new();
        for failure in &failures {
            for name in std::iter::once(&failure.recorded_name).chain(&failure.aliases) {
                if !names.contains(&name.as_str()) {
                    names.push(name);
                }
            }
        }
        // Names that followed one another on one failure are listed; what counts is how differently failures were named.
        let own: BTreeSet<(&str, Option<Cause>)> = failures
            .iter()
            .map(|f| (f.recorded_name.as_str(), f.claimed))
            .collect();
        let readings: BTreeSet<Option<Cause>> = own.iter().map(|(_, c)| *c).collect();
        if names.len() < least || own.len() < least || readings.len() < 2 {
            continue;
        }
        let lanes: BTreeSet<&str> = failures.iter().map(|f| f.lane.as_str()).collect();
        let count: i64 = failures.iter().map(|f| f.count).sum();
        let confidence = failures
            .iter()
            .map(|f| f.confidence)
            .max()
            .unwrap_or(failures[0].confidence);
        let lane = if lanes.len() == 1 {
            failures[0].lane.as_str()
        } else {
            "*"
        };
        let subject = Subject {
            lane,
            recorded: "",
            cause: cause.slug(),
            decides: "",
        };
        let mut cost = crate::audit::finding::Cost::default();
        failures
            .iter()
            .for_each(|f| crate::audit::add(&mut cost, &f.cost));
        let message = format!(
            "{cause} stands under {} names in {}: {}. {}",
            names.len(),
            lane_count(&lanes),
            names.join(", "),
            guide(cause).change
        );
        out.push(
            rule.finding(&subject, confidence, message)
                .fact("cause", cause)
                .fact("names", names.join(" | "))
                .fact("name_count", names.len())
                .fact(
                    "lanes",
                    lanes.iter().copied().collect::<Vec<_>>().join(", "),
                )
                .fact("count", count)
                .costs(cost)
                .at(failures.iter().filter_map(|f| f.places.first().cloned())),
        );
    }
}

fn lane_count(lanes: &BTreeSet<&str>) -> String {
    if lanes.len() == 1 {
        "one lane".to_string()
    } else {
        format!("{} lanes", lanes.len())
    }
}
