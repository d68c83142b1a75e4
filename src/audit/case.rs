//! The fold: evidence into lanes, runs and operations. A case is one operation of a lane that failed.

use crate::cause::Cause;
use crate::evidence::{Evidence, Kind, Level, OWN_WORDS, Table};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Names of one template within this many nanoseconds are one operation, where nothing else tells them apart.
pub const TOGETHER: i64 = 60 * 1_000_000_000;

/// A name follows the sign of its cause within this many nanoseconds.
const SOON: i64 = 10_000_000_000;

/// The evidence, by lane.
pub struct Corpus<'t> {
    /// The lanes, by name.
    pub lanes: Vec<LaneView<'t>>,
}

/// One lane: what rules of scope lane see.
pub struct LaneView<'t> {
    /// Its name.
    pub lane: &'t str,
    /// Its rows in order of effective time, file, offset and sequence.
    pub rows: Vec<Row<'t>>,
    /// Its operations that failed.
    pub cases: Vec<Case>,
    /// Rows by kind of key and value.
    by_key: HashMap<&'t str, HashMap<&'t str, Vec<usize>>>,
    /// Rows of each file in order of offset.
    by_file: BTreeMap<&'t str, Vec<usize>>,
}

/// A row with what the order of its file says of it.
#[derive(Clone, Copy, Debug)]
pub struct Row<'t> {
    /// The evidence.
    pub evidence: &'t Evidence,
    /// The instant by which it is ordered: a stamp that runs backwards in its file takes the greatest before it.
    pub time: Option<i64>,
    /// The run of its file that it belongs to: 0 before the first begins.
    pub run: u32,
    /// Whether runs were seen in its file at all.
    pub has_runs: bool,
    /// Its position in the order of its file.
    pub rank: usize,
}

/// One operation that failed: the rows that name it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Indices of the rows that name it, in order.
    pub names: Vec<usize>,
    /// The one that names it best.
    pub best: usize,
    /// How many operations it stands for.
    pub count: i64,
}

