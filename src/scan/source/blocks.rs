//! Sources cut into blocks of whole lines, worked on in parallel, handed over in order.
//!
//! A source is cut at multiples of the block size. A block *owns* the lines that start in its nominal range, so every
//! line has one owner, whatever the size of a block and the number of threads. Around its own lines a block shows
//! what a record may reach into:
//!
//! - before every line that it owns, at least `lead` bytes, or the start of the source;
//! - from the start of every line that it owns, at least `tail` bytes, or the end of the source.
//!
//! A worker that looks no further than that sees the same, however the source is cut. A line longer than the tail may
//! be cut at the end of the buffer; the rest of such a line is owned by no block, and a block that lies in the middle
//! of one owns nothing. In memory there are one buffer a thread and the results that wait for their turn.

mod cut;
mod feed;
mod newlines;

#[cfg(test)]
mod tests;

use super::progress::Progress;
use super::stream::{self, CHUNK, Stream};
use super::{Source, explain, head};
use feed::{Feed, PlainTask, Task};
pub use newlines::Newlines;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};

/// A piece of a source.
#[derive(Debug)]
pub struct Block<'a> {
    /// The source.
    pub source: &'a Source,
    /// Its index among the sources of the run.
    pub source_index: usize,
    /// Where `buf` starts in the decoded bytes of the source.
    pub offset: u64,
    /// What precedes the own lines, these, and what follows.
    pub buf: &'a [u8],
    /// The own lines in `buf`. It starts at the start of a line. It ends after a newline, at the end of the source,
    /// or, of an overlong line, at the end of `buf`; so a last line without newline is a line too. Empty where no
    /// line starts in the block.
    pub own: Range<usize>,
    /// Whether this is the first block of the source.
    pub first: bool,
    /// Whether this is the last one.
    pub last: bool,
    /// Its newlines, counted when they are first asked for.
    pub newlines: Newlines,
}

impl Block<'_> {
    /// How many lines begin between the first own byte and a byte; negative before the own lines.
    pub fn lines_before(&self, at: usize) -> i64 {
        self.newlines.before(self.buf, at) - self.newlines.before(self.buf, self.own.start)
    }
}

/// Results of consecutive blocks that become one.
pub trait Merge {
    /// Takes in the result of the blocks that follow.
    fn merge(&mut self, later: Self);
}

/// How to cut and how many work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Threads; 0: as many as the machine has.
    pub threads: usize,
    /// Bytes of a block's nominal range.
    pub block_size: usize,
    /// Bytes that are shown before the own lines.
    pub lead: usize,
    /// Bytes that are shown after the nominal range.
    pub tail: usize,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            threads: 0,
            block_size: 4 << 20,
            lead: 224 << 10,
            tail: 448 << 10,
        }
    }
}

impl Plan {
    /// The plan with every figure at least 1: a boundary of lines is told by the byte before it.
    fn sane(self) -> Plan {
        let machine = || std::thread::available_parallelism().map_or(1, usize::from);
        Plan {
            threads: if self.threads == 0 {
                machine()
            } else {
                self.threads
            },
            block_size: self.block_size.max(1),
            lead: self.lead.max(1),
            tail: self.tail.max(1),
        }
    }
}

/// How the reading of a source ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceEnd {
    /// Decoded bytes that were read; blocks that were not wanted do not count.
    pub bytes: u64,
    /// Why it was not read, or not to its end.
    pub error: Option<String>,
}

/// Results that may wait for their turn, a thread. A long compressed file holds up the ones after it this far.
const WAITING: u64 = 8;

