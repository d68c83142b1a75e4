//! Several sets of evidence as one.

use crate::evidence::{Evidence, FileSummary, Table};
use std::collections::{BTreeMap, BTreeSet};

/// Joins sets and puts them in total order. A set that stands alone keeps the order it has among equals.
///
/// The same log can stand in two sets: it was scanned twice, or again to complete it. A row that both have counts once;
/// a row that one set holds twice by itself stays twice.
///
/// A file that has grown between two scans stands in both, from the same beginning on: the longer one counts, for what
/// the shorter one says of the file's end is out of date.
pub fn merge(mut sets: Vec<Table>) -> Table {
    supersede(&mut sets);
    let mut sets = sets.into_iter();
    let mut all = sets.next().unwrap_or_default();
    sort(&mut all);
    for mut set in sets {
        sort(&mut set);
        all.rows = union(all.rows, set.rows);
        let known = all.files.clone();
        all.files
            .extend(set.files.into_iter().filter(|f| !holds(&known, f)));
        all.passed_over.extend(set.passed_over);
        all.capped.extend(set.capped);
        all.passed_over.sort();
        all.passed_over.dedup();
        all.capped.sort();
        all.capped.dedup();
        sort(&mut all);
    }
    all
}

/// Takes out of each set the files that another set holds with more bytes.
fn supersede(sets: &mut [Table]) {
    let mut longest: BTreeMap<(String, Option<i64>), i64> = BTreeMap::new();
    for file in sets
        .iter()
        .flat_map(|s| &s.files)
        .filter(|f| f.first.is_some())
    {
        let most = longest.entry((file.file.clone(), file.first)).or_default();
        *most = file.bytes.max(*most);
    }
    for set in sets {
        let short: BTreeSet<String> = set
            .files
            .iter()
            .filter(|f| {
                longest
                    .get(&(f.file.clone(), f.first))
                    .is_some_and(|most| f.bytes < *most)
            })
            .map(|f| f.file.clone())
            .collect();
        if !short.is_empty() {
            set.files.retain(|f| !short.contains(&f.file));
            set.rows.retain(|r| !short.contains(r.file.as_ref()));
        }
    }
}

fn sort(set: &mut Table) {
    set.rows.sort_by(|a, b| a.order().cmp(&b.order()));
    set.files
        .sort_by(|a, b| (&a.file, &a.lane).cmp(&(&b.file, &b.lane)));
}

/// Whether the sorted list holds an equal summary.
fn holds(known: &[FileSummary], file: &FileSummary) -> bool {
    let start = known.partition_point(|k| (&k.file, &k.lane) < (&file.file, &file.lane));
    known
        .iter()
        .skip(start)
        .take_while(|k| k.file == file.file && k.lane == file.lane)
        .any(|k| k == file)
}

/// Both sorted lists as one; of rows that are equal in both, the greater number stays.
fn union(left: Vec<Evidence>, right: Vec<Evidence>) -> Vec<Evidence> {
    let mut out = Vec::with_capacity(left.len() + right.len());
    let mut left = left.into_iter().peekable();
    let mut right = right.into_iter().peekable();
    while let (Some(l), Some(r)) = (left.peek(), right.peek()) {
        match l.order().cmp(&r.order()) {
            std::cmp::Ordering::Less => out.extend(left.next()),
            std::cmp::Ordering::Greater => out.extend(right.next()),
            std::cmp::Ordering::Equal => {
                let group = take_group(&mut left);
                let mut unmatched = group.clone();
                let mut others = Vec::new();
                for row in take_group(&mut right) {
                    match unmatched.iter().position(|u| *u == row) {
                        Some(at) => drop(unmatched.swap_remove(at)),
                        None => others.push(row),
                    }
                }
                out.extend(group);
                out.extend(others);
            }
        }
    }
    out.extend(left);
    out.extend(right);
    out
}

/// The rows at the head that stand at one place in the total order.
fn take_group(rows: &mut std::iter::Peekable<std::vec::IntoIter<Evidence>>) -> Vec<Evidence> {
    let mut group: Vec<Evidence> = rows.next().into_iter().collect();
    while let Some(row) = rows.next_if(|r| group.first().is_some_and(|g| g.order() == r.order())) {
        group.push(row);
    }
    group
}
