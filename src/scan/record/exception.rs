//! The exception of a record: the class and message of its innermost cause.

use super::lookup::Lookup;
use regex::Regex;
use std::sync::LazyLock;

fn regex(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

/// A line that begins with an exception's class: `ValueError: x`, `java.net.SocketTimeoutException`, `a.b.C::Error`.
static CLASS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"^(?:[A-Za-z_][\w$]*(?:\.|::|\\|/))*(?:[A-Z][\w$]*)?(?:Error|Exception|Exit|Interrupt|Warning|Throwable|Failure|Fault|Timeout|Group|NotFound|Expired|Refused|Denied|Abort|DoesNotExist|Unavailable|Stop|Iteration)(?: \[[\w.]+\])?(?: \(\w+\))?(?::(?: |$)|$)",
    )
});

/// Any dotted name of a class: it can be an exception, and it can be a logger.
static DOTTED: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r"^[A-Za-z_]\w*(?:\.\w+)*\.[A-Z]\w*(?::(?: |$)|$)"));

/// The same anywhere in a line, behind a space or a colon.
static INLINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r#"(?:^|[\s:(\[>"'=])((?:[A-Za-z_][\w$]*(?:\.|::|\\))*[A-Z][\w$]*(?:Error|Exception|Throwable|Failure|Timeout)(?: \[[\w.]+\])?: [^\n]+)"#,
    )
});

static RUST: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r"panicked at (?:'([^'\n]*)'|[^\n]*:\d+:\d+:\n?([^\n]*))"));
static PHP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?:PHP Fatal error: +(?:Uncaught )?|Uncaught )([^\n]*?)(?: in \S+:\d+| in \S+ on line \d+)?(?:\n|$)",
    )
});
static RUBY: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r"(?m):\d+:in [`'][^'\n]*': ([^\n]*) \(([A-Z][\w:]*)\)$"));

/// Whether a line begins with the class of an exception, by its name.
pub(super) fn classed(line: &str) -> bool {
    line.len() < 4096 && CLASS.as_ref().is_some_and(|r| r.is_match(line))
}

/// Whether a line begins with what may be the class of an exception, where one is expected.
pub(super) fn begins(line: &str) -> bool {
    classed(line) || (line.len() < 4096 && DOTTED.as_ref().is_some_and(|r| r.is_match(line)))
}

/// The class and message of the innermost cause in a text: the last exception of a Python chain, the last
/// `Caused by` of Java, the innermost ` ---> ` of .NET, the deepest `[cause]` of Node.
pub fn innermost(text: &str) -> Option<String> {
    let first_line = text.lines().next().unwrap_or_default();
    let many = text.contains('\n');
    if let Some(at) = text.rfind(" ---> ") {
        let rest = text.get(at + 6..)?;
        let end = rest
            .find('\n')
            .or_else(|| rest.find("   at "))
            .unwrap_or(rest.len());
        let said = rest.get(..end)?.trim();
        // Docker marks its layers in the same way.
        if begins(said) || said.split([':', ' ']).next().is_some_and(classed) {
            return cut(said);
        }
    }
    if let Some(at) = text.rfind("[cause]: ") {
        let rest = text.get(at + 9..)?;
        return cut(rest.lines().next()?.trim_end_matches([' ', '{']));
    }
    if let Some(found) = caused_by(text) {
        return cut(&found);
    }
    if many
        && text.contains("Traceback (most recent call last):")
        && let Some(found) = python(text)
    {
        return Some(found);
    }
    if let Some(rest) = text.lines().find_map(|l| {
        l.strip_prefix("panic: ")
            .or(l.strip_prefix("fatal error: "))
    }) {
        return cut(&format!("panic: {rest}"));
    }
    if let Some(found) = RUST.as_ref().and_then(|r| r.captures(text)) {
        let said = found.get(1).or(found.get(2))?;
        return cut(&format!("panic: {}", said.as_str()));
    }
    if (text.contains("PHP Fatal error:") || text.contains("Uncaught "))
        && let Some(found) = PHP.as_ref().and_then(|r| r.captures(text))
    {
        return cut(found.get(1)?.as_str());
    }
    if text.contains(":in ")
        && let Some(found) = RUBY.as_ref().and_then(|r| r.captures(text))
    {
        return cut(&format!(
            "{}: {}",
            found.get(2)?.as_str(),
            found.get(1)?.as_str()
        ));
    }
    if let Some(rest) = text
        .lines()
        .find_map(|l| l.trim_start().strip_prefix("** ("))
    {
        let (class, said) = rest.split_once(')')?;
        return cut(&format!("{class}: {}", said.trim()));
    }
    if many && let Some(line) = text.lines().take(40).map(str::trim).find(|l| begins(l)) {
        return cut(line);
    }
    inline(first_line).or_else(|| if many { inline(text) } else { None })
}

fn inline(text: &str) -> Option<String> {
    const ENDS: &[&str] = &["Error", "Exception", "Throwable", "Failure", "Timeout"];
    let text = text.get(..text.len().min(8192)).unwrap_or(text);
    if !ENDS.iter().any(|end| text.contains(end)) {
        return None;
    }
    cut(INLINE.as_ref()?.captures(text)?.get(1)?.as_str())
}

