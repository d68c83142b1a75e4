//! Instants from every format that logs use, as signed nanoseconds since 1970 UTC.
//!
//! A stamp is read in two steps: [`stamp`] recognises its digits and says which parts are there, and [`Anchor`]
//! supplies the parts that are not. A stamp without a year takes it from the file's name, from dated neighbours or
//! from "now", in this order, and never from the time of the file. A stamp without a date (`15:04:05`) takes the day
//! of the anchor; without an anchor it stands on 1970-01-01, so that order and gaps stay usable, and `has_date` says so.

mod calendar;
mod clock;
mod cursor;
mod duration;
mod stamp;

pub use duration::{duration_ns, duration_seconds};

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use stamp::Parts;
use std::ops::Range;

/// Nanoseconds in a second.
pub const SECOND: i64 = 1_000_000_000;
/// Nanoseconds in a day.
pub const DAY: i64 = 86_400 * SECOND;
/// How far into a line a stamp is looked for, in bytes.
const HEAD: usize = 160;

/// Where a stamp takes the parts that it does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anchor {
    /// The date in the file's name.
    pub file_date: Option<Date>,
    /// The newest instant of the neighbours that carry a whole date, in nanoseconds.
    pub dated: Option<i64>,
    /// The instant that counts as now, in nanoseconds.
    pub now: Option<i64>,
    /// Whether `02/03/2026` is the second of March; none where the file does not show it.
    pub day_first: Option<bool>,
}

/// A stamp in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Nanoseconds since 1970 UTC.
    pub ns: i64,
    /// Where it stands in the text, in bytes.
    pub range: Range<usize>,
    /// Whether it names a day. If not, the day is the anchor's, else 1970-01-01.
    pub has_date: bool,
    /// Whether it names a year. If not, the year is the anchor's, else 1970.
    pub has_year: bool,
    /// Whether it names a zone. If not, it was read in the zone given.
    pub has_zone: bool,
    /// A level letter that is glued to the stamp (klog: `E0102 15:04:05.1`).
    pub letter: Option<u8>,
}

/// The stamp at the head of a line, after prefixes such as `[`, `<34>`, a level word or a few columns.
///
/// A date in the middle of a sentence (`next retry at ...`) is not the time of the record and is not taken.
pub fn find(line: &str, zone: &TimeZone, anchor: &Anchor) -> Option<Found> {
    let bytes = line.as_bytes();
    if let Some(parts) = stamp::iso(bytes, 0) {
        return found(parts, 0, zone, anchor);
    }
    let end = bytes.len().min(HEAD);
    let mut fallback = None;
    let mut at = 0;
    while at < end {
        if stamp::may_begin(bytes, at)
            && let Some(parts) = stamp::at(bytes, at, anchor.day_first)
            && prefix_allows(bytes.get(..at).unwrap_or_default(), &parts)
        {
            if parts.timeless {
                // A bare date: what follows may be the whole stamp.
                if fallback.is_none() {
                    fallback = Some((parts, at));
                }
            } else {
                return found(parts, at, zone, anchor);
            }
        }
        at += 1;
    }
    fallback.and_then(|(parts, at)| found(parts, at, zone, anchor))
}

fn found(parts: Parts, at: usize, zone: &TimeZone, anchor: &Anchor) -> Option<Found> {
    let ns = resolve(&parts, zone, anchor)?;
    Some(Found {
        ns,
        range: at..at + parts.len,
        has_date: parts.epoch.is_some() || parts.month > 0,
        has_year: parts.epoch.is_some() || parts.year.is_some(),
        has_zone: parts.epoch.is_some() || parts.offset.is_some(),
        letter: parts.letter,
    })
}

