//! The same input gives the same bytes out, however it is read.

mod common;

use anyhow::{Context, Result, ensure};
use common::misnomer;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

fn stamp(second: u64) -> String {
    format!(
        "2026-08-09T{:02}:{:02}:{:02}",
        second / 3600 % 24,
        second / 60 % 60,
        second % 60
    )
}

/// A word of its own for every number, which no mask takes for an id.
fn word(mut n: u64) -> String {
    const SYLLABLES: &[&str] = &[
        "ba", "ro", "mi", "tu", "ke", "lo", "na", "pi", "su", "ve", "go", "hy", "jo", "wi", "zu",
        "ra", "mo", "ti",
    ];
    let mut out = String::from("w");
    for _ in 0..4 {
        out.push_str(SYLLABLES[(n % SYLLABLES.len() as u64) as usize]);
        n /= SYLLABLES.len() as u64;
    }
    out
}

/// Text: ordinary lines, failures by shop, runs that end badly, traces.
fn text(lines: u64) -> String {
    let (mut out, mut numbers) = (String::new(), Numbers(1));
    for n in 0..lines {
        let (at, shop) = (stamp(n * 7), numbers.below(40));
        let _ = match numbers.below(60) {
            0 => writeln!(
                out,
                "{at}Z ERROR fetch shop=shop-{shop} status=429 Too Many Requests retry-after: 30"
            ),
            1 => writeln!(out, "{at}Z ERROR extract_failed shop=shop-{shop}"),
            2 => writeln!(
                out,
                "{at}Z ERROR unhandled\nTraceback (most recent call last):\n  File \"/srv/app.py\", line {n}, in run\n    go()\nrequests.exceptions.ReadTimeout: HTTPSConnectionPool(host='a.example.com', port=443): Read timed out. (read timeout=10)"
            ),
            3 => writeln!(
                out,
                "{at}Z INFO run start run_id=r{n}\n{at}Z INFO the last page was short\n{at}Z INFO job finished exit=1"
            ),
            _ => writeln!(
                out,
                "{at}Z INFO fetched shop=shop-{shop} in {} ms errors=0 retries=0",
                numbers.below(900)
            ),
        };
    }
    out
}

/// JSON lines with levels as numbers.
fn json_lines(lines: u64) -> String {
    let (mut out, mut numbers) = (String::new(), Numbers(2));
    for n in 0..lines {
        let (at, id) = (stamp(n * 9), numbers.below(1000));
        let _ = match numbers.below(50) {
            0 => writeln!(
                out,
                r#"{{"level":50,"time":"{at}.120Z","reqId":"q-{id}","msg":"the shelf was bare"}}"#
            ),
            1 => writeln!(
                out,
                r#"{{"level":40,"time":"{at}.120Z","reqId":"q-{id}","status":503,"msg":"upstream said no"}}"#
            ),
            2 => writeln!(
                out,
                r#"{{"level":50,"time":"{at}.120Z","reqId":"q-{id}","error":{{"code":"ECONNRESET","message":"socket hang up"}},"msg":"sync failed"}}"#
            ),
            _ => writeln!(
                out,
                r#"{{"level":30,"time":"{at}.120Z","reqId":"q-{id}","error":null,"msg":"took 429 ms"}}"#
            ),
        };
    }
    out
}

/// A level of one letter, which no pack knows, and names in another script.
fn letters(lines: u64) -> String {
    let (mut out, mut numbers) = (String::new(), Numbers(3));
    for n in 0..lines {
        let at = stamp(n * 5).replace('T', " ");
        let _ = match numbers.below(40) {
            0 => writeln!(out, "{at} | E | worker | wheel came off"),
            1 => writeln!(out, "{at} | E | worker | 全ソース取得失敗"),
            2 => writeln!(
                out,
                "{at} | W | worker | connect ECONNREFUSED 10.0.0.7:5432"
            ),
            _ => writeln!(out, "{at} | I | worker | turn {n} done"),
        };
    }
    out
}

/// Indented lines without end, in which no line begins a record for certain.
fn indented(lines: u64) -> String {
    let (mut out, mut numbers) = (String::from("{\n"), Numbers(4));
    for n in 0..lines {
        let _ = match numbers.below(90) {
            0 => writeln!(out, "    \"e{n}\": \"HTTP/1.1 429 Too Many Requests\","),
            1 => writeln!(out, "    \"e{n}\": \"ERROR: upload failed\","),
            _ => writeln!(
                out,
                "    \"k{n}\": {{ \"size\": {} }},",
                numbers.below(90_000)
            ),
        };
    }
    out.push_str("}\n");
    out
}

/// A line that is longer than a record may be, with failures before it, in it and behind it.
fn long_line() -> String {
    let mut out = String::from("2026-08-09T10:00:00Z ERROR early_failed status=429\n");
    out.push_str("2026-08-09T10:00:01Z ERROR body_failed status=503 body=");
    while out.len() < 330_000 {
        out.push_str("lorem ipsum dolor ");
    }
    out.push_str(" quota_exceeded insufficient_quota\n2026-08-09T10:00:02Z INFO ok\n");
    out.push_str("2026-08-09T10:00:03Z ERROR late_failed connect ETIMEDOUT 10.0.0.1:443\n");
    out
}

fn lanes() -> Vec<(&'static str, String)> {
    vec![
        ("text/app.log", text(1500)),
        ("json/app.log", json_lines(900)),
        ("letters/app.log", letters(800)),
        ("indented/dump.log", indented(4200)),
        ("long/app.log", long_line()),
    ]
}

