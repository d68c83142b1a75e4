//! The figures in the text format of Prometheus, for a node exporter's directory of text files.
//!
//! The help of a metric is a constant and no sample carries a time, as that directory demands.

use super::frames::word;
use super::{Report, Style, words};
use crate::audit::finding::Outcome;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

/// The format `prometheus`.
pub const REPORT: Report = Report {
    name: "prometheus",
    help: "figures in the text format of Prometheus",
    write: Some(write),
    directory: None,
};

fn write(outcome: &Outcome, _: &Style, to: &mut dyn Write) -> io::Result<()> {
    let mut out = String::new();
    let mut failures: BTreeMap<(&str, String, &str), i64> = BTreeMap::new();
    for f in &outcome.failures {
        let slot = failures.entry((&f.lane, word(&f.standing), f.cause.slug()));
        *slot.or_default() += f.count;
    }
    let rows = failures.iter().map(|((lane, standing, cause), n)| {
        (
            labels(&[("lane", lane), ("standing", standing), ("cause", cause)]),
            *n,
        )
    });
    metric(
        &mut out,
        "failures",
        "Failures by lane, standing of their name and true cause.",
        rows,
    );
    let rows = outcome.findings.iter().map(|f| {
        let labels = labels(&[
            ("fingerprint", &f.fingerprint),
            ("code", &f.code),
            ("rule", &f.rule),
            ("lane", &f.lane),
            ("state", &f.state),
            ("severity", &word(&f.severity)),
            ("confidence", &word(&f.confidence)),
        ]);
        (labels, f.count().unwrap_or(1))
    });
    metric(
        &mut out,
        "finding",
        "Findings, with how often each happened.",
        rows,
    );
    let cost = &outcome.summary.cost;
    let rows = [
        ("attempts", cost.attempts),
        ("requests", cost.requests),
        ("seconds", cost.seconds),
        ("items", cost.items),
    ];
    let rows = rows
        .into_iter()
        .map(|(what, n)| (labels(&[("what", what)]), n));
    metric(
        &mut out,
        "cost",
        "What wrong names cost, as far as the logs show it.",
        rows,
    );
    let rows = outcome
        .lanes
        .iter()
        .map(|l| (labels(&[("lane", &l.lane)]), l.lines));
    metric(&mut out, "lane_lines", "Lines read of a lane.", rows);
    let rows = outcome.lanes.iter().filter_map(|l| {
        Some((
            labels(&[("lane", &l.lane)]),
            seconds(l.last_success.as_deref()?)?,
        ))
    });
    metric(
        &mut out,
        "lane_last_success_timestamp_seconds",
        "The last success that a lane logged, in seconds since 1970.",
        rows,
    );
    let single = |n: i64| std::iter::once((String::new(), n));
    let unread = i64::try_from(outcome.input.unreadable.len()).unwrap_or(i64::MAX);
    metric(
        &mut out,
        "files",
        "Files read.",
        single(outcome.input.files),
    );
    metric(
        &mut out,
        "files_unreadable",
        "Files that could not be read to their end.",
        single(unread),
    );
    if let Some(now) = outcome.now.as_deref().and_then(seconds) {
        metric(
            &mut out,
            "now_timestamp_seconds",
            "The instant that counts as now in the run, in seconds since 1970.",
            single(now),
        );
    }
    to.write_all(out.as_bytes())
}

fn seconds(instant: &str) -> Option<i64> {
    instant.parse::<Timestamp>().ok().map(Timestamp::as_second)
}

fn metric(out: &mut String, name: &str, help: &str, rows: impl Iterator<Item = (String, i64)>) {
    let _ = writeln!(
        out,
        "# HELP misnomer_{name} {help}\n# TYPE misnomer_{name} gauge"
    );
    for (labels, value) in rows {
        let _ = writeln!(out, "misnomer_{name}{labels} {value}");
    }
}

fn labels(pairs: &[(&str, &str)]) -> String {
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(name, value)| {
            let value = words::visible(value)
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('\n', "\\n");
            format!("{name}=\"{value}\"")
        })
        .collect();
    format!("{{{}}}", pairs.join(","))
}
