//! What a command works on: configuration, paths, packs, evidence.

use crate::cli::{Global, Shown, When};
use crate::evidence::Table;
use crate::scan::pattern::load::Packs;
use crate::scan::pattern::matcher::Patterns;
use crate::scan::source::blocks::Plan;
use crate::scan::source::progress::{Mode as ProgressMode, Progress};
use crate::scan::source::{Found, discover};
use crate::scan::worker::Mode;
use crate::scan::{self, Options};
use crate::settings::{Now, Settings};
use crate::time;
use anyhow::{Context, Result, bail};
use jiff::tz::TimeZone;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a command works on.
pub struct Inputs {
    /// The configuration.
    pub settings: Settings,
    /// The paths to read; none if only stored evidence is read.
    pub paths: Vec<String>,
    /// What was found there.
    pub found: Found,
    /// The packs.
    pub patterns: Arc<Patterns>,
}

impl Inputs {
    /// From the paths given, else those of misnomer.toml, else `logs`. `optional`: there may be none.
    pub fn new(global: &Global, paths: &[String], optional: bool) -> Result<Inputs> {
        let settings = settings(global, paths)?;
        let paths = if !paths.is_empty() {
            paths.to_vec()
        } else if optional {
            Vec::new()
        } else if !settings.paths.is_empty() {
            settings
                .paths
                .iter()
                .map(|p| p.display().to_string())
                .collect()
        } else if Path::new("logs").is_dir() {
            vec!["logs".to_string()]
        } else {
            bail!(
                "no PATH was given, misnomer.toml names no `paths`, and there is no ./logs; try `misnomer audit DIR`"
            );
        };
        Inputs::at(global, settings, paths)
    }

    /// For `inspect`: the paths given, else the configured ones, else the directory of the file.
    pub fn for_place(global: &Global, paths: &[String], place: &str) -> Result<Inputs> {
        let file = place.rsplit_once(':').map_or(place, |(file, _)| file);
        let configured = !settings(global, paths)?.paths.is_empty() || Path::new("logs").is_dir();
        if !paths.is_empty() || (configured && !Path::new(file).is_file()) {
            return Inputs::new(global, paths, false);
        }
        let root = if Path::new(file).is_file() {
            root_of(file)
        } else {
            bail!("{file}: no such file; name the paths to read behind FILE:LINE")
        };
        Inputs::at(
            global,
            settings(global, std::slice::from_ref(&root))?,
            vec![root],
        )
    }

    fn at(global: &Global, settings: Settings, paths: Vec<String>) -> Result<Inputs> {
        let patterns = patterns(global, &settings)?;
        let found = if paths.is_empty() {
            Found::default()
        } else {
            discover(&paths, &settings)?
        };
        Ok(Inputs {
            settings,
            paths,
            found,
            patterns,
        })
    }

    /// The evidence of the logs.
    pub fn scan(&self, global: &Global) -> Result<Table> {
        self.scan_as(
            global,
            if global.no_prefilter {
                Mode::Exhaustive
            } else {
                Mode::Prefilter
            },
        )
    }

    /// The same, with records chosen as asked.
    pub fn scan_as(&self, global: &Global, mode: Mode) -> Result<Table> {
        let total = self.found.sources.iter().map(|s| s.size).sum();
        let shown = if global.progress == Shown::Never || global.quiet {
            ProgressMode::Never
        } else {
            ProgressMode::Auto
        };
        let plan = Plan {
            threads: global.threads,
            block_size: global.block_size,
            ..Plan::default()
        };
        scan::scan(
            &self.found,
            &self.settings,
            &self.patterns,
            &Options {
                plan,
                mode,
                progress: Progress::new(shown, total),
            },
        )
    }
}

/// The first directory of a relative path, so that the lane comes out as in an audit of it; else the file's directory.
fn root_of(file: &str) -> String {
    let path = Path::new(file);
    let first = path
        .components()
        .next()
        .map(|c| PathBuf::from(c.as_os_str()));
    match (path.is_absolute(), first, path.parent()) {
        (false, Some(first), _) if path.components().count() > 1 => first.display().to_string(),
        (_, _, Some(parent)) if !parent.as_os_str().is_empty() => parent.display().to_string(),
        _ => ".".to_string(),
    }
}

/// The configuration.
pub fn settings(global: &Global, paths: &[String]) -> Result<Settings> {
    let here = std::env::current_dir().context("the working directory is gone")?;
    let first = paths.first().map(Path::new).filter(|p| p.is_dir());
    Settings::load(global.config.as_deref(), &here, first)
}

/// The packs, embedded and own, with the taught names.
pub fn patterns(global: &Global, settings: &Settings) -> Result<Arc<Patterns>> {
    let dirs: Vec<PathBuf> = settings
        .patterns
        .iter()
        .chain(&global.patterns)
        .cloned()
        .collect();
    Patterns::new(Packs::load(&dirs)?, &settings.names)
}

/// The instant that counts as now, if it is given; else the newest of the input counts.
pub fn now(global: &Global, settings: &Settings) -> Result<Option<i64>> {
    let now = match &global.now {
        Some(text) => {
            crate::settings::now(text).map_err(|why| anyhow::anyhow!("--now {text}: {why}"))?
        }
        None => settings.now,
    };
    Ok(match now {
        Now::Newest => None,
        Now::At(ns) => Some(ns),
        Now::System => i64::try_from(jiff::Timestamp::now().as_nanosecond()).ok(),
    })
}

/// An instant of the command line.
pub fn instant(text: &str, zone: &TimeZone) -> Result<i64> {
    time::parse_value(text, zone).with_context(|| {
        format!("`{text}` is no time: write 2026-08-09, 2026-08-09T06:00 or 2026-08-09T06:00:00Z")
    })
}

/// The width of the terminal; 100 where there is none.
pub fn width() -> usize {
    let asked = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    asked
        .or_else(|| comfy_table::Table::new().width().map(usize::from))
        .unwrap_or(100)
        .clamp(40, 400)
}

/// Whether colour is used on standard output.
pub fn color(global: &Global) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty() && v != "0");
    match global.color {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            set("CLICOLOR_FORCE")
                || (std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
                    && std::io::stdout().is_terminal())
        }
    }
}
