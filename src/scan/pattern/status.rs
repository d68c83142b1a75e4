//! Which three-digit numbers of a text are HTTP statuses.
//!
//! A number that merely looks like a status is none: a port, a duration, a count, an id, a size, a line number. It
//! counts by its neighbours only: a key such as `status=`, a protocol (`HTTP/1.1 503`), a reason phrase
//! (RFC 9110, section 15), an arrow behind a request, a verb such as `returned`.

mod words;

use words::{BEFORE, BEFORE_FAILING, PHRASES, UNITS};

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn lower(bytes: &[u8]) -> Vec<u8> {
    bytes.to_ascii_lowercase()
}

/// Whether the number at `start..end` (three digits, bounded) stands in the context of an HTTP status.
pub fn in_context(buf: &[u8], start: usize, end: usize) -> bool {
    let Some(code) = std::str::from_utf8(&buf[start..end])
        .ok()
        .and_then(|t| t.parse::<u16>().ok())
    else {
        return false;
    };
    let failing = (400..=599).contains(&code);
    let line_start = memchr::memrchr(b'\n', &buf[start.saturating_sub(240)..start])
        .map_or(start.saturating_sub(240), |at| {
            start.saturating_sub(240) + at + 1
        });
    let line_end = memchr::memchr(b'\n', &buf[end..buf.len().min(end + 48)])
        .map_or(buf.len().min(end + 48), |at| end + at);
    let before = lower(&buf[line_start..start]);
    let after = lower(&buf[end..line_end]);

    // A part of a longer token or a fraction is none.
    if matches!(
        before.last(),
        Some(b'.' | b'-' | b'#' | b'/' | b'$' | b'+' | b'@' | b'%' | b'&' | b'_' | b'~' | b'x')
    ) {
        return false;
    }
    match after.as_slice() {
        [b'.' | b',' | b':' | b'-', d, ..] if d.is_ascii_digit() => return false,
        [b'%' | b'/' | b'_' | b'@' | b'#' | b'*', ..] | [b'-', ..] => {
            return after.starts_with(b"--") || after.starts_with(b"- ");
        }
        _ => {}
    }
    let behind = after.trim_ascii_start();
    let unit_end = behind
        .iter()
        .position(|b| !is_word(*b))
        .unwrap_or(behind.len());
    let unit = std::str::from_utf8(&behind[..unit_end]).unwrap_or("");
    // `200 ms=31`: what looks like a unit is the next key.
    let keyed = matches!(behind.get(unit_end), Some(b'=' | b':'));
    if !unit.is_empty() && !keyed && (UNITS.contains(&unit) || behind.starts_with("件".as_bytes()))
    {
        return false;
    }
    let behind_text = String::from_utf8_lossy(behind);
    // After `"status":"` a quote closes; a phrase may follow quotes, a colon or a dash.
    let phrase = behind_text.trim_start_matches(['"', '\'', ':', ')', '-', ' ', ',', ']', '(']);
    if PHRASES.iter().any(|p| {
        phrase.starts_with(p) && !phrase[p.len()..].starts_with(|c: char| c.is_ascii_alphanumeric())
    }) || phrase.starts_with("client error")
    {
        return true;
    }

    let stripped = trim_marks(&before);
    let opened = before.last() == Some(&b'(') || before.last() == Some(&b'[');
    let glued = before
        .last()
        .is_some_and(|b| matches!(b, b'=' | b':' | b'"' | b'\''));
    let word_start = stripped
        .iter()
        .rposition(|b| !(is_word(*b) || matches!(b, b'-' | b'/' | b'.')))
        .map_or(0, |at| at + 1);
    let word = String::from_utf8_lossy(&stripped[word_start..]).into_owned();
    let word = word
        .rsplit('.')
        .next()
        .unwrap_or("")
        .trim_matches('-')
        .to_string();
    let whole = String::from_utf8_lossy(&stripped[word_start..]).into_owned();
    if stripped.ends_with(b"->") || stripped.ends_with(b"=>") || stripped.ends_with("→".as_bytes())
    {
        return failing || has_request(&before) || stripped.len() < 60;
    }
    let two = String::from_utf8_lossy(&stripped[..word_start])
        .trim_end()
        .to_string();
    if word == "code" || word == "rc" {
        // An exit code is no status; nor is a number under some provider's own code.
        let owner = two
            .rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .next()
            .unwrap_or("");
        if matches!(owner, "exit" | "return" | "exited" | "signal" | "process")
            || two.ends_with("exited with")
        {
            return false;
        }
        return failing
            && (matches!(
                owner,
                "status" | "response" | "http" | "error" | "with" | ""
            ) || two.ends_with("response")
                || glued);
    }
    if BEFORE.contains(&word.as_str())
        || BEFORE.contains(&whole.as_str())
        || word.ends_with("status")
        || word.ends_with("statuscode")
        || word.ends_with("status_code")
        || word.ends_with("http_code")
    {
        return true;
    }
    if failing
        && glued
        && matches!(
            word.as_str(),
            "err" | "error" | "reason" | "errorcode" | "error_code" | "errcode"
        )
    {
        return true;
    }
    if failing && !glued && BEFORE_FAILING.contains(&word.as_str()) {
        return match word.as_str() {
            "a" | "an" | "was" | "by" | "with" | "api" | "rc" => {
                http_words(&before) || http_words(&after)
            }
            _ => true,
        };
    }
    if failing
        && opened
        && (http_words(&before)
            || matches!(
                word.as_str(),
                "error"
                    | "failed"
                    | "exception"
                    | "status"
                    | "denied"
                    | "forbidden"
                    | "unauthorized"
                    | "unavailable"
                    | "limited"
                    | "found"
            ))
    {
        return true;
    }
    // A chain of errors: `b2_upload_file: 403: storage cap exceeded`, `Error 429: Quota exceeded`.
    if failing && before.ends_with(b": ") && after.starts_with(b": ") {
        return true;
    }
    // What a URL answered: `Invalid response from http://host/path: 522`.
    if failing
        && before.ends_with(b": ")
        && before.windows(3).any(|w| w == b"://")
        && behind.is_empty()
    {
        return true;
    }
    // Behind the status of an access log stand sizes and durations: `"GET /x HTTP/1.1" 200 512 "-" "curl" 503`.
    if answered(&before) {
        return false;
    }
    // An access log: `"GET /x HTTP/1.1" 503 312`.
    if before.ends_with(b"\" ")
        && (has_request(&before) || before.windows(5).any(|w| w == b"http/"))
    {
        return behind
            .first()
            .is_none_or(|b| b.is_ascii_digit() || *b == b'-');
    }
    // A request line of a client: `GET https://host/x 503 31ms`, `PUT key part=1 503`.
    let plain = matches!(before.last(), Some(b' ' | b'\t'));
    if plain && has_request(&before) {
        let ends = behind.is_empty()
            || matches!(
                behind.first(),
                Some(b'(' | b'|' | b';' | b',' | b'"' | b'-')
            )
            || unit == "in"
            || unit == "after"
            || behind.first().is_some_and(u8::is_ascii_digit);
        let last = before
            .trim_ascii_end()
            .rsplit(u8::is_ascii_whitespace)
            .next();
        // The size of an answer stands behind its status.
        let size = last.is_some_and(|word| word.iter().all(u8::is_ascii_digit));
        return ends && !size && !before.trim_ascii_end().ends_with(b"=");
    }
    false
}

