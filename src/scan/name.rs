//! The recorded name of a failure: the label that the lane wrote, with its variable parts masked.

mod label;
mod ordinary;

use super::pattern::matcher::{Hit, Patterns};
use super::pattern::names::{Names, clauses};
use super::record::Record;
use super::record::mask;
use crate::cause::Cause;
use crate::evidence::{Grade, Kind, Level};
use crate::settings::TaughtName;
use label::{is_code, is_coined, label_of};
use ordinary::claims_itself;
pub use ordinary::quotes;
use std::ops::Range;

/// A recorded name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The built-in rule that found it: `name.label`, `name.message`, `name.exception`, `name.taught`, `name.after`,
    /// `name.run-end`.
    pub rule: &'static str,
    /// Masked.
    pub name: String,
    /// What a reader takes it to mean, the main reading first.
    pub claims: Vec<Cause>,
    /// Causes that its own text proves: who reads the name reads them.
    pub told: Vec<Cause>,
    /// How much it says of itself, for choosing among the names of one operation: higher is more specific.
    pub rank: i64,
    /// Where it stands in the record's text; empty if it is made of several parts.
    pub span: Range<usize>,
    /// The span is the value of a label field: a claim of the lane, never evidence.
    pub label: bool,
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
        let span = span_of(text, &known.text);
        return Some(Name {
            rule: "name.taught",
            name: mask(&known.text),
            claims: known.claims.clone(),
            told: Vec::new(),
            rank: 9,
            span,
            label: true,
        });
    }
    let message = record.message.trim();
    if quotes(message) {
        return None;
    }
    let quiet = matches!(record.level, Level::Debug | Level::Trace);
    let thrown = record.exception.as_deref().filter(|e| !e.trim().is_empty());
    let named = hits.iter().any(|h| {
        let pattern = patterns.get(h.pattern);
        // Who gives up or is locked away has failed, however calmly it is told.
        matches!(pattern.kind, Kind::Name | Kind::GiveUp)
            || pattern.kind == Kind::Hold && h.values.get("turn").is_some_and(|t| t == "enter")
    });
    let told = record.level >= Level::Error
        || (!quiet && (named || thrown.is_some() || patterns.names.fails(message)));
    let signed = !told && carries_sign(record, hits, patterns);
    let claimed = !told && !signed && claims_itself(record, &patterns.names);
    let label = label_of(record, patterns, told || signed || claimed);
    if told || (label.is_some() && !quiet) {
        build(record, hits, patterns, label)
    } else if signed || claimed {
        build(record, hits, patterns, label).map(|name| Name {
            rule: if signed { "name.sign" } else { "name.claim" },
            ..name
        })
    } else {
        None
    }
}

/// The name of a record that is one for its place: it follows the sign of a cause, or ends a run badly.
pub fn name_anyway(record: &Record<'_>, hits: &[Hit], patterns: &Patterns) -> Option<Name> {
    // An echoed command is no name.
    if record.message.matches(" --").count() >= 2 {
        return None;
    }
    build(record, hits, patterns, label_of(record, patterns, true))
}

/// A warning that carries the sign of a cause is a failure, and so is a line of a program that states no levels; an
/// ordinary line that carries one is evidence of a failure.
fn carries_sign(record: &Record<'_>, hits: &[Hit], patterns: &Patterns) -> bool {
    let least = match record.level {
        Level::Warn => Grade::Wording,
        Level::None => Grade::Phrase,
        _ => return false,
    };
    // The line of a client that tells of its call is evidence: the failure is named by who made the call.
    let least = if is_call(&record.message) {
        Grade::Phrase
    } else {
        least
    };
    hits.iter().map(|h| patterns.get(h.pattern)).any(|p| {
        p.kind == Kind::Cause
            && !p.after_effect
            && p.grade <= least
            && p.cause != Some(Cause::Unknown)
    })
}

/// The telling part of a failure whose label claims nothing, and its claims.
fn telling_part(
    record: &Record<'_>,
    head: &str,
    label: Option<&str>,
    names: &Names,
) -> (String, Vec<Cause>) {
    if let Some(found) = telling_clause(head, names) {
        return found;
    }
    if let Some(found) = label
        .filter(|v| words(v) >= 2)
        .and_then(|v| telling_clause(v, names))
    {
        return found;
    }
    if let Some(thrown) = record.exception.as_deref().and_then(|e| e.lines().next()) {
        let claims = names.claims(thrown);
        let class = thrown.split(": ").next().unwrap_or(thrown);
        if !claims.is_empty() {
            let name = if words(head) >= 3 && class.len() <= 60 && !head.contains(class) {
                format!("{head}: {class}")
            } else {
                thrown.to_string()
            };
            return (name, claims);
        }
    }
    let prose = |line: &&str| {
        words(line) >= 2
            && !line.trim_start().starts_with("at ")
            && !line.trim_start().starts_with("File ")
    };
    let more = if record.json {
        None
    } else {
        record
            .text
            .lines()
            .skip(1)
            .take(3)
            .filter(prose)
            .find_map(|line| telling_clause(line.trim(), names))
    };
    more.unwrap_or_else(|| (head.to_string(), Vec::new()))
}

