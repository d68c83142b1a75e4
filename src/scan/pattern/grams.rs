//! Where in a text one of thousands of literals may stand: a search for short grams of each.
//!
//! Every second position is asked for the five bytes that begin there, with ASCII letters folded by one bit; of a
//! literal two grams are known that stand side by side, so that one of them begins at such a position. Every position is
//! asked for the three bytes of shorter literals. Two bit maps that fit in the first caches answer nearly always; where
//! they say yes, a table tells which literals have that gram, and the caller compares them. Beside an automaton over all
//! literals, which takes tens of megabytes and misses the caches at every byte, this is several times faster, and ready
//! at once.

/// The bit in which the cases of an ASCII letter differ. Folding other bytes alike costs a comparison and nothing else.
const FOLD: u64 = 0x2020_2020_2020_2020;
/// Words of 64 bits of the map of long grams, as a power of two. A gram has two bits of one word.
const WIDE: u32 = 12;
/// Bits of the map of short grams, as a power of two.
const NARROW: u32 = 14;
/// Bytes that are read at a position.
const READ: usize = 8;
/// Positions that are asked before one branch; towards the end fewer.
const STEPS: (usize, usize) = (64, 8);

/// Bytes of a gram of a long literal.
pub(super) const LONG: usize = 5;
/// Bytes of the gram of a literal that has no more than [`LONG`]: of one that is shorter still, all of it.
pub(super) const SHORT: usize = 3;

/// The grams of literals.
pub(super) struct Grams {
    wide: Box<[u64; 1 << WIDE]>,
    narrow: Box<[u64; 1 << (NARROW - 6)]>,
    /// Whether there are grams of [`SHORT`] bytes.
    any_narrow: bool,
    /// With which byte a gram of one or two begins; most runs have none.
    tiny: Option<Box<[bool; 256]>>,
    /// Grams by hash, with open addressing, each above its number.
    slots: Vec<u64>,
}

/// A free slot. No gram is packed to it: each byte holds the folding bit.
const FREE: u64 = 0;
/// Bits of the number of a gram: what a gram of [`LONG`] bytes leaves.
const NUMBER: u32 = 24;

