//! The findings as SARIF 2.1.0 (OASIS), for code scanning.
//!
//! All rules are listed, fired or not. Of a run with more than 5,000 findings the first are written, and the cut is
//! said: that is how many results GitHub shows of one run.

use super::{Report, Style, words};
use crate::audit::detect;
use crate::audit::finding::{Confidence, Finding, Outcome, Place, Severity};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The format `sarif`.
pub const REPORT: Report = Report {
    name: "sarif",
    help: "findings as SARIF 2.1.0, for code scanning",
    write: Some(write),
    directory: None,
};

/// The most results.
const MOST: usize = 5_000;
/// The most characters of a message: with the cut above the file stays under 10 MB.
const MESSAGE: usize = 1_000;
/// Places beside the first.
const RELATED: usize = 4;

#[derive(Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    invocations: [Value; 1],
    column_kind: &'static str,
    results: Vec<SarifResult>,
    properties: BTreeMap<&'static str, Value>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: Vec<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    kind: &'static str,
    level: &'static str,
    message: Value,
    locations: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Value>,
    partial_fingerprints: BTreeMap<&'static str, String>,
    baseline_state: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressions: Vec<Value>,
    properties: BTreeMap<&'static str, Value>,
}

fn write(outcome: &Outcome, _: &Style, to: &mut dyn Write) -> io::Result<()> {
    let cut = outcome.findings.len().saturating_sub(MOST);
    let mut notes: Vec<Value> = outcome
        .input
        .unreadable
        .iter()
        .map(|u| note("warning", &format!("not read: {}: {}", u.path, u.why)))
        .collect();
    let mut properties = BTreeMap::from([("failures", json!(outcome.summary.failures))]);
    if cut > 0 {
        properties.insert("resultsLeftOut", json!(cut));
        notes.push(note(
            "warning",
            &format!(
                "{cut} findings are left out: a run shows at most {MOST}; the JSON report has all"
            ),
        ));
    }
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "misnomer",
                    version: env!("CARGO_PKG_VERSION"),
                    rules: detect::ALL.iter().map(rule).collect(),
                },
            },
            invocations: [json!({
                "executionSuccessful": outcome.complete(),
                "toolExecutionNotifications": notes,
            })],
            column_kind: "unicodeCodePoints",
            results: outcome.findings.iter().take(MOST).map(result).collect(),
            properties,
        }],
    };
    let mut text = serde_json::to_vec_pretty(&log)?;
    text.push(b'\n');
    to.write_all(&text)
}

fn note(level: &str, text: &str) -> Value {
    json!({ "level": level, "message": { "text": words::visible(text) } })
}

fn rule(rule: &detect::Detector) -> Value {
    json!({
        "id": rule.code,
        "name": rule.id,
        "shortDescription": { "text": rule.title },
        "fullDescription": { "text": rule.help },
        "help": { "text": rule.help },
        "defaultConfiguration": { "level": level(rule.severity) },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

fn result(f: &Finding) -> SarifResult {
    let possible = f.confidence == Confidence::Possible;
    let mut places = f.places.iter();
    let first = match places.next() {
        Some(place) => location(place),
        // Code scanning shows no result without a place: a lane stands for its directory.
        None => {
            json!({ "physicalLocation": { "artifactLocation": { "uri": uri(if f.lane == "*" { "." } else { &f.lane }) } } })
        }
    };
    let mut properties = BTreeMap::from([
        ("lane", json!(words::visible(&f.lane))),
        ("confidence", json!(f.confidence)),
        ("state", json!(f.state)),
    ]);
    if let Some(ruling) = &f.ruling {
        properties.insert("ruling", json!(ruling));
    }
    SarifResult {
        rule_id: f.code.clone(),
        rule_index: detect::ALL.iter().position(|d| d.code == f.code),
        // What is only possible asks for a look (SARIF 3.27.9); any kind but `fail` has the level `none`.
        kind: if possible { "review" } else { "fail" },
        level: if possible { "none" } else { level(f.severity) },
        message: json!({ "text": words::clip(&words::visible(&f.message), MESSAGE) }),
        locations: vec![first],
        related_locations: places.take(RELATED).map(location).collect(),
        partial_fingerprints: BTreeMap::from([
            ("misnomer/v1", f.fingerprint.clone()),
            // By this one GitHub tracks an alert.
            ("primaryLocationLineHash", format!("{}:1", f.fingerprint)),
        ]),
        baseline_state: match f.state.as_str() {
            "new" | "lapsed" => "new",
            "changed" | "surge" => "updated",
            _ => "unchanged",
        },
        suppressions: match f.state.as_str() {
            "waived" | "overridden" => vec![json!({
                "kind": "external",
                "status": "accepted",
                "justification": words::visible(f.ruling.as_ref().and_then(|r| r.reason.as_deref()).unwrap_or_default()),
            })],
            _ => Vec::new(),
        },
        properties,
    }
}

fn location(place: &Place) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(&place.file) },
        "region": { "startLine": place.line.max(1), "endLine": place.end_line.max(place.line).max(1) },
    } })
}

/// A relative reference (RFC 3986): what is no unreserved character or `/` is percent-encoded.
fn uri(path: &str) -> String {
    let path = path.trim_start_matches('/');
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
