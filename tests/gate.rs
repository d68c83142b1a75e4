//! The gate from end to end: what is known stays silent, what is new fails, and nothing lapses in silence.

mod common;

use anyhow::{Context, Result, ensure};
use common::{Ran, misnomer};
use misnomer::audit::finding::Outcome;
use misnomer::gate::baseline::Baseline;
use misnomer::gate::waivers::Waivers;
use std::fs;
use std::path::Path;

/// A day of the lane that is known to go wrong.
const KNOWN: &str = "\
2026-08-08T09:00:01Z INFO run start id=1
2026-08-08T09:00:02Z INFO GET https://shop.test/a -> 429 Too Many Requests
2026-08-08T09:00:02Z ERROR extract_failed shop=17
2026-08-08T09:00:03Z INFO run end exit=1
";

/// A wrong name that is new.
const NEW: &str = "\
2026-08-08T10:00:01Z INFO run start id=2
2026-08-08T10:00:02Z ERROR getaddrinfo ENOTFOUND api.mail.test
2026-08-08T10:00:02Z ERROR invalid password for mail
2026-08-08T10:00:03Z INFO run end exit=1
";

/// An ordinary night.
const QUIET: &str =
    "2026-08-08T10:00:01Z INFO run start id=2\n2026-08-08T10:00:03Z INFO run end exit=0\n";

struct Walk(tempfile::TempDir);

impl Walk {
    fn new() -> Result<Walk> {
        let walk = Walk(tempfile::tempdir()?);
        walk.log("shop", KNOWN)?;
        walk.log("mail", QUIET)?;
        Ok(walk)
    }

    fn dir(&self) -> &Path {
        self.0.path()
    }

    fn log(&self, lane: &str, text: &str) -> Result<()> {
        let dir = self.dir().join("logs").join(lane);
        fs::create_dir_all(&dir)?;
        Ok(fs::write(dir.join("a.log"), text)?)
    }

    fn run(&self, code: i32, args: &[&str]) -> Result<Ran> {
        let ran = misnomer(args, self.dir())?;
        ensure!(
            ran.code == Some(code),
            "{args:?} ended with {:?} instead of {code}:\n{}{}",
            ran.code,
            ran.out,
            ran.err
        );
        Ok(ran)
    }

    fn audit(&self) -> Result<Outcome> {
        let ran = self.run(0, &["audit", "logs", "--format", "json"])?;
        Ok(serde_json::from_str(&ran.out)?)
    }

    fn read(&self, file: &str) -> Result<String> {
        Ok(fs::read_to_string(self.dir().join(file))?)
    }
}