/// The first clause of a text that claims a cause, with what follows where it is short; and its claims.
fn telling_clause(text: &str, names: &Names) -> Option<(String, Vec<Cause>)> {
    let all = clauses(text);
    for clause in all.iter().take(6) {
        let claims = names.claims_of(clause);
        if claims.is_empty() {
            continue;
        }
        let at = text.find(clause)?;
        let telling = if clause.split_whitespace().count() >= 2 || all.len() == 1 {
            &text[at..]
        } else {
            text
        };
        return Some((telling.to_string(), claims));
    }
    None
}

/// Whether a message is a client's line of a request: a method and an address.
fn is_call(message: &str) -> bool {
    const METHODS: &[&str] = &["GET ", "POST ", "PUT ", "PATCH ", "DELETE ", "HEAD "];
    METHODS.iter().any(|m| {
        message.find(m).is_some_and(|at| {
            message[at + m.len()..]
                .trim_start()
                .starts_with(['/', 'h', '<', '"'])
        })
    })
}

/// The label that an operator's script puts behind an arrow: `502 -> incident "tunnel down"`, `... -> mark BLOCKED`.
fn arrow_label(message: &str) -> Option<&str> {
    let (_, tail) = message
        .rsplit_once(" -> ")
        .or_else(|| message.rsplit_once(" => "))?;
    const MARKS: &[&str] = &[
        "mark",
        "marked",
        "incident",
        "verdict",
        "label",
        "class",
        "classified",
        "classify",
        "record",
        "recorded",
        "as",
        "status",
        "alert",
        "reason",
        "tag",
        "stamp",
        "raise",
        "page",
        "ticket",
        "declare",
        "declared",
        "treat",
        "treated",
    ];
    let mut rest = tail.trim();
    let mut marked = false;
    while let Some((word, more)) = rest.split_once([' ', ':', '='])
        && MARKS.contains(&word.to_lowercase().as_str())
    {
        marked = true;
        rest = more.trim();
    }
    let label = rest.trim_matches(['"', '\'', ' ', '.']);
    (marked && words(label) >= 1 && label.len() <= 60).then_some(label)
}

