//! `classify`, and the entries that `patterns suggest` writes.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use misnomer::classify::{Known, classify, records};
use misnomer::cli::Cli;
use misnomer::run::inputs::patterns;
use misnomer::settings::Settings;
use serde::Deserialize;
use std::fs;
use std::process::Command;

#[derive(Deserialize)]
struct Table {
    case: Vec<Case>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    recorded: Option<String>,
    status: Option<u16>,
    exception: Option<String>,
    code: Option<String>,
    message: Option<String>,
    record: Option<String>,
    cause: String,
    standing: Option<String>,
}

#[test]
fn the_right_name_is_told_before_it_is_recorded() -> Result<()> {
    let table: Table = toml::from_str(include_str!("data/classify.toml"))?;
    let cli = Cli::try_parse_from(["misnomer", "classify"])?;
    let settings = Settings::default();
    let patterns = patterns(&cli.global, &settings)?;
    for case in table.case {
        let said = match &case.record {
            Some(record) => records(record.as_bytes(), None, &settings, &patterns)
                .into_iter()
                .next()
                .context("a record is classified")?,
            None => classify(
                &Known {
                    recorded: case.recorded.clone(),
                    status: case.status,
                    exception: case.exception,
                    code: case.code,
                    message: case.message,
                },
                &settings,
                &patterns,
            )?,
        };
        let what = case.record.or(case.recorded).unwrap_or_default();
        ensure!(
            said.cause.slug() == case.cause,
            "{what}: {} instead of {}",
            said.cause,
            case.cause
        );
        if let Some(standing) = case.standing {
            let found = serde_json::to_value(said.standing)?;
            ensure!(
                found == standing.as_str(),
                "{what}: {found} instead of {standing}"
            );
        }
    }
    ensure!(classify(&Known::default(), &settings, &patterns).is_err());
    Ok(())
}

#[test]
fn a_suggested_entry_loads_unedited_and_matches_its_cluster_only() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let logs = dir.path().join("logs");
    for (lane, line) in [
        ("racks", "gizmo {n}7 would not engage on rack {n}"),
        ("flanges", "flange [odd] \"{n}\" would not engage"),
    ] {
        let mut text = String::new();
        for n in 0..9 {
            let line = line.replace("{n}", &n.to_string());
            text += &format!("2026-03-01 10:0{n}:00,000 INFO job: item {n} stored\n");
            text += &format!("2026-03-01 10:0{n}:01,000 ERROR job: {line}\n");
        }
        fs::create_dir_all(logs.join(lane))?;
        fs::write(logs.join(lane).join("job.log"), text)?;
    }
    let run = |args: &[&str]| -> Result<(String, Option<i32>)> {
        let out = Command::new(env!("CARGO_BIN_EXE_misnomer"))
            .args(args)
            .current_dir(dir.path())
            .output()?;
        let text = String::from_utf8(out.stdout)? + &String::from_utf8(out.stderr)?;
        Ok((text, out.status.code()))
    };
    let (pack, code) = run(&["patterns", "suggest", "logs"])?;
    ensure!(
        code == Some(0) && pack.matches("[[pattern]]").count() == 2,
        "{pack}"
    );
    let mine = dir.path().join("mine");
    fs::create_dir_all(&mine)?;
    fs::write(mine.join("my.toml"), &pack)?;
    let (checked, code) = run(&["patterns", "check", "--patterns", "mine"])?;
    ensure!(code == Some(0), "{checked}\n{pack}");
    // Given a cause, each entry explains its own failures and no others.
    let half = pack.replacen("cause = \"unknown\"", "cause = \"target_gone\"", 1);
    fs::write(mine.join("my.toml"), half)?;
    let (json, _) = run(&["audit", "logs", "--patterns", "mine", "--format", "json"])?;
    let json: serde_json::Value = serde_json::from_str(&json)?;
    let causes: Vec<&str> = json["failures"]
        .as_array()
        .context("failures")?
        .iter()
        .filter_map(|f| f["cause"].as_str())
        .collect();
    ensure!(
        causes.len() == 2 && causes.contains(&"target_gone") && causes.contains(&"unknown"),
        "{causes:?}"
    );
    Ok(())
}
