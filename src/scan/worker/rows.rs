//! The rows of evidence that a record yields.

use super::{LOOK_BACK, Seen, Worker};
use crate::evidence::{Evidence, Grade, Keys, Kind, OWN_WORDS, Values};
use crate::redact::redact;
use crate::scan::keys::keys_of;
use crate::scan::name::Name;
use crate::scan::record::{self, Shape};
use crate::scan::source::blocks::Block;
use std::ops::Range;
use std::sync::Arc;

/// The most characters of an excerpt.
const EXCERPT: usize = 300;

impl Worker<'_> {
    /// The rows of a record: its name, and a row for each hit; a bad end also names the record before it.
    pub fn rows(&self, block: &Block<'_>, seen: &Seen<'_>) -> Vec<Evidence> {
        let mut rows = self.evidence(block, seen);
        let ended_badly = seen
            .hits
            .iter()
            .any(|h| self.patterns.get(h.pattern).kind == Kind::Scope && failed_exit(&h.values));
        // A record that says why it ended needs no other's name.
        let says_why = seen.name.as_ref().is_some_and(|n| !n.claims.is_empty());
        if ended_badly && !says_why {
            rows.extend(self.before(block, seen));
        }
        rows
    }

    /// The bad end itself, as an alias of what failed.
    fn end(&self, block: &Block<'_>, seen: &Seen<'_>) -> Option<Evidence> {
        let hit = seen
            .hits
            .iter()
            .find(|h| self.patterns.get(h.pattern).kind == Kind::Scope && failed_exit(&h.values))?;
        let text = seen
            .record
            .text
            .get(hit.start..hit.end)
            .filter(|t| !t.contains('\n'))?;
        if seen.name.is_some() {
            return None;
        }
        let name = Name {
            rule: "name.end",
            name: record::mask(text),
            claims: Vec::new(),
            told: Vec::new(),
            rank: 0,
            span: hit.start..hit.end,
            label: false,
        };
        Some(named(&self.base(block, seen), &name, seen))
    }

    /// The rows of a record alone.
    pub fn evidence(&self, block: &Block<'_>, seen: &Seen<'_>) -> Vec<Evidence> {
        if seen.name.is_none() && seen.hits.is_empty() {
            return Vec::new();
        }
        let base = self.base(block, seen);
        let mut rows = Vec::new();
        // Several patterns match on one line.
        let mut shown: Vec<(Range<usize>, String)> = Vec::new();
        let mut text_at = |at: usize| {
            let window = window(&seen.record.text, at);
            match shown.iter().find(|(held, _)| *held == window) {
                Some((_, text)) => text.clone(),
                None => {
                    let text = excerpt(&seen.record.text, at);
                    shown.push((window, text.clone()));
                    text
                }
            }
        };
        if let Some(name) = &seen.name {
            rows.push(named(&base, name, seen));
        }
        rows.extend(self.end(block, seen));
        for hit in &seen.hits {
            let pattern = self.patterns.get(hit.pattern);
            let mut values = hit.values.clone();
            if pattern.kind == Kind::Cause
                && (pattern.grade >= Grade::Phrase || pattern.grade == Grade::Code)
                && let Some(name) = seen.name.as_ref().filter(|n| n.span.contains(&hit.start))
            {
                // What the lane says of its failure is a claim. Its label proves nothing, its prose little.
                if name.label && pattern.grade != Grade::Code {
                    continue;
                }
                values.insert(OWN_WORDS.to_string(), "1".to_string());
            }
            let (first, last) = (
                seen.record.line_at(hit.start) as i64,
                seen.record
                    .line_at(hit.end.saturating_sub(1).max(hit.start)) as i64,
            );
            rows.push(Evidence {
                kind: pattern.kind,
                pattern: pattern.id.clone(),
                line: base.record_line + first,
                end_line: base.record_line + last,
                // The same in both visits, whatever else matched.
                seq: i64::from(hit.pattern) + 1,
                cause: pattern.cause,
                grade: pattern.grade,
                after_effect: pattern.after_effect,
                waiting: pattern.waiting,
                values,
                text: text_at(hit.start),
                advice: pattern.advice.clone(),
                ..base.clone()
            });
        }
        rows
    }

    /// What all rows of a record share.
    pub(super) fn base(&self, block: &Block<'_>, seen: &Seen<'_>) -> Evidence {
        let lines_before = block.lines_before(seen.bounds.start);
        let within = memchr::memchr_iter(b'\n', seen.record.raw.trim_ascii_end()).count() as i64;
        let mut keys = keys_of(&seen.record);
        let lane = match self
            .settings
            .lane_field
            .as_deref()
            .and_then(|f| seen.record.fields.value(f))
        {
            Some(lane) if !lane.trim().is_empty() => Arc::from(lane.trim()),
            _ => block.source.lane.clone(),
        };
        redact_keys(&mut keys);
        Evidence {
            kind: Kind::Context,
            pattern: Arc::from(""),
            lane,
            file: block.source.name.clone(),
            line: lines_before + 1,
            end_line: lines_before + 1,
            record_line: lines_before + 1,
            record_end: lines_before + 1 + within,
            offset: (block.offset + seen.bounds.start as u64) as i64,
            seq: 0,
            time: seen.time,
            level: seen.record.level,
            cause: None,
            grade: Grade::Symptom,
            after_effect: false,
            waiting: None,
            name: String::new(),
            claims: Vec::new(),
            keys,
            values: Values::new(),
            text: String::new(),
            advice: String::new(),
            repeat: 1,
        }
    }
}

