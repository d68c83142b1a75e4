//! MN303: a target that is gone, or refuses for good, is asked again.

use super::identical_retry::{in_vain, tried_again, works_later};
use super::{Detector, Extent, Subject, View};
use crate::audit::case::LaneView;
use crate::audit::failures::place;
use crate::audit::finding::{Confidence, Finding, Severity, Tally};
use crate::audit::observe::{Observed, Repeat, Sign, between, span};
use crate::cause::{Cause, Waiting, guide};
use crate::evidence::{Grade, Level};
use std::collections::BTreeMap;

pub(super) const RULE: Detector = Detector {
    id: "retried-permanent",
    code: "MN303",
    title: "a permanent refusal, asked again",
    help: "A target that does not exist, is gone, or refuses for good (404, 410, a denied permission, a rejected key, a cap that only a person raises) is asked again: by a retry layer, or in the next run. \
It keeps silent where the same thing worked later, where a new credential was taken between, and where the refusal is only possible. \
Keep one list of what is permanent, with the reason and the time, and look into it before the attempts.",
    severity: Severity::Warning,
    extent: Extent::Key,
    knobs: &[(
        "times",
        "3",
        "how often the same refusal stands where no retry layer and no other run is seen",
    )],
    detect,
};

/// Refusals for good.
const PERMANENT: &[Cause] = &[
    Cause::NotFound,
    Cause::TargetGone,
    Cause::PermissionDenied,
    Cause::AuthRejected,
    Cause::QuotaExhausted,
];

/// Seconds between two tries beyond which they belong to two rounds.
const ROUNDS: i64 = 1800;

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, _, observed) in view.lanes() {
        let times = rule.knob(view, lane.lane, "times").max(2);
        let mut by_cause: BTreeMap<Cause, Vec<&Repeat<'_>>> = BTreeMap::new();
        for repeat in &observed.repeats {
            let rounds = between(repeat.first(), repeat.last()) >= ROUNDS;
            let tried = tried_again(lane, observed, repeat);
            let named = repeat.signs.iter().all(|s| s.case.is_some());
            let enough = if tried || rounds && named { 2 } else { times };
            if PERMANENT.contains(&repeat.cause)
                && (repeat.waiting == Waiting::No)
                && repeat.specific()
                && !repeat.claimed()
                && repeat.count >= enough
                && !works_later(lane, repeat)
                && !requeued(lane, observed, repeat)
                && (tried || !incoming(lane, repeat))
            {
                by_cause.entry(repeat.cause).or_default().push(repeat);
            }
        }
        let wide = account_wide(observed, times);
        for repeat in wide.iter().filter(|r| tried_again(lane, observed, r)) {
            by_cause.entry(repeat.cause).or_default().push(repeat);
        }
        for (cause, repeats) in by_cause {
            let Some(most) = repeats
                .iter()
                .max_by_key(|r| (r.count, std::cmp::Reverse(r.signs[0].row)))
            else {
                continue;
            };
            let mut tally = Tally::default();
            for repeat in &repeats {
                in_vain(lane, repeat, &mut tally);
            }
            let subject = Subject {
                lane: lane.lane,
                recorded: most.key.unwrap_or(&lane.row(most.signs[0].row).name),
                cause: cause.slug(),
                decides: "",
            };
            let about = most.key.map_or(String::new(), |k| format!(" ({k})"));
            let message = format!(
                "{cause} is for good, and was asked again {} times{about} within {}. {}",
                most.count - 1,
                span(between(most.first(), most.last())),
                guide(cause).change
            );
            out.push(
                rule.finding(&subject, Confidence::Likely, message)
                    .fact("cause", cause)
                    .fact("times", most.count)
                    .fact("things", repeats.len())
                    .tallied(tally)
                    .at(most.signs.iter().map(|s| place(lane.row(s.row)))),
            );
        }
    }
}

/// Whether the refusals are a server's records of what others asked of it, lines of information, or no target's at all.
fn incoming(lane: &LaneView<'_>, repeat: &Repeat<'_>) -> bool {
    repeat.signs.iter().any(|s| {
        let e = lane.row(s.row);
        let text = e.text.to_lowercase();
        // An errno of the own system is no target's answer, and one request id is one call.
        e.level == Level::Info
            || e.grade == Grade::Transport
            || e.keys.contains_key("request") && e.grade >= Grade::Status
            || ["sshd", "preauth", "pam_", "invalid user", "rhost="]
                .iter()
                .any(|w| text.contains(w))
    })
}

/// Whether the refusals are those of work that goes back to its queue: that is another rule's business.
fn requeued(lane: &LaneView<'_>, observed: &Observed<'_>, repeat: &Repeat<'_>) -> bool {
    repeat.signs.iter().any(|s| {
        let e = lane.row(s.row);
        observed.attempts.iter().any(|a| {
            let other = lane.row(a.row);
            a.requeue && (&other.file, other.offset) == (&e.file, e.offset)
        })
    })
}

/// A cap of the whole account stands for all things at once, whatever each call was about.
fn account_wide<'t>(observed: &Observed<'t>, times: i64) -> Option<Repeat<'t>> {
    let signs: Vec<Sign<'t>> = observed
        .signs
        .iter()
        .filter(|s| s.sure && s.cause == Cause::QuotaExhausted && s.waiting == Waiting::No)
        .cloned()
        .collect();
    let first = signs.first()?.clone();
    let count: i64 = signs.iter().map(|s| s.count).sum();
    (count > times).then_some(Repeat {
        cause: first.cause,
        waiting: first.waiting,
        text: first.text,
        key: None,
        signs,
        count,
    })
}
