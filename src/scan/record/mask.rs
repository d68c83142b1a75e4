//! One name of many: the variable parts of a message are replaced, so that one failure has one name.

use super::{status, text};
use crate::scan::memo::Memo;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// How long a name may be, in characters.
const MOST: usize = 120;
/// Digits that must stay are moved to a private plane until all masks are done.
const KEPT: u32 = 0xE000;

const DIGITS: &str = "0123456789";

/// Whether a text holds any of these characters. A digit of another script is one too.
fn holds(text: &str, any: &str) -> bool {
    text.bytes()
        .any(|b| b >= 0x80 || any.as_bytes().contains(&b))
}

/// What is replaced, by what, and characters of which one at least must stand in the text; in this order, which is part
/// of the recipe of fingerprints.
static MASKS: LazyLock<Vec<(Regex, &'static str, &'static str)>> = LazyLock::new(|| {
    let table: &[(&str, &str, &str)] = &[
        (
            r"\b\d{4}[-/.]\d{2}[-/.]\d{2}(?:[T _-]\d{2}[:.]\d{2}(?:[:.]\d{2})?(?:[.,:]\d{1,9})?)?(?: ?(?:Z\b|UTC\b|GMT\b|[+-]\d{2}:?\d{2}\b))?",
            "<ts>",
            DIGITS,
        ),
        (
            r"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?: \d{4})?|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2}) \d{2}:\d{2}:\d{2}(?: \d{4})?(?: (?:GMT|UTC|[+-]\d{4}))?",
            "<ts>",
            DIGITS,
        ),
        (
            r"\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: ?[AP]M)?\b",
            "<ts>",
            DIGITS,
        ),
        (r"\b\d{8}T\d{6}Z?\b", "<ts>", DIGITS),
        (r"\b1\d{9}(?:\d{3}){0,3}(?:\.\d+)?\b", "<ts>", DIGITS),
        (
            r"(?i)\b\d+(?:\.\d+)?\s?(?:ns|us|µs|ms|msecs?|millis(?:econds?)?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?)(?:\d+(?:\.\d+)?(?:ms|s|m))*\b",
            "<dur>",
            DIGITS,
        ),
        (
            r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
            "<uuid>",
            "-",
        ),
        (
            r#"\b[a-zA-Z][a-zA-Z0-9+.-]{1,15}://[^\s"'<>)\]},;]+"#,
            "<url>",
            ":",
        ),
        (r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b", "<email>", "@"),
        (
            r"\b(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5}|/\d{1,2})?\b|\[?\b(?:[0-9a-fA-F]{1,4}:){4,7}[0-9a-fA-F]{1,4}\b\]?(?::\d{1,5}\b)?|\[::1\](?::\d+)?|::1:\d+",
            "<ip>",
            ".:",
        ),
        (
            r"\b(?:[a-zA-Z0-9](?:[\w-]*\w)?\.)+[a-zA-Z]{2,}:\d{2,5}\b|\blocalhost:\d{2,5}\b",
            "<host>",
            ":",
        ),
        (
            r"\b(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?\.)+(?:com|net|org|io|dev|jp|de|uk|fr|eu|cn|ru|br|in|co|app|ai|cloud|local|internal|lan|test|example|gov|edu|info|biz|shop|us|ca|au|nl|it|es|se|ch|kr|tw)(?:\.[a-z]{2})?(\.?(?:$|[^\w.(]))",
            "<host>",
            ".",
        ),
        (
            r#"(?:^|[\s"'(=:,\[])(?:(?:~|\.{1,2})?/[\w.@%+~$-]+(?:/[\w.@%+~$-]*)+|/[\w@%+~$-]+\.\w{1,6}|[A-Za-z]:\\[^\s"'<>|]+|[\w@.-]+(?:/[\w@.-]+)+\.[A-Za-z]\w{0,4})(?::\d+)*"#,
            "<path>",
            r"/\",
        ),
        (r"\b0[xX][0-9a-fA-F]+\b", "<hex>", "0"),
        (r#""(?:[^"\\]|\\.)*""#, "<q>", "\""),
        (r"`[^`]*`", "<q>", "`"),
        (
            r"「[^」]*」|『[^』]*』|«[^»]*»|“[^”]*”|‘[^’]*’",
            "<q>",
            "\u{ab}\u{300c}\u{300e}\u{201c}\u{2018}",
        ),
    ];
    table
        .iter()
        .filter_map(|(pattern, mask, needs)| Some((Regex::new(pattern).ok()?, *mask, *needs)))
        .collect()
});

fn regex(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()
}

static RATIO: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r"(^|[^\w/.<-])(\d{1,9})(\s?/\s?| of | out of )(\d{1,9})($|[^\w/-])"));
static HEX: LazyLock<Option<Regex>> = LazyLock::new(|| regex(r"\b[0-9a-fA-F]{7,}\b"));
static SINGLE: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r#"(^|[\s(\[{=:,])(b?'(?:[^'\\]|\\.)*')"#));
static TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| regex(r"[A-Za-z0-9_]*\d[A-Za-z0-9_]*"));
/// `405.5K`: a number with a unit of size.
static SIZE: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r"\b\d+(?:[.,]\d+)+([A-Za-z]{1,3})\b"));
static NUMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r"[-+]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?%?"));
/// Numbers that are part of a name: of errors, exit codes and protocols.
static FIXED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"\b(?:ORA|SQL|TNS|PLS|CVE|RFC|DB2|IMAP|JSON|UTF|utf|ISO|SHA|sha|AES|RSA|ES|CP|cp|Shift|EUC|ERR|HY|PGRST|AADSTS|AWS|MSB|CS|TS|NU|NETSDK|MN|KB|SMTP)-?\d{1,7}\b",
        r"|\b[A-Z]\d{3,6}\b",
        r"|(?i:\b(?:sqlstate|errno|os error|exit(?:ed)?(?: with)?(?: code| status)?|exit_code|exitcode|returncode|return code|signal|winerror|wsaerror|oserror|error code|error|code|rc|hresult|status code|sqlcode)\b[\s=:#\[(]{0,3}-?\d{1,6}\b)",
        r"|\bcurl: \(\d{1,2}\)|\bHTTP/[\d.]+|\bIPv[46]\b|\bTLSv?1\.\d\b|\b[1-5]xx\b|\bpython[23](?:\.\d+)?\b",
        r"|\b[45]\d\d(?:,| and | or |/)[45]\d\d\b",
    ))
});
static KEYED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r#"(?i)\b((?:[a-z]+_)?(?:id|shop|target|user|username|account|host|hostname|job|task|item|sku|file|path|name|request|session|trace|span|url|uri|key|token|pid|tid|run|worker|pod|node|container|email|ip|addr|address|query|slug|handle|profile|channel|bucket|db|table|topic|partition|queue|region|city|title))(=|: )(?:"[^"]*"|'[^']*'|[^\s,;)\]}|<"']+)"#,
    )
});

