//! `misnomer.toml` as it is meant. What is not written there has its default here; the flags of the command line
//! overwrite fields of [`Settings`] afterwards.

mod value;
mod written;

#[cfg(test)]
mod tests;

pub use value::{Now, cause, duration, now, timezone};

use crate::caret;
use crate::cause::Cause;
use anyhow::{Context, anyhow};
use jiff::tz::TimeZone;
use regex::Regex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The name under which the file of settings is looked for.
pub const FILE_NAME: &str = "misnomer.toml";

/// The knobs of rules: rule, knob, value as written.
pub type RuleKnobs = BTreeMap<String, BTreeMap<String, toml::Value>>;

/// The whole of the settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The file they come from; none if there is none.
    pub file: Option<PathBuf>,
    /// What to read where the command line names no path; relative ones are joined with the directory of the file.
    pub paths: Vec<PathBuf>,
    /// Directories of further patterns, joined likewise.
    pub patterns: Vec<PathBuf>,
    /// The field of a record that names its lane.
    pub lane_field: Option<String>,
    /// Of stamps without a zone, and of what is shown.
    pub timezone: TimeZone,
    /// What counts as now.
    pub now: Now,
    /// The lanes that are described, in the order of the file.
    pub lanes: Vec<LaneSettings>,
    /// Names that the file teaches.
    pub names: Vec<TaughtName>,
    /// Knobs of rules for all lanes.
    pub rules: RuleKnobs,
    source: Option<Origin>,
}

/// One `[lanes.X]`.
#[derive(Clone, Debug, Default)]
pub struct LaneSettings {
    /// X.
    pub name: String,
    /// Globs over the names of files; empty: the lane's files are found by their names alone.
    pub paths: Vec<String>,
    /// Of this lane's stamps without a zone.
    pub timezone: Option<TimeZone>,
    /// Seconds from one run to the next.
    pub every: Option<i64>,
    /// The cron line of its runs: five fields or a word such as `@daily`.
    pub cron: Option<String>,
    /// Seconds by which a run may be late.
    pub grace: Option<i64>,
    /// What a line of success matches.
    pub success: Vec<Regex>,
    /// Whether the lane claims that every retry is written to its log.
    pub declares_retries: bool,
    /// Lanes of one bucket share a quota.
    pub bucket: Option<String>,
    /// The longest wait that the lane allows itself, in seconds.
    pub wait_ceiling: Option<i64>,
    /// When the lane gives up.
    pub give_up: Option<GiveUp>,
    /// Pairs: after the first, the second must follow.
    pub after: Vec<(String, String)>,
    /// Knobs of rules for this lane.
    pub rules: RuleKnobs,
}

/// When a lane gives up an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GiveUp {
    /// After so many attempts.
    pub attempts: Option<u32>,
    /// After so many seconds.
    pub age: Option<i64>,
}

/// One `[[name]]`: a word of the lanes' own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaughtName {
    /// The text as it stands in the logs.
    pub text: String,
    /// What a reader takes it to mean; empty: it says nothing.
    pub claims: Vec<Cause>,
}

/// The text of the file and where its rules and knobs stand, for errors that are found later.
#[derive(Clone, Debug)]
struct Origin {
    name: String,
    text: String,
    rules: Vec<RulePlace>,
}

#[derive(Clone, Debug)]
struct RulePlace {
    rule: String,
    span: Range<usize>,
    knobs: Vec<(String, Range<usize>)>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            file: None,
            paths: Vec::new(),
            patterns: Vec::new(),
            lane_field: None,
            timezone: TimeZone::UTC,
            now: Now::Newest,
            lanes: Vec::new(),
            names: Vec::new(),
            rules: RuleKnobs::new(),
            source: None,
        }
    }
}

