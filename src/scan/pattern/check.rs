//! Examples, counterexamples and lint: what `misnomer patterns check` says, and what a test holds.

use super::load::{LabelUse, Packs, Words};
use super::matcher::{Around, Patterns};
use super::names::normal;
use crate::scan::record::{self, Shape};
use jiff::tz::TimeZone;
use std::sync::Arc;

/// A fault of a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The pack's file name.
    pub pack: String,
    /// The id.
    pub id: String,
    /// What is wrong and what to do.
    pub what: String,
}

/// Ordinary lines: a needle that stands in many of them is too common to search by.
pub(super) const ORDINARY: &str = include_str!("check/ordinary.log");

/// Every fault of the packs.
pub fn check(patterns: &Arc<Patterns>) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (index, pattern) in (0u32..).zip(&patterns.packs.patterns) {
        let mut say = |what: String| {
            faults.push(Fault {
                pack: pattern.pack.to_string(),
                id: pattern.id.to_string(),
                what,
            })
        };
        for (regex, what) in [(&pattern.regex, "regex"), (&pattern.unless, "unless")] {
            if let Some(Err(error)) = regex.as_ref().map(super::Lazy::compile) {
                say(format!(
                    "{what} does not compile: {}",
                    error.to_string().lines().last().unwrap_or("")
                ));
            }
        }
        if pattern.examples.is_empty() {
            say("has no example; add one whole line or record in its program's format".to_string());
        }
        for example in &pattern.examples {
            let hits = matched(patterns, example);
            if !hits.contains(&index) {
                say(format!(
                    "does not match its example ({}): {}",
                    why(patterns, index, example),
                    shorten(example)
                ));
            }
        }
        for counterexample in &pattern.counterexamples {
            if matched(patterns, counterexample).contains(&index) {
                say(format!(
                    "matches its counterexample: {}",
                    shorten(counterexample)
                ));
            }
        }
        for needle in pattern.needles.iter().filter(|_| !pattern.common) {
            let lines = ORDINARY.lines().count();
            let hits = ORDINARY
                .lines()
                .filter(|l| l.to_lowercase().contains(&needle.text))
                .count();
            if hits * 50 > lines {
                say(format!(
                    "the needle \"{}\" stands in {hits} of {lines} ordinary lines; take a longer one or set common = true",
                    needle.text
                ));
            }
        }
    }
    let names = &patterns.names;
    let packs = &patterns.packs;
    let mut words = |list: &[Words], test: &dyn Fn(&Words, &str) -> bool| {
        for entry in list {
            for example in entry.examples.iter().filter(|e| !test(entry, e)) {
                faults.push(Fault {
                    pack: entry.pack.to_string(),
                    id: entry.id.to_string(),
                    what: format!("does not match its example: {}", shorten(example)),
                });
            }
            for example in entry.counterexamples.iter().filter(|e| test(entry, e)) {
                faults.push(Fault {
                    pack: entry.pack.to_string(),
                    id: entry.id.to_string(),
                    what: format!("matches its counterexample: {}", shorten(example)),
                });
            }
        }
    };
    words(&packs.words, &|entry, text| {
        matches_words(entry, &normal(text))
    });
    words(&packs.empty, &|entry, text| {
        matches_words(entry, &normal(text))
    });
    words(&packs.failure_words, &|entry, text| {
        matches_words(entry, text)
    });
    words(&packs.success_words, &|entry, text| {
        matches_words(entry, text)
    });
    for keys in &packs.label_keys {
        let is_label = |text: &str| {
            let shape = shape_of(text);
            let record = record::parse(text.as_bytes(), &shape);
            record.fields.iter().any(|f| {
                keys.keys.iter().any(|k| super::names::same_key(&f.path, k))
                    && names.is_label(&f.path, &f.value, keys.used == LabelUse::IfFailed)
            })
        };
        for example in keys.examples.iter().filter(|e| !is_label(e)) {
            faults.push(Fault {
                pack: keys.pack.to_string(),
                id: keys.id.to_string(),
                what: format!("finds no label in its example: {}", shorten(example)),
            });
        }
        for example in keys.counterexamples.iter().filter(|e| is_label(e)) {
            faults.push(Fault {
                pack: keys.pack.to_string(),
                id: keys.id.to_string(),
                what: format!("finds a label in its counterexample: {}", shorten(example)),
            });
        }
    }
    faults
}

/// How many examples and counterexamples the packs hold.
pub fn examples(packs: &Packs) -> (usize, usize) {
    let patterns = packs
        .patterns
        .iter()
        .map(|p| (p.examples.len(), p.counterexamples.len()));
    let words = [
        &packs.words,
        &packs.empty,
        &packs.failure_words,
        &packs.success_words,
    ]
    .into_iter()
    .flatten()
    .map(|w| (w.examples.len(), w.counterexamples.len()));
    patterns
        .chain(words)
        .fold((0, 0), |(a, b), (c, d)| (a + c, b + d))
}

fn matches_words(entry: &Words, text: &str) -> bool {
    let is_match = |written: &str| regex::Regex::new(written).is_ok_and(|r| r.is_match(text));
    entry.words.iter().any(|w| is_match(w)) && !entry.unless.as_deref().is_some_and(is_match)
}

fn shape_of(example: &str) -> Shape {
    let text = format!("{}\n", example.trim_end()).repeat(3);
    Shape::of(
        &[(0, text.into_bytes())],
        "example.log",
        &TimeZone::UTC,
        None,
    )
}

/// The patterns that match an example: the one record that it is.
fn matched(patterns: &Patterns, example: &str) -> Vec<u32> {
    let shape = shape_of(example);
    let record = record::parse(example.as_bytes(), &shape);
    let around = Around {
        lane: "example",
        file: "example.log",
        bytes: &[],
    };
    patterns
        .matches(&record, &around, true)
        .into_iter()
        .map(|hit| hit.pattern)
        .collect()
}

fn why(patterns: &Patterns, index: u32, example: &str) -> &'static str {
    let shape = shape_of(example);
    let record = record::parse(example.as_bytes(), &shape);
    let around = Around {
        lane: "example",
        file: "example.log",
        bytes: &[],
    };
    match patterns
        .trials(&record, &around)
        .into_iter()
        .find(|(i, _)| *i == index)
    {
        None => "no needle stands in it",
        Some((_, super::matcher::Trial::Fail(what))) => what,
        Some((_, super::matcher::Trial::Pass(_))) => "passes",
    }
}

fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    if line.chars().count() > 140 {
        format!("{}…", line.chars().take(140).collect::<String>())
    } else {
        line.to_string()
    }
}
