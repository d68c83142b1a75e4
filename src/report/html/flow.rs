//! The flow from recorded names to true causes: the width of each band is the number of failures.

use super::super::frames::word;
use super::super::words;
use super::{escaped, label};
use crate::audit::finding::{Outcome, Standing};
use std::collections::BTreeMap;

/// The names that get a node of their own; the others share one.
const NAMES: usize = 16;
/// The height of all bands together, in units of the drawing.
const BANDS: f64 = 300.0;
/// The least height of a node, so that its label has room.
const LEAST: f64 = 18.0;
const GAP: f64 = 6.0;
const LEFT: f64 = 300.0;
const RIGHT: f64 = 560.0;
const WIDTH: f64 = 800.0;
const BAR: f64 = 10.0;

/// One band: from a name, to a cause, in one standing.
struct Band {
    from: usize,
    to: usize,
    standing: Standing,
    count: i64,
}

/// A column of nodes.
#[derive(Default)]
struct Column {
    names: Vec<String>,
    counts: Vec<i64>,
    /// Where each begins.
    tops: Vec<f64>,
    height: f64,
}

impl Column {
    fn new(mut nodes: Vec<(String, i64)>, scale: f64) -> Column {
        let mut column = Column::default();
        for (name, count) in nodes.drain(..) {
            column.tops.push(column.height);
            column.height += (count as f64 * scale).max(LEAST) + GAP;
            column.names.push(name);
            column.counts.push(count);
        }
        column
    }
}

/// Draws it, with the sums in words below.
pub fn draw(outcome: &Outcome, page: &mut String) {
    page.push_str("<section id=\"flow\">\n<h2>From recorded names to true causes</h2>\n");
    let total = outcome.summary.failures;
    if total <= 0 || outcome.failures.is_empty() {
        page.push_str("<p>There is no failure to show.</p>\n</section>\n");
        return;
    }
    let (left, right, bands) = layout(outcome);
    let scale = BANDS / total as f64;
    let height = left.height.max(right.height);
    page.push_str(&format!(
        "<figure><svg viewBox=\"0 0 {WIDTH} {:.0}\" role=\"img\" aria-labelledby=\"flow-t flow-d\">\n<title id=\"flow-t\">Recorded names on the left, true causes on the right</title>\n<desc id=\"flow-d\">{}</desc>\n",
        height + 24.0,
        escaped(&described(&left, &right, &bands))
    ));
    page.push_str(&format!(
        "<text class=\"dim\" x=\"{}\" y=\"12\" text-anchor=\"end\">recorded as</text><text class=\"dim\" x=\"{}\" y=\"12\">really</text>\n<g transform=\"translate(0,22)\">\n",
        LEFT - 8.0,
        RIGHT + BAR + 8.0
    ));
    let mut used = (left.tops.clone(), right.tops.clone());
    for band in &bands {
        let width = band.count as f64 * scale;
        let (Some(y0), Some(y1)) = (used.0.get_mut(band.from), used.1.get_mut(band.to)) else {
            continue;
        };
        page.push_str(&ribbon(*y0, *y1, width, band, &left, &right));
        *y0 += width;
        *y1 += width;
    }
    nodes(&left, scale, true, page);
    nodes(&right, scale, false, page);
    page.push_str("</g></svg>\n<figcaption>");
    for (standing, said, count) in [
        ("misnamed", "wrong name", outcome.summary.misnamed),
        ("opaque", "says nothing", outcome.summary.opaque),
        ("accurate", "named right", outcome.summary.accurate),
        ("unsupported", "not judged", outcome.summary.unsupported),
    ] {
        page.push_str(&format!(
            "<span class=\"key {standing}\"><i></i>{said}: {}</span>",
            words::number(count)
        ));
    }
    page.push_str(&format!(
        "All bands together are the {}.</figcaption></figure>\n</section>\n",
        words::count(total, "failure", "failures")
    ));
}