/// Whether what stands before a stamp consists of columns and not of a sentence.
fn prefix_allows(prefix: &[u8], parts: &Parts) -> bool {
    if prefix.is_empty() {
        return true;
    }
    let Ok(text) = std::str::from_utf8(prefix) else {
        return false;
    };
    // `key=STAMP` and `key="STAMP"`: the key must be one of time.
    let glued = text.trim_end_matches(['"', '\'']);
    if let Some(before) = glued.strip_suffix('=') {
        let key = before
            .rsplit([' ', ',', '\t', '{', '['])
            .next()
            .unwrap_or_default();
        return is_time_key(key);
    }
    if text.len() > 1 && !text.contains(' ') && text.ends_with([':', ';']) && !text.ends_with("]:")
    {
        // `file.log:2026-...` is what grep prints, `[MainThread::2026-...` some Python programs; `13:2026` is nothing.
        let name = text.trim_end_matches([':', ';']);
        return name.contains('.') || name.starts_with('[');
    }
    let dateless = parts.month == 0 && parts.epoch.is_none();
    let (mut words, mut columns) = (0, 0);
    let tabs = text.contains('\t');
    let tokens: Vec<&str> = text.split_whitespace().collect();
    for (index, token) in tokens.iter().enumerate() {
        let bare = token.trim_matches(|c: char| !c.is_alphanumeric());
        if bare.is_empty() || is_level_word(bare) {
            continue;
        }
        let other = OTHER_INSTANTS.iter().any(|o| o.eq_ignore_ascii_case(bare));
        if other && token.ends_with(':') {
            return false;
        }
        if token.ends_with(':') && index + 1 == tokens.len() {
            // A program's name before the stamp, but no header that names another instant.
            let program = index == 0 && parts.month > 0 && !parts.timeless;
            return program || is_time_key(bare) || token.ends_with("]:");
        }
        if bare.chars().all(char::is_alphabetic) && !token.starts_with(['[', '<', '(', '{']) {
            words += 1;
        } else {
            columns += 1;
        }
    }
    if dateless || parts.timeless {
        return words == 0 && columns <= usize::from(text.contains('|'));
    }
    // `Started GET "/x" for 10.0.0.1 at 2026-...`: the one sentence that ends in the time of the record (Rails).
    if text.starts_with("Started ") && text.ends_with(" at ") {
        return true;
    }
    words <= if tabs { 6 } else { 1 } && (columns <= 8)
}

/// Names of instants that are not the time of the record.
const OTHER_INSTANTS: &[&str] = &[
    "retry-after",
    "expires",
    "expiry",
    "until",
    "reset",
    "resets",
    "next",
    "deadline",
    "since",
    "due",
    "last-modified",
    "valid",
    "before",
    "after",
    "notbefore",
    "notafter",
    "from",
    "to",
    "end",
    "start",
    "ends",
    "begins",
    "eta",
    "schedule",
    "scheduled",
];

fn is_level_word(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "trace", "debug", "info", "notice", "warn", "warning", "error", "err", "fatal", "critical",
        "crit", "severe", "alert", "emerg", "panic", "verbose", "fine", "d", "i", "w", "e", "f",
        "c",
    ];
    WORDS.iter().any(|w| w.eq_ignore_ascii_case(word))
}

/// Whether a key names the time of a record.
pub(crate) fn is_time_key(key: &str) -> bool {
    const KEYS: &[&str] = &[
        "t",
        "ts",
        "time",
        "timestamp",
        "@timestamp",
        "@t",
        "date",
        "datetime",
        "asctime",
        "when",
        "at",
        "eventtime",
        "event_time",
        "log_time",
        "logtime",
        "created",
    ];
    KEYS.iter().any(|k| k.eq_ignore_ascii_case(key))
}

/// Days since 1970-01-01 of a civil date (proleptic Gregorian; Howard Hinnant's algorithm). A day beyond the end of
/// its month runs over into the next.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let yoe = y - era * 400;
    let mp = (month + 9) % 12;
    let doy = (153 * mp + 2) / 5 + day - 1;
    let doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    era * 146_097 + doe - 719_468
}

/// The inverse of [`days_from_civil`].
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z - era * 146_097;
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + i64::from(month <= 2);
    (year, month, doy - (153 * mp + 2) / 5 + 1)
}

