//! The tasks of a run, in the order in which their results are handed over.

use crate::scan::source::{Coding, Origin, Source, explain};
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

/// A file that is read in blocks. It is closed with its last block.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) file: File,
    /// When it was opened; what is appended later is left for the next run.
    pub(super) size: u64,
}

/// A block of a plain file.
#[derive(Debug)]
pub(super) struct PlainTask {
    pub(super) source: usize,
    pub(super) opened: Arc<Opened>,
    pub(super) nominal: Range<u64>,
    /// What was wrong with the file when it was opened.
    pub(super) fault: Option<String>,
}

/// One piece of work.
#[derive(Debug)]
pub(super) enum Task {
    Plain(PlainTask),
    /// A source that is read from its start to its end by one thread.
    Stream {
        source: usize,
    },
    /// A source that cannot be opened.
    Failed {
        source: usize,
        error: String,
    },
}

impl Task {
    pub(super) fn source(&self) -> usize {
        match self {
            Task::Plain(task) => task.source,
            Task::Stream { source } | Task::Failed { source, .. } => *source,
        }
    }
}

/// Gives out the tasks; files are opened when their turn comes.
pub(super) struct Feed<'a> {
    sources: &'a [Source],
    block_size: u64,
    next_source: usize,
    current: Option<Current>,
    turn: u64,
}

struct Current {
    source: usize,
    opened: Arc<Opened>,
    next: u64,
    fault: Option<String>,
}

impl<'a> Feed<'a> {
    pub(super) fn new(sources: &'a [Source], block_size: u64) -> Feed<'a> {
        Feed {
            sources,
            block_size,
            next_source: 0,
            current: None,
            turn: 0,
        }
    }

    /// The number of the next task.
    pub(super) fn turn(&self) -> u64 {
        self.turn
    }

    /// The next task with its number; none when all are given out.
    pub(super) fn next(
        &mut self,
        wanted: impl Fn(usize, Range<u64>) -> bool,
    ) -> Option<(u64, Task)> {
        let task = loop {
            if let Some(task) = self.block(&wanted) {
                break task;
            }
            let index = self.next_source;
            let source = self.sources.get(index)?;
            self.next_source += 1;
            if !wanted(index, 0..u64::MAX) {
                continue;
            }
            let path = match (&source.origin, source.coding) {
                (Origin::File(path), Coding::Plain) => path,
                _ => break Task::Stream { source: index },
            };
            let opened = File::open(path).and_then(|file| {
                let size = file.metadata()?.len();
                Ok(Opened { file, size })
            });
            match opened {
                Err(e) => {
                    break Task::Failed {
                        source: index,
                        error: explain(&e),
                    };
                }
                Ok(opened) => {
                    let fault =
                        (opened.size < source.size).then(|| shrank(source.size, opened.size));
                    self.current = Some(Current {
                        source: index,
                        opened: Arc::new(opened),
                        next: 0,
                        fault,
                    });
                }
            }
        };
        let turn = self.turn;
        self.turn += 1;
        Some((turn, task))
    }

    /// The next wanted block of the file that is open.
    fn block(&mut self, wanted: impl Fn(usize, Range<u64>) -> bool) -> Option<Task> {
        let current = self.current.as_mut()?;
        loop {
            let start = current.next;
            // An empty file has one block, an empty one.
            if start > 0 && start >= current.opened.size {
                self.current = None;
                return None;
            }
            let nominal = start..start.saturating_add(self.block_size);
            current.next = nominal.end;
            if wanted(current.source, nominal.clone()) {
                return Some(Task::Plain(PlainTask {
                    source: current.source,
                    opened: Arc::clone(&current.opened),
                    nominal,
                    fault: current.fault.take(),
                }));
            }
        }
    }
}

/// What is said of a file that lost bytes.
pub(super) fn shrank(from: u64, to: u64) -> String {
    format!("shrank from {from} to {to} bytes while read")
}
