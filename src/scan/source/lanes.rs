//! Which lane a file belongs to, and which lanes a glob selects.

#[cfg(test)]
mod tests;

use crate::caret::did_you_mean;
use crate::settings::Settings;
use anyhow::{Context, bail};
use globset::{Glob, GlobBuilder, GlobMatcher};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The path that a file was found under.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// Whether it is a directory.
    pub dir: bool,
    /// Its last component.
    pub label: &'a str,
    /// Whether it is one of several, so that names begin with the label.
    pub several: bool,
}

/// Finds lanes, with the globs of the settings compiled once.
#[derive(Debug)]
pub struct Lanes {
    globs: Vec<(GlobMatcher, String)>,
}

impl Lanes {
    /// Compiles the globs. `*` does not cross a `/`, `**` does.
    ///
    /// # Errors
    /// A glob that is none, which the settings exclude.
    pub fn new(settings: &Settings) -> anyhow::Result<Lanes> {
        let mut globs = Vec::new();
        for lane in &settings.lanes {
            for path in &lane.paths {
                let glob = GlobBuilder::new(path)
                    .literal_separator(true)
                    .build()
                    .with_context(|| format!("`{path}` of lane `{}` is not a glob", lane.name))?;
                globs.push((glob.compile_matcher(), lane.name.clone()));
            }
        }
        Ok(Lanes { globs })
    }

    /// The lane of the file `name`, which is relative to `given`.
    ///
    /// First comes the settings' word. Then the first directory whose name is more than a date or a run's id; then, of
    /// several paths, the path itself; then the name of the file without rotation, date and id ([`stem`]).
    pub fn lane_of(&self, name: &str, given: Given) -> String {
        let labelled = format!("{}/{name}", given.label);
        let listed = self
            .globs
            .iter()
            .find(|(g, _)| g.is_match(name) || (given.several && g.is_match(&labelled)));
        if let Some((_, lane)) = listed {
            return lane.clone();
        }
        let (dirs, file) = name.rsplit_once('/').unwrap_or(("", name));
        if let Some(dir) = dirs.split('/').find(|d| !d.is_empty() && !passing(d)) {
            return dir.to_owned();
        }
        if given.dir && given.several && !passing(given.label) {
            return given.label.to_owned();
        }
        let stem = stem(file);
        if stem.is_empty() || passing(stem) {
            // A directory of files that are named by date alone is one lane.
            let fallback = if given.dir && !given.label.is_empty() {
                given.label
            } else {
                file
            };
            return fallback.to_owned();
        }
        stem.to_owned()
    }
}

/// Parts at the end of a name that pass with rotation, runs and hosts. Each matches with a capture that stays.
static PASSING: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let date = r"(?:19|20)\d\d(?:-(?:0[1-9]|1[0-2])-[0-3]\d|_(?:0[1-9]|1[0-2])_[0-3]\d|\.(?:0[1-9]|1[0-2])\.[0-3]\d|(?:0[1-9]|1[0-2])[0-3]\d|[-_.]?(?:0[1-9]|1[0-2])|-W[0-5]\d)";
    let time = r"(?:[T_.-]?[0-2]\d[:._-]?[0-5]\d(?:[:._-]?[0-6]\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?)";
    [
        // Compression.
        r"^(.+)\.(?i:gz|zst|zstd|bz2|xz|lz4|z)$".to_owned(),
        // What kind of file it is.
        r"^(.+)\.(?i:log|logs|txt|out|err|stdout|stderr|json|jsonl|ndjson|csv|tsv|logfmt|trace|old|bak|prev|current)$".to_owned(),
        // Rotation: x.log.1, and what logrotate writes for dates.
        r"^(.+)\.\d{1,9}$".to_owned(),
        format!(r"^(.*?)[._-]*\b{date}{time}?$"),
        format!(r"^(.*?)[._-]+{date}{time}?$"),
        format!(r"^(.*?[^\d._-]){date}{time}?$"),
        // A date in front.
        format!(r"^{date}{time}?[._-]+([^\d._-].*)$"),
        // An id: UUID, ULID, hexadecimal digits, seconds or milliseconds since 1970, a long number.
        r"^(.*?)[._-]*\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$".to_owned(),
        r"^(.+?)[._-]+[0-7][0-9A-HJKMNP-TV-Z]{25}$".to_owned(),
        r"^(.+?)[._-]+\d{6,20}$".to_owned(),
        // A number after a word that counts runs.
        r"^((?:.*[._-])?(?:run|job|build|attempt|pid|task|part|shard|try))[._#-]*\d+$".to_owned(),
    ]
    .iter()
    .map(|p| Regex::new(p).expect("a constant that compiles"))
    .collect()
});

