//! A text that ends where somebody cut it: a parse error at the place of the cut is a truncation.

use super::Relations;
use crate::audit::case::LaneView;
use crate::cause::Cause;
use crate::evidence::{Evidence, Kind};
use std::collections::BTreeMap;

/// Nanoseconds within which a declared limit and a parse error belong together.
const NEAR: i64 = 120_000_000_000;
/// The least position that counts as a limit: below it, round numbers are chance.
const LEAST: i64 = 256;

const ADVICE: &str =
    "Raise or remove the limit, parse before cutting, and log that the limit was hit.";

/// Rewrites parse errors that stand at a cut.
pub fn relate(view: &LaneView<'_>, relations: &mut Relations) {
    let mut round: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for row in 0..view.rows.len() {
        let evidence = view.row(row);
        if !is_parse(evidence) {
            continue;
        }
        let Some(position) = position(evidence).filter(|p| *p >= LEAST) else {
            continue;
        };
        // The position equals the length of the text where the same record says the length.
        let own = ["length", "len", "size", "bytes", "limit", "chars"]
            .iter()
            .any(|k| number(evidence, k) == Some(position));
        let witness = cut_near(view, row, position);
        if own || witness.is_some() {
            relations.rewrite(row, Cause::TruncatedByLimit, ADVICE);
            relations.witnesses.extend(witness.map(|w| (row, w)));
        } else if is_round(position) {
            round.entry(position).or_default().push(row);
        }
    }
    // Once is chance; the same round place again and again is a cut.
    for row in round.into_values().filter(|rows| rows.len() >= 2).flatten() {
        relations.rewrite(row, Cause::TruncatedByLimit, ADVICE);
    }
}

/// The row nearby that declares a limit or a length of this very size; one that states both first.
fn cut_near(view: &LaneView<'_>, row: usize, position: i64) -> Option<usize> {
    let here = &view.rows[row];
    let near = |i: &usize| match (here.time, view.rows[*i].time) {
        (Some(a), Some(b)) => a.abs_diff(b) <= NEAR as u64,
        _ => view.row(*i).file == here.evidence.file,
    };
    let after = (row..view.rows.len()).take(100).take_while(near);
    let before = (0..row).rev().take(100).take_while(near);
    after
        .chain(before)
        .filter(|i| {
            let other = view.row(*i);
            other.kind == Kind::Limit
                && ["limit", "length", "max", "kept"]
                    .iter()
                    .any(|k| number(other, k) == Some(position))
        })
        .max_by_key(|i| (view.row(*i).values.len(), std::cmp::Reverse(*i)))
}

fn is_parse(row: &Evidence) -> bool {
    row.kind == Kind::Cause
        && matches!(
            row.cause,
            Some(Cause::ParseOrExtract | Cause::TruncatedByLimit)
        )
        && !row.after_effect
}

/// Where the parser stopped, counted from the start of the text.
fn position(row: &Evidence) -> Option<i64> {
    ["pos", "position", "char", "offset", "column", "at"]
        .iter()
        .find_map(|k| number(row, k))
}

/// A captured number, with its thousands separated or not.
pub fn number(row: &Evidence, key: &str) -> Option<i64> {
    row.values
        .get(key)
        .and_then(|v| v.replace([',', '_', ' '], "").parse().ok())
}

/// A number that a person or a power of two would choose.
pub fn is_round(n: i64) -> bool {
    n % 1000 == 0 || n % 1024 == 0 || (n & (n - 1)) == 0 || (n & (n + 1)) == 0
}