/// Seconds on the zone's own clock to nanoseconds UTC. A repeated hour takes its first pass, a skipped one moves on.
fn zoned(local: i64, nanos: i64, offset: Option<i64>, zone: &TimeZone) -> Option<i64> {
    let utc = match offset {
        Some(offset) => local - offset,
        None if *zone == TimeZone::UTC => local,
        None => {
            let (year, month, day) = civil_from_days(local.div_euclid(86_400));
            let second = local.rem_euclid(86_400);
            let civil = DateTime::new(
                i16::try_from(year).ok()?,
                i8::try_from(month).ok()?,
                i8::try_from(day).ok()?,
                i8::try_from(second / 3600).ok()?,
                i8::try_from(second / 60 % 60).ok()?,
                i8::try_from(second % 60).ok()?,
                0,
            )
            .ok()?;
            zone.to_ambiguous_timestamp(civil)
                .compatible()
                .ok()?
                .as_second()
        }
    };
    utc.checked_mul(SECOND)?.checked_add(nanos)
}

fn civil_of(ns: i64, zone: &TimeZone) -> (i64, i64, i64) {
    let offset = offset_at(ns, zone);
    civil_from_days((ns.div_euclid(SECOND) + offset).div_euclid(86_400))
}

fn offset_at(ns: i64, zone: &TimeZone) -> i64 {
    if *zone == TimeZone::UTC {
        return 0;
    }
    jiff::Timestamp::from_nanosecond(i128::from(ns))
        .map_or(0, |t| i64::from(zone.to_offset(t).seconds()))
}

fn resolve(parts: &Parts, zone: &TimeZone, anchor: &Anchor) -> Option<i64> {
    if let Some(ns) = parts.epoch {
        return Some(ns);
    }
    let clock = parts.second;
    let at = |year: i64, month: i64, day: i64| {
        let local = days_from_civil(year, month, day) * 86_400 + clock;
        zoned(local, parts.nanos, parts.offset, zone)
    };
    if parts.month == 0 {
        let (y, m, d) = if let Some(date) = anchor.file_date {
            (
                i64::from(date.year()),
                i64::from(date.month()),
                i64::from(date.day()),
            )
        } else if let Some(ns) = anchor.dated.or(anchor.now) {
            civil_of(ns, zone)
        } else {
            return Some(clock * SECOND + parts.nanos);
        };
        return at(y, m, d);
    }
    if let Some(year) = parts.year {
        // 0001 and 1970 are what programs print for "no time".
        if !(1980..=2199).contains(&year) {
            return None;
        }
        return at(year, parts.month, parts.day);
    }
    let near = match (anchor.file_date, anchor.dated) {
        (Some(date), _) => Some(
            days_from_civil(
                i64::from(date.year()),
                i64::from(date.month()),
                i64::from(date.day()),
            ) * DAY,
        ),
        (None, dated) => dated,
    };
    if let Some(near) = near {
        let (year, _, _) = civil_of(near, zone);
        return (year - 1..=year + 1)
            .filter_map(|y| at(y, parts.month, parts.day))
            .min_by_key(|ns| ns.abs_diff(near));
    }
    if let Some(now) = anchor.now {
        let (year, _, _) = civil_of(now, zone);
        return (year - 1..=year + 1)
            .rev()
            .filter_map(|y| at(y, parts.month, parts.day))
            .find(|ns| *ns <= now.saturating_add(DAY));
    }
    at(1970, parts.month, parts.day)
}

