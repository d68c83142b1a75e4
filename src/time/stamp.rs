//! The digits of a stamp: a hand-written scanner, because most candidate records pass through it.

use super::calendar::{date_ok, month_name, weekday};
use super::clock::{fraction, set_clock, time_of_day, zone, zone_letters};
use super::cursor::Cursor;

/// The parts of a stamp that stand in the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// Nanoseconds, for an epoch number.
    pub epoch: Option<i64>,
    /// The year.
    pub year: Option<i64>,
    /// The month; 0 for a stamp without a date.
    pub month: i64,
    /// The day.
    pub day: i64,
    /// Seconds since midnight; 24:00:00 and leap seconds run over.
    pub second: i64,
    /// Nanoseconds of the second.
    pub nanos: i64,
    /// Seconds east of UTC.
    pub offset: Option<i64>,
    /// How many bytes it takes.
    pub len: usize,
    /// It is a date without a time of day.
    pub timeless: bool,
    /// The level letter of klog.
    pub letter: Option<u8>,
}

/// Whether a stamp may begin here: at a digit or a capital that begins a word.
pub(super) fn may_begin(bytes: &[u8], at: usize) -> bool {
    let Some(first) = bytes.get(at) else {
        return false;
    };
    if !first.is_ascii_digit() && !first.is_ascii_uppercase() {
        return false;
    }
    let before = at.checked_sub(1).and_then(|i| bytes.get(i)).copied();
    before.is_none_or(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'.' | b'_' | b'/' | b'+'))
        && !(before == Some(b'-')
            && at >= 2
            && bytes.get(at - 2).is_some_and(u8::is_ascii_alphanumeric))
}

/// The common form `2026-01-02T15:04:05` with fraction and zone, without any search.
pub(super) fn iso(bytes: &[u8], at: usize) -> Option<Parts> {
    let head: &[u8; 19] = bytes.get(at..at + 19)?.try_into().ok()?;
    if head[4] != b'-' || head[7] != b'-' || head[13] != b':' || head[16] != b':' {
        return None;
    }
    if head[10] != b'T' && head[10] != b' ' {
        return None;
    }
    let two = |i: usize| -> Option<i64> {
        let (a, b) = (head[i].wrapping_sub(b'0'), head[i + 1].wrapping_sub(b'0'));
        (a < 10 && b < 10).then(|| i64::from(a) * 10 + i64::from(b))
    };
    let mut parts = Parts {
        year: Some(two(0)? * 100 + two(2)?),
        month: two(5)?,
        day: two(8)?,
        ..Parts::default()
    };
    if !date_ok(parts.month, parts.day) {
        return None;
    }
    let mut cursor = Cursor { bytes, at: at + 11 };
    time_of_day(&mut cursor, &mut parts)?;
    parts.len = cursor.at - at;
    Some(parts)
}

/// The stamp that begins exactly here.
pub(super) fn at(bytes: &[u8], at: usize, day_first: Option<bool>) -> Option<Parts> {
    if let Some(parts) = iso(bytes, at) {
        return Some(parts);
    }
    let mut cursor = Cursor { bytes, at };
    let first = cursor.peek();
    let mut parts = if first.is_ascii_digit() {
        numeric(&mut cursor, day_first)?
    } else if first.is_ascii_alphabetic() {
        named(&mut cursor)?
    } else {
        return None;
    };
    // What runs on in letters or digits is an id that looks like a stamp.
    if cursor.peek().is_ascii_alphanumeric() && !(parts.timeless && cursor.peek() == b'T') {
        return None;
    }
    parts.len = cursor.at - at;
    Some(parts)
}

