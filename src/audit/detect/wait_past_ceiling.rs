//! MN309: the pauses of one call add up to more than the lane allows itself.

use super::{Detector, Extent, Subject, View};
use crate::audit::failures::place;
use crate::audit::finding::{Confidence, Finding, Severity, Tally};
use crate::audit::observe::{Attempt, SECOND, between, seconds, span};

pub(super) const RULE: Detector = Detector {
    id: "wait-past-ceiling",
    code: "MN309",
    title: "waited longer than allowed",
    help: "`wait-ceiling` in misnomer.toml says how long a call may wait in all, and the pauses that its retry layer announced add up to more. \
It keeps silent for lanes without a ceiling. Decide the whole wait first, and cut the last pause to what is left of it.",
    severity: Severity::Warning,
    extent: Extent::Lane,
    knobs: &[],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, _, observed) in view.lanes() {
        let Some(ceiling) = view.settings.lane(lane.lane).and_then(|s| s.wait_ceiling) else {
            continue;
        };
        // The pauses of one call follow one another: each begins when the one before has passed.
        let mut calls: Vec<Vec<&Attempt>> = Vec::new();
        for attempt in observed.attempts.iter().filter(|a| a.delay.is_some()) {
            let follows = calls.last().and_then(|c| c.last()).is_some_and(|last| {
                let pause = last.delay.map_or(0, seconds);
                last.layer == attempt.layer
                    && last.failed < attempt.failed
                    && between(last.time, attempt.time) <= pause + 60
            });
            match calls.last_mut() {
                Some(call) if follows => call.push(attempt),
                _ => calls.push(vec![attempt]),
            }
        }
        let waited =
            |call: &[&Attempt]| -> i64 { seconds(call.iter().filter_map(|a| a.delay).sum()) };
        let over: Vec<&Vec<&Attempt>> = calls.iter().filter(|c| waited(c) > ceiling).collect();
        let Some(worst) = over.iter().map(|c| waited(c)).max() else {
            continue;
        };
        let mut tally = Tally::default();
        for call in &over {
            let from = call[0].time;
            tally.span(
                lane.lane,
                from.map(|t| t + ceiling * SECOND),
                from.map(|t| t + waited(call) * SECOND),
            );
        }
        let subject = Subject {
            lane: lane.lane,
            recorded: "",
            cause: "",
            decides: "",
        };
        out.push(
            rule.finding(
                &subject,
                Confidence::Certain,
                format!(
                    "{} calls waited longer than the {} that the lane allows itself, {} at most. Decide the whole wait first.",
                    over.len(),
                    span(ceiling),
                    span(worst)
                ),
            )
            .fact("calls", over.len())
            .fact("ceiling_s", ceiling)
            .fact("waited_s", worst)
            .tallied(tally)
            .at(over.iter().map(|c| place(lane.row(c[0].row)))),
        );
    }
}
