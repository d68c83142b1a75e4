//! What wrong names breed: every finding that is not about a name alone.

use super::grid::{Cell, Column, Row, Tint};
use super::names::{OF_NAMES, of_many_names};
use super::{Screen, costs, first_place, words};
use crate::audit::finding::{Finding, Severity};

/// The findings in their order (the most costly first), a row each.
pub fn findings(screen: &Screen<'_>) -> Vec<String> {
    let findings: Vec<&Finding> = screen
        .findings()
        .filter(|f| !OF_NAMES.contains(&f.rule.as_str()))
        .filter(|f| of_many_names(screen, f).is_empty())
        .collect();
    if findings.is_empty() {
        return Vec::new();
    }
    let mut lines = screen.heading("BEHAVIOUR, by cost");
    let shown = screen.rows(findings.len());
    let rows: Vec<Row> = findings
        .iter()
        .take(shown)
        .map(|f| row(screen, f))
        .collect();
    let columns = [
        Column::whole(""),
        Column::text("", 10),
        Column::text("", 44).or_below(),
        Column::whole("").or_below(),
    ];
    lines.extend(screen.draw(&columns, &rows));
    lines.extend(screen.more(findings.len() - shown, "finding", "findings"));
    lines
}

fn row(screen: &Screen<'_>, f: &Finding) -> Row {
    let mut message = screen.cell(&f.message, 240);
    // A finding that a baseline or waiver answers is said to be so; `new` is the rule.
    if !f.state.is_empty() && f.state != "new" {
        message = format!("[{}] {message}", words::visible(&f.state));
    }
    let tint = match f.severity {
        Severity::Error => Tint::Bad,
        Severity::Warning => Tint::Vague,
        Severity::Note => Tint::Plain,
    };
    let mut below = Vec::new();
    if screen.style.all {
        below.extend(costs(&f.cost).map(|c| Cell::new(format!("cost: {c}"), Tint::Dim)));
    }
    Row {
        cells: vec![
            Cell::new(
                format!("{} {}", words::visible(&f.code), words::visible(&f.rule)),
                tint,
            ),
            Cell::from(match f.lane.as_str() {
                "*" => "all lanes".to_owned(),
                lane => screen.cell(lane, 40),
            }),
            Cell::from(message),
            Cell::new(first_place(&f.places), Tint::Dim),
        ],
        below,
    }
}