pub(super) fn hash(gram: u64) -> u64 {
    (gram << (64 - 8 * LONG)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A gram as one number. Grams of different lengths never collide: each byte holds the folding bit.
pub(super) fn packed(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .take(LONG)
        .rev()
        .fold(0, |all, byte| all << 8 | u64::from(byte | 0x20))
}

/// The first bytes of what was read.
fn first(read: u64, bytes: usize) -> u64 {
    read & (u64::MAX >> (64 - 8 * bytes as u32))
}

/// The bit of a short gram: three bytes above a free one.
fn bit(gram: u32) -> usize {
    (gram.wrapping_mul(0x9E37_79B1) >> (32 - NARROW)) as usize
}

impl Grams {
    /// From the grams, packed and with their lengths; hits name them by their places in the list.
    pub(super) fn new(grams: &[(u64, usize)]) -> Grams {
        let size = (grams.len() * 3).next_power_of_two().max(16);
        let mut all = Grams {
            wide: Box::new([0; 1 << WIDE]),
            narrow: Box::new([0; 1 << (NARROW - 6)]),
            any_narrow: false,
            tiny: None,
            slots: vec![FREE; size],
        };
        for (&(key, length), number) in grams.iter().zip(0u64..1 << NUMBER) {
            match length {
                0 => continue,
                1 | 2 => {
                    let first = all.tiny.get_or_insert_with(|| Box::new([false; 256]));
                    first[(key & 0xFF) as usize] = true;
                }
                SHORT => {
                    all.any_narrow = true;
                    let at = bit((key as u32) << 8);
                    all.narrow[at >> 6] |= 1 << (at & 63);
                }
                _ => {
                    let hash = hash(key);
                    all.wide[(hash >> (64 - WIDE)) as usize] |=
                        1 << (hash >> (58 - WIDE) & 63) | 1 << (hash >> (52 - WIDE) & 63);
                }
            }
            let mut at = all.slot(key);
            while all.slots.get(at).is_some_and(|held| *held != FREE) {
                at = (at + 1) & (size - 1);
            }
            if let Some(slot) = all.slots.get_mut(at) {
                *slot = key << NUMBER | number;
            }
        }
        all
    }

    fn slot(&self, key: u64) -> usize {
        (hash(key) >> 24) as usize & (self.slots.len() - 1)
    }

    /// The number of a gram.
    fn number(&self, key: u64) -> Option<usize> {
        let mut at = self.slot(key);
        loop {
            let held = *self.slots.get(at)?;
            if held >> NUMBER == key {
                return Some((held & ((1 << NUMBER) - 1)) as usize);
            }
            if held == FREE {
                return None;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Bytes that it takes.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.wide) + size_of_val(&*self.narrow) + size_of_val(&*self.slots)
    }

    /// Calls with the number and the position of grams in a text, in the order of positions, until it is given
    /// something: of long grams with those at even positions, of others with all.
    pub(super) fn find<T>(
        &self,
        text: &[u8],
        mut call: impl FnMut(usize, usize) -> Option<T>,
    ) -> Option<T> {
        let call = &mut call;
        match (&self.tiny, self.any_narrow) {
            (None, false) => self.search(text, |_| 0, call),
            (None, true) => self.search(text, |read| self.shorts(read), call),
            (Some(tiny), _) => {
                let tiny = |byte: u64| u64::from(tiny[(byte & 0xFF) as usize]);
                let all = |read| self.shorts(read) | tiny(read) | tiny(read >> 8) << 1;
                self.search(text, all, call)
            }
        }
    }

    /// Whether a long gram may begin here: 1 or 0.
    #[inline(always)]
    fn long(&self, read: u64) -> u64 {
        let hash = hash(read);
        let word = self.wide[(hash >> (64 - WIDE)) as usize];
        word >> (hash >> (58 - WIDE) & 63) & word >> (hash >> (52 - WIDE) & 63) & 1
    }

    /// Whether a short one may: here, and in the next bit at the next position.
    #[inline(always)]
    fn shorts(&self, read: u64) -> u64 {
        let has = |gram| {
            let at = bit(gram);
            self.narrow[at >> 6] >> (at & 63) & 1
        };
        has((read as u32) << 8) | has(read as u32 & 0xFFFF_FF00) << 1
    }

    #[inline(always)]
    fn search<T>(
        &self,
        text: &[u8],
        others: impl Fn(u64) -> u64,
        call: &mut impl FnMut(usize, usize) -> Option<T>,
    ) -> Option<T> {
        let mut at = 0;
        while let Some(piece) = text.get(at..at + STEPS.0 + READ - 1) {
            let found = self.piece::<{ STEPS.0 }, T>(text, at, piece, &others, call);
            if found.is_some() {
                return found;
            }
            at += STEPS.0;
        }
        while let Some(piece) = text.get(at..at + STEPS.1 + READ - 1) {
            let found = self.piece::<{ STEPS.1 }, T>(text, at, piece, &others, call);
            if found.is_some() {
                return found;
            }
            at += STEPS.1;
        }
        (at..text.len()).find_map(|at| self.here(text, at, at % 2 == 0, true, call))
    }

    /// The positions of a piece of the text that begins at an even one.
    #[inline(always)]
    fn piece<const STEP: usize, T>(
        &self,
        text: &[u8],
        at: usize,
        piece: &[u8],
        others: &impl Fn(u64) -> u64,
        call: &mut impl FnMut(usize, usize) -> Option<T>,
    ) -> Option<T> {
        let (mut long, mut other) = (0u64, 0u64);
        for n in (0..STEP).step_by(2) {
            let read = piece.get(n..).and_then(|p| p.first_chunk::<READ>());
            let read = read.map_or(0, |r| u64::from_le_bytes(*r)) | FOLD;
            long |= self.long(read) << n;
            other |= others(read) << n;
        }
        let mut all = long | other;
        while all != 0 {
            let n = all.trailing_zeros();
            all &= all - 1;
            let (long, other) = (long >> n & 1 != 0, other >> n & 1 != 0);
            let found = self.here(text, at + n as usize, long, other, call);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Calls for every gram at a position, the longest first.
    #[inline(never)]
    fn here<T>(
        &self,
        text: &[u8],
        at: usize,
        long: bool,
        other: bool,
        call: &mut impl FnMut(usize, usize) -> Option<T>,
    ) -> Option<T> {
        let rest = text.get(at..)?;
        let read = match rest.first_chunk::<READ>() {
            Some(read) => u64::from_le_bytes(*read) | FOLD,
            None => packed(rest),
        };
        let mut look = |size: usize| {
            if size > rest.len() {
                return None;
            }
            call(self.number(first(read, size))?, at)
        };
        let mut found = if long { look(LONG) } else { None };
        if other && found.is_none() {
            found = look(SHORT);
            if found.is_none() && self.tiny.is_some() {
                found = look(2).or_else(|| look(1));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gram_is_found_where_it_stands_and_nowhere_else() {
        let list: [&[u8]; 6] = [
            b"faile",
            b"429",
            b"eof",
            b"\xe5\xa4\xb1\xe6\x95",
            b"ng",
            b"@",
        ];
        let packed: Vec<(u64, usize)> = list.iter().map(|g| (packed(g), g.len())).collect();
        let grams = Grams::new(&packed);
        let text = "FAILED 429 eof\u{5931}\u{6557} NG @ failed Eof".as_bytes();
        let mut found = Vec::new();
        grams.find(text, |bucket, at| {
            found.push((list[bucket], at));
            None::<()>
        });
        let mut wanted: Vec<(&[u8], usize)> = Vec::new();
        for at in 0..text.len() {
            for size in [LONG, SHORT, 2, 1] {
                let here = text.get(at..at + size).unwrap_or_default();
                wanted.extend(
                    list.iter()
                        .filter(|g| g.eq_ignore_ascii_case(here) && (size < LONG || at % 2 == 0))
                        .map(|g| (*g, at)),
                );
            }
        }
        assert_eq!(found, wanted);
    }
}
