//! The digits of a stamp: a hand-written scanner, because most candidate records pass through it.

use super::SECOND;

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

#[derive(Clone, Copy)]
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn ahead(&self, n: usize) -> u8 {
        self.bytes.get(self.at + n).copied().unwrap_or(0)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let hit = self.peek() == byte && self.at < self.bytes.len();
        self.at += usize::from(hit);
        hit
    }

    fn text(&mut self, word: &str) -> bool {
        let hit = self
            .bytes
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(word.as_bytes()));
        self.at += if hit { word.len() } else { 0 };
        hit
    }

    fn spaces(&mut self) -> usize {
        let start = self.at;
        while self.peek() == b' ' {
            self.at += 1;
        }
        self.at - start
    }

    /// How many digits stand here, at most 20.
    fn run(&self) -> usize {
        (0..20)
            .take_while(|n| self.ahead(*n).is_ascii_digit())
            .count()
    }

    /// A number of `least` to `most` digits.
    fn digits(&mut self, least: usize, most: usize) -> Option<i64> {
        let mut value = 0;
        let mut n = 0;
        while n < most && self.peek().is_ascii_digit() {
            value = value * 10 + i64::from(self.peek() - b'0');
            self.at += 1;
            n += 1;
        }
        (n >= least).then_some(value)
    }

    fn letters(&self) -> &'a [u8] {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = rest
            .iter()
            .position(|b| !b.is_ascii_alphabetic())
            .unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }
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
    let head = bytes.get(at..at + 19)?;
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

fn date_ok(month: i64, day: i64) -> bool {
    (1..=12).contains(&month) && (1..=31).contains(&day)
}

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

fn month_name(word: &[u8]) -> Option<i64> {
    if word.len() < 3 || word.len() > 9 {
        return None;
    }
    let short = word.get(..3)?;
    let index = MONTHS
        .iter()
        .position(|m| m.as_bytes().eq_ignore_ascii_case(short))?;
    const REST: [&str; 12] = [
        "uary", "ruary", "ch", "il", "", "e", "y", "ust", "tember", "ober", "ember", "ember",
    ];
    let rest = word.get(3..)?;
    let whole = REST.get(index)?;
    (rest.is_empty() || rest.eq_ignore_ascii_case(whole.as_bytes()) || word == b"Sept")
        .then_some(index as i64 + 1)
}