#[test]
fn the_walk() -> Result<()> {
    let walk = Walk::new()?;
    // Without a baseline everything is new, and it is said how to get one.
    let ran = walk.run(1, &["gate", "logs"])?;
    ensure!(
        ran.out.contains("misnomer baseline create logs"),
        "{}",
        ran.out
    );
    walk.run(0, &["gate", "logs", "--exit-zero"])?;

    walk.run(
        0,
        &[
            "baseline",
            "create",
            "logs",
            "--now",
            "2026-08-08T12:00:00Z",
        ],
    )?;
    let written = walk.read("misnomer.baseline.jsonl")?;
    ensure!(
        written.starts_with("{\"misnomer_baseline\":1,\"fp\":1}\n"),
        "{written}"
    );
    ensure!(
        written.contains("\"recorded\":\"extract_failed\",\"cause\":\"rate_limited\""),
        "{written}"
    );
    ensure!(written.contains("\"added\":\"2026-08-08\""), "{written}");
    walk.run(2, &["baseline", "create", "logs"])?;
    let ran = walk.run(0, &["gate", "logs"])?;
    ensure!(ran.out.starts_with("Nothing fails."), "{}", ran.out);
    let ran = walk.run(0, &["gate", "logs", "--quiet"])?;
    ensure!(
        ran.out.is_empty() && ran.err.is_empty(),
        "{}{}",
        ran.out,
        ran.err
    );
    walk.run(1, &["gate", "logs", "--fail-on", "any"])?;

    // One new wrong name: it fails, and it alone is named.
    walk.log("mail", NEW)?;
    let outcome = walk.audit()?;
    let new: Vec<_> = outcome.findings.iter().filter(|f| f.fails()).collect();
    ensure!(
        !new.is_empty() && new.iter().all(|f| f.lane == "mail"),
        "{new:?}"
    );
    let ran = walk.run(1, &["gate", "logs"])?;
    ensure!(
        ran.out.contains("invalid password") && !ran.out.contains("extract_failed"),
        "{}",
        ran.out
    );
    for finding in &new {
        let fp = &finding.fingerprint[..12];
        ensure!(
            ran.out.contains(&format!("misnomer explain {fp} logs")),
            "{}",
            ran.out
        );
        ensure!(
            ran.out.contains(&format!("misnomer waive {fp} logs")),
            "{}",
            ran.out
        );
    }
    let fp = &new[0].fingerprint[..12];
    let ran = walk.run(0, &["explain", fp, "logs"])?;
    ensure!(
        ran.out.contains("will waiting fix it?") && ran.out.contains("misnomer override"),
        "{}",
        ran.out
    );

    // Waived, it passes.
    for finding in &new {
        walk.run(
            0,
            &[
                "waive",
                &finding.fingerprint[..8],
                "logs",
                "--reason",
                "the resolver is replaced next week",
                "--owner",
                "Mori",
                "--expires",
                "2026-09-01",
                "--now",
                "2026-08-08T12:00:00Z",
            ],
        )?;
    }
    walk.run(0, &["gate", "logs", "--now", "2026-08-09T00:00:00Z"])?;
    let ran = walk.run(0, &["gate", "logs", "--now", "2026-08-30T00:00:00Z"])?;
    ensure!(ran.out.contains("ends on 2026-09-01 (Mori)"), "{}", ran.out);

    // Its date passed: it fails, loudly.
    let ran = walk.run(1, &["gate", "logs", "--now", "2026-09-02T00:00:00Z"])?;
    ensure!(
        ran.out.contains("Mori") && ran.out.contains("the resolver is replaced next week"),
        "{}",
        ran.out
    );
    ensure!(ran.out.contains("lapsed"), "{}", ran.out);

    // Fixed: the waiver is unused, and only --strict minds.
    walk.log("mail", QUIET)?;
    let now = ["--now", "2026-08-09T00:00:00Z"];
    let ran = walk.run(0, &["gate", "logs", now[0], now[1]])?;
    ensure!(ran.out.contains("meets nothing in this run"), "{}", ran.out);
    walk.run(1, &["gate", "logs", "--strict", now[0], now[1]])?;
    fs::remove_file(walk.dir().join("misnomer.waivers.toml"))?;

    // The known one is fixed: dormant, then stale after thirty days and ten runs, then pruned.
    walk.log("shop", QUIET)?;
    let ran = walk.run(0, &["gate", "logs"])?;
    ensure!(ran.out.contains("not seen in this run"), "{}", ran.out);
    walk.run(2, &["baseline", "prune", "logs"])?;
    for day in 1..=12 {
        let now = format!("2026-09-{day:02}T00:00:00Z");
        let output = format!("json=out/{day}.json");
        fs::create_dir_all(walk.dir().join("out"))?;
        walk.run(
            0,
            &[
                "audit",
                "logs",
                "--quiet",
                "--now",
                &now,
                "--output",
                &output,
                "--history",
                "out",
            ],
        )?;
    }
    let early = ["--history", "out", "--now", "2026-09-03T00:00:00Z"];
    let args = [&["baseline", "prune", "logs"][..], &early].concat();
    let ran = walk.run(0, &args)?;
    ensure!(ran.out.contains(": 0 taken out"), "{}", ran.out);
    let late = ["--history", "out", "--now", "2026-09-13T00:00:00Z"];
    let ran = walk.run(0, &[&["gate", "logs"][..], &late].concat())?;
    ensure!(ran.out.contains("stale"), "{}", ran.out);
    walk.run(1, &[&["gate", "logs", "--strict"][..], &late].concat())?;
    walk.run(0, &[&["baseline", "prune", "logs"][..], &late].concat())?;
    let left = Baseline::read(&walk.dir().join("misnomer.baseline.jsonl"))?;
    ensure!(left.entries.is_empty(), "{left:?}");
    Ok(())
}

