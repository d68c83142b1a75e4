use super::*;
use std::fs;

const ALL: &str = r#"
paths = ["logs", "more"]
lane-field = "job"
timezone = "Asia/Tokyo"
patterns = ["my-patterns"]
now = 2026-11-30T09:00:00Z

[lanes.watch-arb]
paths = ["watch-arb/**"]
timezone = "UTC"
every = "1h"
grace = "30m"
success = ["verified=\\d+"]
declares-retries = true
bucket = "shop-api"
wait-ceiling = "8s"
give-up = { attempts = 2, age = "1h30m" }
after = [["purge", "clean work dir"]]
[lanes.watch-arb.rules.hammering]
window = "10s"

[lanes.crawl]
cron = "0 * * * *"

[[name]]
text = "obs_fail"
claims = "parse_or_extract"
[[name]]
text = "gone"
claims = ["not_found", "target_gone"]
[[name]]
text = "boom"

[rules.hammering]
window = "60s"
least = 3
"#;

#[test]
fn reads_all_of_it() -> anyhow::Result<()> {
    let s = Settings::parse("misnomer.toml", ALL)?;
    assert_eq!(s.paths, [PathBuf::from("logs"), PathBuf::from("more")]);
    assert_eq!(s.lane_field.as_deref(), Some("job"));
    assert_eq!(s.timezone.iana_name(), Some("Asia/Tokyo"));
    assert_eq!(s.patterns, [PathBuf::from("my-patterns")]);
    assert_eq!(s.now, Now::At(1_796_029_200_000_000_000));
    // In the order of the file, not of the names.
    let names: Vec<&str> = s.lanes.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["watch-arb", "crawl"]);
    let lane = s.lane("watch-arb").cloned().unwrap_or_default();
    assert_eq!(lane.paths, ["watch-arb/**"]);
    assert_eq!(lane.every, Some(3_600));
    assert_eq!(lane.grace, Some(1_800));
    assert!(lane.success.iter().all(|r| r.is_match("verified=17")));
    assert_eq!(lane.success.len(), 1);
    assert!(lane.declares_retries);
    assert_eq!(lane.bucket.as_deref(), Some("shop-api"));
    assert_eq!(lane.wait_ceiling, Some(8));
    let give_up = GiveUp {
        attempts: Some(2),
        age: Some(5_400),
    };
    assert_eq!(lane.give_up, Some(give_up));
    assert_eq!(lane.after, [("purge".into(), "clean work dir".into())]);
    assert_eq!(s.timezone_of("watch-arb"), &TimeZone::UTC);
    assert_eq!(s.timezone_of("crawl"), &s.timezone);
    let crawl = s.lane("crawl").cloned().unwrap_or_default();
    assert_eq!(crawl.cron.as_deref(), Some("0 * * * *"));
    let claims: Vec<&[Cause]> = s.names.iter().map(|n| n.claims.as_slice()).collect();
    assert_eq!(
        claims,
        [
            &[Cause::ParseOrExtract][..],
            &[Cause::NotFound, Cause::TargetGone],
            &[]
        ]
    );
    let knob = |lane, knob| s.knob(lane, "hammering", knob).map(ToString::to_string);
    assert_eq!(knob("watch-arb", "window").as_deref(), Some("\"10s\""));
    assert_eq!(knob("watch-arb", "least").as_deref(), Some("3"));
    assert_eq!(knob("crawl", "window").as_deref(), Some("\"60s\""));
    assert_eq!(knob("crawl", "other"), None);
    Ok(())
}

#[test]
fn nothing_is_the_default() -> anyhow::Result<()> {
    let s = Settings::parse("f", "")?;
    assert_eq!(s.timezone, TimeZone::UTC);
    assert_eq!(s.now, Now::Newest);
    assert!(s.paths.is_empty() && s.lanes.is_empty() && s.names.is_empty());
    Ok(())
}

/// Every `NAME.toml` has a fault, and `NAME.txt` is what is said of it.
#[test]
fn faults() -> anyhow::Result<()> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/settings");
    let mut cases: Vec<PathBuf> = fs::read_dir(&dir)?
        .map(|e| Ok(e?.path()))
        .collect::<std::io::Result<_>>()?;
    cases.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    cases.sort();
    assert!(!cases.is_empty());
    let mut wrong = Vec::new();
    for case in cases {
        let text = fs::read_to_string(&case)?;
        let expected = fs::read_to_string(case.with_extension("txt")).unwrap_or_default();
        let said = match Settings::parse("misnomer.toml", &text) {
            Ok(_) => "no fault".to_owned(),
            Err(e) => e.to_string(),
        };
        if said.trim_end() != expected.trim_end() {
            wrong.push(format!("{}\n{said}", case.display()));
        }
    }
    assert!(wrong.is_empty(), "not as expected:\n{}", wrong.join("\n\n"));
    Ok(())
}