fn build(
    record: &Record<'_>,
    hits: &[Hit],
    patterns: &Patterns,
    label: Option<(String, String)>,
) -> Option<Name> {
    let text = record.text.as_ref();
    let names = &patterns.names;
    let message = record.message.lines().next().unwrap_or("").trim();
    let told_in = |span: &Range<usize>| -> Vec<Cause> {
        let inside = hits
            .iter()
            .filter(|h| span.contains(&h.start))
            .map(|h| patterns.get(h.pattern))
            .filter(|p| !p.after_effect);
        let mut told: Vec<Cause> = inside
            .filter_map(|p| p.cause)
            .filter(|c| *c != Cause::Unknown)
            .collect();
        told.dedup();
        told
    };
    if let Some((key, value)) = &label
        && is_code(value)
        && (record.json
            || words(prose(message)) == 0
            || is_coined(value) && words(prose(message)) <= 2)
    {
        let span = span_of(text, value);
        let said = names.claims(value);
        // A word such as `error` under a telling key says nothing of itself; the key stays with it only then.
        let name = if said.is_empty() && !record.json {
            format!("{key}={value}")
        } else {
            value.clone()
        };
        return Some(Name {
            rule: "name.label",
            name: mask(&name),
            claims: said,
            told: Vec::new(),
            rank: 6,
            span,
            label: true,
        });
    }
    if let Some(value) = arrow_label(message) {
        return Some(Name {
            rule: "name.label",
            name: mask(value),
            claims: names.claims(value),
            told: Vec::new(),
            rank: 6,
            span: span_of(text, value),
            label: true,
        });
    }
    let head = head_of(
        message,
        label.as_ref().map(|(k, v)| (k.as_str(), v.as_str())),
    );
    let (head, rule) = match record.exception.as_deref().and_then(|e| e.lines().next()) {
        Some(thrown) if words(&head) == 0 => (thrown.to_string(), "name.exception"),
        _ => (head, "name.message"),
    };
    let named = hits
        .iter()
        .map(|h| patterns.get(h.pattern))
        .find(|p| p.kind == Kind::Name);
    let mut claims = label
        .as_ref()
        .map(|(_, value)| names.claims(value))
        .unwrap_or_default();
    if claims.is_empty() {
        claims = named.map(|p| p.claims.clone()).unwrap_or_default();
    }
    // What a reader keeps of a long message is the clause that says something; where the message says nothing, that of
    // its error field, its exception or its next lines.
    let mut telling = head.clone();
    if let Some((_, value)) = label
        .as_ref()
        .filter(|(_, v)| words(&head) < 2 && words(v) >= 2)
    {
        telling = value.clone();
    } else if claims.is_empty() {
        (telling, claims) = telling_part(
            record,
            &head,
            label.as_ref().map(|(_, v)| v.as_str()),
            names,
        );
    } else if let Some((_, value)) = label
        .as_ref()
        .filter(|(_, v)| words(v) > 0 && v.contains(' '))
    {
        // The label speaks, in prose: it is the name unless the message speaks too.
        if telling_clause(&head, names).is_none_or(|(clause, _)| clause.contains(value.as_str())) {
            let said =
                telling_clause(value, names).map_or_else(|| value.clone(), |(clause, _)| clause);
            telling = said;
        }
    }
    let mut name = mask(&telling);
    if words(&name) == 0 {
        let quote = telling.trim().trim_end_matches([')', ']', '.', ',']);
        name = mask(&head.replacen(quote, unquoted(quote), 1));
    }
    if words(&name) == 0 {
        let (_, value) = label.filter(|(_, v)| words(v) > 0)?;
        return Some(Name {
            rule: "name.label",
            name: mask(&value),
            claims: names.claims(&value),
            told: Vec::new(),
            rank: 5,
            span: span_of(text, &value),
            label: true,
        });
    }
    let span = match (rule, span_of(text, message)) {
        ("name.message", span) if !span.is_empty() => span,
        _ => span_of(text, &head),
    };
    let told = told_in(&span);
    // What is known as a consequence (`remote end hung up`) says nothing of the cause, whatever its words.
    if told.is_empty()
        && hits
            .iter()
            .any(|h| span.contains(&h.start) && patterns.get(h.pattern).after_effect)
    {
        claims.clear();
    }
    let rank = match (claims.is_empty(), told.is_empty()) {
        (true, _) if names.says_nothing(&head) => 1,
        (true, _) => 3,
        (false, false) => 4,
        (false, true) => 5,
    };
    Some(Name {
        rule,
        name,
        claims,
        told,
        rank,
        span,
        label: false,
    })
}

fn span_of(text: &str, part: &str) -> Range<usize> {
    if part.is_empty() {
        0..0
    } else {
        text.find(part).map_or(0..0, |at| at..at + part.len())
    }
}

/// A text without the quotes that span it: where a message is nothing but a quotation (`sync failed: 'connect refused'`,
/// `(2006, 'MySQL server has gone away')`), what is quoted is the message itself, not a value in one.
fn unquoted(text: &str) -> &str {
    ['\'', '"', '`']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(text)
}

/// How many words of three letters or more a text has, masks and pairs left out.
fn words(text: &str) -> usize {
    let word = |w: &&str| {
        !w.contains(['=', '<', '>', '{', '}'])
            && w.chars().filter(|c| c.is_alphabetic()).count() >= if w.is_ascii() { 3 } else { 2 }
    };
    text.split_whitespace().filter(word).count()
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

/// The head of a message: its prose, and the label if it stands behind as `key=value`. The rest of the pairs varies
/// and is not part of the name, unless there is hardly any prose.
fn head_of(line: &str, label: Option<(&str, &str)>) -> String {
    let line = after_logger(line);
    let mut head = prose(line);
    if words(head) < 2 && head.len() < line.trim_end().len() {
        head = line.trim_end();
    }
    match label {
        Some((key, value)) if !head.contains(value) && value.len() <= 60 => {
            format!("{head} {key}={value}")
        }
        _ => head.to_string(),
    }
}

/// A message without the logger that stands before it as a bare word (`ig_sug run stopped`): an identifier of several
/// parts that says nothing of a failure.
fn after_logger(line: &str) -> &str {
    let Some((first, rest)) = line.split_once(' ') else {
        return line;
    };
    let parts = first.split(['.', '_']).count();
    let identifier = first.len() <= 40
        && first.starts_with(|c: char| c.is_ascii_lowercase())
        && first
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_'));
    const TELLING: &[&str] = &[
        "fail", "error", "timeout", "denied", "reject", "limit", "abort", "exceed", "invalid",
        "expired", "lost", "missing", "unable", "refused", "crash",
    ];
    if parts >= 2 && identifier && words(rest) > 0 && !TELLING.iter().any(|t| first.contains(t)) {
        rest.trim_start()
    } else {
        line
    }
}
