//! `misnomer scan`, and what it remembers of files that were scanned on earlier nights.
//!
//! Beside the sets of evidence lies a list of the files that they hold, each by its size and the hashes of its first and
//! last bytes: a file that stands there unchanged, also under another name, is not read again.

use super::inputs::Inputs;
use super::{INCOMPLETE, complain, completeness};
use crate::cli::Global;
use crate::report::words;
use crate::scan::source::{Origin, Source};
use crate::table::{self, whole};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// The list's name in the directory of the sets.
const LIST: &str = "scanned.jsonl";

/// Bytes at either end that are hashed.
const ENDS: u64 = 4 << 10;

/// One file that was scanned to its end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Scanned {
    /// Its name.
    file: String,
    /// Its lane: a file that has come to belong to another is read again.
    lane: String,
    /// Bytes on disk.
    size: u64,
    /// The hash of both ends.
    ends: String,
}

/// Scans the paths into a set of evidence; with `known`, without the files that its sets hold already.
///
/// # Errors
/// When the job could not be done.
pub fn scan(global: &Global, paths: &[String], output: &Path, known: Option<&Path>) -> Result<u8> {
    let mut inputs = Inputs::new(global, paths, false)?;
    let old = known.map(read).transpose()?.unwrap_or_default();
    // Looked at before the scan: what is appended meanwhile makes the file another one next time.
    let mut met: Vec<(String, Scanned)> = Vec::new();
    if known.is_some() {
        for source in &inputs.found.sources {
            if let Some(scanned) = look(source) {
                met.push((source.name.to_string(), scanned));
            }
        }
        let content = |s: &Scanned| (s.lane.clone(), s.size, s.ends.clone());
        let have: BTreeSet<_> = old.iter().map(content).collect();
        let same: BTreeSet<&str> = met
            .iter()
            .filter(|(_, s)| have.contains(&content(s)))
            .map(|(name, _)| name.as_str())
            .collect();
        silent(&inputs, &old);
        inputs
            .found
            .sources
            .retain(|s| !same.contains(s.name.as_ref()));
        if inputs.found.sources.is_empty() && !same.is_empty() {
            if !global.quiet {
                anstream::eprintln!(
                    "misnomer: nothing new in {}",
                    words::count(same.len() as i64, "file", "files")
                );
            }
            return Ok(super::DONE);
        }
    }
    let table = inputs.scan(global)?;
    let output = super::auditing::dated_by(
        output,
        crate::audit::newest(&table)
            .map(crate::time::rfc3339)
            .as_deref(),
    );
    if let Some(dir) = output.parent().filter(|d| !d.as_os_str().is_empty()) {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    }
    table::write(&table, &output)?;
    if let Some(known) = known {
        let whole: BTreeSet<&str> = table
            .files
            .iter()
            .filter(|f| f.error.is_none())
            .map(|f| f.file.as_str())
            .collect();
        let fresh = met
            .into_iter()
            .filter(|(name, _)| whole.contains(name.as_str()));
        let mut all: BTreeSet<Scanned> = old.into_iter().collect();
        all.extend(fresh.map(|(_, s)| s));
        write(known, &all)?;
    }
    complain(&table);
    Ok(completeness(&table).max(if table.files.is_empty() {
        INCOMPLETE
    } else {
        0
    }))
}

/// Says loudly which lanes have no file any more.
fn silent(inputs: &Inputs, old: &[Scanned]) {
    let lanes: BTreeSet<&str> = inputs
        .found
        .sources
        .iter()
        .map(|s| s.lane.as_ref())
        .collect();
    let gone: BTreeSet<&str> = old
        .iter()
        .map(|s| s.lane.as_str())
        .filter(|l| !lanes.contains(l))
        .collect();
    for lane in gone {
        anstream::eprintln!(
            "misnomer: the lane {} had logs on earlier nights and has none now",
            words::visible(lane)
        );
    }
}

/// What a file is like; nothing where it cannot be read, which the scan will say.
fn look(source: &Source) -> Option<Scanned> {
    let Origin::File(path) = &source.origin else {
        return None;
    };
    let mut file = File::open(path).ok()?;
    let size = file.metadata().ok()?.len();
    let mut bytes = Vec::new();
    Read::by_ref(&mut file)
        .take(ENDS)
        .read_to_end(&mut bytes)
        .ok()?;
    file.seek(SeekFrom::Start(size.saturating_sub(ENDS))).ok()?;
    file.take(ENDS).read_to_end(&mut bytes).ok()?;
    let ends = Sha256::digest(&bytes);
    Some(Scanned {
        file: source.name.to_string(),
        lane: source.lane.to_string(),
        size,
        ends: ends.iter().map(|b| format!("{b:02x}")).collect(),
    })
}

fn read(dir: &Path) -> Result<Vec<Scanned>> {
    let path = dir.join(LIST);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    text.lines()
        .enumerate()
        .map(|(at, line)| {
            serde_json::from_str(line).with_context(|| {
                format!("{}:{}: no line of the list of scanned files; remove the file to read all logs again", path.display(), at + 1)
            })
        })
        .collect()
}

fn write(dir: &Path, all: &BTreeSet<Scanned>) -> Result<()> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    whole::file(&dir.join(LIST), |to| {
        for scanned in all {
            writeln!(to, "{}", serde_json::to_string(scanned)?)?;
        }
        Ok(())
    })
}
