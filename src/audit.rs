//! Evidence to findings. Sequential, pure, small; imports nothing of the scan.

pub mod case;
pub mod detect;
pub mod failures;
pub mod finding;
pub mod identity;
pub mod observe;
pub mod ruling;
pub mod verdict;

use crate::evidence::{FileSummary, Table};
use crate::settings::Settings;
use crate::time::rfc3339;
use case::Corpus;
use detect::View;
use failures::Judged;
use finding::{
    Confidence, Cost, Failure, Finding, Input, Lane, Outcome, Skipped, Standing, Summary, Tally,
};
use observe::Observed;
use std::collections::{BTreeMap, BTreeSet};

/// What is reported; it never changes what is read or joined.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only these lanes.
    pub lanes: Option<BTreeSet<String>>,
    /// Only failures recorded at or after this instant (nanoseconds).
    pub since: Option<i64>,
    /// Only failures recorded before or at this instant.
    pub until: Option<i64>,
    /// Only these rules; empty for all.
    pub rules: Vec<String>,
    /// Not these rules.
    pub skip_rules: Vec<String>,
}

impl Filter {
    fn lane(&self, lane: &str) -> bool {
        self.lanes.as_ref().is_none_or(|l| l.contains(lane))
    }

    fn rule(&self, id: &str, code: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|r| r == id || r.eq_ignore_ascii_case(code));
        (self.rules.is_empty() || named(&self.rules)) && !named(&self.skip_rules)
    }
}

/// The newest instant of a table.
pub fn newest(table: &Table) -> Option<i64> {
    table
        .files
        .iter()
        .filter_map(|f| f.last)
        .chain(table.rows.iter().filter_map(|r| r.time))
        .max()
}

/// Audits a table of evidence.
pub fn audit(table: &Table, settings: &Settings, now: Option<i64>, filter: &Filter) -> Outcome {
    let corpus = Corpus::new(table);
    let judged: Vec<Judged<'_>> = corpus
        .lanes
        .iter()
        .map(|view| failures::judge(view, filter.since, filter.until))
        .collect();
    // What is reported is chosen by time; what is joined is not.
    let whole: Vec<Judged<'_>> = match (filter.since, filter.until) {
        (None, None) => Vec::new(),
        _ => corpus
            .lanes
            .iter()
            .map(|view| failures::judge(view, None, None))
            .collect(),
    };
    let observed: Vec<Observed<'_>> = corpus
        .lanes
        .iter()
        .zip(if whole.is_empty() { &judged } else { &whole })
        .map(|(lane, judged)| Observed::of(lane, judged))
        .collect();
    let view = View {
        corpus: &corpus,
        judged: &judged,
        observed: &observed,
        files: &table.files,
        settings,
        now,
    };
    let mut findings: Vec<Finding> = Vec::new();
    for detector in detect::ALL {
        if filter.rule(detector.id, detector.code) {
            (detector.detect)(&view, detector, &mut findings);
        }
    }
    if filter.since.is_some() || filter.until.is_some() {
        findings.retain(|f| f.places.is_empty() || within(table, f, filter));
    }
    findings.retain(|f| f.lane == "*" || filter.lane(&f.lane));
    if let Some(lanes) = &filter.lanes {
        // A rule over all lanes is shown where it concerns a lane that was asked for.
        findings.retain(|f| {
            f.lane != "*"
                || f.facts
                    .get("lanes")
                    .is_none_or(|l| l.split(", ").any(|lane| lanes.contains(lane)))
        });
    }
    findings.sort_by(|a, b| {
        weight(b).cmp(&weight(a)).then_with(|| {
            (&a.code, &a.lane, &a.fingerprint).cmp(&(&b.code, &b.lane, &b.fingerprint))
        })
    });

    let mut all: Vec<Failure> = judged
        .into_iter()
        .filter(|j| filter.lane(j.lane))
        .flat_map(|j| j.failures)
        .collect();
    all.sort_by(|a, b| {
        (
            &a.lane,
            std::cmp::Reverse(a.count),
            &a.recorded_name,
            a.cause,
        )
            .cmp(&(
                &b.lane,
                std::cmp::Reverse(b.count),
                &b.recorded_name,
                b.cause,
            ))
    });
    Outcome {
        schema: "misnomer/1".to_string(),
        now: now.map(rfc3339),
        summary: summary(&all, &findings),
        input: input(table),
        lanes: lanes(table, &corpus, &all, filter),
        failures: all,
        findings,
        narrowed: filter.lanes.is_some()
            || !filter.rules.is_empty()
            || !filter.skip_rules.is_empty(),
        gate: None,
    }
}

