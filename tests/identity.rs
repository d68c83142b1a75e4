//! What a finding's identity depends on, and what it does not.

use anyhow::{Result, ensure};
use clap::Parser;
use misnomer::audit::identity::{anchor, fingerprint};
use misnomer::audit::{Filter, audit, newest};
use misnomer::cli::Cli;
use misnomer::run::inputs::Inputs;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

#[test]
fn the_vectors_are_frozen() -> Result<()> {
    let text = include_str!("data/fingerprints.tsv");
    let mut count = 0;
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let fields: Vec<String> = line.split('\t').map(|f| f.replace("\\t", "\t")).collect();
        let [rule, lane, recorded, cause, decides, fp, of] = fields.as_slice() else {
            anyhow::bail!("{} fields: {line}", fields.len());
        };
        assert_eq!(
            &fingerprint(rule, lane, recorded, cause, decides),
            fp,
            "{line}"
        );
        assert_eq!(&anchor(rule, lane, recorded), of, "{line}");
        count += 1;
    }
    ensure!(count >= 12);
    Ok(())
}

proptest! {
    #[test]
    fn every_part_counts(parts in prop::array::uniform5(".{0,12}"), at in 0..5usize, more in ".{1,4}") {
        let hash = |p: &[String; 5]| fingerprint(&p[0], &p[1], &p[2], &p[3], &p[4]);
        let mut other = parts.clone();
        other[at].push_str(&more);
        prop_assert_ne!(hash(&parts), hash(&other));
        // Moving the bounds between two parts is another finding.
        if at < 4 && !parts[at].is_empty() {
            let mut moved = parts.clone();
            let last: String = moved[at].pop().into_iter().collect();
            moved[at + 1] = last + &moved[at + 1];
            prop_assert_ne!(hash(&parts), hash(&moved));
        }
        let anchors = |p: &[String; 5]| anchor(&p[0], &p[1], &p[2]);
        prop_assert_eq!(anchors(&parts) == anchors(&other), at > 2);
    }
}

/// How a log is written: everything here may change, and the findings stay the same.
#[derive(Clone, Debug)]
struct Writing {
    /// Seconds by which all times are shifted.
    shift: i64,
    /// From which ids count.
    id: u32,
    /// The process.
    pid: u32,
    /// Ordinary lines before each line.
    noise: usize,
    /// The line of the failing frame, as it moves with each deployment.
    frame: u32,
    /// Whether lines end in CR LF.
    crlf: bool,
    /// Whether the file is gzipped.
    gzip: bool,
    /// Whether the older half was rotated away.
    rotated: bool,
    /// Whether the cause stands there once more.
    again: bool,
    /// The root's name.
    root: &'static str,
    /// Whether the two independent runs stand the other way round.
    swapped: bool,
}

const PLAIN: Writing = Writing {
    shift: 0,
    id: 100,
    pid: 7,
    noise: 0,
    frame: 12,
    crlf: false,
    gzip: false,
    rotated: false,
    again: false,
    root: "logs",
    swapped: false,
};

fn any_writing() -> impl Strategy<Value = Writing> {
    (
        (
            0..2_000_000i64,
            1_000..90_000u32,
            1..9_999u32,
            0..4usize,
            1..900u32,
        ),
        any::<[bool; 5]>(),
        prop::sample::select(vec!["logs", "var", "Archive 2"]),
    )
        .prop_map(|((shift, id, pid, noise, frame), flags, root)| Writing {
            shift,
            id,
            pid,
            noise,
            frame,
            crlf: flags[0],
            gzip: flags[1],
            rotated: flags[2],
            again: flags[3],
            root,
            swapped: flags[4],
        })
}