/// A recorded name with its variable parts masked: `<ts> <dur> <uuid> <url> <email> <ip> <host> <path> <hex> <q> <id>
/// <n>`. In `a/b` a zero stays (`<0>/<n>`) and equal numbers become `<all>`. HTTP statuses where a status stands,
/// exit codes and the numbers in names of errors stay, because they are the name. Quoted text is `<q>`, except the
/// names of types and of nothing (`'NoneType'`, `"undefined"`). White space is folded, control characters are
/// removed, and what is longer than 120 characters is cut at a word.
pub fn mask(name: &str) -> String {
    static KNOWN: LazyLock<Memo<String>> = LazyLock::new(Memo::default);
    KNOWN.get(name, || masked(name))
}

fn masked(name: &str) -> String {
    let clean = text::strip(name);
    let folded: Vec<&str> = clean.split_whitespace().collect();
    let mut text = folded.join(" ");
    if text.len() > 4096 {
        text = text.chars().take(2048).collect();
    }
    // What was masked before stays as it is.
    text = ratios(&text.replace("<0>", &hide("<0>")));
    text = keep(&text);
    for (regex, mask, needs) in MASKS.iter() {
        if !holds(&text, needs) {
            continue;
        }
        if *mask == "<path>" {
            text = regex
                .replace_all(&text, |c: &Captures| lead(c, mask))
                .into_owned();
        } else if *mask == "<host>" && regex.captures_len() > 1 {
            text = regex.replace_all(&text, "<host>$1").into_owned();
        } else if *mask == "<q>" {
            text = regex
                .replace_all(&text, |c: &Captures| {
                    let before = c.get(0).map_or("", |m| &text[..m.start()]);
                    quoted(&c[0], mask, before)
                })
                .into_owned();
        } else {
            text = regex.replace_all(&text, *mask).into_owned();
        }
    }
    if let Some(regex) = SINGLE.as_ref().filter(|_| holds(&text, "'")) {
        text = regex
            .replace_all(&text, |c: &Captures| {
                let before = c.get(2).map_or("", |m| &text[..m.start()]);
                format!("{}{}", &c[1], quoted(&c[2], "<q>", before))
            })
            .into_owned();
    }
    if let Some(regex) = HEX.as_ref() {
        text = regex
            .replace_all(&text, |c: &Captures| {
                let hit = &c[0];
                let mixed = hit.bytes().any(|b| b.is_ascii_digit())
                    && hit.bytes().any(|b| b.is_ascii_alphabetic());
                if mixed {
                    "<hex>".to_owned()
                } else {
                    hit.to_owned()
                }
            })
            .into_owned();
    }
    if let Some(regex) = KEYED.as_ref().filter(|_| holds(&text, "=:")) {
        text = regex
            .replace_all(&text, |c: &Captures| {
                let whole = &c[0];
                // `name: x` in a sentence is no key: with a colon only what has digits is masked.
                let value = whole.get(c[1].len() + c[2].len()..).unwrap_or_default();
                let plain = !value.bytes().any(|b| b.is_ascii_digit());
                if value.starts_with('<') || (&c[2] == ": " && plain) {
                    whole.to_owned()
                } else {
                    format!("{}{}<id>", &c[1], &c[2])
                }
            })
            .into_owned();
    }
    if let Some(regex) = SIZE.as_ref().filter(|_| holds(&text, DIGITS)) {
        text = regex.replace_all(&text, "<n>$1").into_owned();
    }
    text = tokens(&text);
    if let Some(regex) = NUMBER.as_ref().filter(|_| holds(&text, DIGITS)) {
        text = regex
            .replace_all(&text, |c: &Captures| {
                let hit = &c[0];
                let sign = if hit.starts_with(['-', '+']) {
                    hit.get(..1).unwrap_or_default()
                } else {
                    ""
                };
                format!("{sign}<n>")
            })
            .into_owned();
    }
    let text: String = text.chars().map(restore).collect();
    shorten(&text)
}

