//! Every format read back: the findings in it are the findings of the outcome, also where the log was hostile.

mod common;

use anyhow::{Context, Result, ensure};
use misnomer::audit::finding::*;
use misnomer::audit::identity::{anchor, fingerprint};
use misnomer::cause::{Cause, guide};
use misnomer::report::{self, Style};
use std::collections::{BTreeMap, BTreeSet};

/// Text that would be obeyed, were it not escaped.
const HOSTILE: &[&str] = &[
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)",
    "</style></title><svg/onload=alert(1)>",
    "::error file=a.rs,line=1::pwned\n::set-output name=x::y",
    "a | b | **c** [d](javascript:alert(1)) `e` @everyone #1 ![x](http://evil.test/y)",
    "\u{1b}]0;title\u{7}\u{1b}[2J\0\u{fffe}",
    "]]><!-- --> &amp; &lt; \\\" {label=\"x\"} %0A",
    "全ソース取得失敗\u{202e}gpj",
];

fn finding(at: usize, state: &str, confidence: Confidence) -> Finding {
    let text = HOSTILE[at % HOSTILE.len()];
    let lane = format!("lane-{} {text}", at % 9);
    let recorded = format!("{text} {at}");
    Finding {
        rule: "misnamed".into(),
        code: "MN101".into(),
        severity: [Severity::Error, Severity::Warning, Severity::Note][at % 3],
        confidence,
        lane: lane.clone(),
        title: "recorded under the wrong name".into(),
        message: format!("\"{text}\" reads as parse_or_extract, but it was rate_limited ({at} ×)."),
        facts: BTreeMap::from([
            ("count".into(), at.to_string()),
            ("recorded_name".into(), text.into()),
        ]),
        cost: Cost::default(),
        places: vec![Place {
            file: format!("{lane}/a b.log"),
            line: 7,
            end_line: 9,
        }],
        fingerprint: fingerprint("misnamed", &lane, &recorded, "rate_limited", ""),
        anchor: anchor("misnamed", &lane, &recorded),
        recorded,
        cause: "rate_limited".into(),
        decides: String::new(),
        state: state.into(),
        ruling: None,
        tally: Default::default(),
    }
}

fn failure(of: &Finding) -> Failure {
    let guide = guide(Cause::RateLimited);
    Failure {
        lane: of.lane.clone(),
        recorded_name: of.recorded.clone(),
        aliases: vec![HOSTILE[0].into()],
        claimed: Some(Cause::ParseOrExtract),
        cause: Cause::RateLimited,
        class: "rate_limited".into(),
        standing: Standing::Misnamed,
        waiting: guide.waiting,
        reset_at: None,
        confidence: of.confidence,
        count: of.count().unwrap_or(1) + 1,
        first: Some("2026-08-03T01:00:00Z".into()),
        last: Some("2026-08-19T21:37:00Z".into()),
        days: BTreeMap::from([
            ("2026-08-03".into(), of.count().unwrap_or(1)),
            ("2026-08-19".into(), 1),
        ]),
        places: of.places.clone(),
        evidence: vec![Proof {
            file: of.places[0].file.clone(),
            line: 6,
            end_line: 6,
            kind: "cause".into(),
            pattern: "http.429".into(),
            text: HOSTILE.join(" "),
            decides: true,
        }],
        set_aside: vec![SetAside {
            file: "x".into(),
            line: 1,
            pattern: "p".into(),
            why: HOSTILE[1].into(),
        }],
        advice: Advice {
            wait: HOSTILE[2].into(),
            cut_off: guide.cut_off.into(),
            change: guide.change.into(),
        },
        cost: Cost {
            seconds: 60,
            requests: 3,
            ..Cost::default()
        },
        overruled: None,
    }
}

