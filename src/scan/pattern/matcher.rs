//! One record against the patterns that its needles call for.

use super::load::Packs;
use super::names::Names;
use super::needles::{Needle, Needles};
use super::{Pattern, status};
use crate::evidence::{Kind, Values};
use crate::scan::record::{Fields, Record};
use crate::settings::TaughtName;
use anyhow::Result;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// All packs, ready to match.
pub struct Patterns {
    /// The packs as loaded.
    pub packs: Packs,
    /// What names claim.
    pub names: Names,
    /// The automaton over the needles that find records in a block. Owners below `packs.patterns.len()` are patterns.
    pub needles: Needles,
    /// The automaton over the needles of `common` patterns: only for records that are visited anyway.
    pub common: Needles,
    /// The ids of the `common` patterns.
    commons: BTreeSet<Arc<str>>,
    /// The patterns that ask for a status.
    by_status: BTreeMap<u16, Vec<u32>>,
    /// Whether a `common` pattern is among these.
    common_status: bool,
}

/// What stands around a record, for `near`.
pub struct Around<'a> {
    /// The lane's name.
    pub lane: &'a str,
    /// The file's name.
    pub file: &'a str,
    /// The bytes around the record.
    pub bytes: &'a [u8],
}

/// A pattern that matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The pattern's index in `packs.patterns`.
    pub pattern: u32,
    /// Where in the record's text the token begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What the captures held.
    pub values: Values,
}

/// Why a pattern did or did not match: what `inspect` shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trial {
    /// It matched.
    Pass(Hit),
    /// It did not: which condition failed.
    Fail(&'static str),
}

impl Patterns {
    /// Makes the packs ready.
    ///
    /// # Errors
    /// If a word list does not compile.
    pub fn new(packs: Packs, taught: &[TaughtName]) -> Result<Arc<Patterns>> {
        let mut names = Names::new(&packs)?;
        names.teach(taught.iter().map(|t| t.text.as_str()));
        let mut common_status = false;
        let mut first: Vec<(Needle, u32)> = Vec::new();
        let mut common: Vec<(Needle, u32)> = Vec::new();
        let mut by_status: BTreeMap<u16, Vec<u32>> = BTreeMap::new();
        for (pattern, index) in packs.patterns.iter().zip(0u32..) {
            let list = if pattern.common {
                &mut common
            } else {
                &mut first
            };
            list.extend(pattern.needles.iter().map(|n| (n.clone(), index)));
            for code in &pattern.status {
                if pattern.needles.is_empty() {
                    by_status.entry(*code).or_default().push(index);
                    common_status |= pattern.common;
                    if !pattern.common {
                        first.push((Needle::status(*code), Names::OWNER));
                    }
                }
            }
        }
        first.extend(names.needles().into_iter().map(|n| (n, Names::OWNER)));
        let needles = Needles::new(first.iter().map(|(n, owner)| (n, *owner)));
        let common = Needles::new(common.iter().map(|(n, owner)| (n, *owner)));
        let commons = packs
            .patterns
            .iter()
            .filter(|p| p.common)
            .map(|p| p.id.clone())
            .collect();
        Ok(Arc::new(Patterns {
            commons,
            packs,
            names,
            needles,
            common,
            by_status,
            common_status,
        }))
    }

    /// Whether a pattern is only tried on records that are visited anyway.
    pub fn is_common(&self, id: &str) -> bool {
        self.commons.contains(id)
    }

    /// The pattern at an index.
    pub fn get(&self, index: u32) -> &Pattern {
        &self.packs.patterns[index as usize]
    }

    /// Every pattern that matches a record, in the order of the packs. `extra` also tries `common` patterns.
    pub fn matches(&self, record: &Record<'_>, around: &Around<'_>, extra: bool) -> Vec<Hit> {
        let context = Context::new(&record.text, around);
        self.called(record, &context, extra)
            .into_iter()
            .filter_map(
                |index| match self.try_one(index, &record.fields, &context) {
                    Trial::Pass(hit) => Some(hit),
                    Trial::Fail(_) => None,
                },
            )
            .collect()
    }

