//! Waivers and overrides: what people rule of findings, with a reason, an owner and an end.

use crate::audit::finding::{Failure, Finding};
use crate::audit::identity;
use crate::caret;
use crate::cause::Cause;
use crate::table::whole;
use anyhow::{Context, Result, anyhow, bail};
use globset::{Glob, GlobMatcher};
use jiff::civil::Date;
use serde::Deserialize;
use std::path::Path;
use toml::Spanned;
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, value};

/// The name under which waivers are looked for.
pub const FILE_NAME: &str = "misnomer.waivers.toml";

/// The longest time that a waiver may hold, in days.
pub const LONGEST: i64 = 180;

/// So many days before its end a waiver is spoken of.
pub const WARNED: i64 = 14;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    waiver: Vec<Spanned<Written>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    fp: Option<String>,
    #[serde(rename = "match")]
    matches: Option<Match>,
    max_matches: Option<u32>,
    of: Option<Of>,
    action: Action,
    verdict: Option<String>,
    reason: String,
    owner: String,
    created: toml::Value,
    expires: toml::Value,
}

/// What a person does with findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// The verdict is right; it is tolerated until the end.
    Accept,
    /// The verdict is wrong; a person rules.
    Override,
}

/// Findings by their fields; a field that is not given fits all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Match {
    /// The rule's name.
    pub rule: Option<String>,
    /// A glob over lanes.
    pub lane: Option<String>,
    /// The masked name.
    pub recorded: Option<String>,
    /// The cause.
    pub cause: Option<String>,
}

/// What a fingerprint is of, as the tool writes it beside.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Of {
    /// The rule's name.
    pub rule: String,
    /// The lane.
    pub lane: String,
    /// The masked name.
    pub recorded: String,
    /// The cause.
    pub cause: String,
    /// The deciding sign, if it is part of the identity.
    #[serde(default)]
    pub decides: String,
}

/// Which findings a waiver covers.
#[derive(Clone, Debug)]
pub enum Covers {
    /// One finding.
    One(String),
    /// All that fit, if they are no more than `most`.
    Many {
        /// The fields.
        fields: Match,
        /// The glob over lanes.
        lane: Option<GlobMatcher>,
        /// More than so many matches make the waiver void.
        most: usize,
    },
}

/// One waiver or override.
#[derive(Clone, Debug)]
pub struct Waiver {
    /// Where it stands, counted from 1.
    pub line: usize,
    /// Which findings it covers.
    pub covers: Covers,
    /// What the fingerprint is of, where that was written beside it.
    pub of: Option<Of>,
    /// Of an override: the cause, as a person rules.
    pub verdict: Option<Cause>,
    /// Why.
    pub reason: String,
    /// Who answers for it.
    pub owner: String,
    /// The first day.
    pub created: Date,
    /// The last day.
    pub expires: Date,
}

impl Waiver {
    /// Whether it is over.
    pub fn lapsed(&self, today: Date) -> bool {
        self.expires < today
    }

    /// Whether it covers a finding, its end apart.
    pub fn covers(&self, finding: &Finding) -> bool {
        match &self.covers {
            Covers::One(fp) => *fp == finding.fingerprint,
            Covers::Many { fields, lane, .. } => {
                let fits =
                    |want: &Option<String>, have: &str| want.as_ref().is_none_or(|w| w == have);
                (fits(&fields.rule, &finding.rule)
                    || fields
                        .rule
                        .as_ref()
                        .is_some_and(|r| r.eq_ignore_ascii_case(&finding.code)))
                    && lane.as_ref().is_none_or(|l| l.is_match(&finding.lane))
                    && fits(&fields.recorded, &finding.recorded)
                    && fits(&fields.cause, &finding.cause)
            }
        }
    }

    /// Whether an override by fields rules of a failure, whatever findings there are of it.
    pub fn rules(&self, failure: &Failure) -> bool {
        let Covers::Many { fields, lane, .. } = &self.covers else {
            return false;
        };
        self.verdict.is_some()
            && fields.rule.is_none()
            && lane.as_ref().is_none_or(|l| l.is_match(&failure.lane))
            && fields
                .recorded
                .as_ref()
                .is_none_or(|r| *r == failure.recorded_name)
            && fields
                .cause
                .as_ref()
                .is_none_or(|c| c == failure.cause.slug())
    }