fn named(cursor: &mut Cursor) -> Option<Parts> {
    let word = cursor.letters();
    if word.len() == 1 {
        return klog(cursor, word.first().copied()?);
    }
    let mut with_day = false;
    if weekday(word) {
        cursor.at += word.len();
        cursor.eat(b',');
        if cursor.spaces() == 0 {
            return None;
        }
        with_day = true;
        if cursor.peek().is_ascii_digit() {
            let parts = numeric(cursor, None)?;
            return (!parts.timeless && parts.month > 0).then_some(parts);
        }
    }
    let month = month_name(cursor.letters())?;
    cursor.at += cursor.letters().len();
    cursor.eat(b'.');
    if cursor.spaces() == 0 && !cursor.eat(b'-') && !cursor.eat(b'/') {
        return None;
    }
    let mut parts = Parts {
        month,
        day: cursor.digits(1, 2)?,
        ..Parts::default()
    };
    if !date_ok(month, parts.day) {
        return None;
    }
    // `Apr 17, 2026 3:04:05 PM`, `Jan 2 2026 15:04:05`, `Jan  2 15:04:05`.
    cursor.eat(b',');
    if cursor.spaces() == 0 {
        return None;
    }
    if cursor.run() == 4 {
        parts.year = Some(cursor.digits(4, 4)?);
        cursor.eat(b',');
        if cursor.spaces() == 0 {
            return None;
        }
        cursor.text("at ");
    }
    time_of_day(cursor, &mut parts)?;
    if parts.year.is_none() && with_day {
        let mut ahead = *cursor;
        if ahead.spaces() == 1 {
            // `date` prints letters of the zone before the year.
            let letters = ahead.letters();
            if (2..=5).contains(&letters.len())
                && letters.iter().all(u8::is_ascii_uppercase)
                && bytes_year(&ahead, letters.len() + 1)
            {
                if parts.offset.is_none() {
                    parts.offset = zone_letters(letters);
                }
                ahead.at += letters.len() + 1;
            }
            if ahead.run() == 4
                && let Some(year) = ahead.digits(4, 4)
                && (1980..=2199).contains(&year)
            {
                parts.year = Some(year);
                cursor.at = ahead.at;
            }
        }
    }
    Some(parts)
}

/// `W0914 20:21:08.834540`, `I20260102 15:04:05.1` (glog).
fn klog(cursor: &mut Cursor, letter: u8) -> Option<Parts> {
    if !matches!(letter, b'I' | b'W' | b'E' | b'F' | b'D') {
        return None;
    }
    cursor.at += 1;
    let run = cursor.run();
    let mut parts = Parts {
        letter: Some(letter),
        ..Parts::default()
    };
    if run == 8 {
        parts.year = Some(cursor.digits(4, 4)?);
    } else if run != 4 {
        return None;
    }
    parts.month = cursor.digits(2, 2)?;
    parts.day = cursor.digits(2, 2)?;
    if !date_ok(parts.month, parts.day) || cursor.spaces() == 0 {
        return None;
    }
    time_of_day(cursor, &mut parts)?;
    Some(parts)
}

fn numeric(cursor: &mut Cursor, day_first: Option<bool>) -> Option<Parts> {
    match cursor.run() {
        1 | 2 => short(cursor, day_first),
        4 => year_first(cursor),
        6 => compact_short(cursor),
        8 => compact(cursor),
        14 => {
            let mut parts = compact_date(cursor)?;
            hms_compact(cursor, &mut parts)?;
            Some(parts)
        }
        10 | 13 | 16 | 19 => epoch(cursor),
        _ => None,
    }
}

fn epoch(cursor: &mut Cursor) -> Option<Parts> {
    let start = cursor.at;
    cursor.at += cursor.run();
    if cursor.peek() == b'.' && cursor.ahead(1).is_ascii_digit() {
        cursor.at += 1;
        cursor.at += cursor.run();
    }
    let next = cursor.peek();
    if next.is_ascii_alphanumeric() || matches!(next, b'.' | b'-' | b'/' | b'_') {
        return None;
    }
    let text = std::str::from_utf8(cursor.bytes.get(start..cursor.at)?).ok()?;
    Some(Parts {
        epoch: Some(super::parse_number(text)?),
        ..Parts::default()
    })
}

