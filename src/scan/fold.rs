//! Evidence that repeats is folded: exact counts, and the first and last rows of each group in total order.
//!
//! A fold is mergeable and does not depend on the order in which rows arrive: a row is dropped only when enough
//! smaller and enough larger rows of its group are held, and a group only when enough groups or rows of smaller hash
//! are.

use crate::evidence::{Capped, Evidence, Kind};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};

/// How many of the first and of the last rows of a group are kept.
pub const EDGE: usize = 64;
/// How many groups are kept.
pub const GROUPS: usize = 8192;
/// How many rows are kept of all groups.
pub const ROWS: usize = 64 << 10;

/// A group of rows that repeat: one lane, one pattern, one masked name.
#[derive(Clone, Debug, Default)]
struct Group {
    count: i64,
    rows: Vec<Evidence>,
}

/// The fold over all rows seen so far.
#[derive(Clone, Debug, Default)]
pub struct Fold {
    groups: HashMap<[u8; 16], Group>,
    /// Rows held.
    held: usize,
    /// Rows of groups that were dropped, by lane and kind.
    other: BTreeMap<(String, Kind), i64>,
}

fn hash(row: &Evidence) -> [u8; 16] {
    let mut hasher = Sha256::new();
    for part in [&row.lane, row.kind.slug(), &row.pattern, &row.name] {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    let mut out = [0; 16];
    out.copy_from_slice(&hasher.finalize()[..16]);
    out
}

impl Group {
    /// Drops rows between the first and the last ones; gives how many.
    fn trim(&mut self, at_most: usize) -> usize {
        let before = self.rows.len();
        if before > at_most {
            self.rows.sort_by(|a, b| a.order().cmp(&b.order()));
            self.rows.drain(EDGE..before - EDGE);
        }
        before - self.rows.len()
    }
}

impl Fold {
    /// Adds one row.
    pub fn add(&mut self, row: Evidence) {
        let group = self.groups.entry(hash(&row)).or_default();
        group.count += row.repeat;
        group.rows.push(row);
        self.held += 1;
        self.held -= group.trim(4 * EDGE);
        self.limit(2);
    }

    /// Counts rows that are like one that was added, and stand between the first and the last that are kept.
    pub fn count(&mut self, like: &Evidence, rows: i64) {
        match self.groups.get_mut(&hash(like)) {
            Some(group) => group.count += rows,
            None => {
                let key = (like.lane.to_string(), like.kind);
                *self.other.entry(key).or_default() += rows;
            }
        }
    }

    /// Adds what another fold holds; its lines are counted from `lines` on.
    pub fn merge(&mut self, later: Fold, lines: i64) {
        for (key, mut theirs) in later.groups {
            for row in &mut theirs.rows {
                row.line += lines;
                row.end_line += lines;
                row.record_line += lines;
                row.record_end += lines;
            }
            self.held += theirs.rows.len();
            let group = self.groups.entry(key).or_default();
            group.count += theirs.count;
            group.rows.append(&mut theirs.rows);
            self.held -= group.trim(4 * EDGE);
        }
        for (key, count) in later.other {
            *self.other.entry(key).or_default() += count;
        }
        self.limit(2);
    }

    /// Drops what no later row can bring back, so that the rows held do not depend on what was seen in which order.
    pub fn settle(&mut self) {
        for group in self.groups.values_mut() {
            self.held -= group.trim(2 * EDGE);
        }
        self.limit(1);
    }

    /// Keeps the groups of smallest hash, once there is `slack` times as much as is kept in the end.
    fn limit(&mut self, slack: usize) {
        if self.groups.len() <= slack * GROUPS && self.held <= slack * ROWS {
            return;
        }
        let mut keys: Vec<([u8; 16], usize)> = self
            .groups
            .iter()
            .map(|(key, group)| (*key, group.rows.len().min(2 * EDGE)))
            .collect();
        keys.sort_unstable();
        let mut rows = 0;
        let kept = keys
            .iter()
            .take(GROUPS)
            .take_while(|(_, held)| {
                rows += held;
                rows <= ROWS
            })
            .count();
        for (key, _) in keys.split_off(kept) {
            if let Some(group) = self.groups.remove(&key)
                && let Some(row) = group.rows.first()
            {
                self.held -= group.rows.len();
                *self
                    .other
                    .entry((row.lane.to_string(), row.kind))
                    .or_default() += group.count;
            }
        }
    }

    /// The rows kept, in total order, and what was cut.
    ///
    /// The count of a group is exact: what its dropped rows stood for is added to `repeat` of the last row before the gap.
    pub fn finish(mut self) -> (Vec<Evidence>, Vec<Capped>) {
        self.settle();
        let mut rows = Vec::new();
        let mut capped = Vec::new();
        for mut group in self.groups.into_values() {
            group.rows.sort_by(|a, b| a.order().cmp(&b.order()));
            let kept: i64 = group.rows.iter().map(|r| r.repeat).sum();
            if kept < group.count
                && let Some(row) = group.rows.get_mut(EDGE - 1)
            {
                row.repeat += group.count - kept;
                let place = if row.name.is_empty() {
                    format!("{}: {}", row.lane, row.pattern)
                } else {
                    format!("{}: {}", row.lane, row.name)
                };
                capped.push(Capped {
                    what: "rows".to_string(),
                    place,
                    kept: kept.min(2 * EDGE as i64),
                    of: group.count,
                });
            }
            rows.append(&mut group.rows);
        }
        for ((lane, kind), count) in self.other {
            capped.push(Capped {
                what: "names".to_string(),
                place: format!("{lane}: {}", kind.slug()),
                kept: 0,
                of: count,
            });
        }
        rows.sort_by(|a, b| a.order().cmp(&b.order()));
        capped.sort();
        (rows, capped)
    }

    /// Every row held now, in no order.
    pub fn rows(&self) -> impl Iterator<Item = &Evidence> {
        self.groups.values().flat_map(|g| g.rows.iter())
    }
}