/// Hexadecimal digits at the end; only an id if there is a digit and a letter among them.
static HEX: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(.*?)(?:^|[._-]+)([0-9a-f]{7,64})$").expect("a constant that compiles")
});

/// The name of a file without compression, extension, rotation, date, time and run id; never cut to nothing.
///
/// `watch-arb-2026-08-08.log.gz` is `watch-arb`, `run-8f1c2d3e4a5b.log` is `run`.
pub fn stem(file: &str) -> &str {
    let mut stem = file;
    // Every round shortens the name, so this ends.
    while let Some(shorter) = shorten(stem).filter(|s| !s.is_empty()) {
        stem = shorter;
    }
    stem
}

fn shorten(name: &str) -> Option<&str> {
    let cut = PASSING
        .iter()
        .find_map(|p| p.captures(name)?.get(1))
        .or_else(|| hex(name))?;
    let cut = cut.as_str().trim_end_matches(['.', '_', '-', ' ']);
    (cut.len() < name.len()).then_some(cut)
}

fn hex(name: &str) -> Option<regex::Match<'_>> {
    let found = HEX.captures(name)?;
    let id = found.get(2)?.as_str();
    let mixed =
        id.bytes().any(|b| b.is_ascii_digit()) && id.bytes().any(|b| b.is_ascii_alphabetic());
    found.get(1).filter(|_| mixed)
}

/// Whether a name is nothing but a date, a number or an id, so that it cannot be a lane.
fn passing(name: &str) -> bool {
    name.bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'.' | b':' | b'T' | b'Z' | b'+'))
        || shorten(name).is_some_and(str::is_empty)
}

/// The known lanes that the globs select; all of them without a glob.
///
/// # Errors
/// A glob that is none, or one that matches no lane; the message lists the lanes and names the nearest.
pub fn select<S: AsRef<str>>(globs: &[String], known: &[S]) -> anyhow::Result<BTreeSet<String>> {
    let known: BTreeSet<&str> = known.iter().map(AsRef::as_ref).collect();
    if globs.is_empty() {
        return Ok(known.into_iter().map(str::to_owned).collect());
    }
    let mut selected = BTreeSet::new();
    for glob in globs {
        let matcher = Glob::new(glob)
            .with_context(|| format!("--lane {glob}: write a lane or a glob such as `watch-*`"))?
            .compile_matcher();
        // A lane's own name may hold characters that a glob reads otherwise.
        let hit = |lane: &str| lane == glob || matcher.is_match(lane);
        let mut found = false;
        for lane in known.iter().filter(|l| hit(l)) {
            found = true;
            selected.insert((*lane).to_owned());
        }
        if found {
            continue;
        }
        if known.is_empty() {
            bail!("no lane matches `{glob}`: there are no lanes in what was read");
        }
        let near = did_you_mean(glob, known.iter().copied())
            .map(|n| format!("; did you mean `{n}`?"))
            .unwrap_or_default();
        let list: Vec<&str> = known.iter().copied().collect();
        bail!(
            "no lane matches `{glob}`{near}\nthe lanes are: {}",
            list.join(", ")
        );
    }
    Ok(selected)
}