/// `2026-01-02 ...`, `2026/01/02 ...`, `2005.06.03`, `2005-06-03-15.42.50.675872`, `2026年1月2日 ...`.
fn year_first(cursor: &mut Cursor) -> Option<Parts> {
    let mut parts = Parts {
        year: Some(cursor.digits(4, 4)?),
        ..Parts::default()
    };
    if cursor.text("年") {
        parts.month = cursor.digits(1, 2)?;
        cursor.text("月").then_some(())?;
        parts.day = cursor.digits(1, 2)?;
        cursor.text("日").then_some(())?;
    } else {
        let sep = cursor.peek();
        if !matches!(sep, b'-' | b'/' | b'.') {
            return None;
        }
        cursor.at += 1;
        let letters = cursor.letters();
        parts.month = if letters.is_empty() {
            cursor.digits(1, 2)?
        } else {
            cursor.at += letters.len();
            month_name(letters)?
        };
        if !cursor.eat(sep) {
            return None;
        }
        parts.day = cursor.digits(1, 2)?;
    }
    if !date_ok(parts.month, parts.day) {
        return None;
    }
    then_time(cursor, parts)
}

/// The time after a date, with whatever stands between; without one, the date alone.
fn then_time(cursor: &mut Cursor, mut parts: Parts) -> Option<Parts> {
    let bare = *cursor;
    let joined = match cursor.peek() {
        b'T' | b't' | b'_' | b':' | b'-' => {
            cursor.at += 1;
            true
        }
        b',' if cursor.ahead(1) == b' ' => {
            cursor.at += 1;
            cursor.spaces() > 0
        }
        b' ' => cursor.spaces() > 0,
        b'\t' => {
            cursor.at += 1;
            true
        }
        _ => false,
    };
    if joined && time_of_day(cursor, &mut parts).is_some() {
        return Some(parts);
    }
    *cursor = bare;
    parts.second = 0;
    parts.nanos = 0;
    parts.timeless = true;
    Some(parts)
}

fn compact_date(cursor: &mut Cursor) -> Option<Parts> {
    let parts = Parts {
        year: Some(cursor.digits(4, 4)?),
        month: cursor.digits(2, 2)?,
        day: cursor.digits(2, 2)?,
        ..Parts::default()
    };
    let plausible = parts.year.is_some_and(|y| (1980..=2199).contains(&y));
    (plausible && date_ok(parts.month, parts.day)).then_some(parts)
}

/// `20210902T153811`, `20171223-22:15:29:606`, `20260102_150405`, `20260102 15:04:05`.
fn compact(cursor: &mut Cursor) -> Option<Parts> {
    let mut parts = compact_date(cursor)?;
    if !matches!(cursor.peek(), b'T' | b'-' | b'_' | b' ' | b':') {
        return None;
    }
    cursor.at += 1;
    if cursor.run() == 6 {
        hms_compact(cursor, &mut parts)?;
    } else {
        time_of_day(cursor, &mut parts)?;
    }
    Some(parts)
}

fn hms_compact(cursor: &mut Cursor, parts: &mut Parts) -> Option<()> {
    let (h, m, s) = (
        cursor.digits(2, 2)?,
        cursor.digits(2, 2)?,
        cursor.digits(2, 2)?,
    );
    set_clock(parts, h, m, s)?;
    fraction(cursor, parts);
    zone(cursor, parts);
    Some(())
}

/// `081109 203615` (HDFS), `081109 20:36:15` (old MySQL).
fn compact_short(cursor: &mut Cursor) -> Option<Parts> {
    let mut parts = Parts {
        year: Some(2000 + cursor.digits(2, 2)?),
        month: cursor.digits(2, 2)?,
        day: cursor.digits(2, 2)?,
        ..Parts::default()
    };
    if !date_ok(parts.month, parts.day) || cursor.spaces() == 0 {
        return None;
    }
    if cursor.run() == 6 {
        hms_compact(cursor, &mut parts)?;
    } else {
        time_of_day(cursor, &mut parts)?;
    }
    Some(parts)
}

