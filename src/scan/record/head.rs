//! The head of a text line: stamp, level, logger and thread, and where the message begins.

mod syslog;
mod token;

use super::fields::{Field, Fields, Scalar};
use super::level;
use super::shape::Shape;
use crate::evidence::Level;
use syslog::syslog;
use token::{Token, dotted, level_ahead, plain, single, stated, token};

/// What stands before the message.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    pub time: Option<i64>,
    pub dateless: bool,
    pub zoned: bool,
    /// The stamp is one that syslog writes: without a year, or with a zone.
    pub system: bool,
    pub level: Level,
    pub logger: Option<String>,
    pub thread: Option<String>,
    /// Where the message begins.
    pub message: usize,
    /// Where it ends: before a logger in parentheses at the end of the line.
    pub message_end: usize,
    /// Host, process id and priority.
    pub columns: Fields,
}

impl Head {
    fn column(&mut self, path: &str, value: &str, start: usize) {
        self.columns.0.push(Field {
            path: path.to_owned(),
            value: value.to_owned(),
            kind: Scalar::Text,
            span: start..start + value.len(),
            at: 0,
        });
    }

    fn name(&mut self, word: &str) {
        let word = word.trim_matches(|c: char| "[](){}:<>,".contains(c)).trim();
        if self.logger.is_none() && !word.is_empty() && word != "-" {
            self.logger = Some(word.to_owned());
        }
    }
}

/// Reads the head of a line.
pub(super) fn parse(line: &str, shape: &Shape) -> Head {
    let mut head = Head {
        message_end: line.len(),
        ..Head::default()
    };
    let mut at = priority(line, &mut head);
    let tail = line.get(at..).unwrap_or_default();
    let mut stamped = false;
    if let Some(found) = shape.find_stamp(tail) {
        stamped = true;
        head.time = Some(found.ns);
        head.dateless = !found.has_date;
        head.zoned = found.has_zone;
        head.system = found.has_zone || !found.has_year;
        let before = tail.get(..found.range.start).unwrap_or_default();
        for word in before.split([' ', '\t', '|']).filter(|w| !w.is_empty()) {
            if head.level == Level::None
                && let Some(level) = level::word(word)
            {
                head.level = level;
            }
        }
        if let Some(level) = found.letter.and_then(level::letter) {
            head.level = level;
        }
        let glued = before.trim_end_matches(['"', '\'']);
        if glued.ends_with('=') {
            // logfmt: the stamp is a field like the others.
            head.message = at;
            trailing_logger(line, &mut head);
            return head;
        }
        at += found.range.end;
        at = second_stamp(line, at, &mut head, shape);
    }
    let named = stamped
        .then(|| syslog(line, at, &mut head))
        .flatten()
        .map(|end| second_stamp(line, end, &mut head, shape));
    at = columns(
        line,
        named.unwrap_or(at),
        &mut head,
        stamped,
        named.is_some(),
    );
    head.message = at;
    trailing_logger(line, &mut head);
    head
}

/// `<34>` and `<165>1 ` of syslog; `<3>` of systemd.
fn priority(line: &str, head: &mut Head) -> usize {
    let Some(rest) = line.strip_prefix('<') else {
        return 0;
    };
    let Some((number, _)) = rest.split_once('>') else {
        return 0;
    };
    let Some(value) = number.parse::<i64>().ok().filter(|n| (0..192).contains(n)) else {
        return 0;
    };
    head.level = level::syslog(value);
    head.column("priority", number, 1);
    let mut at = number.len() + 2;
    if line.get(at..at + 2) == Some("1 ") {
        at += 2;
    }
    at
}

/// A second stamp directly behind the first belongs to the inner line, and is better if it says at least as much.
fn second_stamp(line: &str, at: usize, head: &mut Head, shape: &Shape) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    let skipped = rest.len() - rest.trim_start_matches([' ', '\t', '[', ']', '|']).len();
    let inner = rest.get(skipped..).unwrap_or_default();
    // BGL and Thunderbird: a bare date, the node, then the stamp again.
    let near = inner.get(..inner.len().min(90)).unwrap_or_default();
    let Some(found) = shape.find_stamp(inner) else {
        return at;
    };
    let before = inner.get(..found.range.start).unwrap_or_default();
    let columns = before
        .split_whitespace()
        .all(|w| w.bytes().any(|b| b.is_ascii_digit()));
    if !found.has_date || found.range.start > near.len() || (!before.is_empty() && !columns) {
        return at;
    }
    if found.range.start == 0 && (found.has_zone || !head.zoned) && found.has_year {
        head.time = Some(found.ns);
        head.zoned = found.has_zone;
        head.dateless = false;
    }
    at + skipped + found.range.end
}

