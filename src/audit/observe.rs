//! What the rules of behaviour look at: signs that repeat, attempts by layer, holds by key, runs.
//!
//! All of it is read off the rows of one lane and its verdicts; nothing here decides what is a finding.

mod attempts;
mod holds;
mod runs;
mod signs;

pub use attempts::{Attempt, attempts, seconds};
pub use holds::{Hold, holds};
pub use runs::{Run, counted, runs};
pub use signs::{Repeat, Sign, concrete, key_of, repeats, signs};

use crate::audit::case::LaneView;
use crate::audit::failures::Judged;
use std::collections::BTreeMap;

/// What is read off one lane once, for all rules.
pub struct Observed<'t> {
    /// Every record that shows a cause, in order.
    pub signs: Vec<Sign<'t>>,
    /// Signs that come again unchanged.
    pub repeats: Vec<Repeat<'t>>,
    /// Attempts, in order.
    pub attempts: Vec<Attempt>,
    /// Holds by what they hold.
    pub holds: BTreeMap<String, Vec<Hold>>,
    /// Runs by file.
    pub runs: Vec<Run>,
}

impl<'t> Observed<'t> {
    /// Reads a lane.
    pub fn of(lane: &LaneView<'t>, judged: &Judged<'_>) -> Observed<'t> {
        let signs = signs(lane, judged);
        Observed {
            repeats: repeats(&signs),
            signs,
            attempts: attempts(lane),
            holds: holds(lane),
            runs: runs(lane),
        }
    }
}

/// Nanoseconds of a second.
pub const SECOND: i64 = 1_000_000_000;

/// The whole seconds from one instant to another; 0 where one is not known.
pub fn between(from: Option<i64>, to: Option<i64>) -> i64 {
    match (from, to) {
        (Some(a), Some(b)) => (b - a).max(0) / SECOND,
        _ => 0,
    }
}

/// A span in the largest unit that tells it: `45 s`, `12 min`, `39 h`, `9 days`.
pub fn span(seconds: i64) -> String {
    match seconds {
        s if s < 120 => format!("{s} s"),
        s if s < 7200 => format!("{} min", s / 60),
        s if s < 3 * 86_400 => format!("{} h", s / 3600),
        s => format!("{} days", s / 86_400),
    }
}
