//! The named values of a record, found by keys that forgive spelling.

use std::ops::Range;

/// What sort of value a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// A string, or a value of a text record.
    Text,
    /// A JSON number.
    Number,
    /// `true` or `false`.
    Bool,
    /// `null`.
    Null,
}

/// One named value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The key as it is written; nested keys are joined by dots.
    pub path: String,
    /// The value, decoded.
    pub value: String,
    /// What sort of value.
    pub kind: Scalar,
    /// Where the value stands in the record's text, in bytes.
    pub span: Range<usize>,
    /// Where it stands in the raw record, in bytes (for JSON records; else 0).
    pub at: usize,
}

/// The named values of a record in the order of the record; duplicates are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields(pub Vec<Field>);

impl Fields {
    /// The first value whose key is `key`, exactly or as the last segments of its path. Case and the separators `_`
    /// and `-` do not count: `finish_reason` finds `choices.finishReason`. A whole path is preferred to a tail.
    pub fn get(&self, key: &str) -> Option<&Field> {
        self.whole(key)
            .or_else(|| self.0.iter().find(|f| found_by(&f.path, key)))
    }

    /// The value of [`Fields::get`].
    pub fn value(&self, key: &str) -> Option<&str> {
        self.get(key).map(|f| f.value.as_str())
    }

    /// All values that [`Fields::get`] would accept, in order.
    pub fn all<'f>(&'f self, key: &'f str) -> impl Iterator<Item = &'f Field> {
        self.0.iter().filter(move |f| found_by(&f.path, key))
    }

    /// The value whose whole path is `key`.
    pub fn whole(&self, key: &str) -> Option<&Field> {
        self.0.iter().find(|f| same_key(&f.path, key))
    }

    /// The value whose path is `key` below a wrapper that carries whole records.
    pub(super) fn below(&self, key: &str) -> Option<&Field> {
        let below = key.matches('.').count();
        self.0.iter().find(|f| {
            // Most fields are told by their last letters.
            if !tail_matches(&f.path, key) {
                return false;
            }
            let holder = f.path.rmatch_indices('.').nth(below);
            holder.is_some_and(|(at, _)| {
                f.path.get(..at).is_some_and(|p| WRAPPERS.contains(&p))
                    && f.path.get(at + 1..).is_some_and(|tail| same_key(tail, key))
            })
        })
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The values in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Field> {
        self.0.iter()
    }
}

impl<'f> IntoIterator for &'f Fields {
    type Item = &'f Field;
    type IntoIter = std::slice::Iter<'f, Field>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// Paths below which a whole record stands.
const WRAPPERS: &[&str] = &[
    "log",
    "message",
    "MESSAGE",
    "msg",
    "event",
    "jsonPayload",
    "textPayload",
    "record",
    "fields",
    "json",
    "ctx",
    "logEvents",
    "logEvents.message",
    "logEvents.0",
    "logEvents.0.message",
    "attributes",
    "attributes.attributes",
    "log_processed",
    "body",
    "Records.body",
    "resourceLogs.scopeLogs.logRecords",
    "resourceLogs.scopeLogs.logRecords.0",
    "line",
    "data",
];

/// The bytes that count: other scripts compare byte by byte as well.
fn letters(text: &str) -> impl DoubleEndedIterator<Item = u8> + '_ {
    text.bytes().filter(|c| !matches!(c, b'_' | b'-'))
}

/// A path or key as it is compared: lower-case, without `_` and `-`.
pub fn folded(path: &str) -> String {
    path.chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// What of a folded path a folded key may equal: all of it, and what follows each dot. One of these equals the folded
/// key exactly where [`tail_matches`] holds.
pub fn tails(folded: &str) -> impl Iterator<Item = &str> {
    let dots = memchr::memchr_iter(b'.', folded.as_bytes()).map(|at| at + 1);
    std::iter::once(0)
        .chain(dots)
        .filter_map(|at| folded.get(at..))
}

fn same_key(path: &str, key: &str) -> bool {
    let (mut a, mut b) = (letters(path), letters(key));
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(x), Some(y)) if x.eq_ignore_ascii_case(&y) => {}
            _ => return false,
        }
    }
}

fn found_by(path: &str, key: &str) -> bool {
    tail_matches(path, key) || indexed_matches(path, key)
}

/// Whether a path ends in the segments of a key.
pub fn tail_matches(path: &str, key: &str) -> bool {
    if key.is_empty() {
        return false;
    }
    let (mut a, mut b) = (letters(path).rev(), letters(key).rev());
    loop {
        match (a.next(), b.next()) {
            (None, None) | (Some(b'.'), None) => return true,
            (Some(x), Some(y)) if x.eq_ignore_ascii_case(&y) => {}
            _ => return false,
        }
    }
}

