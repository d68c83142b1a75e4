//! Records that name their parts: JSON of any emitter, and lines of delimited files.

use super::fields::{Field, Fields, Scalar};
use super::json::Leaf;
use super::lookup::Lookup;
use super::shape::{Columns, Shape, cells};
use super::{Record, exception, head, level};
use crate::evidence::Level;
use crate::time::{self, SECOND};
use std::borrow::Cow;

/// Keys of the instant, best first. When it was received or ingested counts only where nothing else stands.
const TIMES: &[&str] = &[
    "_SOURCE_REALTIME_TIMESTAMP",
    "@timestamp",
    "timestamp",
    "time",
    "ts",
    "@t",
    "datetime",
    "date",
    "record.time.timestamp",
    "created",
    "asctime",
    "eventTime",
    "timeMillis",
    "timeUnixNano",
    "__REALTIME_TIMESTAMP",
    "start_time",
    "startTime",
    "StartUTC",
    "when",
    "at",
    "date_time",
    "log_time",
    "logged_at",
    "created_at",
    "started_at",
    "receiveTimestamp",
    "ingestionTime",
    "observedTimeUnixNano",
];

const MESSAGES: &[&str] = &[
    "msg",
    "message",
    "event",
    "@m",
    "@mt",
    "short_message",
    "textPayload",
    "MESSAGE",
    "fields.message",
    "record.message",
    "RenderedMessage",
    "MessageTemplate",
    "body.stringValue",
    "body",
    "log",
    "text",
    "full_message",
    "error.message",
    "err.message",
    "errorMessage",
    "error",
    "err",
    "reason",
    "detail",
    "logEvents.message",
];

/// Strings in which another program's whole line stands.
const LINES: &[&str] = &[
    "log",
    "MESSAGE",
    "textPayload",
    "logEvents.message",
    "logEvents.0.message",
    "event.original",
    "body.stringValue",
    "line",
];

/// The text of a JSON record, a line for each leaf, and its fields.
pub(super) fn flat(leaves: Vec<Leaf>) -> (String, Fields) {
    let mut text = String::new();
    let mut fields = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&leaf.path);
        text.push('=');
        let start = text.len();
        text.push_str(&leaf.value);
        fields.push(Field {
            path: leaf.path,
            value: leaf.value,
            kind: leaf.kind,
            span: start..text.len(),
            at: leaf.at,
        });
    }
    (text, Fields(fields))
}

/// A JSON record from its text and fields. `outer` is what a collector wrote before it.
pub(super) fn record<'a>(
    raw: &'a [u8],
    text: Cow<'a, str>,
    fields: Fields,
    outer: &str,
    shape: &Shape,
) -> Record<'a> {
    let mut record = assemble(raw, text, fields, Vec::new(), shape);
    record.json = true;
    if record.time.is_none()
        && let Some(found) = outer
            .split(['\t', ' '])
            .find_map(|word| shape.find_stamp(word))
    {
        record.time = Some(found.ns);
        record.dateless = !found.has_date;
    }
    record
}

/// A line of a delimited file; none if it does not have the columns of the header.
pub(super) fn delimited<'a>(
    raw: &'a [u8],
    text: &Cow<'a, str>,
    lines: Vec<usize>,
    columns: &Columns,
    shape: &Shape,
) -> Option<Record<'a>> {
    let cells = cells(text, columns.delimiter);
    if cells.len() != columns.names.len() {
        return None;
    }
    let fields: Vec<Field> = columns
        .names
        .iter()
        .zip(cells)
        .map(|(name, (start, value))| Field {
            path: name.clone(),
            span: start..(start + value.len()).min(text.len()),
            value,
            kind: Scalar::Text,
            at: 0,
        })
        .collect();
    let mut record = assemble(raw, text.clone(), Fields(fields), lines, shape);
    if record.time.is_none() {
        // W3C logs split the instant into `date` and `time`.
        let joined = format!(
            "{} {}",
            record.fields.value("date")?,
            record.fields.value("time")?
        );
        record.time = time::parse_value(&joined, shape.zone());
    }
    Some(record)
}