fn hide(text: &str) -> String {
    text.chars()
        .map(|c| {
            c.to_digit(10)
                .and_then(|d| char::from_u32(KEPT + d))
                .unwrap_or(c)
        })
        .collect()
}

fn restore(c: char) -> char {
    (c as u32)
        .checked_sub(KEPT)
        .and_then(|d| char::from_digit(d, 10).filter(|_| d < 10))
        .unwrap_or(c)
}

/// `0/11`, `3 of 3`.
fn ratios(text: &str) -> String {
    let Some(regex) = RATIO.as_ref().filter(|_| holds(text, DIGITS)) else {
        return text.to_owned();
    };
    regex
        .replace_all(text, |c: &Captures| {
            let (a, sep, b) = (&c[2], &c[3], &c[4]);
            let zero = |s: &str| s.bytes().all(|b| b == b'0');
            let one = |s: &str| {
                if zero(s) {
                    hide("<0>")
                } else {
                    "<n>".to_owned()
                }
            };
            if a == b && !zero(a) {
                format!("{}<all>{}", &c[1], &c[5])
            } else {
                format!("{}{}{sep}{}{}", &c[1], one(a), one(b), &c[5])
            }
        })
        .into_owned()
}

/// Hides the digits that are part of the name.
fn keep(text: &str) -> String {
    if !holds(text, DIGITS) {
        return text.to_owned();
    }
    let mut spans: Vec<std::ops::Range<usize>> = Vec::new();
    spans.extend(status::spans(text));
    if let Some(regex) = FIXED.as_ref() {
        spans.extend(regex.find_iter(text).map(|m| m.range()));
    }
    if spans.is_empty() {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        let kept = c.is_ascii_digit() && spans.iter().any(|s| s.contains(&at));
        let digit = c.to_digit(10).filter(|_| kept);
        out.push(digit.and_then(|d| char::from_u32(KEPT + d)).unwrap_or(c));
    }
    out
}

/// Keeps the character before a path that is not part of it.
fn lead(c: &Captures, mask: &str) -> String {
    let first = c[0].chars().next();
    match first.filter(|f| f.is_whitespace() || "\"'(=:,[".contains(*f)) {
        Some(f) => format!("{f}{mask}"),
        None => mask.to_owned(),
    }
}

/// Names of types and of nothing say what is wrong; any other quoted text is data.
fn quoted(hit: &str, mask: &str, before: &str) -> String {
    const TYPES: &[&str] = &[
        "NoneType",
        "None",
        "null",
        "undefined",
        "NaN",
        "nil",
        "true",
        "false",
        "str",
        "int",
        "float",
        "dict",
        "list",
        "tuple",
        "bytes",
        "bool",
        "object",
        "string",
        "number",
        "boolean",
        "array",
        "function",
        "utf-8",
        "ascii",
        "charmap",
        "utf8",
    ];
    let inner = hit.trim_matches(|c: char| "\"'`b「」『』«»“”‘’".contains(c));
    // A quoted status line is the name itself.
    let kept = inner.chars().any(|c| restore(c) != c) && inner.chars().count() <= 48;
    if TYPES.contains(&inner) || kept || is_message(inner, before) {
        hit.to_owned()
    } else {
        mask.to_owned()
    }
}

