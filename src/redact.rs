//! Secrets taken out of everything that is shown.
//!
//! A pattern needs either the prefix that a provider gives its keys or a word that says what follows, so that hashes
//! of commits, UUIDs and ids of requests stay readable. Prefixes are those that the providers document for secret
//! scanning.

use regex::{Captures, Regex, RegexSet, RegexSetBuilder};
use std::borrow::Cow;
use std::sync::LazyLock;

/// A kind of secret: its name, its pattern, and the group that holds the secret (0: all of it).
struct Rule {
    kind: &'static str,
    pattern: &'static str,
    group: usize,
}

const fn rule(kind: &'static str, pattern: &'static str, group: usize) -> Rule {
    Rule {
        kind,
        pattern,
        group,
    }
}

/// In this order: what is more telling comes first, and what is replaced is not looked at again.
const RULES: &[Rule] = &[
    rule(
        "private-key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
        0,
    ),
    rule("jwt", r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?", 0),
    rule("aws-key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b", 0),
    rule(
        "github-token",
        r"\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})\b",
        0,
    ),
    rule(
        "gitlab-token",
        r"\bgl(?:pat|ptt|dt|rt|cbt|soat)-[\w-]{16,}",
        0,
    ),
    rule("slack-token", r"\bx(?:ox[abeoprs]|app)-[\w-]{10,}", 0),
    rule(
        "webhook",
        r"https://hooks\.slack\.com/(?:services|workflows)/([\w/+-]{10,})",
        1,
    ),
    rule(
        "webhook",
        r"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/(\d+/[\w-]{20,})",
        1,
    ),
    rule(
        "stripe-key",
        r"\b(?:sk|rk|pk|whsec)_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9+/=]{16,}",
        0,
    ),
    rule("google-key", r"\bAIza[\w-]{30,}", 0),
    rule("google-token", r"\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}", 0),
    rule(
        "api-key",
        r"\bsk-(?:ant-|proj-|or-|svcacct-|admin-)?[A-Za-z0-9][\w-]{15,}",
        0,
    ),
    rule("huggingface-token", r"\bhf_[A-Za-z0-9]{20,}\b", 0),
    rule("npm-token", r"\bnpm_[A-Za-z0-9]{30,}\b", 0),
    rule("pypi-token", r"\bpypi-[\w-]{30,}", 0),
    rule("sendgrid-key", r"\bSG\.[\w-]{16,}\.[\w-]{16,}", 0),
    rule("digitalocean-token", r"\bdo[opr]_v1_[0-9a-f]{32,}\b", 0),
    rule(
        "shopify-token",
        r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{24,}\b",
        0,
    ),
    rule("telegram-token", r"\b\d{8,10}:AA[\w-]{30,}", 0),
    rule("twilio-key", r"\bSK[0-9a-f]{32}\b", 0),
    rule("vault-token", r"\bhv[sbr]\.[\w-]{20,}", 0),
    rule("groq-key", r"\bgsk_[A-Za-z0-9]{20,}\b", 0),
    rule("linear-key", r"\blin_api_[A-Za-z0-9]{20,}\b", 0),
    rule(
        "notion-token",
        r"\b(?:secret_[A-Za-z0-9]{40,}|ntn_[A-Za-z0-9]{30,})\b",
        0,
    ),
    rule(
        "authorization",
        r#"(?i)\b(?:proxy-)?authorization["']?\s*[:=]>?\s*["']?((?:(?:basic|bearer|token|digest|apikey|negotiate|aws4-hmac-sha256)\s+)?[^\s"',;<>}\]]{4,})"#,
        1,
    ),
    rule("bearer", r"(?i)\bbearer\s+([\w.~+/-]{12,}=*)", 1),
    rule(
        "cookie",
        r#"(?i)\b(?:set-)?cookie["']?\s*[:=]>?\s*["']?([\w.$-]+=[^"'\n<>}\]]+)"#,
        1,
    ),
    rule(
        "cookie",
        r#"(?i)\b(?:sessionid|session_id|phpsessid|jsessionid|connect\.sid|csrftoken|ds_user_id|auth_token|ct0|datr|c_user|li_at)=([^\s;,"'<>&]{8,})"#,
        1,
    ),
    rule(
        "password",
        r"\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@<>]*:([^\s/@<>]+)@",
        1,
    ),
    rule(
        "password",
        r#"(?i)\b(?:[\w-]*password|passwd|passphrase|pwd|pgpassword|\w*_pass)["']?\s*(?:=>|[=:])\s*(?:"([^"<]+)"|'([^'<]+)'|([^\s"',;&<>)}\]]{3,}))"#,
        1,
    ),
    rule(
        "secret",
        r#"(?i)\b(?:[\w-]*(?:secret|api[_-]?key|apikey|access[_-]?key|access[_-]?token|auth[_-]?token|refresh[_-]?token|id[_-]?token|client[_-]?secret|private[_-]?key|x-amz-signature|x-amz-credential|x-amz-security-token|x-api-key|x-auth-token|signature|sig))["']?\s*(?:=>|[=:])\s*(?:"([^"<]{6,})"|'([^'<]{6,})'|([^\s"',;&<>)}\]]{8,}))"#,
        1,
    ),
    rule(
        "secret",
        r#"(?i)[?&](?:token|key|code|access_token|auth)=([^\s"'&<>]{8,})"#,
        1,
    ),
    rule(
        "email",
        r"\b[A-Za-z0-9][\w.+-]*@[A-Za-z0-9](?:[A-Za-z0-9-]*\.)+[A-Za-z]{2,}\b",
        0,
    ),
];

/// The rules, compiled: a set that says which can hit at all, and each by itself.
static COMPILED: LazyLock<Option<(RegexSet, Vec<Regex>)>> = LazyLock::new(|| {
    // Keys are ASCII; the Unicode classes would only make the automata large.
    let patterns: Vec<String> = RULES
        .iter()
        .map(|r| {
            r.pattern
                .replace(r"\w", "[A-Za-z0-9_]")
                .replace(r"\d", "[0-9]")
                .replace(r"\b", r"(?-u:\b)")
        })
        .collect();
    let set = RegexSetBuilder::new(&patterns)
        .size_limit(64 << 20)
        .build()
        .ok()?;
    let all: Result<Vec<Regex>, _> = patterns.iter().map(|p| Regex::new(p)).collect();
    Some((set, all.ok()?))
});

static CARD: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b[3-6]\d{3}[ -]?\d{4,6}[ -]?\d{4,5}(?:[ -]?\d{1,4})?\b").ok());

/// The text with each secret replaced by `<redacted:kind>`; what is no secret stays as it is.
pub fn redact(text: &str) -> Cow<'_, str> {
    let Some((set, all)) = COMPILED.as_ref() else {
        return Cow::Borrowed("<redacted>");
    };
    let mut out = Cow::Borrowed(text);
    for index in set.matches(text) {
        let (Some(rule), Some(regex)) = (RULES.get(index), all.get(index)) else {
            continue;
        };
        let replaced = regex
            .replace_all(&out, |c: &Captures| replace(c, rule))
            .into_owned();
        if replaced != *out {
            out = Cow::Owned(replaced);
        }
    }
    if let Some(regex) = CARD.as_ref()
        && regex.find_iter(&out).any(|m| luhn(m.as_str()))
    {
        let replaced = regex
            .replace_all(&out, |c: &Captures| {
                if luhn(&c[0]) {
                    "<redacted:card>".to_owned()
                } else {
                    c[0].to_owned()
                }
            })
            .into_owned();
        out = Cow::Owned(replaced);
    }
    out
}

