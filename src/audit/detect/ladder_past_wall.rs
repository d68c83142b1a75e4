//! MN308: softer and softer prompts against a wall that looks at the input.

use super::{Detector, Extent, Subject, View};
use crate::audit::failures::place;
use crate::audit::finding::{Confidence, Finding, Severity, Tally};
use crate::audit::observe::key_of;
use crate::evidence::Kind;
use std::collections::BTreeMap;

pub(super) const RULE: Detector = Detector {
    id: "ladder-past-wall",
    code: "MN308",
    title: "a ladder walked past a wall",
    help: "A moderation that judged the input (`moderation_stage: input`) refused the same item again on every softer tier: the stage says that no tier passes. \
It keeps silent for refusals of the output, where a softer tier may pass, and where a tier passed. Read the stage before the next tier, and leave the item out.",
    severity: Severity::Warning,
    extent: Extent::Key,
    knobs: &[("tries", "2", "how often one item is refused at the input")],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, _, _) in view.lanes() {
        let tries = rule.knob(view, lane.lane, "tries").max(2) as usize;
        let mut refused: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, row) in lane.rows.iter().enumerate() {
            let e = row.evidence;
            if e.kind == Kind::Cause
                && e.values
                    .get("stage")
                    .is_some_and(|s| s.eq_ignore_ascii_case("input"))
                && let Some(key) = key_of(e)
            {
                refused.entry(key).or_default().push(index);
            }
        }
        refused.retain(|_, rows| rows.len() >= tries);
        let count: usize = refused.values().map(Vec::len).sum();
        if count == 0 {
            continue;
        }
        let mut tally = Tally::default();
        for rows in refused.values() {
            for row in &rows[1..] {
                tally.attempt(lane.row(*row));
            }
            tally.span(
                lane.lane,
                lane.rows[rows[0]].time,
                rows.last().and_then(|r| lane.rows[*r].time),
            );
        }
        let subject = Subject {
            lane: lane.lane,
            recorded: "",
            cause: "content_moderated",
            decides: "",
        };
        out.push(
            rule.finding(
                &subject,
                Confidence::Certain,
                format!(
                    "{} items were refused at the input on {count} tries: no softer tier passes such a wall. Read the stage before the next tier.",
                    refused.len()
                ),
            )
            .fact("items", refused.len())
            .fact("tries", count)
            .tallied(tally)
            .at(refused.values().flatten().map(|r| place(lane.row(*r)))),
        );
    }
}
