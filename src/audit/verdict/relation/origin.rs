//! The other side's own log explains what the caller only felt: a connection cut because the server was killed.

use super::Relations;
use crate::audit::case::LaneView;
use crate::cause::Cause;
use crate::evidence::{Evidence, Grade, Kind};

/// Nanoseconds before the caller's sign within which the other side's sign is looked for.
const BEFORE: i64 = 15_000_000_000;
/// Nanoseconds after it: the clocks of two logs differ, and the second is often cut off.
const AFTER: i64 = 2_000_000_000;
/// How many rows to either side are looked at.
const REACH: usize = 100;

const ADVICE: &str = "Repair the other side: its own log says why it went away at that moment. The caller's retry only meets it again.";

/// Rewrites what a caller felt where another file of the lane says what happened to the other side.
pub fn relate(view: &LaneView<'_>, relations: &mut Relations) {
    for row in (0..view.rows.len()).filter(|i| is_felt(view.row(*i))) {
        let Some(time) = view.rows[row].time else {
            continue;
        };
        let here = view.row(row);
        let from = view.rows[..row]
            .iter()
            .rposition(|r| r.time.is_none_or(|t| t < time - BEFORE))
            .map_or(0, |at| at + 1)
            .max(row.saturating_sub(REACH));
        let near = (from..view.rows.len().min(row + REACH))
            .take_while(|i| view.rows[*i].time.is_some_and(|t| t <= time + AFTER));
        let origin = near
            .filter(|i| *i != row && tells(view.row(*i)) && apart(here, view.row(*i)))
            .min_by_key(|i| {
                let gap = view.rows[*i].time.map_or(0, |t| t.abs_diff(time));
                (gap, *i)
            });
        if let Some(origin) = origin
            && let Some(cause) = view.row(origin).cause
        {
            relations.rewrite(row, cause, ADVICE);
            relations.witnesses.insert(row, origin);
        }
    }
}

/// A sign that the other side went away, without a word of why.
fn is_felt(row: &Evidence) -> bool {
    row.kind == Kind::Cause
        && matches!(row.cause, Some(Cause::ConnectionReset))
        && row.grade <= Grade::Phrase
}

/// A sign of what happens to a process itself: killed, out of memory, out of space, ended by its own limit.
fn tells(row: &Evidence) -> bool {
    row.kind == Kind::Cause
        && !row.after_effect
        && row.grade <= Grade::Phrase
        && matches!(
            row.cause,
            Some(Cause::ResourceExhaustedLocal | Cause::CancelledOrTimeBudget)
        )
}

/// Whether two records are of two writers: another file of the lane.
fn apart(here: &Evidence, there: &Evidence) -> bool {
    here.file != there.file
}
