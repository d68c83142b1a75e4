//! How common a gram is in ordinary lines: needles are searched by the rarest that they have.

use super::grams::{self, LONGEST};
use std::ops::Range;
use std::sync::LazyLock;

/// Entries of the table of counts, as a power of two; grams that share one count together, which costs nothing but speed.
const TABLE: u32 = 16;
/// What a pair that was not seen counts.
const UNSEEN: f32 = 0.05;

/// What one more gram costs, as it fills the map that answers first.
const FRESH: f32 = 0.3;

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
    pub(super) fn take(&mut self, gram: u32) {
        if let Some(count) = self.0.get_mut(slot(gram)) {
            *count = count.saturating_add(1);
        }
    }
}

fn slot(gram: u32) -> usize {
    (grams::hash(gram) >> (32 - TABLE)) as usize
}

fn raise(counts: &mut [u16], at: usize) {
    if let Some(count) = counts.get_mut(at) {
        *count = count.saturating_add(1);
    }
}

fn pair(a: u8, b: u8) -> usize {
    usize::from(a | 0x20) << 8 | usize::from(b | 0x20)
}

impl Ordinary {
    /// Counted once a run.
    pub(super) fn shared() -> &'static Ordinary {
        static COUNTED: LazyLock<Ordinary> =
            LazyLock::new(|| Ordinary::of(super::check::ORDINARY.as_bytes()));
        &COUNTED
    }

    fn of(text: &[u8]) -> Ordinary {
        let mut all = Ordinary {
            grams: vec![0; 1 << TABLE],
            pairs: vec![0; 1 << 16],
            bytes: vec![0; 256],
        };
        for gram in text.windows(LONGEST) {
            raise(&mut all.grams, slot(grams::packed(gram)));
        }
        for two in text.windows(2) {
            raise(&mut all.pairs, pair(two[0], two[1]));
            raise(&mut all.bytes, usize::from(two[0] | 0x20));
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

    /// Where the gram of a text stands by which it is found for the least: rare, and shared by few. All of a short text.
    pub(super) fn rarest(&self, text: &[u8], shares: &Shares) -> Range<usize> {
        let mut best: Option<(f32, usize)> = None;
        for (start, gram) in text.windows(LONGEST).enumerate() {
            let others = shares
                .0
                .get(slot(grams::packed(gram)))
                .copied()
                .unwrap_or(0);
            let fresh = if others == 0 { FRESH } else { 0.0 };
            let costs = self.expected(gram) * (1.0 + f32::from(others)) + fresh;
            if best.is_none_or(|(least, _)| costs < least) {
                best = Some((costs, start));
            }
        }
        match best {
            Some((_, start)) => start..start + LONGEST,
            None => 0..text.len(),
        }
    }
}
