//! MN105: the evidence existed, and the record that names the failure dropped it.

use super::{Detector, Extent, Subject, View};
use crate::audit::failures::{accused, place};
use crate::audit::finding::{Finding, Severity, Standing};
use crate::evidence::{Evidence, Grade, Level};
use std::collections::{BTreeMap, HashSet};

pub(super) const RULE: Detector = Detector {
    id: "status-discarded",
    code: "MN105",
    title: "the status was thrown away",
    help: "A status, code or errno of the failing call stands in the log, but the record that names the failure does not carry it, and names it wrongly or not at all. \
It keeps silent where the record itself holds the evidence, where the line with the status is itself recorded under its right name, and for the mere end of a run. A status that is thrown away at naming time can't be judged later: put it into the record.",
    severity: Severity::Warning,
    extent: Extent::Lane,
    knobs: &[(
        "lines",
        "4",
        "how many lines before the name the status stands at most; twice as many for an HTTP status",
    )],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, judged, _) in view.lanes() {
        let near = rule.knob(view, lane.lane, "lines").max(1);
        // What is recorded under its right name is not thrown away.
        let honest: HashSet<(&str, i64)> = lane
            .cases
            .iter()
            .zip(&judged.verdicts)
            .filter(|(_, v)| v.as_ref().is_some_and(|v| v.standing == Standing::Accurate))
            .flat_map(|(case, _)| &case.names)
            .map(|n| (lane.row(*n).file.as_ref(), lane.row(*n).offset))
            .collect();
        let mut dropped: BTreeMap<(&str, &str), (Vec<usize>, usize)> = BTreeMap::new();
        for (case, verdict) in lane.cases.iter().zip(&judged.verdicts) {
            let Some(verdict) = verdict else { continue };
            let name = lane.row(case.best);
            let carried = verdict
                .proofs
                .iter()
                .any(|p| (&lane.row(*p).file, lane.row(*p).offset) == (&name.file, name.offset));
            if carried || !tells(name, verdict.standing) {
                continue;
            }
            let thrown = verdict.proofs.first().copied().filter(|p| {
                let proof = lane.row(*p);
                let status = matches!(proof.grade, Grade::Status | Grade::Code | Grade::Transport);
                let reach = if proof.values.contains_key("status") {
                    2 * near + 2
                } else {
                    near
                };
                status
                    && proof.level < Level::Error
                    && !honest.contains(&(proof.file.as_ref(), proof.offset))
                    && case.names.iter().map(|n| lane.row(*n)).any(|n| {
                        let lines = n.record_line - proof.record_end;
                        n.name == name.name && n.file == proof.file && lines > 0 && lines <= reach
                    })
            });
            if let Some(proof) = thrown {
                let slot = dropped
                    .entry((&name.name, verdict.cause.slug()))
                    .or_insert((Vec::new(), proof));
                slot.0.push(case.best);
            }
        }
        for ((name, cause), (rows, decider)) in dropped {
            let Some(failure) = judged
                .failures
                .iter()
                .find(|f| f.recorded_name == name && f.cause.slug() == cause && accused(f))
            else {
                continue;
            };
            let proof = lane.row(decider);
            let subject = Subject {
                lane: lane.lane,
                recorded: name,
                cause,
                decides: "",
            };
            let message = format!(
                "\"{name}\" dropped what {}:{} said ({}). Record the status and the body beside the name.",
                proof.file, proof.line, proof.pattern
            );
            out.push(
                rule.finding(&subject, failure.confidence, message)
                    .fact("recorded_name", name)
                    .fact("cause", cause)
                    .fact("evidence", &proof.text)
                    .fact(
                        "status",
                        proof.values.get("status").map_or("", String::as_str),
                    )
                    .fact("count", failure.count)
                    .at(rows.iter().map(|r| place(lane.row(*r)))),
            );
        }
    }
}

/// Whether a record names the failure, rather than ends the run or says that something failed.
fn tells(name: &Evidence, standing: Standing) -> bool {
    let rank = name
        .values
        .get("rank")
        .and_then(|r| r.parse::<i64>().ok())
        .unwrap_or(0);
    !matches!(&*name.pattern, "name.end" | "name.run-end" | "name.sign")
        && (standing == Standing::Misnamed || rank > 1 || &*name.pattern == "name.after")
}
