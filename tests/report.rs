//! The reports of outcomes made by hand. The table is compared with the files in `report/`, at two widths each;
//! `MISNOMER_BLESS=1 cargo test --test report` writes them anew.

use misnomer::audit::finding::*;
use misnomer::cause::{Cause, Waiting, guide};
use misnomer::evidence::Capped;
use misnomer::report::{self, Style, words};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use unicode_width::UnicodeWidthStr;

fn place(file: &str, line: i64) -> Place {
    Place {
        file: file.into(),
        line,
        end_line: line,
    }
}

/// Lane, name, claim, cause, standing, confidence, count, seconds lost, place, and the reason of the waiting.
#[allow(clippy::too_many_arguments)]
fn failure(
    lane: &str,
    name: &str,
    claimed: Option<Cause>,
    cause: Cause,
    standing: Standing,
    confidence: Confidence,
    count: i64,
    seconds: i64,
    at: (&str, i64),
    wait: &str,
) -> Failure {
    let guide = guide(cause);
    Failure {
        lane: lane.into(),
        recorded_name: name.into(),
        aliases: vec!["exit 1".into(), "all failed".into()],
        claimed,
        cause,
        class: cause.class().into(),
        standing,
        waiting: guide.waiting,
        reset_at: (cause == Cause::QuotaExhausted).then(|| "2026-08-20T00:00:00Z".into()),
        confidence,
        count,
        first: Some("2026-08-03T01:00:00Z".into()),
        last: Some("2026-08-19T21:37:00Z".into()),
        places: vec![place(at.0, at.1), place(at.0, at.1 + 100)],
        evidence: vec![Proof {
            file: at.0.into(),
            line: at.1 - 2,
            end_line: at.1 - 2,
            kind: "cause".into(),
            pattern: "http.429".into(),
            text: "GET /items -> 429 Too Many Requests".into(),
            decides: true,
        }],
        set_aside: vec![SetAside {
            file: at.0.into(),
            line: at.1 - 1,
            pattern: "parse.json".into(),
            why: "a consequence of line 410".into(),
        }],
        advice: Advice {
            wait: wait.into(),
            cut_off: guide.cut_off.into(),
            change: guide.change.into(),
        },
        cost: Cost {
            seconds,
            ..Cost::default()
        },
        days: BTreeMap::from([("2026-08-03".into(), count - 1), ("2026-08-19".into(), 1)]),
        overruled: None,
    }
}

#[allow(clippy::too_many_arguments)]
fn finding(
    code: &str,
    rule: &str,
    severity: Severity,
    confidence: Confidence,
    lane: &str,
    message: &str,
    seconds: i64,
    at: (&str, i64),
) -> Finding {
    Finding {
        rule: rule.into(),
        code: code.into(),
        severity,
        confidence,
        lane: lane.into(),
        title: format!("{rule} in words"),
        message: message.into(),
        facts: BTreeMap::from([("attempts".to_owned(), "9".to_owned())]),
        cost: Cost {
            seconds,
            ..Cost::default()
        },
        places: vec![place(at.0, at.1)],
        recorded: String::new(),
        cause: String::new(),
        decides: String::new(),
        fingerprint: "0123456789abcdef0123456789abcdef".into(),
        anchor: "fedcba9876543210fedcba9876543210".into(),
        state: "new".into(),
        tally: Default::default(),
        ruling: None,
    }
}

fn lane(name: &str, failures: i64) -> Lane {
    Lane {
        lane: name.into(),
        files: 2,
        lines: 60_000,
        failures,
        misnamed: 0,
        opaque: 0,
        unsupported: 0,
        first: Some("2026-08-02T15:00:00Z".into()),
        last: Some("2026-08-19T21:37:00Z".into()),
        last_success: None,
    }
}

fn outcome(lanes: Vec<Lane>, failures: Vec<Failure>, findings: Vec<Finding>) -> Outcome {
    let total = |s: Option<Standing>| {
        let some = failures
            .iter()
            .filter(|f| s.is_none_or(|s| f.standing == s));
        some.map(|f| f.count).sum()
    };
    Outcome {
        schema: "misnomer/1".into(),
        now: Some("2026-08-19T21:37:00Z".into()),
        summary: Summary {
            failures: total(None),
            misnamed: total(Some(Standing::Misnamed)),
            opaque: total(Some(Standing::Opaque)),
            accurate: total(Some(Standing::Accurate)),
            unsupported: total(Some(Standing::Unsupported)),
            cost: Cost::default(),
        },
        input: Input {
            files: 48,
            bytes: 9_240_000,
            lines: 120_331,
            ..Input::default()
        },
        lanes,
        failures,
        findings,
        narrowed: false,
        gate: None,
    }
}

