//! The recorded name of a failure: the label that the lane wrote, with its variable parts masked.

use super::pattern::matcher::{Hit, Patterns};
use super::pattern::names::clauses;
use super::record::Record;
use super::record::mask;
use crate::cause::Cause;
use crate::evidence::{Kind, Level};
use crate::settings::TaughtName;

/// A recorded name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The built-in rule that found it: `name.label`, `name.message`, `name.exception`, `name.taught`, `name.pattern`.
    pub rule: &'static str,
    /// Masked.
    pub name: String,
    /// What a reader takes it to mean, the main reading first.
    pub claims: Vec<Cause>,
    /// Causes that its own text proves: who reads the name reads them.
    pub told: Vec<Cause>,
    /// How much it says of itself, for choosing among the names of one operation: higher is more specific.
    pub rank: i64,
}

/// The recorded name of a record, if the record is a failure.
pub fn name_of(
    record: &Record<'_>,
    hits: &[Hit],
    patterns: &Patterns,
    taught: &[TaughtName],
) -> Option<Name> {
    let text = record.text.as_ref();
    if let Some(known) = taught.iter().find(|t| text.contains(t.text.as_str())) {
        return Some(Name {
            rule: "name.taught",
            name: mask(&known.text),
            claims: known.claims.clone(),
            told: Vec::new(),
            rank: 9,
        });
    }
    let names = &patterns.names;
    let message = record.message.trim();
    let quiet = matches!(record.level, Level::Debug | Level::Trace);
    let loud = record.level >= Level::Error;
    let word = names.fails(message);
    let named = hits
        .iter()
        .find(|h| patterns.get(h.pattern).kind == Kind::Name);
    let thrown = record.exception.as_deref().filter(|e| !e.trim().is_empty());
    let failed = loud || named.is_some() || (!quiet && (word || thrown.is_some()));
    let label = label_of(record, patterns, failed);
    if !failed && (label.is_none() || quiet) {
        return None;
    }

    let told_in = |from: usize, to: usize| -> Vec<Cause> {
        let mut told: Vec<Cause> = hits
            .iter()
            .filter(|h| h.start >= from && h.start < to && !patterns.get(h.pattern).after_effect)
            .filter_map(|h| patterns.get(h.pattern).cause)
            .filter(|c| *c != Cause::Unknown)
            .collect();
        told.dedup();
        told
    };
    let span_of = |part: &str| text.find(part).map_or((0, 0), |at| (at, at + part.len()));

    if let Some((_, value)) = &label
        && (record.json || prose(message).is_empty())
        && is_code(value)
    {
        let (from, to) = span_of(value);
        return Some(Name {
            rule: "name.label",
            name: mask(value),
            claims: names.claims(value),
            told: told_in(from, to),
            rank: 6,
        });
    }
    let head = head_of(
        message,
        label.as_ref().map(|(k, v)| (k.as_str(), v.as_str())),
    );
    let (head, rule) = match thrown {
        Some(thrown) if prose(&head).is_empty() => (
            thrown.lines().next().unwrap_or(thrown).to_string(),
            "name.exception",
        ),
        _ => (head, "name.message"),
    };
    if head.trim().is_empty() {
        let (_, value) = label?;
        return Some(Name {
            rule: "name.label",
            name: mask(&value),
            claims: names.claims(&value),
            told: Vec::new(),
            rank: 5,
        });
    }
    let mut claims = label
        .as_ref()
        .map(|(_, value)| names.claims(value))
        .unwrap_or_default();
    if claims.is_empty() {
        claims = named
            .map(|h| patterns.get(h.pattern).claims.clone())
            .unwrap_or_default();
    }
    if claims.is_empty() {
        claims = names.claims(&head);
    }
    let (from, to) = if rule == "name.message" {
        span_of(message)
    } else {
        span_of(&head)
    };
    let told = told_in(from, to);
    if claims.is_empty() {
        // A code in the name's first clause says it too.
        let first = clauses(&head).first().map_or(0, |c| c.len());
        claims = told_in(from, from + first);
    }
    let empty = claims.is_empty() && names.says_nothing(&head);
    let rank = match (claims.is_empty(), told.is_empty(), empty) {
        (_, _, true) => 1,
        (true, _, _) => 3,
        (false, false, _) => 4,
        (false, true, _) => 5,
    };
    Some(Name {
        rule,
        name: mask(&head),
        claims,
        told,
        rank,
    })
}

/// The most telling label field of a record: key and value.
fn label_of(record: &Record<'_>, patterns: &Patterns, failed: bool) -> Option<(String, String)> {
    let labels = record
        .fields
        .iter()
        .filter(|f| patterns.names.is_label(&f.path, &f.value, failed));
    let best = labels.max_by_key(|f| {
        let claims = !patterns.names.claims(&f.value).is_empty();
        let code = is_code(&f.value);
        // The first of equals: `max_by_key` keeps the last, so the position counts downwards.
        (claims, code, std::cmp::Reverse(f.path.len()))
    })?;
    Some((best.path.clone(), best.value.trim().to_string()))
}

/// Whether a value is a code: one token, no prose.
fn is_code(value: &str) -> bool {
    let value = value.trim();
    !value.is_empty()
        && value.len() <= 60
        && !value.contains(char::is_whitespace)
        && value.chars().any(char::is_alphabetic)
}

/// The part of a message that is prose: up to the first `key=value`.
fn prose(message: &str) -> &str {
    let mut at = 0;
    for word in message.split_inclusive(' ') {
        let bare = word.trim_end();
        if let Some(eq) = bare.find('=')
            && eq > 0
            && bare[..eq]
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"'))
        {
            return message[..at].trim_end_matches([' ', ',', '|', '{', '(', '[', ';', ':']);
        }
        at += word.len();
    }
    message.trim_end()
}

/// The head of a message: its prose, and the label if it stands behind as `key=value`; the rest of the pairs is not
/// part of the name, since it varies.
fn head_of(message: &str, label: Option<(&str, &str)>) -> String {
    let line = message.lines().next().unwrap_or("");
    let head = prose(line);
    match label {
        Some((key, value))
            if head.len() < line.trim_end().len() && !head.contains(value) && value.len() <= 60 =>
        {
            if head.is_empty() {
                format!("{key}={value}")
            } else {
                format!("{head} {key}={value}")
            }
        }
        _ if head.is_empty() => line.trim().to_string(),
        _ => head.to_string(),
    }
}
