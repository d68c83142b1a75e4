//! What fails a gate, and what to do about each of it.

use super::{Report, Style, words};
use crate::audit::finding::{Confidence, Finding, Outcome};
use crate::audit::identity::short;
use std::io::{self, Write};

/// The format `gate`.
pub const REPORT: Report = Report {
    name: "gate",
    help: "what fails a gate, and what to do about it",
    write: Some(write),
    directory: None,
};

/// So many findings are shown unless all are asked for.
const SHOWN: usize = 20;

/// The states in the order in which they are told.
const STATES: &[(&str, &str)] = &[
    ("new", "new"),
    ("changed", "under another cause than before"),
    ("surge", "more often than the baseline allows"),
    ("lapsed", "under a waiver that is over"),
    ("known", "known"),
    ("waived", "waived"),
    ("overridden", "overridden"),
];

fn write(outcome: &Outcome, style: &Style, to: &mut dyn Write) -> io::Result<()> {
    let failing: Vec<&Finding> = outcome
        .findings
        .iter()
        .filter(|f| fails(f, style))
        .collect();
    writeln!(to, "{}", answer(outcome, &failing))?;
    let shown = match style.all {
        true => failing.len(),
        false => failing.len().min(SHOWN),
    };
    for finding in failing.iter().take(shown) {
        writeln!(to)?;
        one(finding, style, to)?;
    }
    if failing.len() > shown {
        writeln!(to, "\n({} more: --all)", failing.len() - shown)?;
    }
    remarks(outcome, style, to)?;
    if !failing.is_empty() {
        to.write_all(b"\nWhat to do: make the lane record the true cause. Or tolerate it for a while (waive), rule that the verdict is wrong (override),\n")?;
        match outcome.gate.as_ref().is_some_and(|g| g.baseline.is_some()) {
            true => writeln!(
                to,
                "or take it as known: misnomer baseline add FINGERPRINT{}",
                paths(style)
            )?,
            false => writeln!(
                to,
                "or take all of this as known: misnomer baseline create{}",
                paths(style)
            )?,
        }
    }
    Ok(())
}

/// Whether a finding is among those that fail, by what was asked for.
pub fn fails(finding: &Finding, style: &Style) -> bool {
    match style.any {
        true => finding.confidence > Confidence::Possible,
        false => finding.fails(),
    }
}