/// A night as it comes: one cause under several names, others beside it, behaviour, gaps, and a file that broke.
fn night() -> Outcome {
    use Cause::*;
    use Confidence::*;
    use Standing::*;
    let limited = |lane, name, claim, standing, count, at| {
        failure(
            lane,
            name,
            claim,
            RateLimited,
            standing,
            Certain,
            count,
            count * 20,
            at,
            "after_reset",
        )
    };
    let failures = vec![
        limited(
            "shop-watch",
            "extract_failed",
            Some(ParseOrExtract),
            Misnamed,
            48,
            ("shop-watch/2026-08-08.log", 412),
        ),
        limited(
            "social-likes",
            "coverage <n>/<n>",
            None,
            Opaque,
            11,
            ("social-likes/account-3.log", 88),
        ),
        limited(
            "news-digest",
            "全ソース取得失敗",
            Some(DnsFailure),
            Misnamed,
            4,
            ("news-digest/毎朝.log", 31),
        ),
        limited(
            "price-api",
            "RateLimitError",
            Some(RateLimited),
            Accurate,
            9,
            ("price-api/run.jsonl", 7),
        ),
        failure(
            "mail-drafts",
            "unparsable json",
            Some(ParseOrExtract),
            TruncatedByLimit,
            Misnamed,
            Certain,
            3,
            0,
            ("mail-drafts/2026-08-05.log", 1207),
            "no: 400,000 of 512,558 characters kept by its own slice",
        ),
        failure(
            "ad-report",
            "Authentication expired",
            Some(AuthRejected),
            AuthTransient,
            Misnamed,
            Likely,
            3,
            600,
            ("ad-report/cron.log", 96),
            "yes: the same token was accepted 0.5 s later",
        ),
        failure(
            "nightly-model",
            "worker died",
            Some(CodeFault),
            QuotaExhausted,
            Misnamed,
            Certain,
            2,
            5_400,
            ("nightly-model/worker.jsonl", 2044),
            "",
        ),
        failure(
            "backup",
            "FATAL",
            None,
            ResourceExhaustedLocal,
            Opaque,
            Likely,
            1,
            30,
            ("backup/backup.log", 5),
            "no",
        ),
        failure(
            "sheets",
            "missing",
            None,
            Unknown,
            Unsupported,
            Likely,
            9,
            0,
            ("sheets/run.log", 3),
            "",
        ),
        failure(
            "sheets",
            "失敗",
            None,
            Unknown,
            Unsupported,
            Likely,
            2,
            0,
            ("sheets/run.log", 77),
            "",
        ),
        failure(
            "crawler",
            "403 Forbidden",
            Some(PermissionDenied),
            RateLimited,
            Misnamed,
            Possible,
            6,
            0,
            ("crawler/c.log", 11),
            "",
        ),
        failure(
            "crawler",
            "404",
            Some(NotFound),
            NotFound,
            Accurate,
            Certain,
            55,
            0,
            ("crawler/c.log", 12),
            "",
        ),
    ];
    let mut many = finding(
        "MN103",
        "many-names",
        Severity::Warning,
        Certain,
        "*",
        "rate_limited goes by 4 names in 4 lanes",
        2_000,
        ("shop-watch/2026-08-08.log", 412),
    );
    many.facts = BTreeMap::from([
        ("cause".into(), "rate_limited".into()),
        ("names".into(), "4".into()),
    ]);
    let mut known = finding(
        "MN401",
        "quarantine-loop",
        Severity::Error,
        Likely,
        "unfollow",
        "14 accounts, 6 rounds of 7 days each; drop for good at 6",
        90_000,
        ("unfollow/state.jsonl", 19),
    );
    known.state = "known".into();
    let findings = vec![
        known,
        many,
        finding(
            "MN101",
            "misnamed",
            Severity::Error,
            Certain,
            "shop-watch",
            "extract_failed is rate_limited",
            960,
            ("shop-watch/2026-08-08.log", 412),
        ),
        finding(
            "MN301",
            "stacked-retries",
            Severity::Warning,
            Certain,
            "shop-watch",
            "3 × 3 = 9 requests for one call; keep the inner layer",
            540,
            ("shop-watch/2026-08-09.log", 1207),
        ),
        finding(
            "MN313",
            "injected-fault",
            Severity::Note,
            Possible,
            "price-api",
            "a fault of a test reached the log",
            0,
            ("price-api/run.jsonl", 70),
        ),
    ];
    let lanes = [
        "ad-report",
        "backup",
        "crawler",
        "mail-drafts",
        "news-digest",
        "nightly-model",
        "price-api",
        "sheets",
        "shop-watch",
        "social-likes",
        "unfollow",
    ]
    .iter()
    .map(|l| lane(l, 9))
    .collect();
    let mut out = outcome(lanes, failures, findings);
    out.summary.cost = Cost {
        attempts: 0,
        requests: 214,
        seconds: 3_780,
        items: 14,
        estimated: true,
        undetected: 0,
    };
    out.input.unreadable = vec![Skipped {
        path: "backup/old.log.gz".into(),
        why: "corrupt deflate stream after 20,480 bytes".into(),
    }];
    out.input.bad_lines = 1;
    out.input.passed_over = vec![
        Skipped {
            path: "crawler/shot.png".into(),
            why: "binary".into(),
        },
        Skipped {
            path: "crawler/shot2.png".into(),
            why: "binary".into(),
        },
        Skipped {
            path: "sheets/empty.log".into(),
            why: "empty".into(),
        },
    ];
    out.input.capped = vec![Capped {
        what: "rows".into(),
        place: "http.404 of crawler".into(),
        kept: 128,
        of: 40_112,
    }];
    out
}

