//! MN404: work goes back to its queue again and again, and nothing ends it.

use super::{Detector, Extent, Subject, View};
use crate::audit::case::LaneView;
use crate::audit::failures::place;
use crate::audit::finding::{Confidence, Finding, Severity, Tally};
use crate::audit::observe::{Attempt, Observed, SECOND, between, concrete, span};
use crate::audit::verdict::reset;
use crate::cause::Cause;
use crate::evidence::{Evidence, Kind};
use std::collections::BTreeMap;

pub(super) const RULE: Detector = Detector {
    id: "unbounded-requeue",
    code: "MN404",
    title: "requeued without an end",
    help: "A job, message or unit is put back, delivered again or started again, and no bound ends it: no count against a limit, no age, no dead letter. \
For a lane with `give-up` in misnomer.toml (or the knobs `attempts` and `age`), a job that hits its quota is to be given up at the second hit, or at once when the announced resume lies later than `age` after its intake. \
It keeps silent where each delivery is counted against a bound, where the work is given up or parked, and where it succeeds. \
Count the deliveries and the age of the job; give up the job while the worker waits.",
    severity: Severity::Error,
    extent: Extent::Key,
    knobs: &[
        (
            "times",
            "3",
            "how often one thing goes back or is started again",
        ),
        (
            "unseen",
            "8",
            "how often the same failure of one job stands where no line says that it goes back",
        ),
        (
            "attempts",
            "2",
            "quota hits after which a job is to be given up",
        ),
        (
            "age",
            "3h",
            "time since intake after which a job is to be given up",
        ),
    ],
    detect,
};

/// A line that counts so many rounds says alone that nothing bounds them.
const MANY: i64 = 10;

/// What goes back: what it is, and its rows.
struct Loop {
    key: String,
    rows: Vec<usize>,
    first: Option<i64>,
    last: Option<i64>,
}

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, _, observed) in view.lanes() {
        let times = rule.knob(view, lane.lane, "times").max(2) as usize;
        let unseen = rule.knob(view, lane.lane, "unseen").max(3);
        let mut loops = told(lane, observed, times);
        if loops.is_empty() {
            loops = untold(lane, observed, unseen);
        }
        let Some(worst) = loops
            .iter()
            .max_by_key(|l| (l.rows.len(), std::cmp::Reverse(l.rows[0])))
        else {
            promised(view, rule, lane, observed, out);
            continue;
        };
        let mut tally = Tally::default();
        for one in &loops {
            for row in one.rows.iter().skip(1) {
                tally.attempt(lane.row(*row));
            }
        }
        let subject = Subject {
            lane: lane.lane,
            recorded: &worst.key,
            cause: "",
            decides: "",
        };
        out.push(
            rule.finding(
                &subject,
                Confidence::Likely,
                format!(
                    "\"{}\" went back {} times within {}, and nothing bounds it. Count the deliveries and the age; give up the job while the worker waits.",
                    worst.key,
                    worst.rows.len(),
                    span(between(worst.first, worst.last))
                ),
            )
            .fact("key", &worst.key)
            .fact("times", worst.rows.len())
            .fact("things", loops.len())
            .tallied(tally)
            .at(worst.rows.iter().map(|r| place(lane.row(*r)))),
        );
    }
}

/// Whether the attempts of a lane are bounded, or its work is given up.
fn bounded(lane: &LaneView<'_>, attempts: &[&Attempt]) -> bool {
    attempts.iter().any(|a| a.bound.is_some_and(|b| b < 100))
        || lane.rows.iter().any(|r| r.evidence.kind == Kind::GiveUp)
        || lane
            .rows
            .iter()
            .any(|r| &*r.evidence.pattern == "hold.enter.dead-letter")
}

/// What lines of a queue or a supervisor say.
fn told(lane: &LaneView<'_>, observed: &Observed<'_>, times: usize) -> Vec<Loop> {
    let mut by_key: BTreeMap<String, Vec<&Attempt>> = BTreeMap::new();
    for attempt in observed.attempts.iter().filter(|a| a.requeue) {
        by_key
            .entry(key(lane.row(attempt.row)))
            .or_default()
            .push(attempt);
    }
    by_key
        .into_iter()
        .filter(|(_, attempts)| {
            let told = attempts.iter().filter_map(|a| a.failed).max().unwrap_or(0);
            (attempts.len() >= times || told >= MANY) && !bounded(lane, attempts)
        })
        .map(|(key, attempts)| Loop {
            key,
            first: attempts[0].time,
            last: attempts.last().and_then(|a| a.time),
            rows: attempts.iter().map(|a| a.row).collect(),
        })
        .collect()
}

fn key(row: &Evidence) -> String {
    row.values
        .get("id")
        .or_else(|| row.values.get("job"))
        .or_else(|| row.keys.get("job"))
        .or_else(|| row.keys.get("request"))
        .cloned()
        .unwrap_or_else(|| concrete(&row.text))
}

