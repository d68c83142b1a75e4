//! What joins a record to others: request, run, target, credential, thread.

use super::record::{Record, folded, tails};
use crate::evidence::Keys;
use std::collections::HashMap;
use std::sync::LazyLock;

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
            "backup",
            "snapshot",
            "restore",
            "release",
            "pipeline",
            "deployment",
            "build",
            "order",
            "certificate",
            "dns_name",
            "domain",
            "device",
            "package",
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

/// The kind (its index) and the rank of each folded name.
static BY_NAME: LazyLock<HashMap<String, Vec<(usize, usize)>>> = LazyLock::new(|| {
    let mut all: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
    for (kind, (_, names)) in FIELDS.iter().enumerate() {
        for (rank, name) in names.iter().enumerate() {
            all.entry(folded(name)).or_default().push((kind, rank));
        }
    }
    all
});

/// The keys of a record. Each value is at most 120 bytes; empty values and nothings are no keys.
pub fn keys_of(record: &Record<'_>) -> Keys {
    let mut keys = Keys::new();
    // Of each kind the most specific name counts, and of its fields the first.
    let mut best: [Option<(usize, &str)>; FIELDS.len()] = [None; FIELDS.len()];
    for field in &record.fields {
        let path = folded(&field.path);
        for (kind, rank) in tails(&path).filter_map(|tail| BY_NAME.get(tail)).flatten() {
            if let Some(slot) = best.get_mut(*kind)
                && slot.is_none_or(|(held, _)| *rank < held)
                && is_key(&field.value)
            {
                *slot = Some((*rank, field.value.trim()));
            }
        }
    }
    for ((kind, _), found) in FIELDS.iter().zip(best) {
        if let Some((_, value)) = found {
            keys.insert((*kind).to_string(), value.to_string());
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
