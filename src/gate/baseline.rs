//! The baseline: the findings that are known and tolerated. Written by the tool, committed by a person.
//!
//! One JSON object a line, sorted by fingerprint, so that two branches that add entries merge. There is no time of
//! writing, version or count in it: writing the same findings again gives the same bytes.

use crate::audit::finding::{Finding, Outcome};
use crate::audit::identity::{self, RECIPE};
use crate::table::whole;
use anyhow::{Context, Result, anyhow, bail};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The name under which a baseline is looked for.
pub const FILE_NAME: &str = "misnomer.baseline.jsonl";

/// The version of the file. A reader refuses another.
const VERSION: i64 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    misnomer_baseline: i64,
    fp: i64,
}

/// One known finding. The order of the fields is that of the keys in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The fingerprint: the hash of the five fields that follow.
    pub fp: String,
    /// The rule's name.
    pub rule: String,
    /// The lane, or `*`.
    pub lane: String,
    /// The masked name.
    pub recorded: String,
    /// The cause.
    pub cause: String,
    /// The deciding sign of an opaque name; else empty.
    pub decides: String,
    /// The deciding line without its figures; for a reader.
    pub template: String,
    /// The signs that proved it; for a reader.
    pub evidence: Vec<String>,
    /// The day on which it was added; never changed.
    pub added: String,
    /// More than so many are a surge; a person sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceil: Option<i64>,
}

impl Entry {
    /// The entry of a finding.
    pub fn of(finding: &Finding, outcome: &Outcome, added: Date) -> Entry {
        let failure = outcome.failures.iter().find(|f| {
            f.lane == finding.lane
                && f.recorded_name == finding.recorded
                && f.cause.slug() == finding.cause
        });
        let proofs = failure.map_or(&[][..], |f| &f.evidence);
        let mut evidence: Vec<String> = proofs.iter().map(|p| p.pattern.clone()).collect();
        evidence.sort();
        evidence.dedup();
        let decides = proofs.iter().find(|p| p.decides);
        Entry {
            fp: finding.fingerprint.clone(),
            rule: finding.rule.clone(),
            lane: finding.lane.clone(),
            recorded: finding.recorded.clone(),
            cause: finding.cause.clone(),
            decides: finding.decides.clone(),
            template: decides.map_or(String::new(), |p| identity::template(&p.text)),
            evidence,
            added: added.to_string(),
            ceil: None,
        }
    }

    /// The fingerprint that the fields give.
    fn identity(&self) -> String {
        identity::fingerprint(
            &self.rule,
            &self.lane,
            &self.recorded,
            &self.cause,
            &self.decides,
        )
    }

    /// The identity without the verdict.
    pub fn anchor(&self) -> String {
        identity::anchor(&self.rule, &self.lane, &self.recorded)
    }

    /// What it is about, in a few words.
    pub fn words(&self) -> String {
        let name = match self.recorded.is_empty() {
            true => String::new(),
            false => format!(" \"{}\"", self.recorded),
        };
        let cause = match self.cause.is_empty() {
            true => String::new(),
            false => format!(": {}", self.cause),
        };
        format!("{} in {}{name}{cause}", self.rule, self.lane)
    }
}

/// All entries, by fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The entries.
    pub entries: BTreeMap<String, Entry>,
}

impl Baseline {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, and as [`Baseline::parse`].
    pub fn read(path: &Path) -> Result<Baseline> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(|| {
            format!("cannot read the baseline {shown}; `misnomer baseline create` writes one")
        })?;
        Baseline::parse(&shown, &text)
    }

    /// Reads the content of the file `name`. A file of an older recipe is taken over by its stored fields.
    ///
    /// # Errors
    /// An unknown version, a conflict that was not resolved, a line that is no entry, and an entry whose fingerprint
    /// is not that of its fields; each with its line.
    pub fn parse(name: &str, text: &str) -> Result<Baseline> {
        let mut lines = text
            .lines()
            .enumerate()
            .filter(|(_, l)| !l.trim().is_empty());
        let Some((_, first)) = lines.next() else {
            bail!(
                "{name}:1: the baseline is empty; its first line must be its header: {}",
                header()
            );
        };
        if let Some(fault) = conflict(name, 0, first) {
            return Err(fault);
        }
        let header: Header = serde_json::from_str(first)
            .map_err(|_| anyhow!("{name}:1: the first line is not the header of a baseline"))?;
        if header.misnomer_baseline != VERSION || header.fp > RECIPE || header.fp < 0 {
            bail!(
                "{name}:1: this baseline is of version {} with recipe {}; this program knows version {VERSION} with recipes up to {RECIPE}",
                header.misnomer_baseline,
                header.fp
            );
        }
        let mut entries = BTreeMap::new();
        for (at, line) in lines {
            if let Some(fault) = conflict(name, at, line) {
                return Err(fault);
            }
            let mut entry: Entry = serde_json::from_str(line)
                .map_err(|e| anyhow!("{name}:{}: not an entry of a baseline: {e}", at + 1))?;
            let right = entry.identity();
            if header.fp < RECIPE {
                entry.fp = right;
            } else if entry.fp != right {
                bail!(
                    "{name}:{}: the fingerprint {} is not that of the fields, which is {right}; the line was edited by hand: remove it and run `misnomer baseline add {}`",
                    at + 1,
                    entry.fp,
                    identity::short(&right)
                );
            }
            if entry.added.parse::<Date>().is_err() {
                bail!(
                    "{name}:{}: `added` is no date: {}",
                    at + 1,
                    entry.added.escape_debug()
                );
            }
            entries.entry(entry.fp.clone()).or_insert(entry);
        }
        Ok(Baseline { entries })
    }

    /// The content of the file.
    pub fn text(&self) -> Result<String> {
        let mut out = header();
        out.push('\n');
        for entry in self.entries.values() {
            out.push_str(&serde_json::to_string(entry)?);
            out.push('\n');
        }
        Ok(out)
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = self.text()?;
        whole::file(path, |to| Ok(to.write_all(text.as_bytes())?))
    }

    /// Two descendants of one baseline as one: what either added is in, what either removed is out.
    pub fn merge(base: &Baseline, ours: &Baseline, theirs: &Baseline) -> Baseline {
        let mut entries = BTreeMap::new();
        for (fp, entry) in ours.entries.iter().chain(&theirs.entries) {
            let in_both = ours.entries.contains_key(fp) && theirs.entries.contains_key(fp);
            if !in_both && base.entries.contains_key(fp) {
                continue;
            }
            match entries.get_mut(fp) {
                None => drop(entries.insert(fp.clone(), entry.clone())),
                Some(kept) => settle(kept, entry, base.entries.get(fp)),
            }
        }
        Baseline { entries }
    }
}

/// Of two versions of an entry: the earlier day, and the ceiling that was changed.
fn settle(ours: &mut Entry, theirs: &Entry, base: Option<&Entry>) {
    if theirs.added < ours.added {
        ours.added.clone_from(&theirs.added);
    }
    if ours.ceil == base.and_then(|b| b.ceil) {
        ours.ceil = theirs.ceil;
    }
}

fn header() -> String {
    format!("{{\"misnomer_baseline\":{VERSION},\"fp\":{RECIPE}}}")
}

fn conflict(name: &str, at: usize, line: &str) -> Option<anyhow::Error> {
    let marker = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];
    marker.iter().any(|m| line.starts_with(m)).then(|| {
        anyhow!(
            "{name}:{}: a conflict that was not resolved: keep the lines of both sides, remove the markers, and run `misnomer baseline fmt`",
            at + 1
        )
    })
}
