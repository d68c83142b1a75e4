//! Broken and hostile input: no panic, nothing lost in silence, the right exit code.

mod common;

use anyhow::{Context, Result, ensure};
use common::{Ran, misnomer, misnomer_fed, program};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::Stdio;

/// A failure that every audit finds, to see that the rest is still done.
const SOUND: &str = "2026-08-09T10:00:00Z ERROR extract_failed shop=a status=429\n";

fn report(ran: &Ran) -> Result<serde_json::Value> {
    serde_json::from_str(&ran.out).with_context(|| format!("{:?} {}", ran.code, ran.err))
}

fn place(dir: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().context("a file in a directory")?)?;
    Ok(fs::write(path, bytes)?)
}

/// Audits `logs` with one odd file beside a sound one.
fn beside(name: &str, bytes: &[u8]) -> Result<(Ran, serde_json::Value)> {
    let dir = tempfile::tempdir()?;
    place(dir.path(), "logs/sound/app.log", SOUND.as_bytes())?;
    place(dir.path(), &format!("logs/{name}"), bytes)?;
    let ran = misnomer(&["audit", "logs", "--format", "json"], dir.path())?;
    let report = report(&ran)?;
    ensure!(!ran.err.contains("panicked"), "{}", ran.err);
    ensure!(ran.out.contains("extract_failed"), "the sound file is lost");
    Ok((ran, report))
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    to.write_all(bytes)?;
    Ok(to.finish()?)
}

#[test]
fn an_empty_file_is_read() -> Result<()> {
    let (ran, report) = beside("odd/empty.log", b"")?;
    ensure!(ran.code == Some(0), "{:?}", ran.code);
    ensure!(report["input"]["files"] == 2 && report["input"]["lines"] == 1);
    Ok(())
}

#[test]
fn a_line_without_end_is_cut_and_said() -> Result<()> {
    let mut line = b"2026-08-09T10:00:00Z ERROR upload_failed ".to_vec();
    line.resize(20 << 20, b'x');
    let (ran, report) = beside("odd/long.log", &line)?;
    ensure!(ran.code == Some(0), "{:?}", ran.code);
    ensure!(report["input"]["lines"] == 2);
    ensure!(report["input"]["bytes"] == line.len() + SOUND.len());
    ensure!(ran.out.contains("upload_failed"));
    let capped = &report["input"]["capped"][0];
    ensure!(
        capped["what"] == "lines" && capped["place"] == "odd/long.log",
        "{capped}"
    );
    Ok(())
}

#[test]
fn bytes_that_are_no_text_are_counted() -> Result<()> {
    let bytes = b"2026-08-09T10:00:00Z ERROR upload_failed name=\xff\xfe\xfa\n2026-08-09T10:00:01Z INFO ok\n";
    let (ran, report) = beside("odd/latin.log", bytes)?;
    ensure!(ran.code == Some(0), "{:?}", ran.code);
    ensure!(report["input"]["bad_lines"] == 1, "{}", report["input"]);
    ensure!(ran.out.contains("upload_failed"));
    Ok(())
}

#[test]
fn nul_bytes_in_a_text_are_no_end() -> Result<()> {
    let mut text = SOUND.repeat(400).into_bytes();
    text.extend(
        b"2026-08-09T11:00:00Z ERROR upload_\0failed\0\n2026-08-09T11:00:01Z ERROR later_failed\n",
    );
    let (ran, report) = beside("odd/nul.log", &text)?;
    ensure!(ran.code == Some(0), "{:?}", ran.code);
    // Either it is text, and read to its end, or it is passed over, and said.
    let said = report["input"]["passed_over"].to_string();
    ensure!(ran.out.contains("later_failed") || said.contains("odd/nul.log"));
    Ok(())
}

#[test]
fn a_binary_file_is_passed_over_and_said() -> Result<()> {
    let bytes: Vec<u8> = (0..4096u32).map(|n| (n * 7 % 256) as u8).collect();
    let (ran, report) = beside("odd/core.bin", &bytes)?;
    ensure!(ran.code == Some(0), "{:?}", ran.code);
    ensure!(report["input"]["passed_over"][0]["path"] == "odd/core.bin");
    Ok(())
}

