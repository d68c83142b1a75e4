//! Every finding, each open to its evidence and its three answers.

use super::super::frames::word;
use super::super::{Style, gate, words};
use super::{escaped, layers};
use crate::audit::finding::{Failure, Finding, Outcome};
use crate::audit::identity::short;
use std::collections::BTreeMap;

/// The findings that are shown with their evidence, the most costly first.
const FULL: usize = 500;
/// The findings that are in the page at all: with more a browser takes seconds to open it.
const MOST: usize = 3_000;
/// The most bytes of all findings together; what is beyond is counted.
const BYTES: usize = 8_500_000;
/// Failures whose evidence stands in one finding.
const FAILURES: usize = 6;
/// Findings named on the first screen.
const FIRST: usize = 5;

/// The most costly ones, for the first screen.
pub fn first(outcome: &Outcome, page: &mut String) {
    let sure = || outcome.findings.iter().filter(|f| f.fails());
    if sure().next().is_none() {
        return;
    }
    page.push_str("<ol>\n");
    for f in sure().take(FIRST) {
        page.push_str(&format!(
            "<li><a href=\"#f{}\">{} {}</a> · {} · {}</li>\n",
            escaped(short(&f.fingerprint)),
            escaped(&f.code),
            escaped(&f.rule),
            lane(f),
            escaped(&words::clip(&words::visible(&f.message), 180))
        ));
    }
    page.push_str("</ol>\n");
    let rest = sure().count().saturating_sub(FIRST);
    if rest > 0 {
        page.push_str(&format!(
            "<p class=\"dim\">{rest} more in <a href=\"#findings\">the findings</a>.</p>\n"
        ));
    }
}

fn lane(f: &Finding) -> String {
    match f.lane.as_str() {
        "*" => "all lanes".to_owned(),
        lane => escaped(lane),
    }
}

/// All of them.
pub fn list(outcome: &Outcome, style: &Style, page: &mut String) {
    page.push_str(&format!(
        "<section id=\"findings\">\n<h2>Findings ({})</h2>\n",
        outcome.findings.len()
    ));
    if outcome.findings.is_empty() {
        page.push_str("<p>There is none.</p>\n</section>\n");
        return;
    }
    controls(outcome, page);
    page.push_str("<div id=\"list\">\n");
    let mut by_name: BTreeMap<(&str, &str), Vec<&Failure>> = BTreeMap::new();
    for f in &outcome.failures {
        by_name
            .entry((&f.lane, &f.recorded_name))
            .or_default()
            .push(f);
    }
    let start = page.len();
    let mut left_out = outcome.findings.len().saturating_sub(MOST);
    for (at, finding) in outcome.findings.iter().enumerate().take(MOST) {
        let mut item = String::new();
        let failures = match at < FULL {
            true => of(finding, outcome, &by_name),
            false => Vec::new(),
        };
        one(finding, &failures, at < FULL, style, &mut item);
        if page.len() - start + item.len() > BYTES {
            left_out += 1;
        } else {
            page.push_str(&item);
        }
    }
    page.push_str("</div>\n");
    if outcome.findings.len() > FULL {
        page.push_str(&format!(
            "<p>The first {FULL} are shown with their evidence; <code>misnomer explain FINGERPRINT</code> shows that of the others.</p>\n"
        ));
    }
    if left_out > 0 {
        page.push_str(&format!("<p>{left_out} more are not in this page, which would be too large; the JSON report has all.</p>\n"));
    }
    page.push_str("</section>\n");
}

fn controls(outcome: &Outcome, page: &mut String) {
    // Hidden until the script that serves it has run.
    page.push_str("<form id=\"filter\" hidden><input name=\"q\" type=\"search\" placeholder=\"Filter\" aria-label=\"Filter by words\">");
    let states: BTreeMap<&str, usize> =
        outcome.findings.iter().fold(BTreeMap::new(), |mut all, f| {
            *all.entry(f.state.as_str()).or_default() += 1;
            all
        });
    page.push_str(
        "<select name=\"state\" aria-label=\"State\"><option value=\"\">every state</option>",
    );
    for (state, n) in states {
        page.push_str(&format!(
            "<option value=\"{0}\">{0} ({n})</option>",
            escaped(state)
        ));
    }
    page.push_str("</select><select name=\"severity\" aria-label=\"Severity\"><option value=\"\">every severity</option><option>error</option><option>warning</option><option>note</option></select><select name=\"sort\" aria-label=\"Order\"><option value=\"given\">by cost</option><option value=\"count\">by number</option><option value=\"lane\">by lane</option><option value=\"rule\">by rule</option></select><span id=\"shown\" class=\"dim\" role=\"status\"></span></form>\n");
}

