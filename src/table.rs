//! The table of evidence as a Parquet file, and back: one file is one set of evidence.
//!
//! Columns are signed 64-bit integers and strings only, so that any engine reads them. A row of evidence has one of the
//! ten kinds; what the scan says of its files stands in the same columns as rows of kind `file`, `passed` and `capped`.
//! What only few rows need is one canonical JSON column, `more`. Columns are only ever added, nullable and at the end.

mod decode;
mod merge;
pub use merge::merge;
#[cfg(test)]
mod tests;
pub mod whole;

use crate::cause::{Cause, Waiting};
use crate::evidence::{Capped, Evidence, FileSummary, Grade, Keys, Kind, Level, Table, Values};
use anyhow::{Context, Result, anyhow, bail};
use polars::prelude::{Column, DataFrame, NamedFrom, ParquetCompression, ParquetWriter, Series};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The version of the columns. A reader refuses a greater one.
pub const SCHEMA: i64 = 1;

/// What a row of evidence holds besides its columns.
#[derive(Serialize, Deserialize)]
struct More {
    claims: Vec<Cause>,
    keys: Keys,
    values: Values,
}

/// A file that was passed over.
#[derive(Serialize, Deserialize)]
struct Passed {
    path: String,
    why: String,
}

/// A column of strings under its name.
pub fn strings<T: AsRef<str>>(name: &str, cells: &[Option<T>]) -> Column {
    let cells: Vec<Option<&str>> = cells
        .iter()
        .map(|c| c.as_ref().map(AsRef::as_ref))
        .collect();
    Series::new(name.into(), cells).into()
}

/// A column of integers under its name.
pub fn integers(name: &str, cells: &[Option<i64>]) -> Column {
    Series::new(name.into(), cells).into()
}

/// Writes a frame as Parquet.
pub fn write_frame(frame: &mut DataFrame, to: impl std::io::Write) -> Result<()> {
    ParquetWriter::new(to)
        .with_compression(ParquetCompression::Zstd(None))
        .set_parallel(false)
        .finish(frame)?;
    Ok(())
}

/// Writes a set of evidence as one Parquet file, whole or not at all.
///
/// # Errors
/// When the file cannot be written; it names the path.
pub fn write(table: &Table, path: &Path) -> Result<()> {
    let mut frame = frame(table)?;
    whole::file(path, |to| write_frame(&mut frame, to))
}

/// Reads sets of evidence and makes them one, in total order.
///
/// A directory means every `*.parquet` in it. Where several sets hold the same log, what they have in common counts once.
///
/// # Errors
/// When there is no file, when a file is broken or no evidence, or when its schema is newer than this program; each names
/// the file.
pub fn read(paths: &[PathBuf]) -> Result<Table> {
    let mut files = Vec::new();
    for path in paths {
        files.extend(expand(path)?);
    }
    files.sort();
    files.dedup();
    let mut sets = Vec::with_capacity(files.len());
    for file in &files {
        sets.push(
            read_one(file).with_context(|| format!("{} is no usable evidence", file.display()))?,
        );
    }
    Ok(merge(sets))
}

fn expand(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut found = Vec::new();
    let entries = std::fs::read_dir(path).with_context(|| path.display().to_string())?;
    for entry in entries {
        let file = entry.with_context(|| path.display().to_string())?.path();
        if file.extension().is_some_and(|e| e == "parquet") && file.is_file() {
            found.push(file);
        }
    }
    if found.is_empty() {
        bail!("{} holds no .parquet file", path.display());
    }
    Ok(found)
}

