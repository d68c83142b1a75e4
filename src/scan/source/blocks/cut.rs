//! Which lines a block owns.

use std::ops::Range;

/// The lines that start in the nominal range, as a range of `buf`, which begins at `offset` of the source.
///
/// `buf` must hold the byte before the nominal range (unless this is the start of the source) and reach to its end or
/// to the end of the source. Where no line starts in it, the range is empty.
pub(super) fn own(buf: &[u8], offset: u64, nominal: Range<u64>) -> Range<usize> {
    let place = |at: u64| {
        let at = usize::try_from(at.saturating_sub(offset)).unwrap_or(usize::MAX);
        at.min(buf.len())
    };
    let (start, end) = (place(nominal.start), place(nominal.end));
    if start >= end {
        return end..end;
    }
    let first = if nominal.start == 0 {
        start
    } else {
        // A line starts after a newline, which may be the byte before the range but not its last one.
        match after_newline(buf, start.saturating_sub(1)..end - 1) {
            Some(first) => first,
            None => return end..end,
        }
    };
    let until = after_newline(buf, end - 1..buf.len()).unwrap_or(buf.len());
    first..until
}

/// The place after the first newline in a range.
fn after_newline(buf: &[u8], range: Range<usize>) -> Option<usize> {
    let from = range.start;
    let found = memchr::memchr(b'\n', buf.get(range)?)?;
    Some(from + found + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_by_their_start() {
        // Text, its offset, the nominal range, what is owned.
        for (text, offset, nominal, expected) in [
            ("ab\ncd\nef\n", 0, 0..3, "ab\n"),
            ("ab\ncd\nef\n", 0, 0..2, "ab\n"),
            ("ab\ncd\nef\n", 0, 0..4, "ab\ncd\n"),
            ("ab\ncd\nef\n", 0, 3..6, "cd\n"),
            ("ab\ncd\nef\n", 0, 2..4, "cd\n"),
            ("ab\ncd\nef\n", 0, 4..6, ""),
            ("ab\ncd\nef\n", 0, 4..7, "ef\n"),
            ("ab\ncd\nef", 0, 6..99, "ef"),
            ("ab\ncd\nef\n", 0, 8..99, ""),
            ("b\ncd\nef\n", 1, 3..6, "cd\n"),
            ("ab\ncd", 0, 0..6, "ab\ncd"),
            ("abcdef", 0, 2..4, ""),
            ("", 0, 0..4, ""),
            ("ab", 0, 4..8, ""),
            ("\n\n\n", 0, 1..2, "\n"),
        ] {
            let own = own(text.as_bytes(), offset, nominal.clone());
            assert_eq!(text.get(own), Some(expected), "{text:?} {nominal:?}");
        }
    }
}