impl<'t> Corpus<'t> {
    /// Orders the rows of a table.
    pub fn new(table: &'t Table) -> Corpus<'t> {
        let mut by_lane: BTreeMap<&str, Vec<&Evidence>> = BTreeMap::new();
        for file in table.files.iter().filter(|f| !f.lane.is_empty()) {
            by_lane.entry(&file.lane).or_default();
        }
        for row in &table.rows {
            by_lane.entry(&row.lane).or_default().push(row);
        }
        Corpus {
            lanes: by_lane
                .into_iter()
                .map(|(lane, rows)| LaneView::new(lane, rows))
                .collect(),
        }
    }
}

impl<'t> LaneView<'t> {
    fn new(lane: &'t str, evidence: Vec<&'t Evidence>) -> LaneView<'t> {
        let mut files: BTreeMap<&str, Vec<&Evidence>> = BTreeMap::new();
        for row in evidence {
            files.entry(&row.file).or_default().push(row);
        }
        let mut rows: Vec<Row<'t>> = Vec::new();
        for list in files.into_values() {
            rows.extend(ordered(list));
        }
        rows.sort_by(|a, b| {
            (a.time, &a.evidence.file, a.evidence.offset, a.evidence.seq).cmp(&(
                b.time,
                &b.evidence.file,
                b.evidence.offset,
                b.evidence.seq,
            ))
        });
        let mut by_key: HashMap<&str, HashMap<&str, Vec<usize>>> = HashMap::new();
        let mut by_file: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, row) in rows.iter().enumerate() {
            by_file.entry(&row.evidence.file).or_default().push(index);
            for (kind, value) in &row.evidence.keys {
                if kind != "logger" && kind != "thread" {
                    by_key
                        .entry(kind)
                        .or_default()
                        .entry(value)
                        .or_default()
                        .push(index);
                }
            }
        }
        for list in by_file.values_mut() {
            list.sort_by_key(|i| (rows[*i].evidence.offset, rows[*i].evidence.seq));
            for (rank, index) in list.iter().enumerate() {
                rows[*index].rank = rank;
            }
        }
        let mut view = LaneView {
            lane,
            rows,
            cases: Vec::new(),
            by_key,
            by_file,
        };
        view.cases = view.operations();
        view
    }

    /// The row at an index.
    pub fn row(&self, index: usize) -> &'t Evidence {
        self.rows[index].evidence
    }

    /// Rows that share a key.
    pub fn with_key<'s>(&'s self, kind: &'s str, value: &'s str) -> &'s [usize] {
        self.by_key
            .get(kind)
            .and_then(|k| k.get(value))
            .map_or(&[], Vec::as_slice)
    }

    /// The rows of a file in order of offset.
    pub fn of_file(&self, file: &str) -> &[usize] {
        self.by_file.get(file).map_or(&[], Vec::as_slice)
    }

    /// Groups the names: by request or target, else by run, else all of one template within a minute.
    fn operations(&self) -> Vec<Case> {
        // One record has one name: what a pattern or its level gave it, before what the end of its run gave it.
        let mut by_record: BTreeMap<(&str, i64), usize> = BTreeMap::new();
        for (index, row) in self.rows.iter().enumerate() {
            if row.evidence.kind != Kind::Name || !row.evidence.pattern.starts_with("name.") {
                continue;
            }
            let slot = by_record
                .entry((&row.evidence.file, row.evidence.offset))
                .or_insert(index);
            if *self.row(*slot).pattern == *"name.run-end" {
                *slot = index;
            }
        }
        let mut names: Vec<usize> = by_record.into_values().collect();
        names.sort_unstable();
        let signs: HashSet<(&str, i64)> = self
            .rows
            .iter()
            .filter(|r| r.evidence.kind == Kind::Cause)
            .map(|r| (r.evidence.file.as_ref(), r.evidence.offset))
            .collect();
        // A sign in a name's own words that says what the name claims adds nothing to it.
        let claims: HashMap<(&str, i64), &[Cause]> = names
            .iter()
            .map(|n| self.row(*n))
            .map(|r| ((r.file.as_ref(), r.offset), r.claims.as_slice()))
            .collect();
        let beyond: HashSet<(&str, i64)> = self
            .rows
            .iter()
            .map(|r| r.evidence)
            .filter(|r| r.kind == Kind::Cause)
            .filter(|r| {
                let claimed = claims
                    .get(&(r.file.as_ref(), r.offset))
                    .is_some_and(|c| r.cause.is_some_and(|own| c.contains(&own)));
                !(claimed && r.values.contains_key(OWN_WORDS))
            })
            .map(|r| (r.file.as_ref(), r.offset))
            .collect();
        self.drop_signs(&mut names, &beyond);
        let mut open: HashMap<(String, u32), usize> = HashMap::new();
        let mut cases: Vec<Case> = Vec::new();
        for index in names {
            let row = &self.rows[index];
            let key = operation_key(row);
            let joined = open.get(&key).copied().filter(|at| {
                let last = &self.rows[cases[*at].names.last().copied().unwrap_or(index)];
                row.has_runs && row.run > 0 && !key.0.starts_with("k:")
                    || within(last.time, row.time, TOGETHER)
            });
            match joined {
                Some(at) => {
                    cases[at].names.push(index);
                    cases[at].count += row.evidence.repeat - 1;
                }
                None => {
                    open.insert(key, cases.len());
                    cases.push(Case {
                        names: vec![index],
                        best: index,
                        count: row.evidence.repeat,
                    });
                }
            }
        }
        for case in &mut cases {
            // The last message before a bad end is a name only where there is no other.
            let told: Vec<usize> = case
                .names
                .iter()
                .copied()
                .filter(|n| {
                    *self.row(*n).pattern != *"name.run-end" && *self.row(*n).pattern != *"name.end"
                })
                .collect();
            if !told.is_empty() {
                let end = |n: &usize| *self.row(*n).pattern == *"name.end";
                case.names.retain(|n| told.contains(n) || end(n));
            }
            case.best = self.best_of(&case.names, &signs);
        }
        cases
    }

    /// A record below an error that carries a sign is evidence where a name without one follows at once; one that is
    /// a name only for its sign, where any name does.
    fn drop_signs(&self, names: &mut Vec<usize>, signs: &HashSet<(&str, i64)>) {
        let named: HashSet<usize> = names.iter().copied().collect();
        let signed = |row: &Evidence| signs.contains(&(row.file.as_ref(), row.offset));
        names.retain(|index| {
            let row = &self.rows[*index];
            let only = *row.evidence.pattern == *"name.sign";
            if !only && (row.evidence.level != Level::Warn || !signed(row.evidence)) {
                return true;
            }
            let file = self.of_file(&row.evidence.file);
            let mut followers = file[row.rank + 1..]
                .iter()
                .take(24)
                .map(|i| (&self.rows[*i], *i))
                .take_while(|(r, _)| {
                    r.evidence.record_line <= row.evidence.record_end + 3
                        && within(row.time, r.time, SOON)
                });
            !followers.any(|(r, i)| {
                let name =
                    *r.evidence.pattern != *"name.sign" && *r.evidence.pattern != *"name.end";
                named.contains(&i)
                    && r.evidence.offset != row.evidence.offset
                    && name
                    && (only || !signed(r.evidence))
            })
        });
    }

    /// The most specific name; of equals the later, which is the outer one. A record that carries a sign of the cause
    /// is evidence as much as a name, and the lane's last word is what it wrote at the level of an error.
    fn best_of(&self, names: &[usize], signs: &HashSet<(&str, i64)>) -> usize {
        let rank = |index: &usize| {
            let row = self.row(*index);
            let rank = row
                .values
                .get("rank")
                .and_then(|r| r.parse::<i64>().ok())
                .unwrap_or(0);
            let loud = row.level >= Level::Error;
            let proves = signs.contains(&(row.file.as_ref(), row.offset));
            rank + match (loud, proves) {
                (true, false) if rank > 0 => 3,
                (true, true) => 1,
                (false, true) => -3,
                _ => 0,
            }
        };
        names
            .iter()
            .copied()
            .max_by_key(|i| (rank(i), *i))
            .unwrap_or_default()
    }
}