impl Settings {
    /// Finds and reads the file: `explicit` if given, else [`FILE_NAME`] in `cwd`, else in `first_path` (the first
    /// path of the command line that is a directory). Without any, the defaults.
    ///
    /// # Errors
    /// An explicit file that does not exist, a file that cannot be read, and a file with a fault; the message of the
    /// last shows the place and what to do.
    pub fn load(
        explicit: Option<&Path>,
        cwd: &Path,
        first_path: Option<&Path>,
    ) -> anyhow::Result<Settings> {
        if let Some(path) = explicit {
            return Settings::read(path);
        }
        let beside = |dir: &Path| Some(dir.join(FILE_NAME)).filter(|p| p.is_file());
        if let Some(path) = beside(cwd) {
            // A bare name keeps what is derived from it (`logs`) as short as it was written.
            let shown = if std::env::current_dir().is_ok_and(|d| d == cwd) {
                PathBuf::from(FILE_NAME)
            } else {
                path
            };
            return Settings::read(&shown);
        }
        match first_path.filter(|p| p.is_dir()).and_then(beside) {
            Some(path) => Settings::read(&path),
            None => Ok(Settings::default()),
        }
    }

    /// Reads one file.
    ///
    /// # Errors
    /// As [`Settings::load`].
    pub fn read(path: &Path) -> anyhow::Result<Settings> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(|| {
            format!("cannot read the settings {shown}: name an existing TOML file in UTF-8 with --config")
        })?;
        let mut settings = Settings::parse(&shown, &text)?;
        let dir = path.parent().unwrap_or(Path::new(""));
        for p in settings.paths.iter_mut().chain(&mut settings.patterns) {
            *p = dir.join(&*p);
        }
        settings.file = Some(path.to_owned());
        Ok(settings)
    }

    /// Reads settings from a text; `file` is only shown in errors, and paths stay as written.
    ///
    /// # Errors
    /// A fault in the text, with its place and what to do.
    pub fn parse(file: &str, text: &str) -> anyhow::Result<Settings> {
        let written: written::Written = toml::from_str(text)
            .map_err(|e| anyhow!("{}", caret::render_toml(file, text, &e).trim_end()))?;
        Reading { file, text }.meant(written)
    }

    /// The settings of a lane, if the file describes it.
    pub fn lane(&self, name: &str) -> Option<&LaneSettings> {
        self.lanes.iter().find(|l| l.name == name)
    }

    /// The time zone of a lane's stamps without a zone.
    pub fn timezone_of(&self, lane: &str) -> &TimeZone {
        self.lane(lane)
            .and_then(|l| l.timezone.as_ref())
            .unwrap_or(&self.timezone)
    }

    /// A knob of a rule: the lane's own, else the one for all lanes.
    pub fn knob(&self, lane: &str, rule: &str, knob: &str) -> Option<&toml::Value> {
        let own = self.lane(lane).and_then(|l| l.rules.get(rule)?.get(knob));
        own.or_else(|| self.rules.get(rule)?.get(knob))
    }

    /// Checks the rules and knobs that the file names against the ones that exist.
    ///
    /// # Errors
    /// An unknown rule or knob, with its place and the nearest known one.
    pub fn check_rules(&self, known: &[(&str, &[&str])]) -> anyhow::Result<()> {
        let Some(origin) = &self.source else {
            return Ok(());
        };
        let reading = Reading {
            file: &origin.name,
            text: &origin.text,
        };
        let rules: Vec<&str> = known.iter().map(|(r, _)| *r).collect();
        for place in &origin.rules {
            let Some((_, knobs)) = known.iter().find(|(r, _)| *r == place.rule) else {
                return Err(reading.unknown("rule", &place.rule, &place.span, &rules));
            };
            for (knob, span) in &place.knobs {
                if !knobs.contains(&knob.as_str()) {
                    return Err(reading.unknown("knob", knob, span, knobs));
                }
            }
        }
        Ok(())
    }
}

/// A text on its way from what is written to what is meant.
struct Reading<'a> {
    file: &'a str,
    text: &'a str,
}