/// Two runs of one lane, each with a wrong name of its own.
fn log(w: &Writing, name: &str, status: &str) -> [String; 2] {
    let mut clock = 1_786_000_000 + w.shift;
    let mut id = w.id;
    let mut run = |which: usize| {
        let mut out = String::new();
        let mut line = |text: String| {
            for i in 0..w.noise {
                clock += 1;
                let at = jiff::Timestamp::from_second(clock).unwrap_or_default();
                out.push_str(&format!(
                    "{at} INFO [{}] cache holds {} entries\n",
                    w.pid,
                    i + 40
                ));
            }
            clock += 1;
            let at = jiff::Timestamp::from_second(clock).unwrap_or_default();
            out.push_str(&format!(
                "{at} {}\n",
                text.replace("PID", &w.pid.to_string())
            ));
        };
        id += 1;
        line(format!("INFO [PID] run start run_id={id}"));
        if which == 0 {
            line(format!(
                "INFO [PID] GET https://shop.test/items -> {status} run_id={id}"
            ));
            if w.again {
                line(format!(
                    "INFO [PID] GET https://shop.test/items -> {status} run_id={id}"
                ));
            }
            line(format!("ERROR [PID] {name} run_id={id}"));
        } else {
            line(format!("ERROR [PID] invalid password for mail run_id={id}"));
            out.push_str(&format!(
                "Traceback (most recent call last):\n  File \"/app/mail.py\", line {}, in send\n    connect()\nsocket.gaierror: [Errno -2] Name or service not known\n",
                w.frame
            ));
        }
        clock += 1;
        let at = jiff::Timestamp::from_second(clock).unwrap_or_default();
        out.push_str(&format!(
            "{at} INFO [{}] run end exit=1 run_id={id}\n",
            w.pid
        ));
        clock += 3_600;
        out
    };
    match w.swapped {
        false => [run(0), run(1)],
        true => [run(1), run(0)],
    }
}

fn write(path: &Path, text: &str, w: &Writing) -> Result<()> {
    let text = if w.crlf {
        text.replace('\n', "\r\n")
    } else {
        text.to_owned()
    };
    if !w.gzip {
        return Ok(std::fs::write(path, text)?);
    }
    let file = std::fs::File::create(path.with_extension("log.gz"))?;
    let mut to = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    to.write_all(text.as_bytes())?;
    to.finish()?;
    Ok(())
}

fn findings(w: &Writing, name: &str, status: &str) -> Result<BTreeSet<String>> {
    let dir = tempfile::tempdir()?;
    let lane = dir.path().join(w.root).join("shop");
    std::fs::create_dir_all(&lane)?;
    let [first, second] = log(w, name, status);
    match w.rotated {
        true => {
            write(&lane.join("run.1.log"), &first, w)?;
            write(&lane.join("run.log"), &second, w)?;
        }
        false => write(&lane.join("run.log"), &(first + &second), w)?,
    }
    let cli = Cli::try_parse_from([
        "misnomer",
        "audit",
        "x",
        "--progress",
        "never",
        "--threads",
        "1",
    ])?;
    let root = dir.path().join(w.root).display().to_string();
    let inputs = Inputs::new(&cli.global, &[root], false)?;
    let table = inputs.scan(&cli.global)?;
    let outcome = audit(&table, &inputs.settings, newest(&table), &Filter::default());
    // What is only possible is no gate's matter.
    Ok(outcome
        .findings
        .iter()
        .filter(|f| f.fails())
        .map(|f| {
            format!(
                "{} {} {} {} {}",
                f.fingerprint, f.rule, f.lane, f.recorded, f.cause
            )
        })
        .collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_writing_does_not_count(w in any_writing()) {
        let fault = |e: anyhow::Error| TestCaseError::fail(format!("{e:#}"));
        let plain = findings(&PLAIN, "extract_failed", "429 Too Many Requests").map_err(fault)?;
        prop_assert!(plain.len() >= 2, "{:?}", plain);
        let other = findings(&w, "extract_failed", "429 Too Many Requests").map_err(fault)?;
        prop_assert_eq!(plain, other);
    }
}

#[test]
fn the_name_and_the_verdict_count() -> Result<()> {
    let plain = findings(&PLAIN, "extract_failed", "429 Too Many Requests")?;
    let renamed = findings(&PLAIN, "selector not found", "429 Too Many Requests")?;
    let judged = findings(&PLAIN, "extract_failed", "503 Service Unavailable")?;
    ensure!(plain != renamed && plain != judged && renamed != judged);
    // What has nothing to do with either is the same in all three.
    ensure!(
        plain.intersection(&renamed).any(|f| judged.contains(f)),
        "{plain:?}"
    );
    Ok(())
}
