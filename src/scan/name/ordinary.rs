//! Names on lines of no failing level.

use super::is_call;
use crate::evidence::Level;
use crate::scan::pattern::names::Names;
use crate::scan::record::Record;

/// Most words of a message that is a name although its level is ordinary: longer ones tell a story.
const SHORT: usize = 14;

/// What a claim on an ordinary line must say besides its topic: that something went wrong.
const WRONG: &[&str] = &[
    "fail",
    "error",
    "denied",
    "refus",
    "reject",
    "invalid",
    "unauthor",
    "forbidden",
    "unavail",
    "expired",
    "exceed",
    "not found",
    "missing",
    "no such",
    "could not",
    "couldn't",
    "cannot",
    "can't",
    "unable",
    "wrong",
    "too many",
    "timed out",
    "timeout)",
    "aborted",
    "unreachable",
    "offline",
    " down",
    "not respond",
    "no response",
    "hang up",
    "hung up",
    "unregister",
    "not eligible",
    "broken",
    "corrupt",
    "revoked",
    "blocked",
    "banned",
    "disabled",
    "suspended",
    "bad ",
    "does not exist",
    "doesn't exist",
    "unknown ",
    "mismatch",
    "gave up",
    "giving up",
    "too slow",
    "too large",
    "too long",
    "not allowed",
    "not permitted",
    "unsupported",
    "unexpected",
    "stuck",
    "stalled",
    "killed",
    "crash",
    "lost ",
];

/// Whether a record of no failing level claims a cause in its own words: half of the labels that lanes write stand on
/// lines of information.
pub(super) fn claims_itself(record: &Record<'_>, names: &Names) -> bool {
    let message = record.message.trim();
    let spoken = match record.level {
        Level::Warn => true,
        Level::None | Level::Info => message.split_whitespace().nth(SHORT).is_none(),
        _ => false,
    };
    let lower = message.to_lowercase();
    spoken
        && WRONG.iter().any(|w| lower.contains(w))
        && !is_call(message)
        && !names.succeeds(message)
        && !names.claims(message).is_empty()
}

/// Whether a message only quotes failures: the title of a test that passed, or of a commit.
pub fn quotes(message: &str) -> bool {
    let message = message.trim();
    const HEADS: &[&str] = &[
        "✓",
        "✔",
        "√",
        "PASS ",
        "PASS:",
        "--- PASS",
        "HEAD is now at ",
        "Merge pull request",
        "Merge branch",
        "Previous HEAD position was ",
    ];
    const TAILS: &[&str] = &[
        " ... ok",
        " ... PASSED",
        " PASSED",
        "... passed",
        " ... ok (cached)",
    ];
    HEADS.iter().any(|h| message.starts_with(h))
        || TAILS.iter().any(|t| message.ends_with(t))
        || numbered(message, "ok ", " - ")
        || numbered(message, "commit ", " ")
}

/// `ok 12 - title`, `commit 41ab77c title`.
fn numbered(message: &str, head: &str, then: &str) -> bool {
    message.strip_prefix(head).is_some_and(|rest| {
        let word = rest.split(' ').next().unwrap_or_default();
        !word.is_empty()
            && word.bytes().all(|b| b.is_ascii_hexdigit())
            && rest[word.len()..].starts_with(then)
    })
}
