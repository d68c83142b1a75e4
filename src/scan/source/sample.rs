//! Windows of a source at fixed offsets, from which its spelling is learnt.

use super::head::read_full_at;
use super::stream::{self, CHUNK};
use super::{Coding, Origin, Source};
use std::fs::File;
use std::io::Read;

/// The windows: offset in the decoded bytes, and length.
pub const WINDOWS: &[(u64, usize)] = &[
    (0, 64 << 10),
    (256 << 10, 16 << 10),
    (1 << 20, 16 << 10),
    (4 << 20, 16 << 10),
];

/// Reads the windows of a source, as far as it reaches: offset in the decoded bytes, and the bytes.
///
/// They are the same for a file and for its compressed copy. What cannot be read is left out: reading the source
/// tells the error.
pub fn sample(source: &Source) -> Vec<(u64, Vec<u8>)> {
    match (&source.origin, source.coding) {
        (Origin::File(path), Coding::Plain) => match File::open(path) {
            Ok(file) => plain(&file),
            Err(_) => Vec::new(),
        },
        _ => match stream::open(source) {
            Ok(stream) => decoded(stream),
            Err(_) => Vec::new(),
        },
    }
}

fn plain(file: &File) -> Vec<(u64, Vec<u8>)> {
    let mut out = Vec::new();
    for (offset, length) in WINDOWS {
        let mut bytes = vec![0; *length];
        match read_full_at(file, &mut bytes, *offset) {
            Ok(0) | Err(_) => break,
            Ok(got) => bytes.truncate(got),
        }
        out.push((*offset, bytes));
    }
    out
}

fn decoded(mut stream: impl Read) -> Vec<(u64, Vec<u8>)> {
    let mut out: Vec<(u64, Vec<u8>)> = WINDOWS.iter().map(|(o, _)| (*o, Vec::new())).collect();
    let end = WINDOWS
        .iter()
        .map(|(o, l)| o + *l as u64)
        .max()
        .unwrap_or(0);
    let mut chunk = vec![0; CHUNK];
    let mut at = 0;
    while at < end {
        let got = stream.read(&mut chunk).unwrap_or(0);
        if got == 0 {
            break;
        }
        let until = at + got as u64;
        for ((offset, length), (_, bytes)) in WINDOWS.iter().zip(&mut out) {
            let from = at.max(*offset);
            let to = until.min(offset + *length as u64);
            if from < to {
                let part = chunk.get((from - at) as usize..(to - at) as usize);
                bytes.extend_from_slice(part.unwrap_or(&[]));
            }
        }
        at = until;
    }
    out.retain(|(_, bytes)| !bytes.is_empty());
    out
}
