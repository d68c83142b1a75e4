//! The knowledge: packs of patterns, read from TOML, validated, and matched against records.
//!
//! - [`written`]: a pack as its author writes it.
//! - [`load`]: packs as meant: embedded ones and the user's, validated with the place of every error.
//! - [`needles`]: the literal prefilter. False positives are fine, false negatives never.
//! - [`status`]: which three-digit numbers of a text are HTTP statuses.
//! - [`names`]: what a reader takes a recorded name to mean.
//! - [`matcher`]: one record against the patterns that its needles call for.
//! - [`check`]: examples, counterexamples and lint.

pub mod check;
mod grams;
pub mod load;
pub mod matcher;
pub mod names;
pub mod needles;
mod ordinary;
pub mod status;
pub mod written;

use crate::cause::{Cause, Waiting};
use crate::evidence::{Grade, Kind};
use regex::Regex;
use std::sync::{Arc, OnceLock};

/// A validated pattern.
#[derive(Debug)]
pub struct Pattern {
    /// Unique over all packs.
    pub id: Arc<str>,
    /// The pack's file name.
    pub pack: Arc<str>,
    /// What a match states.
    pub kind: Kind,
    /// For `cause`: of what it is a sign.
    pub cause: Option<Cause>,
    /// For `name`: what the name claims.
    pub claims: Vec<Cause>,
    /// Its own answer to "will waiting fix it?".
    pub waiting: Option<Waiting>,
    /// How much a match proves.
    pub grade: Grade,
    /// Any of these stands in the raw record.
    pub needles: Vec<needles::Needle>,
    /// Any of these (lower-case) stands in the record, its neighbourhood, its lane's or its file's name.
    pub near: Vec<String>,
    /// Must match the text.
    pub regex: Option<Lazy>,
    /// Must not match the text.
    pub unless: Option<Lazy>,
    /// Any of these stands in the record as an HTTP status.
    pub status: Vec<u16>,
    /// Any of these holds.
    pub field: Vec<FieldTest>,
    /// The needles are everyday words: only records that are visited for other reasons are tested.
    pub common: bool,
    /// A consequence: decides only if nothing else does.
    pub after_effect: bool,
    /// What every match states besides its captures: told by the second part of the id for the kinds that have
    /// sides (`outcome.ok.status`: `result` is `ok`).
    pub constant: Option<(&'static str, String)>,
    /// What to change, in one sentence.
    pub advice: String,
    /// Where the fact is from.
    pub source: String,
    /// Records that match.
    pub examples: Vec<String>,
    /// Records that nearly match.
    pub counterexamples: Vec<String>,
}

/// A regular expression that is compiled when it is first needed: a run needs few of the hundreds.
#[derive(Debug)]
pub struct Lazy {
    written: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Lazy {
    /// Takes it as written, without compiling.
    pub fn new(written: String) -> Lazy {
        Lazy {
            written,
            compiled: OnceLock::new(),
        }
    }

    /// As written.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Compiles it, and says what is wrong with it.
    pub fn compile(&self) -> Result<Regex, regex::Error> {
        regex::RegexBuilder::new(&self.written)
            .size_limit(4 << 20)
            .build()
    }

    /// The compiled form. Embedded packs are compiled by the tests, the user's when they are loaded, so that
    /// `None` does not occur in a run.
    pub fn get(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| self.compile().ok()).as_ref()
    }
}

/// A test of one field of a record.
#[derive(Clone, Debug, Default)]
pub struct FieldTest {
    /// The key: compared without case and separators, as a suffix of the dotted path.
    pub key: String,
    /// Any of these, without case.
    pub equals: Vec<String>,
    /// Any of these within the value, without case.
    pub contains: Vec<String>,
    /// The value starts with any of these, without case.
    pub starts: Vec<String>,
    /// The field is there and holds something.
    pub exists: bool,
    /// The number is at least this.
    pub min: Option<f64>,
    /// The number is at most this.
    pub max: Option<f64>,
}

impl FieldTest {
    /// Whether a value passes.
    pub fn passes(&self, value: &str) -> bool {
        let value = value.trim();
        let lower = value.to_lowercase();
        let any = |list: &[String], test: &dyn Fn(&str) -> bool| {
            list.is_empty() || list.iter().any(|w| test(w))
        };
        let number = || value.trim_end_matches(['s', '%']).parse::<f64>().ok();
        (!self.exists || !is_nothing(&lower))
            && any(&self.equals, &|w| lower == w.to_lowercase())
            && any(&self.contains, &|w| lower.contains(&w.to_lowercase()))
            && any(&self.starts, &|w| lower.starts_with(&w.to_lowercase()))
            && self
                .min
                .is_none_or(|least| number().is_some_and(|n| n >= least))
            && self
                .max
                .is_none_or(|most| number().is_some_and(|n| n <= most))
    }
}

/// Whether a (lower-case) value says that there is nothing: `"error": null` is no error.
pub fn is_nothing(value: &str) -> bool {
    let bare = value.trim_matches(['"', '\'', ' ']);
    matches!(
        bare,
        "" | "null"
            | "none"
            | "nil"
            | "undefined"
            | "0"
            | "false"
            | "no"
            | "[]"
            | "{}"
            | "()"
            | "-"
            | "<nil>"
            | "n/a"
            | "ok"
            | "success"
    )
}