fn redact_keys(keys: &mut Keys) {
    for value in keys.values_mut() {
        if let std::borrow::Cow::Owned(clean) = redact(value) {
            *value = clean;
        }
    }
}

pub(super) fn named(base: &Evidence, name: &Name, seen: &Seen<'_>) -> Evidence {
    let at = seen
        .record
        .text
        .find(seen.record.message.trim())
        .unwrap_or(0);
    let line = base.record_line + seen.record.line_at(at) as i64;
    let mut values = Values::new();
    values.insert("rank".to_string(), name.rank.to_string());
    if !name.told.is_empty() {
        values.insert(
            "told".to_string(),
            name.told
                .iter()
                .map(|c| c.slug())
                .collect::<Vec<_>>()
                .join(","),
        );
    }
    Evidence {
        kind: Kind::Name,
        pattern: Arc::from(name.rule),
        line,
        end_line: line,
        name: redact(&name.name).into_owned(),
        claims: name.claims.clone(),
        values,
        text: excerpt(&seen.record.text, at),
        ..base.clone()
    }
}

/// Whether the captures of a run's end say that it went badly.
fn failed_exit(values: &Values) -> bool {
    const BAD: &[&str] = &[
        "fail",
        "abort",
        "timeout",
        "exit-code",
        "signal",
        "core-dump",
        "oom-kill",
        "watchdog",
    ];
    let result = values
        .get("result")
        .map(|r| r.to_lowercase())
        .unwrap_or_default();
    values
        .get("exit")
        .is_some_and(|exit| exit.trim().parse::<i64>().is_ok_and(|code| code != 0))
        || BAD.iter().any(|bad| result.starts_with(bad))
}

/// The instant of the nearest line before a record that has one.
pub(super) fn inherited(buf: &[u8], start: usize, shape: &Shape) -> Option<i64> {
    if !(shape.is_stamped() || shape.is_json()) {
        return None;
    }
    let before = &buf[LOOK_BACK.back(buf, start)..start];
    let body = before.strip_suffix(b"\n")?;
    body.rsplit(|b| *b == b'\n')
        .find_map(|line| record::parse(line, shape).time)
}

/// What is shown of a text: the line around a position, redacted and cut.
fn excerpt(text: &str, at: usize) -> String {
    let line = text.get(window(text, at)).unwrap_or_default();
    let shown: String = line.chars().take(EXCERPT).collect();
    redact(shown.trim()).into_owned()
}

/// The line around a position; of a long one what stands around it.
fn window(text: &str, at: usize) -> Range<usize> {
    let at = text.floor_char_boundary(at.min(text.len()));
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let end = text[at..].find('\n').map_or(text.len(), |n| at + n);
    let line = &text[start..end];
    let from = if line.len() > EXCERPT && at - start > EXCERPT / 2 {
        line.floor_char_boundary(at - start - EXCERPT / 3)
    } else {
        0
    };
    start + from..end
}