fn outcome(findings: Vec<Finding>) -> Outcome {
    let failures: Vec<Failure> = findings.iter().map(failure).collect();
    let lanes: BTreeSet<&str> = findings.iter().map(|f| f.lane.as_str()).collect();
    let lane = |name: &&str| Lane {
        lane: (*name).into(),
        files: 1,
        lines: 100,
        failures: 1,
        misnamed: 1,
        opaque: 0,
        unsupported: 0,
        first: Some("2026-08-02T15:00:00Z".into()),
        last: Some("2026-08-19T21:37:00Z".into()),
        last_success: Some("2026-08-19T20:00:00Z".into()),
    };
    Outcome {
        schema: "misnomer/1".into(),
        now: Some("2026-08-19T21:37:00Z".into()),
        summary: misnomer::audit::summary(&failures, &[]),
        input: Input {
            files: 9,
            bytes: 1_000,
            lines: 900,
            unreadable: vec![Skipped {
                path: HOSTILE[3].into(),
                why: HOSTILE[5].into(),
            }],
            ..Input::default()
        },
        lanes: lanes.iter().map(lane).collect(),
        failures,
        findings,
        narrowed: false,
        gate: None,
    }
}

fn mixed() -> Outcome {
    let states = [
        "new",
        "known",
        "waived",
        "changed",
        "lapsed",
        "surge",
        "overridden",
        "new",
    ];
    outcome(
        (0..8)
            .map(|at| {
                let sure = if at == 7 {
                    Confidence::Possible
                } else {
                    Confidence::Certain
                };
                finding(at, states[at], sure)
            })
            .collect(),
    )
}

fn render(format: &str, outcome: &Outcome) -> Result<String> {
    let mut out = Vec::new();
    let style = Style {
        title: HOSTILE[0].into(),
        all: true,
        ..Style::default()
    };
    report::print(format, outcome, &style, &mut out)?;
    Ok(String::from_utf8(out)?)
}

/// Every run of 32 hexadecimal digits behind a marker.
fn behind(text: &str, marker: &str) -> BTreeSet<String> {
    text.match_indices(marker)
        .filter_map(|(at, m)| text.get(at + m.len()..at + m.len() + 32))
        .map(str::to_owned)
        .collect()
}

/// A minimal reader of XML that is well-formed: tags with their attributes, or why it is none.
fn xml(text: &str) -> Result<Vec<(String, BTreeMap<String, String>)>> {
    let mut tags = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tail) = rest.split_at(at);
        ensure!(!before.contains('>'), "a loose > in {before}");
        let end = tail.find('>').context("an open tag")?;
        let inside = &tail[1..end];
        rest = &tail[end + 1..];
        if inside.starts_with('?') {
            continue;
        }
        if let Some(name) = inside.strip_prefix('/') {
            ensure!(
                open.pop().as_deref() == Some(name),
                "</{name}> closes nothing"
            );
            continue;
        }
        let body = inside.trim_end_matches('/').trim_end();
        let name = body
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned();
        let mut attributes = BTreeMap::new();
        let mut list = body[name.len()..].trim();
        while !list.is_empty() {
            let (key, tail) = list.split_once("=\"").context("an attribute")?;
            let (value, tail) = tail.split_once('"').context("an open attribute")?;
            ensure!(
                attributes
                    .insert(key.trim().to_owned(), value.to_owned())
                    .is_none(),
                "{key} stands twice"
            );
            list = tail.trim();
        }
        if !inside.ends_with('/') {
            open.push(name.clone());
        }
        tags.push((name, attributes));
    }
    ensure!(open.is_empty(), "{open:?} stay open");
    for (at, _) in text.match_indices('&') {
        let entity = text[at..].split_inclusive(';').next().unwrap_or_default();
        ensure!(
            ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"].contains(&entity),
            "{entity}"
        );
    }
    ensure!(
        text.chars().all(|c| c >= ' ' || c == '\n'),
        "a control character"
    );
    Ok(tags)
}

