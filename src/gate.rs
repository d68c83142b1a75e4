//! What is new: an outcome held against the baseline, the waivers and the history. Nothing here opens a log.

pub mod baseline;
pub mod diff;
pub mod history;
pub mod state;
pub mod waivers;

use crate::audit::finding::Outcome;
use baseline::Baseline;
use history::Run;
use jiff::civil::Date;
use waivers::Waivers;

/// What an outcome is held against.
#[derive(Clone, Debug)]
pub struct Held {
    /// The baseline, with the name of its file.
    pub baseline: Option<(String, Baseline)>,
    /// Waivers and overrides.
    pub waivers: Option<Waivers>,
    /// Earlier runs, the oldest first.
    pub history: Option<Vec<Run>>,
    /// The day on which waivers are looked at.
    pub today: Date,
}

impl Held {
    /// Whether there is nothing to hold an outcome against.
    pub fn is_empty(&self) -> bool {
        self.baseline.is_none() && self.waivers.is_none() && self.history.is_none()
    }

    /// Gives each finding its state, rules where a person has ruled, and says what is absent, lapsed and changed.
    ///
    /// An outcome that is held against nothing stays as it is: all of it is new.
    pub fn apply(&self, outcome: &mut Outcome) {
        if !self.is_empty() {
            state::apply(self, outcome);
        }
    }
}
