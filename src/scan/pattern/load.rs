//! Packs as meant: the embedded ones and the user's, validated, with the place of every error.

use super::{FieldTest, Lazy, Pattern, needles::Needle, written};
use crate::caret;
use crate::cause::{Cause, Waiting};
use crate::evidence::{Grade, Kind};
use anyhow::{Context, Result, anyhow};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Spanned;

/// The packs that the program brings: file name and text.
pub const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/packs.rs"));

/// Words of one entry, as meant.
#[derive(Debug)]
pub struct Words {
    /// Unique over all packs.
    pub id: Arc<str>,
    /// The pack's file name.
    pub pack: Arc<str>,
    /// Regular expressions on the normalised name.
    pub words: Vec<String>,
    /// What they claim.
    pub claims: Vec<Cause>,
    /// Where they mean nothing.
    pub unless: Option<String>,
    /// The literals by which a block is searched.
    pub needles: Vec<Needle>,
    /// Names that match.
    pub examples: Vec<String>,
    /// Names that nearly match.
    pub counterexamples: Vec<String>,
}

/// Keys whose value is a recorded name, as meant.
#[derive(Debug)]
pub struct LabelKeys {
    /// Unique over all packs.
    pub id: Arc<str>,
    /// The pack's file name.
    pub pack: Arc<str>,
    /// The keys.
    pub keys: Vec<String>,
    /// When a value counts.
    pub used: LabelUse,
    /// Values (lower-case) that are no failure.
    pub not_failure: Vec<String>,
    /// Values (lower-case) that are failures.
    pub failing: Vec<String>,
    /// Records that hold a label.
    pub examples: Vec<String>,
    /// Records that hold none.
    pub counterexamples: Vec<String>,
}

/// When the value of a label key is a recorded name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelUse {
    /// Any value but those of `not_failure`.
    Always,
    /// Only values of `failing`, or those that a word reads.
    IfFailing,
    /// Only in a record that is a failure by another sign.
    IfFailed,
    /// Never: the key looks like a label and is none.
    Never,
}

/// All packs together.
#[derive(Debug, Default)]
pub struct Packs {
    /// Title of each pack, by file name.
    pub titles: Vec<(String, String)>,
    /// Every pattern.
    pub patterns: Vec<Pattern>,
    /// What words claim.
    pub words: Vec<Words>,
    /// Words that say nothing.
    pub empty: Vec<Words>,
    /// Words that make a failure.
    pub failure_words: Vec<Words>,
    /// Words of success.
    pub success_words: Vec<Words>,
    /// Keys of labels.
    pub label_keys: Vec<LabelKeys>,
}

impl Packs {
    /// The embedded packs and those of the directories (or files) given.
    ///
    /// # Errors
    /// Every fault of a pack, with file, line and a caret; nothing is skipped.
    pub fn load(dirs: &[PathBuf]) -> Result<Packs> {
        let mut packs = Packs::default();
        for (name, text) in EMBEDDED {
            packs.add(name, text, false).with_context(|| {
                format!("the embedded pack {name} is broken: this is a fault of the program")
            })?;
        }
        for dir in dirs {
            for path in pack_files(dir)? {
                let text = std::fs::read_to_string(&path).with_context(|| {
                    format!("{}: the pattern pack can't be read", path.display())
                })?;
                packs.add(&path.display().to_string(), &text, true)?;
            }
        }
        packs.unique()?;
        Ok(packs)
    }