/// Forty lanes whose names and places are long.
fn crowd() -> Outcome {
    let failures = (1..=40)
        .map(|n| {
            failure(
                &format!("department-of-very-long-lane-names-{n:02}"),
                &format!("The operation could not be completed because step <n> of {n} reported that something unexpected happened"),
                Some(Cause::ParseOrExtract),
                Cause::ALL[n as usize % Cause::ALL.len()],
                Standing::Misnamed,
                Confidence::Certain,
                n,
                0,
                ("department/of/very/long/lane/names/with/a/deep/tree/2026-08-08T00-00-00.log", 100_000 + n),
                "",
            )
        })
        .collect();
    let findings = (1..=30)
        .map(|n| {
            finding(
                "MN304",
                "zero-wait",
                Severity::Warning,
                Confidence::Likely,
                &format!("lane-{n:02}"),
                &format!("{n} attempts within 2 ms; wait between them"),
                100 - n,
                ("lane/run.log", n),
            )
        })
        .collect();
    outcome(
        (1..=40).map(|n| lane(&format!("lane-{n:02}"), 1)).collect(),
        failures,
        findings,
    )
}

/// Text that would steer a terminal, a spreadsheet or a shell.
fn hostile() -> Outcome {
    let failures = vec![
        failure(
            "=cmd|' /C calc'!A0",
            "\u{1b}[31mred\u{1b}[0m\u{7}",
            None,
            Cause::TlsFailure,
            Standing::Opaque,
            Confidence::Certain,
            1,
            0,
            ("a b/$(rm -rf x).log", 3),
            "-1+2",
        ),
        failure(
            "@lane",
            "-2+3\nnext \"line\", gpj.\u{202e}exe",
            Some(Cause::NotFound),
            Cause::CodeFault,
            Standing::Misnamed,
            Confidence::Certain,
            1,
            0,
            ("it's.log", 4),
            "",
        ),
    ];
    let findings = vec![finding(
        "MN\u{1b}[2J",
        "zero-wait",
        Severity::Error,
        Confidence::Certain,
        "+1",
        "\u{9b}31mtext\r\nmore",
        0,
        ("\u{1b}]0;title\u{7}.log", 1),
    )];
    let mut out = outcome(vec![lane("@lane", 1)], failures, findings);
    out.input.unreadable = vec![Skipped {
        path: "\u{1b}c.log".into(),
        why: "denied\n".into(),
    }];
    out
}

fn quiet() -> Outcome {
    outcome(
        vec![lane("backup", 0), lane("crawler", 0)],
        Vec::new(),
        Vec::new(),
    )
}

fn right() -> Outcome {
    let failures = vec![failure(
        "crawler",
        "404",
        Some(Cause::NotFound),
        Cause::NotFound,
        Standing::Accurate,
        Confidence::Certain,
        55,
        0,
        ("crawler/c.log", 12),
        "",
    )];
    outcome(vec![lane("crawler", 55)], failures, Vec::new())
}

fn nothing() -> Outcome {
    let mut out = outcome(Vec::new(), Vec::new(), Vec::new());
    out.input = Input::default();
    out
}

