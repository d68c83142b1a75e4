//! How far the reading is, on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often a plain line is written where there is no terminal.
const EVERY: Duration = Duration::from_secs(10);

/// Whether progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A bar on a terminal, else a line every ten seconds.
    #[default]
    Auto,
    /// Nothing. Also for `--quiet`.
    Never,
}

/// The progress of one run over the sources. It can be told from any thread.
#[derive(Debug)]
pub struct Progress {
    total: u64,
    done: AtomicU64,
    shown: Shown,
}

#[derive(Debug)]
enum Shown {
    Nothing,
    Bar(ProgressBar),
    Lines {
        start: Instant,
        last: Mutex<Instant>,
    },
}

impl Progress {
    /// Starts the clock. `total_bytes` are bytes on disk; 0: unknown (standard input).
    pub fn new(mode: Mode, total_bytes: u64) -> Progress {
        let shown = match mode {
            Mode::Never => Shown::Nothing,
            Mode::Auto if std::io::stderr().is_terminal() => Shown::Bar(bar(total_bytes)),
            Mode::Auto => {
                let start = Instant::now();
                Shown::Lines {
                    start,
                    last: Mutex::new(start),
                }
            }
        };
        Progress {
            total: total_bytes,
            done: AtomicU64::new(0),
            shown,
        }
    }

    /// So many bytes more, of the source of this name.
    pub fn add(&self, bytes: u64, name: &str) {
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        match &self.shown {
            Shown::Nothing => {}
            Shown::Bar(bar) => {
                bar.inc(bytes);
                bar.set_message(plain(name));
            }
            Shown::Lines { start, last } => {
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                if last.elapsed() < EVERY {
                    return;
                }
                *last = Instant::now();
                let line = line(done, self.total, start.elapsed(), name);
                // A closed standard error is no reason to stop.
                let _ = writeln!(std::io::stderr(), "{line}");
            }
        }
    }

    /// Bytes so far.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

fn bar(total: u64) -> ProgressBar {
    let known = "{bar:24} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left  {wide_msg}";
    let unknown = "{spinner} {bytes}, {bytes_per_sec}  {wide_msg}";
    let length = (total > 0).then_some(total);
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr());
    let template = if total > 0 { known } else { unknown };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// `misnomer: 1.2 GB of 4.0 GB, 310 MB/s, watch-arb/x.log`
fn line(done: u64, total: u64, elapsed: Duration, name: &str) -> String {
    let of = if total > 0 {
        format!(" of {}", size(total))
    } else {
        String::new()
    };
    let millis = u64::try_from(elapsed.as_millis())
        .unwrap_or(u64::MAX)
        .max(1);
    let rate = size(done.saturating_mul(1000) / millis);
    format!("misnomer: {}{of}, {rate}/s, {}", size(done), plain(name))
}

/// Bytes in decimal units, with one digit after the point below 10.
fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut unit = "B";
    for larger in ["kB", "MB", "GB", "TB", "PB"] {
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = larger;
    }
    if value < 9.95 && unit != "B" {
        format!("{value:.1} {unit}")
    } else {
        format!("{value:.0} {unit}")
    }
}

/// Without control characters: the names of files are written by others.
fn plain(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        for (done, total, millis, name, expected) in [
            (
                1_200_000_000,
                4_000_000_000,
                3_871,
                "a/x.log",
                "misnomer: 1.2 GB of 4.0 GB, 310 MB/s, a/x.log",
            ),
            (999, 0, 0, "stdin", "misnomer: 999 B, 999 kB/s, stdin"),
            (
                999_960,
                0,
                1_000,
                "a\u{1b}b",
                "misnomer: 1.0 MB, 1.0 MB/s, a\u{fffd}b",
            ),
        ] {
            assert_eq!(
                line(done, total, Duration::from_millis(millis), name),
                expected
            );
        }
    }

    #[test]
    fn counts_silently() {
        let progress = Progress::new(Mode::Never, 10);
        progress.add(3, "a");
        progress.add(4, "b");
        assert_eq!(progress.done(), 7);
        progress.finish();
    }
}