/// The same failure of one job over and over, with no line of any layer.
fn untold(lane: &LaneView<'_>, observed: &Observed<'_>, unseen: i64) -> Vec<Loop> {
    if bounded(lane, &observed.attempts.iter().collect::<Vec<_>>()) {
        return Vec::new();
    }
    observed
        .repeats
        .iter()
        .filter(|r| {
            let e = lane.row(r.signs[0].row);
            r.count >= unseen
                && between(r.first(), r.last()) >= 600
                && e.keys.contains_key("job")
                && !matches!(r.cause, Cause::RateLimited | Cause::BotChallenge)
        })
        .map(|r| Loop {
            key: r.key.unwrap_or_default().to_string(),
            first: r.first(),
            last: r.last(),
            rows: r.signs.iter().map(|s| s.row).collect(),
        })
        .collect()
}

/// Whether a job is to be given up: at so many quota hits, or when the announced resume lies more than an age after its
/// intake (strictly more). Nanoseconds.
pub(super) fn to_give_up(
    hits: i64,
    most: i64,
    intake: Option<i64>,
    resume: Option<i64>,
    age: i64,
) -> bool {
    hits >= most || matches!((intake, resume), (Some(from), Some(at)) if at - from > age)
}

/// Jobs that were to be given up by the lane's own rule and were kept.
fn promised(
    view: &View<'_>,
    rule: &Detector,
    lane: &LaneView<'_>,
    observed: &Observed<'_>,
    out: &mut Vec<Finding>,
) {
    let own = view.settings.lane(lane.lane).and_then(|l| l.give_up);
    let most = own
        .and_then(|g| g.attempts)
        .map_or_else(|| rule.knob(view, lane.lane, "attempts"), i64::from);
    let age = own
        .and_then(|g| g.age)
        .unwrap_or_else(|| rule.knob(view, lane.lane, "age"));
    let mut by_job: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, row) in lane.rows.iter().enumerate() {
        if let Some(job) = row.evidence.keys.get("job") {
            by_job.entry(job).or_default().push(index);
        }
    }
    for (job, rows) in by_job {
        let hits: Vec<usize> = observed
            .signs
            .iter()
            .filter(|s| s.sure && s.cause == Cause::QuotaExhausted && rows.contains(&s.row))
            .map(|s| s.row)
            .collect();
        let back = observed
            .attempts
            .iter()
            .filter(|a| a.requeue && rows.contains(&a.row))
            .count();
        if hits.is_empty()
            || back == 0
            || lane.rows.iter().any(|r| {
                r.evidence.kind == Kind::GiveUp
                    && r.evidence.keys.get("job").is_some_and(|j| j == job)
            })
        {
            continue;
        }
        let intake = rows.first().and_then(|r| lane.rows[*r].time);
        let resume = rows
            .iter()
            .map(|r| lane.row(*r))
            .filter(|e| e.kind == Kind::Reset)
            .filter_map(reset::instant)
            .max();
        if !to_give_up(hits.len() as i64, most, intake, resume, age * SECOND) {
            continue;
        }
        let last = lane.rows.iter().filter_map(|r| r.time).max();
        let mut tally = Tally::default();
        tally.unseen(lane.lane, intake, last);
        let subject = Subject {
            lane: lane.lane,
            recorded: job,
            cause: Cause::QuotaExhausted.slug(),
            decides: "",
        };
        let pending = between(intake, last);
        out.push(
            rule.finding(
                &subject,
                Confidence::Likely,
                format!(
                    "job {job} went back to the queue at its quota limit and was pending for {}: the worker waits, the job is to be given up (at hit {most}, or when the resume lies more than {} after the intake).",
                    span(pending),
                    span(age)
                ),
            )
            .fact("key", job)
            .fact("hits", hits.len())
            .fact("pending", span(pending))
            .tallied(tally)
            .at(rows.iter().map(|r| place(lane.row(*r)))),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The incident: taken in at 00:36:57, to resume at 06:37:00; the boundary; one second to either side.
    #[test]
    fn boundary_of_age() {
        let intake = 36 * 60 + 57;
        let table = [
            (1, 6 * 3600 + 37 * 60, true),
            (1, intake + 3 * 3600, false),
            (1, intake + 3 * 3600 + 1, true),
            (1, intake + 3 * 3600 - 1, false),
            (2, intake + 60, true),
        ];
        for (hits, resume, expected) in table {
            let said = to_give_up(
                hits,
                2,
                Some(intake * SECOND),
                Some(resume * SECOND),
                3 * 3600 * SECOND,
            );
            assert_eq!(said, expected, "{hits} hits, resume at {resume} s");
        }
    }
}
