//! A source as one stream of decoded bytes: decompressed, and as UTF-8 if it was UTF-16.

use super::utf16::Utf16Reader;
use super::{Coding, Origin, Source, explain};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that are asked of a decoder at once. It is fixed, so that what a damaged file gives up before its damage does
/// not depend on the size of a block.
pub(super) const CHUNK: usize = 32 << 10;

/// The decoded bytes of a source.
pub(super) struct Stream {
    inner: Box<dyn Read>,
    coding: Coding,
    taken: Arc<AtomicU64>,
    given: u64,
}

/// Opens a source from its start.
pub(super) fn open(source: &Source) -> io::Result<Stream> {
    let raw: Box<dyn Read> = match &source.origin {
        Origin::File(path) => Box::new(File::open(path)?),
        Origin::Stdin(pipe) => Box::new(pipe.reader()),
    };
    decode(raw, source.coding)
}

/// Decodes raw bytes.
pub(super) fn decode(raw: Box<dyn Read>, coding: Coding) -> io::Result<Stream> {
    let taken = Arc::new(AtomicU64::new(0));
    let counted = Counted {
        inner: BufReader::with_capacity(64 << 10, raw),
        taken: Arc::clone(&taken),
    };
    let mut decoder: Box<dyn Read> = match coding {
        Coding::Plain | Coding::Utf16 => Box::new(counted),
        Coding::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(counted)),
        Coding::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(counted)?),
    };
    let mut mark = Vec::new();
    let inner: Box<dyn Read> = match (&mut decoder).take(2).read_to_end(&mut mark) {
        Err(e) => Box::new(Cursor::new(mark).chain(Failing(Some(e)))),
        Ok(_) => match byte_order(&mark) {
            Some(big_endian) => Box::new(Utf16Reader::new(decoder, big_endian)),
            None => Box::new(Cursor::new(mark).chain(decoder)),
        },
    };
    Ok(Stream {
        inner,
        coding,
        taken,
        given: 0,
    })
}

/// The order of bytes that a UTF-16 byte order mark states: whether it is big-endian.
pub(super) fn byte_order(head: &[u8]) -> Option<bool> {
    match head {
        [0xFF, 0xFE, ..] => Some(false),
        [0xFE, 0xFF, ..] => Some(true),
        _ => None,
    }
}

impl Stream {
    /// Bytes of the file that were taken so far.
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// An error of this stream in words, with the place.
    pub(super) fn explain(&self, error: &io::Error) -> String {
        let what = match self.coding {
            Coding::Gzip => "gzip",
            Coding::Zstd => "zstd",
            Coding::Plain | Coding::Utf16 => return explain(error),
        };
        let (taken, given) = (self.taken(), self.given);
        if error.kind() == ErrorKind::UnexpectedEof {
            format!("{what} data ends early, at byte {taken}; {given} bytes were decoded")
        } else {
            format!("{what} data is damaged at byte {taken} ({error}); {given} bytes were decoded")
        }
    }
}

impl Read for Stream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.inner.read(out) {
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Ok(got) => {
                    self.given += got as u64;
                    return Ok(got);
                }
                error => return error,
            }
        }
    }
}

/// Counts the bytes that a decoder takes, exactly, which a buffer between would hide.
struct Counted<R> {
    inner: BufReader<R>,
    taken: Arc<AtomicU64>,
}

impl<R: Read> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, n: usize) {
        self.taken.fetch_add(n as u64, Ordering::Relaxed);
        self.inner.consume(n);
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(out)?;
        self.taken.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}

/// Gives an error once, then the end.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
