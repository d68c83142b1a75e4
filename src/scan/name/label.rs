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
        patterns.names.is_label(&f.path, &f.value, failed) && !(spoken && is_type(&f.path))
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
