//! The names: one cause under many, names against causes, and names that cannot be judged.

use super::grid::{Cell, Column, Row, Tint};
use super::{Screen, accuses, at, first_place, weight, words};
use crate::audit::finding::{Confidence, Failure, Finding, Standing};
use crate::cause::{Cause, Waiting, guide};
use std::collections::{BTreeMap, BTreeSet};

/// The rule whose findings become blocks of their own.
pub const MANY_NAMES: &str = "many-names";

/// Rules whose findings say what the rows of names say already.
pub const OF_NAMES: &[&str] = &["misnamed", "opaque-name"];

/// At most so many other labels of the same failures.
const ALIASES: usize = 4;
/// At most so many causes with several names, unless all are asked for.
const CAUSES: usize = 3;

/// The failures of a `many-names` finding; none if there are not two names to show.
pub fn of_many_names<'a>(screen: &Screen<'a>, finding: &Finding) -> Vec<&'a Failure> {
    if finding.rule != MANY_NAMES {
        return Vec::new();
    }
    let cause: Option<Cause> = finding.facts.get("cause").and_then(|c| c.parse().ok());
    let mut failures: Vec<&Failure> = screen
        .outcome
        .failures
        .iter()
        .filter(|f| Some(f.cause) == cause && f.confidence >= screen.style.min_confidence)
        .filter(|f| accuses(f))
        .collect();
    if all_names(&failures).len() < 2 {
        return Vec::new();
    }
    failures.sort_by_key(|f| std::cmp::Reverse((f.count, weight(&f.cost))));
    failures
}

/// Every name of some failures, with the other labels of the same operations.
fn all_names<'f>(failures: &[&'f Failure]) -> BTreeSet<&'f str> {
    failures
        .iter()
        .flat_map(|f| std::iter::once(&f.recorded_name).chain(&f.aliases))
        .map(String::as_str)
        .collect()
}

/// A block for each cause that goes by several names, and the failures that these blocks hold.
pub fn many_names<'a>(screen: &Screen<'a>) -> (Vec<Vec<String>>, Vec<&'a Failure>) {
    let mut blocks = Vec::new();
    let mut listed: Vec<&Failure> = Vec::new();
    let mut causes = BTreeSet::new();
    let groups: Vec<Vec<&Failure>> = screen
        .findings()
        .map(|f| of_many_names(screen, f))
        .filter(|g| g.first().is_some_and(|f| causes.insert(f.cause)))
        .collect();
    let shown = if screen.style.all {
        groups.len()
    } else {
        groups.len().min(CAUSES)
    };
    for group in groups.iter().take(shown) {
        blocks.push(many_names_block(screen, group));
        listed.extend(group);
    }
    if let Some(last) = blocks.last_mut() {
        last.extend(screen.more(
            groups.len() - shown,
            "cause of several names",
            "causes of several names",
        ));
    }
    (blocks, listed)
}