/// Reads the columns between the stamp and the message; returns where the message begins.
///
/// Behind the name of a program (`named`) only what stands at once can be a level.
fn columns(line: &str, from: usize, head: &mut Head, stamped: bool, named: bool) -> usize {
    let mut at = markers(line, from, head);
    if head.level == Level::None
        && let Some(level_at) = level_ahead(line, at)
        && ((stamped && !named)
            || level_at == at
            || line
                .get(at..level_at)
                .is_some_and(|s| s.trim().is_empty() || s.contains(['[', '|'])))
    {
        while let Some(token) = token(line, at) {
            if token.start >= level_at {
                break;
            }
            column(&token, head);
            at = token.end;
        }
        if let Some(token) = token(line, at) {
            let next = line.get(token.end..).and_then(|r| r.chars().next());
            if let Some((level, name)) = stated(&token, next) {
                head.level = level;
                if let Some(name) = name {
                    head.name(name);
                }
                // `ERROR:root:failed`
                let glued = token
                    .text
                    .split_once(':')
                    .filter(|(a, b)| !token.bracket && !b.is_empty() && level::word(a).is_some());
                at = match glued {
                    Some((a, rest)) => {
                        let logger = rest.split(':').next().unwrap_or_default();
                        if rest.contains(':') {
                            head.name(logger);
                            token.start + a.len() + 1 + logger.len() + 1
                        } else {
                            token.start + a.len() + 1
                        }
                    }
                    // `Error: x` is the message of a class, not a column.
                    None if token.text == "Error:" => token.start,
                    None => token.end,
                };
            }
        }
    }
    after_level(line, at, head, stamped)
}

/// A column before the level.
fn column(token: &Token, head: &mut Head) {
    let text = token.text.trim();
    if text.bytes().all(|b| b.is_ascii_digit()) {
        head.column("pid", text, token.start);
    } else if token.bracket {
        if head.thread.is_none() && !dotted(text) {
            head.thread = Some(text.to_owned());
        } else {
            head.name(text);
        }
    } else if dotted(text) || (head.logger.is_none() && !plain(text)) {
        head.name(text);
    } else if head.thread.is_none() {
        head.thread = Some(text.to_owned());
    }
}

/// `##[error]`, `::error file=a::`, `npm ERR!`, Android's and journald's marks.
fn markers(line: &str, from: usize, head: &mut Head) -> usize {
    let rest = line.get(from..).unwrap_or_default();
    let lead = rest.len() - rest.trim_start_matches([' ', ']', '\t']).len();
    let body = rest.get(lead..).unwrap_or_default();
    if let Some(tail) = body.strip_prefix("##[")
        && let Some((word, _)) = tail.split_once(']')
        && let Some(level) = level::word(word)
    {
        head.level = level;
        return from + lead + word.len() + 4;
    }
    if let Some(tail) = body.strip_prefix("::")
        && let Some(end) = tail.find("::")
        && let Some(word) = tail.get(..end).and_then(|t| t.split(' ').next())
        && let Some(level) = level::word(word)
    {
        head.level = level;
        return from + lead + end + 4;
    }
    for (mark, level) in [
        ("npm ERR! ", Level::Error),
        ("npm error ", Level::Error),
        ("npm WARN ", Level::Warn),
        ("npm warn ", Level::Warn),
    ] {
        if body.starts_with(mark) {
            head.level = level;
            head.name("npm");
            return from + lead + mark.len();
        }
    }
    from
}