    /// Whether a `common` pattern may match a record with this text.
    pub fn may_ask(&self, text: &str) -> bool {
        self.common_status || self.common.find(text.as_bytes(), 0, text.len()).is_some()
    }

    /// The `common` patterns that match a record with this text and these fields, in the order of the packs; none if
    /// one asks for fields that are not given.
    pub fn asked(
        &self,
        text: &str,
        fields: Option<&Fields>,
        around: &Around<'_>,
    ) -> Option<Vec<Hit>> {
        let context = Context::new(text, around);
        let mut called: Vec<u32> = Vec::new();
        self.common
            .each(text.as_bytes(), 0, text.len(), |owner, _, _| {
                called.push(owner)
            });
        if self.common_status {
            called.extend(self.by_status_of(&context, |p| p.common));
        }
        called.sort_unstable();
        called.dedup();
        let needs = |index: &u32| !self.get(*index).field.is_empty();
        if fields.is_none() && called.iter().any(needs) {
            return None;
        }
        let none = Fields::default();
        let fields = fields.unwrap_or(&none);
        let hits =
            called
                .into_iter()
                .filter_map(|index| match self.try_one(index, fields, &context) {
                    Trial::Pass(hit) => Some(hit),
                    Trial::Fail(_) => None,
                });
        Some(hits.collect())
    }

    /// Every pattern that a record's needles call for, with the outcome.
    pub fn trials(&self, record: &Record<'_>, around: &Around<'_>) -> Vec<(u32, Trial)> {
        let context = Context::new(&record.text, around);
        self.called(record, &context, true)
            .into_iter()
            .map(|index| (index, self.try_one(index, &record.fields, &context)))
            .collect()
    }

    /// The indices of the patterns whose needle (or status) the record holds, sorted.
    fn called(&self, record: &Record<'_>, context: &Context<'_>, extra: bool) -> Vec<u32> {
        let mut called: Vec<u32> = Vec::new();
        let mut call = |owner: u32, _: usize, _: usize| {
            if owner != Names::OWNER {
                called.push(owner);
            }
        };
        // Both the raw bytes (in which the block was searched) and the decoded text are looked at: a wrapper or a
        // JSON escape may hide a token from one of them.
        let text = record.text.as_bytes();
        self.needles
            .each(record.raw, 0, record.raw.len(), &mut call);
        if record.raw.strip_suffix(b"\n").unwrap_or(record.raw) != text {
            self.needles.each(text, 0, text.len(), &mut call);
        }
        if extra {
            self.common.each(text, 0, text.len(), &mut call);
        }
        called.extend(self.by_status_of(context, |p| extra || !p.common));
        called.sort_unstable();
        called.dedup();
        called
    }