#[test]
fn the_same_findings_in_every_format() -> Result<()> {
    let outcome = mixed();
    let wanted: BTreeSet<String> = outcome
        .findings
        .iter()
        .map(|f| f.fingerprint.clone())
        .collect();
    let mut read: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();

    let json: Outcome = serde_json::from_str(&render("json", &outcome)?)?;
    assert_eq!(json, outcome);
    read.insert(
        "json",
        json.findings.into_iter().map(|f| f.fingerprint).collect(),
    );

    let mut lines = BTreeSet::new();
    let mut types: BTreeMap<String, usize> = BTreeMap::new();
    for line in render("jsonl", &outcome)?.lines() {
        let value: serde_json::Value = serde_json::from_str(line)?;
        let kind = value["type"].as_str().context("a type")?.to_owned();
        if kind == "finding" {
            let finding: Finding = serde_json::from_value(value)?;
            lines.insert(finding.fingerprint);
        }
        *types.entry(kind).or_default() += 1;
    }
    assert_eq!(types.get("run"), Some(&1));
    assert_eq!(types.get("failure"), Some(&outcome.failures.len()));
    read.insert("jsonl", lines);

    let sarif: serde_json::Value = serde_json::from_str(&render("sarif", &outcome)?)?;
    let results = sarif["runs"][0]["results"].as_array().context("results")?;
    let of = |r: &serde_json::Value| {
        r["partialFingerprints"]["misnomer/v1"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    read.insert("sarif", results.iter().map(of).collect());
    for result in results {
        let uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            .as_str()
            .context("uri")?;
        ensure!(
            uri.bytes()
                .all(|b| b.is_ascii_graphic() && !b"<>\"{}|\\^`:?#".contains(&b)),
            "{uri}"
        );
        let index = result["ruleIndex"].as_u64().context("index")? as usize;
        assert_eq!(
            sarif["runs"][0]["tool"]["driver"]["rules"][index]["id"],
            result["ruleId"]
        );
        ensure!(
            result["kind"] == "fail" || result["level"] == "none",
            "{result}"
        );
    }
    let suppressed = results
        .iter()
        .filter(|r| r["suppressions"].is_array())
        .count();
    assert_eq!(suppressed, 2);
    assert_eq!(
        sarif["runs"][0]["tool"]["driver"]["rules"]
            .as_array()
            .map(Vec::len),
        Some(misnomer::audit::detect::ALL.len())
    );

    let text = render("junit", &outcome)?;
    let tags = xml(&text).with_context(|| text.clone())?;
    let cases: Vec<_> = tags.iter().filter(|(n, _)| n == "testcase").collect();
    let last =
        |a: &BTreeMap<String, String>| a["name"].rsplit(' ').next().unwrap_or_default().to_owned();
    read.insert("junit", cases.iter().map(|(_, a)| last(a)).collect());
    for (kind, attribute) in [
        ("failure", "failures"),
        ("skipped", "skipped"),
        ("testcase", "tests"),
    ] {
        let n = tags.iter().filter(|(n, _)| n == kind).count();
        let suite = tags
            .iter()
            .find(|(n, _)| n == "testsuite")
            .context("a suite")?;
        assert_eq!(suite.1[attribute], n.to_string(), "{kind}");
    }

    let text = render("github", &outcome)?;
    for line in text.lines().filter(|l| l.contains("::")) {
        let command = line
            .strip_prefix("::")
            .context("a command at the start of a line")?;
        ensure!(
            ["error ", "warning ", "notice "]
                .iter()
                .any(|c| command.starts_with(c)),
            "{line}"
        );
        let (properties, _) = command.split_once("::").context("a message")?;
        ensure!(!properties.contains("\n"), "{line}");
    }
    let in_brackets = |l: &str| Some(l.rsplit_once('[')?.1.trim_end_matches(']').to_owned());
    read.insert(
        "github",
        text.lines()
            .filter(|l| l.starts_with("::"))
            .filter_map(in_brackets)
            .collect(),
    );

    let gitlab: Vec<serde_json::Value> = serde_json::from_str(&render("gitlab", &outcome)?)?;
    let of = |i: &serde_json::Value| i["fingerprint"].as_str().unwrap_or_default().to_owned();
    read.insert("gitlab", gitlab.iter().map(of).collect());

    let text = render("prometheus", &outcome)?;
    let sample =
        regex::Regex::new(r#"^misnomer_[a-z_]+(\{([a-z]+="([^"\\]|\\[\\"n])*",?)*\})? -?[0-9]+$"#)?;
    for line in text.lines().filter(|l| !l.starts_with("# ")) {
        ensure!(sample.is_match(line), "{line}");
    }
    read.insert("prometheus", behind(&text, "fingerprint=\""));

    let text = render("markdown", &outcome)?;
    for line in text
        .lines()
        .filter(|l| l.starts_with("| ") && !l.starts_with("| ---"))
    {
        ensure!(line.matches('|').count() == 7, "{line}");
    }
    ensure!(
        !text.contains("<script") && !text.contains("<img") && !text.contains("@everyone"),
        "{text}"
    );
    let last = |l: &str| Some(l.trim_end_matches(" |").rsplit_once("| ")?.1.to_owned());
    let rows = text
        .lines()
        .filter(|l| l.starts_with("| ") && l.contains("MN101"));
    read.insert("markdown", rows.filter_map(last).collect());

    read.insert("html", behind(&render("html", &outcome)?, "data-fp=\""));

    let dir = tempfile::tempdir()?;
    report::write_to("csv", &dir.path().join("csv"), &outcome, &Style::default())?;
    let csv = std::fs::read_to_string(dir.path().join("csv/findings.csv"))?;
    let hex = regex::Regex::new("[0-9a-f]{32}")?;
    let anchors: BTreeSet<String> = outcome.findings.iter().map(|f| f.anchor.clone()).collect();
    let found = hex.find_iter(&csv).map(|m| m.as_str().to_owned());
    read.insert("csv", found.filter(|f| !anchors.contains(f)).collect());
    report::write_to(
        "parquet",
        &dir.path().join("parquet"),
        &outcome,
        &Style::default(),
    )?;
    let file = std::fs::File::open(dir.path().join("parquet/findings.parquet"))?;
    let frame = polars::prelude::SerReader::finish(
        <polars::prelude::ParquetReader<_> as polars::prelude::SerReader<_>>::new(file),
    )?;
    let column = frame.column("fingerprint")?.str()?;
    read.insert(
        "parquet",
        column.iter().flatten().map(str::to_owned).collect(),
    );

    for (format, found) in &read {
        assert_eq!(found, &wanted, "{format}");
    }
    // The two for a person at a terminal show what fails, and no more.
    let formats: BTreeSet<&str> = report::ALL.iter().map(|r| r.name).collect();
    let people = BTreeSet::from(["table", "gate"]);
    assert_eq!(formats, read.keys().copied().chain(people).collect());
    let text = render("gate", &outcome)?;
    for finding in &outcome.findings {
        assert_eq!(
            text.contains(&finding.fingerprint[..12]),
            finding.fails(),
            "{}",
            finding.state
        );
    }
    Ok(())
}

/// A page without what a log could have put into it: the only tags and attributes are ours.
fn tame(page: &str) -> Result<()> {
    let script = page.matches("<script").count();
    ensure!(script == 1, "{script} scripts");
    let (head, rest) = page.split_once("<script>").context("the script")?;
    let (_, tail) = rest.split_once("</script>").context("its end")?;
    let (_, body) = head.split_once("</style>").context("the style")?;
    for part in [body, tail] {
        for (at, _) in part.match_indices('<') {
            let tag: String = part[at + 1..]
                .trim_start_matches('/')
                .chars()
                .take_while(char::is_ascii_alphanumeric)
                .collect();
            let known = [
                "title",
                "desc",
                "head",
                "body",
                "html",
                "header",
                "main",
                "section",
                "nav",
                "figure",
                "figcaption",
                "svg",
                "g",
                "path",
                "rect",
                "line",
                "text",
                "tspan",
                "p",
                "a",
                "h1",
                "h2",
                "h3",
                "ol",
                "ul",
                "li",
                "div",
                "span",
                "i",
                "br",
                "strong",
                "code",
                "pre",
                "dl",
                "dt",
                "dd",
                "table",
                "thead",
                "tbody",
                "tr",
                "th",
                "td",
                "details",
                "summary",
                "form",
                "input",
                "select",
                "option",
            ];
            ensure!(
                known.contains(&tag.as_str()),
                "<{tag}> in {}",
                &part[at..part.floor_char_boundary(at + 60)]
            );
            let mut quoted = false;
            let mut bare = String::new();
            for c in part[at..].chars() {
                match c {
                    '"' => quoted = !quoted,
                    '>' if !quoted => break,
                    c if !quoted => bare.push(c),
                    _ => {}
                }
            }
            ensure!(!bare.contains(" on") && !bare.contains('\''), "{bare}");
        }
    }
    // Nothing is fetched, and no address of a log becomes a link.
    for attribute in ["href=\"", "src=\""] {
        for (at, m) in page.match_indices(attribute) {
            let to = &page[at + m.len()..];
            ensure!(
                to.starts_with('#') || to.starts_with("data:,"),
                "{}",
                &to[..to.floor_char_boundary(40)]
            );
        }
    }
    Ok(())
}

#[test]
fn the_page_is_ours_alone() -> Result<()> {
    let outcome = mixed();
    let page = render("html", &outcome)?;
    tame(&page)?;
    // The bands of the flow are all failures, and each is one of them.
    let counts = |section: &str| -> Result<i64> {
        let (_, part) = page
            .split_once(&format!("<section id=\"{section}\">"))
            .context("the section")?;
        let part = part.split_once("</section>").context("its end")?.0;
        let numbers = part
            .match_indices("data-count=\"")
            .map(|(at, m)| &part[at + m.len()..]);
        Ok(numbers
            .filter_map(|n| n.split('"').next()?.parse::<i64>().ok())
            .sum())
    };
    assert_eq!(counts("flow")?, outcome.summary.failures);
    assert_eq!(counts("days")?, outcome.summary.failures);
    // Evidence and answers stand in the page itself, not in the script.
    let script_free = page.split("<script>").next().unwrap_or_default();
    ensure!(script_free.contains("Will waiting fix it?") && script_free.contains("decides:"));
    Ok(())
}

#[test]
fn ten_thousand_findings_stay_readable() -> Result<()> {
    let all = (0..10_000)
        .map(|at| finding(at, "new", Confidence::Certain))
        .collect();
    let outcome = outcome(all);
    let page = render("html", &outcome)?;
    ensure!(page.len() < 10_000_000, "{} bytes", page.len());
    tame(&page)?;
    ensure!(
        page.contains("more are not in this page") || behind(&page, "data-fp=\"").len() == 10_000
    );
    let sarif: serde_json::Value = serde_json::from_str(&render("sarif", &outcome)?)?;
    assert_eq!(
        sarif["runs"][0]["results"].as_array().map(Vec::len),
        Some(5_000)
    );
    ensure!(sarif["runs"][0]["properties"]["resultsLeftOut"] == 5_000);
    let text = render("github", &outcome)?;
    for level in ["error", "warning", "notice"] {
        assert_eq!(
            text.lines()
                .filter(|l| l.starts_with(&format!("::{level} ")))
                .count(),
            10
        );
    }
    let text = render("markdown", &outcome)?;
    ensure!(
        text.len() < 65_536 && text.contains("more rows are left out"),
        "{}",
        text.len()
    );
    Ok(())
}

/// Where the files are kept for a look by hand: `MISNOMER_KEEP=DIR cargo test --test readback keep`.
#[test]
fn keep() -> Result<()> {
    let Some(dir) = std::env::var_os("MISNOMER_KEEP") else {
        return Ok(());
    };
    let dir = std::path::PathBuf::from(dir);
    let style = Style {
        title: HOSTILE[0].into(),
        ..Style::default()
    };
    for report in report::ALL
        .iter()
        .filter(|r| r.write.is_some() && r.directory.is_none())
    {
        report::write_to(report.name, &dir.join(report.name), &mixed(), &style)?;
    }
    let all = (0..10_000)
        .map(|at| finding(at, "new", Confidence::Certain))
        .collect();
    report::write_to("html", &dir.join("many.html"), &outcome(all), &style)
}
