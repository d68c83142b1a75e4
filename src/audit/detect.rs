//! The rules: one detector a file, each a const. A new rule is one file, its `mod` line and its entry in [`ALL`].

mod many_causes;
mod many_names;
mod misnamed;
mod opaque_name;
mod silent_truncation;
mod status_discarded;

use super::case::Corpus;
use super::failures::Judged;
use super::finding::{Confidence, Cost, Finding, Place, Severity};
use super::identity;
use crate::evidence::{Evidence, Kind};
use crate::settings::Settings;
use std::collections::BTreeMap;

/// What a rule sees at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// One key of one lane.
    Key,
    /// One lane.
    Lane,
    /// All lanes.
    AllLanes,
}

/// What a detector sees.
pub struct View<'a> {
    /// The evidence, by lane.
    pub corpus: &'a Corpus<'a>,
    /// The verdicts, in the order of the lanes.
    pub judged: &'a [Judged<'a>],
    /// The configuration.
    pub settings: &'a Settings,
    /// The instant that counts as now.
    pub now: Option<i64>,
}

/// A rule.
pub struct Detector {
    /// Its permanent name.
    pub id: &'static str,
    /// Its permanent code.
    pub code: &'static str,
    /// A few words.
    pub title: &'static str,
    /// What it finds, when it keeps silent, and what to do: what `explain` shows.
    pub help: &'static str,
    /// How much a finding matters.
    pub severity: Severity,
    /// What it sees at once.
    pub extent: Extent,
    /// Its knobs: name, default, meaning.
    pub knobs: &'static [(&'static str, &'static str, &'static str)],
    /// Looks.
    pub detect: fn(&View<'_>, &Detector, &mut Vec<Finding>),
}

/// Every rule, by code.
pub const ALL: &[Detector] = &[
    misnamed::RULE,
    opaque_name::RULE,
    many_names::RULE,
    many_causes::RULE,
    status_discarded::RULE,
    silent_truncation::RULE,
];

/// What makes a finding the same finding tomorrow.
pub struct Subject<'a> {
    /// The lane, or `*`.
    pub lane: &'a str,
    /// The masked name.
    pub recorded: &'a str,
    /// The cause's slug.
    pub cause: &'a str,
    /// The one deciding evidence key of an opaque name; else empty.
    pub decides: &'a str,
}

impl Detector {
    /// A finding of this rule.
    pub fn finding(
        &self,
        subject: &Subject<'_>,
        confidence: Confidence,
        message: String,
    ) -> Finding {
        Finding {
            rule: self.id.to_string(),
            code: self.code.to_string(),
            severity: self.severity,
            confidence,
            lane: subject.lane.to_string(),
            title: self.title.to_string(),
            message,
            facts: BTreeMap::new(),
            cost: Cost::default(),
            places: Vec::new(),
            fingerprint: identity::fingerprint(
                self.id,
                subject.lane,
                subject.recorded,
                subject.cause,
                subject.decides,
            ),
            anchor: identity::anchor(self.id, subject.lane, subject.recorded),
            recorded: subject.recorded.to_string(),
            cause: subject.cause.to_string(),
            decides: subject.decides.to_string(),
            state: "new".to_string(),
            ruling: None,
        }
    }
}

impl Finding {
    /// Adds a fact.
    pub fn fact(mut self, name: &str, value: impl ToString) -> Finding {
        self.facts.insert(name.to_string(), value.to_string());
        self
    }

    /// Sets the places (the first twenty).
    pub fn at(mut self, places: impl IntoIterator<Item = Place>) -> Finding {
        self.places = places.into_iter().take(20).collect();
        self
    }

    /// Sets the cost.
    pub fn costs(mut self, cost: Cost) -> Finding {
        self.cost = cost;
        self
    }
}

/// Whether a row states a success.
pub fn succeeded(row: &Evidence) -> bool {
    row.kind == Kind::Outcome && row.values.get("result").is_some_and(|r| r == "ok")
}