/// The columns while they are being filled.
#[derive(Default)]
struct Columns {
    strings: Vec<(&'static str, Vec<Option<String>>)>,
    integers: Vec<(&'static str, Vec<Option<i64>>)>,
}

/// The columns of strings, then those of integers; `schema` goes first in the file.
const STRINGS: &[&str] = &[
    "kind", "pattern", "lane", "file", "level", "cause", "grade", "waiting", "name", "text",
    "advice", "more",
];
const INTEGERS: &[&str] = &[
    "schema",
    "line",
    "end_line",
    "record_line",
    "record_end",
    "offset",
    "seq",
    "time",
    "after_effect",
    "repeat",
];

impl Columns {
    fn new() -> Columns {
        Columns {
            strings: STRINGS.iter().map(|n| (*n, Vec::new())).collect(),
            integers: INTEGERS.iter().map(|n| (*n, Vec::new())).collect(),
        }
    }

    /// Adds one row: the given cells, null elsewhere.
    fn push(&mut self, strings: &[(&str, Option<&str>)], integers: &[(&str, Option<i64>)]) {
        for (name, cells) in &mut self.strings {
            let cell = strings.iter().find(|(n, _)| n == name).and_then(|c| c.1);
            cells.push(cell.map(str::to_owned));
        }
        for (name, cells) in &mut self.integers {
            let cell = integers.iter().find(|(n, _)| n == name).and_then(|c| c.1);
            cells.push(if *name == "schema" {
                Some(SCHEMA)
            } else {
                cell
            });
        }
    }

    fn frame(self) -> Result<DataFrame> {
        let mut columns: Vec<Column> = self.integers.iter().map(|(n, c)| integers(n, c)).collect();
        columns.extend(self.strings.iter().map(|(n, c)| strings(n, c)));
        Ok(DataFrame::new_infer_height(columns)?)
    }
}

fn frame(table: &Table) -> Result<DataFrame> {
    let mut columns = Columns::new();
    for row in &table.rows {
        let more = serde_json::to_string(&More {
            claims: row.claims.clone(),
            keys: row.keys.clone(),
            values: row.values.clone(),
        })?;
        columns.push(
            &[
                ("kind", Some(row.kind.slug())),
                ("pattern", Some(&row.pattern)),
                ("lane", Some(&row.lane)),
                ("file", Some(&row.file)),
                ("level", Some(row.level.slug())),
                ("cause", row.cause.map(Cause::slug)),
                ("grade", Some(row.grade.slug())),
                ("waiting", row.waiting.map(Waiting::slug)),
                ("name", Some(&row.name)),
                ("text", Some(&row.text)),
                ("advice", Some(&row.advice)),
                ("more", Some(&more)),
            ],
            &[
                ("line", Some(row.line)),
                ("end_line", Some(row.end_line)),
                ("record_line", Some(row.record_line)),
                ("record_end", Some(row.record_end)),
                ("offset", Some(row.offset)),
                ("seq", Some(row.seq)),
                ("time", row.time),
                ("after_effect", Some(i64::from(row.after_effect))),
                ("repeat", Some(row.repeat)),
            ],
        );
    }
    for file in &table.files {
        let more = serde_json::to_string(file)?;
        let cells = [
            ("kind", Some("file")),
            ("lane", Some(file.lane.as_str())),
            ("file", Some(file.file.as_str())),
            ("more", Some(more.as_str())),
        ];
        columns.push(&cells, &[]);
    }
    for (path, why) in &table.passed_over {
        let more = serde_json::to_string(&Passed {
            path: path.clone(),
            why: why.clone(),
        })?;
        let cells = [
            ("kind", Some("passed")),
            ("file", Some(path.as_str())),
            ("more", Some(more.as_str())),
        ];
        columns.push(&cells, &[]);
    }
    for capped in &table.capped {
        let more = serde_json::to_string(capped)?;
        columns.push(&[("kind", Some("capped")), ("more", Some(&more))], &[]);
    }
    columns.frame()
}

/// One file's columns, by name.
struct Cells<'a> {
    strings: HashMap<&'static str, Vec<Option<&'a str>>>,
    integers: HashMap<&'static str, Vec<Option<i64>>>,
}

impl<'a> Cells<'a> {
    fn new(frame: &'a DataFrame) -> Result<Cells<'a>> {
        let mut cells = Cells {
            strings: HashMap::new(),
            integers: HashMap::new(),
        };
        for name in INTEGERS {
            let column = frame.column(name)?.i64()?;
            cells.integers.insert(name, column.iter().collect());
        }
        for name in STRINGS {
            let column = frame.column(name)?.str()?;
            cells.strings.insert(name, column.iter().collect());
        }
        Ok(cells)
    }

    fn maybe(&self, name: &str, row: usize) -> Option<&'a str> {
        self.strings.get(name)?.get(row).copied().flatten()
    }

