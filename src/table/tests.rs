//! Round trips, merging, and files that are not what they should be.

use super::*;
use crate::evidence::{Capped, FileSummary};
use std::collections::BTreeMap;

fn row(lane: &str, file: &str, offset: i64) -> Evidence {
    Evidence {
        kind: Kind::Name,
        pattern: "name.label".into(),
        lane: lane.into(),
        file: file.into(),
        line: 1,
        end_line: 1,
        record_line: 1,
        record_end: 1,
        offset,
        seq: 0,
        time: None,
        level: Level::None,
        cause: None,
        grade: Grade::Symptom,
        after_effect: false,
        waiting: None,
        name: String::new(),
        claims: Vec::new(),
        keys: BTreeMap::new(),
        values: BTreeMap::new(),
        text: String::new(),
        advice: String::new(),
        repeat: 1,
    }
}

/// One row of every sort, with the values that formats like to lose.
fn odd() -> Table {
    let mut table = Table::default();
    for (at, (kind, _)) in Kind::ALL.iter().enumerate() {
        let mut r = row("lane", "a.log", at as i64);
        r.kind = *kind;
        table.rows.push(r);
    }
    for (at, cause) in Cause::ALL.iter().enumerate() {
        let mut r = row("lane", "b.log", at as i64);
        r.cause = Some(*cause);
        r.claims = vec![*cause, Cause::Unknown];
        r.grade = Grade::ALL[at % Grade::ALL.len()].0;
        r.level = Level::ALL[at % Level::ALL.len()].0;
        r.waiting = [
            None,
            Some(Waiting::Yes),
            Some(Waiting::AfterReset),
            Some(Waiting::No),
        ][at % 4];
        r.after_effect = at % 2 == 0;
        table.rows.push(r);
    }
    for (at, text) in [
        "",
        " ",
        "null",
        "NaN",
        "全ソース取得失敗",
        "e\u{301}\u{200d}\u{10ffff}\u{0}\u{1b}[31m",
        "line\nbreak\r\n\ttab",
        "\"quoted\", \\and\\ 'more'",
    ]
    .iter()
    .enumerate()
    {
        let mut r = row(text, text, at as i64);
        r.pattern = (*text).into();
        r.name = (*text).into();
        r.text = (*text).into();
        r.advice = (*text).into();
        r.keys.insert((*text).into(), (*text).into());
        r.values.insert((*text).into(), String::new());
        table.rows.push(r);
    }
    for (at, n) in [i64::MIN, -1, 0, i64::MAX].into_iter().enumerate() {
        let mut r = row("extremes", &at.to_string(), n);
        r.time = Some(n);
        (r.line, r.end_line, r.record_line, r.record_end) = (n, n, n, n);
        (r.seq, r.repeat) = (n, n);
        table.rows.push(r);
    }
    table.rows.sort_by(|a, b| a.order().cmp(&b.order()));
    table.files = vec![
        FileSummary {
            lane: "lane".into(),
            file: "a.log".into(),
            bytes: i64::MAX,
            first: Some(i64::MIN),
            error: Some(String::new()),
            ..FileSummary::default()
        },
        FileSummary {
            lane: "lane".into(),
            file: "b.log".into(),
            records: Some(0),
            ..FileSummary::default()
        },
    ];
    table.passed_over = vec![
        (String::new(), "binary".into()),
        ("日本.bin".into(), String::new()),
    ];
    table.capped = vec![Capped {
        what: "rows".into(),
        place: "lane".into(),
        kept: 128,
        of: i64::MAX,
    }];
    table
}

fn round_trip(table: &Table) -> Table {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("set.parquet");
    write(table, &path).expect("written");
    read(&[path]).expect("read")
}

#[test]
fn a_round_trip_changes_nothing() {
    assert_eq!(round_trip(&odd()), odd());
    assert_eq!(round_trip(&Table::default()), Table::default());
    let only_files = Table {
        rows: Vec::new(),
        ..odd()
    };
    assert_eq!(round_trip(&only_files), only_files);
}

