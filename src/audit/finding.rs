//! What an audit says: failures with their verdicts, findings, lanes. Reports render this and nothing else.

use super::ruling::{Gate, Overruled, Ruling};
use crate::cause::{Cause, Waiting};
use crate::evidence::Evidence;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How the recorded name stands against the evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The name's claim contradicts the evidence.
    Misnamed,
    /// The name says nothing, the evidence does.
    Opaque,
    /// The claim is the cause.
    Accurate,
    /// There is a failure but no evidence.
    Unsupported,
}

/// How sure a verdict is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Accuses nobody.
    Possible,
    /// One clear sign in the same operation or run.
    Likely,
    /// A provider code, an exception of one meaning, or two independent signs.
    Certain,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Costs something.
    Warning,
    /// Costs results.
    Error,
}

/// A place in a log: lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// Relative to the path given.
    pub file: String,
    /// The first line.
    pub line: i64,
    /// The last line.
    pub end_line: i64,
}

/// A line that proves (or helps to prove) the cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// Relative to the path given.
    pub file: String,
    /// The first line.
    pub line: i64,
    /// The last line.
    pub end_line: i64,
    /// The kind of evidence.
    pub kind: String,
    /// The pattern's id.
    pub pattern: String,
    /// The text, redacted.
    pub text: String,
    /// Whether this is what decided.
    pub decides: bool,
}

/// Evidence that was weighed and refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAside {
    /// Relative to the path given.
    pub file: String,
    /// The line.
    pub line: i64,
    /// The pattern's id.
    pub pattern: String,
    /// Why it was refused.
    pub why: String,
}

/// The three answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// Will waiting fix it?
    pub wait: String,
    /// When is it to be cut off?
    pub cut_off: String,
    /// What must change before the next attempt?
    pub change: String,
}

/// What it cost, as far as the log shows it. All counts are of things seen unless `estimated`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Attempts in vain.
    pub attempts: i64,
    /// Requests in vain.
    pub requests: i64,
    /// Seconds waited or run in vain.
    pub seconds: i64,
    /// Items dropped.
    pub items: i64,
    /// Whether any of it is an estimate.
    pub estimated: bool,
    /// Seconds for which nobody saw that something was missing or pending.
    #[serde(default)]
    pub undetected: i64,
}

/// All failures of one lane under one masked name with one cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The lane.
    pub lane: String,
    /// The recorded name, masked.
    pub recorded_name: String,
    /// Other labels of the same operations.
    pub aliases: Vec<String>,
    /// What the name claims; none if it says nothing.
    pub claimed: Option<Cause>,
    /// What it was.
    pub cause: Cause,
    /// The coarse class of the cause.
    pub class: String,
    /// The name held against the evidence.
    pub standing: Standing,
    /// Will waiting fix it?
    pub waiting: Waiting,
    /// When it ends, RFC 3339 in UTC, where known.
    pub reset_at: Option<String>,
    /// How sure.
    pub confidence: Confidence,
    /// How many operations failed so.
    pub count: i64,
    /// The first instant, RFC 3339 in UTC.
    pub first: Option<String>,
    /// The last instant.
    pub last: Option<String>,
    /// How many of them on each day (UTC) that the log names, such as `2026-08-09`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub days: BTreeMap<String, i64>,
    /// Where the name was recorded (the first ones).
    pub places: Vec<Place>,
    /// What proves the cause, the deciding line first.
    pub evidence: Vec<Proof>,
    /// What was refused, and why.
    pub set_aside: Vec<SetAside>,
    /// The three answers.
    pub advice: Advice,
    /// What it cost.
    pub cost: Cost,
    /// What was judged before a person ruled otherwise; `cause` is then the person's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overruled: Option<Overruled>,
}

/// Something that a person acts on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule's name, such as `misnamed`.
    pub rule: String,
    /// The rule's code, such as `MN101`.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// How sure.
    pub confidence: Confidence,
    /// The lane; `*` for rules over all lanes.
    pub lane: String,
    /// The rule's title.
    pub title: String,
    /// The fact in words, with its figures, and what to do.
    pub message: String,
    /// The figures by name.
    pub facts: BTreeMap<String, String>,
    /// What it cost.
    pub cost: Cost,
    /// Where.
    pub places: Vec<Place>,
    /// The masked name, as far as it is part of the identity.
    #[serde(default)]
    pub recorded: String,
    /// The cause, as far as it is part of the identity.
    #[serde(default)]
    pub cause: String,
    /// The deciding sign, as far as it is part of the identity.
    #[serde(default)]
    pub decides: String,
    /// Identity by content (recipe 1), 32 hexadecimal digits.
    pub fingerprint: String,
    /// Identity without the verdict, 32 hexadecimal digits.
    pub anchor: String,
    /// `new`, `known`, ... against a baseline; `new` without one.
    pub state: String,
    /// What stands behind the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<Ruling>,
    /// The records and intervals that the cost is summed from; not written.
    #[serde(skip)]
    pub tally: Tally,
}

impl Finding {
    /// Whether a gate fails on it: not on what is known or waived, and never on what is only possible.
    pub fn fails(&self) -> bool {
        self.confidence > Confidence::Possible
            && matches!(self.state.as_str(), "new" | "changed" | "surge" | "lapsed")
    }

    /// How often it happened, where the rule counts.
    pub fn count(&self) -> Option<i64> {
        self.facts.get("count").and_then(|n| n.parse().ok())
    }
}

