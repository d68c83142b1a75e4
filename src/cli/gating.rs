//! The flags of the commands round the gate.

use super::AuditArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What an outcome is held against.
#[derive(Clone, Debug, Default, Args)]
pub struct HeldArgs {
    /// The baseline; else misnomer.baseline.jsonl in the working directory or beside misnomer.toml
    #[arg(
        long,
        value_name = "FILE",
        global = true,
        help_heading = "Known and tolerated"
    )]
    pub baseline: Option<PathBuf>,
    /// Waivers and overrides; else misnomer.waivers.toml, found likewise
    #[arg(
        long,
        value_name = "FILE",
        global = true,
        help_heading = "Known and tolerated"
    )]
    pub waivers: Option<PathBuf>,
    /// A directory with the JSON reports of earlier runs
    #[arg(
        long,
        value_name = "DIR",
        global = true,
        help_heading = "Known and tolerated"
    )]
    pub history: Option<PathBuf>,
}

/// The flags of `gate`.
#[derive(Debug, Args)]
pub struct GateArgs {
    /// What is audited and how it is shown.
    #[command(flatten)]
    pub audit: AuditArgs,
    /// Fail also on stale entries of the baseline and on waivers that are unused or void
    #[arg(long)]
    pub strict: bool,
    /// Do not fail because part of the input could not be read
    #[arg(long)]
    pub allow_incomplete: bool,
    /// Say what fails, and exit 0 all the same
    #[arg(long)]
    pub exit_zero: bool,
}

/// Where findings are taken from.
#[derive(Clone, Debug, Default, Args)]
pub struct FindingsArgs {
    /// The paths to audit; else the `paths` of misnomer.toml, else ./logs
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,
    /// A stored run (JSON) instead of an audit
    #[arg(long, value_name = "RUN.json", conflicts_with = "paths")]
    pub from: Option<PathBuf>,
}

/// What to do with the baseline.
#[derive(Debug, Subcommand)]
pub enum BaselineAction {
    /// Write a baseline of all that is found now
    Create {
        /// Where the findings come from.
        #[command(flatten)]
        findings: FindingsArgs,
        /// Replace a baseline that exists
        #[arg(long)]
        force: bool,
    },
    /// Add one finding
    Add {
        /// Its fingerprint, or the first 8 digits or more
        #[arg(value_name = "FP")]
        fingerprint: String,
        /// Where the findings come from.
        #[command(flatten)]
        findings: FindingsArgs,
        /// More than so many of it are a surge
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
        ceil: Option<i64>,
    },
    /// Take out entries that were not seen for 30 days and 10 complete runs (with --history)
    Prune {
        /// Where the findings come from.
        #[command(flatten)]
        findings: FindingsArgs,
        /// Take out all that this run did not find
        #[arg(long)]
        dormant: bool,
    },
    /// List the entries
    List,
    /// Count the entries by rule, lane and cause
    Stats,
    /// Write the file anew: sorted, one entry a line
    Fmt,
    /// Merge two descendants of one baseline into the second file (for a merge driver: %O %A %B)
    Merge {
        /// What both come from
        base: PathBuf,
        /// Ours; the result is written here
        ours: PathBuf,
        /// Theirs
        theirs: PathBuf,
    },
}

/// The flags of `waive` and `override`.
#[derive(Debug, Args)]
pub struct WaiveArgs {
    /// The fingerprint of the finding, or the first 8 digits or more
    #[arg(value_name = "FP")]
    pub fingerprint: Option<String>,
    /// Where the findings come from.
    #[command(flatten)]
    pub findings: FindingsArgs,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Who answers for it; else $MISNOMER_OWNER, else $USER
    #[arg(long, value_name = "NAME")]
    pub owner: Option<String>,
    /// The last day on which it holds, at most 180 days ahead; else 90 days
    #[arg(long, value_name = "DATE")]
    pub expires: Option<String>,
    /// Instead of one finding: all of this rule
    #[arg(long, value_name = "RULE", conflicts_with = "fingerprint")]
    pub match_rule: Option<String>,
    /// Instead of one finding: all of these lanes (a glob)
    #[arg(long, value_name = "GLOB", conflicts_with = "fingerprint")]
    pub match_lane: Option<String>,
    /// Instead of one finding: all under this recorded name
    #[arg(long, value_name = "NAME", conflicts_with = "fingerprint")]
    pub match_recorded: Option<String>,
    /// Instead of one finding: all of this cause
    #[arg(long, value_name = "CAUSE", conflicts_with = "fingerprint")]
    pub match_cause: Option<String>,
    /// How many findings a match is meant for; more make it void
    #[arg(long, value_name = "N", conflicts_with = "fingerprint")]
    pub max_matches: Option<u32>,
}

/// The flags of `override`.
#[derive(Debug, Args)]
pub struct OverrideArgs {
    /// What is overridden, why, and until when.
    #[command(flatten)]
    pub waive: WaiveArgs,
    /// The true cause
    #[arg(long, value_name = "NAME", required_unless_present = "labels")]
    pub cause: Option<String>,
    /// Write nothing; print the overrides as labels, one JSON object a line
    #[arg(long)]
    pub labels: bool,
}