fn many_names_block(screen: &Screen<'_>, group: &[&Failure]) -> Vec<String> {
    let Some(first) = group.first() else {
        return Vec::new();
    };
    let names = all_names(group);
    let cause = guide(first.cause);
    let waiting = match cause.waiting {
        Waiting::Yes => "waiting fixes it",
        Waiting::AfterReset => "waiting for the reset fixes it",
        Waiting::No => "waiting does not fix it",
        Waiting::Depends => "waiting may fix it",
    };
    let mut lines = screen.heading(&format!(
        "ONE CAUSE, {}: {} ({}), {waiting}",
        match in_words(names.len()) {
            Some(word) => format!("{word} NAMES"),
            None => format!("{} NAMES", names.len()),
        },
        first.cause,
        cause.title,
    ));
    let shown = screen.rows(group.len());
    let rows: Vec<Row> = group
        .iter()
        .take(shown)
        .flat_map(|f| {
            let reads = match (f.standing, f.claimed) {
                (Standing::Opaque, _) | (_, None) => "says nothing".to_owned(),
                (_, Some(claimed)) => format!("reads as: {}", guide(claimed).title),
            };
            let own: Row = vec![
                Cell::from(screen.cell(&f.lane, 40)),
                Cell::new(screen.cell(&f.recorded_name, screen.width / 2), tint(f)),
                Cell::from(format!("{} ×", words::number(f.count))),
                Cell::from(reads),
                Cell::new(first_place(&f.places), Tint::Dim),
            ]
            .into();
            let others = f.aliases.iter().take(ALIASES).map(|alias| -> Row {
                vec![
                    Cell::from(String::new()),
                    Cell::new(screen.cell(alias, screen.width / 2), tint(f)),
                    Cell::from(String::new()),
                    Cell::from("of the same failures".to_owned()),
                    Cell::from(String::new()),
                ]
                .into()
            });
            std::iter::once(own).chain(others).collect::<Vec<Row>>()
        })
        .collect();
    let columns = [
        Column::text("", 10),
        Column::text("", 18),
        Column::number(""),
        Column::text("", 12),
        Column::whole("").or_below(),
    ];
    lines.extend(screen.draw(&columns, &rows));
    lines.extend(screen.more(group.len() - shown, "name", "names"));
    lines.extend(screen.note(&format!("change: {}", lower_first(cause.change))));
    lines
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_lowercase().to_string());
    format!("{}{}", first.unwrap_or_default(), chars.as_str())
}

fn in_words(n: usize) -> Option<&'static str> {
    let words = [
        "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", "ELEVEN", "TWELVE",
    ];
    words.get(n.checked_sub(2)?).copied()
}

fn tint(failure: &Failure) -> Tint {
    match failure.standing {
        Standing::Misnamed => Tint::Bad,
        Standing::Opaque => Tint::Vague,
        _ => Tint::Plain,
    }
}

/// Every other failure under a wrong name or one that says nothing, the most costly first.
pub fn against_causes(screen: &Screen<'_>, listed: &[&Failure]) -> Vec<String> {
    let mut failures: Vec<&Failure> = screen
        .accused()
        .filter(|f| !listed.iter().any(|l| std::ptr::eq(*l, *f)))
        .collect();
    if failures.is_empty() {
        return Vec::new();
    }
    failures.sort_by_key(|f| std::cmp::Reverse((weight(&f.cost), f.count)));
    let mut lines = screen.heading(match listed.is_empty() {
        true => "NAMES AGAINST CAUSES",
        false => "OTHER NAMES AGAINST CAUSES",
    });
    let shown = screen.rows(failures.len());
    let rows: Vec<Row> = failures
        .iter()
        .take(shown)
        .map(|f| against_cause(screen, f))
        .collect();
    let columns = [
        Column::text("lane", 10),
        Column::text("recorded as", 18),
        Column::number("n"),
        Column::text("really", 18),
        Column::whole("sure"),
        Column::text("will waiting fix it?", 24).or_below(),
        Column::whole("where").or_below(),
    ];
    lines.extend(screen.draw(&columns, &rows));
    lines.extend(screen.more(failures.len() - shown, "name", "names"));
    lines
}

fn against_cause(screen: &Screen<'_>, f: &Failure) -> Row {
    // In words besides the colour: what the name claims, or that it claims nothing.
    let really = match (f.standing, f.claimed) {
        (Standing::Misnamed, Some(claimed)) if claimed != f.cause => {
            format!("{}, not {claimed}", f.cause)
        }
        _ => f.cause.to_string(),
    };
    let mut below = Vec::new();
    if screen.style.all {
        let decides = f
            .evidence
            .iter()
            .find(|e| e.decides)
            .or_else(|| f.evidence.first());
        if let Some(proof) = decides {
            let text = words::visible(&proof.text);
            let place = words::visible(&format!("{}:{}", proof.file, proof.line));
            below.push(Cell::new(format!("evidence: {text} · {place}"), Tint::Dim));
        }
    }
    Row {
        cells: vec![
            Cell::from(screen.cell(&f.lane, 40)),
            Cell::new(screen.cell(&f.recorded_name, screen.width / 2), tint(f)),
            Cell::from(words::number(f.count)),
            Cell::from(really),
            Cell::from(match f.confidence {
                Confidence::Certain => "certain",
                Confidence::Likely => "likely",
                Confidence::Possible => "possible",
            }),
            Cell::from(waiting(screen, f)),
            Cell::new(first_place(&f.places), Tint::Dim),
        ],
        below,
    }
}

