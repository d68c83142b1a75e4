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

/// The lines of the README that call the program, as they would be typed in a copy of the project that also has logs.
#[test]
fn the_commands_of_the_readme_run() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md"))?;
    let copy = tempfile::tempdir()?;
    for (from, to) in [
        ("samples", "samples"),
        ("samples/watch-arb", "logs/watch-arb"),
        ("reports", "reports"),
        ("patterns", "patterns"),
    ] {
        common::copy_tree(&root.join(from), &copy.path().join(to))?;
    }
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
        // What names the reader's own logs cannot run here, nor what asks the clock for its span; the packs have a test
        // of their own.
        if command.contains('~') || command.contains("--now system") || command == "patterns check"
        {
            continue;
        }
        let args: Vec<&str> = command.split_whitespace().collect();
        let ran = common::misnomer(&args, copy.path())?;
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