#[test]
fn another_cause_is_changed_and_a_surge_fails() -> Result<()> {
    let walk = Walk::new()?;
    walk.run(0, &["baseline", "create", "logs"])?;
    walk.log(
        "shop",
        &KNOWN.replace("429 Too Many Requests", "503 Service Unavailable"),
    )?;
    let ran = walk.run(1, &["gate", "logs"])?;
    ensure!(ran.out.contains("changed"), "{}", ran.out);
    ensure!(
        ran.out.contains("was rate_limited, now overloaded"),
        "{}",
        ran.out
    );

    walk.log("shop", KNOWN)?;
    let outcome = walk.audit()?;
    let finding = outcome
        .findings
        .iter()
        .find(|f| f.rule == "misnamed")
        .context("misnamed")?;
    walk.run(
        0,
        &[
            "baseline",
            "add",
            &finding.fingerprint,
            "logs",
            "--ceil",
            "1",
        ],
    )?;
    walk.run(0, &["gate", "logs"])?;
    let later = KNOWN
        .replace("T09:", "T11:")
        .replace("id=1", "id=3")
        .replace("shop=17", "shop=18");
    walk.log("shop", &format!("{KNOWN}{later}"))?;
    let ran = walk.run(1, &["gate", "logs"])?;
    ensure!(ran.out.contains("the baseline allows 1"), "{}", ran.out);
    Ok(())
}

#[test]
fn an_override_rules_and_both_are_shown() -> Result<()> {
    let walk = Walk::new()?;
    let outcome = walk.audit()?;
    let finding = outcome
        .findings
        .iter()
        .find(|f| f.rule == "misnamed")
        .context("misnamed")?;
    walk.run(
        0,
        &[
            "override",
            &finding.fingerprint,
            "logs",
            "--cause",
            "bot_challenge",
            "--reason",
            "the page asks for a captcha",
            "--owner",
            "Mori",
        ],
    )?;
    let outcome = walk.audit()?;
    let failure = outcome
        .failures
        .iter()
        .find(|f| f.overruled.is_some())
        .context("overruled")?;
    assert_eq!(failure.cause.slug(), "bot_challenge");
    assert_eq!(
        failure.overruled.as_ref().map(|o| o.judged.slug()),
        Some("rate_limited")
    );
    let again = outcome
        .findings
        .iter()
        .find(|f| f.fingerprint == finding.fingerprint)
        .context("finding")?;
    assert_eq!(again.state, "overridden");
    let ran = walk.run(0, &["override", "--labels"])?;
    let label: serde_json::Value = serde_json::from_str(&ran.out)?;
    assert_eq!(label["cause"], "bot_challenge");
    assert_eq!(label["judged"], "rate_limited");
    assert_eq!(label["lane"], "shop");
    // A ruling for a lane, without a finding to point at.
    fs::remove_file(walk.dir().join("misnomer.waivers.toml"))?;
    walk.run(
        0,
        &[
            "override",
            "--match-lane",
            "sh*",
            "--match-recorded",
            "extract_failed",
            "--max-matches",
            "9",
            "--cause",
            "parse_or_extract",
            "--reason",
            "seen by eye",
            "--owner",
            "Mori",
        ],
    )?;
    let outcome = walk.audit()?;
    let failure = outcome
        .failures
        .iter()
        .find(|f| f.overruled.is_some())
        .context("overruled")?;
    assert_eq!(serde_json::to_value(failure.standing)?, "accurate");
    assert_eq!(outcome.summary.misnamed, 0);
    walk.run(
        2,
        &[
            "override",
            "--match-lane",
            "x",
            "--cause",
            "rate_limit",
            "--reason",
            "r",
        ],
    )?;
    Ok(())
}

#[test]
fn the_code_does_not_depend_on_the_format() -> Result<()> {
    let walk = Walk::new()?;
    for report in misnomer::report::ALL.iter().filter(|r| r.write.is_some()) {
        walk.run(1, &["gate", "logs", "--format", report.name])?;
        walk.run(0, &["audit", "logs", "--format", report.name])?;
        walk.run(
            1,
            &["audit", "logs", "--fail-on", "new", "--format", report.name],
        )?;
    }
    fs::create_dir_all(walk.dir().join("logs/torn"))?;
    fs::write(
        walk.dir().join("logs/torn/a.log.gz"),
        b"\x1f\x8b\x08\x00torn",
    )?;
    walk.run(0, &["baseline", "create", "logs"])
        .or_else(|_| walk.run(3, &["baseline", "create", "logs", "--force"]))?;
    for report in misnomer::report::ALL.iter().filter(|r| r.write.is_some()) {
        walk.run(3, &["gate", "logs", "--format", report.name])?;
        walk.run(
            0,
            &[
                "gate",
                "logs",
                "--allow-incomplete",
                "--format",
                report.name,
            ],
        )?;
    }
    let ran = walk.run(2, &["baseline", "prune", "--dormant", "logs"])?;
    ensure!(ran.err.contains("not complete"), "{}", ran.err);
    Ok(())
}

