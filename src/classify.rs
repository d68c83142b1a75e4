//! The right name of one failure, for a script that asks before it records one.

use crate::audit::finding::{Advice, Confidence, Failure, Proof, Standing};
use crate::audit::{Filter, audit};
use crate::cause::{Cause, Waiting, guide};
use crate::evidence::Table;
use crate::report::words::visible;
use crate::scan::name::{Name, name_anyway};
use crate::scan::pattern::matcher::Patterns;
use crate::scan::record::{Shape, mask};
use crate::scan::source::blocks::{Block, Newlines};
use crate::scan::source::{Coding, Origin, Source};
use crate::scan::worker::{Mode, Profile, Worker};
use crate::settings::Settings;
use anyhow::{Result, bail};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// The most bytes of records that are read from standard input.
pub const LONGEST_INPUT: u64 = 256 << 20;

/// What is known of a failure that was not recorded yet.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The name under which it is about to be recorded.
    pub recorded: Option<String>,
    /// The HTTP status of the failing call.
    pub status: Option<u16>,
    /// The class of the exception.
    pub exception: Option<String>,
    /// The provider's or the library's code.
    pub code: Option<String>,
    /// The message, or the body of the answer.
    pub message: Option<String>,
}

impl Known {
    /// Whether nothing at all is given.
    pub fn is_empty(&self) -> bool {
        self.recorded.is_none()
            && self.status.is_none()
            && self.exception.is_none()
            && self.code.is_none()
            && self.message.is_none()
    }

    /// The record that a careful program would write.
    fn record(&self) -> String {
        let mut record = serde_json::Map::new();
        record.insert("level".into(), "error".into());
        if let Some(status) = self.status {
            record.insert("statusCode".into(), status.into());
        }
        let mut error = serde_json::Map::new();
        let parts = [
            ("type", &self.exception),
            ("code", &self.code),
            ("message", &self.message),
        ];
        for (key, value) in parts {
            if let Some(value) = value {
                error.insert(key.into(), value.as_str().into());
            }
        }
        if !error.is_empty() {
            record.insert("err".into(), error.into());
        }
        serde_json::Value::Object(record).to_string()
    }
}

/// One failure with its right name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Classified {
    /// The line of the record, from 1.
    pub line: i64,
    /// The name under which it is (or is about to be) recorded, masked; none if the record names nothing.
    pub recorded_name: Option<String>,
    /// What that name claims.
    pub claimed: Option<Cause>,
    /// What it is.
    pub cause: Cause,
    /// The coarse class.
    pub class: String,
    /// The name held against the evidence.
    pub standing: Standing,
    /// How sure.
    pub confidence: Confidence,
    /// Will waiting fix it?
    pub waiting: Waiting,
    /// When it ends, RFC 3339 in UTC, where known.
    pub reset_at: Option<String>,
    /// The three answers.
    pub advice: Advice,
    /// What proves it.
    pub evidence: Vec<Proof>,
}

/// Classifies one failure of which the parts are given.
///
/// # Errors
/// If nothing is given.
pub fn classify(
    known: &Known,
    settings: &Settings,
    patterns: &Arc<Patterns>,
) -> Result<Classified> {
    if known.is_empty() {
        bail!(
            "nothing to classify: give --status, --exception, --code or --message, or records on standard input"
        );
    }
    let text = known.record();
    let all = records(
        text.as_bytes(),
        known.recorded.as_deref(),
        settings,
        patterns,
    );
    Ok(all
        .into_iter()
        .next()
        .unwrap_or_else(|| unknown(1, known.recorded.as_deref())))
}