/// Whether quoted text is the message of an error: it stands in an exception's brackets or under a key of messages.
fn is_message(inner: &str, before: &str) -> bool {
    const KEYS: &[&str] = &[
        "message",
        "msg",
        "error",
        "detail",
        "details",
        "reason",
        "description",
        "error_description",
        "error_message",
        "verdict",
        "class",
        "label",
        "cause",
        "result",
        "status",
        "errormessage",
        "errmsg",
        "title",
    ];
    let before = before.trim_end().trim_end_matches(['b', 'u']);
    if let Some(call) = before.strip_suffix('(') {
        let class = call
            .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
            .unwrap_or("");
        return ["Error", "Exception", "Warning", "Failure", "Timeout"]
            .iter()
            .any(|e| class.ends_with(e));
    }
    let Some(key) = before.strip_suffix([':', '=']) else {
        // `FAILED "certificate order rejected"`: what an operator puts behind a word of failure.
        let word = before.rsplit(' ').next().unwrap_or_default().to_lowercase();
        return [
            "failed", "failure", "failing", "error", "incident", "alert", "because",
        ]
        .contains(&word.as_str())
            && inner.contains(' ');
    };
    let key = key.trim_end().trim_end_matches(['"', '\'', '\\']);
    let key = key
        .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
        .next()
        .unwrap_or("");
    KEYS.contains(&key.to_lowercase().as_str()) && inner.contains(' ')
}

/// Words with digits in them: a trailing number is `<n>`, a mixture is `<id>`, names of protocols stay.
fn tokens(text: &str) -> String {
    const NAMES: &[&str] = &[
        "utf8", "base64", "sha1", "sha256", "sha512", "md5", "x509", "http2", "http3", "ipv4",
        "ipv6", "s3", "ec2", "k8s", "oauth2", "h2", "web3", "sqlite3", "mysql2", "urllib3",
        "boto3", "psycopg2", "psycopg", "python3", "py3", "int32", "int64", "uint8", "float64",
        "log4j", "r2", "d1", "gpt4", "b2", "neo4j", "p2p", "i18n", "e2e", "v8", "amd64", "arm64",
        "x86", "es6", "win32", "libuv1", "pkcs12", "pkcs8", "iso8601", "rfc3339", "gb2312",
        "latin1",
    ];
    let Some(regex) = TOKEN.as_ref().filter(|_| holds(text, DIGITS)) else {
        return text.to_owned();
    };
    regex
        .replace_all(text, |c: &Captures| {
            let word = &c[0];
            if word.bytes().all(|b| b.is_ascii_digit()) {
                return word.to_owned();
            }
            let lower = word.to_ascii_lowercase();
            if NAMES.contains(&lower.as_str()) {
                return hide(word);
            }
            // `s3put`, `z2m`: one digit within letters is a word.
            let digits = word.bytes().filter(u8::is_ascii_digit).count();
            let edges = word.bytes().next().is_some_and(|b| b.is_ascii_alphabetic())
                && word.bytes().last().is_some_and(|b| b.is_ascii_alphabetic());
            if digits == 1 && edges && word.len() <= 8 {
                return hide(word);
            }
            let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
            if !stem.is_empty() && stem.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_') {
                return format!("{stem}<n>");
            }
            // `step_3_failed`, `jk2_init`: numbers between separators.
            let parts: Vec<&str> = word.split('_').collect();
            let clean = parts.iter().all(|p| {
                let stem = p.trim_end_matches(|c: char| c.is_ascii_digit());
                stem.len() <= 24 && stem.bytes().all(|b| b.is_ascii_alphabetic())
            });
            if clean && parts.len() > 1 {
                let masked: Vec<String> = parts
                    .iter()
                    .map(|p| {
                        let stem = p.trim_end_matches(|c: char| c.is_ascii_digit());
                        if p.len() == 2 && stem.len() == 1 {
                            return hide(p);
                        }
                        format!("{stem}{}", if stem.len() < p.len() { "<n>" } else { "" })
                    })
                    .collect();
                return masked.join("_");
            }
            // `5MB`, `12items`
            let tail = word.trim_start_matches(|c: char| c.is_ascii_digit());
            if tail.len() < word.len()
                && tail.len() <= 2
                && tail.bytes().all(|b| b.is_ascii_alphabetic())
            {
                return format!("<n>{tail}");
            }
            "<id>".to_owned()
        })
        .into_owned()
}

fn shorten(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    let cut: String = text.chars().take(MOST).collect();
    match cut.rfind(' ') {
        Some(at) if at > MOST / 2 => cut.get(..at).unwrap_or_default().trim_end().to_owned(),
        _ => cut,
    }
}
