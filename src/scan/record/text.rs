//! Bytes to text: what terminals, Windows and pipes leave in logs is taken out.

use std::borrow::Cow;

/// A line as text: byte order mark, carriage returns, NUL, terminal colours and titles removed; invalid UTF-8 replaced.
/// Of a line that was overwritten by carriage returns, what stood last is kept.
pub fn clean(raw: &[u8]) -> Cow<'_, str> {
    let raw = raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(raw);
    let mut raw = raw;
    while let Some(rest) = raw.strip_suffix(b"\n").or_else(|| raw.strip_suffix(b"\r")) {
        raw = rest;
    }
    if let Some(at) = memchr::memrchr(b'\r', raw)
        && let Some(last) = raw.get(at + 1..)
        && !last.trim_ascii().is_empty()
    {
        raw = last;
    }
    // Without a way out of the inner loop many bytes are compared at once.
    let dirty = raw.chunks(64).any(|chunk| {
        let strange = |b: &u8| matches!(b, 0 | 0x1b | b'\r' | 0x08 | 0x07);
        chunk.iter().fold(false, |any, b| any | strange(b))
    });
    let text = match std::str::from_utf8(raw) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(raw),
    };
    if dirty {
        Cow::Owned(strip(&text))
    } else {
        text
    }
}

/// Text without escape sequences and control characters (tabs and newlines stay).
pub fn strip(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.peek() {
                Some('[') => {
                    chars.next();
                    // CSI: parameters and intermediates, then one final byte.
                    while let Some(&p) = chars.peek() {
                        if !(' '..='~').contains(&p) {
                            break;
                        }
                        chars.next();
                        if ('@'..='~').contains(&p) {
                            break;
                        }
                    }
                }
                Some(']') => {
                    // OSC: up to BEL or ST.
                    while let Some(p) = chars.next() {
                        if p == '\u{7}' {
                            break;
                        }
                        if p == '\u{1b}' {
                            if chars.peek() == Some(&'\\') {
                                chars.next();
                            }
                            break;
                        }
                    }
                }
                Some('(' | ')') => {
                    chars.next();
                    chars.next();
                }
                _ => {}
            },
            '\t' | '\n' => out.push(c),
            c if (c as u32) < 0x20 || c == '\u{7f}' || c == '\u{feff}' => {}
            c => out.push(c),
        }
    }
    out
}
