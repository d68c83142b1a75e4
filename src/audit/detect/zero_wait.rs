//! MN304: a failure that only time can cure is tried again without any pause.

use super::{Detector, Extent, Subject, View};
use crate::audit::failures::place;
use crate::audit::finding::{Confidence, Finding, Severity, Tally};
use crate::audit::observe::{Repeat, SECOND};
use crate::cause::{Cause, Waiting};

pub(super) const RULE: Detector = Detector {
    id: "zero-wait",
    code: "MN304",
    title: "tried again without a pause",
    help: "Memory, disk, a full queue, an overloaded or unreachable server: what only time (or somebody else) can cure is tried again at once, and fails again in the same way. A resource failure waits before the retry. \
It keeps silent where the tries are about different things, where the cause is one that no wait changes, and where pauses lie between. \
Wait before the retry, longer each time.",
    severity: Severity::Warning,
    extent: Extent::Key,
    knobs: &[
        ("pause", "1s", "a shorter pause than this counts as none"),
        (
            "times",
            "4",
            "how many tries without a pause make a finding",
        ),
        (
            "declared",
            "2",
            "how many, where the retry layer itself says that it waits for 0",
        ),
    ],
    detect,
};

const PASSING: &[Cause] = &[
    Cause::Overloaded,
    Cause::ResourceExhaustedLocal,
    Cause::ConnectionReset,
    Cause::ConnectTimeout,
    Cause::Upstream5xx,
    Cause::DnsFailure,
    Cause::LockOrSlotContention,
];

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, _, observed) in view.lanes() {
        let pause = rule.knob(view, lane.lane, "pause") * SECOND;
        let times = rule.knob(view, lane.lane, "times").max(2) as usize;
        let declared = rule.knob(view, lane.lane, "declared").max(1) as usize;
        for repeat in observed.repeats.iter().filter(|r| {
            PASSING.contains(&r.cause) && r.waiting != Waiting::No && r.specific() && !r.claimed()
        }) {
            let streak = streak(repeat, pause);
            let zero = observed
                .attempts
                .iter()
                .filter(|a| a.delay == Some(0) && within(repeat, a.time))
                .count();
            if streak.len() < times && (zero < declared || streak.len() < 2) {
                continue;
            }
            let mut tally = Tally::default();
            for at in streak.iter().skip(1) {
                tally.request(lane.row(repeat.signs[*at].row), repeat.signs[*at].count);
            }
            let first = lane.row(repeat.signs[streak[0]].row);
            let subject = Subject {
                lane: lane.lane,
                recorded: repeat.key.unwrap_or(&first.name),
                cause: repeat.cause.slug(),
                decides: "",
            };
            let spent = span_ms(repeat, &streak);
            out.push(
                rule.finding(
                    &subject,
                    Confidence::Likely,
                    format!(
                        "{} tries of the same call within {spent} ms, all {}. Wait before the retry, longer each time.",
                        streak.len(),
                        repeat.cause
                    ),
                )
                .fact("cause", repeat.cause)
                .fact("tries", streak.len())
                .fact("milliseconds", spent)
                .tallied(tally)
                .at(streak.iter().map(|i| place(lane.row(repeat.signs[*i].row)))),
            );
        }
    }
}

fn within(repeat: &Repeat<'_>, time: Option<i64>) -> bool {
    matches!((repeat.first(), repeat.last(), time), (Some(a), Some(b), Some(t)) if t + SECOND >= a && t <= b + SECOND)
}

fn span_ms(repeat: &Repeat<'_>, streak: &[usize]) -> i64 {
    let at = |i: Option<&usize>| i.and_then(|i| repeat.signs[*i].time).unwrap_or(0);
    (at(streak.last()) - at(streak.first())) / 1_000_000
}

/// The longest run of signs with less than a pause between any two, of which at least one pair is told apart by its
/// stamps (whole seconds alone prove no haste).
fn streak(repeat: &Repeat<'_>, pause: i64) -> Vec<usize> {
    let mut best: Vec<usize> = Vec::new();
    let mut here: Vec<usize> = Vec::new();
    for (index, sign) in repeat.signs.iter().enumerate() {
        let near = here
            .last()
            .and_then(|last| Some((repeat.signs[*last].time?, sign.time?)))
            .is_some_and(|(a, b)| b - a < pause && b > a);
        if !near {
            here.clear();
        }
        here.push(index);
        if here.len() > best.len() {
            best = here.clone();
        }
    }
    best
}