/// The records and intervals that costs are summed from, so that one of them counts once across findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Attempts in vain: lane, file and offset of the record.
    pub attempts: BTreeSet<(String, String, i64)>,
    /// Requests in vain, likewise, each with how many requests the record stands for.
    pub requests: BTreeMap<(String, String, i64), i64>,
    /// Intervals waited or run in vain, in nanoseconds, by lane.
    pub spans: BTreeSet<(String, i64, i64)>,
    /// Intervals in which nobody saw that something was missing or pending, likewise.
    pub unseen: BTreeSet<(String, i64, i64)>,
    /// Items dropped, by record, each with how many it stands for.
    pub items: BTreeMap<(String, String, i64), i64>,
    /// Whether any of it is an estimate.
    pub estimated: bool,
}

impl Tally {
    /// Counts an attempt.
    pub fn attempt(&mut self, row: &Evidence) {
        self.attempts.insert(record(row));
    }

    /// Counts requests.
    pub fn request(&mut self, row: &Evidence, count: i64) {
        self.requests.insert(record(row), count);
    }

    /// Counts items.
    pub fn item(&mut self, row: &Evidence, count: i64) {
        self.items.insert(record(row), count);
    }

    /// Counts an interval, if both ends are known.
    pub fn span(&mut self, lane: &str, from: Option<i64>, to: Option<i64>) {
        self.spans.extend(interval(lane, from, to));
    }

    /// Counts an interval in which nobody saw what was wrong, if both ends are known.
    pub fn unseen(&mut self, lane: &str, from: Option<i64>, to: Option<i64>) {
        self.unseen.extend(interval(lane, from, to));
    }

    /// Takes in another.
    pub fn join(&mut self, other: &Tally) {
        self.attempts.extend(other.attempts.iter().cloned());
        self.requests
            .extend(other.requests.iter().map(|(k, v)| (k.clone(), *v)));
        self.spans.extend(other.spans.iter().cloned());
        self.unseen.extend(other.unseen.iter().cloned());
        self.items
            .extend(other.items.iter().map(|(k, v)| (k.clone(), *v)));
        self.estimated |= other.estimated;
    }

    /// The sum: a record counts once, and so does each second of a lane.
    pub fn cost(&self) -> Cost {
        Cost {
            attempts: self.attempts.len() as i64,
            requests: self.requests.values().sum(),
            seconds: covered(&self.spans),
            items: self.items.values().sum(),
            estimated: self.estimated,
            undetected: covered(&self.unseen),
        }
    }
}

fn interval(lane: &str, from: Option<i64>, to: Option<i64>) -> Option<(String, i64, i64)> {
    let (from, to) = from.zip(to)?;
    (to > from).then(|| (lane.to_string(), from, to))
}

/// The whole seconds that intervals cover, each second of a lane once.
fn covered(spans: &BTreeSet<(String, i64, i64)>) -> i64 {
    let mut nanoseconds = 0;
    let mut until: Option<(&str, i64)> = None;
    for (lane, from, to) in spans {
        let start = match until {
            Some((same, end)) if same == lane => (*from).max(end),
            _ => *from,
        };
        nanoseconds += (to - start).max(0);
        until = Some((lane, start.max(*to)));
    }
    (nanoseconds + 500_000_000) / 1_000_000_000
}

fn record(row: &Evidence) -> (String, String, i64) {
    (row.lane.to_string(), row.file.to_string(), row.offset)
}

/// One lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// Its name.
    pub lane: String,
    /// How many files.
    pub files: i64,
    /// How many lines, exactly.
    pub lines: i64,
    /// Failures.
    pub failures: i64,
    /// Failures under a wrong name.
    pub misnamed: i64,
    /// Failures under a name that says nothing.
    pub opaque: i64,
    /// Failures without evidence.
    pub unsupported: i64,
    /// The first instant, RFC 3339 in UTC.
    pub first: Option<String>,
    /// The last instant.
    pub last: Option<String>,
    /// The last success seen, where one was looked for.
    pub last_success: Option<String>,
}

/// A path and the reason why it was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The path.
    pub path: String,
    /// The reason.
    pub why: String,
}

/// The input, as far as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// How many files.
    pub files: i64,
    /// Bytes, decompressed.
    pub bytes: i64,
    /// Lines, exactly.
    pub lines: i64,
    /// What was passed over.
    pub passed_over: Vec<Skipped>,
    /// What could not be read.
    pub unreadable: Vec<Skipped>,
    /// Lines that are no valid text or broken JSON.
    pub bad_lines: i64,
    /// What caps cut.
    pub capped: Vec<crate::evidence::Capped>,
}

/// The first lines of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Failures, counted once per operation.
    pub failures: i64,
    /// Under a wrong name.
    pub misnamed: i64,
    /// Under a name that says nothing.
    pub opaque: i64,
    /// Named right.
    pub accurate: i64,
    /// Cannot be judged.
    pub unsupported: i64,
    /// What it cost.
    pub cost: Cost,
}

/// The whole result of an audit: the JSON report is exactly this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// `misnomer/1`.
    pub schema: String,
    /// The instant that counts as now, RFC 3339 in UTC.
    pub now: Option<String>,
    /// The first lines.
    pub summary: Summary,
    /// What was read.
    pub input: Input,
    /// The lanes, by name.
    pub lanes: Vec<Lane>,
    /// The failures.
    pub failures: Vec<Failure>,
    /// The findings, most costly first.
    pub findings: Vec<Finding>,
    /// Whether only some lanes or rules were asked for, so that what is absent is not gone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub narrowed: bool,
    /// What the baseline, the waivers and the history say; none where there is none of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
}

impl Outcome {
    /// Whether all of the input was read, and there was some.
    pub fn complete(&self) -> bool {
        self.input.files > 0 && self.input.unreadable.is_empty()
    }
}
