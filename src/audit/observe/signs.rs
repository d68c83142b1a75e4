//! Signs of causes as the verdicts read them, and those that come again unchanged.

use crate::audit::case::LaneView;
use crate::audit::failures::Judged;
use crate::audit::finding::{Confidence, Standing};
use crate::cause::{Cause, Waiting, guide};
use crate::evidence::{Evidence, Grade, Kind};
use regex::Regex;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

/// One record that shows what a failure was.
#[derive(Clone, Debug)]
pub struct Sign<'t> {
    /// Its row.
    pub row: usize,
    /// When.
    pub time: Option<i64>,
    /// Of what.
    pub cause: Cause,
    /// Will waiting fix it?
    pub waiting: Waiting,
    /// The text without what changes from time to time: see [`concrete`].
    pub text: String,
    /// What it is about: request, job or target.
    pub key: Option<&'t str>,
    /// Whether a verdict, or a sign that is clear by itself, says so.
    pub sure: bool,
    /// Whether only the name says so: no evidence, but the same figures each time may be one.
    pub claimed: bool,
    /// The case that it belongs to.
    pub case: Option<usize>,
    /// For how many records it stands.
    pub count: i64,
}

/// What stamps, counters and durations look like: what differs between two tries of the same.
static VOLATILE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let parts = [
        r"\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:?\d\d(?::?\d\d)?(?:[.,]\d+)?)?(?:Z| ?UTC| ?[+-]\d\d:?\d\d\b)?",
        r"\b\d{1,2}[/.](?:\d{1,2}|[A-Z][a-z]{2})[/.](?:\d{4}|\d\d)[: T]+\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?[+-]\d{4})?",
        r"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w*,? +)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w* +\d{1,2}\b",
        r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b",
        r"\b1[4-9]\d{8}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?\b",
        r"(?i:\b\d+(?:\.\d+)?(?:e[+-]?\d+)? ?(?:ns|us|µs|ms|s|sec|secs|seconds?|min|mins|minutes?|h|hours?)\b)",
        r"(?i:\b(?:attempts?|try|tries|retr(?:y|ies)|retry_?count|try_?no|try_?number|left|remaining|round|run|cycle|backoff\w*|failures?|times|count|rc|seq)\b\W{0,4}\d+(?: ?(?:/|of) ?\d+)?)",
        r"(?i:\b\d+ ?(?:/|of) ?\d+\b|\btotal=\d+)",
        r"(?i:\b\d+ (?:more |failed |consecutive )?(?:attempts?|retries|tries|left|times|waiting)\b)",
        r#"(?i:\b(?:\w*ms|elapsed\w*|took|duration\w*|latency|rt|pid|uptime|age\w*|time|ts|cost|thread)["']?[=:] ?["']?[\d.]+)"#,
        r"\[\d+\]|\(\d+\)|#\d+|\bpid \d+",
        r#"(?i:\b(?:x-)?(?:amzn?-)?(?:request|req|trace|correlation|span|host)[-_ ]?id(?:-\d)?["']?[=:] ?["']?[\w=/+-]+)"#,
        r#"(?i:\b(?:prompt|input|total|spent)_?tokens["']?[=:] ?\d+)"#,
    ];
    Regex::new(&parts.join("|")).ok()
});