    /// Adds one pack. `eager` compiles its regular expressions now, so that a fault is found before the run.
    fn add(&mut self, file: &str, text: &str, eager: bool) -> Result<()> {
        let pack: written::Pack = toml::from_str(text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let message = error.message().to_string();
            let help = unknown_key(&message);
            anyhow!(caret::render(file, text, span, &message, help.as_deref()))
        })?;
        let here = Here {
            file,
            text,
            eager,
            name: Arc::from(file),
        };
        self.titles.push((file.to_string(), pack.title.clone()));
        for pattern in &pack.pattern {
            self.patterns.push(here.pattern(pattern)?);
        }
        for (from, to) in [
            (&pack.word, &mut self.words),
            (&pack.empty, &mut self.empty),
            (&pack.failure_word, &mut self.failure_words),
            (&pack.success_word, &mut self.success_words),
        ] {
            for words in from {
                to.push(here.words(words)?);
            }
        }
        for keys in &pack.label_key {
            let keys = keys.get_ref();
            here.id(&keys.id)?;
            let used = match &keys.used {
                Some(word) => here.choice(
                    word,
                    "use of a label key",
                    label_use,
                    vec!["always", "if_failing", "if_failed", "never"],
                )?,
                None => LabelUse::Always,
            };
            self.label_keys.push(LabelKeys {
                used,
                id: Arc::from(keys.id.get_ref().as_str()),
                pack: here.name.clone(),
                keys: keys.keys.clone(),
                not_failure: keys.not_failure.iter().map(|v| v.to_lowercase()).collect(),
                failing: keys.failing.iter().map(|v| v.to_lowercase()).collect(),
                examples: keys.examples.clone(),
                counterexamples: keys.counterexamples.clone(),
            });
        }
        Ok(())
    }

    fn unique(&self) -> Result<()> {
        let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
        let words = [
            &self.words,
            &self.empty,
            &self.failure_words,
            &self.success_words,
        ]
        .into_iter()
        .flatten()
        .map(|w| (&w.id, &w.pack));
        for (id, pack) in self
            .patterns
            .iter()
            .map(|p| (&p.id, &p.pack))
            .chain(words)
            .chain(self.label_keys.iter().map(|k| (&k.id, &k.pack)))
        {
            if let Some(other) = seen.insert(id, pack) {
                return Err(anyhow!(
                    "{pack}: the id `{id}` stands already in {other}; give the new pattern another id"
                ));
            }
        }
        Ok(())
    }
}

