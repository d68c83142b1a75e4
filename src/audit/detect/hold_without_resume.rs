//! MN405: something is held, and nothing says when it returns.

use super::{Detector, Extent, Subject, View};
use crate::audit::failures::place;
use crate::audit::finding::{Confidence, Finding, Severity};
use crate::audit::observe::{between, span};
use crate::evidence::Kind;

pub(super) const RULE: Detector = Detector {
    id: "hold-without-resume",
    code: "MN405",
    title: "held, with no way back",
    help: "A job, account or source was held, paused or disabled, no time or condition of its return was written, and for long it did not come back while the lane went on. \
It keeps silent where a time is given, where the key came back, and for dead letters. Say until when, or who lets it out.",
    severity: Severity::Warning,
    extent: Extent::Key,
    knobs: &[("after", "1d", "for how long it stays away")],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, _, observed) in view.lanes() {
        let after = rule.knob(view, lane.lane, "after");
        let last = lane.rows.iter().filter_map(|r| r.time).max();
        for (key, holds) in observed.holds.iter().filter(|(k, _)| !k.starts_with('<')) {
            let Some(hold) = holds.last().filter(|h| h.enters) else {
                continue;
            };
            let e = lane.row(hold.row);
            let away = between(hold.time, last);
            let told = e.values.contains_key("duration")
                || e.values.contains_key("seconds")
                || ["until", " for ", "resume", "wake", "retry in", "again"]
                    .iter()
                    .any(|w| e.text.to_lowercase().contains(w));
            let reset = lane
                .of_file(&e.file)
                .iter()
                .map(|i| lane.row(*i))
                .any(|r| r.kind == Kind::Reset && r.offset == e.offset);
            if away < after || told || reset || &*e.pattern == "hold.enter.dead-letter" {
                continue;
            }
            let subject = Subject {
                lane: lane.lane,
                recorded: key,
                cause: "",
                decides: "",
            };
            out.push(
                rule.finding(
                    &subject,
                    Confidence::Likely,
                    format!(
                        "\"{key}\" was held {} ago, and nothing says when it returns. Say until when, or who lets it out.",
                        span(away)
                    ),
                )
                .fact("key", key)
                .fact("held", span(away))
                .at([place(e)]),
            );
        }
    }
}
