//! What people and earlier runs say of an outcome: the baseline, waivers and overrides, the history.

use crate::cause::Cause;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What stands behind the state of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ruling {
    /// Of `changed`: the cause that the baseline knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// Of `surge`: the count that the baseline allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceil: Option<i64>,
    /// Of `overridden`: the cause, as a person ruled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Cause>,
    /// Of a waiver or an override: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Of a waiver or an override: who answers for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Of a waiver or an override: the last day on which it holds, such as `2026-12-31`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

/// What the program had judged before a person ruled otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overruled {
    /// The cause that the evidence gave.
    pub judged: Cause,
    /// Why a person ruled otherwise.
    pub reason: String,
    /// Who.
    pub owner: String,
}

/// An entry of the baseline that this run did not find.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absent {
    /// Its fingerprint.
    pub fingerprint: String,
    /// The rule's name.
    pub rule: String,
    /// The lane.
    pub lane: String,
    /// The masked name.
    pub recorded: String,
    /// The cause.
    pub cause: String,
    /// `dormant`, or `stale` after 30 days and 10 complete runs without it.
    pub state: String,
    /// When the history saw it last, RFC 3339 in UTC.
    pub last_seen: Option<String>,
}

/// A waiver or an override that a person should look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// Where it stands: `file:line`.
    pub place: String,
    /// `lapsed`, `unused`, `soon` (it ends within 14 days) or `void` (it matches more than it allows).
    pub state: String,
    /// What it is about, in words.
    pub what: String,
    /// Why it was written.
    pub reason: String,
    /// Who answers for it.
    pub owner: String,
    /// The last day on which it holds.
    pub expires: String,
    /// How many findings it matched.
    pub matches: i64,
}

/// This run beside the one before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Since {
    /// The now of the earlier run, RFC 3339 in UTC.
    pub run: String,
    /// Fingerprints that it had not.
    pub new: Vec<String>,
    /// Fingerprints that only it had.
    pub gone: Vec<String>,
    /// Fingerprints that were counted less often in it.
    pub worse: Vec<String>,
}

/// The outcome held against the baseline, the waivers and the history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// The baseline's file; none if there is none.
    pub baseline: Option<String>,
    /// The waivers' file; none if there is none.
    pub waivers: Option<String>,
    /// How many findings are in each state; those that are only possible do not count.
    pub states: BTreeMap<String, i64>,
    /// Entries of the baseline that this run did not find; empty where lanes or rules were chosen.
    pub absent: Vec<Absent>,
    /// Waivers and overrides to look at.
    pub remarks: Vec<Remark>,
    /// Lanes that the last run of the history had lines of, and this one has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silent: Vec<String>,
    /// What is new, gone and worse since the last run of the history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Since>,
}
