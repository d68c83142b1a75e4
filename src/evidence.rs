//! Evidence: what one record of a log proves. The table of it is all that the audit ever sees.
//!
//! A row holds plain strings and signed integers only, so that it can be written as a table, read back, and give the
//! same report (see `table`).

use crate::cause::{Cause, Waiting};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What sort of fact a row states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The label that the lane wrote for a failure.
    Name,
    /// A sign of a cause.
    Cause,
    /// An attempt, counted by a retry layer.
    Attempt,
    /// A retry layer gave up.
    GiveUp,
    /// Something ended well or badly.
    Outcome,
    /// A quarantine, ban, cool-down or circuit breaker: entered or left.
    Hold,
    /// The instant at which a limit ends.
    Reset,
    /// A declared limit or time-out.
    Limit,
    /// A run begins or ends.
    Scope,
    /// What joins and refutes: a token issued, a lock taken, a deployment.
    Context,
}

impl Kind {
    /// Every kind, with its permanent name.
    pub const ALL: &'static [(Kind, &'static str)] = &[
        (Kind::Name, "name"),
        (Kind::Cause, "cause"),
        (Kind::Attempt, "attempt"),
        (Kind::GiveUp, "give_up"),
        (Kind::Outcome, "outcome"),
        (Kind::Hold, "hold"),
        (Kind::Reset, "reset"),
        (Kind::Limit, "limit"),
        (Kind::Scope, "scope"),
        (Kind::Context, "context"),
    ];

    /// The permanent name.
    pub fn slug(self) -> &'static str {
        Kind::ALL
            .iter()
            .find(|(k, _)| *k == self)
            .map_or("", |(_, s)| s)
    }

    /// The inverse of [`Kind::slug`].
    pub fn from_slug(slug: &str) -> Option<Kind> {
        Kind::ALL.iter().find(|(_, s)| *s == slug).map(|(k, _)| *k)
    }
}

/// How much a sign proves by its nature, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// A relation between records (the same credential was accepted half a second later).
    Relation,
    /// A provider's code with one meaning.
    Code,
    /// An errno or a transport library's code.
    Transport,
    /// A sentence that a program prints and that has one meaning.
    Phrase,
    /// An HTTP status alone.
    Status,
    /// Words that many programs use for it (`rate limit exceeded`).
    Wording,
    /// An exception class whose meaning is broad.
    Exception,
    /// A parser's message.
    Parse,
    /// Exit codes, `FATAL`, "all failed".
    Symptom,
}

impl Grade {
    /// Every grade, with its permanent name and its weight in tenths (measured on labelled cases).
    pub const ALL: &'static [(Grade, &'static str, i64)] = &[
        (Grade::Relation, "relation", 90),
        (Grade::Code, "code", 80),
        (Grade::Transport, "transport", 70),
        (Grade::Phrase, "phrase", 65),
        (Grade::Status, "status", 50),
        (Grade::Wording, "wording", 48),
        (Grade::Exception, "exception", 30),
        (Grade::Parse, "parse", 20),
        (Grade::Symptom, "symptom", 0),
    ];

    /// The permanent name.
    pub fn slug(self) -> &'static str {
        Grade::ALL
            .iter()
            .find(|(g, _, _)| *g == self)
            .map_or("", |(_, s, _)| s)
    }

    /// The inverse of [`Grade::slug`].
    pub fn from_slug(slug: &str) -> Option<Grade> {
        Grade::ALL
            .iter()
            .find(|(_, s, _)| *s == slug)
            .map(|(g, _, _)| *g)
    }

    /// The weight in tenths.
    pub fn weight(self) -> i64 {
        Grade::ALL
            .iter()
            .find(|(g, _, _)| *g == self)
            .map_or(0, |(_, _, w)| *w)
    }
}

/// Severity of a record as its logger stated it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The record states none.
    #[default]
    None,
    /// trace, verbose, silly, finest.
    Trace,
    /// debug, fine.
    Debug,
    /// info, notice, success.
    Info,
    /// warn, advisory.
    Warn,
    /// error, severe, fail.
    Error,
    /// fatal, critical, alert, emergency, panic.
    Fatal,
}