/// Whether a request line of an access log has its status already.
fn answered(before: &[u8]) -> bool {
    let Some(version) = memchr::memmem::rfind(before, b"http/") else {
        return false;
    };
    let rest = &before[version..];
    let Some(quote) = memchr::memmem::find(rest, b"\" ") else {
        return false;
    };
    let number = rest[quote + 2..].trim_ascii_start();
    let digits = number.iter().take_while(|b| b.is_ascii_digit()).count();
    digits == 3 && number.get(digits).is_some_and(u8::is_ascii_whitespace)
}

fn trim_marks(before: &[u8]) -> &[u8] {
    let mut end = before.len();
    while end > 0
        && matches!(
            before[end - 1],
            b' ' | b'"' | b'\'' | b'=' | b':' | b'(' | b'[' | b'\\' | b'\t' | b'{' | b','
        )
    {
        end -= 1;
    }
    &before[..end]
}

fn has_request(before: &[u8]) -> bool {
    [
        b"get ".as_slice(),
        b"post ",
        b"put ",
        b"patch ",
        b"delete ",
        b"head ",
        b"options ",
        b"request ",
    ]
    .iter()
    .any(|verb| {
        before
            .windows(verb.len())
            .enumerate()
            .any(|(at, w)| w == *verb && (at == 0 || !is_word(before[at - 1])))
    })
}

fn http_words(text: &[u8]) -> bool {
    [
        b"http".as_slice(),
        b"request",
        b"response",
        b"status",
        b"server",
        b"api",
        b"url",
        b"fetch",
        b"client",
        b"endpoint",
        b"upstream",
        b"reject",
        b"answer",
        b"respond",
    ]
    .iter()
    .any(|word| text.windows(word.len()).any(|w| w == *word))
}

/// Every HTTP status of a text with its position.
pub fn statuses(text: &str) -> Vec<(u16, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = at
            + bytes[at..]
                .iter()
                .take_while(|b| b.is_ascii_digit())
                .count();
        let bounded = (at == 0
            || !(bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_'))
            && !bytes
                .get(end)
                .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        if end - at == 3
            && bounded
            && in_context(bytes, at, end)
            && let Ok(code) = text[at..end].parse::<u16>()
            && ((100..=599).contains(&code) || code == 999)
        {
            found.push((code, at));
        }
        at = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_by_context_only() {
        let table = include_str!("status/cases.tsv");
        for line in table
            .lines()
            .filter(|l| !l.starts_with('#') && !l.is_empty())
        {
            let (want, text) = line.split_once('\t').unwrap();
            let got: Vec<String> = statuses(text).iter().map(|(c, _)| c.to_string()).collect();
            assert_eq!(got.join(","), want, "{text}");
        }
    }
}
