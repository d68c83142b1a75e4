//! Runs of a lane: from a beginning, or the end before it, to an end with its exit code.

use crate::audit::case::{LaneView, begins};
use crate::evidence::{Evidence, Kind};
use regex::Regex;
use std::sync::LazyLock;

/// One run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Its file.
    pub file: String,
    /// Its rows, in the order of the file.
    pub rows: Vec<usize>,
    /// When its first row was written.
    pub start: Option<i64>,
    /// The row that ends it.
    pub end: Option<usize>,
    /// When.
    pub end_time: Option<i64>,
    /// The exit code that it states.
    pub exit: Option<i64>,
    /// Whether its end says that it went well: exit code 0, or a word of success.
    pub well: bool,
}

/// The runs of a lane, by file and in order.
pub fn runs(lane: &LaneView<'_>) -> Vec<Run> {
    let mut files: Vec<&str> = lane.rows.iter().map(|r| r.evidence.file.as_ref()).collect();
    files.sort_unstable();
    files.dedup();
    let mut out = Vec::new();
    for file in files {
        let mut run = Run::default();
        for index in lane.of_file(file).iter().copied() {
            let e = lane.row(index);
            let same_record = run.end.is_some_and(|end| {
                let last = lane.row(end);
                let soon = super::between(lane.rows[end].time, lane.rows[index].time) <= 60;
                last.offset == e.offset || last.record_end + 1 >= e.record_line && ends(e) && soon
            });
            if run.end.is_some() && !same_record
                || e.kind == Kind::Scope && begins(e) && !run.rows.is_empty() && run.end.is_none()
            {
                close(&mut out, std::mem::take(&mut run));
            }
            if run.rows.is_empty() {
                run.file = file.to_string();
            }
            run.start = run.start.or(lane.rows[index].time);
            run.rows.push(index);
            if ends(e) {
                run.end = Some(index);
                run.end_time = lane.rows[index].time.or(run.end_time);
                run.exit = exit(e).or(run.exit);
                run.well = run
                    .exit
                    .map_or_else(|| went_well(e) || run.well, |code| code == 0);
            }
        }
        close(&mut out, run);
    }
    out
}

fn close(out: &mut Vec<Run>, run: Run) {
    if !run.rows.is_empty() {
        out.push(run);
    }
}

/// Whether a row ends a run.
fn ends(row: &Evidence) -> bool {
    // One host of several, as ansible prints it, is no end of a run.
    if row.text.contains(" | rc=") {
        return false;
    }
    row.kind == Kind::Scope && !begins(row)
        || row.kind == Kind::Outcome && row.values.contains_key("run_end")
        || row.kind == Kind::Outcome && &*row.pattern == "outcome.ok.exit"
}

fn exit(row: &Evidence) -> Option<i64> {
    row.values.get("exit").and_then(|e| e.trim().parse().ok())
}

fn went_well(row: &Evidence) -> bool {
    row.values.contains_key("ok")
        || row.values.get("result").is_some_and(|r| {
            let r = r.to_ascii_lowercase();
            r == "ok" || r.starts_with("succe")
        })
}

static COUNTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?i)\b(rows|objects|items|records|files|messages|pages|documents|entries|results|sent|stored|processed|done|uploaded|written|rendered|imported|exported|fetched|collected|published|handled|scanned|posted|copied|readings|candidates|likes|follows|bytes)["']?\s*[=:]\s*["']?(\d+)\b|(?:^|[\s(,:])(\d+) (rows|objects|items|records|files|messages|pages|documents|entries|results)(?:[\s,.;)]|$)"#).ok()
});

/// What a text counts as done: the word and the number.
pub fn counted(text: &str) -> Vec<(String, i64)> {
    let Some(regex) = COUNTED.as_ref() else {
        return Vec::new();
    };
    regex
        .captures_iter(text)
        .filter_map(|c| {
            let (word, number) = match (c.get(1), c.get(2), c.get(3), c.get(4)) {
                (Some(w), Some(n), _, _) | (_, _, Some(n), Some(w)) => (w, n),
                _ => return None,
            };
            Some((
                word.as_str().to_ascii_lowercase(),
                number.as_str().parse().ok()?,
            ))
        })
        .collect()
}
