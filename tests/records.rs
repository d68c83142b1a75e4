//! Masks, redaction and times as tables; record bounds from any block; and nothing that panics.

use jiff::tz::TimeZone;
use misnomer::redact::redact;
use misnomer::scan::record::{BEHIND, Shape, Stretch, mask, parse, statuses};
use misnomer::time::{duration_seconds, parse_value, rfc3339, show};
use serde::Deserialize;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

fn load<T: for<'de> Deserialize<'de>>(name: &str) -> T {
    let text = std::fs::read_to_string(folder("records").join(name)).unwrap();
    toml::from_str(&text).unwrap()
}

#[derive(Deserialize)]
struct Table {
    case: Vec<Pair>,
}

#[derive(Deserialize)]
struct Pair {
    r#in: String,
    out: String,
}

fn compare(name: &str, act: impl Fn(&str) -> String) {
    let table: Table = load(name);
    let bad: Vec<String> = table
        .case
        .iter()
        .filter_map(|pair| {
            let got = act(&pair.r#in);
            (got != pair.out)
                .then(|| format!("{:?}\n  got  {got:?}\n  want {:?}", pair.r#in, pair.out))
        })
        .collect();
    assert!(bad.is_empty(), "{name}:\n{}", bad.join("\n"));
}

#[test]
fn names_are_masked() {
    compare("mask.toml", mask);
}

#[test]
fn masking_twice_changes_nothing() {
    let table: Table = load("mask.toml");
    for pair in table.case {
        let once = mask(&pair.r#in);
        assert_eq!(mask(&once), once);
    }
}

#[test]
fn secrets_are_redacted() {
    compare("redact.toml", |text| redact(text).into_owned());
}

#[test]
fn redacting_twice_changes_nothing() {
    let table: Table = load("redact.toml");
    for pair in table.case {
        assert_eq!(redact(&pair.out), pair.out);
    }
}

#[derive(Deserialize)]
struct Times {
    value: Vec<Pair>,
    duration: Vec<Length>,
}

#[derive(Deserialize)]
struct Length {
    r#in: String,
    out: Option<f64>,
}

#[test]
fn values_of_time_are_read() {
    let times: Times = load("time.toml");
    for pair in times.value {
        let got = parse_value(&pair.r#in, &TimeZone::UTC)
            .map(rfc3339)
            .unwrap_or_default();
        assert_eq!(got, pair.out, "{:?}", pair.r#in);
    }
    for length in times.duration {
        assert_eq!(
            duration_seconds(&length.r#in),
            length.out,
            "{:?}",
            length.r#in
        );
    }
}

#[test]
fn instants_are_shown_in_a_zone() {
    let ns = parse_value("2026-08-02T15:00:00Z", &TimeZone::UTC).unwrap();
    assert_eq!(show(ns, &TimeZone::UTC), "2026-08-02 15:00");
    let tokyo = TimeZone::get("Asia/Tokyo").unwrap();
    assert_eq!(show(ns, &tokyo), "2026-08-03 00:00");
}

/// The inputs of all formats.
fn inputs() -> Vec<String> {
    #[derive(Deserialize)]
    struct File {
        case: Vec<Input>,
    }
    #[derive(Deserialize)]
    struct Input {
        input: String,
    }
    let mut all = Vec::new();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder("formats"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        let file: File = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        all.extend(file.case.into_iter().map(|c| c.input));
    }
    all
}

fn bounds(buf: &[u8], at: usize, shape: &Shape) -> std::ops::Range<usize> {
    let offset = 0;
    Stretch { buf, offset, shape }.record(at)
}

fn read_all(bytes: &[u8], shape: &Shape) {
    let mut at = 0;
    while at < bytes.len() {
        let range = bounds(bytes, at, shape);
        assert!(range.start <= at && range.end > at);
        let record = parse(&bytes[range.clone()], shape);
        for status in statuses(&record) {
            assert!(record.text.get(status.span.clone()).is_some());
            record.line_at(status.span.start);
        }
        for field in &record.fields {
            record.line_at(field.span.start);
        }
        mask(&record.message);
        redact(&record.text);
        at = range.end;
    }
}

#[test]
fn no_prefix_suffix_or_flipped_bit_panics() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    for input in inputs() {
        let bytes = input.as_bytes();
        for _ in 0..6 {
            let cut = random(bytes.len());
            for piece in [&bytes[..cut], &bytes[cut..]] {
                let shape = Shape::of(&[(0, piece.to_vec())], "a.log", &TimeZone::UTC, None);
                read_all(piece, &shape);
            }
            let mut flipped = bytes.to_vec();
            for _ in 0..3 {
                let at = random(flipped.len());
                if let Some(byte) = flipped.get_mut(at) {
                    *byte ^= 1 << random(8);
                }
            }
            let shape = Shape::of(&[(7, flipped.clone())], "a.log", &TimeZone::UTC, Some(0));
            read_all(&flipped, &shape);
        }
    }
}

#[test]
fn bounds_do_not_depend_on_where_a_block_begins() {
    // One file of all traces, many times over.
    let mut whole = String::new();
    let traces = std::fs::read_to_string(folder("formats").join("traces.toml")).unwrap();
    for round in 0..12 {
        for line in traces.lines() {
            whole.push_str(line);
            whole.push('\n');
        }
        whole.push_str(&format!("2026-01-02 15:04:{round:02} INFO between\n"));
    }
    let bytes = whole.as_bytes();
    let shape = Shape::of(&[(0, bytes.to_vec())], "a.log", &TimeZone::UTC, None);
    let lead = BEHIND;
    let mut at = lead + 1000;
    while at < bytes.len() {
        let start = at - lead;
        let stretch = Stretch {
            buf: &bytes[start..],
            offset: start as u64,
            shape: &shape,
        };
        let cut = stretch.record(at - start);
        let full = bounds(bytes, at, &shape);
        assert_eq!(full, cut.start + start..cut.end + start, "at {at}");
        at += 97;
    }
}

#[test]
fn any_byte_of_a_record_finds_the_same_record() {
    for input in inputs() {
        let bytes = input.as_bytes();
        let shape = Shape::of(&[(0, bytes.to_vec())], "a.log", &TimeZone::UTC, None);
        let mut at = 0;
        while at < bytes.len() {
            let range = bounds(bytes, at, &shape);
            for inner in range.clone() {
                assert_eq!(bounds(bytes, inner, &shape), range, "{input:?} at {inner}");
            }
            at = range.end;
        }
    }
}

#[test]
fn hostile_sizes_are_bounded() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let shape = Shape::default();
    let record = parse(deep.as_bytes(), &shape);
    assert!(record.json);
    let wide = format!("{{\"a\":\"{}\"}}", "x".repeat(3 << 20));
    assert!(parse(wide.as_bytes(), &shape).text.len() <= 4 << 20);
    let long = format!("2026-01-02 15:04:05 ERROR {}", "=x ,:{".repeat(50_000));
    parse(long.as_bytes(), &shape);
    let indented = format!("a\n{}", "  b\n".repeat(5000));
    let range = bounds(indented.as_bytes(), 0, &shape);
    assert!(range.end < indented.len());
}

#[test]
fn a_position_in_the_text_has_a_line() {
    let shape = Shape::default();
    let raw = b"2026-01-02 15:04:05 ERROR x\nTraceback (most recent call last):\n  File \"a\", line 1\nKeyError: 'y'\n";
    let record = parse(raw, &shape);
    let at = record.text.find("KeyError").unwrap();
    assert_eq!(record.line_at(at), 3);
    assert_eq!(record.line_at(0), 0);
    let raw = b"{\n \"level\": \"error\",\n \"code\": 429\n}\n";
    let record = parse(raw, &shape);
    let at = record.text.find("429").unwrap();
    assert_eq!(record.line_at(at), 2);
}
