//! What a file is, told by its first bytes.

use super::stream::{CHUNK, byte_order, decode};
use super::{Coding, Pipe};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::os::unix::fs::FileExt;

/// Bytes that decide whether a file is text.
const PROBE: usize = 8 << 10;

/// What the head of a file says.
pub(super) enum Head {
    /// A log.
    Log {
        /// How it is stored.
        coding: Coding,
    },
    /// No log, and why.
    Binary(String),
}

/// Formats that no log has, by the bytes at their start (from the formats' own specifications).
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "binary (PNG)"),
    (b"\xff\xd8\xff", "binary (JPEG)"),
    (b"GIF87a", "binary (GIF)"),
    (b"GIF89a", "binary (GIF)"),
    (b"%PDF-", "binary (PDF)"),
    (b"\x7fELF", "binary (ELF)"),
    (b"PK\x03\x04", "binary (zip archive: unpack it first)"),
    (b"PK\x05\x06", "binary (zip archive: unpack it first)"),
    (
        b"7z\xbc\xaf\x27\x1c",
        "binary (7z archive: unpack it first)",
    ),
    (b"Rar!\x1a\x07", "binary (rar archive: unpack it first)"),
    (b"BZh91AY&SY", "binary (bzip2: unpack it first)"),
    (b"\xfd7zXZ\0", "binary (xz: unpack it first)"),
    (b"\x04\x22\x4d\x18", "binary (lz4: unpack it first)"),
    (b"SQLite format 3\0", "binary (SQLite)"),
    (
        b"LPKSHHRH",
        "binary (systemd journal: export it with journalctl)",
    ),
    (b"PAR1", "binary (Parquet)"),
    (b"\0asm", "binary (WebAssembly)"),
    (b"\xca\xfe\xba\xbe", "binary (class file)"),
];

/// Looks at a file that is `size` bytes long.
///
/// # Errors
/// Those of the file system; damage in compressed data is no error here but is told when the file is read.
pub(super) fn file(file: &File, size: u64) -> io::Result<Head> {
    let mut raw = vec![0; PROBE];
    let got = read_full_at(file, &mut raw, 0)?;
    raw.truncate(got);
    let coding = match sniff(&raw) {
        Ok(coding) => coding,
        Err(why) => return Ok(Head::Binary(why.to_owned())),
    };
    if coding == Coding::Plain {
        // A writer without O_APPEND whose file was truncated under it leaves a hole at the start: look at the end.
        if !raw.is_empty() && raw.iter().all(|b| *b == 0) {
            let from = size.saturating_sub(PROBE as u64);
            raw.resize(PROBE, 0);
            let got = read_full_at(file, &mut raw, from)?;
            raw.truncate(got);
        }
        return Ok(judge(coding, &raw));
    }
    let decoded = decode(Box::new(file.try_clone()?), coding).map(probe)?;
    Ok(judge(coding, &decoded))
}

/// Looks at a pipe.
///
/// # Errors
/// A decoder that cannot start.
pub(super) fn pipe(pipe: &Pipe) -> io::Result<Head> {
    let raw = pipe.head();
    let coding = match sniff(raw) {
        Ok(coding) => coding,
        Err(why) => return Ok(Head::Binary(why.to_owned())),
    };
    let part: Vec<u8> = raw.iter().copied().take(PROBE).collect();
    let decoded = decode(Box::new(Cursor::new(part)), coding).map(probe)?;
    Ok(judge(coding, &decoded))
}

/// The coding, or why it is none that is read.
fn sniff(raw: &[u8]) -> Result<Coding, &'static str> {
    if let Some((_, why)) = MAGIC.iter().find(|(magic, _)| raw.starts_with(magic)) {
        return Err(why);
    }
    Ok(match raw {
        [0x1f, 0x8b, ..] => Coding::Gzip,
        // A frame, or a skippable frame before one.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Coding::Zstd,
        _ if byte_order(raw).is_some() => Coding::Utf16,
        _ => Coding::Plain,
    })
}

/// The first decoded bytes, as far as they are whole.
fn probe(mut stream: impl Read) -> Vec<u8> {
    let mut out = Vec::new();
    while out.len() < PROBE {
        let old = out.len();
        out.resize(old + CHUNK, 0);
        let got = out
            .get_mut(old..)
            .map_or(0, |room| stream.read(room).unwrap_or(0));
        out.truncate(old + got);
        if got == 0 {
            break;
        }
    }
    out
}

fn judge(coding: Coding, text: &[u8]) -> Head {
    let probe = text.get(..PROBE).unwrap_or(text);
    if text.get(257..262) == Some(b"ustar") {
        return Head::Binary("binary (tar archive: unpack it first)".to_owned());
    }
    if binary(probe) {
        return Head::Binary("binary".to_owned());
    }
    Head::Log { coding }
}

/// Whether bytes are no text: NUL, and more than one in a hundred is a control character that no log uses.
///
/// A hole of NUL at the start and a stray NUL do not make a log binary: both happen to logs that are rotated while
/// they are written, and passing such a log over would hide its failures.
fn binary(probe: &[u8]) -> bool {
    let start = probe.iter().position(|b| *b != 0);
    let Some(text) = start.and_then(|s| probe.get(s..)) else {
        return !probe.is_empty();
    };
    let odd = text
        .iter()
        .filter(|b| matches!(b, 0..=7 | 14..=26 | 28..=31))
        .count();
    text.contains(&0) && odd * 100 > text.len()
}

/// Reads as much as there is, also where the system gives it in pieces.
pub(super) fn read_full_at(file: &File, out: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut done = 0;
    while let Some(room) = out.get_mut(done..).filter(|r| !r.is_empty()) {
        match file.read_at(room, offset + done as u64) {
            Ok(0) => break,
            Ok(got) => done += got,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries() {
        for (bytes, expected) in [
            (&b"text\n"[..], false),
            (b"", false),
            (b"\0\0\0\0", true),
            (b"\0\0\0\0\0\0\0\0the log goes on after the hole\n", false),
            (b"\x01\x02\0\x03\x04", true),
            (b"\x1b[31mred\x1b[0m\n", false),
        ] {
            assert_eq!(binary(bytes), expected, "{bytes:?}");
        }
        let mut stray = b"an ordinary line of text\n".repeat(40);
        stray.insert(500, 0);
        assert!(!binary(&stray));
    }
}
