//! The recipes for CI and for nights, as far as they run here.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::process::Command;

const LOG: &str = "\
2026-08-08T09:00:02Z INFO GET https://shop.test/a -> 429 Too Many Requests
2026-08-08T09:00:02Z ERROR extract_failed shop=17
2026-08-08T09:00:03Z INFO run end exit=1
";

#[test]
fn the_script_of_the_action() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let temp = tempfile::tempdir()?;
    let dir = temp.path();
    fs::create_dir_all(dir.join("my logs/shop"))?;
    fs::write(dir.join("my logs/shop/a.log"), LOG)?;
    let run = |args: &str| -> Result<(Option<i32>, String)> {
        let out = Command::new("bash")
            .arg(root.join("docs/ci/gate.sh"))
            .current_dir(dir)
            .env("MISNOMER", env!("CARGO_BIN_EXE_misnomer"))
            .env("MISNOMER_PATHS", "my logs\n")
            .env("MISNOMER_ARGS", args)
            .env("GITHUB_STEP_SUMMARY", dir.join("summary.md"))
            .env("GITHUB_OUTPUT", dir.join("output"))
            .output()?;
        Ok((
            out.status.code(),
            String::from_utf8_lossy(&out.stdout).into_owned(),
        ))
    };
    let (code, out) = run("")?;
    assert_eq!(code, Some(1));
    ensure!(out.contains("::error file="), "{out}");
    ensure!(fs::read_to_string(dir.join("summary.md"))?.contains("extract"));
    assert_eq!(fs::read_to_string(dir.join("output"))?, "code=1\n");
    let sarif: serde_json::Value = serde_json::from_slice(&fs::read(dir.join("misnomer.sarif"))?)?;
    ensure!(
        sarif["runs"][0]["results"]
            .as_array()
            .is_some_and(|r| !r.is_empty())
    );
    let (code, _) = run("--exit-zero\n")?;
    assert_eq!(code, Some(0));
    let (code, _) = run("--nonsense")?;
    assert_eq!(code, Some(2));
    Ok(())
}

/// Every `misnomer` command in the documentation is one that the program takes.
#[test]
fn the_commands_of_the_documentation_exist() -> Result<()> {
    use clap::Parser;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    for file in [
        "README.md",
        "docs/ci.md",
        "docs/nightly.md",
        "docs/ci/gitlab.yml",
        "docs/ci/pre-commit.yaml",
        "docs/nightly/misnomer.service",
        "docs/nightly/misnomer.plist",
    ] {
        let text = fs::read_to_string(root.join(file))?.replace("\\\n", " ");
        for line in text.lines() {
            let Some(at) = line
                .find("misnomer audit ")
                .or_else(|| line.find("misnomer gate "))
                .or_else(|| line.find("misnomer baseline "))
                .or_else(|| line.find("misnomer scan "))
            else {
                continue;
            };
            let command: String = line
                .get(at..)
                .context("a command")?
                .chars()
                .take_while(|c| !"`|<'#>".contains(*c))
                .collect();
            // Prose that names a command and goes on in words.
            let words: Vec<&str> = command
                .split_whitespace()
                .take_while(|w| !["fails", "writes", "(with", "is"].contains(w))
                .collect();
            if words.len() < 3 || words.iter().any(|w| w.contains('…') || w.contains("...")) {
                continue;
            }
            let parsed = misnomer::cli::Cli::try_parse_from(&words);
            ensure!(
                parsed.is_ok(),
                "{file}: {words:?}: {}",
                parsed.err().map_or(String::new(), |e| e.to_string())
            );
            seen += 1;
        }
    }
    ensure!(seen >= 10, "only {seen} commands were found");
    Ok(())
}
