//! Pictures of single findings: the layers of stacked retries, and the holds of a key.
//!
//! Both are drawn from the facts of the finding, so that a stored run shows them too.

use super::escaped;
use crate::audit::finding::Finding;
use jiff::Timestamp;

const LEFT: f64 = 60.0;
const WIDTH: f64 = 640.0;
/// More would be lines without room between them.
const MOST: i64 = 24;

/// The picture of a finding, where its rule has one and its facts are there.
pub fn draw(f: &Finding) -> Option<String> {
    match f.rule.as_str() {
        "stacked-retries" => stacked(f),
        "quarantine-loop" | "hold-without-resume" | "unbounded-requeue" => holds(f),
        _ => None,
    }
}

fn number(f: &Finding, name: &str) -> Option<i64> {
    f.facts
        .get(name)?
        .parse()
        .ok()
        .filter(|n| (1..=10_000).contains(n))
}

/// Each try of the outer layer is a box, and holds the tries of the inner one.
fn stacked(f: &Finding) -> Option<String> {
    let (inner, outer) = (number(f, "inner")?, number(f, "outer")?);
    let (inner_shown, outer_shown) = (inner.min(MOST), outer.min(MOST));
    let each = WIDTH / outer_shown as f64;
    let mut svg = format!(
        "<figure><svg viewBox=\"0 0 720 84\" role=\"img\"><title>{outer} tries of the outer layer with {inner} of the inner one each: {} requests for one call</title>\n<text class=\"dim\" x=\"{}\" y=\"28\" text-anchor=\"end\">outer</text><text class=\"dim\" x=\"{}\" y=\"62\" text-anchor=\"end\">inner</text>\n",
        inner * outer,
        LEFT - 8.0,
        LEFT - 8.0
    );
    for o in 0..outer_shown {
        let x = LEFT + o as f64 * each;
        svg.push_str(&format!(
            "<rect class=\"bar c1\" x=\"{x:.1}\" y=\"14\" width=\"{:.1}\" height=\"20\"><title>try {} of {outer}</title></rect>\n",
            each - 6.0,
            o + 1
        ));
        let step = (each - 6.0) / inner_shown as f64;
        for i in 0..inner_shown {
            svg.push_str(&format!(
                "<rect class=\"bar c0\" x=\"{:.1}\" y=\"46\" width=\"{:.1}\" height=\"22\"><title>request {} of {}</title></rect>\n",
                x + i as f64 * step,
                (step - 2.0).max(0.8),
                o * inner + i + 1,
                inner * outer
            ));
        }
    }
    svg.push_str("</svg>\n<figcaption>");
    if inner > MOST || outer > MOST {
        svg.push_str(&format!(
            "The first {outer_shown} × {inner_shown} are drawn. "
        ));
    }
    svg.push_str(&format!(
        "{outer} × {inner} = {} requests for one call.</figcaption></figure>\n",
        inner * outer
    ));
    Some(svg)
}

/// The rounds of a hold: by their instants where the fact `times` has them, else one after the other.
fn holds(f: &Finding) -> Option<String> {
    let times: Vec<Timestamp> = f
        .facts
        .get("times")
        .map(|t| {
            t.split(" | ")
                .filter_map(|t| t.parse().ok())
                .take(200)
                .collect()
        })
        .unwrap_or_default();
    let rounds = number(f, "rounds")
        .or(i64::try_from(times.len()).ok())
        .filter(|n| *n > 0)?;
    let key = f.facts.get("key").map_or("", String::as_str);
    let mut svg = format!(
        "<figure><svg viewBox=\"0 0 720 66\" role=\"img\"><title>{rounds} holds of {}</title>\n<line class=\"axis\" x1=\"{LEFT}\" x2=\"{}\" y1=\"40\" y2=\"40\"/>\n",
        escaped(key),
        LEFT + WIDTH
    );
    match (times.iter().min(), times.iter().max()) {
        (Some(first), Some(last)) if last > first => {
            let span = (last.as_second() - first.as_second()).max(1) as f64;
            for (at, time) in times.iter().enumerate() {
                let x = LEFT + (time.as_second() - first.as_second()) as f64 / span * (WIDTH - 8.0);
                svg.push_str(&format!("<rect class=\"bar c0\" x=\"{x:.1}\" y=\"18\" width=\"8\" height=\"22\"><title>hold {} of {rounds}: {time}</title></rect>\n", at + 1));
            }
            svg.push_str(&format!("<text class=\"dim\" x=\"{LEFT}\" y=\"58\">{first}</text><text class=\"dim\" x=\"{}\" y=\"58\" text-anchor=\"end\">{last}</text>\n", LEFT + WIDTH));
        }
        _ => {
            let shown = rounds.min(MOST);
            let each = WIDTH / shown as f64;
            for at in 0..shown {
                svg.push_str(&format!(
                    "<rect class=\"bar c0\" x=\"{:.1}\" y=\"18\" width=\"{:.1}\" height=\"22\"><title>hold {} of {rounds}</title></rect>\n",
                    LEFT + at as f64 * each,
                    (each * 0.7).max(1.0),
                    at + 1
                ));
            }
        }
    }
    svg.push_str(&format!(
        "</svg>\n<figcaption>{rounds} holds of {}.</figcaption></figure>\n",
        escaped(key)
    ));
    Some(svg)
}
