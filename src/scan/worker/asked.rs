//! The second visit: what an ordinary record says, where a failure asks for it.

use super::text::{lines, surroundings};
use super::{BlockScan, Profile, Seen, Worker, record_at, stretch};
use crate::evidence::{Evidence, Kind};
use crate::scan::fold::EDGE;
use crate::scan::pattern::matcher::Hit;
use crate::scan::record::{Draft, Record};
use crate::scan::source::blocks::Block;
use crate::scan::wanted::Wanted;
use std::collections::BTreeMap;
use std::ops::Range;

/// A match of a `common` pattern of which only the order is known yet. Of the many that match one pattern few are kept
/// as rows, so that most need not be read whole.
struct Glimpse {
    time: Option<i64>,
    bounds: Range<usize>,
    hit: Hit,
}

impl Worker<'_> {
    /// Visits records again for what only a failure asks for: `common` patterns in the records around failures and in
    /// those that hold a key of one; and names that stand by their place behind unclaimed signs.
    pub(in crate::scan) fn revisit(&self, block: &Block<'_>, wanted: &Wanted) -> BlockScan {
        let profile = &self.profiles[block.source_index];
        // The blocks of a stream are merged, and count their lines one after the other.
        let mut out = BlockScan {
            lines: lines(block.buf.get(block.own.clone()).unwrap_or_default()),
            ..BlockScan::of(block)
        };
        for row in self.orphaned(block, profile, wanted.orphans(block.source_index)) {
            out.fold.add(row);
        }
        let near = surroundings(block, wanted.failures(block.source_index));
        let keys = wanted.keys(&block.source.lane);
        let stretch = stretch(block, profile);
        let end = match (keys, near.last()) {
            (None, None) => return out,
            _ => self.reach(block, &stretch),
        };
        let mut glimpses: BTreeMap<u32, Vec<Glimpse>> = BTreeMap::new();
        let (mut at, mut known) = (block.own.start, None);
        while at < end {
            let next_range = near
                .get(near.partition_point(|range| range.end <= at))
                .map(|range| range.start.max(at));
            let limit = next_range.unwrap_or(end).min(end);
            let next_key = keys
                .and_then(|k| k.find(block.buf, at, limit))
                .map(|(start, _)| start);
            let Some(next) = next_key.or(next_range).filter(|n| *n < end) else {
                break;
            };
            let (bounds, after) = record_at(&stretch, next, &mut known);
            at = after;
            if !block.own.contains(&bounds.start) {
                continue;
            }
            self.ask(block, profile, bounds, &mut glimpses, &mut out);
        }
        for glimpses in glimpses.into_values() {
            self.keep(block, profile, glimpses, &mut out);
        }
        out
    }

    /// Asks a record for what the first visit did not.
    fn ask(
        &self,
        block: &Block<'_>,
        profile: &Profile,
        bounds: Range<usize>,
        glimpses: &mut BTreeMap<u32, Vec<Glimpse>>,
        out: &mut BlockScan,
    ) {
        let draft = Draft::of(&block.buf[bounds.clone()], &profile.shape);
        if !self.patterns.may_ask(draft.text()) {
            return;
        }
        let around = self.around(block, &bounds);
        let hits = self.patterns.asked(draft.text(), draft.fields(), &around);
        match hits.filter(|hits| self.all_alike(hits)) {
            Some(hits) if hits.is_empty() => {}
            Some(hits) => {
                let time = draft.time(&profile.shape).or_else(|| {
                    let record = draft.read(&profile.shape);
                    self.dated(block, profile, bounds.clone(), record, Vec::new())
                        .time
                });
                for hit in hits {
                    glimpses.entry(hit.pattern).or_default().push(Glimpse {
                        time,
                        bounds: bounds.clone(),
                        hit,
                    });
                }
            }
            None => {
                // Whether a sign stands in the record's own name is told by all that matches.
                let seen = self.look(block, profile, bounds, true);
                for row in self.evidence(block, &seen) {
                    if self.patterns.is_common(&row.pattern) {
                        out.fold.add(row);
                    }
                }
            }
        }
    }

    /// Whether the rows of these matches differ in their records alone: none is weighed by the record's name, and all
    /// are of one lane.
    fn all_alike(&self, hits: &[Hit]) -> bool {
        self.settings.lane_field.is_none()
            && hits
                .iter()
                .all(|h| self.patterns.get(h.pattern).kind != Kind::Cause)
    }

    /// Adds the rows of one pattern. The fold keeps the first and the last in total order, and counts the others.
    fn keep(
        &self,
        block: &Block<'_>,
        profile: &Profile,
        mut glimpses: Vec<Glimpse>,
        out: &mut BlockScan,
    ) {
        let dropped = glimpses.len().saturating_sub(2 * EDGE);
        if dropped > 0 {
            glimpses.sort_by_key(|g| (g.time, g.bounds.start));
            glimpses.drain(EDGE..EDGE + dropped);
        }
        let mut like: Option<Evidence> = None;
        for glimpse in glimpses {
            let raw = &block.buf[glimpse.bounds.clone()];
            let record = Draft::of(raw, &profile.shape).read(&profile.shape);
            let seen = self.dated(block, profile, glimpse.bounds, record, vec![glimpse.hit]);
            for row in self.evidence(block, &seen) {
                if dropped > 0 && like.is_none() {
                    like = Some(row.clone());
                }
                out.fold.add(row);
            }
        }
        if let Some(row) = like {
            out.fold.count(&row, dropped as i64);
        }
    }

    fn dated<'b>(
        &self,
        block: &Block<'b>,
        profile: &Profile,
        bounds: Range<usize>,
        record: Record<'b>,
        hits: Vec<Hit>,
    ) -> Seen<'b> {
        let mut seen = Seen {
            bounds,
            time: record.time,
            record,
            hits,
            name: None,
        };
        seen.date(block, profile);
        seen
    }
}