    fn text(&self, name: &str, row: usize) -> Result<&'a str> {
        self.maybe(name, row)
            .ok_or_else(|| anyhow!("row {row} has no {name}"))
    }

    fn number(&self, name: &str, row: usize) -> Option<i64> {
        self.integers.get(name)?.get(row).copied().flatten()
    }

    fn integer(&self, name: &str, row: usize) -> Result<i64> {
        self.number(name, row)
            .ok_or_else(|| anyhow!("row {row} has no {name}"))
    }
}

/// Strings that occur in many rows, kept once.
#[derive(Default)]
struct Shared(HashMap<String, Arc<str>>);

impl Shared {
    fn get(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = Arc::from(text);
        self.0.insert(text.to_owned(), Arc::clone(&new));
        new
    }
}

fn read_one(path: &Path) -> Result<Table> {
    let frame = decode::frame(std::fs::read(path)?)?;
    let schema = frame
        .column("schema")
        .ok()
        .and_then(|c| c.i64().ok())
        .ok_or_else(|| anyhow!("it has no column `schema`, so it was not written by `scan`"))?;
    for version in schema.iter().flatten() {
        if version != SCHEMA {
            bail!("its schema is {version}, and this program reads {SCHEMA}");
        }
    }
    let cells = Cells::new(&frame)?;
    let mut shared = Shared::default();
    let mut table = Table::default();
    for row in 0..frame.height() {
        let more = cells.text("more", row)?;
        let at = || format!("row {row}, column more");
        match cells.text("kind", row)? {
            "file" => table
                .files
                .push(serde_json::from_str::<FileSummary>(more).with_context(at)?),
            "passed" => {
                let passed: Passed = serde_json::from_str(more).with_context(at)?;
                table.passed_over.push((passed.path, passed.why));
            }
            "capped" => table
                .capped
                .push(serde_json::from_str::<Capped>(more).with_context(at)?),
            kind => {
                let kind = Kind::from_slug(kind)
                    .ok_or_else(|| anyhow!("row {row} is of an unknown kind `{kind}`"))?;
                let more = serde_json::from_str(more).with_context(at)?;
                table
                    .rows
                    .push(evidence(kind, more, &cells, row, &mut shared)?);
            }
        }
    }
    Ok(table)
}

fn evidence(
    kind: Kind,
    more: More,
    cells: &Cells<'_>,
    row: usize,
    shared: &mut Shared,
) -> Result<Evidence> {
    let unknown = |column: &str, word: &str| anyhow!("row {row} has an unknown {column} `{word}`");
    let cause = match cells.maybe("cause", row) {
        Some(slug) => Some(slug.parse().map_err(|()| unknown("cause", slug))?),
        None => None,
    };
    let waiting = match cells.maybe("waiting", row) {
        Some(slug) => Some(Waiting::from_slug(slug).ok_or_else(|| unknown("waiting", slug))?),
        None => None,
    };
    let grade = cells.text("grade", row)?;
    Ok(Evidence {
        kind,
        pattern: shared.get(cells.text("pattern", row)?),
        lane: shared.get(cells.text("lane", row)?),
        file: shared.get(cells.text("file", row)?),
        line: cells.integer("line", row)?,
        end_line: cells.integer("end_line", row)?,
        record_line: cells.integer("record_line", row)?,
        record_end: cells.integer("record_end", row)?,
        offset: cells.integer("offset", row)?,
        seq: cells.integer("seq", row)?,
        time: cells.number("time", row),
        level: Level::from_slug(cells.text("level", row)?),
        cause,
        grade: Grade::from_slug(grade).ok_or_else(|| unknown("grade", grade))?,
        after_effect: cells.integer("after_effect", row)? != 0,
        waiting,
        name: cells.text("name", row)?.to_owned(),
        claims: more.claims,
        keys: more.keys,
        values: more.values,
        text: cells.text("text", row)?.to_owned(),
        advice: cells.text("advice", row)?.to_owned(),
        repeat: cells.integer("repeat", row)?,
    })
}