#[test]
fn the_same_table_gives_the_same_bytes() {
    let bytes = || {
        let mut out = Vec::new();
        write_frame(&mut frame(&odd()).expect("a frame"), &mut out).expect("written");
        out
    };
    assert_eq!(bytes(), bytes());
}

#[test]
fn only_integers_and_strings_are_written() {
    let frame = frame(&odd()).expect("a frame");
    for column in frame.columns() {
        let kind = column.dtype().to_string();
        assert!(kind == "i64" || kind == "str", "{}: {kind}", column.name());
    }
}

#[test]
fn a_set_in_partitions_is_the_set() {
    let whole = odd();
    let dir = tempfile::tempdir().expect("a directory");
    let (mut left, mut right) = (Table::default(), Table::default());
    for (at, r) in whole.rows.iter().enumerate() {
        let part = if at % 3 == 0 { &mut left } else { &mut right };
        part.rows.push(r.clone());
    }
    left.files = whole.files[1..].to_vec();
    right.files = whole.files[..1].to_vec();
    right.passed_over = whole.passed_over.clone();
    left.capped = whole.capped.clone();
    write(&left, &dir.path().join("1.parquet")).expect("written");
    write(&right, &dir.path().join("2.parquet")).expect("written");
    std::fs::write(dir.path().join("notes.txt"), "not evidence").expect("written");
    assert_eq!(read(&[dir.path().to_path_buf()]).expect("read"), whole);
    let mut paths = vec![dir.path().join("2.parquet"), dir.path().join("1.parquet")];
    assert_eq!(read(&paths).expect("read"), whole);
    // The same set twice counts once.
    paths.push(dir.path().join("1.parquet"));
    std::fs::copy(dir.path().join("1.parquet"), dir.path().join("3.parquet")).expect("copied");
    paths.push(dir.path().join("3.parquet"));
    assert_eq!(read(&paths).expect("read"), whole);
}

#[test]
fn a_row_that_one_set_holds_twice_stays_twice() {
    let twice = Table {
        rows: vec![row("l", "f", 1), row("l", "f", 1), row("l", "f", 2)],
        ..Table::default()
    };
    assert_eq!(round_trip(&twice), twice);
    let mut more = twice.clone();
    more.rows.push(row("l", "g", 0));
    let merged = merge::merge(vec![twice, more.clone()]);
    assert_eq!(merged, more);
}

fn refusal(bytes: &[u8]) -> String {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("x.parquet");
    std::fs::write(&path, bytes).expect("written");
    let error = read(&[path]).expect_err("refused");
    format!("{error:#}")
}

#[test]
fn what_is_no_evidence_is_refused_by_name() {
    let mut good = Vec::new();
    write_frame(&mut frame(&odd()).expect("a frame"), &mut good).expect("written");
    for bytes in [
        &b""[..],
        b"PAR1",
        b"lane,file\n",
        &good[..good.len() / 2],
        &good[4..],
    ] {
        let error = refusal(bytes);
        assert!(error.contains("x.parquet is no usable evidence"), "{error}");
    }

    let mut other = DataFrame::new_infer_height(vec![strings("a", &[Some("b")])]).expect("a frame");
    let mut bytes = Vec::new();
    write_frame(&mut other, &mut bytes).expect("written");
    assert!(refusal(&bytes).contains("no column `schema`"));

    let mut newer = frame(&odd()).expect("a frame");
    let height = newer.height();
    newer
        .with_column(integers("schema", &vec![Some(SCHEMA + 1); height]))
        .expect("replaced");
    let mut bytes = Vec::new();
    write_frame(&mut newer, &mut bytes).expect("written");
    assert!(refusal(&bytes).contains("its schema is 2, and this program reads 1"));

    let mut without = frame(&odd()).expect("a frame");
    without = without.drop("lane").expect("dropped");
    let mut bytes = Vec::new();
    write_frame(&mut without, &mut bytes).expect("written");
    assert!(refusal(&bytes).contains("lane"));
}