fn replace(c: &Captures, rule: &Rule) -> String {
    let whole = &c[0];
    let base = c.get(0).map_or(0, |m| m.start());
    // With alternatives for quotes the secret is in the first group that took part.
    let secret = if rule.group == 0 {
        c.get(0)
    } else {
        c.iter().skip(rule.group).flatten().next()
    };
    let Some(secret) = secret else {
        return whole.to_owned();
    };
    if harmless(secret.as_str()) {
        return whole.to_owned();
    }
    let before = whole.get(..secret.start() - base).unwrap_or_default();
    let after = whole.get(secret.end() - base..).unwrap_or_default();
    format!("{before}<redacted:{}>{after}", rule.kind)
}

/// Words that stand where a secret would, and say that there is none.
fn harmless(value: &str) -> bool {
    const NONE: &[&str] = &[
        "null",
        "none",
        "undefined",
        "true",
        "false",
        "missing",
        "invalid",
        "expired",
        "required",
        "empty",
        "incorrect",
        "redacted",
        "***",
        "failed",
    ];
    NONE.iter().any(|n| value.eq_ignore_ascii_case(n))
        || value.starts_with("<redacted")
        || value.bytes().all(|b| b == b'*' || b == b'x' || b == b'.')
}

/// Luhn's check digit (ISO/IEC 7812-1), for 13 to 19 digits that begin as cards do.
fn luhn(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    if !(13..=19).contains(&digits.len()) || digits.windows(2).all(|w| w.first() == w.last()) {
        return false;
    }
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(i, d)| {
            if i % 2 == 0 {
                *d
            } else if *d > 4 {
                d * 2 - 9
            } else {
                d * 2
            }
        })
        .sum();
    sum.is_multiple_of(10)
}