fn weekday(word: &[u8]) -> bool {
    const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    const LONG: [&str; 7] = ["day", "sday", "nesday", "rsday", "day", "urday", "day"];
    word.len() >= 3
        && DAYS.iter().zip(LONG).any(|(d, l)| {
            word.get(..3)
                .is_some_and(|w| w.eq_ignore_ascii_case(d.as_bytes()))
                && (word.len() == 3
                    || word
                        .get(3..)
                        .is_some_and(|w| w.eq_ignore_ascii_case(l.as_bytes())))
        })
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

fn bytes_year(cursor: &Cursor, skip: usize) -> bool {
    let mut ahead = *cursor;
    ahead.at += skip;
    ahead.run() == 4
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

/// A date at the start of a name: `2026-08-03`, `2026_08_03`, `2026.08.03`, `20260803`: year, month, day and length.
pub(super) fn date_only(bytes: &[u8], at: usize) -> Option<(i64, i64, i64, usize)> {
    let mut cursor = Cursor { bytes, at };
    let (year, month, day) = match cursor.run() {
        4 => {
            let year = cursor.digits(4, 4)?;
            let sep = cursor.peek();
            if !matches!(sep, b'-' | b'_' | b'.') {
                return None;
            }
            cursor.at += 1;
            let month = cursor.digits(2, 2)?;
            if !cursor.eat(sep) {
                return None;
            }
            (year, month, cursor.digits(2, 2)?)
        }
        8 | 14 => (
            cursor.digits(4, 4)?,
            cursor.digits(2, 2)?,
            cursor.digits(2, 2)?,
        ),
        _ => return None,
    };
    ((1980..=2199).contains(&year) && date_ok(month, day)).then_some((
        year,
        month,
        day,
        cursor.at - at,
    ))
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

/// `20/03/07 16:49:45` is year first (Hadoop) unless it cannot be; with AM or PM it is the American order.
fn three_short(cursor: &Cursor, a: i64, b: i64, c: i64, day_first: Option<bool>) -> Option<Parts> {
    let rest = cursor.bytes.get(cursor.at..).unwrap_or_default();
    let head = rest.get(..rest.len().min(18)).unwrap_or_default();
    let twelve = head.windows(2).any(|w| w == b"AM" || w == b"PM");
    let (year, month, day) = match day_first {
        _ if twelve => (c, a, b),
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

fn set_clock(parts: &mut Parts, h: i64, m: i64, s: i64) -> Option<()> {
    if h > 24 || m > 59 || s > 60 || (h == 24 && (m, s) != (0, 0)) {
        return None;
    }
    parts.second = h * 3600 + m * 60 + s;
    Some(())
}

/// `15:04:05`, `15.42.50`, `0:7:20`, `15:04`, `3:04PM`, with fraction, AM or PM, and zone.
fn time_of_day(cursor: &mut Cursor, parts: &mut Parts) -> Option<()> {
    let mut ahead = *cursor;
    let mut h = ahead.digits(1, 2)?;
    let sep = ahead.peek();
    if sep != b':' && !(sep == b'.' && parts.month > 0) {
        return None;
    }
    ahead.at += 1;
    let m = ahead.digits(1, 2)?;
    let mut s = 0;
    let seconds = ahead.peek() == sep && ahead.ahead(1).is_ascii_digit();
    if seconds {
        ahead.at += 1;
        s = ahead.digits(1, 2)?;
        if ahead.peek().is_ascii_digit() {
            return None;
        }
        fraction(&mut ahead, parts);
    }
    let half = noon(&mut ahead);
    match half {
        Some(_) if !(1..=12).contains(&h) => return None,
        Some(true) if h < 12 => h += 12,
        Some(false) if h == 12 => h = 0,
        _ => {}
    }
    // `15:04` alone is too little: only with a date or AM/PM.
    if !seconds && half.is_none() && parts.month == 0 {
        return None;
    }
    set_clock(parts, h, m, s)?;
    zone(&mut ahead, parts);
    *cursor = ahead;
    Some(())
}

fn fraction(cursor: &mut Cursor, parts: &mut Parts) {
    let sep = cursor.peek();
    let mut ahead = *cursor;
    ahead.at += 1;
    let run = ahead.run();
    let fits = match sep {
        b'.' => run > 0,
        // A comma and digits and a comma are the next cell of a CSV.
        b',' => run > 0 && ahead.ahead(run) != b',',
        b':' => (1..=3).contains(&run) && ahead.ahead(run) != b':',
        _ => false,
    };
    if !fits {
        return;
    }
    let mut nanos = 0;
    let mut scale = SECOND;
    if sep == b':' && run < 3 {
        // HealthApp and WebSphere print milliseconds as a plain number.
        nanos = ahead.digits(1, 3).unwrap_or(0) * 1_000_000;
    } else {
        for i in 0..run {
            scale /= 10;
            nanos += i64::from(ahead.ahead(i) - b'0') * scale;
        }
        ahead.at += run;
    }
    parts.nanos = nanos;
    *cursor = ahead;
}

/// AM (false) or PM (true), after a space, a narrow space or nothing.
fn noon(cursor: &mut Cursor) -> Option<bool> {
    let mut ahead = *cursor;
    if !ahead.eat(b' ') && !ahead.text("\u{202f}") {
        ahead.text("\u{a0}");
    }
    let pm = match ahead.peek() {
        b'A' | b'a' => false,
        b'P' | b'p' => true,
        _ => return None,
    };
    if !matches!(ahead.ahead(1), b'M' | b'm') || ahead.ahead(2).is_ascii_alphanumeric() {
        return None;
    }
    ahead.at += 2;
    *cursor = ahead;
    Some(pm)
}

/// Letters of zones that mean one thing. CST, IST, BST and MST mean several and are left out.
fn zone_letters(word: &[u8]) -> Option<i64> {
    let minutes = match word {
        b"Z" | b"z" | b"UTC" | b"GMT" | b"UT" | b"WET" => 0,
        b"CET" | b"WEST" => 60,
        b"CEST" | b"EET" => 120,
        b"EEST" | b"MSK" => 180,
        b"JST" | b"KST" => 540,
        b"AEST" => 600,
        b"AEDT" => 660,
        b"NZST" => 720,
        b"NZDT" => 780,
        b"EDT" => -240,
        b"EST" => -300,
        b"CDT" => -300,
        b"MDT" => -360,
        b"PDT" => -420,
        b"PST" => -480,
        _ => return None,
    };
    Some(minutes * 60)
}

fn zone(cursor: &mut Cursor, parts: &mut Parts) {
    let mut ahead = *cursor;
    let spaced = ahead.eat(b' ');
    let sign = ahead.peek();
    if sign == b'+' || sign == b'-' {
        ahead.at += 1;
        let run = ahead.run();
        let colon = run == 2 && ahead.ahead(2) == b':' && ahead.ahead(3).is_ascii_digit();
        if run == 4 || colon || (run == 2 && !spaced) {
            let hours = ahead.digits(2, 2).unwrap_or(0);
            ahead.eat(b':');
            let minutes = if run == 4 || colon {
                ahead.digits(2, 2).unwrap_or(0)
            } else {
                0
            };
            if hours <= 14 && minutes < 60 && !ahead.peek().is_ascii_alphanumeric() {
                let east = (hours * 60 + minutes) * 60;
                parts.offset = Some(if sign == b'-' { -east } else { east });
                *cursor = ahead;
                // Go prints `+0000 UTC`, Airflow the offset twice.
                for _ in 0..2 {
                    let mut more = *cursor;
                    if more.text(" UTC") || more.text(" +0000") {
                        *cursor = more;
                    }
                }
            }
        }
        zone_id(cursor);
        return;
    }
    let letters = ahead.letters();
    if !letters.is_empty()
        && letters.len() <= 5
        && let Some(offset) = zone_letters(letters)
        && !(spaced && letters.len() == 1)
    {
        ahead.at += letters.len();
        if !ahead.peek().is_ascii_alphanumeric() {
            parts.offset = Some(offset);
            *cursor = ahead;
        }
    }
    zone_id(cursor);
}

/// `[Europe/Berlin]` after the offset (Java).
fn zone_id(cursor: &mut Cursor) {
    if cursor.peek() != b'[' {
        return;
    }
    let rest = cursor.bytes.get(cursor.at + 1..).unwrap_or_default();
    if let Some(end) = rest.iter().take(40).position(|b| *b == b']') {
        let id = rest.get(..end).unwrap_or_default();
        if id.contains(&b'/')
            && id
                .iter()
                .all(|b| b.is_ascii_alphabetic() || matches!(b, b'/' | b'_' | b'-'))
        {
            cursor.at += end + 2;
        }
    }
}
