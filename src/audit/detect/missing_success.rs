//! MN502: the outcome that is due did not come.

use super::{Detector, Extent, Subject, View};
use crate::audit::case::LaneView;
use crate::audit::failures::place;
use crate::audit::finding::{Confidence, Finding, Severity, Tally};
use crate::audit::observe::{Run, SECOND, concrete, counted, span};
use crate::evidence::{FileSummary, Kind};
use crate::settings::LaneSettings;
use crate::time::rfc3339;
use std::collections::BTreeMap;

pub(super) const RULE: Detector = Detector {
    id: "missing-success",
    code: "MN502",
    title: "the result is overdue",
    help: "A lane has a rhythm (`every` in misnomer.toml, else that of its own runs), and no result came for several rounds while its logs go on; or it never had one. A run that ends well with nothing done is no result; with `success` in misnomer.toml only a line that matches it is one. \
It keeps silent where the rhythm is not clear, where the log ends with the last result, and for runs started by hand. \
Watch the result, not the process: alert when it is overdue.",
    severity: Severity::Error,
    extent: Extent::Lane,
    knobs: &[
        (
            "rounds",
            "3",
            "how many rounds without a result, where the rhythm is inferred",
        ),
        ("least", "1h", "a shorter rhythm is not inferred"),
        ("runs", "3", "how many runs show a rhythm"),
    ],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, _, observed) in view.lanes() {
        let settings = view.settings.lane(lane.lane);
        let last_seen = lane
            .rows
            .iter()
            .filter_map(|r| r.time)
            .max()
            .max(view.last(lane.lane));
        let Some(last_seen) = last_seen else { continue };
        let declared = settings.and_then(|s| s.every);
        let all = results(lane, &observed.runs, settings);
        let worst = if declared.is_some() {
            overdue(view, rule, lane, &all.iter().collect::<Vec<_>>(), last_seen)
        } else {
            // Each sort of ending has its own rhythm.
            let mut sorts: BTreeMap<&str, Vec<&Ending>> = BTreeMap::new();
            for ending in &all {
                sorts.entry(&ending.sort).or_default().push(ending);
            }
            sorts
                .values()
                .filter_map(|endings| overdue(view, rule, lane, endings, last_seen))
                .max_by_key(|f| f.cost.undetected)
        };
        out.extend(worst);
    }
}

/// The finding on one sort of endings, if their result is overdue.
fn overdue(
    view: &View<'_>,
    rule: &Detector,
    lane: &LaneView<'_>,
    results: &[&Ending],
    last_seen: i64,
) -> Option<Finding> {
    let settings = view.settings.lane(lane.lane);
    let declared = settings.and_then(|s| s.every);
    let times: Vec<i64> = results.iter().map(|r| r.time).collect();
    let (every, patience, until) = match declared {
        Some(every) => (
            every,
            every + settings.and_then(|s| s.grace).unwrap_or(every / 2),
            view.now.unwrap_or(last_seen).max(last_seen),
        ),
        None => {
            let every = rhythm(&times, rule.knob(view, lane.lane, "runs").max(3) as usize)?;
            if every < rule.knob(view, lane.lane, "least") {
                return None;
            }
            (
                every,
                every * rule.knob(view, lane.lane, "rounds").max(1),
                last_seen,
            )
        }
    };
    let last = results.iter().rfind(|r| r.done).copied();
    let since = last.or(results.first().copied())?.time;
    let waited = (until - since) / SECOND;
    let never = last.is_none() && declared.is_none();
    if waited < patience
        || never && (results.len() < 3 || !results.iter().any(|r| nothing(lane, r.row)))
    {
        return None;
    }
    let mut tally = Tally::default();
    tally.unseen(lane.lane, Some(since + every * SECOND), Some(until));
    let subject = Subject {
        lane: lane.lane,
        recorded: "",
        cause: "",
        decides: "",
    };
    let message = match last {
        Some(last) => format!(
            "no result since {} ({} ago; one is due every {}). Watch the result, not the process.",
            rfc3339(last.time),
            span(waited),
            span(every)
        ),
        None => format!(
            "{} runs in {} and never a result. Watch the result, not the process.",
            results.len(),
            span(waited)
        ),
    };
    let shown = last.into_iter().chain(
        results
            .iter()
            .copied()
            .filter(|r| !r.done && r.time >= since),
    );
    Some(
        rule.finding(&subject, Confidence::Likely, message)
            .fact(
                "last_success",
                last.map_or("never".to_string(), |l| rfc3339(l.time)),
            )
            .fact("overdue", span(waited - every))
            .fact("every", span(every))
            .tallied(tally)
            .at(shown.map(|r| place(lane.row(r.row)))),
    )
}

/// The end of a run, or a line that states its result.
struct Ending {
    time: i64,
    row: usize,
    done: bool,
    /// Its text without figures: runs of one job end with the same words.
    sort: String,
}

fn results(lane: &LaneView<'_>, runs: &[Run], settings: Option<&LaneSettings>) -> Vec<Ending> {
    let mut out: Vec<Ending> = Vec::new();
    let named: &[regex::Regex] = settings.map_or(&[], |s| &s.success);
    for run in runs {
        let Some((row, time)) = run.end.zip(run.end_time) else {
            continue;
        };
        let counts = counted(&lane.row(row).text);
        let empty = !counts.is_empty() && counts.iter().all(|(_, n)| *n == 0);
        let done = if named.is_empty() {
            run.well && !empty && !run.rows.iter().any(|r| nothing(lane, *r))
        } else {
            run.rows
                .iter()
                .any(|r| named.iter().any(|n| n.is_match(&lane.row(*r).text)))
        };
        out.push(Ending {
            time,
            row,
            done,
            sort: sort(lane, row),
        });
    }
    if out.is_empty() {
        for (index, row) in lane.rows.iter().enumerate() {
            if let Some(time) = row.time.filter(|_| nothing(lane, index)) {
                out.push(Ending {
                    time,
                    row: index,
                    done: false,
                    sort: sort(lane, index),
                });
            }
        }
    }
    out.sort_by_key(|r| (r.time, r.row));
    out
}

fn sort(lane: &LaneView<'_>, row: usize) -> String {
    concrete(&lane.row(row).text)
        .chars()
        .filter(|c| !c.is_ascii_digit())
        .collect()
}

/// Whether a row says that nothing came of it: `0 of 23`.
fn nothing(lane: &LaneView<'_>, row: usize) -> bool {
    let e = lane.row(row);
    e.kind == Kind::Outcome && e.pattern.starts_with("outcome.failed.zero")
}

/// The usual distance in seconds between endings: the median, if two thirds of them are near it.
fn rhythm(ends: &[i64], least: usize) -> Option<i64> {
    let mut gaps: Vec<i64> = ends.windows(2).map(|p| (p[1] - p[0]) / SECOND).collect();
    if gaps.len() + 1 < least {
        return None;
    }
    gaps.sort_unstable();
    let median = gaps[gaps.len() / 2];
    let near = gaps
        .iter()
        .filter(|g| (**g - median).abs() * 5 <= median)
        .count();
    (near * 3 >= gaps.len() * 2).then_some(median)
}

impl View<'_> {
    /// The last instant of a lane's files.
    fn last(&self, lane: &str) -> Option<i64> {
        self.files
            .iter()
            .filter(|f: &&FileSummary| f.lane == lane)
            .filter_map(|f| f.last)
            .max()
    }
}