    /// What it is about, in a few words.
    pub fn words(&self) -> String {
        let join = |parts: [(&str, Option<&str>); 4]| {
            let given = parts
                .iter()
                .filter_map(|(k, v)| Some(format!("{k} {}", v.as_ref()?)));
            given.collect::<Vec<_>>().join(", ")
        };
        match (&self.covers, &self.of) {
            (Covers::One(fp), Some(of)) => format!(
                "{} ({} in {}{})",
                identity::short(fp),
                of.rule,
                of.lane,
                if of.recorded.is_empty() {
                    String::new()
                } else {
                    format!(", \"{}\"", of.recorded)
                }
            ),
            (Covers::One(fp), None) => identity::short(fp).to_owned(),
            (Covers::Many { fields, .. }, _) => join([
                ("rule", fields.rule.as_deref()),
                ("lane", fields.lane.as_deref()),
                ("recorded", fields.recorded.as_deref()),
                ("cause", fields.cause.as_deref()),
            ]),
        }
    }
}

/// The content of one file.
#[derive(Clone, Debug, Default)]
pub struct Waivers {
    /// The name of the file.
    pub file: String,
    /// The waivers, in its order.
    pub all: Vec<Waiver>,
}

impl Waivers {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, and as [`Waivers::parse`].
    pub fn read(path: &Path) -> Result<Waivers> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the waivers {shown}"))?;
        Waivers::parse(&shown, &text)
    }

    /// Reads the content of the file `name`.
    ///
    /// # Errors
    /// What is no waiver: a missing reason, owner or date, an end after more than 180 days, an unknown cause, a
    /// fingerprint that is not whole; each with its place.
    pub fn parse(name: &str, text: &str) -> Result<Waivers> {
        let file: File = toml::from_str(text)
            .map_err(|e| anyhow!("{}", caret::render_toml(name, text, &e).trim_end()))?;
        let mut all = Vec::new();
        for written in file.waiver {
            let span = written.span();
            let line = text
                .get(..span.start)
                .unwrap_or_default()
                .matches('\n')
                .count()
                + 1;
            let waiver = waiver(line, written.into_inner()).map_err(|fault| {
                // The head of the entry: the whole of it would be underlined.
                let end = text.get(span.start..).and_then(|t| t.find('\n'));
                let head = span.start..span.start + end.unwrap_or(0);
                anyhow!(
                    "{}",
                    caret::render(name, text, head, &fault.to_string(), None).trim_end()
                )
            })?;
            all.push(waiver);
        }
        Ok(Waivers {
            file: name.to_owned(),
            all,
        })
    }
}

fn date(what: &str, value: &toml::Value) -> Result<Date> {
    let text = match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    text.parse()
        .map_err(|_| anyhow!("`{what}` is no date: write {what} = 2026-12-31"))
}

fn waiver(line: usize, written: Written) -> Result<Waiver> {
    let filled = |what: &str, text: &str| match text.trim().is_empty() {
        true => Err(anyhow!("`{what}` is empty")),
        false => Ok(()),
    };
    filled("reason", &written.reason)?;
    filled("owner", &written.owner)?;
    let created = date("created", &written.created)?;
    let expires = date("expires", &written.expires)?;
    let days = i64::from(created.until(expires).map_or(i32::MAX, |s| s.get_days()));
    if days > LONGEST {
        bail!(
            "it holds for {days} days, and a waiver may hold for {LONGEST}: set an earlier `expires` and look at it again then"
        );
    }
    if days < 0 {
        bail!("it expires before it is created");
    }
    let verdict = match (written.action, written.verdict) {
        (Action::Override, Some(slug)) => Some(cause(&slug)?),
        (Action::Override, None) => {
            bail!("an override needs its verdict: write verdict = \"rate_limited\"")
        }
        (Action::Accept, Some(_)) => bail!("a verdict belongs to action = \"override\""),
        (Action::Accept, None) => None,
    };
    let covers = match (written.fp, written.matches) {
        (Some(fp), None) => {
            if fp.len() != 32 || !identity::looks_like(&fp) {
                bail!(
                    "`fp` must be a whole fingerprint of 32 hexadecimal digits; `misnomer waive` writes it from a beginning"
                );
            }
            Covers::One(fp.to_ascii_lowercase())
        }
        (None, Some(fields)) => {
            if fields == Match::default() {
                bail!("`match` has no field: it would cover everything");
            }
            let lane = match &fields.lane {
                Some(glob) => Some(
                    Glob::new(glob)
                        .map_err(|e| anyhow!("`lane` is no glob: {}", e.kind()))?
                        .compile_matcher(),
                ),
                None => None,
            };
            let Some(most) = written.max_matches else {
                bail!("a `match` needs `max-matches`: how many findings it is meant for");
            };
            Covers::Many {
                fields,
                lane,
                most: most as usize,
            }
        }
        _ => bail!("write either `fp` or `match`"),
    };
    if let (Covers::One(fp), Some(of)) = (&covers, &written.of) {
        let right = identity::fingerprint(&of.rule, &of.lane, &of.recorded, &of.cause, &of.decides);
        if right != *fp {
            bail!("`of` is another finding than `fp`: its fingerprint is {right}");
        }
    }
    Ok(Waiver {
        line,
        covers,
        of: written.of,
        verdict,
        reason: written.reason,
        owner: written.owner,
        created,
        expires,
    })
}

