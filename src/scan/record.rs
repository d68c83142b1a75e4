//! Records: a line of a log, or a line with its trace, and what can be read from it.
//!
//! [`Shape`] judges a file by samples, [`Stretch`] finds the record around a byte, [`parse`] reads it: time, level,
//! logger, message, exception and named fields, whether the record is text or JSON and whatever collector wrapped it.

mod bounds;
mod exception;
mod fields;
mod head;
mod json;
mod level;
mod lookup;
mod mask;
mod shape;
mod status;
mod structured;
mod text;
mod wrapper;

pub use bounds::{AHEAD, BEHIND, Known, LONGEST, Stretch};
pub use exception::innermost;
pub use fields::{Field, Fields, Scalar, folded, tail_matches, tails};
pub use level::{letter as level_letter, word as level_word};
pub use mask::mask;
pub use shape::Shape;
pub use status::{Status, statuses};
pub use text::{clean, strip};

use crate::evidence::Level;
use crate::time;
use head::Head;
use std::borrow::Cow;

/// The most text that one record holds, in bytes.
const TEXT: usize = 1 << 20;

/// A record, read.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// The bytes as they stand in the file.
    pub raw: &'a [u8],
    /// What patterns see: the decoded lines, unwrapped and without colours; for JSON every scalar leaf as a line
    /// `path=value`.
    pub text: Cow<'a, str>,
    /// Its own instant, in nanoseconds since 1970 UTC; none if it carries no stamp.
    pub time: Option<i64>,
    /// The stamp has no date: only order and distances within the file count.
    pub dateless: bool,
    /// How severe its logger said it is.
    pub level: Level,
    /// Who wrote it: logger, module, program.
    pub logger: Option<String>,
    /// The thread, worker or process name.
    pub thread: Option<String>,
    /// What the program said, without stamp, level, logger and thread; of a trace the first line.
    pub message: String,
    /// The named values.
    pub fields: Fields,
    /// Class and message of the innermost cause.
    pub exception: Option<String>,
    /// Whether the program wrote JSON.
    pub json: bool,
    /// For text of several lines: where each raw line begins in the text.
    lines: Vec<usize>,
}

impl Record<'_> {
    /// The line within the record, counted from 0, of a position in its text.
    pub fn line_at(&self, pos: usize) -> usize {
        if !self.json {
            return self
                .lines
                .partition_point(|start| *start <= pos)
                .saturating_sub(1);
        }
        let Some(field) = self
            .fields
            .iter()
            .find(|f| pos <= f.span.end)
            .or(self.fields.0.last())
        else {
            return 0;
        };
        let before = self
            .raw
            .get(..field.at.min(self.raw.len()))
            .unwrap_or_default();
        memchr::memchr_iter(b'\n', before).count()
    }
}

/// Reads a record. Never fails: what cannot be read as JSON is text.
pub fn parse<'a>(raw: &'a [u8], shape: &Shape) -> Record<'a> {
    Draft::of(raw, shape).read(shape)
}

/// A record of which only the text is known: to ask whether it is worth reading.
pub struct Draft<'a> {
    raw: &'a [u8],
    text: Cow<'a, str>,
    /// What a collector wrote before it.
    outer: String,
    body: Body,
}

enum Body {
    Json(Fields),
    /// Where each raw line begins in the text.
    Text(Vec<usize>),
}

