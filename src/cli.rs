//! The command line, as typed. What it means is decided in `run` and `settings`.

use crate::audit::finding::{Confidence, Severity};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Finds failures that logs recorded under the wrong name, and says what they were.
#[derive(Debug, Parser)]
#[command(
    name = "misnomer",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// What holds for every command.
    #[command(flatten)]
    pub global: Global,
}

/// What holds for every command.
#[derive(Clone, Debug, Args)]
pub struct Global {
    /// The configuration; else misnomer.toml in the working directory or in the first PATH
    #[arg(long, global = true, value_name = "FILE", help_heading = "Everywhere")]
    pub config: Option<PathBuf>,
    /// The instant that counts as now: an RFC 3339 time, or `system` for the clock; else the newest instant in the logs
    #[arg(long, global = true, value_name = "T", help_heading = "Everywhere")]
    pub now: Option<String>,
    /// Threads; 0 for as many as there are cores
    #[arg(
        long,
        global = true,
        default_value_t = 0,
        value_name = "N",
        help_heading = "Everywhere"
    )]
    pub threads: usize,
    /// Colour
    #[arg(
        long,
        global = true,
        default_value = "auto",
        value_name = "WHEN",
        help_heading = "Everywhere"
    )]
    pub color: When,
    /// Progress on standard error
    #[arg(
        long,
        global = true,
        default_value = "auto",
        value_name = "WHEN",
        help_heading = "Everywhere"
    )]
    pub progress: Shown,
    /// Say more of what was read
    #[arg(short, long, global = true, help_heading = "Everywhere")]
    pub verbose: bool,
    /// Print only if something is new or the run is incomplete
    #[arg(short, long, global = true, help_heading = "Everywhere")]
    pub quiet: bool,
    /// Directories of your own patterns, besides those of misnomer.toml
    #[arg(long, global = true, value_name = "DIR", help_heading = "Everywhere")]
    pub patterns: Vec<PathBuf>,
    /// Bytes of a block; the result does not depend on it
    #[arg(long, global = true, hide = true, default_value_t = 4 << 20)]
    pub block_size: usize,
    /// Look at every record instead of those that the prefilter finds; the result does not depend on it
    #[arg(long, global = true, hide = true)]
    pub no_prefilter: bool,
}

/// When colour is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal, unless NO_COLOR is set; always if CLICOLOR_FORCE is.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// When progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shown {
    /// A bar on a terminal, else a line every 10 seconds.
    Auto,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Analyse logs and report
    Audit(AuditArgs),
    /// Keep the evidence of logs in a table (Parquet), for `audit --evidence`
    Scan {
        /// Files, directories, or `-` for standard input; else the `paths` of misnomer.toml, else ./logs
        paths: Vec<String>,
        /// Where the table is written
        #[arg(long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Explain a cause, a rule, a pattern or a report format
    Explain {
        /// Its name, such as `rate_limited`, `MN101` or `http.429`
        what: String,
    },
    /// Show every step for one record: fields, needles, patterns tried, evidence, verdict
    Inspect {
        /// The record, as reports print it
        #[arg(value_name = "FILE:LINE")]
        place: String,
        /// The paths to read; else the `paths` of misnomer.toml, else ./logs, else the directory of the file
        paths: Vec<String>,
    },
    /// Say what one failure is, from flags or from records on standard input, before it is recorded
    Classify(ClassifyArgs),
    /// List, show or check patterns
    Patterns {
        /// What to do.
        #[command(subcommand)]
        action: Patterns,
    },
    /// Show the lanes that the paths hold
    Lanes {
        /// Files, directories, or `-`; else the `paths` of misnomer.toml, else ./logs
        paths: Vec<String>,
        /// Read all of it: count records and those whose time was found
        #[arg(long)]
        full: bool,
    },
}

