//! From paths to sources.

#[cfg(test)]
mod tests;

use super::head::{self, Head};
use super::lanes::{Given, Lanes};
use super::{Found, Origin, Pipe, Source, explain};
use crate::settings::{FILE_NAME, Settings};
use anyhow::{Context, bail};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use walkdir::WalkDir;

/// Files of this program and of the project around the logs, which are no logs.
const NO_LOGS: &[(&str, &str)] = &[
    (FILE_NAME, "configuration"),
    ("misnomer.waivers.toml", "configuration"),
    ("misnomer.baseline.jsonl", "configuration"),
    ("README.md", "documentation"),
];

/// Endings of files that lie beside logs and are none. One that is given by its own path is read.
const NO_LOG_ENDINGS: &[(&str, &str)] = &[
    ("toml", "configuration"),
    ("py", "source code"),
    ("sh", "source code"),
    ("js", "source code"),
    ("ts", "source code"),
    ("rs", "source code"),
    ("go", "source code"),
    ("rb", "source code"),
    ("java", "source code"),
];

/// Finds the sources under files, directories and `-` (standard input).
///
/// Directories are read recursively; symbolic links are followed, and every file is read once. The order of the paths
/// does not matter for what is found.
///
/// # Errors
/// A path that does not exist, and a standard input that cannot be read.
pub fn discover(paths: &[impl AsRef<Path>], settings: &Settings) -> anyhow::Result<Found> {
    let paths: Vec<&Path> = paths.iter().map(AsRef::as_ref).collect();
    discover_with(&paths, settings, || Box::new(io::stdin()))
}

/// As [`discover`], with another standard input.
pub(super) fn discover_with(
    paths: &[&Path],
    settings: &Settings,
    stdin: impl FnOnce() -> Box<dyn Read + Send>,
) -> anyhow::Result<Found> {
    let lanes = Lanes::new(settings)?;
    let mut found = Found::default();
    let mut files = Vec::new();
    let stdin_path = Path::new("-");
    let on_disk: Vec<&Path> = paths.iter().copied().filter(|p| *p != stdin_path).collect();
    let labels = labels(&on_disk);
    let several = labels.len() > 1;
    for (path, label) in on_disk.iter().zip(labels) {
        let metadata = match fs::metadata(path) {
            Ok(m) => m,
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                bail!(
                    "`{}` does not exist: name a file or a directory of logs, or `-` for standard input",
                    path.display()
                )
            }
            Err(e) => {
                found.unreadable.push((label, explain(&e)));
                continue;
            }
        };
        let walk = Walk {
            root: path,
            label,
            several,
        };
        if metadata.is_dir() {
            walk.directory(&mut files, &mut found);
        } else if metadata.is_file() {
            files.push(walk.file(&metadata));
        } else {
            let why = "not a regular file".to_owned();
            found.passed_over.push((walk.label, why));
        }
    }
    once(&mut files, &mut found);
    let looked: Vec<io::Result<Head>> = files.par_iter().map(Candidate::look).collect();
    for (file, looked) in files.into_iter().zip(looked) {
        match looked {
            Err(e) => found.unreadable.push((file.name, explain(&e))),
            Ok(Head::Binary(why)) => found.passed_over.push((file.name, why)),
            Ok(Head::Log { coding }) => {
                let given = Given {
                    dir: file.dir,
                    label: &file.label,
                    several,
                };
                let lane = lanes.lane_of(&file.within, given);
                found.sources.push(Source {
                    name: file.name.into(),
                    timezone: settings.timezone_of(&lane).clone(),
                    lane: lane.into(),
                    origin: Origin::File(file.path),
                    coding,
                    size: file.size,
                });
            }
        }
    }
    if on_disk.len() < paths.len() {
        standard_input(stdin(), settings, &lanes, &mut found)?;
    }
    found.sources.sort_by(|a, b| a.name.cmp(&b.name));
    found.passed_over.sort();
    found.unreadable.sort();
    Ok(found)
}

fn standard_input(
    live: Box<dyn Read + Send>,
    settings: &Settings,
    lanes: &Lanes,
    found: &mut Found,
) -> anyhow::Result<()> {
    let name = "stdin";
    let pipe = Pipe::new(live).context("cannot read standard input")?;
    match head::pipe(&pipe) {
        Err(e) => found.unreadable.push((name.to_owned(), explain(&e))),
        Ok(Head::Binary(why)) => found.passed_over.push((name.to_owned(), why)),
        Ok(Head::Log { coding }) => {
            let given = Given {
                dir: false,
                label: name,
                several: false,
            };
            let lane = lanes.lane_of(name, given);
            found.sources.push(Source {
                name: name.into(),
                timezone: settings.timezone_of(&lane).clone(),
                lane: lane.into(),
                origin: Origin::Stdin(Arc::new(pipe)),
                coding,
                size: 0,
            });
        }
    }
    Ok(())
}

/// A file that may be a source.
struct Candidate {
    /// As shown.
    name: String,
    /// Relative to the path given.
    within: String,
    /// Of the path given.
    label: String,
    /// Whether the path given is a directory.
    dir: bool,
    path: PathBuf,
    size: u64,
    /// Device and inode: the same file under whatever name.
    identity: (u64, u64),
    /// Whether a symbolic link lies on the way to it.
    linked: bool,
}

impl Candidate {
    fn look(&self) -> io::Result<Head> {
        head::file(&File::open(&self.path)?, self.size)
    }
}

/// One path given.
struct Walk<'a> {
    root: &'a Path,
    label: String,
    several: bool,
}