/// Whether anything that a finding rests on lies within the time asked for.
fn within(table: &Table, finding: &Finding, filter: &Filter) -> bool {
    let inside = |time: i64| {
        filter.since.is_none_or(|s| time >= s) && filter.until.is_none_or(|u| time <= u)
    };
    finding
        .tally
        .spans
        .iter()
        .chain(&finding.tally.unseen)
        .any(|(_, from, to)| {
            filter.since.is_none_or(|s| *to >= s) && filter.until.is_none_or(|u| *from <= u)
        })
        || table.rows.iter().any(|r| {
            r.time.is_some_and(inside)
                && finding
                    .places
                    .iter()
                    .any(|p| *p.file == *r.file && p.line == r.line)
        })
}

fn weight(finding: &Finding) -> (finding::Severity, Confidence, i64) {
    (
        finding.severity,
        finding.confidence,
        finding.cost.seconds
            + finding.cost.undetected / 10
            + 10 * finding.cost.requests
            + 10 * finding.cost.attempts
            + finding.cost.items,
    )
}

/// The figures of the first lines.
pub fn summary(all: &[Failure], findings: &[Finding]) -> Summary {
    let mut summary = Summary::default();
    for failure in all {
        let sure = failure.confidence > Confidence::Possible;
        summary.failures += failure.count;
        match failure.standing {
            Standing::Misnamed if sure => summary.misnamed += failure.count,
            Standing::Opaque if sure => summary.opaque += failure.count,
            Standing::Accurate => summary.accurate += failure.count,
            _ => summary.unsupported += failure.count,
        }
        add(&mut summary.cost, &failure.cost);
    }
    // A record or an interval that several findings rest on counts once.
    let mut whole = Tally::default();
    for finding in findings
        .iter()
        .filter(|f| f.confidence > Confidence::Possible)
    {
        whole.join(&finding.tally);
    }
    add(&mut summary.cost, &whole.cost());
    summary
}

/// Sums costs.
pub fn add(to: &mut Cost, more: &Cost) {
    to.attempts += more.attempts;
    to.requests += more.requests;
    to.seconds += more.seconds;
    to.items += more.items;
    to.undetected += more.undetected;
    to.estimated |= more.estimated;
}

fn input(table: &Table) -> Input {
    let skipped = |(path, why): (&String, &String)| Skipped {
        path: path.clone(),
        why: why.clone(),
    };
    Input {
        files: table
            .files
            .iter()
            .filter(|f| f.lines > 0 || f.error.is_none())
            .count() as i64,
        bytes: table.files.iter().map(|f| f.bytes).sum(),
        lines: table.files.iter().map(|f| f.lines).sum(),
        passed_over: table
            .passed_over
            .iter()
            .map(|(p, w)| skipped((p, w)))
            .collect(),
        unreadable: table
            .files
            .iter()
            .filter_map(|f| Some(skipped((&f.file, f.error.as_ref()?))))
            .collect(),
        bad_lines: table.files.iter().map(|f| f.bad_lines).sum(),
        capped: table.capped.clone(),
    }
}

fn lanes(table: &Table, corpus: &Corpus<'_>, all: &[Failure], filter: &Filter) -> Vec<Lane> {
    let mut files: BTreeMap<&str, Vec<&FileSummary>> = BTreeMap::new();
    for file in table.files.iter().filter(|f| !f.lane.is_empty()) {
        files.entry(&file.lane).or_default().push(file);
    }
    let mut out = Vec::new();
    for view in corpus.lanes.iter().filter(|v| filter.lane(v.lane)) {
        let files = files.get(view.lane).map_or(&[][..], Vec::as_slice);
        let sum = |standing: Option<Standing>| {
            all.iter()
                .filter(|f| f.lane == view.lane && standing.is_none_or(|s| f.standing == s))
                .map(|f| f.count)
                .sum()
        };
        let success = view
            .rows
            .iter()
            .filter(|r| detect::succeeded(r.evidence))
            .filter_map(|r| r.evidence.time)
            .max();
        out.push(Lane {
            lane: view.lane.to_string(),
            files: files.len() as i64,
            lines: files.iter().map(|f| f.lines).sum(),
            failures: sum(None),
            misnamed: sum(Some(Standing::Misnamed)),
            opaque: sum(Some(Standing::Opaque)),
            unsupported: sum(Some(Standing::Unsupported)),
            first: files.iter().filter_map(|f| f.first).min().map(rfc3339),
            last: files.iter().filter_map(|f| f.last).max().map(rfc3339),
            last_success: success.map(rfc3339),
        });
    }
    out
}
