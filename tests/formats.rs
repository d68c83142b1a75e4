//! Every emitter of the documentation, as data: an entry gives the lines and what must be read from them.

use misnomer::scan::record::{Shape, Stretch, parse, statuses};
use misnomer::time::rfc3339;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    input: String,
    #[serde(default = "utc")]
    zone: String,
    #[serde(default = "plain_name")]
    file: String,
    now: Option<String>,
    /// How often the input is repeated so that the file shows its shape.
    #[serde(default = "once")]
    repeat: usize,
    records: Option<usize>,
    time: Option<String>,
    level: Option<String>,
    logger: Option<String>,
    thread: Option<String>,
    message: Option<String>,
    exception: Option<String>,
    status: Option<Vec<u16>>,
    #[serde(default)]
    fields: BTreeMap<String, String>,
    #[serde(default)]
    text_has: Vec<String>,
    dateless: Option<bool>,
    json: Option<bool>,
}

fn utc() -> String {
    "UTC".into()
}
fn plain_name() -> String {
    "app.log".into()
}
fn once() -> usize {
    1
}

fn check(case: &Case) -> Result<(), String> {
    let zone = if case.zone == "UTC" {
        jiff::tz::TimeZone::UTC
    } else {
        jiff::tz::TimeZone::get(&case.zone).map_err(|e| e.to_string())?
    };
    let body = case.input.repeat(case.repeat);
    let now = case
        .now
        .as_deref()
        .and_then(|n| misnomer::time::parse_value(n, &zone));
    let shape = Shape::of(&[(0, body.clone().into_bytes())], &case.file, &zone, now);
    let buf = body.as_bytes();
    let mut ranges = Vec::new();
    let (mut at, mut known) = (0, None);
    let stretch = Stretch {
        buf,
        offset: 0,
        shape: &shape,
    };
    while at < buf.len() {
        let range = stretch.record_after(at, &mut known);
        if range.start != at || range.end <= at {
            return Err(format!("record {range:?} does not begin at {at}"));
        }
        at = range.end;
        ranges.push(range);
    }
    let want = case.records.unwrap_or(1) * case.repeat;
    if ranges.len() != want {
        return Err(format!("{} records instead of {want}", ranges.len()));
    }
    let first = ranges.first().cloned().unwrap_or_default();
    let record = parse(&buf[first], &shape);
    let mut wrong = Vec::new();
    let mut same = |what: &str, got: Option<&str>, want: Option<&str>| {
        if let Some(want) = want
            && got.unwrap_or("") != want
        {
            wrong.push(format!(
                "{what}: got {:?}, want {want:?}",
                got.unwrap_or("")
            ));
        }
    };
    let time = record.time.map(rfc3339);
    same("time", time.as_deref(), case.time.as_deref());
    same("level", Some(record.level.slug()), case.level.as_deref());
    same("logger", record.logger.as_deref(), case.logger.as_deref());
    same("thread", record.thread.as_deref(), case.thread.as_deref());
    same("message", Some(&record.message), case.message.as_deref());
    same(
        "exception",
        record.exception.as_deref(),
        case.exception.as_deref(),
    );
    for (key, value) in &case.fields {
        same(key, record.fields.value(key), Some(value));
    }
    if let Some(want) = &case.status {
        let got: Vec<u16> = statuses(&record).iter().map(|s| s.code).collect();
        same(
            "status",
            Some(&format!("{got:?}")),
            Some(&format!("{want:?}")),
        );
    }
    for part in &case.text_has {
        if !record.text.contains(part.as_str()) {
            same("text", Some(&record.text), Some(part));
        }
    }
    for field in &record.fields {
        if record.json && record.text.get(field.span.clone()) != Some(field.value.as_str()) {
            same(
                "span",
                record.text.get(field.span.clone()),
                Some(&field.value),
            );
        }
    }
    if let Some(want) = case.dateless {
        same(
            "dateless",
            Some(&record.dateless.to_string()),
            Some(&want.to_string()),
        );
    }
    if let Some(want) = case.json {
        same(
            "json",
            Some(&record.json.to_string()),
            Some(&want.to_string()),
        );
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n    "))
    }
}

#[test]
fn every_format_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats");
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    paths.sort();
    let (mut count, mut bad) = (0, Vec::new());
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let file: File =
            toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for case in &file.case {
            count += 1;
            if let Err(why) = check(case) {
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                bad.push(format!("{file}: {}\n    {why}", case.name));
            }
        }
    }
    assert!(count >= 100, "only {count} cases were found");
    assert!(
        bad.is_empty(),
        "{} of {count}:\n{}",
        bad.len(),
        bad.join("\n")
    );
}