/// Thread, process and logger between the level and the message.
fn after_level(line: &str, from: usize, head: &mut Head, stamped: bool) -> usize {
    let mut at = from;
    if !stamped && head.level == Level::None {
        return skip(line, at);
    }
    let leveled = head.level != Level::None;
    let bars = line
        .get(from..)
        .is_some_and(|r| r.trim_start().starts_with('|'));
    let mut brackets = 0;
    for _ in 0..6 {
        let Some(token) = token(line, at) else {
            break;
        };
        let rest = line.get(token.end..).unwrap_or_default();
        if rest.trim().is_empty() {
            break;
        }
        let text = token.text.trim();
        if token.bracket {
            let opener = line.as_bytes().get(token.start).copied();
            if brackets >= 3
                || opener == Some(b'<')
                || (opener == Some(b'(') && stamped && (text.contains(' ') || brackets > 0))
                || text.contains(": ")
            {
                break;
            }
            brackets += 1;
            if text.starts_with("req-") {
                // OpenStack: the request, then user and project.
                let id = text.split(' ').next().unwrap_or_default();
                head.column("request_id", id, token.start + 1);
            } else if dotted(text) {
                head.name(text);
            } else if head.thread.is_none() {
                head.thread = Some(text.to_owned());
            }
        } else if bars && rest.starts_with('|') {
            if text.bytes().all(|b| b.is_ascii_digit()) {
                head.column("pid", text, token.start);
            } else {
                head.name(text);
            }
        } else if bars && text.contains(':') && divided(rest) {
            // loguru: `module:function:line - `
            head.name(text);
            at = token.end;
            break;
        } else if text.bytes().all(|b| b.is_ascii_digit())
            && (rest.starts_with(" ---") || (at == from && klog(rest)))
        {
            head.column("pid", text, token.start);
        } else if text.contains(':') && text.ends_with(']') && !text.contains('[') {
            // klog: `logging.go:55]`
            head.name(text);
        } else if dotted(text)
            && (text.ends_with(':') || divided(rest) || (leveled && rest.starts_with(" [")))
            && !super::exception::classed(text)
        {
            head.name(text);
            at = token.end;
            // A bracket behind the logger is a column where a dash divides it from the message.
            let columned = rest.starts_with(" [")
                && rest.find("] ").is_some_and(|e| {
                    e < 60 && rest.get(e + 2..).is_some_and(|t| t.starts_with("- "))
                });
            if rest.starts_with(" [req-") || columned {
                continue;
            }
            break;
        } else if leveled && head.logger.is_none() && android(line, token.start, text) {
            head.name(text);
            at = token.end;
            break;
        } else {
            break;
        }
        at = token.end;
    }
    skip(line, at)
}

/// klog: the thread's number, then `file:line]`.
fn klog(rest: &str) -> bool {
    rest.split_whitespace()
        .next()
        .is_some_and(|w| w.ends_with(']') && w.contains(':') && !w.contains('['))
}

/// ` - `, ` -- ` or ` : ` closes the column of the logger.
fn divided(rest: &str) -> bool {
    let rest = rest.trim_start();
    ["- ", "-- ", ": "]
        .iter()
        .any(|mark| rest.starts_with(mark))
}

/// logcat: a level of one letter, then `Tag:`.
fn android(line: &str, start: usize, text: &str) -> bool {
    let before = line.get(..start).unwrap_or_default().trim_end();
    let lettered = before
        .rsplit(' ')
        .next()
        .is_some_and(|w| single(w).is_some());
    lettered && text.ends_with(':')
}

fn skip(line: &str, at: usize) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    let body = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '|' | ']'));
    let mut at = line.len() - body.len();
    for mark in ["- ", "-- ", "--- ", ": ", ":", "— "] {
        if let Some(tail) = line.get(at..).and_then(|b| b.strip_prefix(mark)) {
            at = line.len() - tail.trim_start().len();
            break;
        }
    }
    at
}

/// Kafka and log4j put the logger in parentheses at the end.
fn trailing_logger(line: &str, head: &mut Head) {
    let Some(body) = line.get(head.message..).and_then(|b| b.strip_suffix(')')) else {
        return;
    };
    if let Some((said, name)) = body.rsplit_once(" (")
        && head.logger.is_none()
        && name.matches('.').count() >= 2
        && dotted(name)
    {
        head.logger = Some(name.to_owned());
        head.message_end = head.message + said.len();
    }
}
