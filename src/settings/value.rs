//! The small languages inside of the settings: durations, time zones, instants, causes.
//!
//! Every parser here gives the error as a message, and on a second line what to do, which is how
//! [`crate::caret::render_toml`] takes it.

use crate::caret::{did_you_mean, suggest};
use crate::cause::Cause;
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;

/// What counts as now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Now {
    /// The newest instant in the input.
    #[default]
    Newest,
    /// The clock of the machine.
    System,
    /// This instant, in nanoseconds since 1970-01-01 UTC.
    At(i64),
}

/// Reads `newest`, `system` or an instant in RFC 3339 with its offset.
pub fn now(text: &str) -> Result<Now, String> {
    match text {
        "newest" => Ok(Now::Newest),
        "system" => Ok(Now::System),
        _ => text
            .parse::<Timestamp>()
            .ok()
            .and_then(|t| i64::try_from(t.as_nanosecond()).ok())
            .map(Now::At)
            .ok_or_else(|| {
                format!(
                    "`{text}` is no instant\nwrite \"system\", \"newest\" or an instant with its offset, such as \
                     \"2026-11-30T09:00:00Z\""
                )
            }),
    }
}

/// Reads a duration of whole seconds: a number with `s`, `m`, `h`, `d` or `w`, or several of them (`1h30m`).
pub fn duration(text: &str) -> Result<i64, String> {
    let wrong = || {
        format!(
            "`{text}` is no duration\nwrite a whole number with s, m, h, d or w, such as \"30s\", \"90m\" or \"1h30m\""
        )
    };
    let mut total = 0i64;
    let mut number: Option<i64> = None;
    for c in text.trim().chars() {
        if let Some(digit) = c.to_digit(10) {
            number = Some(
                number
                    .unwrap_or(0)
                    .checked_mul(10)
                    .and_then(|n| n.checked_add(i64::from(digit)))
                    .ok_or_else(wrong)?,
            );
            continue;
        }
        let unit = match c {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            'w' => 604_800,
            _ => return Err(wrong()),
        };
        total = number
            .take()
            .and_then(|n| n.checked_mul(unit))
            .and_then(|n| total.checked_add(n))
            .ok_or_else(wrong)?;
    }
    // A number without its unit at the end, or nothing at all.
    if number.is_some() || text.trim().is_empty() {
        return Err(wrong());
    }
    Ok(total)
}

/// Reads a time zone: `UTC`, a name of the IANA database, or a fixed offset such as `+09:00`.
pub fn timezone(text: &str) -> Result<TimeZone, String> {
    if matches!(text, "UTC" | "utc" | "Z") {
        return Ok(TimeZone::UTC);
    }
    if text.starts_with(['+', '-']) {
        return offset(text)
            .map(TimeZone::fixed)
            .ok_or_else(|| format!("`{text}` is no offset\nwrite it as \"+09:00\""));
    }
    TimeZone::get(text).map_err(|_| {
        let known: Vec<String> = jiff::tz::db().available().map(|n| n.to_string()).collect();
        let help = match did_you_mean(text, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "write a name such as \"Asia/Tokyo\", \"UTC\", or an offset such as \"+09:00\""
                .to_owned(),
        };
        format!("unknown time zone `{text}`\n{help}")
    })
}

/// `+09:00`, `+0900` or `+09`.
fn offset(text: &str) -> Option<Offset> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits = text.get(1..)?.replacen(':', "", 1);
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let hours: i32 = digits.get(..2)?.parse().ok()?;
    let minutes: i32 = match digits.get(2..)? {
        "" => 0,
        m if m.len() == 2 => m.parse().ok()?,
        _ => return None,
    };
    if hours > 23 || minutes > 59 {
        return None;
    }
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

/// Reads the slug of a cause.
pub fn cause(text: &str) -> Result<Cause, String> {
    text.parse().map_err(|()| {
        let known: Vec<&str> = Cause::ALL.iter().map(|c| c.slug()).collect();
        let help = suggest(text, &known, "cause").unwrap_or_default();
        format!("unknown cause `{text}`\n{help}")
    })
}

/// Five fields, or a word such as `@daily`. What the fields mean is not looked at here.
pub fn cron(text: &str) -> Result<String, String> {
    let fields = text.split_whitespace().count();
    let word = text.starts_with('@') && fields == 1;
    if fields == 5 || word {
        return Ok(text.trim().to_owned());
    }
    Err(format!(
        "a cron line has five fields, `{text}` has {fields}\nwrite minute, hour, day, month and weekday, such as \
         \"0 * * * *\""
    ))
}

/// Reads a text with one of the parsers above. The parser runs inside of the TOML reader, which thus knows the place.
struct Word<T> {
    parse: fn(&str) -> Result<T, String>,
    what: &'static str,
}

impl<T> Visitor<'_> for Word<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} in quotes", self.what)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.parse)(text).map_err(E::custom)
    }
}

impl<'de, T> DeserializeSeed<'de> for Word<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<T, D::Error> {
        d.deserialize_any(self)
    }
}

macro_rules! written {
    ($($(#[$doc:meta])* $name:ident($inner:ty) by $parse:path, $what:literal;)+) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub(super) struct $name(pub(super) $inner);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                Word { parse: $parse, what: $what }.deserialize(d).map($name)
            }
        }
    )+ };
}

written! {
    /// A duration as written.
    Seconds(i64) by duration, "a duration";
    /// A time zone as written.
    Zone(TimeZone) by timezone, "a time zone";
    /// A cron line as written.
    Cron(String) by cron, "a cron line";
}

/// `now` as written: a word, or an instant with or without quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenNow(pub(super) Now);

impl<'de> Deserialize<'de> for WrittenNow {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = match toml::Value::deserialize(d)? {
            toml::Value::String(s) => s,
            other => other.to_string(),
        };
        now(&text).map(WrittenNow).map_err(D::Error::custom)
    }
}

/// One cause or a list of them.
#[derive(Clone, Debug)]
pub(super) struct Claims(pub(super) Vec<Cause>);

impl<'de> Deserialize<'de> for Claims {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(ClaimsVisitor)
    }
}

struct ClaimsVisitor;

impl<'de> Visitor<'de> for ClaimsVisitor {
    type Value = Claims;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a cause in quotes or a list of them")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Claims, E> {
        cause(text).map(|c| Claims(vec![c])).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Claims, A::Error> {
        let word = || Word {
            parse: cause,
            what: "a cause",
        };
        let mut causes = Vec::new();
        while let Some(cause) = items.next_element_seed(word())? {
            causes.push(cause);
        }
        Ok(Claims(causes))
    }
}
