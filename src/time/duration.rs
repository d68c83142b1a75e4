//! Lengths of time as logs spell them.

use super::SECOND;

/// A length of time in nanoseconds: `6m0s`, `34s`, `1.5s`, `250ms`, `2 minutes`, `1 hour and 30 minutes`, `PT0.5S`
/// (ISO 8601), `00:00:25`. A bare number has no unit and is none.
pub fn duration_ns(text: &str) -> Option<i64> {
    let text = text.trim().trim_matches(['"', '\'']);
    let value = if let Some(rest) = text.strip_prefix(['P', 'p']) {
        iso(rest)?
    } else if text.contains(':') {
        clock(text)?
    } else {
        units(text)?
    };
    let ns = value * SECOND as f64;
    (ns.is_finite() && ns.abs() < 9.0e18).then_some(ns.round() as i64)
}

/// [`duration_ns`] in seconds.
pub fn duration_seconds(text: &str) -> Option<f64> {
    duration_ns(text).map(|ns| ns as f64 / SECOND as f64)
}

fn number(text: &str) -> Option<(f64, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let value = text.get(..end)?.parse().ok()?;
    Some((value, text.get(end..)?))
}

fn iso(text: &str) -> Option<f64> {
    let (mut rest, mut total, mut timed, mut any) = (text, 0.0, false, false);
    while let Some(first) = rest.chars().next() {
        if first == 'T' || first == 't' {
            timed = true;
            rest = rest.get(1..)?;
            continue;
        }
        let (value, tail) = number(rest)?;
        let unit = match (tail.chars().next()?.to_ascii_uppercase(), timed) {
            ('W', false) => 604_800.0,
            ('D', false) => 86_400.0,
            ('H', true) => 3600.0,
            ('M', true) => 60.0,
            ('S', true) => 1.0,
            _ => return None,
        };
        total += value * unit;
        any = true;
        rest = tail.get(1..)?;
    }
    any.then_some(total)
}

fn clock(text: &str) -> Option<f64> {
    let mut total = 0.0;
    let fields: Vec<&str> = text.split(':').collect();
    if !(2..=3).contains(&fields.len()) {
        return None;
    }
    for field in fields {
        if field.is_empty() || !field.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            return None;
        }
        total = total * 60.0 + field.parse::<f64>().ok()?;
    }
    Some(total)
}

fn units(text: &str) -> Option<f64> {
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    let (mut total, mut any) = (0.0, false);
    loop {
        rest = rest.trim_start_matches([' ', ',', '_']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
        if rest.is_empty() {
            break;
        }
        let (value, tail) = number(rest)?;
        let tail = tail.trim_start_matches([' ', '-']);
        let end = tail
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(tail.len());
        total += value * unit(tail.get(..end)?)?;
        any = true;
        rest = tail.get(end..)?;
    }
    any.then_some(total)
}

/// The length of a unit in seconds. `m` is a minute, as in Go; months and years have no fixed length.
pub(crate) fn unit(word: &str) -> Option<f64> {
    let seconds = match word.to_lowercase().as_str() {
        "ns" | "nanosecond" | "nanoseconds" | "nanos" => 1e-9,
        "us" | "µs" | "μs" | "microsecond" | "microseconds" | "micros" => 1e-6,
        "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" | "millis" => 1e-3,
        "s" | "sec" | "secs" | "second" | "seconds" | "秒" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" | "分" => 60.0,
        "h" | "hr" | "hrs" | "hour" | "hours" | "時間" => 3600.0,
        "d" | "day" | "days" => 86_400.0,
        "w" | "week" | "weeks" => 604_800.0,
        _ => return None,
    };
    Some(seconds)
}