/// A cause by its name.
///
/// # Errors
/// When there is none; the error suggests one.
pub fn cause(slug: &str) -> Result<Cause> {
    slug.parse().map_err(|()| {
        let near = caret::did_you_mean(slug, Cause::ALL.iter().map(|c| c.slug()));
        let help = near.map_or(
            "`misnomer explain rate_limited` explains one".to_owned(),
            |n| format!("did you mean `{n}`?"),
        );
        anyhow!("there is no cause `{}`; {help}", slug.escape_debug())
    })
}

/// A waiver to be written.
pub struct New<'a> {
    /// The finding, or what findings must have.
    pub covers: Result<&'a Finding, (&'a Match, u32)>,
    /// Of an override: the cause.
    pub verdict: Option<Cause>,
    /// Why.
    pub reason: &'a str,
    /// Who answers for it.
    pub owner: &'a str,
    /// The first day.
    pub created: Date,
    /// The last day.
    pub expires: Date,
}

/// Appends a waiver to the content of a file; comments and order stay as they are.
///
/// # Errors
/// When the content is no TOML, or the result would be no valid file of waivers.
pub fn append(name: &str, text: &str, new: &New<'_>) -> Result<String> {
    let mut document: DocumentMut = text
        .parse()
        .map_err(|e| anyhow!("{name} is no TOML: {e}"))?;
    let mut table = Table::new();
    match new.covers {
        Ok(finding) => {
            table["fp"] = value(&finding.fingerprint);
            let mut of = InlineTable::new();
            for (key, text) in [
                ("rule", &finding.rule),
                ("lane", &finding.lane),
                ("recorded", &finding.recorded),
                ("cause", &finding.cause),
                ("decides", &finding.decides),
            ] {
                if key != "decides" || !text.is_empty() {
                    of.insert(key, text.as_str().into());
                }
            }
            table["of"] = value(of);
        }
        Err((fields, most)) => {
            let mut inline = InlineTable::new();
            for (key, text) in [
                ("rule", &fields.rule),
                ("lane", &fields.lane),
                ("recorded", &fields.recorded),
                ("cause", &fields.cause),
            ] {
                if let Some(text) = text {
                    inline.insert(key, text.as_str().into());
                }
            }
            table["match"] = value(inline);
            table["max-matches"] = value(i64::from(most));
        }
    }
    table["action"] = value(if new.verdict.is_some() {
        "override"
    } else {
        "accept"
    });
    if let Some(verdict) = new.verdict {
        table["verdict"] = value(verdict.slug());
    }
    table["reason"] = value(new.reason);
    table["owner"] = value(new.owner);
    for (key, date) in [("created", new.created), ("expires", new.expires)] {
        let date: toml_edit::Datetime = date
            .to_string()
            .parse()
            .map_err(|_| anyhow!("{date} is no date of TOML"))?;
        table[key] = value(date);
    }
    let slot = document
        .entry("waiver")
        .or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let Some(list) = slot.as_array_of_tables_mut() else {
        bail!("{name}: `waiver` is not written as [[waiver]]");
    };
    list.push(table);
    let out = document.to_string();
    Waivers::parse(name, &out)?;
    Ok(out)
}

/// Appends a waiver to a file, which is created where there is none.
///
/// # Errors
/// As [`append`], and when the file cannot be read or written.
pub fn append_to(path: &Path, new: &New<'_>) -> Result<()> {
    let name = path.display().to_string();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            "# What people rule of findings: `misnomer waive` and `misnomer override` append here; edit it freely.\n".to_owned()
        }
        Err(e) => return Err(e).with_context(|| format!("cannot read the waivers {name}")),
    };
    let out = append(&name, &text, new)?;
    whole::file(path, |to| Ok(to.write_all(out.as_bytes())?))
}
