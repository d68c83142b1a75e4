//! MN201: something was cut at a limit, and what followed was recorded as another fault.

use super::{Detector, Extent, Subject, View};
use crate::audit::case::LaneView;
use crate::audit::failures::{Judged, place};
use crate::audit::finding::{Confidence, Finding, Severity, Tally};
use crate::audit::observe::{Observed, counted};
use crate::audit::verdict::relation::number;
use crate::cause::Cause;
use crate::evidence::{Evidence, Kind};
use std::collections::BTreeMap;

pub(super) const RULE: Detector = Detector {
    id: "silent-truncation",
    code: "MN201",
    title: "cut at a limit, and not said so",
    help: "A text was cut: its length equals a limit, a total is greater than what was kept, a parser stops at the end of the text or at the same round place again and again, \
or a model stopped for length; and the failure that followed is not recorded as a cut. A limit that was hit and said so in the name is no finding. \
Raise or remove the limit, parse before cutting, and log that the limit was hit.",
    severity: Severity::Error,
    extent: Extent::Lane,
    knobs: &[],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, judged, observed) in view.lanes() {
        left_off(lane, observed, rule, out);
        let mut cut: BTreeMap<&str, (Vec<usize>, usize, Confidence)> = BTreeMap::new();
        for (case, verdict) in lane.cases.iter().zip(&judged.verdicts) {
            let Some(verdict) = verdict
                .as_ref()
                .filter(|v| v.cause == Cause::TruncatedByLimit)
            else {
                continue;
            };
            let name = lane.row(case.best);
            if name.claims.contains(&Cause::TruncatedByLimit) {
                continue;
            }
            let Some(decider) = verdict.proofs.first() else {
                continue;
            };
            if !cut_here(lane, judged, *decider) {
                continue;
            }
            let slot = cut
                .entry(&name.name)
                .or_insert((Vec::new(), *decider, verdict.confidence));
            slot.0.push(case.best);
            slot.2 = slot.2.max(verdict.confidence);
        }
        for (name, (rows, decider, confidence)) in cut {
            let subject = Subject {
                lane: lane.lane,
                recorded: name,
                cause: Cause::TruncatedByLimit.slug(),
                decides: "",
            };
            let figures = figures(lane, decider);
            let what = match (figures.kept, figures.total) {
                (Some(kept), Some(total)) if total > kept => format!("{kept} of {total} were kept"),
                (Some(kept), _) => format!("cut at {kept}"),
                _ => "cut at a limit".to_string(),
            };
            let mut finding = rule
                .finding(&subject, confidence, format!("\"{name}\" is a cut text: {what} ({} ×). Raise or remove the limit, parse before cutting, and log that it was hit.", rows.len()))
                .fact("recorded_name", name)
                .fact("count", rows.len())
                .at(std::iter::once(decider).chain(rows).map(|r| place(lane.row(r))));
            if let Some(kept) = figures.kept {
                finding = finding.fact("limit", kept);
            }
            if let Some(total) = figures.total {
                finding = finding.fact("length", total);
            }
            out.push(finding);
        }
    }
}

/// Whether the figures show a cut, or a relation between records does; words alone do not, and what is told is not
/// silent.
fn cut_here(lane: &LaneView<'_>, judged: &Judged<'_>, decider: usize) -> bool {
    let row = lane.row(decider);
    if row.pattern.contains("told") {
        return false;
    }
    let figures = figures(lane, decider);
    judged.relations.rewritten(decider)
        || matches!((figures.kept, figures.total), (Some(kept), Some(total)) if total > kept)
}

/// Runs that left off while the other side had more, and called themselves complete.
fn left_off(lane: &LaneView<'_>, observed: &Observed<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    let mut cut: Vec<(usize, usize, i64, i64)> = Vec::new();
    for run in observed
        .runs
        .iter()
        .filter(|r| r.exit.is_none_or(|e| e == 0))
    {
        let Some(end) = run.end else { continue };
        let more = run
            .rows
            .iter()
            .rev()
            .copied()
            .find(|r| lane.row(*r).values.get("what").is_some_and(|w| w == "more"));
        let told = run
            .rows
            .iter()
            .any(|r| lane.row(*r).pattern.contains("told"));
        let done = lane
            .row(end)
            .values
            .get("done")
            .and_then(|d| d.parse::<i64>().ok())
            .or_else(|| counted(&lane.row(end).text).iter().map(|(_, n)| *n).max());
        if let (Some(more), Some(done), false) = (more, done, told)
            && let Some(total) = number(lane.row(more), "total")
            && done > 0
            && done < total
        {
            cut.push((more, end, done, total));
        }
    }
    let Some((_, end, done, total)) = cut.last().copied() else {
        return;
    };
    let subject = Subject {
        lane: lane.lane,
        recorded: &lane.row(end).pattern,
        cause: Cause::TruncatedByLimit.slug(),
        decides: "",
    };
    let mut tally = Tally::default();
    for (_, end, done, total) in &cut {
        tally.item(lane.row(*end), total - done);
    }
    out.push(
        rule.finding(&subject, Confidence::Likely, format!("{done} of {total} were taken while the other side had more, and the run calls itself complete ({} ×). Raise or remove the limit, or say what is left.", cut.len()))
            .fact("limit", done)
            .fact("length", total)
            .fact("count", cut.len())
            .tallied(tally)
            .at(cut.iter().flat_map(|(more, end, _, _)| [place(lane.row(*more)), place(lane.row(*end))])),
    );
}

/// What was kept, and of how much.
#[derive(Default)]
struct Figures {
    kept: Option<i64>,
    total: Option<i64>,
}

/// The figures of the deciding row, or of a limit that stands near it.
fn figures(lane: &LaneView<'_>, decider: usize) -> Figures {
    let own = lane.row(decider);
    let position = ["pos", "position", "char", "offset", "column", "limit"]
        .iter()
        .find_map(|k| number(own, k));
    let mut figures = Figures {
        kept: position,
        total: number(own, "actual")
            .or_else(|| number(own, "length"))
            .or_else(|| number(own, "total")),
    };
    let near = |row: &Evidence| {
        row.kind == Kind::Limit && row.file == own.file && (row.line - own.line).abs() <= 50
    };
    for row in lane
        .of_file(&own.file)
        .iter()
        .map(|i| lane.row(*i))
        .filter(|r| near(r))
    {
        let limit = number(row, "limit")
            .or_else(|| number(row, "kept"))
            .or_else(|| number(row, "max"));
        if limit.is_some() && (figures.kept.is_none() || limit == figures.kept) {
            figures.kept = limit;
            figures.total = figures
                .total
                .or_else(|| number(row, "actual"))
                .or_else(|| number(row, "length"))
                .or_else(|| number(row, "total"));
        }
    }
    figures
}