    /// The patterns without needles whose status the record holds.
    fn by_status_of<'p>(
        &'p self,
        context: &'p Context<'_>,
        wanted: impl Fn(&Pattern) -> bool + 'p,
    ) -> impl Iterator<Item = u32> + 'p {
        context
            .statuses()
            .iter()
            .filter_map(|(code, _)| self.by_status.get(code))
            .flatten()
            .copied()
            .filter(move |index| wanted(self.get(*index)))
    }

    fn try_one(&self, index: u32, fields: &Fields, context: &Context<'_>) -> Trial {
        let pattern = self.get(index);
        let mut place = None;
        let mut status = None;
        if !pattern.status.is_empty() {
            match context
                .statuses()
                .iter()
                .find(|(code, _)| pattern.status.contains(code))
            {
                Some((code, at)) => {
                    place = Some((*at, at + 3));
                    status = Some(*code);
                }
                None => return Trial::Fail("status"),
            }
        }
        if !pattern.field.is_empty()
            && !pattern
                .field
                .iter()
                .any(|test| fields.all(&test.key).any(|field| test.passes(&field.value)))
        {
            return Trial::Fail("field");
        }
        let text = context.text;
        if pattern
            .unless
            .as_ref()
            .and_then(super::Lazy::get)
            .is_some_and(|regex| regex.is_match(text))
        {
            return Trial::Fail("unless");
        }
        let regex = pattern.regex.as_ref().map(super::Lazy::get);
        let captures = match regex {
            None => None,
            // Groups cost more to find than the whole.
            Some(Some(regex)) if regex.captures_len() == 1 => match regex.find(text) {
                None => return Trial::Fail("regex"),
                Some(whole) => {
                    place = Some((whole.start(), whole.end()));
                    None
                }
            },
            Some(regex) => match regex.and_then(|r| Some((r, r.captures(text)?))) {
                None => return Trial::Fail("regex"),
                found => found,
            },
        };
        // What stands around it costs the most to look at.
        if !pattern.near.is_empty() && !pattern.near.iter().any(|word| context.near(word)) {
            return Trial::Fail("near");
        }
        let mut values = Values::new();
        values.extend(status.map(|code| ("status".to_string(), code.to_string())));
        values.extend(
            pattern
                .constant
                .iter()
                .map(|(key, value)| (key.to_string(), value.clone())),
        );
        if let Some((regex, captures)) = captures {
            for name in regex.capture_names().flatten() {
                if let Some(value) = captures.name(name) {
                    // `exit_2` is another place of `exit`: a name can be given to one group only.
                    let base = name
                        .rsplit_once('_')
                        .filter(|(_, n)| n.bytes().all(|b| b.is_ascii_digit()))
                        .map_or(name, |(base, _)| base);
                    let value = value.as_str().trim().chars().take(200).collect();
                    values.entry(base.to_string()).or_insert(value);
                }
            }
            if let Some(whole) = captures.get(0) {
                place = Some((whole.start(), whole.end()));
            }
        }
        let (start, end) = place.unwrap_or_else(|| context.first_needle(pattern));
        Trial::Pass(Hit {
            pattern: index,
            start,
            end,
            values,
        })
    }

    /// Whether a pattern's kind is one that a failure may be named or explained by (not mere context).
    pub fn is_sign(&self, hit: &Hit) -> bool {
        matches!(
            self.get(hit.pattern).kind,
            Kind::Cause | Kind::Name | Kind::GiveUp
        )
    }
}

/// What is worked out once for a record, when it is first asked for.
struct Context<'a> {
    text: &'a str,
    around: &'a Around<'a>,
    statuses: OnceCell<Vec<(u16, usize)>>,
    lower: OnceCell<String>,
    neighbours: OnceCell<Vec<u8>>,
    names: OnceCell<String>,
}

impl<'a> Context<'a> {
    fn new(text: &'a str, around: &'a Around<'_>) -> Context<'a> {
        Context {
            text,
            around,
            statuses: OnceCell::new(),
            lower: OnceCell::new(),
            neighbours: OnceCell::new(),
            names: OnceCell::new(),
        }
    }

    fn statuses(&self) -> &[(u16, usize)] {
        self.statuses.get_or_init(|| status::statuses(self.text))
    }

    /// The text in lower case.
    fn lower(&self) -> &str {
        self.lower.get_or_init(|| self.text.to_ascii_lowercase())
    }

    fn near(&self, word: &str) -> bool {
        let around = self.around;
        let word = word.as_bytes();
        let stands = |text: &[u8]| memchr::memmem::find(text, word).is_some();
        let names = || format!("{} {}", around.lane, around.file).to_ascii_lowercase();
        stands(self.lower().as_bytes())
            || stands(self.names.get_or_init(names).as_bytes())
            || stands(
                self.neighbours
                    .get_or_init(|| around.bytes.to_ascii_lowercase()),
            )
    }

    /// Where the first needle of a pattern without a regex stands.
    fn first_needle(&self, pattern: &Pattern) -> (usize, usize) {
        let lower = self.lower();
        let found = pattern
            .needles
            .iter()
            .filter_map(|n| lower.find(&n.text).map(|at| (at, at + n.text.len())))
            .min();
        found
            .filter(|(_, end)| *end <= self.text.len())
            .unwrap_or((0, 0))
    }
}