fn all() -> Vec<(&'static str, Outcome)> {
    vec![
        ("night", night()),
        ("crowd", crowd()),
        ("hostile", hostile()),
        ("quiet", quiet()),
        ("right", right()),
        ("nothing", nothing()),
    ]
}

fn style(width: usize) -> Style {
    Style {
        width,
        zone: jiff::tz::TimeZone::fixed(jiff::tz::offset(9)),
        title: "logs".into(),
        ..Style::default()
    }
}

fn render(format: &str, outcome: &Outcome, style: &Style) -> String {
    let mut out = Vec::new();
    report::print(format, outcome, style, &mut out).expect("rendered");
    String::from_utf8(out).expect("text")
}

fn snapshot(name: &str, got: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/report")
        .join(name);
    if std::env::var_os("MISNOMER_BLESS").is_some() {
        std::fs::write(&path, got).expect("written");
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    (wanted != got).then(|| format!("{name} differs; wanted:\n{wanted}\ngot:\n{got}"))
}

#[test]
fn the_table_is_as_it_was_agreed() {
    let mut differ = Vec::new();
    for (name, outcome) in all() {
        for width in [80, 140] {
            let got = render("table", &outcome, &style(width));
            differ.extend(snapshot(&format!("{name}-{width}.txt"), &got));
        }
    }
    let shown = Style {
        all: true,
        min_confidence: Confidence::Possible,
        ..style(100)
    };
    differ.extend(snapshot(
        "night-all.txt",
        &render("table", &night(), &shown),
    ));
    differ.extend(snapshot("night.csv", &render("csv", &night(), &style(80))));
    differ.extend(snapshot(
        "hostile.csv",
        &render("csv", &hostile(), &style(80)),
    ));
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[test]
fn no_line_is_wider_than_the_terminal_and_none_steers_it() {
    for (name, outcome) in all() {
        for width in [1, 40, 60, 80, 100, 140, 300] {
            for all in [false, true] {
                let text = render(
                    "table",
                    &outcome,
                    &Style {
                        all,
                        ..style(width)
                    },
                );
                for line in text.lines() {
                    // Commands and places are left whole, so that they can be pasted.
                    let whole = line.starts_with("misnomer ") || !line.trim().contains(' ');
                    let fits = whole || line.width() <= width.max(40);
                    assert!(fits, "{name} at {width}: {line}");
                    assert!(!line.chars().any(char::is_control), "{name}: {line:?}");
                    assert_eq!(line.trim_end(), line, "{name}: trailing space");
                }
            }
        }
    }
}

/// The text without its colours (SGR sequences of ECMA-48).
fn without_colour(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        rest = after.split_once('m').map_or("", |(_, r)| r);
    }
    out.push_str(rest);
    out
}

#[test]
fn colour_adds_nothing_but_colour() {
    for (name, outcome) in all() {
        for width in [60, 80, 140] {
            let plain = render("table", &outcome, &style(width));
            let coloured = render(
                "table",
                &outcome,
                &Style {
                    color: true,
                    ..style(width)
                },
            );
            assert_eq!(without_colour(&coloured), plain, "{name} at {width}");
            assert!(coloured.contains("\u{1b}[1m"), "{name}: no bold heading");
        }
    }
}

#[test]
fn every_row_is_shown_or_counted() {
    let cut = render("table", &crowd(), &style(140));
    assert!(cut.contains("(28 more names: --all)"), "{cut}");
    assert!(cut.contains("(18 more findings: --all)"), "{cut}");
    let all = render(
        "table",
        &crowd(),
        &Style {
            all: true,
            ..style(140)
        },
    );
    assert!(!all.contains("--all"), "{all}");
    for n in 1..=40 {
        assert!(
            all.contains(&format!("T00-00-00.log:{}", 100_000 + n)),
            "{all}"
        );
    }
}

#[test]
fn json_is_the_outcome() {
    for (name, outcome) in all() {
        let text = render("json", &outcome, &style(80));
        let back: Outcome = serde_json::from_str(&text).expect("JSON");
        assert_eq!(back, outcome, "{name}");
        assert!(text.ends_with("}\n"));
    }
}

/// Rows of RFC 4180, read strictly.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if cell.is_empty() => {
                while let Some(c) = chars.next() {
                    match c {
                        '"' if chars.peek() == Some(&'"') => cell.extend(chars.next()),
                        '"' => break,
                        c => cell.push(c),
                    }
                }
            }
            ',' => row.push(std::mem::take(&mut cell)),
            '\r' => {
                assert_eq!(chars.next(), Some('\n'));
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => {
                assert_ne!(c, '"', "a quote in a bare cell");
                cell.push(c);
            }
        }
    }
    assert!(row.is_empty() && cell.is_empty(), "an unfinished row");
    rows
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .expect("listed")
        .map(|e| e.expect("entry").path())
        .collect();
    files.sort();
    files
}

