//! What the tests of the built program share.
#![allow(dead_code, reason = "no test uses all of it")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// How a run ended.
pub struct Ran {
    /// The exit code; none after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// The built program, with an environment that does not depend on who runs the test.
pub fn program(args: &[&str], dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_misnomer"));
    command
        .args(args)
        .current_dir(dir)
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null());
    command
}

/// Runs it to its end in a directory.
pub fn misnomer(args: &[&str], dir: &Path) -> anyhow::Result<Ran> {
    finish(program(args, dir).output()?)
}

/// Runs it with bytes on its standard input.
pub fn misnomer_fed(args: &[&str], dir: &Path, input: &[u8]) -> anyhow::Result<Ran> {
    let mut child = program(args, dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(input);
    }
    finish(child.wait_with_output()?)
}

fn finish(output: std::process::Output) -> anyhow::Result<Ran> {
    Ok(Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout)?,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// Copies a directory with all that is in it; makes what is missing of the path.
pub fn copy_tree(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_tree(&path, &copy)?;
        } else {
            std::fs::copy(&path, &copy)?;
        }
    }
    Ok(())
}