/// A text without stamps, counters of attempts, durations and process numbers: two tries of the same thing that fail
/// in the same way have the same.
pub fn concrete(text: &str) -> String {
    let out = match VOLATILE.as_ref() {
        Some(regex) => regex.replace_all(text, "~"),
        None => text.into(),
    };
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a row is about: request, job, or target.
pub fn key_of(row: &Evidence) -> Option<&str> {
    ["request", "job", "target"]
        .iter()
        .find_map(|k| row.keys.get(*k))
        .map(String::as_str)
}

/// Every record of a lane that shows a cause, in order.
pub fn signs<'t>(lane: &LaneView<'t>, judged: &Judged<'_>) -> Vec<Sign<'t>> {
    // What the verdicts say of the records that they rest on.
    let mut judged_as: HashMap<(&str, i64), (Cause, Waiting, bool, usize)> = HashMap::new();
    let mut by_text: HashMap<(&str, String), (Cause, Waiting, bool)> = HashMap::new();
    for (index, (case, verdict)) in lane.cases.iter().zip(&judged.verdicts).enumerate() {
        let Some(v) = verdict
            .as_ref()
            .filter(|v| v.standing != Standing::Unsupported)
        else {
            continue;
        };
        let sure = v.confidence > Confidence::Possible;
        for (row, proof) in v
            .proofs
            .iter()
            .map(|r| (*r, true))
            .chain(case.names.iter().map(|r| (*r, false)))
        {
            let e = lane.row(row);
            let slot = judged_as
                .entry((e.file.as_ref(), e.offset))
                .or_insert((v.cause, v.waiting, sure, index));
            if !slot.2 && sure {
                *slot = (v.cause, v.waiting, sure, index);
            }
            if proof {
                by_text
                    .entry((e.pattern.as_ref(), concrete(&e.text)))
                    .or_insert((v.cause, v.waiting, sure));
            }
        }
    }
    let mut best: BTreeMap<(&str, i64), usize> = BTreeMap::new();
    for (index, row) in lane.rows.iter().enumerate() {
        let e = row.evidence;
        let wanted = e.kind == Kind::Cause
            && (!e.after_effect || judged_as.contains_key(&(e.file.as_ref(), e.offset)))
            || e.kind == Kind::Name && judged_as.contains_key(&(e.file.as_ref(), e.offset));
        if !wanted {
            continue;
        }
        best.entry((&e.file, e.offset))
            .and_modify(|held| {
                if rank(e) < rank(lane.row(*held)) {
                    *held = index;
                }
            })
            .or_insert(index);
    }
    let mut out: Vec<Sign<'t>> = best
        .into_iter()
        .filter_map(|(record, row)| {
            let e = lane.row(row);
            let text = concrete(&e.text);
            let own = judged.relations.reading(lane, row);
            let (cause, waiting, sure, case) = match judged_as.get(&record) {
                Some((c, w, s, at)) => (*c, *w, *s, Some(*at)),
                None => match by_text.get(&(e.pattern.as_ref(), text.clone())) {
                    Some((c, w, s)) => (*c, *w, *s, None),
                    None => {
                        let (cause, grade) = own?;
                        let waiting = e.waiting.unwrap_or(guide(cause).waiting);
                        (cause, waiting, grade <= Grade::Status, None)
                    }
                },
            };
            Some(Sign {
                row,
                time: lane.rows[row].time,
                cause,
                waiting,
                text,
                key: key_of(e),
                sure,
                claimed: false,
                case,
                count: e.repeat,
            })
        })
        .filter(|s| s.cause != Cause::Unknown)
        .collect();
    for (index, (case, verdict)) in lane.cases.iter().zip(&judged.verdicts).enumerate() {
        if verdict
            .as_ref()
            .is_some_and(|v| v.standing == Standing::Unsupported)
        {
            out.extend(
                case.names
                    .iter()
                    .filter_map(|row| claimed(lane, *row, index)),
            );
        }
    }
    out.sort_by_key(|s| s.row);
    out
}

/// A name without evidence that claims nothing which could pass by itself: its coming again unchanged may be a sign.
fn claimed<'t>(lane: &LaneView<'t>, row: usize, case: usize) -> Option<Sign<'t>> {
    let e = lane.row(row);
    let cause = e.claims.first().copied().unwrap_or(Cause::Unknown);
    let certain = matches!(
        cause,
        Cause::ParseOrExtract
            | Cause::InvalidInput
            | Cause::CodeFault
            | Cause::UnsupportedOrConfig
            | Cause::Unknown
    );
    let end = matches!(&*e.pattern, "name.end" | "name.run-end");
    (certain && !end).then(|| Sign {
        row,
        time: lane.rows[row].time,
        cause,
        waiting: guide(cause).waiting,
        text: concrete(&e.text),
        key: key_of(e),
        sure: false,
        claimed: true,
        case: Some(case),
        count: e.repeat,
    })
}

/// Causes before names, and of causes the one that proves most.
fn rank(row: &Evidence) -> (bool, Grade, std::cmp::Reverse<usize>) {
    (
        row.kind == Kind::Name,
        row.grade,
        std::cmp::Reverse(row.text.len()),
    )
}

/// The same sign, again and again.
#[derive(Clone, Debug)]
pub struct Repeat<'t> {
    /// Of what.
    pub cause: Cause,
    /// Will waiting fix it?
    pub waiting: Waiting,
    /// The text that all have.
    pub text: String,
    /// What it is about, where the records say so.
    pub key: Option<&'t str>,
    /// The signs, in order.
    pub signs: Vec<Sign<'t>>,
    /// How many records.
    pub count: i64,
}

impl Repeat<'_> {
    /// The first instant.
    pub fn first(&self) -> Option<i64> {
        self.signs.iter().filter_map(|s| s.time).min()
    }

    /// The last instant.
    pub fn last(&self) -> Option<i64> {
        self.signs.iter().filter_map(|s| s.time).max()
    }

    /// Whether only names say so.
    pub fn claimed(&self) -> bool {
        self.signs.iter().all(|s| s.claimed)
    }

    /// Whether the text says enough to tell one thing from another, or a key does.
    pub fn specific(&self) -> bool {
        self.key.is_some() || self.text.len() > 30
    }
}

/// Signs of one cause with the same text about the same thing, at least twice.
pub fn repeats<'t>(signs: &[Sign<'t>]) -> Vec<Repeat<'t>> {
    let mut groups: BTreeMap<(Cause, &str, Option<&str>), Vec<&Sign<'t>>> = BTreeMap::new();
    for sign in signs.iter().filter(|s| s.sure || s.claimed) {
        groups
            .entry((sign.cause, &sign.text, sign.key))
            .or_default()
            .push(sign);
    }
    groups
        .into_values()
        .filter_map(|group| {
            let first = *group.first()?;
            let count = group.iter().map(|s| s.count).sum();
            (count > 1).then(|| Repeat {
                cause: first.cause,
                waiting: group
                    .iter()
                    .map(|s| s.waiting)
                    .find(|w| *w == Waiting::No)
                    .unwrap_or(first.waiting),
                text: first.text.clone(),
                key: first.key,
                signs: group.into_iter().cloned().collect(),
                count,
            })
        })
        .collect()
}
