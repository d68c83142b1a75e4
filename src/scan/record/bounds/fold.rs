//! Lines folded into records, one after the other.

use super::line::{Line, brace_open, closes, go_frame, node_source, npm, opens, token, traceback};
use crate::scan::record::{Shape, exception, level};

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
    /// In the error block of npm.
    Npm,
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
    pub(super) fn step(&mut self, line: &Line<'_>, next: Option<&Line<'_>>) -> bool {
        let goes_on = self.lines > 0 && self.goes_on(line, next);
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
        } else if npm(text) {
            State::Npm
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

    fn goes_on(&mut self, line: &Line<'_>, next: Option<&Line<'_>>) -> bool {
        if line.continues || self.partial {
            return true;
        }
        if line.head {
            return false;
        }
        let text = &*line.text;
        if self.state == State::Npm {
            return npm(text);
        }
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
                n.text.starts_with("Caused by:")
                    || n.text.starts_with("During handling of the above")
            });
        }
        if line.indented {
            return self.indented(line);
        }
        self.flush_left(line, next)
    }

    fn indented(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_start();
        let framed = token(text) || text.starts_with('|') || text.starts_with("+-");
        if line.collected && matches!(self.state, State::Plain | State::Raised) && !framed {
            return false;
        }
        // pip indents its warnings: a level of its own makes a record.
        let shouts = text.split_once(':').is_some_and(|(word, _)| {
            word.len() > 3 && word == word.to_uppercase() && level::word(word).is_some()
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

    fn flush_left(&mut self, line: &Line<'_>, next: Option<&Line<'_>>) -> bool {
        let text = &*line.text;
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
        let framed = next.is_some_and(Line::is_frame);
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
            let deeper = next.is_some_and(|n| n.indented && !n.head);
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
