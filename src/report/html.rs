//! The whole outcome as one HTML file that needs no network: the answer first, then pictures, then every finding with
//! its evidence. All of it can be read without JavaScript; the script only sorts and filters.

mod cost;
mod days;
mod findings;
mod flow;
mod layers;

use super::frames::word;
use super::table::{answer, costs};
use super::{Report, Style, words};
use crate::audit::finding::{Failure, Outcome};
use std::io::{self, Write};

/// The format `html`.
pub const REPORT: Report = Report {
    name: "html",
    help: "one page for a browser: the answer, pictures, every finding with its evidence",
    write: Some(write),
    directory: None,
};

/// The most rows of the table of names; the rest is counted.
const ROWS: usize = 1_000;

fn write(outcome: &Outcome, style: &Style, to: &mut dyn Write) -> io::Result<()> {
    let mut page = String::new();
    let title = match style.title.is_empty() {
        true => "misnomer".to_owned(),
        false => format!("misnomer: {}", style.title),
    };
    page.push_str(&format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';style-src 'unsafe-inline';script-src 'unsafe-inline';img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
        escaped(&title),
        include_str!("html/style.css")
    ));
    head(outcome, style, &mut page);
    page.push_str("<main>\n");
    flow::draw(outcome, &mut page);
    names(outcome, &mut page);
    days::draw(outcome, &mut page);
    cost::draw(outcome, &mut page);
    findings::list(outcome, style, &mut page);
    lanes(outcome, style, &mut page);
    input(outcome, &mut page);
    page.push_str("</main>\n<script>");
    page.push_str(include_str!("html/script.js"));
    page.push_str("</script>\n</body>\n</html>\n");
    to.write_all(page.as_bytes())
}

/// Log text for HTML, in an attribute too.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in words::visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A label of a picture: cut to what fits.
fn label(text: &str, columns: usize) -> String {
    escaped(&words::clip(&words::visible(text), columns))
}

/// The first screen.
fn head(outcome: &Outcome, style: &Style, page: &mut String) {
    let input = &outcome.input;
    let lanes = i64::try_from(outcome.lanes.len()).unwrap_or(i64::MAX);
    let mut looked = vec![
        escaped(&style.title),
        words::count(lanes, "lane", "lanes"),
        words::count(input.files, "file", "files"),
        words::bytes(input.bytes),
    ];
    let first = outcome
        .lanes
        .iter()
        .filter_map(|l| l.first.as_deref())
        .min();
    let last = outcome.lanes.iter().filter_map(|l| l.last.as_deref()).max();
    if let (Some(first), Some(last)) = (first, last) {
        looked.push(format!(
            "{} to {} ({})",
            escaped(&words::instant(first, &style.zone)),
            escaped(&words::instant(last, &style.zone)),
            escaped(&words::zone(&style.zone, last))
        ));
    }
    looked.retain(|part| !part.is_empty());
    page.push_str(&format!(
        "<header>\n<p class=\"dim\">{}</p>\n<h1>{}</h1>\n",
        looked.join(" · "),
        escaped(&answer(outcome))
    ));
    if let Some(cost) = costs(&outcome.summary.cost) {
        page.push_str(&format!("<p>What it cost: {}.</p>\n", escaped(&cost)));
    }
    if !outcome.complete() {
        page.push_str("<p class=\"warn\">Not all of the input could be read: see <a href=\"#input\">the input</a>.</p>\n");
    }
    if let Some(since) = outcome.gate.as_ref().and_then(|g| g.since.as_ref()) {
        page.push_str(&format!(
            "<p><strong>Since the run of {}</strong>: {} new, {} gone, {} worse.</p>\n",
            escaped(&words::instant(&since.run, &style.zone)),
            since.new.len(),
            since.gone.len(),
            since.worse.len()
        ));
    }
    if let Some(gate) = outcome.gate.as_ref().filter(|g| !g.silent.is_empty()) {
        page.push_str(&format!(
            "<p class=\"warn\">No line any more from {}: the last run had some.</p>\n",
            escaped(&gate.silent.join(", "))
        ));
    }
    findings::first(outcome, page);
    page.push_str("<nav><a href=\"#flow\">Names and causes</a><a href=\"#days\">Over time</a><a href=\"#cost\">Cost</a><a href=\"#findings\">Findings</a><a href=\"#lanes\">Lanes</a><a href=\"#input\">Input</a></nav>\n</header>\n");
}

