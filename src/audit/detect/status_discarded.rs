//! MN105: the evidence existed, and the record that names the failure dropped it.

use super::{Detector, Extent, Subject, View};
use crate::audit::failures::{accused, place};
use crate::audit::finding::{Finding, Severity};
use crate::evidence::Grade;
use std::collections::BTreeMap;

pub(super) const RULE: Detector = Detector {
    id: "status-discarded",
    code: "MN105",
    title: "the status was thrown away",
    help: "A status, code or errno of the failing call stands in the log, but the record that names the failure does not carry it, and names it wrongly or not at all. \
It keeps silent where the record itself holds the evidence. A status that is thrown away at naming time can't be judged later: put it into the record.",
    severity: Severity::Warning,
    extent: Extent::Lane,
    knobs: &[],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, judged) in view.corpus.lanes.iter().zip(view.judged) {
        let mut dropped: BTreeMap<(&str, &str), (Vec<usize>, usize)> = BTreeMap::new();
        for (case, verdict) in lane.cases.iter().zip(&judged.verdicts) {
            let Some(verdict) = verdict else { continue };
            let Some(decider) = verdict.proofs.first() else {
                continue;
            };
            let (name, proof) = (lane.row(case.best), lane.row(*decider));
            let status = matches!(proof.grade, Grade::Status | Grade::Code | Grade::Transport);
            let apart = (&name.file, name.offset) != (&proof.file, proof.offset);
            if status
                && apart
                && !verdict
                    .proofs
                    .iter()
                    .any(|p| (&lane.row(*p).file, lane.row(*p).offset) == (&name.file, name.offset))
            {
                let slot = dropped
                    .entry((&name.name, verdict.cause.slug()))
                    .or_insert((Vec::new(), *decider));
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
