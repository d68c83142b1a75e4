//! The time of day within a stamp: hours, fraction, AM or PM, and zone.

use super::SECOND;
use super::cursor::Cursor;
use super::stamp::Parts;

pub(super) fn set_clock(parts: &mut Parts, h: i64, m: i64, s: i64) -> Option<()> {
    if h > 24 || m > 59 || s > 60 || (h == 24 && (m, s) != (0, 0)) {
        return None;
    }
    parts.second = h * 3600 + m * 60 + s;
    Some(())
}

/// `15:04:05`, `15.42.50`, `0:7:20`, `15:04`, `3:04PM`, with fraction, AM or PM, and zone.
pub(super) fn time_of_day(cursor: &mut Cursor, parts: &mut Parts) -> Option<()> {
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

pub(super) fn fraction(cursor: &mut Cursor, parts: &mut Parts) {
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
pub(super) fn zone_letters(word: &[u8]) -> Option<i64> {
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

pub(super) fn zone(cursor: &mut Cursor, parts: &mut Parts) {
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
