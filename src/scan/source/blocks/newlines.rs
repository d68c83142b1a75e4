//! How many newlines stand before a byte, asked many times of one buffer.

use std::cell::OnceCell;

/// Bytes between the places up to which the newlines are counted beforehand.
const STRIDE: usize = 4096;

/// The newlines of a buffer, counted up to every 4096th byte when they are first asked for.
#[derive(Debug, Default)]
pub struct Newlines(OnceCell<Vec<i64>>);

impl Newlines {
    /// How many stand before a byte of the buffer, which is the same at every call.
    pub(super) fn before(&self, buf: &[u8], at: usize) -> i64 {
        let counted = self.0.get_or_init(|| {
            let mut sum = 0;
            buf.chunks(STRIDE)
                .map(|chunk| {
                    let before = sum;
                    sum += count(chunk);
                    before
                })
                .collect()
        });
        let at = at.min(buf.len());
        let stride = (at / STRIDE).min(counted.len().saturating_sub(1));
        let rest = buf.get(stride * STRIDE..at).unwrap_or_default();
        counted.get(stride).copied().unwrap_or(0) + count(rest)
    }
}

fn count(bytes: &[u8]) -> i64 {
    memchr::memchr_iter(b'\n', bytes).count() as i64
}
