//! Where a record begins and ends: a line, or a line with the trace that follows it.
//!
//! The lines are folded one after the other ([`Fold`]). To find the record of a byte in the middle of a file, the fold
//! begins at the nearest line before it that begins a record whatever stands before (a *sure* line), so the answer
//! depends on the bytes around the record and not on where a block begins.

mod line;

use super::shape::Shape;
use super::{exception, text};
use line::{Line, brace_open, closes, go_frame, node_source, opens, token, traceback};
use std::ops::Range;

/// How far back a sure line is looked for.
const BACK_BYTES: usize = 64 << 10;
const BACK_LINES: usize = 400;
/// The most that one record may hold.
const RECORD_BYTES: usize = 256 << 10;
const RECORD_LINES: usize = 2000;

/// Whether a line begins a record, given only the line before it.
pub fn line_starts_record(prev: Option<&[u8]>, line: &[u8], shape: &Shape) -> bool {
    let mut fold = Fold::new(shape);
    if let Some(prev) = prev {
        fold.step(prev, Some(line));
        fold.adopt(prev);
    }
    fold.step(line, None)
}

/// The record (one or more whole lines) that holds byte `at` of `buf`. Looks back at most 64 KiB and 400 lines, and
/// forward at most 256 KiB and 2000 lines: a longer record is cut at a line's end, the rest begins another. One line
/// is never cut. Give at least 64 KiB before `at` where the file has them, and a record's length behind.
pub fn bounds(buf: &[u8], at: usize, shape: &Shape) -> Range<usize> {
    let at = at.min(buf.len());
    let line_start = start_of_line(buf, at);
    let mut start = sure_start(buf, line_start, shape);
    let mut fold = Fold::new(shape);
    let (mut record, mut lines) = (start, 0);
    loop {
        let end = end_of_line(buf, start);
        let line = buf.get(start..end).unwrap_or_default();
        let next = buf
            .get(end..end_of_line(buf, end))
            .filter(|n| !n.is_empty());
        let begins = fold.step(line, next);
        let full = lines >= RECORD_LINES || end - record > RECORD_BYTES;
        if (begins || full) && start > record {
            if start > line_start {
                return record..start;
            }
            record = start;
            lines = 0;
            if full && !begins {
                fold = Fold::new(shape);
                fold.step(line, next);
            }
        }
        lines += 1;
        if end >= buf.len() {
            return record..buf.len();
        }
        start = end;
    }
}

fn start_of_line(buf: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', buf.get(..at).unwrap_or_default()).map_or(0, |i| i + 1)
}

/// The byte behind the newline of the line that begins at `start`.
fn end_of_line(buf: &[u8], start: usize) -> usize {
    buf.get(start..)
        .and_then(|rest| memchr::memchr(b'\n', rest))
        .map_or(buf.len(), |i| start + i + 1)
}

/// The nearest line at or before one that begins a record for certain.
fn sure_start(buf: &[u8], line_start: usize, shape: &Shape) -> usize {
    let mut start = line_start;
    let mut line = Line::of(
        buf.get(start..end_of_line(buf, start)).unwrap_or_default(),
        shape,
    );
    for _ in 0..BACK_LINES {
        if start == 0 {
            return 0;
        }
        let before = start_of_line(buf, start - 1);
        if line_start - before > BACK_BYTES {
            return start;
        }
        let prev = Line::of(buf.get(before..start).unwrap_or_default(), shape);
        let joined = prev.partial || line.continues;
        if !joined && (line.head || (line.is_plain() && prev.is_plain())) {
            return start;
        }
        line = prev;
        start = before;
    }
    start
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No trace.
    Plain,
    /// Some trace: blank lines and tokens belong to it.
    Trace,
    /// Between the head of a Python traceback and its exception.
    Python,
    /// Behind a Python exception.
    Raised,
    /// Behind the sentence that joins two exceptions of a chain.
    Chained,
    /// A crash of Go.
    Go,
    /// The next line is the message (Rust).
    Message,
    /// Between the place and the error of an uncaught JavaScript exception.
    Node(u8),
}

/// Folds lines into records.
pub(super) struct Fold<'s> {
    shape: &'s Shape,
    state: State,
    /// Open brackets of a block that runs over lines.
    depth: i32,
    /// Lines of the record so far.
    lines: usize,
    /// The record began with a logged line.
    logged: bool,
    partial: bool,
}

