//! The rules of behaviour: each fires on its incident in three formats, and keeps silent where one condition is missing.

mod common;

use anyhow::{Context, Result};
use misnomer::audit::finding::{Confidence, Outcome};
use serde::Deserialize;
use std::fs;
use std::path::Path;

/// `tests/rules.toml`.
#[derive(Deserialize)]
struct Table {
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    rule: String,
    file: String,
    fires: bool,
    #[serde(default)]
    why: String,
}

impl Case {
    fn lane(&self) -> String {
        format!("{}.{}", self.rule, self.file)
    }
}

#[test]
fn rules_fire_on_their_incidents_and_on_nothing_less() -> Result<()> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let table: Table = toml::from_str(&fs::read_to_string(tests.join("rules.toml"))?)
        .context("tests/rules.toml")?;
    let root = tempfile::tempdir()?;
    for case in &table.case {
        let lane = root.path().join(case.lane());
        fs::create_dir_all(&lane)?;
        let from = tests.join("rules").join(&case.rule).join(&case.file);
        fs::copy(&from, lane.join(&case.file)).with_context(|| from.display().to_string())?;
    }
    let ran = common::misnomer(&["audit", ".", "--format", "json"], root.path())?;
    let outcome: Outcome = serde_json::from_str(&ran.out)?;
    let mut wrong = Vec::new();
    for case in &table.case {
        let found = outcome.findings.iter().any(|f| {
            f.rule == case.rule && f.lane == case.lane() && f.confidence > Confidence::Possible
        });
        if found != case.fires {
            wrong.push(format!(
                "{} {}: fires {found}, expected {} {}",
                case.rule, case.file, case.fires, case.why
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
