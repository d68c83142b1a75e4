//! Parquet bytes to a frame, also when they are corrupt.

use anyhow::{Result, anyhow};
use polars::prelude::{DataFrame, ParquetReader, SerReader};
use std::io::Cursor;
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many frames are being decoded at this moment.
static DECODING: AtomicUsize = AtomicUsize::new(0);

/// Decodes a whole Parquet file.
///
/// The decoder asserts on some corrupt pages where it could return an error, in its own threads too. Such a panic is an
/// error here like any other, and its trace is not printed.
///
/// # Errors
/// When the bytes are no Parquet file, or a corrupt one.
pub fn frame(bytes: Vec<u8>) -> Result<DataFrame> {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let decoder = info.location().is_some_and(|l| l.file().contains("polars"));
            if !decoder || DECODING.load(Ordering::SeqCst) == 0 {
                usual(info);
            }
        }));
    });
    DECODING.fetch_add(1, Ordering::SeqCst);
    let decoded = panic::catch_unwind(|| ParquetReader::new(Cursor::new(bytes)).finish());
    DECODING.fetch_sub(1, Ordering::SeqCst);
    Ok(decoded.map_err(|_| anyhow!("the Parquet data is corrupt"))??)
}