/// What to do with patterns.
#[derive(Debug, Subcommand)]
pub enum Patterns {
    /// List all patterns, one a line
    List {
        /// Only the literals by which logs are searched, one a line
        #[arg(long)]
        needles: bool,
    },
    /// Show one pattern
    Show {
        /// Its id
        id: String,
    },
    /// Check all packs: examples, counterexamples, needles
    Check,
    /// Failures that no pattern explains, clustered, each with an entry for a pack of your own
    Suggest {
        /// Files, directories, or `-`; else the `paths` of misnomer.toml, else ./logs
        paths: Vec<String>,
        /// At most so many clusters, the largest first
        #[arg(long, default_value_t = 20, value_name = "N")]
        most: usize,
    },
}

/// The flags of `classify`.
#[derive(Debug, Args)]
pub struct ClassifyArgs {
    /// The name under which the failure is about to be recorded
    #[arg(long, value_name = "NAME")]
    pub recorded: Option<String>,
    /// The HTTP status of the failing call
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(100..=999))]
    pub status: Option<u16>,
    /// The class of the exception
    #[arg(long, value_name = "CLASS")]
    pub exception: Option<String>,
    /// The provider's or the library's code, such as insufficient_quota or ECONNRESET
    #[arg(long, value_name = "CODE")]
    pub code: Option<String>,
    /// The message, or the body of the answer
    #[arg(long, value_name = "TEXT")]
    pub message: Option<String>,
    /// How the answer is written; `name` is the cause alone, one word a record
    #[arg(long, default_value = "text", value_name = "NAME")]
    pub format: ClassifyFormat,
}

/// How `classify` answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClassifyFormat {
    /// For a person.
    Text,
    /// One JSON object a record.
    Json,
    /// The cause, one word a record.
    Name,
}

/// The flags of `audit`.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// Files, directories, or `-` for standard input; else the `paths` of misnomer.toml, else ./logs
    pub paths: Vec<String>,
    /// Report only these lanes (a name or a glob)
    #[arg(long, value_name = "GLOB")]
    pub lane: Vec<String>,
    /// Report only failures recorded since then (RFC 3339, or a date)
    #[arg(long, value_name = "T", conflicts_with = "last")]
    pub since: Option<String>,
    /// Report only failures recorded until then
    #[arg(long, value_name = "T")]
    pub until: Option<String>,
    /// Report only failures of the last while, counted back from now: 24h, 7d
    #[arg(long, value_name = "SPAN")]
    pub last: Option<String>,
    /// Audit stored evidence instead of (or besides) logs
    #[arg(long, value_name = "FILE|DIR")]
    pub evidence: Vec<PathBuf>,
    /// The format on standard output
    #[arg(long, default_value = "table", value_name = "NAME")]
    pub format: String,
    /// Further reports of the same run: json=run.json, csv=DIR
    #[arg(long, value_name = "NAME=PATH")]
    pub output: Vec<String>,
    /// How sure a row of the table must be
    #[arg(long, default_value = "likely", value_name = "LEVEL", value_parser = word::<Confidence>)]
    pub min_confidence: Confidence,
    /// How severe a row of the table must be
    #[arg(long, default_value = "note", value_name = "LEVEL", value_parser = word::<Severity>)]
    pub min_severity: Severity,
    /// Only these rules (name or code)
    #[arg(long, value_name = "ID")]
    pub rule: Vec<String>,
    /// Not these rules
    #[arg(long, value_name = "ID")]
    pub skip_rule: Vec<String>,
    /// No cut in the table
    #[arg(long)]
    pub all: bool,
    /// Exit 1 if there are findings that are new (without a baseline: any)
    #[arg(long, default_value = "never", value_name = "WHAT")]
    pub fail_on: FailOn,
}

/// One of the permanent words of a type that reports know, such as `likely`.
fn word<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(serde_json::Value::String(text.to_string()))
        .map_err(|error| error.to_string())
}

/// What makes an audit fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// New findings.
    New,
    /// Any finding.
    Any,
    /// Nothing.
    Never,
}
