//! What wrong names cost, a row for each lane: the costs of its failures, and of its findings about behaviour.

use super::super::words;
use super::escaped;
use crate::audit::finding::{Cost, Outcome};
use std::collections::BTreeMap;

/// Findings on names repeat the costs of the failures that they are about.
const OF_NAMES: &[&str] = &[
    "misnamed",
    "opaque-name",
    "many-names",
    "many-causes",
    "status-discarded",
];
/// The lanes that have a row.
const LANES: usize = 20;

/// The measures: what they are called, and how they are read.
type Measure = (&'static str, fn(&Cost) -> i64, fn(i64) -> String);

const MEASURES: [Measure; 4] = [
    ("requests in vain", |c| c.requests, words::number),
    ("attempts in vain", |c| c.attempts, words::number),
    ("time in vain", |c| c.seconds, words::duration),
    ("items dropped", |c| c.items, words::number),
];

/// Draws it; where nothing was lost, it says so.
pub fn draw(outcome: &Outcome, page: &mut String) {
    page.push_str("<section id=\"cost\">\n<h2>Cost, by lane</h2>\n");
    let mut lanes: BTreeMap<&str, Cost> = BTreeMap::new();
    for f in &outcome.failures {
        crate::audit::add(lanes.entry(&f.lane).or_default(), &f.cost);
    }
    for f in outcome
        .findings
        .iter()
        .filter(|f| !OF_NAMES.contains(&f.rule.as_str()))
    {
        crate::audit::add(lanes.entry(&f.lane).or_default(), &f.cost);
    }
    let mut lanes: Vec<(&str, Cost)> = lanes
        .into_iter()
        .filter(|(_, c)| MEASURES.iter().any(|(_, of, _)| of(c) > 0))
        .collect();
    // A request or an attempt counts as ten seconds, a dropped item as a minute: for the order only.
    let weight = |c: &Cost| {
        c.seconds
            .saturating_add(c.requests.max(c.attempts).saturating_mul(10))
            .saturating_add(c.items.saturating_mul(60))
    };
    lanes.sort_by_key(|(lane, c)| (std::cmp::Reverse(weight(c)), *lane));
    let shown: Vec<Measure> = MEASURES
        .into_iter()
        .filter(|(_, of, _)| lanes.iter().any(|(_, c)| of(c) > 0))
        .collect();
    if shown.is_empty() {
        page.push_str("<p>The logs show no cost.</p>\n</section>\n");
        return;
    }
    let rows = lanes.len().min(LANES);
    let column = 600.0 / shown.len() as f64;
    let height = rows * 26 + 26;
    page.push_str(&format!(
        "<figure><svg viewBox=\"0 0 800 {height}\" role=\"img\" aria-labelledby=\"cost-t\">\n<title id=\"cost-t\">Cost by lane, the most costly first</title>\n"
    ));
    for (at, (what, of, said)) in shown.iter().enumerate() {
        let left = 195.0 + at as f64 * column;
        let most = lanes.iter().map(|(_, c)| of(c)).max().unwrap_or(1).max(1);
        page.push_str(&format!(
            "<text class=\"dim\" x=\"{left:.1}\" y=\"14\">{what}</text>\n"
        ));
        for (row, (lane, cost)) in lanes.iter().take(rows).enumerate() {
            let y = row * 26 + 24;
            if at == 0 {
                page.push_str(&format!(
                    "<text x=\"185\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
                    y + 13,
                    name(lane)
                ));
            }
            let n = of(cost);
            if n > 0 {
                let room = (column - 95.0).max(30.0);
                let wide = (n as f64 / most as f64 * room).max(1.5);
                page.push_str(&format!(
                    "<rect class=\"bar c{at}\" x=\"{left:.1}\" y=\"{y}\" width=\"{wide:.1}\" height=\"17\"><title>{}: {what} {}</title></rect><text class=\"dim\" x=\"{:.1}\" y=\"{}\">{}</text>\n",
                    name(lane),
                    said(n),
                    left + wide + 5.0,
                    y + 13,
                    said(n)
                ));
            }
        }
    }
    page.push_str("</svg>\n<figcaption>");
    if lanes.len() > rows {
        page.push_str(&format!("{} more lanes cost less. ", lanes.len() - rows));
    }
    if lanes.iter().any(|(_, c)| c.estimated) {
        page.push_str("Partly estimated. ");
    }
    page.push_str("Each measure has its own scale.</figcaption></figure>\n</section>\n");
}

fn name(lane: &str) -> String {
    match lane {
        "*" => "all lanes".to_owned(),
        lane => escaped(&words::clip(lane, 24)),
    }
}