impl<'s> Fold<'s> {
    pub(super) fn new(shape: &'s Shape) -> Fold<'s> {
        Fold {
            shape,
            state: State::Plain,
            depth: 0,
            lines: 0,
            logged: false,
            partial: false,
        }
    }

    /// Takes a line; says whether it begins a record.
    pub(super) fn step(&mut self, raw: &[u8], next: Option<&[u8]>) -> bool {
        let line = Line::of(raw, self.shape);
        let goes_on = self.lines > 0 && self.goes_on(&line, next);
        self.partial = line.partial;
        if goes_on {
            self.lines += 1;
            return false;
        }
        self.lines = 1;
        self.logged = line.logged;
        self.depth = 0;
        self.state = self.opened(&line.text);
        if brace_open(&line.text) {
            self.depth = balance(&line.text).max(0);
        }
        true
    }

    /// Lets a line without its history count as the middle of a trace, if that is what it looks like.
    fn adopt(&mut self, raw: &[u8]) {
        let line = Line::of(raw, self.shape);
        let text = line.text.trim_start();
        if line.indented && text.starts_with("File \"") {
            self.state = State::Python;
        } else if line.indented || token(&line.text) {
            self.state = State::Trace;
        }
    }

    fn opened(&self, text: &str) -> State {
        if traceback(text) {
            State::Python
        } else if text.starts_with("panic: ") || text.starts_with("fatal error: ") {
            State::Go
        } else if text.starts_with("thread '") && text.contains("panicked at") {
            if text.ends_with(':') {
                State::Message
            } else {
                State::Trace
            }
        } else if node_source(text) {
            State::Node(0)
        } else if opens(text)
            || exception::classed(text)
            || text.ends_with("Traceback (most recent call last):")
        {
            if text.ends_with("Traceback (most recent call last):") {
                State::Python
            } else {
                State::Trace
            }
        } else {
            State::Plain
        }
    }

    fn goes_on(&mut self, line: &Line, next: Option<&[u8]>) -> bool {
        if line.continues || self.partial {
            return true;
        }
        if line.head {
            return false;
        }
        let text = line.text.as_str();
        if self.depth > 0 {
            if line.indented || closes(text) {
                self.depth += balance(text);
                if self.depth <= 0 {
                    self.depth = 0;
                    if self.state == State::Plain {
                        self.state = State::Trace;
                    }
                }
                return true;
            }
            self.depth = 0;
        }
        if let State::Node(n) = self.state {
            if exception::begins(text) || text.starts_with("Error") {
                self.state = State::Trace;
                return true;
            }
            if n < 8 {
                self.state = State::Node(n + 1);
                return true;
            }
            self.state = State::Plain;
        }
        if self.state == State::Message {
            self.state = State::Trace;
            return true;
        }
        if line.blank {
            if self.state != State::Plain {
                return true;
            }
            return next.is_some_and(|n| {
                let next = text::clean(n);
                next.starts_with("Caused by:") || next.starts_with("During handling of the above")
            });
        }
        if line.indented {
            return self.indented(line);
        }
        self.flush_left(line, next)
    }

    fn indented(&mut self, line: &Line) -> bool {
        let text = line.text.trim_start();
        let framed = token(text) || text.starts_with('|') || text.starts_with("+-");
        if line.collected && matches!(self.state, State::Plain | State::Raised) && !framed {
            return false;
        }
        // pip indents its warnings: a level of its own makes a record.
        let shouts = text.split_once(':').is_some_and(|(word, _)| {
            word.len() > 3 && word == word.to_uppercase() && super::level::word(word).is_some()
        });
        if shouts && self.state == State::Plain {
            return false;
        }
        if traceback(text.trim_start_matches(['|', '+', ' '])) {
            self.state = State::Python;
        } else if self.state == State::Plain && framed {
            self.state = State::Trace;
        }
        if brace_open(&line.text) {
            self.depth = balance(&line.text).max(0);
        }
        true
    }

    fn flush_left(&mut self, line: &Line, next: Option<&[u8]>) -> bool {
        let text = line.text.as_str();
        if traceback(text) {
            let joined = (self.lines == 1 && self.logged) || self.state == State::Chained;
            if joined {
                self.state = State::Python;
            }
            return joined;
        }
        match self.state {
            State::Python => {
                self.state = State::Raised;
                return true;
            }
            State::Go
                if go_frame(text)
                    || text.starts_with("panic: ")
                    || text.starts_with("[signal ") =>
            {
                return true;
            }
            _ => {}
        }
        if token(text) {
            let wants_trace = text.starts_with("at ")
                || text.starts_with('#')
                || text.starts_with('^')
                || text.starts_with("File \"");
            if wants_trace && self.state == State::Plain {
                return false;
            }
            if text.starts_with("goroutine ") && self.state == State::Plain {
                return false;
            }
            let joiner = text.starts_with("During handling") || text.starts_with("The above");
            if joiner {
                self.state = State::Chained;
            } else if matches!(self.state, State::Plain | State::Raised) {
                self.state = State::Trace;
            }
            return true;
        }
        if closes(text) && self.state != State::Plain {
            return true;
        }
        let framed = next.is_some_and(|n| {
            let n = Line::of(n, self.shape);
            let body = n.text.trim_start();
            n.indented
                && !n.head
                && (body.starts_with("at ")
                    || body.starts_with("from ")
                    || body.starts_with("... "))
        });
        if exception::begins(text) && self.logged && self.lines == 1 {
            let qualified = text
                .split([':', ' '])
                .next()
                .is_some_and(|c| c.contains('.') || c.contains("::"));
            if (qualified && exception::classed(text)) || framed {
                self.state = State::Trace;
                return true;
            }
        }
        if framed && self.logged && self.lines == 1 {
            self.state = State::Trace;
            return true;
        }
        // The rest of a message of several lines (pydantic): a field's name, then its indented fault.
        if self.state == State::Raised && self.shape.is_stamped() {
            let deeper = next.is_some_and(|n| {
                let n = Line::of(n, self.shape);
                n.indented && !n.head
            });
            return deeper && !text.contains(' ');
        }
        false
    }
}

/// Open minus closed brackets of a line, strings aside.
fn balance(text: &str) -> i32 {
    let (mut open, mut quoted, mut escaped) = (0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' | b'(' if !quoted => open += 1,
            b'}' | b']' | b')' if !quoted => open -= 1,
            _ => {}
        }
    }
    open
}