/// How many fail, in which states; then the rest.
fn answer(outcome: &Outcome, failing: &[&Finding]) -> String {
    let count = |state: &str, of: bool| {
        let some = outcome.findings.iter().filter(|f| {
            f.confidence > Confidence::Possible
                && f.state == state
                && failing.iter().any(|x| std::ptr::eq(*x, *f)) == of
        });
        i64::try_from(some.count()).unwrap_or(i64::MAX)
    };
    let list = |of: bool| {
        let parts = STATES
            .iter()
            .map(|(state, said)| (count(state, of), said))
            .filter(|(n, _)| *n > 0);
        parts
            .map(|(n, said)| format!("{} {said}", words::number(n)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let rest = match list(false) {
        rest if rest.is_empty() => String::new(),
        rest => format!(" Beside: {rest}."),
    };
    if failing.is_empty() {
        return match rest.is_empty() && outcome.findings.is_empty() {
            true => "Nothing fails: there is no finding.".to_owned(),
            false => format!("Nothing fails.{rest}"),
        };
    }
    let n = i64::try_from(failing.len()).unwrap_or(i64::MAX);
    let verb = if n == 1 { "fails" } else { "fail" };
    format!(
        "{} {verb}: {}.{rest}",
        words::count(n, "finding", "findings"),
        list(true)
    )
}

fn one(f: &Finding, style: &Style, to: &mut dyn Write) -> io::Result<()> {
    let lane = match f.lane.as_str() {
        "*" => "all lanes".to_owned(),
        lane => words::visible(lane),
    };
    writeln!(
        to,
        "{}  {} {}  {lane}  {}",
        words::visible(&f.state),
        words::visible(&f.code),
        words::visible(&f.rule),
        words::visible(short(&f.fingerprint))
    )?;
    if let Some(why) = ruling(f) {
        writeln!(to, "  {why}")?;
    }
    writeln!(to, "  {}", words::visible(&f.message))?;
    if let Some(place) = f.places.first() {
        writeln!(to, "  {}:{}", words::visible(&place.file), place.line)?;
    }
    for command in commands(f, style) {
        writeln!(to, "  {command}")?;
    }
    Ok(())
}

/// What a person or the baseline says of a finding, in words.
pub fn ruling(f: &Finding) -> Option<String> {
    let ruling = f.ruling.as_ref()?;
    let said = |text: &Option<String>| words::visible(text.as_deref().unwrap_or_default());
    Some(match f.state.as_str() {
        "changed" => format!(
            "was {}, now {}",
            said(&ruling.was),
            words::visible(&f.cause)
        ),
        "surge" => format!(
            "{} ×, and the baseline allows {}",
            f.count().unwrap_or(1),
            ruling.ceil.unwrap_or_default()
        ),
        "lapsed" => format!(
            "the waiver of {} ended on {}: {}",
            said(&ruling.owner),
            said(&ruling.expires),
            said(&ruling.reason)
        ),
        "overridden" => format!(
            "{} rules {} until {}: {}",
            said(&ruling.owner),
            ruling.verdict.map_or("", |v| v.slug()),
            said(&ruling.expires),
            said(&ruling.reason)
        ),
        _ => format!(
            "waived by {} until {}: {}",
            said(&ruling.owner),
            said(&ruling.expires),
            said(&ruling.reason)
        ),
    })
}

/// What can be pasted: the explanation and a waiver.
pub fn commands(f: &Finding, style: &Style) -> [String; 2] {
    let fp = words::visible(short(&f.fingerprint));
    let paths = paths(style);
    [
        format!("misnomer explain {fp}{paths}"),
        format!("misnomer waive {fp}{paths} --reason 'WHY'"),
    ]
}

fn paths(style: &Style) -> String {
    style
        .paths
        .iter()
        .map(|p| format!(" {}", words::shell(p)))
        .collect()
}

fn remarks(outcome: &Outcome, style: &Style, to: &mut dyn Write) -> io::Result<()> {
    let Some(gate) = &outcome.gate else {
        return Ok(());
    };
    let mut lines = Vec::new();
    for r in &gate.remarks {
        let what = words::visible(&r.what);
        let owner = words::visible(&r.owner);
        let said = match r.state.as_str() {
            "lapsed" => format!(
                "is over since {} ({owner}): {}",
                words::visible(&r.expires),
                words::visible(&r.reason)
            ),
            "soon" => format!("ends on {} ({owner})", words::visible(&r.expires)),
            "void" => format!(
                "matches {}, more than it allows, and so covers none ({owner})",
                words::count(r.matches, "finding", "findings")
            ),
            _ => format!("meets nothing in this run ({owner}); remove it when that stays so"),
        };
        lines.push(format!(
            "{}: the waiver of {what} {said}",
            words::visible(&r.place)
        ));
    }
    let (stale, dormant): (Vec<_>, Vec<_>) = gate.absent.iter().partition(|a| a.state == "stale");
    let size = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    if !dormant.is_empty() {
        lines.push(format!(
            "{} of the baseline not seen in this run; absent from the logs is not yet fixed",
            words::count(size(dormant.len()), "entry", "entries")
        ));
    }
    if !stale.is_empty() {
        lines.push(format!(
            "{} of the baseline stale, not seen for 30 days and 10 complete runs: misnomer baseline prune --history DIR{}",
            words::count(size(stale.len()), "entry", "entries"),
            paths(style)
        ));
    }
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(to)?;
    lines.iter().try_for_each(|l| writeln!(to, "{l}"))
}