impl<'a> Draft<'a> {
    /// Unwraps a record.
    pub fn of(raw: &'a [u8], shape: &Shape) -> Draft<'a> {
        let (text, starts, outer) = unwrapped(raw, shape);
        if text.trim_start().starts_with('{') {
            let source = if outer.is_empty() {
                raw.strip_suffix(b"\n").unwrap_or(raw)
            } else {
                text.as_bytes()
            };
            // An element of an array has a comma behind it, the last one the array's bracket.
            let element = || {
                shape.elements()?;
                let end = text.rfind('}')?;
                json::leaves(text.get(..=end)?.as_bytes())
            };
            if let Some(leaves) = json::leaves(source)
                .or_else(|| json::leaves(text.as_bytes()))
                .or_else(element)
            {
                let (text, fields) = structured::flat(leaves);
                return Draft {
                    raw,
                    text: Cow::Owned(text),
                    outer,
                    body: Body::Json(fields),
                };
            }
        }
        Draft {
            raw,
            text,
            outer,
            body: Body::Text(starts),
        }
    }

    /// What [`Record::text`] will be.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The named values, where they are known without reading the rest.
    pub fn fields(&self) -> Option<&Fields> {
        match &self.body {
            Body::Json(fields) => Some(fields),
            Body::Text(_) => None,
        }
    }

    /// The record's own instant, where it can be told without reading the rest.
    pub fn time(&self, shape: &Shape) -> Option<i64> {
        match &self.body {
            Body::Json(fields) => structured::quick_time(fields, shape),
            Body::Text(_) if shape.columns().is_some() => None,
            Body::Text(_) => {
                let mut head = head::parse(self.text.lines().next().unwrap_or_default(), shape);
                outer_time(&mut head, &self.outer, shape);
                head.time
            }
        }
    }

    /// Reads the rest.
    pub fn read(self, shape: &Shape) -> Record<'a> {
        match self.body {
            Body::Json(fields) => {
                structured::record(self.raw, self.text, fields, &self.outer, shape)
            }
            Body::Text(starts) => plain(self.raw, self.text, starts, &self.outer, shape),
        }
    }
}

/// The text of a record without what a collector put around it, where its lines begin in it, and what stood before it.
fn unwrapped<'a>(raw: &'a [u8], shape: &Shape) -> (Cow<'a, str>, Vec<usize>, String) {
    let body = raw.strip_suffix(b"\n").unwrap_or(raw);
    let mut text = Cow::Borrowed("");
    let mut starts = Vec::new();
    let mut outer = String::new();
    let mut partial = false;
    for (index, line) in body.split(|b| *b == b'\n').enumerate() {
        if index > 0 && text.len() >= TEXT {
            break;
        }
        let inner = wrapper::unwrap(line, shape.is_piped());
        if index == 0 {
            outer = inner.head.into_owned();
            text = inner.text;
            starts.push(0);
        } else {
            // The stamp of a runner stands before every line of a trace.
            let piece = match wrapper::runner_stamp(&inner.text) {
                Some(cut) if shape.is_runner() => inner.text.get(cut..).unwrap_or_default(),
                _ => &inner.text,
            };
            let whole = text.to_mut();
            if !partial && !inner.continues {
                whole.push('\n');
            }
            starts.push(whole.len());
            whole.push_str(piece);
        }
        partial = inner.partial;
    }
    if text.len() > TEXT {
        let mut end = TEXT;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text = Cow::Owned(text.get(..end).unwrap_or_default().to_owned());
    }
    (text, starts, outer)
}

fn plain<'a>(
    raw: &'a [u8],
    text: Cow<'a, str>,
    lines: Vec<usize>,
    outer: &str,
    shape: &Shape,
) -> Record<'a> {
    let first = text.lines().next().unwrap_or_default();
    if let Some(columns) = shape.columns()
        && first != columns.header
        && let Some(record) = structured::delimited(raw, &text, lines.clone(), columns, shape)
    {
        return record;
    }
    let mut head = head::parse(first, shape);
    outer_time(&mut head, outer, shape);
    let (mut fields, json_from) = fields::of_text(&text);
    if json_from > head.message && json_from < head.message_end {
        head.message_end = json_from;
    }
    fields.0.extend(std::mem::take(&mut head.columns.0));
    if head.time.is_none() {
        head.time = time_field(&fields, shape);
    }
    let logfmt = fields
        .iter()
        .take(12)
        .filter(|f| f.kind == Scalar::Text)
        .count()
        >= 2;
    if logfmt && head.level == Level::None {
        head.level = ["level", "lvl", "severity", "loglevel", "log.level"]
            .iter()
            .find_map(|k| level::word(fields.whole(k)?.value.as_str()))
            .unwrap_or_default();
    }
    if head.logger.is_none() {
        head.logger = ["logger", "component", "caller", "module"]
            .iter()
            .find_map(|k| fields.whole(k))
            .map(|f| f.value.clone());
    }
    let message = message(&text, first, &head, &fields);
    let exception = exception::innermost(&text);
    let message = match &exception {
        Some(said) if message.starts_with("Traceback (most recent call last)") => said.clone(),
        _ => message,
    };
    Record {
        raw,
        time: head.time,
        dateless: head.dateless,
        level: head.level,
        logger: head.logger,
        thread: head.thread,
        message,
        fields,
        exception,
        json: false,
        lines,
        text,
    }
}

