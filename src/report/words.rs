//! How numbers, instants and log text are put into words for a person.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text of a log with every character that could steer a terminal in a visible form: controls, line ends, and what
/// turns the direction of writing.
pub fn visible(text: &str) -> String {
    show(text, |_| false)
}

/// As [`visible`], with line ends and tabs as they are: for formats that quote them.
pub fn visible_lines(text: &str) -> String {
    show(text, |c| matches!(c, '\n' | '\r' | '\t'))
}

fn show(text: &str, keep: fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if keep(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            // Unicode's line and paragraph separators, and the marks and overrides of direction (UAX #9).
            '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{61c}'
            | '\u{feff}' => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// At most so many columns of a terminal; what is cut is marked.
pub fn clip(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

/// `412,558`.
pub fn number(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut out = String::new();
    if n < 0 {
        out.push('-');
    }
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 lane`, `23 lanes`: a number and its noun.
pub fn count(n: i64, one: &str, many: &str) -> String {
    format!("{} {}", number(n), if n == 1 { one } else { many })
}

/// Bytes in decimal units: `9.2 MB`.
pub fn bytes(n: i64) -> String {
    let mut tenths = n.unsigned_abs().saturating_mul(10);
    let mut unit = "B";
    for next in ["kB", "MB", "GB", "TB", "PB"] {
        if tenths < 10_000 {
            break;
        }
        tenths /= 1_000;
        unit = next;
    }
    match (unit, tenths) {
        ("B", _) => format!("{} B", tenths / 10),
        (_, 1_000..) => format!("{} {unit}", tenths / 10),
        _ => format!("{}.{} {unit}", tenths / 10, tenths % 10),
    }
}

/// Seconds in the two units that matter: `45 s`, `63 min`, `5 h 20 min`, `3 days 4 h`.
pub fn duration(seconds: i64) -> String {
    let s = seconds.max(0);
    let (minutes, hours, days) = (s / 60, s / 3_600, s / 86_400);
    let with = |big: String, small: i64, unit: &str| match small {
        0 => big,
        small => format!("{big} {small} {unit}"),
    };
    match s {
        0..=119 => format!("{s} s"),
        120..=7_199 => format!("{minutes} min"),
        7_200..=172_799 => with(format!("{hours} h"), minutes % 60, "min"),
        _ => with(format!("{} days", number(days)), hours % 24, "h"),
    }
}

/// An instant of the outcome (RFC 3339) in the zone: `2026-08-03 06:37`. What cannot be read is shown as it is.
pub fn instant(text: &str, zone: &TimeZone) -> String {
    match text.parse::<Timestamp>() {
        Ok(at) => at
            .to_zoned_datetime(zone.clone())
            .strftime("%Y-%m-%d %H:%M")
            .to_string(),
        Err(_) => visible(text),
    }
}

/// The zone's name: of the IANA database, else its offset at the instant.
pub fn zone(zone: &TimeZone, at: &str) -> String {
    match (zone.iana_name(), at.parse::<Timestamp>()) {
        (Some(name), _) => name.to_owned(),
        (None, Ok(at)) => at
            .to_zoned_datetime(zone.clone())
            .strftime("UTC%:z")
            .to_string(),
        (None, Err(_)) => "local time".to_owned(),
    }
}

/// A word that a shell takes as it is.
pub fn shell(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:,@%+=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", visible(text).replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_figures() {
        for (seconds, words) in [
            (0, "0 s"),
            (45, "45 s"),
            (3_780, "63 min"),
            (19_200, "5 h 20 min"),
            (86_400, "24 h"),
            (270_000, "3 days 3 h"),
            (i64::MAX, "106,751,991,167,300 days 15 h"),
        ] {
            assert_eq!(duration(seconds), words);
        }
        for (n, words) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.0 kB"),
            (9_240_000, "9.2 MB"),
            (512_000_000, "512 MB"),
        ] {
            assert_eq!(bytes(n), words);
        }
        for (n, words) in [
            (0, "0"),
            (999, "999"),
            (400_000, "400,000"),
            (i64::MIN, "-9,223,372,036,854,775,808"),
        ] {
            assert_eq!(number(n), words);
        }
    }

    #[test]
    fn hostile_text_is_shown_and_not_obeyed() {
        for (text, shown) in [
            ("\u{1b}[31mred", "\\x1b[31mred"),
            ("a\nb\tc\r", "a\\nb\\tc\\r"),
            ("\u{9b}2J", "\\x9b2J"),
            ("gpj.\u{202e}exe", "gpj.\\u{202e}exe"),
            ("全ソース取得失敗", "全ソース取得失敗"),
        ] {
            assert_eq!(visible(text), shown);
        }
        assert_eq!(clip("全ソース取得失敗", 7), "全ソー…");
        assert_eq!(clip("short", 7), "short");
        assert_eq!(shell("a/b.log:12"), "a/b.log:12");
        assert_eq!(shell("it's $(x).log:1"), "'it'\\''s $(x).log:1'");
    }

    #[test]
    fn instants_in_a_zone() {
        let at = "2026-08-03T00:30:00Z";
        assert_eq!(instant(at, &TimeZone::UTC), "2026-08-03 00:30");
        let tokyo = TimeZone::fixed(jiff::tz::offset(9));
        assert_eq!(instant(at, &tokyo), "2026-08-03 09:30");
        assert_eq!(zone(&tokyo, at), "UTC+09:00");
        assert_eq!(zone(&TimeZone::UTC, at), "UTC");
        assert_eq!(instant("soon\u{7}", &tokyo), "soon\\x07");
    }
}