/// Works on all blocks of all sources.
///
/// `wanted` is asked whether a range of decoded bytes of a source is of interest: first the whole source
/// (`0..u64::MAX`), then block by block. `init` makes what a thread keeps. `work` is called for every wanted block, for
/// an empty source once with nothing. `sink` gets the results on the calling thread in the order of sources and
/// offsets: one for each block of a plain file, one for each stream (compressed, UTF-16, standard input), merged.
///
/// Gives the ends of the sources in their order. Nothing that is wrong with a source ends the run.
pub fn run<W, R: Send + Merge>(
    sources: &[Source],
    plan: &Plan,
    wanted: impl Fn(usize, Range<u64>) -> bool + Sync,
    init: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, &Block) -> R + Sync,
    progress: &Progress,
    mut sink: impl FnMut(usize, R),
) -> Vec<SourceEnd> {
    let plan = plan.sane();
    let mut ends = vec![SourceEnd::default(); sources.len()];
    let queue = Queue {
        state: Mutex::new(State {
            feed: Feed::new(sources, plan.block_size as u64),
            delivered: 0,
            aborted: false,
        }),
        turn: Condvar::new(),
        window: WAITING * plan.threads as u64,
    };
    let job = Job {
        sources,
        plan,
        wanted: &wanted,
        work: &work,
        progress,
    };
    let (send, receive) = mpsc::channel::<Done<R>>();
    std::thread::scope(|scope| {
        for _ in 0..plan.threads {
            let send = send.clone();
            let (queue, job, init) = (&queue, &job, &init);
            scope.spawn(move || {
                let _guard = Guard(queue);
                let mut kept = init();
                let mut buf = Vec::new();
                while let Some((turn, task)) = queue.next(job.wanted) {
                    let done = job.run(turn, task, &mut kept, &mut buf);
                    if send.send(done).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let _guard = Guard(&queue);
        let mut early = BTreeMap::new();
        let mut turn = 0;
        for done in receive {
            early.insert(done.turn, done);
            while let Some(done) = early.remove(&turn) {
                turn += 1;
                if let Some(end) = ends.get_mut(done.source) {
                    end.bytes += done.bytes;
                    end.error = end.error.take().or(done.error);
                }
                if let Some(result) = done.result {
                    sink(done.source, result);
                }
            }
            queue.lock().delivered = turn;
            queue.turn.notify_all();
        }
    });
    ends
}

/// What a task came to.
struct Done<R> {
    turn: u64,
    source: usize,
    result: Option<R>,
    bytes: u64,
    error: Option<String>,
}

/// The tasks, given out in order and never too far ahead of what was delivered.
struct Queue<'a> {
    state: Mutex<State<'a>>,
    turn: Condvar,
    window: u64,
}

struct State<'a> {
    feed: Feed<'a>,
    delivered: u64,
    aborted: bool,
}

impl<'a> Queue<'a> {
    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self, wanted: impl Fn(usize, Range<u64>) -> bool) -> Option<(u64, Task)> {
        let mut state = self.lock();
        while !state.aborted && state.feed.turn() >= state.delivered + self.window {
            state = self
                .turn
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.aborted {
            return None;
        }
        state.feed.next(wanted)
    }
}

/// Wakes everybody where a thread panics, so that the panic is seen and nobody waits for it for ever.
struct Guard<'a, 'q>(&'q Queue<'a>);

impl Drop for Guard<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().aborted = true;
            self.0.turn.notify_all();
        }
    }
}

/// What all threads share.
struct Job<'a, P, F> {
    sources: &'a [Source],
    plan: Plan,
    wanted: &'a P,
    work: &'a F,
    progress: &'a Progress,
}

