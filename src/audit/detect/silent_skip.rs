//! MN501: a run did nothing, waited for nothing, and ended well.

use super::{Detector, Extent, Subject, View};
use crate::audit::case::LaneView;
use crate::audit::failures::place;
use crate::audit::finding::{Confidence, Finding, Severity, Tally};
use crate::audit::observe::{Run, counted};
use crate::evidence::{Evidence, Kind};

pub(super) const RULE: Detector = Detector {
    id: "silent-skip",
    code: "MN501",
    title: "nothing done, and ended well",
    help: "A run found a lock held, a slot taken, a source missing or too little room, left at once, and ended with exit code 0 or a word of success; or a run that usually does many things did none in a fraction of its usual time. \
It keeps silent where the run waited first and says so, where there was nothing to do (most runs end so), and where the end says that it was skipped by an exit code of its own. \
Wait for the lock with a bound and some jitter, end with an exit code of its own, and tell \"waited\", \"gave up\" and \"cut off\" apart.",
    severity: Severity::Warning,
    extent: Extent::Lane,
    knobs: &[
        (
            "share",
            "10",
            "a run that takes less than this share (percent) of the usual time did nothing",
        ),
        (
            "usual",
            "3",
            "how many runs with a result show what is usual",
        ),
    ],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, _, observed) in view.lanes() {
        let mut skipped: Vec<(usize, String)> = Vec::new();
        for run in observed.runs.iter().filter(|r| r.well) {
            if let Some(row) = told(lane, run) {
                skipped.push((row, lane.row(row).text.clone()));
            }
        }
        // A line that is both: the skip and its end.
        for (index, row) in lane.rows.iter().enumerate() {
            if skips(row.evidence)
                && row.evidence.values.contains_key("whole")
                && !skipped.iter().any(|(r, _)| *r == index)
            {
                skipped.push((index, row.evidence.text.clone()));
            }
        }
        if skipped.is_empty() {
            let share = rule.knob(view, lane.lane, "share").clamp(1, 99);
            let usual = rule.knob(view, lane.lane, "usual").max(2) as usize;
            skipped = empty(lane, &observed.runs, share, usual);
        }
        let Some((first, text)) = skipped.first().cloned() else {
            continue;
        };
        skipped.sort_by_key(|(r, _)| *r);
        let mut tally = Tally::default();
        for (row, _) in &skipped {
            tally.item(lane.row(*row), 1);
        }
        let subject = Subject {
            lane: lane.lane,
            recorded: &lane.row(first).pattern,
            cause: "",
            decides: "",
        };
        out.push(
            rule.finding(
                &subject,
                Confidence::Likely,
                format!(
                    "{} {} nothing, waited for nothing, and ended well: {}. Wait with a bound, or end with an exit code of its own.",
                    skipped.len(),
                    if skipped.len() == 1 { "run did" } else { "runs did" },
                    short(&text)
                ),
            )
            .fact("runs", skipped.len())
            .tallied(tally)
            .at(skipped.iter().map(|(r, _)| place(lane.row(*r)))),
        );
    }
}

fn short(text: &str) -> String {
    let shown: String = text.chars().take(100).collect();
    if shown.len() < text.len() {
        format!("{shown}…")
    } else {
        shown
    }
}

/// Whether a row says that something was left out at once.
fn skips(row: &Evidence) -> bool {
    row.kind == Kind::Context
        && row.values.get("what").is_some_and(|w| w == "skipped")
        && row.values.get("waited").is_none_or(|w| {
            w.trim_matches(|c: char| !c.is_ascii_digit())
                .parse::<i64>()
                .is_ok_and(|n| n == 0)
        })
}

/// A run that says why it left.
fn told(lane: &LaneView<'_>, run: &Run) -> Option<usize> {
    let skip = run.rows.iter().copied().find(|r| skips(lane.row(*r)))?;
    // What the run did besides the skip.
    let done = run
        .end
        .map(|e| counted(&lane.row(e).text))
        .unwrap_or_default();
    let nothing = done.iter().all(|(_, n)| *n == 0);
    let missing = lane.row(skip).values.contains_key("missing");
    (nothing || missing).then_some(skip)
}

/// Runs with nothing done in a fraction of the usual time, where others do much.
fn empty(lane: &LaneView<'_>, runs: &[Run], share: i64, usual: usize) -> Vec<(usize, String)> {
    let done = |run: &Run| -> Option<i64> {
        let e = lane.row(run.end?);
        e.values
            .get("done")
            .and_then(|d| d.parse::<i64>().ok())
            .or_else(|| counted(&e.text).iter().map(|(_, n)| *n).max())
    };
    let length = |run: &Run| -> Option<i64> { run.start.zip(run.end_time).map(|(a, b)| b - a) };
    let full: Vec<i64> = runs
        .iter()
        .filter(|r| r.well && done(r).is_some_and(|n| n > 0))
        .filter_map(length)
        .collect();
    let none: Vec<&Run> = runs
        .iter()
        .filter(|r| r.well && done(r) == Some(0))
        .collect();
    if full.len() < usual || none.len() * 3 > full.len() {
        return Vec::new();
    }
    let mut sorted = full;
    sorted.sort_unstable();
    let median = sorted[sorted.len() / 2];
    none.into_iter()
        .filter(|r| length(r).is_some_and(|l| l * 100 < median * share))
        .filter_map(|r| Some((r.end?, lane.row(r.end?).text.clone())))
        .collect()
}