fn within(a: Option<i64>, b: Option<i64>, span: i64) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.abs_diff(b) <= span as u64,
        _ => true,
    }
}

/// What tells the operation of a name from others.
fn operation_key(row: &Row<'_>) -> (String, u32) {
    let evidence = row.evidence;
    if let Some(request) = evidence.keys.get("request") {
        return (format!("k:request:{request}"), row.run);
    }
    if let Some(target) = evidence.keys.get("target") {
        // Two labels of one target are one operation only if one stands for the other; by template they stay apart.
        return (format!("k:target:{target}"), row.run);
    }
    if row.has_runs && row.run > 0 {
        return (format!("r:{}", evidence.file), row.run);
    }
    (format!("t:{}:{}", evidence.file, evidence.name), 0)
}

/// The rows of one file in order of offset, with effective times and runs.
fn ordered(mut list: Vec<&Evidence>) -> Vec<Row<'_>> {
    list.sort_by_key(|row| (row.offset, row.seq));
    let has_runs = list
        .iter()
        .any(|row| row.kind == Kind::Scope && begins(row));
    let mut greatest: Option<i64> = None;
    let mut run = 0;
    let mut rows = Vec::with_capacity(list.len());
    for evidence in list {
        greatest = greatest.max(evidence.time);
        if evidence.kind == Kind::Scope && begins(evidence) {
            run += 1;
        }
        rows.push(Row {
            evidence,
            time: if evidence.time.is_some() {
                greatest
            } else {
                None
            },
            run,
            has_runs,
            rank: 0,
        });
    }
    rows
}

/// Whether a scope row is a run's beginning.
pub fn begins(row: &Evidence) -> bool {
    row.values.get("what").is_some_and(|w| w == "start")
}
