//! Will waiting help, and until when.

use super::super::case::{Case, LaneView};
use super::relation::Relations;
use super::weigh::Weighed;
use crate::cause::{Cause, Waiting, guide};
use crate::evidence::{Evidence, Grade, Kind};
use crate::time;
use jiff::tz::TimeZone;

/// A reset further away than this (30 days) is shown to a person, not obeyed.
pub const FARTHEST: i64 = 30 * 86_400 * 1_000_000_000;
/// Nanoseconds around a failure within which an announced reset is its own.
const NEAR: i64 = 30_000_000_000;

/// The answer to the first question for a case whose cause is known.
pub fn answer(
    view: &LaneView<'_>,
    case: &Case,
    decider: &Weighed,
    cause: Cause,
    relations: &Relations,
) -> (Waiting, Option<i64>) {
    let row = view.row(decider.row);
    let own = row.waiting.filter(|w| {
        !(relations.rewritten(decider.row) || row.grade == Grade::Status && *w == Waiting::Depends)
    });
    let default = own.unwrap_or(guide(cause).waiting);
    if !matches!(
        cause,
        Cause::RateLimited
            | Cause::QuotaExhausted
            | Cause::Overloaded
            | Cause::LockOrSlotContention
    ) {
        return (default, None);
    }
    let mut best: Option<i64> = None;
    for anchor in [decider.row, case.best] {
        let here = &view.rows[anchor];
        let near = |i: &usize| match (here.time, view.rows[*i].time) {
            (Some(a), Some(b)) => a.abs_diff(b) <= NEAR as u64,
            _ => {
                view.row(*i).file == here.evidence.file
                    && (view.row(*i).line - here.evidence.line).abs() <= 5
            }
        };
        let after = (anchor..view.rows.len()).take(60).take_while(near);
        let before = (0..anchor).rev().take(60).take_while(near);
        for index in after.chain(before) {
            let other = view.row(index);
            if other.kind == Kind::Reset
                && let Some(at) = instant(other)
            {
                // Several constraints: none may be violated, so the latest plausible one counts.
                if other.time.is_none_or(|t| at > t && at - t <= FARTHEST) {
                    best = best.max(Some(at));
                }
            }
        }
    }
    match best {
        Some(at) => (
            if default == Waiting::No {
                Waiting::No
            } else {
                Waiting::AfterReset
            },
            Some(at),
        ),
        None => (default, None),
    }
}

/// The next time that a clock (`14:19:00`, `3:30am`) shows after an instant, in a zone.
fn next_clock(text: &str, zone: &TimeZone, after: i64) -> Option<i64> {
    let lower = text.to_ascii_lowercase();
    let afternoon = lower.contains("pm");
    let digits = lower.trim_end_matches(|c: char| !c.is_ascii_digit());
    let mut parts = digits.split(':').map(|p| p.trim().parse::<i8>().ok());
    let mut hour = parts.next()??;
    let minute = parts.next().unwrap_or(Some(0))?;
    let second = parts.next().unwrap_or(Some(0))?;
    if lower.contains("am") || afternoon {
        hour = hour % 12 + if afternoon { 12 } else { 0 };
    }
    let clock = jiff::civil::Time::new(hour, minute, second, 0).ok()?;
    let start = jiff::Timestamp::from_nanosecond(i128::from(after))
        .ok()?
        .to_zoned_datetime(zone.clone());
    [start.date(), start.date().tomorrow().ok()?]
        .into_iter()
        .find_map(|day| {
            let at = day
                .to_datetime(clock)
                .to_zoned_datetime(zone.clone())
                .ok()?
                .timestamp()
                .as_nanosecond();
            i64::try_from(at).ok().filter(|at| *at > after)
        })
}

/// The instant that a reset row announces, counted from its own record's time.
pub fn instant(row: &Evidence) -> Option<i64> {
    let get = |key: &str| row.values.get(key).map(|v| v.trim());
    let since = |seconds: f64| {
        row.time.and_then(|t| {
            (seconds.is_finite() && seconds.abs() < 1e10).then(|| t + (seconds * 1e9) as i64)
        })
    };
    let number = |key: &str| get(key).and_then(|v| v.parse::<f64>().ok());
    if let Some(n) = number("seconds") {
        // A number without a unit is by its size a delay or an instant.
        return if n >= 1e9 {
            time::parse_number(&format!("{n:.3}"))
        } else {
            since(n)
        };
    }
    if let Some(n) = number("millis") {
        return since(n / 1000.0);
    }
    if let Some(n) = number("minutes") {
        return since(n * 60.0);
    }
    if let Some(n) = number("hours") {
        return since(n * 3600.0);
    }
    if let Some(n) = number("epoch") {
        return time::parse_number(&format!("{n:.3}"));
    }
    if let Some(text) = get("duration") {
        return time::duration_seconds(text).and_then(since);
    }
    let zone = get("zone")
        .and_then(|z| TimeZone::get(z).ok())
        .unwrap_or(TimeZone::UTC);
    if let Some(text) = get("rfc3339").or_else(|| get("http_date")) {
        return time::parse_value(text, &zone);
    }
    get("clock").and_then(|text| next_clock(text, &zone, row.time?))
}
