//! MN201: something was cut at a limit, and what followed was recorded as another fault.

use super::{Detector, Extent, Subject, View};
use crate::audit::case::LaneView;
use crate::audit::failures::place;
use crate::audit::finding::{Confidence, Finding, Severity};
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
    for (lane, judged) in view.corpus.lanes.iter().zip(view.judged) {
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