fn layout(outcome: &Outcome) -> (Column, Column, Vec<Band>) {
    let mut by_name: BTreeMap<&str, i64> = BTreeMap::new();
    for f in &outcome.failures {
        *by_name.entry(&f.recorded_name).or_default() += f.count;
    }
    let mut ranked: Vec<(&str, i64)> = by_name.into_iter().collect();
    ranked.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    // One more than allowed has room for itself rather than for "1 other name".
    let own = if ranked.len() <= NAMES + 1 {
        ranked.len()
    } else {
        NAMES
    };
    let place: BTreeMap<&str, usize> = ranked
        .iter()
        .take(own)
        .enumerate()
        .map(|(at, (name, _))| (*name, at))
        .collect();

    let mut by_cause: BTreeMap<&str, i64> = BTreeMap::new();
    for f in &outcome.failures {
        *by_cause.entry(f.cause.slug()).or_default() += f.count;
    }
    let mut causes: Vec<(&str, i64)> = by_cause.into_iter().collect();
    causes.sort_by_key(|(cause, count)| (std::cmp::Reverse(*count), *cause));

    let mut sums: BTreeMap<(usize, usize, Standing), i64> = BTreeMap::new();
    for f in &outcome.failures {
        let from = place.get(f.recorded_name.as_str()).copied().unwrap_or(own);
        let to = causes
            .iter()
            .position(|(c, _)| *c == f.cause.slug())
            .unwrap_or(0);
        // As in the figures above: what is only possible counts as not judged.
        let unsure = f.confidence == crate::audit::finding::Confidence::Possible;
        let standing = match f.standing {
            Standing::Misnamed | Standing::Opaque if unsure => Standing::Unsupported,
            standing => standing,
        };
        *sums.entry((from, to, standing)).or_default() += f.count;
    }
    let bands = sums
        .into_iter()
        .map(|((from, to, standing), count)| Band {
            from,
            to,
            standing,
            count,
        })
        .collect();
    let scale = BANDS / outcome.summary.failures.max(1) as f64;
    let mut names: Vec<(String, i64)> = ranked
        .iter()
        .take(own)
        .map(|(n, c)| ((*n).to_owned(), *c))
        .collect();
    if ranked.len() > own {
        let rest: i64 = ranked.iter().skip(own).map(|(_, c)| c).sum();
        names.push((format!("{} other names", ranked.len() - own), rest));
    }
    let causes = causes.into_iter().map(|(c, n)| (c.to_owned(), n)).collect();
    (Column::new(names, scale), Column::new(causes, scale), bands)
}

fn described(left: &Column, right: &Column, bands: &[Band]) -> String {
    let parts: Vec<String> = bands.iter().map(|b| words_of(b, left, right)).collect();
    parts.join("; ")
}

fn words_of(band: &Band, left: &Column, right: &Column) -> String {
    let name = left.names.get(band.from).map_or("", String::as_str);
    let cause = right.names.get(band.to).map_or("", String::as_str);
    format!(
        "{name} was {cause}: {} ({})",
        words::number(band.count),
        word(&band.standing)
    )
}

fn ribbon(y0: f64, y1: f64, width: f64, band: &Band, left: &Column, right: &Column) -> String {
    let (x0, x1) = (LEFT + BAR, RIGHT);
    let middle = (x0 + x1) / 2.0;
    let (b0, b1) = (y0 + width, y1 + width);
    format!(
        "<path class=\"ribbon {}\" data-count=\"{}\" d=\"M{x0} {y0:.2}C{middle} {y0:.2} {middle} {y1:.2} {x1} {y1:.2}L{x1} {b1:.2}C{middle} {b1:.2} {middle} {b0:.2} {x0} {b0:.2}Z\"><title>{}</title></path>\n",
        word(&band.standing),
        band.count,
        escaped(&words_of(band, left, right))
    )
}

fn nodes(column: &Column, scale: f64, left: bool, page: &mut String) {
    for ((name, count), top) in column.names.iter().zip(&column.counts).zip(&column.tops) {
        let height = (*count as f64 * scale).max(1.0);
        let (bar, x, anchor) = match left {
            true => (LEFT, LEFT - 8.0, "end"),
            false => (RIGHT, RIGHT + BAR + 8.0, "start"),
        };
        let y = top + (height / 2.0).max(LEAST / 2.0 - 2.0) + 4.0;
        page.push_str(&format!(
            "<rect class=\"node\" x=\"{bar}\" y=\"{top:.2}\" width=\"{BAR}\" height=\"{height:.2}\"/><text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{} <tspan class=\"dim\">{}</tspan></text>\n",
            label(name, 34),
            words::number(*count)
        ));
    }
}
