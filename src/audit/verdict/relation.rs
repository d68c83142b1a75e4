//! Relations between records rewrite evidence before it is weighed.
//!
//! A 401 of a credential that is accepted half a second later is no rejection; a parse error at the very place where
//! the program cuts its input is a truncation. Each relation is a function over one lane that adds readings.

mod auth;
mod origin;
mod truncation;

pub use truncation::number;

use super::super::case::LaneView;
use crate::cause::Cause;
use crate::evidence::{Grade, Kind};
use std::collections::{BTreeMap, BTreeSet};

/// What relations say of the rows of a lane.
#[derive(Debug, Default)]
pub struct Relations {
    readings: BTreeMap<usize, (Cause, Grade)>,
    advice: BTreeMap<usize, String>,
    witnesses: BTreeMap<usize, usize>,
    against: BTreeSet<usize>,
}

impl Relations {
    /// Looks for every relation in a lane.
    pub fn of(view: &LaneView<'_>) -> Relations {
        let mut relations = Relations::default();
        auth::relate(view, &mut relations);
        truncation::relate(view, &mut relations);
        origin::relate(view, &mut relations);
        relations
    }

    /// What a row is a sign of: as rewritten, else as its pattern says.
    pub fn reading(&self, view: &LaneView<'_>, row: usize) -> Option<(Cause, Grade)> {
        if let Some(reading) = self.readings.get(&row) {
            return Some(*reading);
        }
        let evidence = view.row(row);
        if evidence.kind != Kind::Cause {
            return None;
        }
        evidence.cause.map(|cause| (cause, evidence.grade))
    }

    /// Whether a relation (and not a pattern alone) says so.
    pub fn rewritten(&self, row: usize) -> bool {
        self.readings.contains_key(&row)
    }

    /// What the relation advises.
    pub fn advice(&self, row: usize) -> Option<&str> {
        self.advice.get(&row).map(String::as_str)
    }

    /// The other row that the relation holds with.
    pub fn witness(&self, row: usize) -> Option<usize> {
        self.witnesses.get(&row).copied()
    }

    /// Whether something speaks against the plain reading of a row, without deciding.
    pub fn against(&self, row: usize) -> bool {
        self.against.contains(&row)
    }

    fn rewrite(&mut self, row: usize, cause: Cause, advice: &str) {
        self.readings.insert(row, (cause, Grade::Relation));
        self.advice.insert(row, advice.to_string());
    }
}
