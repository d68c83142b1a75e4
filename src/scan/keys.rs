//! What joins a record to others: request, run, target, credential, thread.

use super::pattern::names::same_key;
use super::record::Record;
use crate::evidence::Keys;

/// Field names of each kind of key, most specific first. Names are compared without case and separators, as a suffix
/// of the dotted path.
const FIELDS: &[(&str, &[&str])] = &[
    (
        "request",
        &[
            "request_id",
            "req_id",
            "x-request-id",
            "requestid",
            "reqid",
            "req.id",
            "correlation_id",
            "trace_id",
            "trace.id",
            "traceid",
            "call_id",
            "jid",
        ],
    ),
    (
        "run",
        &[
            "run_id",
            "runid",
            "run",
            "dag_run_id",
            "job_run_id",
            "invocation_id",
            "workflow_run_id",
            "build_id",
            "batch_id",
            "session_id",
        ],
    ),
    (
        "target",
        &[
            "shop",
            "target",
            "source",
            "url",
            "uri",
            "account",
            "username",
            "handle",
            "recipient",
            "path",
            "endpoint",
            "host",
            "hostname",
            "file",
            "filename",
            "bucket",
            "queue",
            "topic",
            "table",
            "channel",
            "repo",
            "repository",
            "image",
            "concept",
            "slug",
            "item_id",
            "item",
            "doc",
            "id",
            "job_id",
            "job",
            "task_id",
            "task",
            "feed",
            "site",
            "page",
            "key",
            "object",
            "to",
            "user",
        ],
    ),
    ("process", &["pid"]),
    (
        "credential",
        &[
            "token",
            "access_token",
            "api_key",
            "apikey",
            "credential",
            "client_id",
            "key_id",
            "token_id",
            "access_key",
        ],
    ),
];

/// The keys of a record. Each value is at most 120 bytes; empty values and nothings are no keys.
pub fn keys_of(record: &Record<'_>) -> Keys {
    let mut keys = Keys::new();
    for (kind, names) in FIELDS {
        let found = names.iter().find_map(|name| {
            record
                .fields
                .iter()
                .find(|f| same_key(&f.path, name) && is_key(&f.value))
                .map(|f| f.value.trim().to_string())
        });
        if let Some(value) = found {
            keys.insert((*kind).to_string(), value);
        }
    }
    if !keys.contains_key("target")
        && let Some(url) = url_of(&record.text)
    {
        keys.insert("target".to_string(), url);
    }
    if let Some(thread) = &record.thread {
        keys.insert("thread".to_string(), thread.clone());
    }
    if let Some(logger) = &record.logger {
        keys.insert("logger".to_string(), logger.clone());
    }
    keys
}

fn is_key(value: &str) -> bool {
    let value = value.trim();
    value.len() >= 2
        && value.len() <= 120
        && !super::pattern::is_nothing(&value.to_lowercase())
        && !value.contains('\n')
}

/// The first URL of a text, without its query.
fn url_of(text: &str) -> Option<String> {
    let at = text.find("https://").or_else(|| text.find("http://"))?;
    let rest = &text[at..];
    let end = rest
        .find(|c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '"' | '\'' | '?' | '#' | '<' | '>' | ')' | ']' | '}' | ',' | '\\' | '|' | ';'
                )
        })
        .unwrap_or(rest.len());
    let url = rest[..end].trim_end_matches(['.', ':']);
    (url.len() > 9 && url.len() <= 200).then(|| url.to_string())
}
