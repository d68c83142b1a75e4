//! What was not read, or not wholly; and what is new since the last run.

use super::{Screen, words};
use std::collections::BTreeMap;

/// Unreadable files, bad lines, caps, and what was passed over; nothing if there is none of it.
pub fn problems(screen: &Screen<'_>) -> Vec<String> {
    let input = &screen.outcome.input;
    let mut notes = Vec::new();
    let shown = screen.rows(input.unreadable.len());
    for file in input.unreadable.iter().take(shown) {
        notes.push(format!(
            "not read to the end: {}: {}",
            words::visible(&file.path),
            screen.cell(&file.why, 160)
        ));
    }
    let mut lines: Vec<String> = notes.iter().flat_map(|n| screen.note(n)).collect();
    lines.extend(screen.more(input.unreadable.len() - shown, "file", "files"));
    if input.bad_lines > 0 {
        let bad = words::count(input.bad_lines, "line is", "lines are");
        lines.extend(screen.note(&format!(
            "{bad} broken: no valid text, or no JSON where JSON is due."
        )));
    }
    let shown = screen.rows(input.capped.len());
    for cap in input.capped.iter().take(shown) {
        let place = words::visible(&cap.place);
        lines.extend(screen.note(&match cap.what.as_str() {
            "lines" => format!(
                "{place}: {} so long that only the first 256 KiB were read.",
                words::count(cap.of - cap.kept, "line is", "lines are")
            ),
            what => format!(
                "{} of {place}: {} of {} kept, the rest only counted.",
                words::visible(what),
                words::number(cap.kept),
                words::number(cap.of)
            ),
        }));
    }
    lines.extend(screen.more(input.capped.len() - shown, "cut", "cuts"));
    if !input.passed_over.is_empty() {
        let mut reasons: BTreeMap<&str, i64> = BTreeMap::new();
        for file in &input.passed_over {
            *reasons.entry(&file.why).or_default() += 1;
        }
        let why: Vec<String> = reasons
            .iter()
            .map(|(why, n)| format!("{} {}", words::number(*n), screen.cell(why, 80)))
            .collect();
        let files = i64::try_from(input.passed_over.len()).unwrap_or(i64::MAX);
        let files = words::count(files, "file", "files");
        lines.extend(screen.note(&format!("{files} passed over: {}.", why.join(", "))));
        if screen.style.all {
            for file in &input.passed_over {
                let (path, why) = (words::visible(&file.path), words::visible(&file.why));
                lines.extend(screen.note(&format!("{path}: {why}")));
            }
        }
    }
    if lines.is_empty() {
        return lines;
    }
    let heading = match input.unreadable.is_empty() {
        true => "INPUT",
        false => "INPUT, NOT COMPLETE",
    };
    let mut block = screen.heading(heading);
    block.extend(lines);
    block
}

/// What is new, gone and worse since the last run of the history.
pub fn since(screen: &Screen<'_>) -> Option<String> {
    let since = screen.outcome.gate.as_ref()?.since.as_ref()?;
    let size = |v: &[String]| i64::try_from(v.len()).unwrap_or(i64::MAX);
    let parts: Vec<String> = [
        (size(&since.new), "new"),
        (size(&since.gone), "gone"),
        (size(&since.worse), "worse"),
    ]
    .iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, what)| format!("{} {what}", words::number(*n)))
    .collect();
    let what = match parts.is_empty() {
        true => "nothing new, gone or worse".to_owned(),
        false => parts.join(", "),
    };
    let run = words::instant(&since.run, &screen.style.zone);
    let silent = match &screen.outcome.gate {
        Some(gate) if !gate.silent.is_empty() => format!(
            " NO LINE ANY MORE from {}.",
            words::visible(&gate.silent.join(", "))
        ),
        _ => String::new(),
    };
    Some(format!("Since the run of {run}: {what}.{silent}"))
}