#[test]
fn a_broken_file_is_said_with_its_line() -> Result<()> {
    let walk = Walk::new()?;
    walk.run(2, &["gate", "logs", "--baseline", "missing.jsonl"])?;
    walk.run(0, &["baseline", "create", "logs"])?;
    let good = walk.read("misnomer.baseline.jsonl")?;
    let mut lines = good.lines();
    let (head, entry) = (
        lines.next().context("header")?,
        lines.next().context("entry")?,
    );
    for (text, said) in [
        (String::new(), "b.jsonl:1:"),
        (
            format!("{head}\n<<<<<<< ours\n{entry}\n"),
            "b.jsonl:2: a conflict",
        ),
        (
            format!("{head}\n{}\n", entry.replace("rate_limited", "overloaded")),
            "b.jsonl:2: the fingerprint",
        ),
        (format!("{head}\n{{\n"), "b.jsonl:2: not an entry"),
        (
            good.replacen(":1,", ":7,", 1),
            "b.jsonl:1: this baseline is of version 7",
        ),
        (entry.to_owned(), "b.jsonl:1: the first line"),
    ] {
        fs::write(walk.dir().join("b.jsonl"), text)?;
        let ran = walk.run(2, &["gate", "logs", "--baseline", "b.jsonl"])?;
        ensure!(ran.err.contains(said), "{said}: {}", ran.err);
    }
    // An older recipe is taken over by the stored fields.
    let old = good
        .replacen("\"fp\":1", "\"fp\":0", 1)
        .replace(&entry[7..39], &"0".repeat(32));
    assert_eq!(
        Baseline::parse("old", &old)?,
        Baseline::parse("good", &good)?
    );
    // Writing again changes nothing.
    walk.run(0, &["baseline", "fmt"])?;
    assert_eq!(walk.read("misnomer.baseline.jsonl")?, good);
    Ok(())
}

#[test]
fn two_branches_merge() -> Result<()> {
    let walk = Walk::new()?;
    walk.run(0, &["baseline", "create", "logs", "--baseline", "base"])?;
    let base = Baseline::read(&walk.dir().join("base"))?;
    walk.log("mail", NEW)?;
    walk.run(0, &["baseline", "create", "logs", "--baseline", "ours"])?;
    let mut theirs = base.clone();
    let gone = base.entries.keys().next().context("an entry")?.clone();
    theirs.entries.remove(&gone);
    theirs.write(&walk.dir().join("theirs"))?;
    let ours = Baseline::read(&walk.dir().join("ours"))?;
    walk.run(0, &["baseline", "merge", "base", "ours", "theirs"])?;
    let merged = Baseline::read(&walk.dir().join("ours"))?;
    ensure!(!merged.entries.contains_key(&gone));
    assert_eq!(merged.entries.len(), ours.entries.len() - 1);
    Ok(())
}

#[test]
fn waivers_that_are_none_are_refused() {
    let good = "[[waiver]]\nmatch = { lane = 'a*' }\nmax-matches = 2\naction = 'accept'\nreason = 'r'\nowner = 'o'\ncreated = 2026-08-01\nexpires = '2026-09-01'\n";
    assert!(Waivers::parse("w", good).is_ok());
    for (from, to, said) in [
        ("reason = 'r'\n", "", "missing key `reason`"),
        ("reason = 'r'", "reason = ' '", "`reason` is empty"),
        ("owner = 'o'\n", "", "missing key `owner`"),
        ("2026-09-01", "2027-09-01", "may hold for 180"),
        ("2026-09-01", "2026-07-01", "before it is created"),
        ("2026-08-01", "12", "is no date"),
        ("max-matches = 2\n", "", "needs `max-matches`"),
        ("lane = 'a*'", "", "no field"),
        ("lane = 'a*'", "lane = 'a['", "no glob"),
        ("'accept'", "'override'", "needs its verdict"),
        (
            "'accept'",
            "'override'\nverdict = 'rate_limit'",
            "did you mean `rate_limited`",
        ),
        (
            "'accept'",
            "'accept'\nverdict = 'rate_limited'",
            "belongs to",
        ),
        (
            "match = { lane = 'a*' }",
            "fp = 'abc'",
            "32 hexadecimal digits",
        ),
        ("match = { lane = 'a*' }\n", "", "either `fp` or `match`"),
        ("owner", "owned", "unknown key `owned`"),
    ] {
        let text = good.replacen(from, to, 1);
        let fault = Waivers::parse("w.toml", &text)
            .map(|w| w.all.len())
            .map_err(|e| e.to_string());
        assert!(
            fault
                .as_ref()
                .is_err_and(|f| f.contains(said) && f.contains("w.toml:")),
            "{said}: {fault:?}"
        );
    }
}
