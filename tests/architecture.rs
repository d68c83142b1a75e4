//! The shape of the program: no import runs upwards, no registry misses a file, no file is too long.

use anyhow::{Context, Result, ensure};
use misnomer::audit::detect;
use misnomer::report;
use misnomer::scan::pattern::load::EMBEDDED;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The most lines of a source file, tests apart.
const MOST_LINES: usize = 500;

/// What every module may import, besides itself.
const BASE: &[&str] = &["caret", "cause", "evidence", "redact", "settings", "time"];

/// What each module above the base may import besides it and itself.
const ABOVE: &[(&str, &[&str])] = &[
    ("table", &[]),
    ("scan", &[]),
    ("audit", &[]),
    ("report", &["audit", "table"]),
    ("explain", &[]),
    ("cli", &["audit"]),
    (
        "inspect",
        &["audit", "cli", "report", "run", "scan", "table"],
    ),
    ("classify", &["audit", "report", "scan", "table"]),
    (
        "run",
        &[
            "audit", "classify", "cli", "explain", "inspect", "report", "scan", "table",
        ],
    ),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources() -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![root().join("src")];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    ensure!(found.len() > 20, "the sources are not where they were");
    Ok(found)
}

/// The module of a source file: the first name below `src`.
fn module(path: &Path) -> Result<String> {
    let below = path.strip_prefix(root().join("src"))?;
    let first = below.components().next().context("a file below src")?;
    let name = first.as_os_str().to_string_lossy();
    Ok(name.trim_end_matches(".rs").to_string())
}

/// The modules that a file names behind `crate::`, also within braces.
fn imports(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, marker) in text.match_indices("crate::") {
        let rest = &text[at + marker.len()..];
        let list = match rest.strip_prefix('{') {
            Some(inside) => inside.split('}').next().unwrap_or_default(),
            None => rest,
        };
        let pieces: Vec<&str> = match rest.starts_with('{') {
            true => list.split(',').collect(),
            false => vec![list],
        };
        for piece in pieces {
            let name: String = piece
                .trim()
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect();
            found.insert(name);
        }
    }
    found
}

#[test]
fn no_import_runs_upwards() -> Result<()> {
    let above: BTreeMap<&str, &[&str]> = ABOVE.iter().copied().collect();
    let mut faults = Vec::new();
    for path in sources()? {
        let own = module(&path)?;
        if own == "lib" || own == "main" {
            continue;
        }
        ensure!(
            above.contains_key(own.as_str()) || BASE.contains(&own.as_str()),
            "{own} has no place among the layers: give it one in this test"
        );
        for import in imports(&fs::read_to_string(&path)?) {
            let known = BASE.contains(&import.as_str()) || above.contains_key(import.as_str());
            let allowed = import == own
                || BASE.contains(&import.as_str())
                || above
                    .get(own.as_str())
                    .is_some_and(|list| list.contains(&import.as_str()));
            if known && !allowed {
                faults.push(format!("{} imports {import}", path.display()));
            }
        }
    }
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}

/// The stems of the files of a directory with an ending.
fn stems(dir: &str, ending: &str) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(root().join(dir))? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == ending)
            && let Some(stem) = path.file_stem()
        {
            found.insert(stem.to_string_lossy().into_owned());
        }
    }
    Ok(found)
}

#[test]
fn every_detector_is_registered() -> Result<()> {
    let listed: BTreeSet<String> = detect::ALL.iter().map(|d| d.id.replace('-', "_")).collect();
    assert_eq!(stems("src/audit/detect", "rs")?, listed);
    let codes: BTreeSet<&str> = detect::ALL.iter().map(|d| d.code).collect();
    assert_eq!(codes.len(), detect::ALL.len(), "a code stands twice");
    Ok(())
}

#[test]
fn every_format_is_registered() -> Result<()> {
    // What the formats share.
    let shared = ["frames", "words"];
    let listed: BTreeSet<String> = report::ALL
        .iter()
        .map(|r| r.name.to_string())
        .chain(shared.map(str::to_string))
        .collect();
    assert_eq!(stems("src/report", "rs")?, listed);
    Ok(())
}

#[test]
fn every_pack_is_embedded() -> Result<()> {
    let listed: BTreeSet<String> = EMBEDDED
        .iter()
        .map(|(name, _)| name.trim_end_matches(".toml").to_string())
        .collect();
    assert_eq!(stems("patterns", "toml")?, listed);
    Ok(())
}

#[test]
fn no_source_file_is_too_long() -> Result<()> {
    let mut long = Vec::new();
    for path in sources()? {
        if path.file_name().is_some_and(|n| n == "tests.rs") {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let code = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or(&text);
        let lines = code.lines().count();
        if lines > MOST_LINES {
            long.push(format!("{}: {lines} lines", path.display()));
        }
    }
    ensure!(long.is_empty(), "{}", long.join("\n"));
    Ok(())
}
