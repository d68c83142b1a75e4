//! MN302: the same request again, unchanged, after a failure that is the same each time.

use super::{Detector, Extent, Subject, View};
use crate::audit::case::LaneView;
use crate::audit::failures::place;
use crate::audit::finding::{Confidence, Finding, Severity, Tally};
use crate::audit::observe::{Observed, Repeat, SECOND, Sign, between, span};
use crate::cause::{Cause, Waiting, guide};
use crate::evidence::Level;
use std::collections::BTreeMap;

pub(super) const RULE: Detector = Detector {
    id: "identical-retry",
    code: "MN302",
    title: "a certain failure, tried again unchanged",
    help: "The same operation fails again with the same words and figures, and its cause is one that waiting does not change: a value over a limit, a moderated prompt, a broken input, a missing module. \
It keeps silent where the text or its figures differ, where each failure is about another thing, where the cause can pass by itself, and where a later try of the same thing worked. \
Change the input and say why in the next try, or give up at once; do not sleep before it.",
    severity: Severity::Warning,
    extent: Extent::Key,
    knobs: &[
        (
            "times",
            "3",
            "how often the same failure stands without a line of a retry layer between",
        ),
        ("retried", "2", "how often with one"),
    ],
    detect,
};

/// Causes that a retry layer may meet and that no wait changes.
const REFUSED: &[Cause] = &[
    Cause::NotFound,
    Cause::TargetGone,
    Cause::PermissionDenied,
    Cause::AuthRejected,
    Cause::QuotaExhausted,
    Cause::ContentModerated,
];

/// Causes that a wait may change in general, and that a try a moment later does not.
const DOUBTFUL: &[Cause] = &[
    Cause::NotFound,
    Cause::InvalidInput,
    Cause::PermissionDenied,
    Cause::TruncatedByLimit,
];

/// What stands more often than this without a key is noise.
const NOISE: i64 = 50;

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, _, observed) in view.lanes() {
        let (times, retried) = (
            rule.knob(view, lane.lane, "times").max(2),
            rule.knob(view, lane.lane, "retried").max(2),
        );
        let mut by_cause: BTreeMap<Cause, Vec<&Repeat<'_>>> = BTreeMap::new();
        for repeat in &observed.repeats {
            let refused = REFUSED.contains(&repeat.cause);
            let tried = tried_again(lane, observed, repeat);
            let enough = if tried { retried } else { times };
            let certain = match repeat.cause {
                Cause::CancelledOrTimeBudget | Cause::RateLimited | Cause::LockOrSlotContention => {
                    false
                }
                Cause::ResourceExhaustedLocal => tried && full(lane, repeat),
                // Without evidence, the figures must tell one failure from another, or a retry layer stand between.
                cause if repeat.claimed() => {
                    let figures = repeat.text.chars().any(|c| c.is_ascii_digit());
                    repeat.count >= 3 && (tried || cause != Cause::Unknown && figures)
                }
                cause => repeat.waiting == Waiting::No || tried && DOUBTFUL.contains(&cause),
            };
            if certain
                && repeat.specific()
                && repeat.count >= enough
                && (tried || !refused && (repeat.key.is_some() || told_as_failure(lane, repeat)))
                && !works_later(lane, repeat)
            {
                by_cause.entry(repeat.cause).or_default().push(repeat);
            }
        }
        let disk = full_disk(lane, observed);
        if by_cause.is_empty()
            && let Some(repeat) = disk.as_ref().filter(|r| tried_again(lane, observed, r))
        {
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
                "the same failure {} times, unchanged{about}: {}; waiting does not help. {}",
                most.count,
                match cause {
                    Cause::Unknown => "its cause is not in the log",
                    cause => cause.slug(),
                },
                guide(cause).change
            );
            out.push(
                rule.finding(&subject, confidence(lane, most), message)
                    .fact("cause", cause)
                    .fact("times", most.count)
                    .fact("things", repeats.len())
                    .fact("span", span(between(most.first(), most.last())))
                    .tallied(tally)
                    .at(most.signs.iter().map(|s| place(lane.row(s.row)))),
            );
        }
    }
}

