//! `misnomer explain`: of a finding here, of everything else in `listing`.

use super::{gating, listing};
use crate::audit::finding::{Failure, Finding, Outcome};
use crate::audit::identity;
use crate::cli::{FindingsArgs, Global};
use crate::report::{gate, words};
use anyhow::Result;
use std::io::Write;

/// Explains a finding where the word looks like a fingerprint, else what is known under it.
///
/// # Errors
/// When nothing is known under it.
pub fn explain(global: &Global, what: &str, args: &FindingsArgs) -> Result<u8> {
    // A word of hexadecimal digits may be a name as well; one with a digit in it is none of ours.
    let digits = what.bytes().any(|b| b.is_ascii_digit());
    if !(args.from.is_some() || identity::looks_like(what) && digits) {
        return listing::explain(global, what);
    }
    let (outcome, _) = gating::findings(global, args)?;
    let finding = gating::one(&outcome, what)?;
    let mut out = std::io::stdout().lock();
    write!(out, "{}", text(&outcome, finding, args))?;
    Ok(super::DONE)
}

fn text(outcome: &Outcome, f: &Finding, args: &FindingsArgs) -> String {
    let mut lines = vec![
        format!("{} {} in {}: {}", f.code, f.rule, f.lane, f.title),
        f.message.clone(),
        format!(
            "state: {}; severity: {}; sure: {}",
            f.state,
            word(&f.severity),
            word(&f.confidence)
        ),
        format!("fingerprint: {}", f.fingerprint),
    ];
    lines.extend(gate::ruling(f));
    for (name, value) in &f.facts {
        lines.push(format!("  {name}: {value}"));
    }
    for place in f.places.iter().take(5) {
        lines.push(format!("  at {}:{}", place.file, place.line));
    }
    let failures = outcome
        .failures
        .iter()
        .filter(|x| x.lane == f.lane && x.recorded_name == f.recorded && x.cause.slug() == f.cause);
    for failure in failures {
        evidence(failure, &mut lines);
    }
    lines.push(String::new());
    lines.push("ready to paste:".to_owned());
    let mut from: String = args
        .paths
        .iter()
        .map(|p| format!(" {}", words::shell(p)))
        .collect();
    if let Some(run) = &args.from {
        from = format!(" --from {}", words::shell(&run.display().to_string()));
    }
    let fp = identity::short(&f.fingerprint);
    lines.push(format!("  misnomer waive {fp}{from} --reason 'WHY'"));
    lines.push(format!(
        "  misnomer override {fp}{from} --cause CAUSE --reason 'WHY'"
    ));
    if !f.recorded.is_empty() && f.lane != "*" {
        lines.push(format!(
            "  misnomer override --match-lane {} --match-recorded {} --max-matches 3 --cause CAUSE --reason 'WHY'",
            words::shell(&f.lane),
            words::shell(&f.recorded)
        ));
        let quoted = toml::Value::String(f.recorded.clone()).to_string();
        lines.push(format!(
            "  in misnomer.toml, if the name means it: [[name]] text = {quoted}, claims = \"{}\"",
            f.cause
        ));
    }
    let mut out = String::new();
    for line in lines {
        out.push_str(&words::visible(&line));
        out.push('\n');
    }
    out
}

fn evidence(failure: &Failure, lines: &mut Vec<String>) {
    lines.push(String::new());
    lines.push("evidence:".to_owned());
    for proof in &failure.evidence {
        let mark = if proof.decides { "decides" } else { "supports" };
        lines.push(format!(
            "  {mark} {}:{} [{}] {}",
            proof.file, proof.line, proof.pattern, proof.text
        ));
    }
    for aside in &failure.set_aside {
        lines.push(format!(
            "  set aside {}:{} [{}] {}",
            aside.file, aside.line, aside.pattern, aside.why
        ));
    }
    lines.push(format!("will waiting fix it? {}", failure.advice.wait));
    lines.push(format!("when to cut off: {}", failure.advice.cut_off));
    lines.push(format!("what to change: {}", failure.advice.change));
}

/// The permanent word of an enumeration, as in JSON.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).map_or(String::new(), |t| t.trim_matches('"').to_owned())
}