/// The collector's stamp counts where the line has none, or one that says less.
fn outer_time(head: &mut Head, outer: &str, shape: &Shape) {
    if outer.is_empty() {
        return;
    }
    if (head.time.is_none() || head.dateless || !head.zoned)
        && let Some(found) = outer
            .split(['\t', ' '])
            .find_map(|word| shape.find_stamp(word))
        && (head.time.is_none() || head.dateless || found.has_zone)
    {
        head.time = Some(found.ns);
        head.dateless = !found.has_date;
        head.zoned = found.has_zone;
    }
}

fn time_field(fields: &Fields, shape: &Shape) -> Option<i64> {
    fields
        .iter()
        .filter(|f| time::is_time_key(&f.path) && f.path != "at" && f.path != "when")
        .find_map(|f| time::parse_value(&f.value, shape.zone()))
}

fn message(text: &str, first: &str, head: &Head, fields: &Fields) -> String {
    for key in ["msg", "message", "event", "err", "error", "reason", "desc"] {
        if let Some(field) = fields.whole(key)
            && !field.value.is_empty()
            && fields.iter().filter(|f| f.kind == Scalar::Text).count() >= 2
            && first.get(head.message..).is_some_and(|m| {
                m.split(['=', ' '])
                    .next()
                    .is_some_and(|k| !k.is_empty() && fields.whole(k).is_some())
            })
        {
            // An unquoted message runs to the end of the line if no field follows it.
            let rest = text
                .get(field.span.start..)
                .and_then(|r| r.lines().next())
                .unwrap_or_default();
            let quoted = text.as_bytes().get(field.span.start.wrapping_sub(1)) == Some(&b'"');
            if !quoted && !rest.contains('=') && rest.len() > field.value.len() {
                return rest.trim().to_owned();
            }
            return field.value.clone();
        }
    }
    let said = first
        .get(head.message..head.message_end)
        .unwrap_or(first)
        .trim();
    let said = untailed(said.trim_end_matches([':', '-']).trim_end());
    // `fail: App.Worker[0]` of .NET: the message is the next line.
    let console = head.level != Level::None
        && head.time.is_none()
        && said.ends_with(']')
        && !said.contains(' ')
        && said.contains('[');
    if console && let Some(second) = text.lines().nth(1) {
        return second.trim().to_owned();
    }
    // klog quotes the message and lets fields follow.
    if let Some(rest) = said.strip_prefix('"')
        && let Some((quoted, tail)) = rest.split_once('"')
        && (tail.is_empty() || (tail.starts_with(' ') && tail.contains('=')))
        && !quoted.contains("HTTP/")
    {
        return quoted.to_owned();
    }
    said.to_owned()
}

/// What was said, without the fields that follow it: `push failed err=EOF attempt=2`, and nginx's `, client: ...`.
fn untailed(said: &str) -> &str {
    use regex::Regex;
    use std::sync::LazyLock;
    static TAIL: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r#"(?:\s+\[[\w.]+\])?(?:[\s,;]+[A-Za-z_][\w.@-]*=(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\[[^\]]*\]|\{[^}]*\}|\([^)]*\)|(?:[^\s"',;=][^\s"',;]*)?))+[\s.;]*$"#,
        )
        .ok()
    });
    let said = match said.find(", client: ") {
        Some(at) if said.contains(", server: ") => said.get(..at).unwrap_or(said),
        _ => said,
    };
    if !said.contains('=') {
        return said;
    }
    let Some(tail) = TAIL.as_ref().and_then(|r| r.find(said)) else {
        return said;
    };
    let head = said.get(..tail.start()).unwrap_or_default().trim_end();
    let first_is_pair = head.split(' ').next().is_some_and(|w| w.contains('='));
    if head.is_empty() || first_is_pair {
        said
    } else {
        head.trim_end_matches([':', '-', ',']).trim_end()
    }
}
