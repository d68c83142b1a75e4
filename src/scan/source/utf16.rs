//! UTF-16 read as UTF-8.

use std::io::{self, Read};

/// Decodes UTF-16 (RFC 2781) while it is read. What is no valid UTF-16 becomes U+FFFD; so does half a unit at the end.
pub(super) struct Utf16Reader<R> {
    inner: R,
    big_endian: bool,
    /// The first byte of a unit whose second is still to come.
    odd: Option<u8>,
    /// A high surrogate that waits for its low one.
    high: Option<u16>,
    out: Vec<u8>,
    given: usize,
    ended: bool,
}

impl<R: Read> Utf16Reader<R> {
    /// `inner` stands after the byte order mark.
    pub(super) fn new(inner: R, big_endian: bool) -> Utf16Reader<R> {
        Utf16Reader {
            inner,
            big_endian,
            odd: None,
            high: None,
            out: Vec::new(),
            given: 0,
            ended: false,
        }
    }

    fn push(&mut self, c: char) {
        let mut room = [0; 4];
        self.out
            .extend_from_slice(c.encode_utf8(&mut room).as_bytes());
    }

    fn unit(&mut self, unit: u16) {
        let low = (0xDC00..=0xDFFF).contains(&unit);
        if let Some(high) = self.high.take() {
            if low {
                let code = 0x10000 + (u32::from(high - 0xD800) << 10) + u32::from(unit - 0xDC00);
                self.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                return;
            }
            self.push(char::REPLACEMENT_CHARACTER);
        }
        if (0xD800..=0xDBFF).contains(&unit) {
            self.high = Some(unit);
        } else {
            self.push(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.out.clear();
        self.given = 0;
        let mut raw = [0u8; 8 << 10];
        let got = self.inner.read(&mut raw)?;
        if got == 0 {
            self.ended = true;
            if self.high.take().is_some() || self.odd.take().is_some() {
                self.push(char::REPLACEMENT_CHARACTER);
            }
            return Ok(());
        }
        for byte in raw.into_iter().take(got) {
            let Some(first) = self.odd.take() else {
                self.odd = Some(byte);
                continue;
            };
            self.unit(if self.big_endian {
                u16::from_be_bytes([first, byte])
            } else {
                u16::from_le_bytes([first, byte])
            });
        }
        Ok(())
    }
}

impl<R: Read> Read for Utf16Reader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given >= self.out.len() && !self.ended {
            self.fill()?;
        }
        let mut left = self.out.get(self.given..).unwrap_or(&[]);
        let got = left.read(out)?;
        self.given += got;
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_both_orders_and_broken_units() {
        let text = "first\r\n日本 😀\n";
        for big in [false, true] {
            let mut bytes: Vec<u8> = text
                .encode_utf16()
                .flat_map(|u| {
                    if big {
                        u.to_be_bytes()
                    } else {
                        u.to_le_bytes()
                    }
                })
                .collect();
            // A high surrogate without its low one, then half a unit.
            bytes.extend(if big { [0xD8, 0x3D] } else { [0x3D, 0xD8] });
            bytes.extend(if big { [0, b'x'] } else { [b'x', 0] });
            bytes.push(0);
            let mut out = String::new();
            let read = Utf16Reader::new(bytes.as_slice(), big).read_to_string(&mut out);
            assert!(read.is_ok());
            assert_eq!(out, format!("{text}\u{fffd}x\u{fffd}"));
        }
    }
}