#[test]
fn csv_is_strict_and_guarded() {
    for (name, outcome) in all() {
        let dir = tempfile::tempdir().expect("a directory");
        let out = dir.path().join("out");
        for _ in 0..2 {
            report::write_to("csv", &out, &outcome, &style(80)).expect("written");
        }
        assert_eq!(files(dir.path()), std::slice::from_ref(&out));
        let counts = [
            (
                "evidence.csv",
                outcome
                    .failures
                    .iter()
                    .map(|f| f.evidence.len() + f.set_aside.len())
                    .sum(),
            ),
            ("failures.csv", outcome.failures.len()),
            ("findings.csv", outcome.findings.len()),
            ("lanes.csv", outcome.lanes.len()),
        ];
        assert_eq!(files(&out), counts.map(|(file, _)| out.join(file)));
        for (file, rows) in counts {
            let text = std::fs::read_to_string(out.join(file)).expect("text");
            let records = records(&text);
            assert_eq!(records.len(), rows + 1, "{name}/{file}");
            for record in &records {
                assert_eq!(record.len(), records[0].len(), "{name}/{file}");
                for cell in record {
                    assert!(
                        !cell.starts_with(['=', '+', '-', '@', '\t', '\r']),
                        "{name}/{file}: {cell}"
                    );
                    assert!(
                        !cell
                            .chars()
                            .any(|c| c.is_control() && !"\r\n\t".contains(c)),
                        "{cell:?}"
                    );
                }
            }
        }
        let printed = render("csv", &outcome, &style(80));
        assert_eq!(
            printed,
            std::fs::read_to_string(out.join("failures.csv")).expect("text")
        );
    }
}

#[test]
fn parquet_holds_the_same_tables() {
    let dir = tempfile::tempdir().expect("a directory");
    let out = dir.path().join("out");
    report::write_to("parquet", &out, &hostile(), &style(80)).expect("written");
    let names: Vec<_> = files(&out);
    assert_eq!(names.len(), 4);
    use polars::prelude::{ParquetReader, SerReader};
    let bytes = std::fs::read(out.join("failures.parquet")).expect("read");
    let frame = ParquetReader::new(std::io::Cursor::new(bytes))
        .finish()
        .expect("Parquet");
    assert_eq!(frame.height(), 2);
    let lanes: Vec<_> = frame
        .column("lane")
        .expect("lane")
        .str()
        .expect("strings")
        .iter()
        .collect();
    assert_eq!(
        lanes,
        [Some("=cmd|' /C calc'!A0"), Some("@lane")],
        "raw, without a guard"
    );
    let error =
        report::print("parquet", &quiet(), &style(80), &mut Vec::new()).expect_err("no stream");
    assert!(error.to_string().contains("--output parquet=DIR"));
}

#[test]
fn a_file_appears_whole_and_a_closed_pipe_is_success() {
    struct Closed;
    impl std::io::Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let dir = tempfile::tempdir().expect("a directory");
    for format in ["table", "json"] {
        let path = dir.path().join(format);
        report::write_to(format, &path, &night(), &style(80)).expect("written");
        let text = std::fs::read_to_string(&path).expect("text");
        assert_eq!(text, render(format, &night(), &style(80)));
        report::print(format, &night(), &style(80), &mut Closed).expect("a closed pipe is success");
    }
    let error = report::write_to("json", &dir.path().join("no/x.json"), &night(), &style(80))
        .expect_err("refused");
    assert!(format!("{error:#}").contains("cannot write"));
}

#[test]
fn waiting_is_said_with_its_instant_in_the_zone() {
    let text = render("table", &night(), &style(140));
    assert!(text.contains("after 2026-08-20 09:00"), "{text}");
    assert!(text.contains("no: 400,000 of 512,558"), "{text}");
    assert_eq!(
        words::instant("2026-08-20T00:00:00Z", &style(80).zone),
        "2026-08-20 09:00"
    );
    assert_eq!(guide(Cause::QuotaExhausted).waiting, Waiting::AfterReset);
}