/// Every failure in a table, which says in words what the flow shows.
fn names(outcome: &Outcome, page: &mut String) {
    if outcome.failures.is_empty() {
        return;
    }
    page.push_str("<details><summary>The same as a table</summary>\n<div class=\"scroll\"><table class=\"sort\"><thead><tr><th>lane</th><th>recorded as</th><th class=\"n\">times</th><th>reads as</th><th>really</th><th>the name is</th><th>sure</th><th>will waiting fix it?</th></tr></thead><tbody>\n");
    for f in outcome.failures.iter().take(ROWS) {
        page.push_str(&format!(
            "<tr><td>{}</td><td>{}</td><td class=\"n\" data-n=\"{}\">{}</td><td>{}</td><td>{}</td><td class=\"{}\"><span class=\"mark\">{}</span></td><td>{}</td><td>{}</td></tr>\n",
            escaped(&f.lane),
            escaped(&f.recorded_name),
            f.count,
            words::number(f.count),
            f.claimed.map_or("nothing", |c| c.slug()),
            cause(f),
            word(&f.standing),
            word(&f.standing),
            word(&f.confidence),
            escaped(&f.advice.wait)
        ));
    }
    page.push_str("</tbody></table></div>\n");
    if outcome.failures.len() > ROWS {
        page.push_str(&format!(
            "<p>{} more rows are not in this page; the JSON report has all.</p>\n",
            outcome.failures.len() - ROWS
        ));
    }
    page.push_str("</details>\n");
}

/// The cause; where a person ruled, both verdicts.
fn cause(f: &Failure) -> String {
    match &f.overruled {
        None => f.cause.slug().to_owned(),
        Some(o) => format!(
            "{} <span class=\"dim\">(judged {}; {} ruled: {})</span>",
            f.cause,
            o.judged,
            escaped(&o.owner),
            escaped(&o.reason)
        ),
    }
}

fn lanes(outcome: &Outcome, style: &Style, page: &mut String) {
    page.push_str("<section id=\"lanes\">\n<h2>Lanes</h2>\n<div class=\"scroll\"><table class=\"sort\"><thead><tr><th>lane</th><th class=\"n\">files</th><th class=\"n\">lines</th><th class=\"n\">failures</th><th class=\"n\">wrong name</th><th class=\"n\">says nothing</th><th class=\"n\">not judged</th><th>last line</th><th>last success</th></tr></thead><tbody>\n");
    for l in outcome.lanes.iter().take(ROWS) {
        page.push_str(&format!("<tr><td>{}</td>", escaped(&l.lane)));
        for n in [
            l.files,
            l.lines,
            l.failures,
            l.misnamed,
            l.opaque,
            l.unsupported,
        ] {
            page.push_str(&format!(
                "<td class=\"n\" data-n=\"{n}\">{}</td>",
                words::number(n)
            ));
        }
        for at in [&l.last, &l.last_success] {
            let at = at
                .as_deref()
                .map_or(String::new(), |t| words::instant(t, &style.zone));
            page.push_str(&format!("<td>{}</td>", escaped(&at)));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n</section>\n");
}

fn input(outcome: &Outcome, page: &mut String) {
    let input = &outcome.input;
    page.push_str(&format!(
        "<section id=\"input\">\n<h2>Input</h2>\n<p>{}, {}, {}.</p>\n",
        words::count(input.files, "file", "files"),
        words::count(input.lines, "line", "lines"),
        words::bytes(input.bytes)
    ));
    let mut list = Vec::new();
    list.extend(input.unreadable.iter().map(|u| {
        format!(
            "<strong>not read to the end</strong>: {}: {}",
            escaped(&u.path),
            escaped(&u.why)
        )
    }));
    if input.bad_lines > 0 {
        list.push(format!("{} broken lines", words::number(input.bad_lines)));
    }
    list.extend(input.capped.iter().map(|c| {
        format!(
            "{} of {}: {} of {} kept, the rest only counted",
            escaped(&c.what),
            escaped(&c.place),
            words::number(c.kept),
            words::number(c.of)
        )
    }));
    list.extend(
        input
            .passed_over
            .iter()
            .map(|p| format!("passed over: {}: {}", escaped(&p.path), escaped(&p.why))),
    );
    if let Some(gate) = &outcome.gate {
        list.extend(gate.remarks.iter().map(|r| {
            format!(
                "{}: the waiver of {} is {} ({}, until {}): {}",
                escaped(&r.place),
                escaped(&r.what),
                escaped(&r.state),
                escaped(&r.owner),
                escaped(&r.expires),
                escaped(&r.reason)
            )
        }));
        list.extend(gate.absent.iter().map(|a| {
            format!(
                "in the baseline and not in this run ({}): {} in {} {}",
                escaped(&a.state),
                escaped(&a.rule),
                escaped(&a.lane),
                escaped(&a.recorded)
            )
        }));
    }
    if !list.is_empty() {
        page.push_str("<ul>\n");
        for line in list.iter().take(ROWS) {
            page.push_str(&format!("<li>{line}</li>\n"));
        }
        page.push_str("</ul>\n");
        if list.len() > ROWS {
            page.push_str(&format!(
                "<p>{} more are not in this page.</p>\n",
                list.len() - ROWS
            ));
        }
    }
    page.push_str("</section>\n");
}
