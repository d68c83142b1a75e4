//! Every step for one record, by the engine itself.

use crate::audit::finding::Outcome;
use crate::audit::{Filter, audit, newest};
use crate::cli::Global;
use crate::evidence::{Evidence, Table};
use crate::report::words::visible;
use crate::run::inputs::Inputs;
use crate::scan;
use crate::scan::pattern::matcher::Trial;
use crate::scan::source::Source;
use crate::scan::source::blocks::{Block, Plan, run};
use crate::scan::source::progress::{Mode as ProgressMode, Progress};
use crate::scan::worker::{BlockScan, Mode, Profile, Worker};
use crate::time;
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// `misnomer inspect FILE:LINE`: record, fields, needles, patterns tried, evidence, the failure it went into.
///
/// # Errors
/// If the file or the line is not among what is read.
pub fn inspect(global: &Global, inputs: &Inputs, place: &str) -> Result<u8> {
    let (file, line) = place
        .rsplit_once(':')
        .with_context(|| format!("{place}: write FILE:LINE, as reports print it"))?;
    let line: i64 = line
        .parse()
        .with_context(|| format!("{place}: the part behind the colon is no line number"))?;
    let source = find(inputs, file)?;
    let inspector = Inspector::new(global, inputs)?;
    let Some(step) = inspector.at(&source.name, line) else {
        bail!("{file} has no line {line}");
    };
    let mut out = std::io::stdout().lock();
    write!(out, "{}", step.text)?;
    write!(out, "{}", inspector.evidence(&source.name, line))?;
    write!(out, "{}", inspector.verdicts(&source.name, line))?;
    Ok(0)
}

/// An audit that can be asked for single records.
pub struct Inspector<'a> {
    inputs: &'a Inputs,
    profiles: Vec<Profile>,
    /// The evidence of all that is read.
    pub table: Table,
    /// What the audit says of it.
    pub outcome: Outcome,
}

/// What the engine makes of one record.
pub struct Step {
    /// Record, fields, needles and patterns, in words.
    pub text: String,
    /// The evidence that it yields when it is found.
    pub rows: Vec<Evidence>,
    /// The same with what it yields besides where a failure asks for it.
    pub asked: Vec<Evidence>,
}

impl<'a> Inspector<'a> {
    /// Reads and audits all of it.
    ///
    /// # Errors
    /// As an audit.
    pub fn new(global: &Global, inputs: &'a Inputs) -> Result<Inspector<'a>> {
        let table = inputs.scan(global)?;
        let now = crate::run::inputs::now(global, &inputs.settings)?.or_else(|| newest(&table));
        Ok(Inspector {
            inputs,
            profiles: scan::profiles_of(&inputs.found.sources, &inputs.settings, &inputs.patterns)?,
            outcome: audit(&table, &inputs.settings, now, &Filter::default()),
            table,
        })
    }

    /// The record that holds a line of a file; none if there is no such line.
    pub fn at(&self, file: &str, line: i64) -> Option<Step> {
        let sources = &self.inputs.found.sources;
        let only = sources.iter().position(|s| *s.name == *file)?;
        let worker = Worker {
            patterns: self.inputs.patterns.clone(),
            settings: &self.inputs.settings,
            profiles: &self.profiles,
            mode: Mode::Prefilter,
        };
        let step: Mutex<Option<Step>> = Mutex::new(None);
        let counted: Mutex<i64> = Mutex::new(0);
        let plan = Plan {
            threads: 1,
            ..Plan::default()
        };
        run(
            sources,
            &plan,
            |index, _| index == only,
            || (),
            |(), block: &Block<'_>| {
                // One thread takes the blocks in order, so the lines before this block are known.
                let mut before = counted.lock().unwrap_or_else(PoisonError::into_inner);
                let own = &block.buf[block.own.clone()];
                let lines = scan::worker::lines(own);
                if let Some(nth) = usize::try_from(line - 1 - *before).ok()
                    && line - 1 - *before < lines
                {
                    let start = match nth {
                        0 => Some(0),
                        n => memchr::memchr_iter(b'\n', own).nth(n - 1).map(|p| p + 1),
                    };
                    *step.lock().unwrap_or_else(PoisonError::into_inner) =
                        start.map(|at| take(&worker, block, block.own.start + at, *before));
                }
                *before += lines;
                BlockScan::default()
            },
            &Progress::new(ProgressMode::Never, 0),
            |_, _| {},
        );
        step.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

fn find<'a>(inputs: &'a Inputs, file: &str) -> Result<&'a Source> {
    let wanted = file.replace('\\', "/");
    let wanted = wanted.trim_start_matches("./");
    let sources = &inputs.found.sources;
    let exact = sources.iter().find(|s| *s.name == *wanted);
    let under = || {
        // As typed from the working directory: with the given path before the name.
        sources.iter().find(|s| {
            wanted.ends_with(&*s.name)
                && (wanted.len() == s.name.len()
                    || wanted.as_bytes().get(wanted.len() - s.name.len() - 1) == Some(&b'/'))
        })
    };
    exact.or_else(under).with_context(|| {
        match crate::caret::did_you_mean(wanted, sources.iter().map(|s| &*s.name)) {
            Some(near) => format!("{file} is not among the files read; did you mean {near}?"),
            None => format!("{file} is not among the files read; `misnomer lanes` lists them"),
        }
    })
}