/// The failures that a finding is about.
fn of<'a>(
    f: &Finding,
    outcome: &'a Outcome,
    by_name: &BTreeMap<(&str, &str), Vec<&'a Failure>>,
) -> Vec<&'a Failure> {
    let judged = |x: &Failure| x.overruled.as_ref().map_or(x.cause, |o| o.judged);
    let fits = |x: &Failure| f.cause.is_empty() || judged(x).slug() == f.cause;
    if !f.recorded.is_empty() {
        let found = by_name.get(&(f.lane.as_str(), f.recorded.as_str()));
        return found
            .into_iter()
            .flatten()
            .copied()
            .filter(|x| fits(x))
            .take(FAILURES)
            .collect();
    }
    if f.rule != "many-names" {
        return Vec::new();
    }
    let mut all: Vec<&Failure> = outcome
        .failures
        .iter()
        .filter(|x| {
            (f.lane == "*" || x.lane == f.lane) && fits(x) && crate::audit::failures::accused(x)
        })
        .collect();
    all.sort_by_key(|x| std::cmp::Reverse(x.count));
    all.truncate(FAILURES);
    all
}

fn one(f: &Finding, failures: &[&Failure], full: bool, style: &Style, page: &mut String) {
    let fp = escaped(short(&f.fingerprint));
    page.push_str(&format!(
        "<details class=\"finding {sev}\" id=\"f{fp}\" data-fp=\"{}\" data-state=\"{}\" data-severity=\"{sev}\" data-rule=\"{}\" data-lane=\"{}\" data-count=\"{}\"><summary><strong>{} {}</strong> · {} <span class=\"chip\">{}</span> <span class=\"chip\">{}</span><br>{}</summary>",
        escaped(&f.fingerprint),
        escaped(&f.state),
        escaped(&f.code),
        escaped(&f.lane),
        f.count().unwrap_or(0),
        escaped(&f.code),
        escaped(&f.rule),
        lane(f),
        escaped(&f.state),
        word(&f.confidence),
        escaped(&f.message),
        sev = word(&f.severity),
    ));
    if full {
        page.push_str("<div>");
        if let Some(why) = gate::ruling(f) {
            page.push_str(&format!("<p class=\"warn\">{}</p>", escaped(&why)));
        }
        if let Some(picture) = layers::draw(f) {
            page.push_str(&picture);
        }
        facts(f, page);
        for failure in failures {
            evidence(failure, page);
        }
        page.push_str("<h3>Ready to paste</h3><pre>");
        for command in gate::commands(f, style) {
            page.push_str(&escaped(&command));
            page.push('\n');
        }
        page.push_str(&format!(
            "misnomer override {fp} --cause CAUSE --reason 'WHY'</pre></div>"
        ));
    }
    page.push_str("</details>\n");
}

fn facts(f: &Finding, page: &mut String) {
    page.push_str("<dl>");
    for (name, value) in &f.facts {
        page.push_str(&format!(
            "<dt>{}</dt><dd>{}</dd>",
            escaped(&name.replace('_', " ")),
            escaped(value)
        ));
    }
    if let Some(cost) = super::costs(&f.cost) {
        page.push_str(&format!("<dt>cost</dt><dd>{}</dd>", escaped(&cost)));
    }
    let places: Vec<String> = f
        .places
        .iter()
        .map(|p| format!("{}:{}", p.file, p.line))
        .collect();
    if !places.is_empty() {
        page.push_str(&format!(
            "<dt>where</dt><dd>{}</dd>",
            escaped(&places.join(", "))
        ));
    }
    page.push_str(&format!(
        "<dt>fingerprint</dt><dd><code>{}</code></dd></dl>",
        escaped(&f.fingerprint)
    ));
}

fn evidence(f: &Failure, page: &mut String) {
    page.push_str(&format!(
        "<h3>{} · {} × · {}</h3>",
        escaped(&f.recorded_name),
        words::number(f.count),
        super::cause(f)
    ));
    if !f.aliases.is_empty() {
        page.push_str(&format!(
            "<p class=\"dim\">The same failures are also called: {}</p>",
            escaped(&f.aliases.join(", "))
        ));
    }
    for proof in &f.evidence {
        page.push_str(&format!(
            "<p class=\"dim\">{}:{} {} {}</p><pre>{}</pre>",
            escaped(&proof.file),
            proof.line,
            if proof.decides {
                "decides:"
            } else {
                "beside it:"
            },
            escaped(&proof.pattern),
            escaped(&proof.text)
        ));
    }
    for aside in &f.set_aside {
        page.push_str(&format!(
            "<p class=\"dim\">set aside: {}:{} {}: {}</p>",
            escaped(&aside.file),
            aside.line,
            escaped(&aside.pattern),
            escaped(&aside.why)
        ));
    }
    page.push_str(&format!(
        "<dl><dt>Will waiting fix it?</dt><dd>{}</dd><dt>When to cut off?</dt><dd>{}</dd><dt>What must change?</dt><dd>{}</dd></dl>",
        escaped(&f.advice.wait),
        escaped(&f.advice.cut_off),
        escaped(&f.advice.change)
    ));
}
