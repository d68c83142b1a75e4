//! The rules: one detector a file, each a const. A new rule is one file, its `mod` line and its entry in [`ALL`].

mod alert_failed;
mod auth_unprobed;
mod before_reset;
mod budget_as_failure;
mod hammering;
mod hold_without_resume;
mod identical_retry;
mod ladder_past_wall;
mod many_causes;
mod many_names;
mod mass_quarantine;
mod misnamed;
mod missing_success;
mod no_retry;
mod opaque_name;
mod quarantine_loop;
mod retried_permanent;
mod silent_skip;
mod silent_truncation;
mod stacked_retries;
mod status_discarded;
mod swallowed_error;
mod unbounded_requeue;
mod unproven_retry;
mod wait_past_ceiling;
mod zero_wait;

use super::case::{Corpus, LaneView};
use super::failures::Judged;
use super::finding::{Confidence, Cost, Finding, Place, Severity, Tally};
use super::identity;
use super::observe::Observed;
use crate::evidence::{Evidence, FileSummary, Kind};
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
    /// What is read off each lane for the rules of behaviour, in the order of the lanes.
    pub observed: &'a [Observed<'a>],
    /// What the scan says of each file.
    pub files: &'a [FileSummary],
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
    swallowed_error::RULE,
    auth_unprobed::RULE,
    budget_as_failure::RULE,
    silent_truncation::RULE,
    stacked_retries::RULE,
    identical_retry::RULE,
    retried_permanent::RULE,
    zero_wait::RULE,
    hammering::RULE,
    before_reset::RULE,
    no_retry::RULE,
    ladder_past_wall::RULE,
    wait_past_ceiling::RULE,
    unproven_retry::RULE,
    quarantine_loop::RULE,
    mass_quarantine::RULE,
    unbounded_requeue::RULE,
    hold_without_resume::RULE,
    silent_skip::RULE,
    missing_success::RULE,
    alert_failed::RULE,
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
            tally: Tally::default(),
            ruling: None,
        }
    }
}

impl View<'_> {
    /// Each lane with its verdicts and what was read off it.
    pub fn lanes(&self) -> impl Iterator<Item = (&LaneView<'_>, &Judged<'_>, &Observed<'_>)> {
        self.corpus
            .lanes
            .iter()
            .zip(self.judged)
            .zip(self.observed)
            .map(|((lane, judged), observed)| (lane, judged, observed))
    }
}

impl Detector {
    /// The value of a knob for a lane: a number, or a span in seconds. What is written wrongly counts as the default.
    pub fn knob(&self, view: &View<'_>, lane: &str, name: &str) -> i64 {
        let written = view.settings.knob(lane, self.id, name).and_then(|v| {
            v.as_integer()
                .or_else(|| crate::settings::duration(v.as_str()?).ok())
        });
        let default = || {
            let (_, text, _) = self.knobs.iter().find(|(k, _, _)| *k == name)?;
            text.parse()
                .ok()
                .or_else(|| crate::settings::duration(text).ok())
        };
        written.or_else(default).unwrap_or_default()
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

    /// Sets the cost as the sum of what it is made of.
    pub fn tallied(mut self, tally: Tally) -> Finding {
        self.cost = tally.cost();
        self.tally = tally;
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
