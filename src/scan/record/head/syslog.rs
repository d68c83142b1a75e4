//! The host and the program that syslog writes before a message.

use super::Head;
use super::token::plain;
use crate::scan::record::level;

/// `host app[77]: `, `host app: `, and the structured form of RFC 5424; returns where the message begins.
pub(super) fn syslog(line: &str, from: usize, head: &mut Head) -> Option<usize> {
    let rest = line.get(from..)?;
    let body = rest.trim_start();
    let base = from + rest.len() - body.len();
    if rest.len() == body.len() {
        return None;
    }
    let words: Vec<(usize, &str)> = body
        .split(' ')
        .scan(0, |at, word| {
            let start = *at;
            *at += word.len() + 1;
            Some((start, word))
        })
        .filter(|(_, w)| !w.is_empty())
        .take(6)
        .collect();
    // RFC 5424: host app pid id [structured data] message.
    if head.columns.get("priority").is_some()
        && let [(_, host), (_, app), (_, pid), (id_at, id), ..] = words.as_slice()
        && (*pid == "-" || pid.bytes().all(|b| b.is_ascii_digit()))
    {
        head.column("host", host, base);
        head.name(app);
        head.column("pid", pid, base);
        let mut at = id_at + id.len() + 1;
        let tail = body.get(at..).unwrap_or_default();
        if tail.starts_with('[') {
            at += tail.find("] ").map_or(0, |e| e + 2);
        } else if tail.starts_with("- ") {
            at += 2;
        }
        let tail = body.get(at..).unwrap_or_default();
        return Some(base + at + (tail.len() - tail.trim_start_matches('\u{feff}').len()));
    }
    let app = |(start, word): (usize, &str), head: &mut Head| -> Option<usize> {
        let name = word.strip_suffix(':')?;
        let shaped = name.len() > 1
            && name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/')
            && (head.system || name.ends_with(']'))
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._-/()[]@".contains(&b));
        if !shaped || level::word(name).is_some() {
            return None;
        }
        match name.rsplit_once('[') {
            Some((logger, pid)) => {
                head.name(logger);
                let pid = pid.trim_end_matches(']');
                if pid.bytes().all(|b| b.is_ascii_digit()) {
                    head.column("pid", pid, base + start + logger.len() + 1);
                } else {
                    head.logger = Some(name.to_owned());
                }
            }
            None => head.name(name),
        }
        Some(base + start + word.len())
    };
    let host = |w: &str| {
        w.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._-/@".contains(&b))
    };
    match words.as_slice() {
        // `heroku` and `app[web.1]:` stand directly behind the stamp.
        [first, ..] if first.1.ends_with("]:") => app(*first, head),
        [first, second, ..]
            if host(first.1) && second.1.ends_with(':') && level::word(first.1).is_none() =>
        {
            // Two words of a sentence (`Connection failed:`) are no host and no program.
            let sentence = plain(first.1)
                && second.1.chars().next().is_some_and(char::is_lowercase)
                && !second.1.contains(['[', '.', '-', '/'])
                && first.1.chars().next().is_some_and(char::is_uppercase);
            // Nor does a program go by the name of what happened (`nightly-lane failed: disk full`).
            if sentence || happened(second.1) {
                return None;
            }
            let end = app(*second, head)?;
            head.column("host", first.1, base);
            Some(end)
        }
        // `host com.apple.xpc.launchd[1] (com.example.job): text`
        [first, second, third, ..]
            if host(first.1) && second.1.ends_with(']') && third.1.ends_with("):") =>
        {
            head.name(third.1);
            head.column("host", first.1, base);
            Some(base + third.0 + third.1.len())
        }
        _ => None,
    }
}

/// Whether a word says what happened.
fn happened(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "failed",
        "fails",
        "failure",
        "error",
        "errors",
        "aborted",
        "abort",
        "skipped",
        "skip",
        "timeout",
        "denied",
        "rejected",
        "crashed",
        "stopped",
        "exited",
        "finished",
        "done",
        "ok",
        "blocked",
        "cancelled",
        "canceled",
        "reason",
        "because",
        "status",
        "result",
        "verdict",
        "gave-up",
        "stalled",
        "stuck",
        "down",
        "lost",
    ];
    let word = word.trim_end_matches(':').to_ascii_lowercase();
    WORDS.contains(&word.as_str())
}