#[test]
fn columns_that_a_later_version_added_are_passed_over() {
    let mut wider = frame(&odd()).expect("a frame");
    let height = wider.height();
    wider
        .with_column(strings("later", &vec![None::<&str>; height]))
        .expect("added");
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("x.parquet");
    whole::file(&path, |to| write_frame(&mut wider, to)).expect("written");
    assert_eq!(read(&[path]).expect("read"), odd());
}

#[test]
fn a_flipped_byte_never_panics() {
    let mut good = Vec::new();
    write_frame(&mut frame(&odd()).expect("a frame"), &mut good).expect("written");
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("x.parquet");
    for at in (0..good.len()).step_by(good.len() / 150 + 1) {
        let mut bad = good.clone();
        bad[at] ^= 0x55;
        std::fs::write(&path, &bad).expect("written");
        // Either it is refused or the byte did not matter; both are answers.
        let _ = read(std::slice::from_ref(&path));
    }
}

#[test]
fn missing_and_empty_places_are_said() {
    let dir = tempfile::tempdir().expect("a directory");
    let missing = read(&[dir.path().join("none.parquet")]).expect_err("refused");
    assert!(format!("{missing:#}").contains("none.parquet"));
    let empty = read(&[dir.path().to_path_buf()]).expect_err("refused");
    assert!(format!("{empty:#}").contains("holds no .parquet file"));
}

#[test]
fn a_failed_write_leaves_what_was_there() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("out.txt");
    whole::file(&path, |to| Ok(to.write_all(b"first")?)).expect("written");
    let failed = whole::file(&path, |to| {
        to.write_all(b"half")?;
        bail!("no more")
    });
    assert!(failed.is_err());
    assert_eq!(std::fs::read(&path).expect("read"), b"first");
    assert_eq!(std::fs::read_dir(dir.path()).expect("listed").count(), 1);
    let nowhere = whole::file(&dir.path().join("no/such/x"), |_| Ok(())).expect_err("refused");
    assert!(format!("{nowhere:#}").contains("cannot write"));
}

#[test]
fn a_directory_is_replaced_only_if_it_is_ours() {
    let dir = tempfile::tempdir().expect("a directory");
    let out = dir.path().join("out");
    let names = ["a.csv", "b.csv"];
    for turn in ["one", "two"] {
        whole::directory(&out, &names, |name, to| {
            use std::io::Write;
            Ok(write!(to, "{turn} {name}")?)
        })
        .expect("written");
        let text = std::fs::read_to_string(out.join("b.csv")).expect("read");
        assert_eq!(text, format!("{turn} b.csv"));
        assert_eq!(std::fs::read_dir(dir.path()).expect("listed").count(), 1);
    }
    let failed = whole::directory(&out, &names, |_, _| bail!("no more"));
    assert!(failed.is_err());
    assert_eq!(
        std::fs::read_to_string(out.join("a.csv")).expect("read"),
        "two a.csv"
    );
    std::fs::write(out.join("thesis.doc"), "precious").expect("written");
    let refused = whole::directory(&out, &names, |_, _| Ok(())).expect_err("refused");
    assert!(format!("{refused:#}").contains("thesis.doc"));
    assert_eq!(std::fs::read_dir(&out).expect("listed").count(), 3);
    let file = dir.path().join("file");
    std::fs::write(&file, "").expect("written");
    assert!(whole::directory(&file, &names, |_, _| Ok(())).is_err());
}

#[cfg(unix)]
#[test]
fn outputs_have_the_permissions_of_ordinary_files() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().expect("a directory");
    let mode = |p: &Path| std::fs::metadata(p).expect("there").permissions().mode() & 0o777;
    std::fs::write(dir.path().join("plain"), "").expect("written");
    std::fs::create_dir(dir.path().join("folder")).expect("made");
    whole::file(&dir.path().join("ours"), |_| Ok(())).expect("written");
    whole::directory(&dir.path().join("dir"), &["a"], |_, _| Ok(())).expect("written");
    assert_eq!(
        mode(&dir.path().join("ours")),
        mode(&dir.path().join("plain"))
    );
    assert_eq!(
        mode(&dir.path().join("dir")),
        mode(&dir.path().join("folder"))
    );
}
