//! Night after night: what was scanned is not read again, and what is new is said.

mod common;

use anyhow::{Result, ensure};
use common::misnomer;
use misnomer::audit::finding::Outcome;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn night(day: usize, fails: bool) -> String {
    let failure = match fails {
        true => format!(
            "2026-06-{day:02}T03:00:02Z INFO GET https://shop.test/a -> 429 Too Many Requests\n2026-06-{day:02}T03:00:03Z ERROR extract_failed shop=17\n2026-06-{day:02}T03:00:04Z INFO run end exit=1\n"
        ),
        false => format!("2026-06-{day:02}T03:00:04Z INFO run end exit=0\n"),
    };
    format!("2026-06-{day:02}T03:00:01Z INFO run start id={day}\n{failure}")
}

fn run(dir: &Path, code: i32, args: &[&str]) -> Result<common::Ran> {
    let ran = misnomer(args, dir)?;
    ensure!(
        ran.code == Some(code),
        "{args:?}: {:?} {}{}",
        ran.code,
        ran.out,
        ran.err
    );
    Ok(ran)
}

fn outcome(dir: &Path, args: &[&str]) -> Result<Outcome> {
    let args = [&["audit", "--format", "json"], args].concat();
    Ok(serde_json::from_str(&run(dir, 0, &args)?.out)?)
}

#[test]
fn thirty_nights_are_one_scan() -> Result<()> {
    let temp = tempfile::tempdir()?;
    let dir = temp.path();
    fs::create_dir_all(dir.join("logs/shop"))?;
    let mut current = String::new();
    for day in 1..=30 {
        // One file a day, and one that grows and is rotated every ten days.
        fs::write(
            dir.join(format!("logs/shop/2026-06-{day:02}.log")),
            night(day, day % 7 == 0),
        )?;
        if day % 10 == 1 && day > 1 {
            fs::rename(
                dir.join("logs/shop/current.log"),
                dir.join(format!("logs/shop/current.{day}.log")),
            )?;
            current.clear();
        }
        current.push_str(
            &night(day, day % 9 == 0)
                .replace("T03:", "T05:")
                .replace("id=", "id=9")
                .replace("shop=17", "shop=23"),
        );
        fs::write(dir.join("logs/shop/current.log"), &current)?;
        run(
            dir,
            0,
            &[
                "scan",
                "logs",
                "--output",
                &format!("evidence/{day:02}.parquet"),
                "--known",
                "evidence",
            ],
        )?;
    }
    let nightly = outcome(dir, &["--evidence", "evidence"])?;
    let at_once = outcome(dir, &["logs"])?;
    let fps = |o: &Outcome| -> BTreeSet<String> {
        o.findings.iter().map(|f| f.fingerprint.clone()).collect()
    };
    assert_eq!(fps(&nightly), fps(&at_once));
    assert_eq!(nightly.summary, at_once.summary);
    ensure!(nightly.summary.failures == 7, "{:?}", nightly.summary);
    // Nothing new: nothing is read and nothing written.
    let ran = run(
        dir,
        0,
        &[
            "scan",
            "logs",
            "--output",
            "evidence/again.parquet",
            "--known",
            "evidence",
        ],
    )?;
    ensure!(ran.err.contains("nothing new in"), "{}", ran.err);
    ensure!(!dir.join("evidence/again.parquet").exists());
    // A lane that is gone is said.
    fs::rename(dir.join("logs/shop"), dir.join("logs/other"))?;
    let ran = run(
        dir,
        0,
        &[
            "scan",
            "logs",
            "--output",
            "evidence/{date}.parquet",
            "--known",
            "evidence",
        ],
    )?;
    ensure!(ran.err.contains("the lane shop had logs"), "{}", ran.err);
    ensure!(dir.join("evidence/2026-06-30.parquet").exists());
    Ok(())
}

