//! `misnomer patterns suggest`: what a pack of one's own could explain.

use super::inputs::Inputs;
use crate::audit::finding::Standing;
use crate::audit::{Filter, audit, newest};
use crate::cli::Global;
use crate::evidence::Kind;
use crate::report::words::visible;
use anyhow::Result;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// At most so many examples of a cluster are shown.
const EXAMPLES: usize = 3;
/// At most so many bytes of a literal become the needle.
const NEEDLE: usize = 60;

/// Failures of one template that nothing explains.
struct Cluster {
    name: String,
    lanes: BTreeSet<String>,
    count: i64,
    places: Vec<String>,
    examples: Vec<String>,
}

/// Lists the clusters, each with an entry that loads as it stands and matches its cluster only.
///
/// # Errors
/// As an audit.
pub fn suggest(global: &Global, paths: &[String], most: usize) -> Result<u8> {
    let inputs = Inputs::new(global, paths, false)?;
    let table = inputs.scan(global)?;
    let now = super::inputs::now(global, &inputs.settings)?.or_else(|| newest(&table));
    let outcome = audit(&table, &inputs.settings, now, &Filter::default());
    let mut clusters: BTreeMap<String, Cluster> = BTreeMap::new();
    let unexplained = outcome
        .failures
        .iter()
        .filter(|f| f.standing == Standing::Unsupported);
    for failure in unexplained {
        let cluster = clusters
            .entry(failure.recorded_name.clone())
            .or_insert_with(|| Cluster {
                name: failure.recorded_name.clone(),
                lanes: BTreeSet::new(),
                count: 0,
                places: Vec::new(),
                examples: Vec::new(),
            });
        cluster.lanes.insert(failure.lane.clone());
        cluster.count += failure.count;
        cluster.places.extend(
            failure
                .places
                .iter()
                .map(|p| format!("{}:{}", p.file, p.line)),
        );
    }
    for row in table.rows.iter().filter(|r| r.kind == Kind::Name) {
        if let Some(cluster) = clusters.get_mut(&row.name)
            && cluster.examples.len() < EXAMPLES
            && !row.text.is_empty()
            && !cluster.examples.contains(&row.text)
        {
            cluster.examples.push(row.text.clone());
        }
    }
    let mut all: Vec<Cluster> = clusters
        .into_values()
        .filter(|c| !c.examples.is_empty())
        .collect();
    all.sort_by(|a, b| (b.count, &a.name).cmp(&(a.count, &b.name)));
    let total = all.len();
    let entries = entries(&all);
    let mut out = std::io::stdout().lock();
    if total == 0 {
        writeln!(
            out,
            "# Every failure is explained: there is nothing to suggest."
        )?;
        return Ok(super::DONE);
    }
    writeln!(out, "title = \"My patterns\"")?;
    for (cluster, entry) in all.iter().zip(&entries).take(most) {
        let lanes: Vec<&str> = cluster.lanes.iter().map(String::as_str).collect();
        writeln!(out)?;
        writeln!(
            out,
            "# {} in {}: {}",
            crate::report::words::count(cluster.count, "failure", "failures"),
            visible(&lanes.join(", ")),
            visible(&cluster.name)
        )?;
        for place in cluster.places.iter().take(EXAMPLES) {
            writeln!(out, "#   {}", visible(place))?;
        }
        match entry {
            Some(entry) => write!(out, "{entry}")?,
            None => writeln!(
                out,
                "# No pattern can tell it from the others: its records hold no text of their own."
            )?,
        }
    }
    if total > most {
        writeln!(out, "\n# {} more; --most {total} shows them.", total - most)?;
    }
    Ok(super::DONE)
}

/// The entry of each cluster: an expression over its template that matches none of the others' examples.
fn entries(all: &[Cluster]) -> Vec<Option<String>> {
    let mut ids: BTreeSet<String> = BTreeSet::new();
    all.iter()
        .map(|cluster| {
            let needle = needle(cluster)?;
            let expression = expression(&cluster.name);
            let regex = Regex::new(&expression).ok()?;
            let own = cluster.examples.iter().all(|e| regex.is_match(e));
            let others = all
                .iter()
                .filter(|o| o.name != cluster.name)
                .flat_map(|o| &o.examples);
            let mut apart = others.filter(|e| regex.is_match(e));
            if !own || apart.next().is_some() {
                return None;
            }
            let mut id = format!("my.{}", slug(&cluster.name));
            while !ids.insert(id.clone()) {
                id.push('x');
            }
            let examples: Vec<String> = cluster.examples.iter().map(|e| quoted(e)).collect();
            Some(format!(
                "[[pattern]]\nid = {}\nkind = \"cause\"\ncause = \"unknown\"   # replace it by what it really is, such as rate_limited\ngrade = \"phrase\"\nneedles = [{}]\nregex = {}\nexamples = [{}]\ncounterexamples = []\n",
                quoted(&id),
                quoted(&needle),
                quoted(&expression),
                examples.join(", ")
            ))
        })
        .collect()
}

/// The longest literal of a template that stands in every example.
fn needle(cluster: &Cluster) -> Option<String> {
    literals(&cluster.name)
        .into_iter()
        .map(|l| {
            l.trim()
                .chars()
                .take(NEEDLE)
                .collect::<String>()
                .trim()
                .to_string()
        })
        .filter(|l| l.len() >= 4 && l.chars().filter(|c| c.is_alphabetic()).count() >= 3)
        .filter(|l| cluster.examples.iter().all(|e| e.contains(l.as_str())))
        .max_by_key(String::len)
}

/// The parts of a template between its masks.
fn literals(name: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = name;
    while let Some(open) = rest.find('<') {
        let Some(close) = rest[open..].find('>').filter(|len| *len <= 8) else {
            out.push(&rest[..=open]);
            rest = &rest[open + 1..];
            continue;
        };
        out.push(&rest[..open]);
        rest = &rest[open + close + 1..];
    }
    out.push(rest);
    out
}

/// A template as an expression: masks stand for anything short.
fn expression(name: &str) -> String {
    let parts: Vec<String> = literals(name)
        .into_iter()
        .map(|part| {
            let words: Vec<String> = part.split_whitespace().map(regex::escape).collect();
            let inner = words.join(r"\s+");
            let lead = if part.starts_with(char::is_whitespace) {
                r"\s+"
            } else {
                ""
            };
            let tail = if part.ends_with(char::is_whitespace) && !inner.is_empty() {
                r"\s+"
            } else {
                ""
            };
            format!("{lead}{inner}{tail}")
        })
        .collect();
    parts.join(r"[^\n]{0,200}?")
}

fn slug(name: &str) -> String {
    let mut out = String::new();
    for part in literals(name) {
        for word in part.split(|c: char| !c.is_ascii_alphanumeric()) {
            if word.len() >= 2 && out.len() + word.len() < 40 {
                if !out.is_empty() {
                    out.push('-');
                }
                out.push_str(&word.to_lowercase());
            }
        }
    }
    if out.is_empty() {
        "failure".to_string()
    } else {
        out
    }
}

/// A TOML string.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}
