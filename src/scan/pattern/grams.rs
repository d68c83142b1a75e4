//! Where in a text one of thousands of literals may stand: a search for one short gram of each.
//!
//! Every position is asked for the four bytes (three, of shorter literals) that begin there, with ASCII letters folded
//! by one bit. Two bit maps that fit in the first cache answer nearly always; where they say yes, a table tells which
//! literals have that gram, and the caller compares them. Beside an automaton over all literals, which takes tens of
//! megabytes and misses the caches at every byte, this is several times faster, and ready at once.

/// The bit in which the cases of an ASCII letter differ. Folding other bytes alike costs a comparison and nothing else.
const FOLD: u32 = 0x2020_2020;
/// Bits of the map of four-byte grams, as a power of two.
const WIDE: u32 = 17;
/// Bits of the map of shorter ones.
const NARROW: u32 = 14;

/// Bytes of a gram: of a literal that is shorter, all of it.
pub(super) const LONGEST: usize = 4;

/// The grams of literals.
pub(super) struct Grams {
    /// One bit for the hash of each gram of four bytes.
    wide: Box<[u64; 1 << (WIDE - 6)]>,
    /// One bit for the hash of each gram of three.
    narrow: Box<[u64; 1 << (NARROW - 6)]>,
    /// With which byte a gram of one or two begins; most runs have none.
    short: Option<Box<[bool; 256]>>,
    /// Grams by hash, with open addressing.
    slots: Vec<u32>,
    /// The number of the gram in the same slot.
    numbers: Vec<u32>,
}

/// A free slot. No gram is packed to it: it has no byte with the folding bit.
const FREE: u32 = 0;

pub(super) fn hash(gram: u32) -> u32 {
    gram.wrapping_mul(0x9E37_79B1)
}

/// A gram as one number. Grams of different lengths never collide: each byte holds the folding bit.
pub(super) fn packed(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .take(LONGEST)
        .rev()
        .fold(0, |all, byte| all << 8 | u32::from(byte | 0x20))
}

fn set<const N: usize>(map: &mut [u64; N], index: u32) {
    if let Some(word) = map.get_mut((index >> 6) as usize) {
        *word |= 1 << (index & 63);
    }
}

fn has<const N: usize>(map: &[u64; N], index: u32) -> bool {
    map[(index >> 6) as usize % N] >> (index & 63) & 1 != 0
}

impl Grams {
    /// From the grams, packed and with their lengths; hits name them by their places in the list.
    pub(super) fn new(grams: &[(u32, usize)]) -> Grams {
        let size = (grams.len() * 2).next_power_of_two().max(16);
        let mut all = Grams {
            wide: Box::new([0; 1 << (WIDE - 6)]),
            narrow: Box::new([0; 1 << (NARROW - 6)]),
            short: None,
            slots: vec![FREE; size],
            numbers: vec![0; size],
        };
        for (&(key, length), bucket) in grams.iter().zip(0u32..) {
            match length {
                0 => continue,
                1 | 2 => {
                    let first = all.short.get_or_insert_with(|| Box::new([false; 256]));
                    first[(key & 0xFF) as usize] = true;
                }
                3 => set(&mut all.narrow, hash(key) >> (32 - NARROW)),
                _ => set(&mut all.wide, hash(key) >> (32 - WIDE)),
            }
            let mut at = all.slot(key);
            while all.slots.get(at).is_some_and(|held| *held != FREE) {
                at = (at + 1) & (size - 1);
            }
            if let (Some(slot), Some(number)) = (all.slots.get_mut(at), all.numbers.get_mut(at)) {
                (*slot, *number) = (key, bucket);
            }
        }
        all
    }

    fn slot(&self, key: u32) -> usize {
        (hash(key) >> 8) as usize & (self.slots.len() - 1)
    }

    /// The number of a gram.
    fn bucket(&self, key: u32) -> Option<u32> {
        let mut at = self.slot(key);
        loop {
            let held = *self.slots.get(at)?;
            if held == key {
                return self.numbers.get(at).copied();
            }
            if held == FREE {
                return None;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Bytes that it takes.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.wide)
            + size_of_val(&*self.narrow)
            + self.slots.len() * 2 * size_of::<u32>()
    }

    /// Calls with the number and the position of every gram in a text, in the order of positions, until it is given
    /// something.
    pub(super) fn find<T>(
        &self,
        text: &[u8],
        mut call: impl FnMut(usize, usize) -> Option<T>,
    ) -> Option<T> {
        match &self.short {
            None => self.search(text, |_| false, &mut call),
            Some(first) => self.search(text, |byte| first[usize::from(byte)], &mut call),
        }
    }

    fn search<T>(
        &self,
        text: &[u8],
        short: impl Fn(u8) -> bool,
        call: &mut impl FnMut(usize, usize) -> Option<T>,
    ) -> Option<T> {
        for (at, four) in text.array_windows::<LONGEST>().enumerate() {
            let gram = u32::from_le_bytes(*four) | FOLD;
            let maybe = has(&self.wide, hash(gram) >> (32 - WIDE))
                | has(&self.narrow, hash(gram & 0xFF_FFFF) >> (32 - NARROW))
                | short(gram as u8);
            if maybe && let Some(given) = self.here(gram, LONGEST, at, call) {
                return Some(given);
            }
        }
        // The last bytes, where fewer than four are left.
        let last = text.len().saturating_sub(LONGEST - 1);
        for at in last..text.len() {
            let rest = &text[at..];
            if let Some(given) = self.here(packed(rest), rest.len(), at, call) {
                return Some(given);
            }
        }
        None
    }

    /// Calls for every gram at a position, the longest first.
    #[inline(never)]
    fn here<T>(
        &self,
        gram: u32,
        length: usize,
        at: usize,
        call: &mut impl FnMut(usize, usize) -> Option<T>,
    ) -> Option<T> {
        let least = if self.short.is_some() { 1 } else { 3 };
        (least..=length).rev().find_map(|size| {
            let key = gram & (u32::MAX >> (32 - 8 * size as u32));
            call(self.bucket(key)? as usize, at)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gram_is_found_where_it_stands_and_nowhere_else() {
        let list: [&[u8]; 6] = [b"fail", b"429", b"eof", b"\xe5\xa4\xb1\xe6", b"ng", b"@"];
        let packed: Vec<(u32, usize)> = list.iter().map(|g| (packed(g), g.len())).collect();
        let grams = Grams::new(&packed);
        let text = "FAILED 429 eof\u{5931}\u{6557} NG @ Eof".as_bytes();
        let mut found = Vec::new();
        grams.find(text, |bucket, at| {
            found.push((list[bucket], at));
            None::<()>
        });
        let mut wanted: Vec<(&[u8], usize)> = Vec::new();
        for at in 0..text.len() {
            for size in [4, 3, 2, 1] {
                let here = text.get(at..at + size).unwrap_or_default();
                wanted.extend(
                    list.iter()
                        .filter(|g| g.eq_ignore_ascii_case(here))
                        .map(|g| (*g, at)),
                );
            }
        }
        assert_eq!(found, wanted);
    }
}
