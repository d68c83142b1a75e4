//! HTTP statuses that stand where a status stands: never a bare number.

use super::Record;
use super::fields::tail_matches;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// A status and where its digits stand in the record's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// 100 to 599.
    pub code: u16,
    /// In bytes of the text.
    pub span: Range<usize>,
}

/// Words that make the number behind or before them a status. Reason phrases are those of RFC 9110 and the common ones
/// beyond it.
static CONTEXT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?i)(?:"#,
        r#"\bHTTP(?:/[\d.]+)?(?:[ _-]?(?:status|error|code|response|exception|resp)){0,3}[ _]?[:=(]?[ "']?(?P<a>[1-5]\d\d)\b"#,
        r#"|\b(?:http[ _-]?|response[ _-]?|resp[ _-]?|upstream[ _-]?|last[ _-]?)?status(?:es)?(?:[ _-]?(?:code|line))?(?: was| is| of)?["']?\s?[:=(]{0,2}>?[ "'(]{0,2}(?P<b>[1-5]\d\d)\b"#,
        r#"|\b(?:response|error|return(?:ed)?|respon(?:ded|se) with|got|received|answered|replied|unexpected|server)(?: an?| with| error| code| response| status| HTTP){0,3}[: ]{1,2}[\[(]?(?P<c>[45]\d\d)[\])]?(?:$|[\s,.;:)<\]"'])"#,
        r#"|(?:^|[\s"'(\[:=>])(?P<d>[1-5]\d\d)[ :-]{1,3}(?:Client Error|Server Error|Bad Request|Unauthorized|Payment Required|Forbidden|Not Found|Method Not Allowed|Not Acceptable|Proxy Authentication Required|Request Time-?out|Conflict|Gone|Length Required|Precondition Failed|Payload Too Large|Request Entity Too Large|Content Too Large|URI Too Long|Unsupported Media Type|Unprocessable|Locked|Too Many Requests|Internal Server Error|Not Implemented|Bad Gateway|Service (?:Temporarily )?Unavailable|Gateway Time-?out|OK\b|Created|No Content|Moved Permanently|Found\b|Not Modified)"#,
        r#"|\((?P<e>[45]\d\d)\)"#,
        r#"|\b(?:statusCode|status_code|httpStatus|http_code|response_code|responseCode)["']?\s?[:=]>?\s?["']?(?P<f>[1-5]\d\d)\b"#,
        r#"|HTTP/[\d.]+"\s(?P<g>[1-5]\d\d)\b"#,
        r#"|\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) [^\s"]+"? (?:->|→|=>|:|-)? ?(?P<h>[1-5]\d\d)(?:$|[\s,;)])"#,
        r#"|: (?P<i>[45]\d\d): [A-Za-z]"#,
        r#"|\b(?:failed|refused|rejected|denied)(?: with)?: (?P<j>[45]\d\d)(?:$|[\s,;)])"#,
        r#")"#
    ))
    .ok()
});

/// Where the digits of statuses stand in a text. The status of a process is none.
pub(super) fn spans(text: &str) -> Vec<Range<usize>> {
    // Three digits in a row, whatever their script; without them the expression need not be asked.
    let number = text.as_bytes().windows(3).any(|w| {
        w.first().is_some_and(|b| (b'1'..=b'5').contains(b))
            && w.iter().skip(1).all(|b| b.is_ascii_digit() || *b >= 0x80)
    });
    let Some(context) = CONTEXT.as_ref().filter(|_| number) else {
        return Vec::new();
    };
    context
        .captures_iter(text)
        .filter_map(|caps| {
            let whole = caps.get(0)?;
            let hit = caps.iter().skip(1).flatten().next()?;
            let before = text.get(..hit.start())?;
            // The query of a URL.
            let query = text.as_bytes().get(whole.start().wrapping_sub(1));
            if matches!(query, Some(b'?' | b'&')) {
                return None;
            }
            let lead: String = before.chars().rev().take(30).collect();
            let process = whole.as_str().to_ascii_lowercase().contains("status")
                && (lead.contains("tixe") || lead.contains("orez-non") || lead.contains("dellik"));
            (!process).then(|| hit.range())
        })
        .collect()
}

/// The statuses of a record, in the order of its text, each place once.
pub fn statuses(record: &Record<'_>) -> Vec<Status> {
    const KEYS: &[&str] = &[
        "status",
        "status_code",
        "http_status",
        "http_code",
        "response_code",
        "response.status",
        "upstream_status",
        "http_status_code",
        "DownstreamStatus",
        "OriginStatus",
        "sc-status",
        "status.code",
    ];
    let mut found: Vec<Status> = Vec::new();
    for field in &record.fields {
        let named = KEYS.iter().any(|k| tail_matches(&field.path, k))
            || (record.json && coded(&field.path));
        if !named {
            continue;
        }
        // nginx lists the statuses of its tries: `502, 200`.
        let mut at = field.span.start;
        for part in field.value.split([',', ':']) {
            let trimmed = part.trim();
            let start = at + (part.len() - part.trim_start().len());
            if let Some(code) = code(trimmed) {
                found.push(Status {
                    code,
                    span: start..start + trimmed.len(),
                });
            }
            at += part.len() + 1;
        }
    }
    let mut end = record.text.len().min(1 << 16);
    while !record.text.is_char_boundary(end) {
        end -= 1;
    }
    let text = record.text.get(..end).unwrap_or_default();
    for span in spans(text) {
        if let Some(code) = text.get(span.clone()).and_then(code) {
            found.push(Status { code, span });
        }
    }
    found.sort_by_key(|s| (s.span.start, s.code));
    found.dedup_by(|a, b| a.code == b.code && a.span.start <= b.span.end);
    found
}

/// `code` is a status only as a number of its own or below an error or a response.
fn coded(path: &str) -> bool {
    ["code", "error.code", "err.code", "response.code"]
        .iter()
        .any(|k| path.eq_ignore_ascii_case(k) || (k.contains('.') && tail_matches(path, k)))
}

fn code(text: &str) -> Option<u16> {
    if text.len() != 3 {
        return None;
    }
    text.parse().ok().filter(|c| (100..=599).contains(c))
}