fn write(dir: &Path, ending: &str, change: impl Fn(&str) -> Result<Vec<u8>>) -> Result<()> {
    for (name, text) in lanes() {
        let path = dir.join(format!("{name}{ending}"));
        fs::create_dir_all(path.parent().context("a file in a directory")?)?;
        fs::write(path, change(&text)?)?;
    }
    Ok(())
}

fn audit(dir: &Path, more: &[&str]) -> Result<String> {
    let mut args = vec!["audit", "logs", "--format", "json", "--progress", "never"];
    args.extend(more);
    let ran = misnomer(&args, dir)?;
    ensure!(ran.code == Some(0), "{more:?}: {:?} {}", ran.code, ran.err);
    Ok(ran.out)
}

/// The report with the size of the input left out.
fn without_bytes(report: &str) -> Result<String> {
    let mut value: serde_json::Value = serde_json::from_str(report)?;
    let input = value.get_mut("input").context("the report has an input")?;
    input["bytes"] = 0.into();
    Ok(serde_json::to_string_pretty(&value)?)
}

/// Says where two reports part, instead of printing both.
fn same(what: &str, expected: &str, found: &str) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    let differing = expected
        .lines()
        .zip(found.lines())
        .enumerate()
        .find(|(_, (a, b))| a != b);
    anyhow::bail!(
        "{what}: {} and {} bytes; first at {differing:?}",
        expected.len(),
        found.len()
    )
}

#[test]
fn threads_blocks_and_the_prefilter_change_nothing() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let dir = dir.path();
    write(&dir.join("logs"), "", |text| Ok(text.as_bytes().to_vec()))?;
    let expected = audit(dir, &["--threads", "1"])?;
    for name in [
        "extract_failed",
        "wheel came off",
        "the shelf was bare",
        "late_failed",
    ] {
        ensure!(expected.contains(name), "{name} is not found");
    }
    ensure!(
        !expected.contains("insufficient_quota"),
        "read beyond the longest record"
    );
    for more in [
        &["--threads", "2"][..],
        &["--block-size", "4096"],
        &["--block-size", "65536"],
        &["--block-size", "8388608"],
        &["--no-prefilter"],
        &["--no-prefilter", "--block-size", "65536", "--threads", "2"],
    ] {
        same(&format!("{more:?}"), &expected, &audit(dir, more)?)?;
    }
    Ok(())
}

#[test]
fn line_ends_and_compression_change_nothing() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let dir = dir.path();
    let logs = dir.join("logs");
    let made = |ending: &str, change: &dyn Fn(&str) -> Result<Vec<u8>>| -> Result<String> {
        let _ = fs::remove_dir_all(&logs);
        write(&logs, ending, change)?;
        audit(dir, &["--block-size", "65536"])
    };
    let plain = made("", &|text| Ok(text.as_bytes().to_vec()))?;
    let gzip = made(".gz", &|text| {
        let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        to.write_all(text.as_bytes())?;
        Ok(to.finish()?)
    })?;
    same("gzip", &plain, &gzip.replace(".log.gz", ".log"))?;
    let zst = made(".zst", &|text| Ok(zstd::encode_all(text.as_bytes(), 1)?))?;
    same("zstd", &plain, &zst.replace(".log.zst", ".log"))?;
    let plain = without_bytes(&plain)?;
    let crlf = made("", &|text| Ok(text.replace('\n', "\r\n").into_bytes()))?;
    same("CRLF", &plain, &without_bytes(&crlf)?)?;
    let open = made("", &|text| Ok(text.trim_end().as_bytes().to_vec()))?;
    same("no final newline", &plain, &without_bytes(&open)?)
}

/// Every cap bites: more names than are kept, and more rows of one name than are kept.
fn flood() -> String {
    let (mut out, mut numbers) = (String::new(), Numbers(5));
    for n in 0..8_400 {
        let (at, shop) = (stamp(n * 9), numbers.below(700));
        let _ = writeln!(out, "{at}Z ERROR {} went away", word(n));
        if n % 12 == 0 {
            let _ = writeln!(out, "{at}Z WARN GET /p status=429 shop=shop-{shop}");
            let _ = writeln!(out, "{at}Z ERROR extract_failed shop=shop-{shop}");
        }
    }
    out
}

#[test]
fn stored_evidence_gives_the_same_report() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let dir = dir.path();
    fs::create_dir_all(dir.join("logs/flood"))?;
    write(&dir.join("logs"), "", |text| Ok(text.as_bytes().to_vec()))?;
    fs::write(dir.join("logs/flood/app.log"), flood())?;
    let direct = audit(dir, &["--threads", "1"])?;
    for what in ["\"names\"", "\"rows\"", "\"lines\""] {
        ensure!(direct.contains(what), "the cap on {what} does not bite");
    }
    let ran = misnomer(
        &[
            "scan",
            "logs",
            "--output",
            "x.parquet",
            "--block-size",
            "65536",
        ],
        dir,
    )?;
    ensure!(ran.code == Some(0), "scan: {}", ran.err);
    let ran = misnomer(
        &["audit", "--evidence", "x.parquet", "--format", "json"],
        dir,
    )?;
    ensure!(ran.code == Some(0), "audit --evidence: {}", ran.err);
    same("evidence", &direct, &ran.out)?;
    same("blocks", &direct, &audit(dir, &["--block-size", "65536"])?)
}