/// `no: 400,000 of 512,558 characters kept`: the short answer, then the reason of this verdict.
fn waiting(screen: &Screen<'_>, f: &Failure) -> String {
    let short = match (f.waiting, &f.reset_at) {
        (Waiting::AfterReset, Some(at)) => {
            format!("after {}", words::instant(at, &screen.style.zone))
        }
        (Waiting::AfterReset, None) => "after the reset".to_owned(),
        (other, _) => other.slug().to_owned(),
    };
    let mut detail = screen.cell(f.advice.wait.trim(), 120);
    for word in [
        "yes",
        "no",
        "depends",
        "it depends",
        "after_reset",
        "after the reset",
    ] {
        let lower = detail.to_lowercase();
        let rest = lower.strip_prefix(word).unwrap_or("x");
        if rest.is_empty()
            || rest.starts_with([':', ',', '.', ';', ' ']) && word == f.waiting.slug()
        {
            let kept = detail.get(word.len()..).unwrap_or_default();
            detail = kept
                .trim_start_matches([':', ',', '.', ';', ' '])
                .to_owned();
            break;
        }
    }
    match detail.is_empty() {
        true => short,
        false => format!("{short}: {detail}"),
    }
}

/// Failures without evidence, by lane.
pub fn not_judged(screen: &Screen<'_>) -> Vec<String> {
    let mut lanes: BTreeMap<&str, Vec<&Failure>> = BTreeMap::new();
    let failures = screen.outcome.failures.iter();
    for f in failures.filter(|f| f.standing == Standing::Unsupported) {
        lanes.entry(&f.lane).or_default().push(f);
    }
    if lanes.is_empty() {
        return Vec::new();
    }
    let mut lanes: Vec<(i64, &str, Vec<&Failure>)> = lanes
        .into_iter()
        .map(|(lane, mut failures)| {
            failures.sort_by_key(|f| std::cmp::Reverse(f.count));
            let total = failures
                .iter()
                .fold(0, |n: i64, f| n.saturating_add(f.count));
            (total, lane, failures)
        })
        .collect();
    lanes.sort_by_key(|(total, _, _)| std::cmp::Reverse(*total));
    let mut lines = screen.heading("NOT JUDGED");
    let shown = screen.rows(lanes.len());
    let rows: Vec<Row> = lanes
        .iter()
        .take(shown)
        .map(|(total, lane, failures)| {
            let some = if screen.style.all {
                failures.len()
            } else {
                failures.len().min(3)
            };
            let mut names: Vec<String> = failures
                .iter()
                .take(some)
                .map(|f| screen.cell(&f.recorded_name, 40))
                .collect();
            if failures.len() > some {
                names.push(format!("{} more", failures.len() - some));
            }
            let place = failures.iter().find_map(|f| f.places.first()).map(at);
            vec![
                Cell::from(screen.cell(lane, 40)),
                Cell::from(format!("{} ×", words::number(*total))),
                Cell::from(names.join(", ")),
                Cell::new(words::visible(&place.unwrap_or_default()), Tint::Dim),
            ]
            .into()
        })
        .collect();
    let columns = [
        Column::text("", 10),
        Column::number(""),
        Column::text("", 20),
        Column::whole("").or_below(),
    ];
    lines.extend(screen.draw(&columns, &rows));
    lines.extend(screen.more(lanes.len() - shown, "lane", "lanes"));
    lines.extend(screen.note(
        "These carry no status, code or exception. Log one beside the name: misnomer explain evidence-gap",
    ));
    lines
}