/// Whether records without a key are failures in their writer's eyes, and not noise that repeats by itself: the fault of
/// a program, or a line at the level of information.
fn told_as_failure(lane: &LaneView<'_>, repeat: &Repeat<'_>) -> bool {
    repeat.cause != Cause::CodeFault
        && repeat.count <= NOISE
        && repeat
            .signs
            .iter()
            .all(|s| lane.row(s.row).level != Level::Info)
}

/// Signs of a full disk, whatever the words around them.
fn full_disk<'t>(lane: &LaneView<'_>, observed: &Observed<'t>) -> Option<Repeat<'t>> {
    let signs: Vec<Sign<'t>> = observed
        .signs
        .iter()
        .filter(|s| {
            s.sure && s.cause == Cause::ResourceExhaustedLocal && no_space(&lane.row(s.row).text)
        })
        .cloned()
        .collect();
    let first = signs.first()?.clone();
    (signs.len() > 1).then(|| Repeat {
        cause: first.cause,
        waiting: first.waiting,
        text: first.text,
        key: None,
        count: signs.iter().map(|s| s.count).sum(),
        signs,
    })
}

fn no_space(text: &str) -> bool {
    let text = text.to_lowercase();
    ["no space left", "disk full", "enospc"]
        .iter()
        .any(|w| text.contains(w))
}

/// Whether a disk is full: a try a moment later finds it so.
fn full(lane: &LaneView<'_>, repeat: &Repeat<'_>) -> bool {
    no_space(&lane.row(repeat.signs[0].row).text)
}

fn confidence(lane: &LaneView<'_>, repeat: &Repeat<'_>) -> Confidence {
    let own = lane.row(repeat.signs[0].row);
    if repeat.key.is_some() && own.cause == Some(repeat.cause) {
        Confidence::Certain
    } else {
        Confidence::Likely
    }
}

/// What the tries after the first cost: each is an attempt, and the pauses before them up to ten minutes are waited.
pub(super) fn in_vain(lane: &LaneView<'_>, repeat: &Repeat<'_>, tally: &mut Tally) {
    for pair in repeat.signs.windows(2) {
        tally.attempt(lane.row(pair[1].row));
        if between(pair[0].time, pair[1].time) <= 600 {
            tally.span(lane.lane, pair[0].time, pair[1].time);
        }
    }
}

/// Whether a line of a retry layer stands between the first and the last of the signs.
pub(super) fn tried_again(
    lane: &LaneView<'_>,
    observed: &Observed<'_>,
    repeat: &Repeat<'_>,
) -> bool {
    let (Some(first), Some(last)) = (repeat.signs.first(), repeat.signs.last()) else {
        return false;
    };
    let (a, b) = (&lane.rows[first.row], &lane.rows[last.row]);
    observed.attempts.iter().filter(|a| !a.redelivered).any(|attempt| {
        let row = &lane.rows[attempt.row];
        if row.evidence.file == a.evidence.file && a.evidence.file == b.evidence.file {
            row.rank + 6 >= a.rank && row.rank <= b.rank + 3
        } else {
            matches!((row.time, a.time, b.time), (Some(t), Some(f), Some(l)) if t + SECOND >= f && t <= l + SECOND)
        }
    })
}

/// Whether the same thing succeeded afterwards: then the failure was not certain.
pub(super) fn works_later(lane: &LaneView<'_>, repeat: &Repeat<'_>) -> bool {
    let Some(last) = repeat.signs.last() else {
        return false;
    };
    let e = lane.row(last.row);
    ["request", "job", "target"].iter().any(|kind| {
        e.keys.get(*kind).is_some_and(|key| {
            let narrow = *kind != "target"
                || key
                    .trim_start_matches("https://")
                    .trim_start_matches("http://")
                    .contains('/');
            narrow
                && lane
                    .with_key(kind, key)
                    .iter()
                    .any(|i| *i > last.row && super::succeeded(lane.row(*i)))
        })
    })
}