impl Level {
    /// Every level in rising order, with its permanent name.
    pub const ALL: &'static [(Level, &'static str)] = &[
        (Level::None, ""),
        (Level::Trace, "trace"),
        (Level::Debug, "debug"),
        (Level::Info, "info"),
        (Level::Warn, "warn"),
        (Level::Error, "error"),
        (Level::Fatal, "fatal"),
    ];

    /// The permanent name; empty for none.
    pub fn slug(self) -> &'static str {
        Level::ALL
            .iter()
            .find(|(l, _)| *l == self)
            .map_or("", |(_, s)| s)
    }

    /// The inverse of [`Level::slug`].
    pub fn from_slug(slug: &str) -> Level {
        Level::ALL
            .iter()
            .find(|(_, s)| *s == slug)
            .map_or(Level::None, |(l, _)| *l)
    }
}

/// What joins records: `request`, `target`, `credential`, `run`, `thread`, `job`, `host`, `logger`, each at most once.
pub type Keys = BTreeMap<String, String>;

/// The value that marks a sign in the words of the failure's own name: a claim rather than a proof.
pub const OWN_WORDS: &str = "own_words";

/// What the captures of a pattern held, by their names.
pub type Values = BTreeMap<String, String>;

/// One fact, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// What sort of fact.
    pub kind: Kind,
    /// The pattern's id, or the built-in rule of the scan (`name.label`, `name.message`, `name.run-end`).
    pub pattern: Arc<str>,
    /// The lane.
    pub lane: Arc<str>,
    /// The file, relative to the path given, with `/`.
    pub file: Arc<str>,
    /// The line that holds the token, counted from 1.
    pub line: i64,
    /// The last line of the token.
    pub end_line: i64,
    /// The first line of the record.
    pub record_line: i64,
    /// The last line of the record.
    pub record_end: i64,
    /// Where the record begins in the (decompressed) file, in bytes.
    pub offset: i64,
    /// The order within the record.
    pub seq: i64,
    /// Nanoseconds since 1970 UTC, own or inherited.
    pub time: Option<i64>,
    /// The level of the record.
    pub level: Level,
    /// What it is a sign of.
    pub cause: Option<Cause>,
    /// How much it proves.
    pub grade: Grade,
    /// A consequence, not a cause: decides only if nothing else does.
    pub after_effect: bool,
    /// The pattern's own answer to "will waiting fix it?", if it has one.
    pub waiting: Option<Waiting>,
    /// For a name: the label with its variable parts masked.
    pub name: String,
    /// For a name: what a reader takes it to mean, the main reading first; empty says nothing.
    pub claims: Vec<Cause>,
    /// What joins this record to others.
    pub keys: Keys,
    /// What the captures held.
    pub values: Values,
    /// What is shown: redacted, at most 300 characters.
    pub text: String,
    /// The pattern's advice, if it has any.
    pub advice: String,
    /// How many rows this one stands for.
    pub repeat: i64,
}

impl Evidence {
    /// The total order: lane, instant, file, offset, sequence. Nothing depends on arrival.
    pub fn order(&self) -> (&str, Option<i64>, &str, i64, i64) {
        (&self.lane, self.time, &self.file, self.offset, self.seq)
    }
}

/// What the scan says of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSummary {
    /// The lane.
    pub lane: String,
    /// The file, relative to the path given.
    pub file: String,
    /// Bytes read, decompressed.
    pub bytes: i64,
    /// Lines, exactly.
    pub lines: i64,
    /// Lines that are not valid UTF-8, or broken JSON in a JSONL file.
    pub bad_lines: i64,
    /// Records; only counted by `lanes --full`.
    pub records: Option<i64>,
    /// Records whose time was found; only counted by `lanes --full`.
    pub timed: Option<i64>,
    /// The first instant seen, in nanoseconds.
    pub first: Option<i64>,
    /// The last instant seen, in nanoseconds.
    pub last: Option<i64>,
    /// Why it could not be read (to the end).
    pub error: Option<String>,
    /// The hash of its first line, where a scan keeps it: by it a file is known again when it has grown or was renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begins: Option<String>,
}

/// Something that was cut because a cap bit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Capped {
    /// What: `rows` of one name or pattern, `names` (groups of rows), `lines` that were not read to their end.
    pub what: String,
    /// Where: a lane, a file or a pattern.
    pub place: String,
    /// How many were kept of how many.
    pub kept: i64,
    /// How many there were.
    pub of: i64,
}

/// All that the audit sees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The evidence, in total order.
    pub rows: Vec<Evidence>,
    /// The files, by name.
    pub files: Vec<FileSummary>,
    /// Files passed over: path and why.
    pub passed_over: Vec<(String, String)>,
    /// What caps cut.
    pub capped: Vec<Capped>,
}