impl Walk<'_> {
    fn file(self, metadata: &Metadata) -> Candidate {
        let within = self.root.file_name().unwrap_or(self.root.as_os_str());
        Candidate {
            name: self.label.clone(),
            within: within.to_string_lossy().into_owned(),
            label: self.label,
            dir: false,
            path: self.root.to_owned(),
            size: metadata.len(),
            identity: (metadata.dev(), metadata.ino()),
            linked: false,
        }
    }

    /// The name of a path below the root: relative, and with the label in front where there are several.
    fn names(&self, path: &Path) -> (String, String) {
        let relative = path.strip_prefix(self.root).unwrap_or(path);
        let parts: Vec<_> = relative
            .components()
            .map(|c| c.as_os_str().to_string_lossy())
            .collect();
        let within = parts.join("/");
        let name = match (self.several, within.is_empty()) {
            (true, false) => format!("{}/{within}", self.label),
            (_, true) => self.label.clone(),
            (false, false) => within.clone(),
        };
        (name, within)
    }

    fn directory(&self, files: &mut Vec<Candidate>, found: &mut Found) {
        let mut links: Vec<PathBuf> = Vec::new();
        let mut walk = WalkDir::new(self.root)
            .follow_links(true)
            .sort_by_file_name()
            .into_iter();
        while let Some(entry) = walk.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(e) => {
                    let (name, _) = self.names(e.path().unwrap_or(self.root));
                    self.failed(name, &e, found);
                    continue;
                }
            };
            let path = entry.path();
            let kind = entry.file_type();
            let (name, within) = self.names(path);
            if entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.') {
                found.passed_over.push((name, "hidden".to_owned()));
                if kind.is_dir() {
                    walk.skip_current_dir();
                }
                continue;
            }
            if kind.is_dir() {
                if entry.depth() > 0 && entry.path_is_symlink() {
                    links.push(path.to_owned());
                }
                continue;
            }
            if !kind.is_file() {
                let why = "not a regular file".to_owned();
                found.passed_over.push((name, why));
                continue;
            }
            let ending = path.extension().unwrap_or_default();
            let known = NO_LOGS
                .iter()
                .find(|(n, _)| entry.file_name() == *n)
                .or_else(|| NO_LOG_ENDINGS.iter().find(|(e, _)| ending == *e));
            if let Some((_, why)) = known {
                found.passed_over.push((name, (*why).to_owned()));
                continue;
            }
            match entry.metadata() {
                Err(e) => self.failed(name, &e, found),
                Ok(metadata) => files.push(Candidate {
                    name,
                    within,
                    label: self.label.clone(),
                    dir: true,
                    size: metadata.len(),
                    identity: (metadata.dev(), metadata.ino()),
                    linked: entry.path_is_symlink() || links.iter().any(|l| path.starts_with(l)),
                    path: path.to_owned(),
                }),
            }
        }
    }

    fn failed(&self, name: String, error: &walkdir::Error, found: &mut Found) {
        let is_link = |p: &Path| fs::symlink_metadata(p).is_ok_and(|m| m.is_symlink());
        if error.loop_ancestor().is_some() {
            let why = "a symbolic link back to its own directory".to_owned();
            found.passed_over.push((name, why));
            return;
        }
        let gone = error
            .io_error()
            .is_some_and(|e| e.kind() == ErrorKind::NotFound);
        if gone && error.path().is_some_and(is_link) {
            let why = "a symbolic link to nothing".to_owned();
            found.passed_over.push((name, why));
            return;
        }
        let why = error.io_error().map_or_else(|| error.to_string(), explain);
        found.unreadable.push((name, why));
    }
}

/// Keeps one name of every file: one without a symbolic link if there is one, then the first.
///
/// `latest.log -> run-17.log` is common in directories of logs and must not count every failure twice.
fn once(files: &mut Vec<Candidate>, found: &mut Found) {
    files.sort_by(|a, b| (a.linked, &a.name, &a.path).cmp(&(b.linked, &b.name, &b.path)));
    let mut seen: BTreeMap<(u64, u64), String> = BTreeMap::new();
    files.retain(|file| {
        if let Some(first) = seen.get(&file.identity) {
            let why = format!("the same file as {first}");
            found.passed_over.push((file.name.clone(), why));
            return false;
        }
        seen.insert(file.identity, file.name.clone());
        true
    });
}

/// The last components of the paths, as many of each as make them differ.
fn labels(paths: &[&Path]) -> Vec<String> {
    let parts: Vec<Vec<String>> = paths.iter().map(|p| components(p)).collect();
    let longest = parts.iter().map(Vec::len).max().unwrap_or(0);
    let tail = |parts: &[String], n: usize| {
        let from = parts.len().saturating_sub(n);
        parts.get(from..).unwrap_or(parts).join("/")
    };
    let distinct: BTreeSet<&Vec<String>> = parts.iter().collect();
    for n in 1..=longest {
        let labels: Vec<String> = parts.iter().map(|p| tail(p, n)).collect();
        if labels.iter().collect::<BTreeSet<_>>().len() == distinct.len() {
            return labels;
        }
    }
    parts.iter().map(|p| tail(p, longest)).collect()
}

/// The named components of a path; of one without any (`.`, `..`, `/`), those of the directory that it means.
fn components(path: &Path) -> Vec<String> {
    let named = |p: &Path| -> Vec<String> {
        p.components()
            .filter_map(|c| match c {
                Component::Normal(n) => Some(n.to_string_lossy().into_owned()),
                _ => None,
            })
            .collect()
    };
    let ends_in_name = path.file_name().is_some();
    let mut parts = named(path);
    if !ends_in_name {
        parts = fs::canonicalize(path).map(|p| named(&p)).unwrap_or(parts);
    }
    if parts.is_empty() {
        parts.push("root".to_owned());
    }
    parts
}