#[test]
fn a_broken_archive_is_read_as_far_as_it_goes() -> Result<()> {
    let text: String = (0..20_000)
        .map(|n| {
            format!(
                "2026-08-09T10:00:00Z INFO step {n} of {}\n",
                n * 7919 % 10_007
            )
        })
        .collect();
    let packed = gzip(format!("{SOUND}{text}").as_bytes())?;
    let (ran, report) = beside("odd/cut.log.gz", &packed[..packed.len() / 2])?;
    ensure!(ran.code == Some(3), "{:?}", ran.code);
    let unreadable = &report["input"]["unreadable"][0];
    ensure!(unreadable["path"] == "odd/cut.log.gz", "{unreadable}");
    ensure!(ran.err.contains("odd/cut.log.gz"), "{}", ran.err);
    ensure!(
        report["summary"]["failures"] == 2,
        "what could be read is audited"
    );
    Ok(())
}

#[test]
fn half_a_json_line_is_a_line() -> Result<()> {
    let mut text = String::new();
    for n in 0..30 {
        text.push_str(&format!(
            "{{\"level\":30,\"time\":\"2026-08-09T10:00:{n:02}Z\",\"msg\":\"ok\"}}\n"
        ));
    }
    text.push_str("{\"level\":50,\"time\":\"2026-08-09T10:01:00Z\",\"msg\":\"sync failed\",\"err");
    let (ran, report) = beside("odd/half.jsonl", text.as_bytes())?;
    ensure!(ran.code == Some(0), "{:?}", ran.code);
    ensure!(report["input"]["bad_lines"] == 1, "{}", report["input"]);
    Ok(())
}

#[test]
fn an_unreadable_directory_is_said() -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir()?;
    place(dir.path(), "logs/sound/app.log", SOUND.as_bytes())?;
    place(dir.path(), "logs/shut/app.log", SOUND.as_bytes())?;
    let shut = dir.path().join("logs/shut");
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o000))?;
    let readable = fs::read_dir(&shut).is_ok();
    let ran = misnomer(&["audit", "logs", "--format", "json"], dir.path())?;
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o755))?;
    if readable {
        // Whoever runs the test may read everything; then there is nothing to see.
        return Ok(());
    }
    ensure!(ran.code == Some(3), "{:?}", ran.code);
    ensure!(report(&ran)?["input"]["unreadable"][0]["path"] == "shut");
    Ok(())
}

