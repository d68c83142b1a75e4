//! Failures over time: a row for each lane, a bar for each day, a colour for each cause.

use super::super::words;
use super::{escaped, label};
use crate::audit::finding::Outcome;
use jiff::{ToSpan, civil::Date};
use std::collections::BTreeMap;

/// The causes that have a colour of their own; the others share the last.
const CAUSES: usize = 7;
/// The lanes that have a row of their own; the others share one.
const LANES: usize = 12;
/// At most so many bars in a row.
const BARS: i64 = 62;
const LEFT: f64 = 190.0;
const RIGHT: f64 = 740.0;
const ROW: f64 = 44.0;

/// Lane, bar and cause to count.
type Counts = BTreeMap<(usize, i64, usize), i64>;

/// Draws it.
pub fn draw(outcome: &Outcome, page: &mut String) {
    page.push_str("<section id=\"days\">\n<h2>Failures over time, by lane and cause</h2>\n");
    let days: Vec<Date> = outcome
        .failures
        .iter()
        .flat_map(|f| f.days.keys())
        .filter_map(|d| d.parse().ok())
        .collect();
    let (Some(first), Some(last)) = (days.iter().min(), days.iter().max()) else {
        page.push_str("<p>No failure carries a time.</p>\n</section>\n");
        return;
    };
    let span = span(*first, *last);
    // So many days a bar that all fit.
    let each = span / BARS + 1;
    let bars = span / each + 1;
    let lanes = ranked(outcome.failures.iter().map(|f| (f.lane.as_str(), f.count)));
    let causes = ranked(outcome.failures.iter().map(|f| (f.cause.slug(), f.count)));
    let own = if lanes.len() <= LANES + 1 {
        lanes.len()
    } else {
        LANES
    };
    let mut counts: Counts = BTreeMap::new();
    let (mut dated, mut total) = (0, 0);
    for f in &outcome.failures {
        total += f.count;
        let lane = lanes
            .iter()
            .position(|(l, _)| *l == f.lane)
            .unwrap_or(own)
            .min(own);
        let cause = causes
            .iter()
            .position(|(c, _)| *c == f.cause.slug())
            .unwrap_or(CAUSES)
            .min(CAUSES);
        for (day, n) in &f.days {
            if let Ok(day) = day.parse::<Date>() {
                *counts
                    .entry((lane, self::span(*first, day) / each, cause))
                    .or_default() += n;
                dated += n;
            }
        }
    }
    let mut sums: BTreeMap<(usize, i64), i64> = BTreeMap::new();
    for ((lane, bar, _), n) in &counts {
        *sums.entry((*lane, *bar)).or_default() += n;
    }
    let most = sums.values().copied().max().unwrap_or(1).max(1);
    let rows = own + usize::from(lanes.len() > own);
    let height = rows as f64 * ROW + 24.0;
    page.push_str(&format!(
        "<figure><svg viewBox=\"0 0 800 {height:.0}\" role=\"img\" aria-labelledby=\"days-t days-d\">\n<title id=\"days-t\">Failures a {} by lane and cause</title>\n<desc id=\"days-d\">From {first} to {last}; the tallest bar is {}. Each part of a bar says its day, lane, cause and number.</desc>\n",
        unit(each),
        words::count(most, "failure", "failures")
    ));
    let width = (RIGHT - LEFT) / bars as f64;
    for row in 0..rows {
        let base = (row + 1) as f64 * ROW;
        let (name, n) = match lanes.get(row) {
            Some((lane, n)) if row < own => (label(lane, 24), *n),
            _ => (
                format!("{} other lanes", lanes.len() - own),
                lanes.iter().skip(own).map(|(_, n)| n).sum(),
            ),
        };
        page.push_str(&format!(
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text><text class=\"dim\" x=\"{}\" y=\"{:.1}\">{}</text><line class=\"axis\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{base}\" y2=\"{base}\"/>\n",
            LEFT - 10.0,
            base - 6.0,
            RIGHT + 8.0,
            base - 6.0,
            words::number(n)
        ));
        let mut tops: BTreeMap<i64, f64> = BTreeMap::new();
        for ((_, bar, cause), n) in counts.range((row, 0, 0)..(row + 1, 0, 0)) {
            let tall = *n as f64 / most as f64 * (ROW - 8.0);
            let top = tops.entry(*bar).or_insert(base);
            *top -= tall;
            let cause_name = match causes.get(*cause) {
                Some((name, _)) if *cause < CAUSES => name,
                _ => "other causes",
            };
            let day = first.checked_add((bar * each).days()).unwrap_or(*first);
            page.push_str(&format!(
                "<rect class=\"bar c{cause}\" data-count=\"{n}\" x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{tall:.2}\"><title>{day} {name}: {cause_name} {n}</title></rect>\n",
                LEFT + *bar as f64 * width + 0.5,
                *top,
                (width - 1.0).max(0.8)
            ));
        }
    }
    let axis = rows as f64 * ROW + 16.0;
    page.push_str(&format!(
        "<text class=\"dim\" x=\"{LEFT}\" y=\"{axis}\">{first}</text><text class=\"dim\" x=\"{RIGHT}\" y=\"{axis}\" text-anchor=\"end\">{last}</text>\n</svg>\n<figcaption>"
    ));
    for (at, (cause, n)) in causes.iter().take(CAUSES).enumerate() {
        page.push_str(&format!(
            "<span class=\"key c{at}\"><i></i>{}: {}</span>",
            escaped(cause),
            words::number(*n)
        ));
    }
    if causes.len() > CAUSES {
        let rest: i64 = causes.iter().skip(CAUSES).map(|(_, n)| n).sum();
        page.push_str(&format!(
            "<span class=\"key c{CAUSES}\"><i></i>other causes: {}</span>",
            words::number(rest)
        ));
    }
    page.push_str(&format!("One bar is a {} (UTC).", unit(each)));
    if dated < total {
        page.push_str(&format!(
            " {} carry no time and are not drawn.",
            words::count(total - dated, "failure", "failures")
        ));
    }
    page.push_str("</figcaption></figure>\n</section>\n");
}

/// Days from one to another.
fn span(first: Date, last: Date) -> i64 {
    first
        .until(last)
        .map_or(0, |s| i64::from(s.get_days()))
        .max(0)
}

fn unit(days: i64) -> String {
    match days {
        1 => "day".to_owned(),
        n => format!("stretch of {n} days"),
    }
}

/// What there is, with its sum, the greatest first.
fn ranked<'a>(all: impl Iterator<Item = (&'a str, i64)>) -> Vec<(&'a str, i64)> {
    let mut sums: BTreeMap<&str, i64> = BTreeMap::new();
    for (what, n) in all {
        *sums.entry(what).or_default() += n;
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|(what, n)| (std::cmp::Reverse(*n), *what));
    sums
}