/// Classifies every record of a text, each for itself.
pub fn records(
    text: &[u8],
    recorded: Option<&str>,
    settings: &Settings,
    patterns: &Arc<Patterns>,
) -> Vec<Classified> {
    let source = Source {
        name: Arc::from("stdin"),
        lane: Arc::from("stdin"),
        origin: Origin::File(PathBuf::new()),
        coding: Coding::Plain,
        size: text.len() as u64,
        timezone: settings.timezone.clone(),
    };
    let head = text.get(..text.len().min(64 << 10)).unwrap_or_default();
    let shape = Shape::of(&[(0, head.to_vec())], &source.name, &source.timezone, None);
    let profiles = [Profile {
        shape,
        needles: None,
    }];
    let worker = Worker {
        patterns: patterns.clone(),
        settings,
        profiles: &profiles,
        mode: Mode::Exhaustive,
    };
    let block = Block {
        source: &source,
        source_index: 0,
        offset: 0,
        buf: text,
        own: 0..text.len(),
        first: true,
        last: true,
        newlines: Newlines::default(),
    };
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let bounds = worker.record(&block, at);
        at = bounds.end.max(at + 1);
        if text[bounds.clone()].trim_ascii().is_empty() {
            continue;
        }
        let line = block.lines_before(bounds.start) + 1;
        let mut seen = worker.look(&block, &profiles[0], bounds, true);
        match recorded {
            Some(recorded) => seen.name = Some(given(recorded, patterns)),
            None if seen.name.is_none() => {
                seen.name = name_anyway(&seen.record, &seen.hits, patterns);
            }
            None => {}
        }
        let table = Table {
            rows: worker.evidence(&block, &seen),
            ..Table::default()
        };
        let outcome = audit(&table, settings, None, &Filter::default());
        out.push(match outcome.failures.into_iter().next() {
            Some(failure) => told(line, failure),
            None => unknown(line, recorded),
        });
    }
    out
}

/// A name that the caller gives: a claim, never evidence.
fn given(recorded: &str, patterns: &Patterns) -> Name {
    Name {
        rule: "name.label",
        name: mask(recorded),
        claims: patterns.names.claims(recorded),
        told: Vec::new(),
        rank: 9,
        span: 0..0,
        label: true,
    }
}

fn told(line: i64, failure: Failure) -> Classified {
    Classified {
        line,
        recorded_name: Some(failure.recorded_name).filter(|n| !n.is_empty()),
        claimed: failure.claimed,
        cause: failure.cause,
        class: failure.class,
        standing: failure.standing,
        confidence: failure.confidence,
        waiting: failure.waiting,
        reset_at: failure.reset_at,
        advice: failure.advice,
        evidence: failure.evidence,
    }
}

/// Nothing in the record proves a cause.
fn unknown(line: i64, recorded: Option<&str>) -> Classified {
    let guide = guide(Cause::Unknown);
    Classified {
        line,
        recorded_name: recorded.map(mask),
        claimed: None,
        cause: Cause::Unknown,
        class: Cause::Unknown.class().to_string(),
        standing: Standing::Unsupported,
        confidence: Confidence::Possible,
        waiting: guide.waiting,
        reset_at: None,
        advice: Advice {
            wait: "the record does not say".to_string(),
            cut_off: guide.cut_off.to_string(),
            change: guide.change.to_string(),
        },
        evidence: Vec::new(),
    }
}

impl Classified {
    /// For a person.
    pub fn text(&self) -> String {
        let mut out = format!("{:<11}{} (class {})\n", "cause", self.cause, self.class);
        if let Some(name) = &self.recorded_name {
            let claim = self
                .claimed
                .map_or("claims nothing".to_string(), |c| format!("claims {c}"));
            out.push_str(&format!(
                "{:<11}{}: \"{}\" {claim}\n",
                "name",
                word(&self.standing),
                visible(name)
            ));
        }
        out.push_str(&format!("{:<11}{}\n", "confidence", word(&self.confidence)));
        for proof in self.evidence.iter().take(3) {
            out.push_str(&format!(
                "{:<11}{} ({})\n",
                "evidence",
                visible(&proof.text),
                proof.pattern
            ));
        }
        for (head, text) in [
            ("wait", &self.advice.wait),
            ("cut off", &self.advice.cut_off),
            ("change", &self.advice.change),
        ] {
            out.push_str(&format!("{head:<11}{text}\n"));
        }
        out
    }
}

/// The permanent word of a value that reports know.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|v| v.as_str().map(str::to_string))
        .unwrap_or_default()
}