fn assemble<'a>(
    raw: &'a [u8],
    text: Cow<'a, str>,
    fields: Fields,
    lines: Vec<usize>,
    shape: &Shape,
) -> Record<'a> {
    let keys = Lookup::new(&fields);
    let (mut time, mut dateless) = instant(&keys, shape);
    let mut level = level::of_json(&keys);
    let pick = |list: &[&str]| {
        list.iter()
            .find_map(|k| keys.shallow(k))
            .filter(|f| f.kind == Scalar::Text && !f.value.is_empty())
            .map(|f| f.value.clone())
    };
    let mut logger = pick(&[
        "logger",
        "logger_name",
        "loggerName",
        "log.logger",
        "record.name",
        "target",
        "Category",
        "channel",
        "SourceContext",
        "SYSLOG_IDENTIFIER",
        "component",
        "module",
        "caller",
    ]);
    let mut thread = pick(&[
        "thread",
        "thread_name",
        "threadName",
        "process.thread.name",
        "record.thread.name",
        "tid",
        "worker",
    ]);
    let mut message = message(&keys);
    // A line of another program in a string: its own head says more than the collector knows.
    for key in LINES {
        let Some(field) = keys.whole(key).filter(|f| f.kind == Scalar::Text) else {
            continue;
        };
        let inner = super::text::clean(field.value.as_bytes());
        if inner.trim_start().starts_with(['{', '[']) && inner.trim_end().ends_with(['}', ']']) {
            continue;
        }
        let first = inner.lines().next().unwrap_or_default();
        let head = head::parse(first, shape);
        if head.level != Level::None {
            level = head.level;
        }
        if head.time.is_some() && !head.dateless && (head.zoned || time.is_none()) {
            time = head.time;
            dateless = false;
        }
        logger = head.logger.or(logger);
        thread = head.thread.or(thread);
        if message == first || message == field.value.trim() || message.is_empty() {
            message = first
                .get(head.message..head.message_end)
                .unwrap_or(first)
                .trim()
                .to_owned();
        }
        break;
    }
    let exception = exception::of_json(&keys);
    if message.is_empty()
        && let Some(said) = &exception
    {
        message.clone_from(said);
    }
    Record {
        raw,
        text,
        time,
        dateless,
        level,
        logger,
        thread,
        message,
        exception,
        json: false,
        lines,
        fields,
    }
}

/// The instant of a JSON record, if no line of another program is in it that may say better.
pub(super) fn quick_time(fields: &Fields, shape: &Shape) -> Option<i64> {
    let keys = Lookup::new(fields);
    if LINES.iter().any(|key| keys.whole(key).is_some()) {
        return None;
    }
    instant(&keys, shape).0
}

fn instant(fields: &Lookup<'_>, shape: &Shape) -> (Option<i64>, bool) {
    for key in TIMES {
        let Some(field) = fields.shallow(key) else {
            continue;
        };
        if let Some(ns) = time::parse_value(&field.value, shape.zone()) {
            return (Some(ns), false);
        }
    }
    // Objects of seconds and a rest.
    for (seconds, rest) in [
        ("instant.epochSecond", "instant.nanoOfSecond"),
        ("timestamp.seconds", "timestamp.nanos"),
        ("time.seconds", "time.nanos"),
    ] {
        if let Some(whole) = fields
            .shallow(seconds)
            .and_then(|f| f.value.parse::<i64>().ok())
            .filter(|s| (1_000_000_000..4_100_000_000).contains(s))
        {
            let nanos = fields
                .shallow(rest)
                .and_then(|f| f.value.parse::<i64>().ok())
                .filter(|n| (0..SECOND).contains(n))
                .unwrap_or(0);
            return (Some(whole * SECOND + nanos), false);
        }
    }
    // A time without a date.
    for key in ["timestamp", "time", "ts", "Timestamp"] {
        if let Some(field) = fields.shallow(key)
            && field.kind == Scalar::Text
            && let Some(found) = shape.find_stamp(field.value.trim())
            && !found.has_date
        {
            return (Some(found.ns), true);
        }
    }
    (None, false)
}

fn message(fields: &Lookup<'_>) -> String {
    for key in MESSAGES {
        let candidates = fields.whole(key).into_iter().chain(fields.shallow(key));
        let nested = fields.all(key).filter(|f| f.path.matches('.').count() <= 3);
        for (index, field) in candidates.chain(nested).take(8).enumerate() {
            // Beyond the wrappers a key such as `log` or `text` may be anything.
            let deep = index >= 2 && !matches!(*key, "msg" | "message");
            let own = field.path.rsplit_once('.').is_none_or(|(holder, _)| {
                !["err", "error", "exception", "cause", "thrown", "errors"]
                    .iter()
                    .any(|h| holder.ends_with(h))
                    || key.contains('.')
            });
            let value = field.value.trim();
            let json = value.starts_with('{') && value.ends_with('}') && *key != "@mt";
            if deep || !own || json || field.kind != Scalar::Text || value.is_empty() {
                continue;
            }
            if matches!(*key, "@mt" | "MessageTemplate") {
                return render(value, fields.fields());
            }
            let first = value.lines().next().unwrap_or_default();
            return super::text::strip(first).trim().to_owned();
        }
    }
    String::new()
}

/// A message template (messagetemplates.org): `{Name}`, `{@Name}`, `{Name:format}`, `{Name,width}`.
fn render(template: &str, fields: &Fields) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        out.push_str(rest.get(..open).unwrap_or_default());
        let tail = rest.get(open..).unwrap_or_default();
        let Some(close) = tail.find('}') else {
            rest = tail;
            break;
        };
        let hole = tail.get(1..close).unwrap_or_default();
        let name = hole
            .trim_start_matches(['@', '$'])
            .split([',', ':'])
            .next()
            .unwrap_or_default();
        match fields.get(name) {
            Some(field) => out.push_str(&field.value),
            None => out.push_str(tail.get(..=close).unwrap_or_default()),
        }
        rest = tail.get(close + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}
