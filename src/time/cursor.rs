//! A place in the bytes of a line, moved on by what is read.

#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    /// The line.
    pub(super) bytes: &'a [u8],
    /// Where the cursor stands.
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    pub(super) fn ahead(&self, n: usize) -> u8 {
        self.bytes.get(self.at + n).copied().unwrap_or(0)
    }

    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let hit = self.peek() == byte && self.at < self.bytes.len();
        self.at += usize::from(hit);
        hit
    }

    pub(super) fn text(&mut self, word: &str) -> bool {
        let hit = self
            .bytes
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(word.as_bytes()));
        self.at += if hit { word.len() } else { 0 };
        hit
    }

    pub(super) fn spaces(&mut self) -> usize {
        let start = self.at;
        while self.peek() == b' ' {
            self.at += 1;
        }
        self.at - start
    }

    /// How many digits stand here, at most 20.
    pub(super) fn run(&self) -> usize {
        (0..20)
            .take_while(|n| self.ahead(*n).is_ascii_digit())
            .count()
    }

    /// A number of `least` to `most` digits.
    pub(super) fn digits(&mut self, least: usize, most: usize) -> Option<i64> {
        let mut value = 0;
        let mut n = 0;
        while n < most && self.peek().is_ascii_digit() {
            value = value * 10 + i64::from(self.peek() - b'0');
            self.at += 1;
            n += 1;
        }
        (n >= least).then_some(value)
    }

    pub(super) fn letters(&self) -> &'a [u8] {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = rest
            .iter()
            .position(|b| !b.is_ascii_alphabetic())
            .unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }
}
