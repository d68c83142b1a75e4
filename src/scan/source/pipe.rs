//! Standard input: read once, but readable from its start as often as needed.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that are read ahead and kept in memory: enough for every window of [`super::sample::sample`].
pub(super) const HEAD: u64 = (4 << 20) + (16 << 10);

/// A stream that cannot be rewound. Its first 4 MiB and 16 KiB are kept in memory; what follows goes through a temporary
/// file while it is read for the first time, so that a second pass can read it again.
pub struct Pipe {
    head: Vec<u8>,
    rest: Mutex<Rest>,
}

struct Rest {
    live: Option<Box<dyn Read + Send>>,
    spool: Option<File>,
    /// Bytes after the head that were read so far.
    passed: u64,
}

impl std::fmt::Debug for Pipe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipe")
            .field("head", &self.head.len())
            .finish_non_exhaustive()
    }
}

impl Pipe {
    /// Takes a stream and reads its head.
    ///
    /// # Errors
    /// Those of the stream.
    pub fn new(mut live: Box<dyn Read + Send>) -> io::Result<Pipe> {
        let mut head = Vec::new();
        let got = (&mut live).take(HEAD).read_to_end(&mut head)?;
        let more = got as u64 == HEAD;
        Ok(Pipe {
            head,
            rest: Mutex::new(Rest {
                live: more.then_some(live),
                spool: None,
                passed: 0,
            }),
        })
    }

    /// What was read ahead.
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    /// Reads from the start.
    pub(super) fn reader(self: &Arc<Pipe>) -> PipeReader {
        PipeReader {
            pipe: Arc::clone(self),
            at: 0,
        }
    }
}

/// One reading of a [`Pipe`], from its start.
pub(super) struct PipeReader {
    pipe: Arc<Pipe>,
    at: u64,
}

impl Read for PipeReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let at = usize::try_from(self.at).unwrap_or(usize::MAX);
        let got = match self.pipe.head.get(at..).filter(|h| !h.is_empty()) {
            Some(mut head) => head.read(out)?,
            None => {
                let after = self.at.saturating_sub(self.pipe.head.len() as u64);
                self.pipe
                    .rest
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .read(after, out)?
            }
        };
        self.at += got as u64;
        Ok(got)
    }
}

impl Rest {
    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<usize> {
        if at < self.passed {
            let Some(spool) = &self.spool else {
                return Err(io::Error::other(
                    "standard input could not be kept for a second reading: no room for a temporary file",
                ));
            };
            let left = usize::try_from(self.passed - at).unwrap_or(usize::MAX);
            let room = out.len().min(left);
            return match out.get_mut(..room) {
                Some(out) => spool.read_at(out, at),
                None => Ok(0),
            };
        }
        let Some(live) = &mut self.live else {
            return Ok(0);
        };
        let got = loop {
            match live.read(out) {
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        if got == 0 {
            self.live = None;
            return Ok(0);
        }
        if self.passed == 0 {
            self.spool = tempfile::tempfile().ok();
        }
        // A spool that cannot be written only prevents the second reading, not this one.
        let kept = match (&self.spool, out.get(..got)) {
            (Some(spool), Some(bytes)) => spool.write_all_at(bytes, self.passed).is_ok(),
            _ => false,
        };
        if !kept {
            self.spool = None;
        }
        self.passed += got as u64;
        Ok(got)
    }
}