#[test]
fn a_clean_night_prints_nothing_and_a_silent_lane_does() -> Result<()> {
    let temp = tempfile::tempdir()?;
    let dir = temp.path();
    for lane in ["shop", "mail"] {
        fs::create_dir_all(dir.join("logs").join(lane))?;
        fs::write(dir.join("logs").join(lane).join("a.log"), night(1, false))?;
    }
    fs::create_dir_all(dir.join("out"))?;
    let audit = |day: usize| -> Result<common::Ran> {
        let now = format!("2026-06-{day:02}T06:00:00Z");
        run(
            dir,
            0,
            &[
                "audit",
                "logs",
                "--quiet",
                "--now",
                &now,
                "--history",
                "out",
                "--output",
                "json=out/{date}.json",
            ],
        )
    };
    let ran = audit(1)?;
    ensure!(
        ran.out.is_empty() && ran.err.is_empty(),
        "{}{}",
        ran.out,
        ran.err
    );
    ensure!(dir.join("out/2026-06-01.json").exists());
    fs::write(dir.join("logs/shop/b.log"), night(2, true))?;
    let ran = audit(2)?;
    ensure!(
        ran.out.contains("Since the run of 2026-06-01 06:00:"),
        "{}",
        ran.out
    );
    ensure!(ran.out.contains(" new"), "{}", ran.out);
    fs::remove_dir_all(dir.join("logs/mail"))?;
    let ran = audit(3)?;
    ensure!(
        ran.out.contains("NO LINE ANY MORE from mail"),
        "{}",
        ran.out
    );
    // A directory that is suddenly empty is no clean night.
    fs::remove_dir_all(dir.join("logs/shop"))?;
    let ran = run(
        dir,
        3,
        &[
            "audit",
            "logs",
            "--quiet",
            "--now",
            "2026-06-04T06:00:00Z",
            "--history",
            "out",
        ],
    )?;
    ensure!(ran.err.contains("no log was found"), "{}", ran.err);
    Ok(())
}

#[test]
fn a_first_configuration() -> Result<()> {
    let temp = tempfile::tempdir()?;
    let dir = temp.path();
    fs::create_dir_all(dir.join("logs/shop"))?;
    fs::write(
        dir.join("logs/shop/a.log"),
        (1..9).map(|d| night(d, false)).collect::<String>(),
    )?;
    run(dir, 0, &["init", "logs"])?;
    let text = fs::read_to_string(dir.join("misnomer.toml"))?;
    ensure!(
        text.contains("[lanes.\"shop\"]") && text.contains("paths = [\"logs\"]"),
        "{text}"
    );
    run(dir, 0, &["audit"])?;
    run(dir, 2, &["init", "logs"])?;
    run(dir, 0, &["init", "logs", "--print"])?;
    Ok(())
}

#[test]
fn a_stored_run_is_rendered_again() -> Result<()> {
    let temp = tempfile::tempdir()?;
    let dir = temp.path();
    fs::create_dir_all(dir.join("logs/shop"))?;
    fs::write(dir.join("logs/shop/a.log"), night(1, false))?;
    run(dir, 0, &["audit", "logs", "--output", "json=a.json"])?;
    fs::write(dir.join("logs/shop/a.log"), night(1, true))?;
    run(dir, 0, &["audit", "logs", "--output", "json=b.json"])?;
    let ran = run(dir, 0, &["report", "b.json", "--format", "json"])?;
    assert_eq!(ran.out, fs::read_to_string(dir.join("b.json"))?);
    run(
        dir,
        0,
        &[
            "report",
            "b.json",
            "--format",
            "sarif",
            "--output",
            "html=b.html",
            "--output",
            "csv=b",
        ],
    )?;
    ensure!(fs::read_to_string(dir.join("b.html"))?.ends_with("</html>\n"));
    let ran = run(dir, 0, &["diff", "a.json", "b.json"])?;
    ensure!(ran.out.starts_with("new  "), "{}", ran.out);
    let ran = run(dir, 0, &["diff", "b.json", "b.json"])?;
    assert_eq!(ran.out, "no difference\n");
    let ran = run(dir, 0, &["diff", "b.json", "a.json", "--json"])?;
    ensure!(
        ran.out.lines().all(|l| l.contains("\"state\":\"gone\"")),
        "{}",
        ran.out
    );
    run(dir, 2, &["report", "logs/shop/a.log"])?;
    for args in [
        &["completions", "bash"][..],
        &["completions", "fish"],
        &["man"],
    ] {
        ensure!(run(dir, 0, args)?.out.contains("misnomer"));
    }
    Ok(())
}