#[test]
fn unknown_rules_and_knobs() -> anyhow::Result<()> {
    let known: &[(&str, &[&str])] = &[("hammering", &["window", "least"]), ("herd", &[])];
    Settings::parse("f", ALL)?.check_rules(known)?;
    for (text, expected) in [
        (
            "[rules.hamering]\n",
            "f:1:8: unknown rule `hamering`\n  |\n1 | [rules.hamering]\n  |        ^^^^^^^^\n  = help: did you mean `hammering`?",
        ),
        (
            "[lanes.a.rules.hammering]\nwindows = \"1s\"\n",
            "f:2:1: unknown knob `windows`\n  |\n2 | windows = \"1s\"\n  | ^^^^^^^\n  = help: did you mean `window`?",
        ),
        (
            "[rules.herd]\nsize = 1\n",
            "f:2:1: unknown knob `size`\n  |\n2 | size = 1\n  | ^^^^\n  = help: no knob is known here; remove it",
        ),
    ] {
        let said = Settings::parse("f", text)?.check_rules(known);
        let said = said.map_or_else(|e| e.to_string(), |()| "no fault".to_owned());
        assert_eq!(said, expected);
    }
    Ok(())
}

#[test]
fn found_where_the_contract_says() -> anyhow::Result<()> {
    let root = tempfile::tempdir()?;
    let [cwd, logs, empty] = ["cwd", "logs", "empty"].map(|n| root.path().join(n));
    for dir in [&cwd, &logs, &empty] {
        fs::create_dir(dir)?;
    }
    let explicit = root.path().join("other.toml");
    fs::write(&explicit, "lane-field = \"explicit\"\n")?;
    fs::write(
        cwd.join(FILE_NAME),
        "lane-field = \"cwd\"\npaths = [\"x\"]\n",
    )?;
    fs::write(logs.join(FILE_NAME), "lane-field = \"logs\"\n")?;
    for (explicit, cwd, first, expected) in [
        (Some(&explicit), &cwd, Some(&logs), Some("explicit")),
        (None, &cwd, Some(&logs), Some("cwd")),
        (None, &empty, Some(&logs), Some("logs")),
        (None, &empty, Some(&empty), None),
        (None, &empty, None, None),
    ] {
        let first = first.map(PathBuf::as_path);
        let s = Settings::load(explicit.map(PathBuf::as_path), cwd, first)?;
        assert_eq!(s.lane_field.as_deref(), expected);
    }
    let s = Settings::load(None, &cwd, None)?;
    assert_eq!(s.paths, [cwd.join("x")]);
    let missing = root.path().join("missing.toml");
    let said = Settings::load(Some(&missing), &cwd, None).map(|_| ());
    assert!(said.is_err_and(|e| e.to_string().contains("missing.toml")));
    Ok(())
}

#[test]
fn durations() {
    for (text, expected) in [
        ("8s", Some(8)),
        ("30m", Some(1_800)),
        ("1h30m", Some(5_400)),
        ("2d", Some(172_800)),
        ("1w", Some(604_800)),
        ("0s", Some(0)),
        ("", None),
        ("8", None),
        ("s", None),
        ("1h30", None),
        ("-1h", None),
        ("1.5h", None),
        ("99999999999999999999s", None),
        ("9999999999999999w", None),
    ] {
        assert_eq!(duration(text).ok(), expected, "{text:?}");
    }
}

#[test]
fn time_zones() {
    for (text, seconds) in [
        ("UTC", Some(0)),
        ("+09:00", Some(32_400)),
        ("-0330", Some(-12_600)),
        ("+05", Some(18_000)),
        ("Asia/Tokyo", Some(32_400)),
        ("+9", None),
        ("+24:00", None),
        ("Mars/Base", None),
        ("", None),
    ] {
        let zone = timezone(text);
        let found = zone
            .ok()
            .map(|z| z.to_offset(jiff::Timestamp::UNIX_EPOCH).seconds());
        assert_eq!(found, seconds, "{text:?}");
    }
}