impl Reading<'_> {
    fn fault(&self, span: Range<usize>, message: &str, help: Option<&str>) -> anyhow::Error {
        let shown = caret::render(self.file, self.text, span, message, help);
        anyhow!("{}", shown.trim_end())
    }

    fn unknown(
        &self,
        what: &str,
        found: &str,
        span: &Range<usize>,
        known: &[&str],
    ) -> anyhow::Error {
        let help = caret::suggest(found, known, what);
        self.fault(
            span.clone(),
            &format!("unknown {what} `{found}`"),
            help.as_deref(),
        )
    }

    fn meant(&self, written: written::Written) -> anyhow::Result<Settings> {
        let mut places = Vec::new();
        let rules = rules(written.rules, &mut places);
        let mut lanes: Vec<(usize, LaneSettings)> = Vec::new();
        for (name, lane) in written.lanes {
            let at = name.span().start;
            lanes.push((at, self.lane(name.into_inner(), lane, &mut places)?));
        }
        lanes.sort_by_key(|(at, _)| *at);
        let mut names = Vec::new();
        for name in written.name {
            if name.text.get_ref().trim().is_empty() {
                return Err(self.fault(
                    name.text.span(),
                    "an empty name",
                    Some("write the word as it stands in the log"),
                ));
            }
            names.push(TaughtName {
                text: name.text.into_inner(),
                claims: name.claims.map(|c| c.0).unwrap_or_default(),
            });
        }
        Ok(Settings {
            file: None,
            paths: written.paths.into_iter().map(PathBuf::from).collect(),
            patterns: written.patterns.into_iter().map(PathBuf::from).collect(),
            lane_field: written.lane_field,
            timezone: written.timezone.map_or(TimeZone::UTC, |z| z.0),
            now: written.now.map_or(Now::Newest, |n| n.0),
            lanes: lanes.into_iter().map(|(_, l)| l).collect(),
            names,
            rules,
            source: Some(Origin {
                name: self.file.to_owned(),
                text: self.text.to_owned(),
                rules: places,
            }),
        })
    }

    fn lane(
        &self,
        name: String,
        lane: written::Lane,
        places: &mut Vec<RulePlace>,
    ) -> anyhow::Result<LaneSettings> {
        let mut paths = Vec::new();
        for glob in lane.paths {
            if let Err(e) = globset::Glob::new(glob.get_ref()) {
                return Err(self.fault(
                    glob.span(),
                    &format!("not a glob: {}", e.kind()),
                    Some("write it as `dir/**` or `*.log`"),
                ));
            }
            paths.push(glob.into_inner());
        }
        let mut success = Vec::new();
        for pattern in lane.success {
            match Regex::new(pattern.get_ref()) {
                Ok(regex) => success.push(regex),
                Err(e) => {
                    let why = e.to_string();
                    let why = why.lines().last().unwrap_or("").trim();
                    let why = why.strip_prefix("error: ").unwrap_or(why);
                    return Err(self.fault(
                        pattern.span(),
                        &format!("not a regular expression: {why}"),
                        Some(
                            "the syntax is that of the regex crate: no look-around, no back-references",
                        ),
                    ));
                }
            }
        }
        let mut after = Vec::new();
        for pair in lane.after {
            let span = pair.span();
            match <[String; 2]>::try_from(pair.into_inner()) {
                Ok([first, second]) => after.push((first, second)),
                Err(other) => {
                    return Err(self.fault(
                        span,
                        &format!("a pair has two texts, this has {}", other.len()),
                        Some("write [\"what happens\", \"what must follow\"]"),
                    ));
                }
            }
        }
        if let (Some(_), Some(cron)) = (&lane.every, &lane.cron) {
            return Err(self.fault(
                cron.span(),
                "both `every` and `cron`",
                Some("keep the one that starts the lane"),
            ));
        }
        Ok(LaneSettings {
            name,
            paths,
            timezone: lane.timezone.map(|z| z.0),
            every: lane.every.map(|s| s.0),
            cron: lane.cron.map(|c| c.into_inner().0),
            grace: lane.grace.map(|s| s.0),
            success,
            declares_retries: lane.declares_retries,
            bucket: lane.bucket,
            wait_ceiling: lane.wait_ceiling.map(|s| s.0),
            give_up: lane.give_up.map(|g| GiveUp {
                attempts: g.attempts,
                age: g.age.map(|s| s.0),
            }),
            after,
            rules: rules(lane.rules, places),
        })
    }
}

/// Strips the places off the rules and keeps them apart.
fn rules(written: written::Rules, places: &mut Vec<RulePlace>) -> RuleKnobs {
    let mut out = RuleKnobs::new();
    for (rule, knobs) in written {
        places.push(RulePlace {
            rule: rule.get_ref().clone(),
            span: rule.span(),
            knobs: knobs
                .keys()
                .map(|k| (k.get_ref().clone(), k.span()))
                .collect(),
        });
        out.insert(
            rule.into_inner(),
            knobs
                .into_iter()
                .map(|(k, v)| (k.into_inner(), v))
                .collect(),
        );
    }
    out
}
