//! Holds: quarantines, bans, cool-downs and breakers, by what they hold.

use crate::audit::case::LaneView;
use crate::evidence::{Evidence, Kind};
use std::collections::BTreeMap;

/// One turn of a hold.
#[derive(Clone, Debug)]
pub struct Hold {
    /// Its row.
    pub row: usize,
    /// When.
    pub time: Option<i64>,
    /// Entered, not left.
    pub enters: bool,
    /// Whether the line counts the turns against a bound (`2/3`): such a hold ends by itself.
    pub counted: bool,
}

/// The holds of a lane by their key (what is held), in order. Holds without one stand under their pattern.
pub fn holds(lane: &LaneView<'_>) -> BTreeMap<String, Vec<Hold>> {
    let mut out: BTreeMap<String, Vec<Hold>> = BTreeMap::new();
    for (index, row) in lane.rows.iter().enumerate() {
        let e = row.evidence;
        if e.kind != Kind::Hold {
            continue;
        }
        // A move from a held state leaves it, whatever word stands for the state.
        let from = e.text.starts_with("from=") || e.text.contains("\"from\":");
        let enters = e.values.get("turn").is_some_and(|t| t == "enter") && !from;
        let list = out.entry(key(e)).or_default();
        let again = list.last().is_some_and(|last| {
            last.enters == enters
                && lane.row(last.row).offset == e.offset
                && lane.row(last.row).file == e.file
        });
        if !again {
            list.push(Hold {
                row: index,
                time: row.time,
                enters,
                counted: counts(&e.text),
            });
        }
    }
    out
}

fn key(row: &Evidence) -> String {
    let captured = row
        .values
        .get("key")
        .map(|k| k.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|k| k.len() > 1 && !WORDS.contains(&k.to_ascii_lowercase().as_str()));
    let known = ["job", "target", "request", "host"]
        .iter()
        .find_map(|k| row.keys.get(*k).map(String::as_str));
    match captured.or(known) {
        Some(key) => key.to_string(),
        None => format!("<{}>", row.pattern),
    }
}

/// What stands behind the verb of a hold without being what is held.
const WORDS: &[&str] = &[
    "for", "until", "after", "because", "due", "by", "in", "at", "the", "a", "an", "and", "to",
    "from", "reason", "with", "on", "again", "since", "as", "is", "was", "has", "account", "item",
    "job", "of",
];

/// Whether a text counts its turns against a bound: `(2/3)`, `strike 2 of 3`.
fn counts(text: &str) -> bool {
    let bytes = text.as_bytes();
    text.match_indices(['/']).any(|(at, _)| {
        at > 1
            && bytes
                .get(at - 2)
                .is_some_and(|b| matches!(b, b'(' | b'[' | b' ' | b'='))
            && bytes[at - 1].is_ascii_digit()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
            && !bytes
                .get(at + 2)
                .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'/')
    })
}
