//! Names of months and days, and bare dates.

use super::cursor::Cursor;

pub(super) fn date_ok(month: i64, day: i64) -> bool {
    (1..=12).contains(&month) && (1..=31).contains(&day)
}

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

pub(super) fn month_name(word: &[u8]) -> Option<i64> {
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

pub(super) fn weekday(word: &[u8]) -> bool {
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
