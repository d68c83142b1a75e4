//! From paths to sources, and from sources to blocks of whole lines.
//!
//! [`discover`] finds the files and says what each of them is; [`blocks::run`] cuts them into blocks and gives these to
//! workers; [`sample::sample`] reads windows at fixed offsets.

pub mod blocks;
mod discover;
mod head;
pub mod lanes;
mod pipe;
pub mod progress;
pub mod sample;
mod stream;
mod utf16;

pub use discover::discover;
pub use pipe::Pipe;

use jiff::tz::TimeZone;
use std::path::PathBuf;
use std::sync::Arc;

/// How the bytes of a source are stored; recognised by the first bytes, never by the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// As they are.
    Plain,
    /// UTF-16 with a byte order mark. It is read as UTF-8, and offsets count the bytes of that.
    Utf16,
    /// gzip (RFC 1952), one or several members.
    Gzip,
    /// Zstandard (RFC 8878), one or several frames.
    Zstd,
}

/// Where the bytes come from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A regular file.
    File(PathBuf),
    /// Standard input; its beginning is kept, and the rest can be read again.
    Stdin(Arc<Pipe>),
}

/// One file of logs.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name relative to the path given, with `/`; of several paths, under their last component.
    pub name: Arc<str>,
    /// Its lane.
    pub lane: Arc<str>,
    /// Where its bytes come from.
    pub origin: Origin,
    /// How they are stored.
    pub coding: Coding,
    /// Bytes on disk at discovery; 0 for standard input.
    pub size: u64,
    /// Of its lane, else of all.
    pub timezone: TimeZone,
}

impl Source {
    /// Whether it is read in blocks, each by itself; any other is read from its start to its end.
    pub fn is_plain(&self) -> bool {
        matches!(
            (&self.origin, self.coding),
            (Origin::File(_), Coding::Plain)
        )
    }
}

/// What [`discover`] found.
#[derive(Debug, Default)]
pub struct Found {
    /// What is to be read, by name.
    pub sources: Vec<Source>,
    /// Paths that are no logs, and why.
    pub passed_over: Vec<(String, String)>,
    /// Paths that could not be looked at, and why.
    pub unreadable: Vec<(String, String)>,
}

/// An error of the file system in words that do not depend on the machine.
fn explain(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "vanished".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}
