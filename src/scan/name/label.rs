//! The label field of a record: `error=`, `reason=`, `status=`.

use super::words;
use crate::scan::pattern::matcher::Patterns;
use crate::scan::record::Record;

/// The most telling label field of a record: key and value.
pub(super) fn label_of(
    record: &Record<'_>,
    patterns: &Patterns,
    failed: bool,
) -> Option<(String, String)> {
    // The class of an exception names it only where the program says nothing itself.
    let spoken = record.json && words(&record.message) > 0;
    let labels = record.fields.iter().filter(|f| {
        patterns.names.is_label(&f.path, &f.value, failed)
            && !(spoken && is_type(&f.path) && is_class(&f.value))
    });
    let best = labels.max_by_key(|f| {
        let claims = !patterns.names.claims(&f.value).is_empty();
        let code = is_code(&f.value);
        // The first of equals: `max_by_key` keeps the last, so the position counts downwards.
        (claims, code, std::cmp::Reverse(f.path.len()))
    })?;
    Some((best.path.clone(), best.value.trim().to_string()))
}

/// Whether a value is a code: one token, no prose.
pub(super) fn is_code(value: &str) -> bool {
    let value = value.trim();
    !value.is_empty()
        && value.len() <= 60
        && !value.contains(char::is_whitespace)
        && value.chars().any(char::is_alphabetic)
}

/// Whether a code is made up by the lane (`HOST_DOWN`, `vault_denied`, `bad-release`), and no everyday word.
pub(super) fn is_coined(value: &str) -> bool {
    let value = value.trim();
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    is_code(value)
        && letters >= 4
        && !value.contains(['/', '.', ':', '='])
        && (value.trim_matches(['_', '-']).contains(['_', '-'])
            || value.chars().all(|c| c.is_uppercase() || c.is_numeric()))
}

/// Whether a value is the name of a class (`ConnectTimeoutError`, `requests.Timeout`), not a label of the lane's own.
fn is_class(value: &str) -> bool {
    value.contains(['.', ':'])
        || (!value.contains('_') && value.starts_with(char::is_uppercase))
            && value.chars().any(char::is_lowercase)
}

/// Whether a path is that of an exception's class.
fn is_type(path: &str) -> bool {
    let key = path
        .rsplit('.')
        .next()
        .unwrap_or(path)
        .to_lowercase()
        .replace(['_', '-'], "");
    matches!(
        key.as_str(),
        "type"
            | "name"
            | "errortype"
            | "exceptiontype"
            | "exctype"
            | "errorclass"
            | "errorname"
            | "class"
    )
}