/// The same without the indices of arrays: `errors.code` finds `errors.1.code`.
fn indexed_matches(path: &str, key: &str) -> bool {
    if !key.contains('.') || !path.bytes().any(|b| b.is_ascii_digit()) {
        return false;
    }
    let plain: Vec<&str> = path
        .split('.')
        .filter(|s| s.is_empty() || !s.bytes().all(|b| b.is_ascii_digit()))
        .collect();
    tail_matches(&plain.join("."), key)
}

/// How many fields of a text record are kept.
const MOST: usize = 256;

/// The fields of a text: `key=value` and `key="value"`, Python and Ruby hash tails, `key: value` where its shape says
/// that it is one, the parts of an access log, and a JSON suffix; and where that suffix begins. A URL's query is no
/// field.
pub(super) fn of_text(text: &str) -> (Fields, usize) {
    let mut fields = Fields::default();
    let json_from = json_suffix(text, &mut fields);
    access(text, &mut fields);
    let head = text.get(..json_from).unwrap_or(text);
    pairs(head, &mut fields);
    colons(head, &mut fields);
    fields.0.truncate(MOST);
    (fields, json_from)
}

fn push(fields: &mut Fields, path: &str, value: &str, start: usize) {
    if fields.0.len() < MOST {
        fields.0.push(Field {
            path: path.to_owned(),
            value: value.to_owned(),
            kind: Scalar::Text,
            span: start..start + value.len(),
            at: 0,
        });
    }
}

/// A JSON value at the end of a line: its leaves become fields. Returns where it begins.
fn json_suffix(text: &str, fields: &mut Fields) -> usize {
    let line_end = text.find('\n').unwrap_or(text.len());
    let first = text.get(..line_end).unwrap_or(text);
    // A block that opens at the end of the line runs over the lines that follow.
    let line = if first.trim_end().ends_with('{') {
        text.trim_end()
    } else {
        first
    };
    let mut tried = 0;
    for (at, _) in line.match_indices('{') {
        let before = line.as_bytes().get(at.wrapping_sub(1)).copied();
        if !matches!(
            before,
            None | Some(b' ' | b'\t' | b':' | b'=' | b'|' | b'-')
        ) {
            continue;
        }
        tried += 1;
        if tried > 6 {
            break;
        }
        let mut rest = line.get(at..).unwrap_or_default();
        let mut base = at;
        let mut any = false;
        // Monolog writes two: the context and the extra.
        while let Some((leaves, used)) = super::json::prefix(rest.as_bytes()) {
            for leaf in leaves {
                if fields.0.len() >= MOST {
                    break;
                }
                let end = base + used;
                fields.0.push(Field {
                    path: leaf.path,
                    value: leaf.value,
                    kind: leaf.kind,
                    span: (base + leaf.at).min(end)..end,
                    at: 0,
                });
            }
            any = true;
            let tail = rest.get(used..).unwrap_or_default();
            let trimmed = tail.trim_start();
            base += used + (tail.len() - trimmed.len());
            rest = trimmed;
        }
        if any && matches!(rest, "" | "[]" | "[] []") {
            return at;
        }
        fields.0.clear();
    }
    text.len()
}

fn access(text: &str, fields: &mut Fields) {
    use regex::Regex;
    use std::sync::LazyLock;
    static REQUEST: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r#""(?P<method>[A-Z]{3,10}) (?P<path>\S+) HTTP/[\d.]+" ?-? ?(?:(?:status: )?(?P<status>[1-5]\d\d)\b)?"#,
        )
        .ok()
    });
    if !text.contains(" HTTP/") {
        return;
    }
    let Some(found) = REQUEST.as_ref().and_then(|r| r.captures(text)) else {
        return;
    };
    for (group, path) in [
        ("method", "request.method"),
        ("path", "request.path"),
        ("status", "status"),
    ] {
        if let Some(hit) = found.name(group) {
            push(fields, path, hit.as_str(), hit.start());
        }
    }
}

fn key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'@') || byte >= 0x80
}

