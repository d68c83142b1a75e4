//! One line, as the fold of lines into records sees it.

use super::LONGEST;
use crate::scan::record::{Shape, exception, level, wrapper};
use std::borrow::Cow;

/// One line, as the fold sees it.
pub(super) struct Line<'a> {
    pub(super) text: Cow<'a, str>,
    /// It begins with the head of a record of this file.
    pub(super) head: bool,
    /// It begins with a head, or at least with a level.
    pub(super) logged: bool,
    pub(super) blank: bool,
    pub(super) indented: bool,
    pub(super) partial: bool,
    pub(super) continues: bool,
    /// Every line has a stamp from a collector, so indentation alone proves nothing.
    pub(super) collected: bool,
}

impl<'a> Line<'a> {
    pub(super) fn of(raw: &'a [u8], shape: &Shape) -> Line<'a> {
        let raw = raw.get(..raw.len().min(LONGEST)).unwrap_or(raw);
        let inner = wrapper::unwrap(raw, shape.is_piped());
        let mut text = inner.text;
        let mut collected = inner.wrapped;
        if shape.is_runner()
            && !inner.wrapped
            && let Some(cut) = wrapper::runner_stamp(&text)
        {
            text = match text {
                Cow::Borrowed(text) => Cow::Borrowed(text.get(cut..).unwrap_or_default()),
                Cow::Owned(text) => Cow::Owned(text.get(cut..).unwrap_or_default().to_owned()),
            };
            collected = true;
        }
        let body: &str = &text;
        let blank = body.trim().is_empty();
        let indented = body.starts_with([' ', '\t']) && !blank;
        let json = body.starts_with('{') && body.trim_end().ends_with('}') && body.len() > 2;
        let cells = shape.columns().is_some() && !indented && !blank;
        let element = shape
            .elements()
            .is_some_and(|indent| body.trim_end().len() == indent + 1 && body.trim() == "{");
        let head = element
            || !blank
                && (!indented || shape.is_indented())
                && (json || cells || (!body.starts_with('{') && stamped(body, shape)));
        let logged = head
            || (!indented
                && body
                    .split([' ', ':'])
                    .next()
                    .is_some_and(|w| w == w.to_uppercase() && level::word(w).is_some()));
        let indented = indented
            && !element
            && (!shape.is_indented() || body.trim_start().starts_with(['|', '+']));
        Line {
            text,
            head,
            logged,
            blank,
            indented,
            partial: inner.partial,
            continues: inner.continues,
            collected,
        }
    }

    /// A line that neither belongs to a trace nor opens one.
    pub(super) fn is_plain(&self) -> bool {
        let text = &*self.text;
        !self.blank
            && !self.indented
            && !token(text)
            && !opens(text)
            && !closes(text)
            && !brace_open(text)
            && !go_frame(text)
            && !node_source(text)
            && !npm(text)
            && !exception::classed(text)
    }

    /// Whether it is a frame of a trace, so that the line before it belongs to the trace too.
    pub(super) fn is_frame(&self) -> bool {
        let body = self.text.trim_start();
        self.indented
            && !self.head
            && (body.starts_with("at ") || body.starts_with("from ") || body.starts_with("... "))
    }

    /// Whether it begins a record whatever stands further up.
    pub(super) fn is_sure(&self, before: impl Fn() -> Line<'a>, next: impl Fn() -> bool) -> bool {
        if self.continues {
            return false;
        }
        if self.head {
            return !self.collected || !before().partial;
        }
        if !self.is_plain() {
            return false;
        }
        let before = before();
        !before.partial && before.is_plain() && !next()
    }
}

fn stamped(body: &str, shape: &Shape) -> bool {
    let head = cut(body, 256);
    shape.find_stamp(head).is_some()
}

fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// The lines of npm's error block: all of one failure.
pub(super) fn npm(text: &str) -> bool {
    text.starts_with("npm ERR!") || text.starts_with("npm error")
}

/// Lines at column 0 that go on with the trace before them.
pub(super) fn token(text: &str) -> bool {
    const TOKENS: &[&str] = &[
        "Caused by:",
        "Suppressed:",
        "Wrapped by:",
        "During handling of the above exception",
        "The above exception was the direct cause",
        "--- End of",
        "stack backtrace:",
        "note: run with",
        "note: Some details",
        "DETAIL:",
        "HINT:",
        "STATEMENT:",
        "CONTEXT:",
        "QUERY:",
        "LOCATION:",
        "Node.js v",
        "Stack trace:",
        "[stacktrace]",
        "[previous exception]",
        "created by ",
        "File \"",
        "at ",
        "^",
        "Location:",
        "Backtrace:",
    ];
    if TOKENS.iter().any(|t| text.starts_with(t)) {
        return true;
    }
    if let Some(rest) = text.strip_prefix("... ") {
        return rest.bytes().next().is_some_and(|b| b.is_ascii_digit());
    }
    if let Some(rest) = text.strip_prefix('#') {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        return digits > 0 && rest.as_bytes().get(digits) == Some(&b' ');
    }
    (text.starts_with("goroutine ") && text.ends_with("]:")) || traceback(text)
}

pub(super) fn traceback(text: &str) -> bool {
    text.starts_with("Traceback (most recent call last):")
}

/// Lines that open a trace.
pub(super) fn opens(text: &str) -> bool {
    traceback(text)
        || text.starts_with("panic: ")
        || text.starts_with("fatal error: ")
        || (text.starts_with("thread '") && text.contains("panicked at"))
        || text.starts_with("PHP ")
        || text.starts_with("Unhandled exception")
        || text.starts_with("Exception in thread ")
        || text.starts_with("Error: ")
        || text.starts_with("Uncaught ")
}

pub(super) fn closes(text: &str) -> bool {
    text.starts_with(['}', ')', ']'])
}

/// `{` alone, or a line that ends in ` {`.
pub(super) fn brace_open(text: &str) -> bool {
    let text = text.trim_end();
    matches!(text, "{" | "[")
        || text.ends_with(" {")
        || text.ends_with(": [")
        || text.ends_with(" (")
}

/// `main.run(0x1, 0x2)`, `created by main.main`: the frames of Go stand at column 0.
pub(super) fn go_frame(text: &str) -> bool {
    if text.starts_with("created by ") || text.starts_with("exit status ") {
        return true;
    }
    let Some(open) = text.find('(') else {
        return false;
    };
    text.ends_with(')')
        && text
            .get(..open)
            .is_some_and(|f| f.contains('.') && !f.contains(' ') && !f.contains('='))
}

/// `/app/run.js:9`: what Node prints above an uncaught error.
pub(super) fn node_source(text: &str) -> bool {
    (text.starts_with('/') || text.starts_with("file:///") || text.starts_with("node:"))
        && !text.contains(' ')
        && text
            .rsplit_once(':')
            .is_some_and(|(_, n)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}
