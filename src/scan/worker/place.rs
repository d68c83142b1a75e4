//! Names that stand by their place: the last message before a bad end, and what follows a sign that nobody claims.

use super::rows::named;
use super::{Profile, Seen, Worker, record_at, stretch};
use crate::evidence::{Evidence, Kind, Level};
use crate::scan::name::{Name, name_anyway};
use crate::scan::pattern::status::statuses;
use crate::scan::source::blocks::Block;
use std::collections::BTreeMap;

/// How far before a bad end its last message is looked for, in bytes.
const LAST_MESSAGE: usize = 16 << 10;
/// Bytes within which the name of an orphaned sign follows it.
const FOLLOWS: usize = 16 << 10;
/// Nanoseconds within which a record follows another.
const SOON: u64 = 10_000_000_000;

impl Worker<'_> {
    /// The last message before a bad end is its name.
    pub(super) fn before(&self, block: &Block<'_>, seen: &Seen<'_>) -> Option<Evidence> {
        let profile = &self.profiles[block.source_index];
        let stretch = stretch(block, profile);
        let mut at = seen.bounds.start;
        for _ in 0..3 {
            at = at.checked_sub(1)?;
            if at + LAST_MESSAGE < seen.bounds.start {
                return None;
            }
            let (bounds, _) = record_at(&stretch, at, &mut None);
            at = bounds.start;
            let before = self.look(block, profile, bounds, false);
            if before.record.message.trim().is_empty() {
                continue;
            }
            if before.name.is_some() || self.patterns.names.succeeds(&before.record.message) {
                return None;
            }
            let name = name_anyway(&before.record, &before.hits, &self.patterns)?;
            return Some(named(
                &self.base(block, &before),
                &Name {
                    rule: "name.run-end",
                    rank: 2,
                    ..name
                },
                &before,
            ));
        }
        None
    }

    /// The names behind orphans that stand in the own range. The orphan may stand in the block before this one; a
    /// name behind several counts once.
    pub(super) fn orphaned(
        &self,
        block: &Block<'_>,
        profile: &Profile,
        orphans: &[u64],
    ) -> Vec<Evidence> {
        let from = block.offset + block.own.start.saturating_sub(FOLLOWS + 1) as u64;
        let to = block.offset + block.own.end as u64;
        let first = orphans.partition_point(|o| *o < from);
        let mut rows: BTreeMap<i64, Evidence> = BTreeMap::new();
        for orphan in orphans.iter().skip(first).take_while(|o| **o < to) {
            if let Some(row) = self.after(block, profile, (orphan - block.offset) as usize) {
                rows.insert(row.offset, row);
            }
        }
        rows.into_values().collect()
    }

    /// The name that follows the sign of a cause: a record that is no failure by itself, but stands right after one
    /// that no failure claims, and warns or claims a cause.
    fn after(&self, block: &Block<'_>, profile: &Profile, orphan: usize) -> Option<Evidence> {
        let stretch = stretch(block, profile);
        let (bounds, mut at) = record_at(&stretch, orphan, &mut None);
        let sign = self.look(block, profile, bounds, false);
        for _ in 0..3 {
            if at >= block.buf.len() || at > orphan + FOLLOWS {
                return None;
            }
            let (bounds, next) = record_at(&stretch, at, &mut None);
            at = next;
            let seen = self.look(block, profile, bounds, false);
            let soon = matches!((sign.time, seen.time), (Some(a), Some(b)) if b.abs_diff(a) <= SOON)
                || sign.time.is_none();
            if seen.name.is_some() || !soon {
                return None;
            }
            let spoken = matches!(seen.record.level, Level::None | Level::Info | Level::Warn);
            let signs = seen
                .hits
                .iter()
                .any(|h| self.patterns.get(h.pattern).kind == Kind::Cause);
            let served = statuses(&seen.record.text)
                .iter()
                .any(|(code, _)| *code < 400);
            if !spoken || signs || served || self.patterns.names.succeeds(&seen.record.message) {
                continue;
            }
            let Some(name) = name_anyway(&seen.record, &seen.hits, &self.patterns) else {
                continue;
            };
            if seen.record.level == Level::Warn || !name.claims.is_empty() {
                let owned = block.own.contains(&seen.bounds.start);
                return owned.then(|| {
                    named(
                        &self.base(block, &seen),
                        &Name {
                            rule: "name.after",
                            rank: name.rank.min(3),
                            ..name
                        },
                        &seen,
                    )
                });
            }
        }
        None
    }
}