/// Takes every step for the record at a byte of a block before which there are so many lines.
fn take(worker: &Worker<'_>, block: &Block<'_>, at: usize, before: i64) -> Step {
    let profile = &worker.profiles[block.source_index];
    let bounds = worker.record(block, at);
    let rows = |extra: bool| {
        let seen = worker.look(block, profile, bounds.clone(), extra);
        let mut rows = worker.evidence(block, &seen);
        for row in &mut rows {
            row.line += before;
            row.end_line += before;
            row.record_line += before;
            row.record_end += before;
        }
        rows
    };
    Step {
        text: steps(worker, block, bounds.clone()),
        rows: rows(false),
        asked: rows(true),
    }
}

fn steps(worker: &Worker<'_>, block: &Block<'_>, bounds: Range<usize>) -> String {
    let profile = &worker.profiles[block.source_index];
    let seen = worker.look(block, profile, bounds.clone(), true);
    let mut out = String::new();
    let mut say = |head: &str, text: &str| {
        for (n, line) in text.lines().enumerate() {
            out.push_str(&format!(
                "{:<10} {}\n",
                if n == 0 { head } else { "" },
                visible(line)
            ));
        }
    };
    let record = &seen.record;
    say("record", &crate::redact::redact(&record.text));
    say(
        "time",
        &seen
            .time
            .map_or("none, and none before it".to_string(), |t| {
                format!(
                    "{}{}",
                    time::rfc3339(t),
                    if record.time.is_none() {
                        " (of the line before)"
                    } else {
                        ""
                    }
                )
            }),
    );
    say(
        "level",
        if record.level.slug().is_empty() {
            "none"
        } else {
            record.level.slug()
        },
    );
    if let Some(logger) = &record.logger {
        say("logger", logger);
    }
    say("message", &crate::redact::redact(&record.message));
    if let Some(exception) = &record.exception {
        say("exception", exception);
    }
    for field in record.fields.iter().take(60) {
        say(
            "field",
            &format!("{} = {}", field.path, crate::redact::redact(&field.value)),
        );
    }
    let mut hit: Vec<String> = Vec::new();
    worker
        .patterns
        .needles
        .each(record.raw, 0, record.raw.len(), |_, start, end| {
            let text = String::from_utf8_lossy(&record.raw[start..end]).into_owned();
            if !hit.contains(&text) {
                hit.push(text);
            }
        });
    say(
        "needles",
        &if hit.is_empty() {
            "none: the prefilter passes over this record".to_string()
        } else {
            hit.join(" | ")
        },
    );
    let around = worker.around(block, &bounds);
    for (index, trial) in worker.patterns.trials(record, &around) {
        let pattern = worker.patterns.get(index);
        match trial {
            Trial::Pass(hit) => {
                let values: Vec<String> =
                    hit.values.iter().map(|(k, v)| format!("{k}={v}")).collect();
                say(
                    "pattern",
                    &format!(
                        "{} passes: {}{} {}",
                        pattern.id,
                        pattern.kind.slug(),
                        pattern.cause.map_or(String::new(), |c| format!(" of {c}")),
                        values.join(" ")
                    ),
                );
            }
            Trial::Fail(what) => say("pattern", &format!("{} fails: {what}", pattern.id)),
        }
    }
    match &seen.name {
        Some(name) => {
            let claims: Vec<&str> = name.claims.iter().map(|c| c.slug()).collect();
            say(
                "name",
                &format!(
                    "\"{}\" ({}), claims {}",
                    name.name,
                    name.rule,
                    if claims.is_empty() {
                        "nothing".to_string()
                    } else {
                        claims.join(", ")
                    }
                ),
            );
        }
        None => say("name", "none: this record names no failure"),
    }
    out
}

impl Inspector<'_> {
    /// The rows that the audit has of a line, in words.
    fn evidence(&self, file: &str, line: i64) -> String {
        let mut out = String::new();
        let covers = |row: &&Evidence| {
            *row.file == *file && row.record_line <= line && line <= row.record_end
        };
        for row in self.table.rows.iter().filter(covers) {
            let (kind, by, at) = (row.kind.slug(), &row.pattern, row.line);
            let what = match row.cause {
                Some(cause) => format!("{kind} {cause} by {by} at line {at}"),
                None if row.name.is_empty() => format!("{kind} by {by} at line {at}"),
                None => format!("{kind} by {by} at line {at}: \"{}\"", row.name),
            };
            out.push_str(&format!("{:<10} {}\n", "evidence", visible(&what)));
        }
        out
    }

    /// The failures that a line names or proves, in words.
    pub fn verdicts(&self, file: &str, line: i64) -> String {
        let mut out = String::new();
        let outcome = &self.outcome;
        let mut found = false;
        for failure in &outcome.failures {
            let named = failure
                .places
                .iter()
                .any(|p| p.file == file && p.line <= line && line <= p.end_line.max(p.line));
            let cited = failure
                .evidence
                .iter()
                .any(|p| p.file == file && p.line <= line && line <= p.end_line.max(p.line));
            if named || cited {
                found = true;
                let standing = format!("{:?}", failure.standing).to_lowercase();
                let sure = format!("{:?}", failure.confidence).to_lowercase();
                out.push_str(&format!(
                    "{:<10} {}\n",
                    "verdict",
                    visible(&format!(
                        "\"{}\" in {}: {standing}, {} ({sure}); waiting: {}; {}",
                        failure.recorded_name,
                        failure.lane,
                        failure.cause,
                        failure.waiting.slug(),
                        if named { "named here" } else { "proved here" }
                    ))
                ));
                out.push_str(&format!(
                    "{:<10} {}\n",
                    "do",
                    visible(&failure.advice.change)
                ));
            }
        }
        if !found {
            out.push_str(&format!(
                "{:<10} no failure is named or proved here\n",
                "verdict"
            ));
        }
        out
    }
}