/// A value of a time field: RFC 3339 with all its variants, HTTP dates, or an epoch number by its magnitude.
/// None for a time without a date, and for what programs print for "no time" (year 1, 1970, 0).
pub fn parse_value(text: &str, zone: &TimeZone) -> Option<i64> {
    let text = text.trim().trim_matches('"');
    let text = text
        .strip_prefix('[')
        .and_then(|t| t.strip_suffix(']'))
        .unwrap_or(text);
    if let Some(ns) = parse_number(text) {
        return Some(ns);
    }
    let parts = stamp::at(text.as_bytes(), 0, None)?;
    if parts.month == 0 && parts.epoch.is_none() {
        return None;
    }
    let rest = text.get(parts.len..)?;
    // `m=+0.01` is what Go appends; anything longer is a sentence.
    if !rest.trim().is_empty() && !rest.starts_with(" m=") {
        return None;
    }
    resolve(&parts, zone, &Anchor::default()).filter(|ns| *ns >= 366 * DAY)
}

/// An epoch number in seconds, milliseconds, microseconds or nanoseconds, told by its magnitude (years 2001 to 2099);
/// a fraction is allowed. Read from the digits, because nanoseconds do not fit a double.
pub fn parse_number(text: &str) -> Option<i64> {
    let text = text.trim();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) {
        return float_epoch(text);
    }
    let unit: i128 = match whole.len() {
        10 => 1_000_000_000,
        13 => 1_000_000,
        16 => 1_000,
        19 => 1,
        _ => return None,
    };
    let value: i128 = whole.parse().ok()?;
    if value * unit > 4_100_000_000_i128 * 1_000_000_000 {
        return None;
    }
    let mut ns = value * unit;
    let mut scale = unit;
    for digit in fraction.bytes() {
        scale /= 10;
        if scale == 0 {
            break;
        }
        ns += i128::from(digit - b'0') * scale;
    }
    i64::try_from(ns).ok()
}

/// `1.767366245123E9`, as some JSON writers print it.
fn float_epoch(text: &str) -> Option<i64> {
    if !text.contains(['e', 'E']) || text.len() > 30 {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    if !(1e9..4.1e18).contains(&value) {
        return None;
    }
    parse_number(&format!("{value:.3}"))
}

/// RFC 3339 in UTC: `2026-08-06T09:03:20Z`; a fraction only where there is one, without trailing zeros.
pub fn rfc3339(ns: i64) -> String {
    let second = ns.div_euclid(SECOND);
    let (year, month, day) = civil_from_days(second.div_euclid(86_400));
    let clock = second.rem_euclid(86_400);
    let mut text = format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}",
        clock / 3600,
        clock / 60 % 60,
        clock % 60
    );
    let nanos = ns.rem_euclid(SECOND);
    if nanos != 0 {
        let fraction = format!("{nanos:09}");
        text.push('.');
        text.push_str(fraction.trim_end_matches('0'));
    }
    text.push('Z');
    text
}

/// For people: `2026-08-03 00:00` in a zone; seconds only where they are not zero.
pub fn show(ns: i64, zone: &TimeZone) -> String {
    let second = ns.div_euclid(SECOND) + offset_at(ns, zone);
    let (year, month, day) = civil_from_days(second.div_euclid(86_400));
    let clock = second.rem_euclid(86_400);
    let mut text = format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}",
        clock / 3600,
        clock / 60 % 60
    );
    if clock % 60 != 0 {
        text.push_str(&format!(":{:02}", clock % 60));
    }
    text
}

/// The date in a file's name (`watch-2026-08-03.log`, `run_20260803.log`), if there is exactly one.
pub fn date_in_name(name: &str) -> Option<Date> {
    let bytes = name.as_bytes();
    let mut seen: Option<Date> = None;
    let mut at = 0;
    while at < bytes.len() {
        let boundary = at == 0 || !bytes.get(at - 1).is_some_and(u8::is_ascii_digit);
        match boundary.then(|| calendar::date_only(bytes, at)).flatten() {
            Some((year, month, day, len)) => {
                let date = Date::new(
                    i16::try_from(year).ok()?,
                    i8::try_from(month).ok()?,
                    i8::try_from(day).ok()?,
                );
                at += len;
                match (date, seen) {
                    (Ok(date), None) => seen = Some(date),
                    (Ok(date), Some(other)) if date != other => return None,
                    _ => {}
                }
            }
            None => at += 1,
        }
    }
    seen
}
