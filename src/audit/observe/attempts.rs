//! Attempts as retry layers count them, with the meanings of their numbers made one.

use crate::audit::case::LaneView;
use crate::evidence::{Evidence, Kind};
use crate::time;

/// One line of a retry layer.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Its row.
    pub row: usize,
    /// When.
    pub time: Option<i64>,
    /// What tells its layer from another: pattern, logger and bound.
    pub layer: String,
    /// How many attempts had failed by then, counted from 1; where the line counts.
    pub failed: Option<i64>,
    /// The bound, in attempts, where the line says it.
    pub bound: Option<i64>,
    /// The pause that it announces, in milliseconds.
    pub delay: Option<i64>,
    /// Whether the fault was injected on purpose.
    pub injected: bool,
    /// Whether it goes back to a queue or is started again, rather than tried again on the spot.
    pub requeue: bool,
    /// Whether it is a mere delivery, the first or a later one, that says nothing of a failure.
    pub redelivered: bool,
}

/// Every attempt of a lane, in order. Lines of several patterns on one record are one attempt: the one that counts.
pub fn attempts(lane: &LaneView<'_>) -> Vec<Attempt> {
    let mut out: Vec<Attempt> = Vec::new();
    let mut at: std::collections::HashMap<(&str, i64), usize> = std::collections::HashMap::new();
    for (index, row) in lane.rows.iter().enumerate() {
        let e = row.evidence;
        if e.kind != Kind::Attempt {
            continue;
        }
        let attempt = read(index, row.time, e);
        match at.get(&(e.file.as_ref(), e.offset)) {
            Some(held) => {
                let held = &mut out[*held];
                if held.failed.is_none() && attempt.failed.is_some()
                    || held.bound.is_none() && attempt.bound.is_some()
                {
                    held.layer = attempt.layer;
                    held.failed = attempt.failed.or(held.failed);
                    held.bound = attempt.bound.or(held.bound);
                }
                held.delay = held.delay.or(attempt.delay);
                held.injected |= attempt.injected;
                held.requeue |= attempt.requeue;
            }
            None => {
                at.insert((e.file.as_ref(), e.offset), out.len());
                out.push(attempt);
            }
        }
    }
    out
}

fn read(row: usize, time: Option<i64>, e: &Evidence) -> Attempt {
    let number = |name: &str| {
        e.values
            .get(name)
            .and_then(|v| v.trim().parse::<i64>().ok())
    };
    let id = e.pattern.as_ref();
    let base0 = i64::from(id.ends_with("base0"));
    let bound = number("max").map(|m| m + i64::from(id.ends_with("of-retries")));
    let failed = number("n").map(|n| n + base0).or_else(|| {
        // What is left tells how many failed only where the bound is known.
        let after = i64::from(id.ends_with("left-after"));
        Some(bound? - number("left")? - after)
    });
    let logger = e.keys.get("logger").map_or("", String::as_str);
    Attempt {
        row,
        time,
        layer: format!(
            "{id} {logger} {}",
            bound.map_or(String::new(), |b| b.to_string())
        ),
        failed,
        bound,
        delay: e.values.get("delay").and_then(|d| {
            milliseconds(
                d,
                e.values.get("unit").map(String::as_str),
                id.ends_with("millis"),
            )
        }),
        injected: e.values.contains_key("injected") || e.values.contains_key("fault"),
        requeue: id.starts_with("retry.requeue")
            || id.starts_with("retry.systemd")
            || id.starts_with("retry.launchd")
            || id.starts_with("retry.supervisor")
            || id.starts_with("retry.redelivered"),
        redelivered: id.starts_with("retry.redelivered"),
    }
}

/// A delay in milliseconds: `400`, `1.5` with a unit, `1m0s`, `00:00:25`, `PT0.5S`.
fn milliseconds(text: &str, unit: Option<&str>, millis: bool) -> Option<i64> {
    let text = text.trim();
    if let Ok(n) = text.parse::<f64>() {
        let factor = match unit.map(str::to_ascii_lowercase).as_deref() {
            Some(u) if u.starts_with("ms") || u.starts_with("mil") => 1.0,
            Some(u) if u.starts_with('m') => 60_000.0,
            Some(u) if u.starts_with('h') => 3_600_000.0,
            Some(u) if u.starts_with('s') => 1000.0,
            _ if millis => 1.0,
            _ => 1000.0,
        };
        return (n.is_finite() && n.abs() < 1e9).then_some((n * factor) as i64);
    }
    time::duration_seconds(text).map(|s| (s * 1000.0) as i64)
}

/// Milliseconds as seconds, rounded.
pub fn seconds(millis: i64) -> i64 {
    (millis + 500) / 1000
}