impl<P: Fn(usize, Range<u64>) -> bool, F> Job<'_, P, F> {
    fn run<W, R: Merge>(&self, turn: u64, task: Task, kept: &mut W, buf: &mut Vec<u8>) -> Done<R>
    where
        F: Fn(&mut W, &Block) -> R,
    {
        let mut done = Done {
            turn,
            source: task.source(),
            result: None,
            bytes: 0,
            error: None,
        };
        let Some(source) = self.sources.get(done.source) else {
            return done;
        };
        match task {
            Task::Failed { error, .. } => done.error = Some(error),
            Task::Plain(task) => self.plain(source, &task, kept, buf, &mut done),
            Task::Stream { .. } => match stream::open(source) {
                Err(e) => done.error = Some(explain(&e)),
                Ok(stream) => self.stream(source, stream, kept, buf, &mut done),
            },
        }
        done
    }

    fn plain<W, R>(
        &self,
        source: &Source,
        task: &PlainTask,
        kept: &mut W,
        buf: &mut Vec<u8>,
        done: &mut Done<R>,
    ) where
        F: Fn(&mut W, &Block) -> R,
    {
        let Range { start, end } = task.nominal;
        let size = task.opened.size;
        let offset = start.saturating_sub(self.plan.lead as u64);
        let until = size.min(end.saturating_add(self.plan.tail as u64));
        let length = usize::try_from(until.saturating_sub(offset)).unwrap_or(usize::MAX);
        buf.resize(length, 0);
        match head::read_full_at(&task.opened.file, buf, offset) {
            Err(e) => {
                done.error = Some(explain(&e));
                return;
            }
            Ok(got) if got < length => {
                buf.truncate(got);
                let now = task.opened.file.metadata().map_or(0, |m| m.len());
                done.error = Some(feed::shrank(size, now));
            }
            Ok(_) => {}
        }
        done.error = task.fault.clone().or(done.error.take());
        let reached = offset + buf.len() as u64;
        done.bytes = end.min(reached).saturating_sub(start);
        let block = Block {
            source,
            source_index: done.source,
            offset,
            own: cut::own(buf, offset, start..end),
            buf,
            first: start == 0,
            last: end >= size,
            newlines: Newlines::default(),
        };
        done.result = Some((self.work)(kept, &block));
        self.progress.add(done.bytes, &source.name);
    }

    fn stream<W, R: Merge>(
        &self,
        source: &Source,
        mut stream: Stream,
        kept: &mut W,
        buf: &mut Vec<u8>,
        done: &mut Done<R>,
    ) where
        F: Fn(&mut W, &Block) -> R,
    {
        buf.clear();
        let size = self.plan.block_size as u64;
        let (mut start, mut offset, mut ended, mut told) = (0u64, 0u64, false, 0u64);
        loop {
            let end = start.saturating_add(size);
            let until = end.saturating_add(self.plan.tail as u64);
            // What the previous block showed and this one does not.
            let from = start.saturating_sub(self.plan.lead as u64);
            let gone = usize::try_from(from - offset).unwrap_or(usize::MAX);
            buf.drain(..gone.min(buf.len()));
            offset = from;
            while !ended && offset + (buf.len() as u64) < until {
                match more(&mut stream, buf) {
                    Ok(got) => ended = got == 0,
                    Err(e) => {
                        done.error = Some(stream.explain(&e));
                        ended = true;
                    }
                }
            }
            let have = offset + buf.len() as u64;
            let last = ended && have <= end;
            if (self.wanted)(done.source, start..end) {
                let shown = usize::try_from(until.min(have) - offset).unwrap_or(usize::MAX);
                let shown = buf.get(..shown).unwrap_or(buf);
                let block = Block {
                    source,
                    source_index: done.source,
                    offset,
                    buf: shown,
                    own: cut::own(shown, offset, start..end),
                    first: start == 0,
                    last,
                    newlines: Newlines::default(),
                };
                let result = (self.work)(kept, &block);
                match &mut done.result {
                    Some(before) => before.merge(result),
                    none => *none = Some(result),
                }
            }
            done.bytes += end.min(have) - start;
            let taken = stream.taken();
            self.progress.add(taken - told, &source.name);
            told = taken;
            if last {
                return;
            }
            start = end;
        }
    }
}

/// Appends what the stream gives next.
fn more(stream: &mut Stream, buf: &mut Vec<u8>) -> io::Result<usize> {
    let old = buf.len();
    buf.resize(old + CHUNK, 0);
    let got = match buf.get_mut(old..) {
        Some(room) => stream.read(room),
        None => Ok(0),
    };
    buf.truncate(old + *got.as_ref().unwrap_or(&0));
    got
}
