//! How common a gram is in ordinary lines: needles are searched by the rarest that they have.

use super::grams::{self, LONG, SHORT};
use std::ops::Range;
use std::sync::LazyLock;

/// Entries of the table of counts, as a power of two; grams that share one count together, which costs nothing but speed.
const TABLE: u32 = 17;
/// What a pair that was not seen counts.
const UNSEEN: f32 = 0.05;

/// What one more gram costs, as it fills the map that answers first.
const FRESH: f32 = 0.3;
/// How much more a hit costs than the comparison of one more needle at it.
const HIT: f32 = 8.0;

/// Words and phrases of ordinary lines, one a line, with the blanks around them.
const PHRASES: &str = include_str!("check/phrases.txt");
/// As how many occurrences in the sample one of them counts.
const PHRASE: u16 = 3;

/// Counts over the sample of ordinary lines.
pub(super) struct Ordinary {
    grams: Vec<u16>,
    pairs: Vec<u16>,
    bytes: Vec<u16>,
}

/// How many needles share a gram so far.
pub(super) struct Shares(Vec<u16>);

impl Shares {
    pub(super) fn new() -> Shares {
        Shares(vec![0; 1 << TABLE])
    }

    /// Counts one more.
    pub(super) fn take(&mut self, gram: u64) {
        if let Some(count) = self.0.get_mut(slot(gram)) {
            *count = count.saturating_add(1);
        }
    }
}

fn slot(gram: u64) -> usize {
    (grams::hash(gram) >> (64 - TABLE)) as usize
}

fn raise(counts: &mut [u16], at: usize, by: u16) {
    if let Some(count) = counts.get_mut(at) {
        *count = count.saturating_add(by);
    }
}

fn pair(a: u8, b: u8) -> usize {
    usize::from(a | 0x20) << 8 | usize::from(b | 0x20)
}

impl Ordinary {
    /// Counted once a run.
    pub(super) fn shared() -> &'static Ordinary {
        static COUNTED: LazyLock<Ordinary> =
            LazyLock::new(|| Ordinary::of(super::check::ORDINARY.as_bytes(), PHRASES.as_bytes()));
        &COUNTED
    }

    fn of(lines: &[u8], phrases: &[u8]) -> Ordinary {
        let mut all = Ordinary {
            grams: vec![0; 1 << TABLE],
            pairs: vec![0; 1 << 16],
            bytes: vec![0; 256],
        };
        for gram in lines.windows(LONG).chain(lines.windows(SHORT)) {
            raise(&mut all.grams, slot(grams::packed(gram)), 1);
        }
        for two in lines.windows(2) {
            raise(&mut all.pairs, pair(two[0], two[1]), 1);
            raise(&mut all.bytes, usize::from(two[0] | 0x20), 1);
        }
        for phrase in phrases.split(|b| *b == b'\n') {
            for gram in phrase.windows(LONG).chain(phrase.windows(SHORT)) {
                raise(&mut all.grams, slot(grams::packed(gram)), PHRASE);
            }
        }
        all
    }

    /// How often a gram is to be expected: as often as it was seen, and as its pairs follow each other.
    fn expected(&self, gram: &[u8]) -> f32 {
        let seen = |counts: &[u16], at: usize| f32::from(counts.get(at).copied().unwrap_or(0));
        let mut chain = 1.0;
        for (at, two) in gram.windows(2).enumerate() {
            let follows = seen(&self.pairs, pair(two[0], two[1])) + UNSEEN;
            chain *= follows;
            if at > 0 {
                chain /= seen(&self.bytes, usize::from(two[0] | 0x20)) + 1.0;
            }
        }
        seen(&self.grams, slot(grams::packed(gram))) + chain + UNSEEN
    }

    /// Where in a text the gram stands, or the first of two side by side, by which it is found for the least: rare, and
    /// shared by few. Of a very short text all is the gram.
    pub(super) fn rarest(&self, text: &[u8], shares: &Shares) -> Range<usize> {
        let (length, grams) = match text.len() {
            0..=LONG => (SHORT, 1),
            _ => (LONG, 2),
        };
        let costs = |gram: &[u8]| {
            let others = shares
                .0
                .get(slot(grams::packed(gram)))
                .copied()
                .unwrap_or(0);
            match others {
                0 => self.expected(gram) * (1.0 + HIT) + FRESH,
                _ => self.expected(gram),
            }
        };
        let mut best: Option<(f32, usize)> = None;
        for (start, run) in text.windows(length + grams - 1).enumerate() {
            let costs = run.windows(length).map(costs).sum();
            if best.is_none_or(|(least, _)| costs < least) {
                best = Some((costs, start));
            }
        }
        match best {
            Some((_, start)) => start..start + length + grams - 1,
            None => 0..text.len(),
        }
    }
}
