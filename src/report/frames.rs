//! The outcome as four tables: failures, findings, lanes, evidence. Columns are only ever appended.

use crate::audit::finding::{Cost, Outcome, Place};
use crate::table::{integers, strings};
use anyhow::Result;
use polars::prelude::{Column, DataFrame};
use serde::Serialize;

/// Between the items of a list in one cell.
const BETWEEN: &str = " | ";

enum Cells {
    Text(Vec<Option<String>>),
    Number(Vec<Option<i64>>),
}

/// A table: columns by name, all of one length.
pub struct Frame(Vec<(&'static str, Cells)>);

impl Frame {
    /// The table for polars, each text cell passed through `shown`.
    pub fn polars(&self, shown: fn(String) -> String) -> Result<DataFrame> {
        let columns: Vec<Column> = self
            .0
            .iter()
            .map(|(name, cells)| match cells {
                Cells::Number(cells) => integers(name, cells),
                Cells::Text(cells) => {
                    let cells: Vec<_> = cells.iter().map(|c| c.clone().map(shown)).collect();
                    strings(name, &cells)
                }
            })
            .collect();
        Ok(DataFrame::new_infer_height(columns)?)
    }
}

/// One cell, before it is known to be of its column.
enum Cell {
    Text(Option<String>),
    Number(i64),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        // CSV has one empty cell, so there is one here.
        Cell::Text(Some(text.to_owned()).filter(|t| !t.is_empty()))
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::from(text.as_str())
    }
}

impl From<&Option<String>> for Cell {
    fn from(text: &Option<String>) -> Cell {
        Cell::from(text.as_deref().unwrap_or_default())
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Cell {
        Cell::Number(number)
    }
}

impl From<bool> for Cell {
    fn from(yes: bool) -> Cell {
        Cell::from(if yes { "true" } else { "false" })
    }
}

/// Builds a table: the columns' names, of which the marked ones hold numbers, and the rows.
fn frame(columns: &[(&'static str, bool)], rows: impl Iterator<Item = Vec<Cell>>) -> Frame {
    let mut frame: Vec<_> = columns
        .iter()
        .map(|(name, number)| match number {
            true => (*name, Cells::Number(Vec::new())),
            false => (*name, Cells::Text(Vec::new())),
        })
        .collect();
    for row in rows {
        let mut row = row.into_iter();
        for (_, cells) in &mut frame {
            match (cells, row.next()) {
                (Cells::Text(cells), Some(Cell::Text(text))) => cells.push(text),
                (Cells::Text(cells), Some(Cell::Number(n))) => cells.push(Some(n.to_string())),
                (Cells::Text(cells), None) => cells.push(None),
                (Cells::Number(cells), Some(Cell::Number(n))) => cells.push(Some(n)),
                (Cells::Number(cells), _) => cells.push(None),
            }
        }
    }
    Frame(frame)
}

/// The permanent word of an enumeration, as in JSON.
pub fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

fn places(places: &[Place]) -> String {
    let places: Vec<String> = places
        .iter()
        .map(|p| format!("{}:{}", p.file, p.line))
        .collect();
    places.join(BETWEEN)
}

fn cost(cost: &Cost) -> [Cell; 5] {
    [
        cost.attempts.into(),
        cost.requests.into(),
        cost.seconds.into(),
        cost.items.into(),
        cost.estimated.into(),
    ]
}

const COST: [(&str, bool); 5] = [
    ("cost_attempts", true),
    ("cost_requests", true),
    ("cost_seconds", true),
    ("cost_items", true),
    ("cost_estimated", false),
];

/// The table that a file of this name holds, whatever its extension.
pub fn by_name(outcome: &Outcome, file: &str) -> Option<Frame> {
    match file.split('.').next()? {
        "failures" => Some(failures(outcome)),
        "findings" => Some(findings(outcome)),
        "lanes" => Some(lanes(outcome)),
        "evidence" => Some(evidence(outcome)),
        _ => None,
    }
}

/// One row for each lane, recorded name and cause.
pub fn failures(outcome: &Outcome) -> Frame {
    let mut columns = vec![
        ("lane", false),
        ("recorded_name", false),
        ("aliases", false),
        ("claimed", false),
        ("cause", false),
        ("class", false),
        ("standing", false),
        ("waiting", false),
        ("reset_at", false),
        ("confidence", false),
        ("count", true),
        ("first", false),
        ("last", false),
        ("places", false),
        ("decided_by", false),
        ("wait", false),
        ("cut_off", false),
        ("change", false),
    ];
    columns.extend(COST);
    columns.extend([("judged", false), ("overruled_by", false)]);
    let rows = outcome.failures.iter().map(|f| {
        let decided_by = f.evidence.iter().find(|e| e.decides);
        let mut row: Vec<Cell> = vec![
            f.lane.as_str().into(),
            f.recorded_name.as_str().into(),
            f.aliases.join(BETWEEN).into(),
            f.claimed.map_or("", |c| c.slug()).into(),
            f.cause.slug().into(),
            f.class.as_str().into(),
            word(&f.standing).into(),
            f.waiting.slug().into(),
            (&f.reset_at).into(),
            word(&f.confidence).into(),
            f.count.into(),
            (&f.first).into(),
            (&f.last).into(),
            places(&f.places).into(),
            decided_by.map_or("", |e| &e.pattern).into(),
            f.advice.wait.as_str().into(),
            f.advice.cut_off.as_str().into(),
            f.advice.change.as_str().into(),
        ];
        row.extend(cost(&f.cost));
        let overruled = f.overruled.as_ref();
        row.push(overruled.map_or("", |o| o.judged.slug()).into());
        row.push(overruled.map_or("", |o| &o.owner).into());
        row
    });
    frame(&columns, rows)
}

fn findings(outcome: &Outcome) -> Frame {
    let mut columns = vec![
        ("rule", false),
        ("code", false),
        ("severity", false),
        ("confidence", false),
        ("lane", false),
        ("title", false),
        ("message", false),
        ("facts", false),
        ("places", false),
        ("fingerprint", false),
        ("anchor", false),
        ("state", false),
    ];
    columns.extend(COST);
    let of_identity = ["recorded", "cause", "decides", "owner", "expires", "reason"];
    columns.extend(of_identity.map(|name| (name, false)));
    let rows = outcome.findings.iter().map(|f| {
        let facts: Vec<String> = f.facts.iter().map(|(k, v)| format!("{k}={v}")).collect();
        let mut row: Vec<Cell> = vec![
            f.rule.as_str().into(),
            f.code.as_str().into(),
            word(&f.severity).into(),
            word(&f.confidence).into(),
            f.lane.as_str().into(),
            f.title.as_str().into(),
            f.message.as_str().into(),
            facts.join(BETWEEN).into(),
            places(&f.places).into(),
            f.fingerprint.as_str().into(),
            f.anchor.as_str().into(),
            f.state.as_str().into(),
        ];
        row.extend(cost(&f.cost));
        row.extend([&f.recorded, &f.cause, &f.decides].map(|t| t.as_str().into()));
        let ruling = f.ruling.clone().unwrap_or_default();
        row.extend([&ruling.owner, &ruling.expires, &ruling.reason].map(Cell::from));
        row
    });
    frame(&columns, rows)
}

fn lanes(outcome: &Outcome) -> Frame {
    let columns = [
        ("lane", false),
        ("files", true),
        ("lines", true),
        ("failures", true),
        ("misnamed", true),
        ("opaque", true),
        ("unsupported", true),
        ("first", false),
        ("last", false),
        ("last_success", false),
    ];
    let rows = outcome.lanes.iter().map(|l| {
        vec![
            l.lane.as_str().into(),
            l.files.into(),
            l.lines.into(),
            l.failures.into(),
            l.misnamed.into(),
            l.opaque.into(),
            l.unsupported.into(),
            (&l.first).into(),
            (&l.last).into(),
            (&l.last_success).into(),
        ]
    });
    frame(&columns, rows)
}

/// One row for each line that proves a cause, and for each that was weighed and refused.
fn evidence(outcome: &Outcome) -> Frame {
    let columns = [
        ("lane", false),
        ("recorded_name", false),
        ("cause", false),
        ("file", false),
        ("line", true),
        ("end_line", true),
        ("kind", false),
        ("pattern", false),
        ("text", false),
        ("decides", false),
        ("set_aside", false),
    ];
    let rows = outcome.failures.iter().flat_map(|f| {
        let head = || -> Vec<Cell> {
            vec![
                f.lane.as_str().into(),
                f.recorded_name.as_str().into(),
                f.cause.slug().into(),
            ]
        };
        let proofs = f.evidence.iter().map(move |e| {
            let mut row = head();
            row.extend([
                e.file.as_str().into(),
                e.line.into(),
                e.end_line.into(),
                e.kind.as_str().into(),
                e.pattern.as_str().into(),
                e.text.as_str().into(),
                e.decides.into(),
                "".into(),
            ]);
            row
        });
        let refused = f.set_aside.iter().map(move |s| {
            let mut row = head();
            row.extend([
                s.file.as_str().into(),
                s.line.into(),
                s.line.into(),
                "".into(),
                s.pattern.as_str().into(),
                "".into(),
                false.into(),
                s.why.as_str().into(),
            ]);
            row
        });
        proofs.chain(refused).collect::<Vec<_>>()
    });
    frame(&columns, rows)
}