fn caused_by(text: &str) -> Option<String> {
    let mut lines = text.lines().peekable();
    let mut found = None;
    while let Some(line) = lines.next() {
        let line = line.trim_start();
        if let Some(rest) = line
            .strip_prefix("Caused by: ")
            .or_else(|| line.strip_prefix("Wrapped by: "))
        {
            found = Some(rest.to_owned());
        } else if line == "Caused by:" {
            // anyhow and eyre: the last numbered line is the innermost.
            while let Some(next) = lines.peek() {
                let next = next.trim_start();
                let said = next
                    .split_once(": ")
                    .filter(|(n, _)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
                match said {
                    Some((_, said)) => found = Some(said.to_owned()),
                    None if found.is_none() && !next.is_empty() => found = Some(next.to_owned()),
                    None => break,
                }
                lines.next();
            }
        }
    }
    found
}

/// The line that ends the last traceback: the first behind the frames that is not deeper than the traceback's head.
fn python(text: &str) -> Option<String> {
    let mut found = None;
    let mut head: Option<usize> = None;
    for line in text.lines() {
        let bare = line.trim_start_matches([' ', '\t', '|', '+', '-']);
        let indent = line.len() - bare.len();
        if bare.contains("Traceback (most recent call last):") {
            head = Some(if bare.starts_with(['T', 'E']) {
                indent
            } else {
                0
            });
        } else if let Some(depth) = head
            && !bare.is_empty()
            && indent <= depth
            && !bare.starts_with("File \"")
        {
            found = Some(bare);
            head = None;
        }
    }
    cut(found?)
}

/// The innermost cause of a JSON record, from its error fields or from the stack within them.
pub(super) fn of_json(fields: &Lookup<'_>) -> Option<String> {
    const STACKS: &[&str] = &[
        "stack",
        "stack_trace",
        "stacktrace",
        "stackTrace",
        "exc_info",
        "exception",
        "@x",
        "Exception",
        "traceback",
        "error.stack_trace",
        "exception.stacktrace",
        "errorVerbose",
    ];
    const CLASSES: &[&str] = &[
        "type",
        "name",
        "class",
        "exc_type",
        "errorType",
        "error_type",
        "exception_type",
        "exception_class",
        "kind",
    ];
    const SAYS: &[&str] = &["errorMessage", "exc_value", "value", "message", "msg"];
    const HOLDERS: &[&str] = &[
        "cause",
        "previous",
        "err",
        "error",
        "exception",
        "thrown",
        "error_detail",
        "errors",
        "errorType",
        "err.cause",
        "error.cause",
    ];
    // The deepest object that carries a class and a message.
    let mut best: Option<(usize, String)> = None;
    for field in fields.fields() {
        let (holder, last) = field.path.rsplit_once('.').unwrap_or(("", &field.path));
        if !CLASSES.contains(&last) || field.value.is_empty() {
            continue;
        }
        let root = matches!(
            last,
            "errorType" | "exc_type" | "exception_type" | "exception_class"
        );
        let held = holder
            .rsplit('.')
            .find(|s| !s.bytes().all(|b| b.is_ascii_digit()))
            .is_some_and(|s| HOLDERS.iter().any(|h| h.eq_ignore_ascii_case(s)));
        if !(root || held) {
            continue;
        }
        let said = SAYS.iter().find_map(|key| {
            let path = if holder.is_empty() {
                (*key).to_owned()
            } else {
                format!("{holder}.{key}")
            };
            fields.whole(&path)
        });
        let depth = holder.split('.').count();
        if best.as_ref().is_none_or(|(d, _)| depth > *d) {
            let said = said.map(|f| f.value.as_str()).unwrap_or_default();
            let text = if said.is_empty() || said.starts_with(&field.value) {
                if said.is_empty() {
                    field.value.clone()
                } else {
                    said.to_owned()
                }
            } else {
                format!("{}: {said}", field.value)
            };
            best = Some((depth, text));
        }
    }
    if let Some((depth, text)) = &best
        && *depth > 1
        && fields
            .fields()
            .iter()
            .any(|f| f.path.contains("cause") || f.path.contains("previous"))
    {
        return cut(text);
    }
    for key in STACKS {
        if let Some(field) = fields.get(key)
            && (field.value.contains('\n')
                || field.value.contains(" ---> ")
                || field.value.contains("   at "))
        {
            let found =
                innermost(&field.value).or_else(|| field.value.lines().next().map(str::to_owned));
            if found.is_some() {
                return found;
            }
        }
    }
    if let Some((_, text)) = best {
        return cut(&text);
    }
    for key in [
        "err",
        "error",
        "exception",
        "err.message",
        "error.message",
        "error.cause",
    ] {
        if let Some(field) = fields.shallow(key)
            && !matches!(field.value.as_str(), "" | "null" | "false" | "true" | "0")
            && field.kind == super::fields::Scalar::Text
        {
            return innermost(&field.value).or_else(|| cut(&field.value));
        }
    }
    fields
        .shallow("message")
        .or_else(|| fields.shallow("msg"))
        .and_then(|f| inline(&f.value))
}

fn cut(text: &str) -> Option<String> {
    let line = text.lines().next().unwrap_or_default().trim();
    (!line.is_empty()).then(|| line.chars().take(500).collect())
}
