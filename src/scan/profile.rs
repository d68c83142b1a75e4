//! What a file looks like, and how it spells its failing levels.
//!
//! Most spellings (`ERROR`, `"level":"error"`, `"level":50`) are needles of every run. A file that writes its levels
//! another way (`| E |`, `"lvl":"E"`, `severity=3`) gives needles of its own, from its sampled windows.

use super::pattern::needles::{Guard, Needle, Needles};
use super::record::{self, Record, Shape, Stretch};
use super::worker::FAILING;
use std::collections::BTreeSet;

/// How many spellings a file may give: more are no spellings of a level.
const MOST: usize = 8;
/// Keys under which records carry their level.
const LEVEL_KEYS: &[&str] = &[
    "level",
    "lvl",
    "severity",
    "levelname",
    "loglevel",
    "@l",
    "level_name",
    "priority",
    "log.level",
    "severitynumber",
    "levelno",
    "l",
    "s",
];

/// The spellings of failing levels in the samples that `general` does not find in the records that carry them.
pub fn spellings(samples: &[(u64, Vec<u8>)], shape: &Shape, general: &Needles) -> Vec<Needle> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    for (offset, window) in samples {
        let stretch = Stretch {
            buf: window,
            offset: *offset,
            shape,
        };
        let (mut at, mut known) = (0, None);
        while at < window.len() && found.len() <= MOST {
            let bounds = stretch.record_after(at, &mut known);
            at = bounds.end.max(at + 1);
            let raw = &window[bounds];
            if general.find(raw, 0, raw.len()).is_some() {
                continue;
            }
            let record = record::parse(raw, shape);
            if record.level >= FAILING {
                found.extend(spelling(&record));
            }
        }
    }
    if found.len() > MOST {
        return Vec::new();
    }
    found
        .into_iter()
        .map(|text| Needle {
            text: text.to_lowercase(),
            guard: Guard::default(),
        })
        .collect()
}

/// How a record spells its level, with a neighbour on either side.
fn spelling(record: &Record<'_>) -> Option<String> {
    let raw = std::str::from_utf8(record.raw).ok()?;
    if record.json {
        return LEVEL_KEYS.iter().find_map(|key| {
            let field = record.fields.iter().find(|f| {
                f.path.eq_ignore_ascii_case(key)
                    || f.path.to_lowercase().ends_with(&format!(".{key}"))
            })?;
            let name = field.path.rsplit('.').next().unwrap_or(&field.path);
            let quoted = format!("\"{name}\"");
            let start = raw.find(&quoted)?;
            let value = &raw[start + quoted.len()..];
            let end = value.find([',', '}', '\n']).unwrap_or(value.len()).min(24);
            raw.get(start..start + quoted.len() + end + 1)
                .map(str::to_string)
        });
    }
    let head_end = raw
        .find(record.message.lines().next().unwrap_or(""))
        .filter(|end| *end > 0)
        .unwrap_or(raw.len().min(120));
    let head = raw.get(..head_end)?;
    let mut start = 0;
    for token in head.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let word = token.trim_end_matches(|c: char| !c.is_alphanumeric());
        let failing = match word.len() {
            1 => record::level_letter(word.as_bytes()[0]).is_some_and(|l| l >= FAILING),
            _ => record::level_word(word).is_some_and(|l| l >= FAILING),
        };
        if failing && start > 0 {
            let before = head[..start].chars().next_back()?;
            let padded = format!("{before}{token}");
            return (padded.len() >= 3 && !padded.chars().all(char::is_whitespace))
                .then_some(padded);
        }
        start += token.len();
    }
    None
}
