//! Every pattern matches its examples and nothing that merely resembles them; the documented commands run.

mod common;

use anyhow::{Result, ensure};
use misnomer::scan::pattern::check::check;
use misnomer::scan::pattern::load::Packs;
use misnomer::scan::pattern::matcher::Patterns;
use std::path::Path;

#[test]
fn the_packs_are_without_fault() -> Result<()> {
    let patterns = Patterns::new(Packs::load(&[])?, &[])?;
    let faults: Vec<String> = check(&patterns)
        .iter()
        .map(|f| format!("{}: {}: {}", f.pack, f.id, f.what))
        .collect();
    ensure!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.join("\n")
    );
    Ok(())
}

/// The lines of the README that call the program, as they would be typed in a clone.
#[test]
fn the_commands_of_the_readme_run() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md"))?;
    let out = tempfile::tempdir()?;
    let mut ran_any = false;
    for line in readme.lines() {
        let line = line.trim();
        let Some(command) = line
            .strip_prefix("misnomer ")
            .or_else(|| line.strip_prefix("$ misnomer "))
            .or_else(|| line.strip_prefix("cargo run -- "))
        else {
            continue;
        };
        let command = command.split("  ").next().unwrap_or(command);
        // What names the reader's own logs cannot run here; the packs have a test of their own.
        if command.contains('~') || command == "patterns check" {
            continue;
        }
        let args: Vec<&str> = command.split_whitespace().collect();
        let args: Vec<String> = args
            .iter()
            .map(|a| a.replace("=report", &format!("={}/report", out.path().display())))
            .map(|a| {
                a.replace(
                    "night.parquet",
                    &format!("{}/n.parquet", out.path().display()),
                )
            })
            .collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let ran = common::misnomer(&args, root)?;
        ensure!(
            ran.code == Some(0) || ran.code == Some(1),
            "{line}: {:?} {}",
            ran.code,
            ran.err
        );
        ran_any = true;
    }
    ensure!(ran_any, "the README shows no command");
    Ok(())
}