/// `key=value`, `key="value"`, `:key=>value`.
fn pairs(text: &str, fields: &mut Fields) {
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'=', bytes) {
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        let ruby = next == b'>';
        if next == b'=' || bytes.get(at.wrapping_sub(1)) == Some(&b'=') {
            continue;
        }
        let key_end = at
            - usize::from(ruby && at > 0 && matches!(bytes.get(at - 1), Some(b'"' | b'\'' | b' ')));
        let mut start = key_end;
        while start > 0
            && bytes.get(start - 1).is_some_and(|b| key_byte(*b))
            && key_end - start < 80
        {
            start -= 1;
        }
        let Some(key) = text.get(start..key_end) else {
            continue;
        };
        let before = start.checked_sub(1).and_then(|i| bytes.get(i)).copied();
        let fits = match before {
            None => true,
            // What follows `?` and `&` is the query of a URL.
            Some(b) if ruby => matches!(b, b':' | b'"' | b'\'' | b'{' | b' ' | b','),
            Some(b) => matches!(
                b,
                b' ' | b'\t' | b'\n' | b',' | b';' | b'[' | b'(' | b'{' | b'|' | b'"' | b'<' | b':'
            ),
        };
        if key.is_empty() || !fits || key.bytes().all(|b| b.is_ascii_digit()) {
            continue;
        }
        let from = at + 1 + usize::from(ruby);
        let (value, start) = value_at(text, from);
        if !value.is_empty() || bytes.get(from) == Some(&b'"') {
            push(fields, key, &value, start);
        }
    }
}

/// The value that begins at a byte: quoted, bracketed or up to a separator; and where it begins.
fn value_at(text: &str, from: usize) -> (String, usize) {
    let rest = text.get(from..).unwrap_or_default();
    let skipped = rest.len() - rest.trim_start_matches(' ').len();
    // `key= value` is an empty value in logfmt, and a value after `=>`.
    let (rest, from) = if skipped > 0 && text.as_bytes().get(from.wrapping_sub(1)) != Some(&b'>') {
        return (String::new(), from);
    } else {
        (rest.get(skipped..).unwrap_or_default(), from + skipped)
    };
    if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let mut value = String::new();
        let mut chars = rest.chars().skip(1);
        while let Some(c) = chars.next() {
            if c == quote {
                return (value, from + 1);
            }
            if c == '\\' {
                match chars.next() {
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some(other) => value.push(other),
                    None => break,
                }
            } else {
                value.push(c);
            }
            if value.len() > 8192 {
                break;
            }
        }
    }
    let end = rest
        .find([' ', '\t', '\n', ',', ';', ')', ']', '}', '|', '>'])
        .unwrap_or(rest.len());
    let value = rest.get(..end).unwrap_or_default();
    (value.trim_matches(['"', '\'']).to_owned(), from)
}

/// `'key': value`, `"key": value`, a line that is `key: value`, `, key: value` in a list, and the keys that nearly
/// always name a status or a code.
fn colons(text: &str, fields: &mut Fields) {
    const CODES: &[&str] = &[
        "status",
        "statuscode",
        "status_code",
        "code",
        "errno",
        "http_status",
        "error_code",
        "errorcode",
        "http_code",
        "exit_code",
        "retry-after",
        "request_id",
        "requestid",
        "request-id",
        "x-request-id",
        "trace_id",
        "run_id",
        "type",
    ];
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b':', bytes) {
        let next = bytes.get(at + 1).copied();
        let spaced = next == Some(b' ');
        let before = at.checked_sub(1).and_then(|i| bytes.get(i)).copied();
        let quoted = matches!(before, Some(b'"' | b'\''));
        if !spaced && !quoted {
            continue;
        }
        let key_end = if quoted { at - 1 } else { at };
        let mut start = key_end;
        while start > 0
            && bytes.get(start - 1).is_some_and(|b| key_byte(*b))
            && key_end - start < 60
        {
            start -= 1;
        }
        let Some(key) = text.get(start..key_end).filter(|k| !k.is_empty()) else {
            continue;
        };
        let lead = start.checked_sub(1).and_then(|i| bytes.get(i)).copied();
        let fits = if quoted {
            lead == before
        } else {
            let line_start = text
                .get(..start)
                .and_then(|s| s.rfind('\n'))
                .map_or(0, |i| i + 1);
            let indent = text.get(line_start..start).unwrap_or_default();
            let header =
                indent.trim().is_empty() && line_start > 0 && super::level::word(key).is_none();
            let listed = text
                .get(..start)
                .is_some_and(|s| s.ends_with(", ") || s.ends_with("{ ") || s.ends_with('{'));
            let code = CODES.iter().any(|c| c.eq_ignore_ascii_case(key))
                && !matches!(lead, Some(b'/' | b':'));
            header || listed || code
        };
        if !fits {
            continue;
        }
        let from = at + 1 + usize::from(spaced);
        let (value, start) = value_at(text, from);
        if !value.is_empty() && !matches!(value.as_str(), "{" | "[") {
            push(fields, key, &value, start);
        }
    }
}