/// The `.toml` files of a directory, sorted; or the file itself.
fn pack_files(path: &Path) -> Result<Vec<PathBuf>> {
    let meta = std::fs::metadata(path).with_context(|| format!("{}: no such pattern directory or pack; check `patterns` in misnomer.toml or --patterns", path.display()))?;
    if meta.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = std::fs::read_dir(path)
        .with_context(|| format!("{}: the pattern directory can't be read", path.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    Ok(files)
}

/// A "did you mean" for serde's message on an unknown key.
fn unknown_key(message: &str) -> Option<String> {
    let rest = message.strip_prefix("unknown field `")?;
    let (word, rest) = rest.split_once('`')?;
    let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
    caret::did_you_mean(word, known.into_iter()).map(|near| format!("did you mean `{near}`?"))
}

/// Where a value stands, for errors.
struct Here<'a> {
    file: &'a str,
    text: &'a str,
    eager: bool,
    name: Arc<str>,
}

impl Here<'_> {
    fn fault(&self, span: Range<usize>, message: &str, help: Option<&str>) -> anyhow::Error {
        anyhow!(caret::render(self.file, self.text, span, message, help))
    }

    fn choice<T>(
        &self,
        word: &Spanned<String>,
        what: &str,
        find: impl Fn(&str) -> Option<T>,
        known: Vec<&'static str>,
    ) -> Result<T> {
        find(word.get_ref()).ok_or_else(|| {
            let near = caret::did_you_mean(word.get_ref(), known.iter().copied());
            let help = near.map_or_else(
                || format!("one of: {}", known.join(", ")),
                |n| format!("did you mean `{n}`?"),
            );
            self.fault(
                word.span(),
                &format!("`{}` is no {what}", word.get_ref()),
                Some(&help),
            )
        })
    }

    fn cause(&self, word: &Spanned<String>) -> Result<Cause> {
        self.choice(
            word,
            "cause",
            |w| w.parse().ok(),
            Cause::ALL.iter().map(|c| c.slug()).collect(),
        )
    }

    fn regex(&self, word: &Spanned<String>) -> Result<Lazy> {
        let lazy = Lazy::new(word.get_ref().clone());
        if self.eager {
            lazy.compile().map_err(|error| {
                let last = error.to_string();
                let reason = last
                    .lines()
                    .last()
                    .unwrap_or("")
                    .trim_start_matches("error: ")
                    .to_string();
                self.fault(
                    word.span(),
                    &format!("the regular expression does not compile: {reason}"),
                    None,
                )
            })?;
        }
        Ok(lazy)
    }

    fn pattern(&self, spanned: &Spanned<written::Pattern>) -> Result<Pattern> {
        let p = spanned.get_ref();
        let span = p.id.span();
        self.id(&p.id)?;
        let kind = self.choice(
            &p.kind,
            "kind",
            Kind::from_slug,
            Kind::ALL.iter().map(|(_, s)| *s).collect(),
        )?;
        let cause = p.cause.as_ref().map(|c| self.cause(c)).transpose()?;
        if kind == Kind::Cause && cause.is_none() {
            return Err(self.fault(
                span,
                "a pattern of kind `cause` names its `cause`",
                Some("add cause = \"...\""),
            ));
        }
        let grade = match &p.grade {
            Some(grade) => self.choice(
                grade,
                "grade",
                Grade::from_slug,
                Grade::ALL.iter().map(|(_, s, _)| *s).collect(),
            )?,
            None => Grade::Phrase,
        };
        let waiting = p
            .waiting
            .as_ref()
            .map(|w| {
                self.choice(
                    w,
                    "answer to waiting",
                    Waiting::from_slug,
                    vec!["yes", "after_reset", "no", "depends"],
                )
            })
            .transpose()?;
        for needle in &p.needles {
            let text = Needle::written(needle.get_ref()).text;
            if !p.common
                && (text.len() < 3 || (text.len() < 4 && !needle.get_ref().starts_with('<')))
            {
                return Err(self.fault(
                    needle.span(),
                    "a needle has at least 4 bytes (3 if bounded: \"<EOF>\")",
                    Some("take a longer token, or set common = true"),
                ));
            }
        }
        if p.needles.is_empty() && p.status.is_empty() {
            return Err(self.fault(
                span,
                "a pattern has `needles` or `status`: by them a record is found",
                Some("add needles = [\"...\"]"),
            ));
        }
        if p.regex.is_none() && p.status.is_empty() && p.field.is_empty() && p.needles.is_empty() {
            return Err(self.fault(
                span,
                "a pattern tests something: regex, status, field or needles",
                None,
            ));
        }
        Ok(Pattern {
            id: Arc::from(p.id.get_ref().as_str()),
            pack: self.name.clone(),
            kind,
            cause,
            claims: p
                .claims
                .iter()
                .map(|c| self.cause(c))
                .collect::<Result<_>>()?,
            waiting,
            grade,
            needles: p
                .needles
                .iter()
                .map(|n| {
                    let needle = Needle::written(n.get_ref()).of_statuses(&p.status);
                    needle.whole_numbers(p.whole_numbers)
                })
                .collect(),
            near: p.near.iter().map(|n| n.to_lowercase()).collect(),
            regex: p.regex.as_ref().map(|r| self.regex(r)).transpose()?,
            unless: p.unless.as_ref().map(|r| self.regex(r)).transpose()?,
            status: p.status.clone(),
            field: p.field.iter().map(field_test).collect(),
            common: p.common,
            after_effect: p.after_effect,
            constant: constant(kind, p.id.get_ref()),
            advice: p.advice.clone(),
            source: p.source.clone(),
            examples: p.examples.clone(),
            counterexamples: p.counterexamples.clone(),
        })
    }

    fn words(&self, spanned: &Spanned<written::Words>) -> Result<Words> {
        let w = spanned.get_ref();
        self.id(&w.id)?;
        for word in w.words.iter().chain(&w.unless) {
            self.regex(word)?;
        }
        Ok(Words {
            id: Arc::from(w.id.get_ref().as_str()),
            pack: self.name.clone(),
            words: w.words.iter().map(|r| r.get_ref().clone()).collect(),
            claims: w
                .claims
                .iter()
                .map(|c| self.cause(c))
                .collect::<Result<_>>()?,
            unless: w.unless.as_ref().map(|r| r.get_ref().clone()),
            needles: w
                .needles
                .iter()
                .map(|n| Needle::failure(&n.get_ref().to_lowercase()))
                .collect(),
            examples: w.examples.clone(),
            counterexamples: w.counterexamples.clone(),
        })
    }

    fn id(&self, id: &Spanned<String>) -> Result<()> {
        let fine = !id.get_ref().is_empty()
            && id.get_ref().bytes().all(|b| {
                b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'_')
            });
        if fine {
            Ok(())
        } else {
            Err(self.fault(
                id.span(),
                "an id is made of a-z, 0-9, `.`, `-` and `_`",
                None,
            ))
        }
    }
}

/// The value that the second part of an id states, for the kinds that have sides.
fn constant(kind: Kind, id: &str) -> Option<(&'static str, String)> {
    let key = match kind {
        Kind::Context | Kind::Limit | Kind::Scope => "what",
        Kind::Outcome => "result",
        Kind::Hold => "turn",
        _ => return None,
    };
    Some((key, id.split('.').nth(1)?.to_string()))
}

fn label_use(word: &str) -> Option<LabelUse> {
    match word {
        "always" => Some(LabelUse::Always),
        "if_failing" => Some(LabelUse::IfFailing),
        "if_failed" => Some(LabelUse::IfFailed),
        "never" => Some(LabelUse::Never),
        _ => None,
    }
}

fn field_test(written: &written::Field) -> FieldTest {
    let written = written.clone();
    FieldTest {
        key: written.key,
        equals: written.equals,
        contains: written.contains,
        starts: written.starts,
        exists: written.exists,
        min: written.min,
        max: written.max,
    }
}
