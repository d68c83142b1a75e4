//! MN106: a failure behind a success or a zero.

use super::{Detector, Extent, Subject, View};
use crate::audit::case::LaneView;
use crate::audit::failures::{Judged, place};
use crate::audit::finding::{Confidence, Finding, Severity};
use crate::audit::observe::{Observed, Run, Sign, counted};
use crate::evidence::{Kind, Level};

pub(super) const RULE: Detector = Detector {
    id: "swallowed-error",
    code: "MN106",
    title: "a failure behind a success",
    help: "An operation failed, with a sign of its cause, and the run that held it ended with exit code 0 or a word of success, as if nothing had happened. \
It keeps silent where the end counts the failures or says that it is partial, where the same thing worked afterwards or a retry layer recovered, and where the failure is a warning that a fallback answered. \
Let the failure reach the end of the run: an exit code, a count, a state of its own.",
    severity: Severity::Error,
    extent: Extent::Lane,
    knobs: &[],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, judged, observed) in view.lanes() {
        let mut found: Vec<(&Run, usize, &Sign<'_>)> = Vec::new();
        for run in observed.runs.iter().filter(|r| r.well && r.end.is_some()) {
            let Some(end) = run.end else { continue };
            if confesses(lane, run) {
                continue;
            }
            let lost = observed.signs.iter().rfind(|s| {
                s.sure
                    && run.rows.contains(&s.row)
                    && s.case.is_some()
                    && (loud(lane, s)
                        || run.rows.iter().any(|r| {
                            skips(lane, *r) && lane.row(*r).offset == lane.row(s.row).offset
                        }))
                    && !recovered(lane, observed, run, s)
            });
            if let Some(sign) = lost {
                found.push((run, end, sign));
            }
        }
        let Some((_, end, sign)) = found.first() else {
            continue;
        };
        let subject = Subject {
            lane: lane.lane,
            recorded: &lane.row(*end).pattern,
            cause: sign.cause.slug(),
            decides: "",
        };
        // The items are failures already, and cost nothing twice.
        let items: usize = found
            .iter()
            .map(|(run, _, sign)| lost_items(lane, judged, run, sign))
            .sum();
        let told: String = lane.row(*end).text.chars().take(80).collect();
        out.push(
            rule.finding(
                &subject,
                Confidence::Likely,
                format!(
                    "{} ended well (\"{told}\") after {}. Let the failure reach the end: an exit code, a count, a state of its own.",
                    if found.len() == 1 { "a run".to_string() } else { format!("{} runs", found.len()) },
                    sign.cause
                ),
            )
            .fact("runs", found.len())
            .fact("cause", sign.cause)
            .fact("items", items)
            .at(found.iter().flat_map(|(_, end, s)| [place(lane.row(s.row)), place(lane.row(*end))])),
        );
    }
}

fn skips(lane: &LaneView<'_>, row: usize) -> bool {
    lane.row(row)
        .values
        .get("what")
        .is_some_and(|w| w == "skipped")
}

/// Whether a sign stands in a record that its writer calls an error.
fn loud(lane: &LaneView<'_>, sign: &Sign<'_>) -> bool {
    let e = lane.row(sign.row);
    let named = lane.of_file(&e.file).iter().map(|i| lane.row(*i)).any(|r| {
        r.kind == Kind::Name && (r.offset == e.offset || (r.record_line - e.record_line).abs() <= 2)
    });
    e.level >= Level::Error || (e.level == Level::None && named)
}

/// Whether the end of a run, or a line near it, counts failures or calls itself partial.
fn confesses(lane: &LaneView<'_>, run: &Run) -> bool {
    let Some(end) = run.end else { return false };
    let e = lane.row(end);
    let text = e.text.to_lowercase();
    if [
        "partial", "failed", "failure", "error", "warn", "skipped", "degraded", "fail=",
    ]
    .iter()
    .any(|w| {
        text.find(w).is_some_and(|at| {
            let rest =
                text[at + w.len()..].trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
            !rest.starts_with('0')
        })
    }) {
        return true;
    }
    // Something came of it, under a count of its own.
    if all_of_all(&text)
        || counted(&e.text)
            .iter()
            .any(|(word, n)| *n > 0 && word != "bytes" && word != "files")
    {
        return true;
    }
    run.rows.iter().rev().take(6).any(|r| {
        let r = lane.row(*r);
        r.kind == Kind::GiveUp
            || r.kind == Kind::Outcome && r.values.get("result").is_some_and(|v| v == "failed")
    })
}

/// Whether a text counts all of all: `3 of 3 archives`.
fn all_of_all(text: &str) -> bool {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c == ',')
        .collect();
    words
        .windows(3)
        .any(|w| w[1] == "of" && w[0] == w[2] && w[0].parse::<u64>().is_ok_and(|n| n > 0))
        || words.iter().any(|w| {
            w.split_once('/')
                .is_some_and(|(a, b)| a == b && a.parse::<u64>().is_ok_and(|n| n > 0))
        })
}

/// How many failures of a run have the cause of a sign.
fn lost_items(lane: &LaneView<'_>, judged: &Judged<'_>, run: &Run, sign: &Sign<'_>) -> usize {
    lane.cases
        .iter()
        .zip(&judged.verdicts)
        .filter(|(case, verdict)| {
            run.rows.contains(&case.best) && verdict.as_ref().is_some_and(|v| v.cause == sign.cause)
        })
        .count()
}

/// Whether the same thing worked afterwards in the run.
fn recovered(lane: &LaneView<'_>, observed: &Observed<'_>, run: &Run, sign: &Sign<'_>) -> bool {
    let retried = observed.attempts.iter().any(|a| run.rows.contains(&a.row));
    let rank = lane.rows[sign.row].rank;
    run.rows.iter().any(|r| {
        let row = &lane.rows[*r];
        if row.rank <= rank || Some(*r) == run.end {
            return false;
        }
        let e = row.evidence;
        let fallback =
            e.kind == Kind::Context && e.values.get("what").is_some_and(|w| w == "fallback_used");
        let same = ["request", "job", "target"]
            .iter()
            .any(|k| e.keys.contains_key(*k) && e.keys.get(*k) == lane.row(sign.row).keys.get(*k));
        fallback || super::succeeded(e) && (same || retried)
    })
}