#[test]
fn a_closed_pipe_is_success() -> Result<()> {
    let dir = tempfile::tempdir()?;
    place(dir.path(), "logs/app.log", SOUND.repeat(3000).as_bytes())?;
    for args in [
        &["patterns", "list"][..],
        &["patterns", "list", "--needles"],
        &["audit", "logs", "--format", "json"],
        &["audit", "logs"],
    ] {
        let mut child = program(args, dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut first = String::new();
        let out = child.stdout.take().context("a pipe")?;
        BufReader::with_capacity(16, out).read_line(&mut first)?;
        let mut said = String::new();
        child
            .stderr
            .take()
            .context("a pipe")?
            .read_to_string(&mut said)?;
        ensure!(child.wait()?.code() == Some(0), "{args:?}: {said}");
        ensure!(!first.is_empty() && said.is_empty(), "{args:?}: {said}");
    }
    Ok(())
}

#[test]
fn what_cannot_be_done_ends_with_2_and_says_why() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let dir = dir.path();
    place(dir, "logs/sound/app.log", SOUND.as_bytes())?;
    place(dir, "logs/other/app.log", SOUND.as_bytes())?;
    place(
        dir,
        "packs/mine.toml",
        b"[[pattern]]\nid = \"my.one\"\nkind = \"cause\"\ncause = \"rate_limitd\"\nneedles = [\"zork\"]\nexamples = [\"zork\"]\n",
    )?;
    place(
        dir,
        "regex/mine.toml",
        b"[[pattern]]\nid = \"my.one\"\nkind = \"cause\"\ncause = \"rate_limited\"\nneedles = [\"zork\"]\nregex = 'zork('\nexamples = [\"zork(\"]\n",
    )?;
    place(dir, "bad.toml", b"pathz = [\"logs\"]\n")?;
    let table: &[(&[&str], &[&str])] = &[
        (&["audit", "logs", "--no-such-flag"], &["--no-such-flag"]),
        (
            &["audit", "logs", "--lane", "none-*"],
            &["none-*", "sound", "other"],
        ),
        (
            &["audit", "logs", "--patterns", "packs"],
            &["mine.toml:4", "rate_limitd", "^", "rate_limited"],
        ),
        (
            &["audit", "logs", "--patterns", "regex"],
            &["mine.toml:6", "^"],
        ),
        (
            &["audit", "logs", "--config", "bad.toml"],
            &["bad.toml:1", "pathz", "^", "paths"],
        ),
        (&["audit", "logs", "--format", "yaml"], &["yaml", "json"]),
        (
            &["audit", "logs", "--output", "json=no/such/dir/x.json"],
            &["no/such/dir"],
        ),
        (&["audit", "nowhere"], &["nowhere"]),
        (
            &["audit", "logs", "--since", "yesterdayish"],
            &["yesterdayish"],
        ),
        (&["audit", "logs", "--rule", "MN999"], &["MN999"]),
        (&["audit", "--evidence", "logs/sound/app.log"], &["app.log"]),
        (&["explain", "rate_limitedd"], &["rate_limited"]),
        (&["inspect", "logs/sound/app.log:99"], &["99"]),
        (&["inspect", "logs/sound/app.log:x"], &["number"]),
        (&["nonsense"], &["nonsense"]),
    ];
    for (args, said) in table {
        let ran = misnomer(args, dir)?;
        ensure!(ran.code == Some(2), "{args:?}: {:?} {}", ran.code, ran.err);
        for word in *said {
            ensure!(
                ran.err.contains(word),
                "{args:?} says no {word}: {}",
                ran.err
            );
        }
        ensure!(ran.out.is_empty(), "{args:?} prints {}", ran.out);
    }
    Ok(())
}

#[test]
fn exit_codes_of_what_was_done() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let dir = dir.path();
    place(dir, "logs/app.log", SOUND.as_bytes())?;
    place(dir, "quiet/app.log", b"2026-08-09T10:00:00Z INFO ok\n")?;
    place(
        dir,
        "named/app.log",
        b"2026-08-09T10:00:00Z INFO GET /p status=429 shop=a\n2026-08-09T10:00:01Z ERROR extract_failed shop=a\n",
    )?;
    fs::create_dir(dir.join("none"))?;
    for (args, code) in [
        (&["audit", "named"][..], 0),
        (&["audit", "named", "--fail-on", "any"], 1),
        (
            &["audit", "named", "--fail-on", "any", "--format", "json"],
            1,
        ),
        (&["audit", "named", "--fail-on", "never"], 0),
        (&["audit", "quiet", "--fail-on", "any"], 0),
        (&["audit", "none"], 3),
        (&["scan", "none", "--output", "x.parquet"], 3),
        (&["--help"], 0),
        (&["--version"], 0),
    ] {
        let ran = misnomer(args, dir)?;
        ensure!(
            ran.code == Some(code),
            "{args:?}: {:?} {}",
            ran.code,
            ran.err
        );
        ensure!(!ran.err.contains("panicked"), "{args:?}: {}", ran.err);
    }
    let fed = misnomer_fed(&["audit", "-", "--format", "json"], dir, SOUND.as_bytes())?;
    ensure!(
        fed.code == Some(0) && fed.out.contains("extract_failed"),
        "{}",
        fed.err
    );
    let fed = misnomer_fed(&["audit", "-", "--format", "json"], dir, b"")?;
    ensure!(fed.code == Some(0) || fed.code == Some(3), "{}", fed.err);
    Ok(())
}

#[test]
fn no_path_and_no_logs() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let ran = misnomer(&["audit"], dir.path())?;
    ensure!(ran.code == Some(2), "{:?} {}", ran.code, ran.err);
    ensure!(ran.err.contains("audit DIR"), "{}", ran.err);
    Ok(())
}