/// What begins with one or two digits: a day or month, a short year, or a time of day.
fn short(cursor: &mut Cursor, day_first: Option<bool>) -> Option<Parts> {
    let bare = *cursor;
    let a = cursor.digits(1, 2)?;
    let sep = cursor.peek();
    match sep {
        b':' => {
            *cursor = bare;
            let mut parts = Parts::default();
            time_of_day(cursor, &mut parts)?;
            return Some(parts);
        }
        b' ' => {
            // `02 Jan 2026 15:04:05`, `21 Oct 2026 07:28:00 GMT`.
            cursor.at += 1;
            let letters = cursor.letters();
            let mut parts = Parts {
                month: month_name(letters)?,
                day: a,
                ..Parts::default()
            };
            cursor.at += letters.len();
            cursor.eat(b',');
            if cursor.spaces() == 0 || !date_ok(parts.month, a) {
                return None;
            }
            if cursor.run() == 4 {
                parts.year = Some(cursor.digits(4, 4)?);
                cursor.eat(b',');
                cursor.spaces();
            }
            time_of_day(cursor, &mut parts)?;
            return Some(parts);
        }
        b'/' | b'-' | b'.' => cursor.at += 1,
        _ => return None,
    }
    let letters = cursor.letters();
    if !letters.is_empty() {
        // `02/Jan/2026:15:04:05 +0000`, `02-Jan-2026 15:04:05.123`.
        let month = month_name(letters)?;
        cursor.at += letters.len();
        if !cursor.eat(sep) {
            return None;
        }
        let year = if cursor.run() == 2 {
            2000 + cursor.digits(2, 2)?
        } else {
            cursor.digits(4, 4)?
        };
        let parts = Parts {
            year: Some(year),
            month,
            day: a,
            ..Parts::default()
        };
        let parts = then_time(cursor, parts)?;
        return (date_ok(month, a) && !parts.timeless).then_some(parts);
    }
    let b = cursor.digits(1, 2)?;
    if cursor.eat(sep) {
        let parts = match cursor.run() {
            4 => {
                let year = cursor.digits(4, 4)?;
                // A slash without other signs is the American order, a dash or a dot the European one.
                let first = if a > 12 {
                    true
                } else if b > 12 {
                    false
                } else {
                    day_first.unwrap_or(sep != b'/')
                };
                let (month, day) = if first { (b, a) } else { (a, b) };
                Parts {
                    year: Some(year),
                    month,
                    day,
                    ..Parts::default()
                }
            }
            2 => {
                let c = cursor.digits(2, 2)?;
                three_short(cursor, a, b, c, day_first)?
            }
            _ => return None,
        };
        if !date_ok(parts.month, parts.day) {
            return None;
        }
        let parts = then_time(cursor, parts)?;
        return (!parts.timeless).then_some(parts);
    }
    // `03-17 16:13:38.811` (logcat), `10.30 16:49:06`, `12/31 23:59:59`.
    let (month, day) = if a > 12 || (day_first == Some(true) && b <= 12) {
        (b, a)
    } else {
        (a, b)
    };
    if !date_ok(month, day) || cursor.peek() != b' ' {
        return None;
    }
    let parts = then_time(
        cursor,
        Parts {
            month,
            day,
            ..Parts::default()
        },
    )?;
    (!parts.timeless).then_some(parts)
}

/// `20/03/07 16:49:45` is year first (Hadoop) unless it cannot be; with AM or PM, or in brackets as Python's rich
/// writes it (`[05/07/26 07:42:50]`, `%x` of the C locale), it is the American order.
fn three_short(cursor: &Cursor, a: i64, b: i64, c: i64, day_first: Option<bool>) -> Option<Parts> {
    let rest = cursor.bytes.get(cursor.at..).unwrap_or_default();
    let head = rest.get(..rest.len().min(18)).unwrap_or_default();
    let twelve = head.windows(2).any(|w| w == b"AM" || w == b"PM");
    // Two digits, a sign, two, a sign, two stand before the cursor.
    let bracketed = cursor.at.checked_sub(9).and_then(|at| cursor.bytes.get(at)) == Some(&b'[');
    let (year, month, day) = match day_first {
        _ if twelve => (c, a, b),
        None if bracketed && date_ok(a, b) => (c, a, b),
        Some(true) => (c, b, a),
        Some(false) => (c, a, b),
        None if date_ok(b, c) => (a, b, c),
        None if date_ok(a, b) => (c, a, b),
        None => (c, b, a),
    };
    Some(Parts {
        year: Some(2000 + year),
        month,
        day,
        ..Parts::default()
    })
}
fn bytes_year(cursor: &Cursor, skip: usize) -> bool {
    let mut ahead = *cursor;
    ahead.at += skip;
    ahead.run() == 4
}
