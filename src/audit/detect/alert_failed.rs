//! MN503: an alert could not be delivered.

use super::{Detector, Extent, Subject, View};
use crate::audit::failures::place;
use crate::audit::finding::{Confidence, Finding, Severity, Tally};

pub(super) const RULE: Detector = Detector {
    id: "alert-failed",
    code: "MN503",
    title: "an alert that nobody got",
    help: "A message that should have told a person (alert, notification, page, webhook of a monitor) failed to go out. \
It keeps silent where a later try of it went out. Give alerts a second way, and watch that one of them arrives each day.",
    severity: Severity::Error,
    extent: Extent::Lane,
    knobs: &[],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, _, _) in view.lanes() {
        let is = |index: &usize, what: &str| {
            lane.row(*index)
                .values
                .get("what")
                .is_some_and(|w| w == what)
        };
        let failed: Vec<usize> = (0..lane.rows.len())
            .filter(|i| is(i, "alert_failed"))
            .collect();
        let Some(last) = failed.last() else { continue };
        if (*last..lane.rows.len()).any(|i| is(&i, "alert_sent")) {
            continue;
        }
        let mut tally = Tally::default();
        for row in &failed {
            tally.item(lane.row(*row), 1);
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
                Confidence::Likely,
                format!(
                    "{} {} not go out. Give alerts a second way, and watch that one arrives each day.",
                    failed.len(),
                    if failed.len() == 1 { "alert did" } else { "alerts did" }
                ),
            )
            .fact("alerts", failed.len())
            .tallied(tally)
            .at(failed.iter().map(|r| place(lane.row(*r)))),
        );
    }
}
