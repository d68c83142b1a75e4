//! Errors in a file that a person wrote: the place, the line with a caret under the fault, and what to do.

use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// The most columns of a line that are shown; of a longer one, what surrounds the fault.
const SHOWN: usize = 120;

/// Renders an error in `text` (the content of `file`), whose fault lies at the byte range `span`.
///
/// A span that lies outside of the text, or inside of a character, is moved to the nearest place that exists.
/// `help` says what to do.
pub fn render(
    file: &str,
    text: &str,
    span: Range<usize>,
    message: &str,
    help: Option<&str>,
) -> String {
    let start = text.floor_char_boundary(span.start);
    let (before, after) = text.split_at_checked(start).unwrap_or((text, ""));
    let row = before.matches('\n').count() + 1;
    let head = before.rsplit('\n').next().unwrap_or("");
    let rest = after.split('\n').next().unwrap_or("");
    let length = after
        .floor_char_boundary(span.end.saturating_sub(start))
        .min(rest.len());
    let fault = rest.get(..length).unwrap_or("");
    let tail = rest.get(length..).unwrap_or("").trim_end_matches('\r');

    let column = head.chars().count() + 1;
    let head = clip_left(&visible(head), SHOWN / 2);
    let fault = clip_right(&visible(fault.trim_end()), SHOWN / 2);
    let tail = clip_right(&visible(tail), SHOWN / 2);

    let number = row.to_string();
    let gutter = " ".repeat(number.len());
    let mark = "^".repeat(fault.width().max(1));
    let mut out = format!(
        "{file}:{row}:{column}: {message}\n{gutter} |\n{number} | {head}{fault}{tail}\n{gutter} | {}{mark}\n",
        " ".repeat(head.width()),
    );
    if let Some(help) = help {
        out.push_str(&format!("{gutter} = help: {help}\n"));
    }
    out
}

/// Renders what the TOML reader or a `Deserialize` found wrong in `text`, the content of `file`.
///
/// Of a key or a word that is not known, the nearest known one is named. A message of a `Deserialize` may hold its
/// own help, on a second line.
pub fn render_toml(file: &str, text: &str, error: &toml::de::Error) -> String {
    let (message, help) = reword(error.message());
    render(
        file,
        text,
        error.span().unwrap_or(0..0),
        &message,
        help.as_deref(),
    )
}

/// The known word nearest to `word`, if one is near enough to have been meant.
///
/// Case and the difference between `-` and `_` do not count; of equally near ones the first is named.
pub fn did_you_mean<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let fold = |s: &str| s.to_lowercase().replace('_', "-");
    let word = fold(word);
    let limit = (word.chars().count() / 3).max(1);
    known
        .map(|k| (strsim::damerau_levenshtein(&word, &fold(k)), k))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, k)| k)
}

/// Turns a message of serde into this program's words, with its help.
fn reword(message: &str) -> (String, Option<String>) {
    let message = message.trim_end();
    for (theirs, ours) in [("unknown field ", "key"), ("unknown variant ", "word")] {
        let Some(rest) = message.strip_prefix(theirs) else {
            continue;
        };
        let mut words = rest.split('`').skip(1).step_by(2);
        let Some(found) = words.next() else { continue };
        let known: Vec<&str> = words.collect();
        return (
            format!("unknown {ours} `{found}`"),
            suggest(found, &known, ours),
        );
    }
    if let Some(key) = message.strip_prefix("missing field ") {
        let key = key.trim_matches('`');
        return (
            format!("missing key `{key}`"),
            Some(format!("write `{key} = ...`")),
        );
    }
    if let Some((found, expected)) = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "))
        .and_then(|m| m.split_once(", expected "))
    {
        let (expected, help) = match expected {
            "a sequence" => ("a list", Some("write it in square brackets")),
            "a map" => (
                "a table",
                Some("write it as a table, `[name]` or `{ key = ... }`"),
            ),
            "u8" | "u16" | "u32" | "u64" | "usize" => ("a whole number of 0 or more", None),
            "i8" | "i16" | "i32" | "i64" => ("a whole number", None),
            "a string" => ("a text", Some("write it in quotes")),
            "a boolean" => ("true or false", None),
            other => (other, None),
        };
        let found = match found {
            "sequence" => "a list",
            "map" => "a table",
            other => other,
        };
        return (
            format!("expected {expected}, found {found}"),
            help.map(str::to_owned),
        );
    }
    if message.starts_with("missing escaped value") {
        return (
            "a backslash that escapes nothing".to_owned(),
            Some(
                "between double quotes write it twice; between single quotes it stands for itself"
                    .to_owned(),
            ),
        );
    }
    if message == "duplicate key" {
        return (message.to_owned(), Some("keep one of the two".to_owned()));
    }
    match message.split_once('\n') {
        Some((message, help)) => (message.to_owned(), Some(help.replace('\n', " "))),
        None => (message.to_owned(), None),
    }
}

/// What to write instead of `found`: the nearest known word, else all of them.
pub fn suggest(found: &str, known: &[&str], what: &str) -> Option<String> {
    match did_you_mean(found, known.iter().copied()) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None if known.is_empty() => Some(format!("no {what} is known here; remove it")),
        None => Some(format!("known here: {}", known.join(", "))),
    }
}

/// Control characters replaced, so that what is shown stays on its line and steers no terminal.
fn visible(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' => ' ',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

fn clip_left(text: &str, limit: usize) -> String {
    let count = text.chars().count();
    if count <= limit {
        return text.to_owned();
    }
    let kept: String = text.chars().skip(count - limit + 1).collect();
    format!("…{kept}")
}

fn clip_right(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let kept: String = text.chars().take(limit - 1).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_the_fault_whatever_the_span() {
        let text = "a = 1\n\tnäme = \"日本\"\r\nc = 3";
        for (span, place, line, mark) in [
            (0..1, "f:1:1", "a = 1", "^"),
            (7..12, "f:2:2", " näme = \"日本\"", " ^^^^"),
            (15..23, "f:2:9", " näme = \"日本\"", "        ^^^^^^"),
            (17..18, "f:2:10", " näme = \"日本\"", "         ^"),
            (25..26, "f:3:1", "c = 3", "^"),
            (900..901, "f:3:6", "c = 3", "     ^"),
        ] {
            let shown = render("f", text, span.clone(), "m", Some("h"));
            let row = place
                .trim_start_matches("f:")
                .split(':')
                .next()
                .unwrap_or("");
            let expected = format!("{place}: m\n  |\n{row} | {line}\n  | {mark}\n  = help: h\n");
            assert_eq!(shown, expected, "{span:?}");
        }
    }

    #[test]
    fn long_lines_show_the_surroundings() {
        let text = format!("{}X{}", "a".repeat(500), "b".repeat(500));
        let shown = render("f", &text, 500..501, "m", None);
        assert!(shown.starts_with("f:1:501: m\n"));
        assert!(shown.lines().all(|l| l.chars().count() < 140));
        assert!(shown.contains("aXb"));
    }

    #[test]
    fn nearest_words() {
        let known = ["timezone", "lane-field", "paths"];
        for (word, near) in [
            ("timezon", Some("timezone")),
            ("lane_field", Some("lane-field")),
            ("Path", Some("paths")),
            ("unrelated", None),
            ("", None),
        ] {
            assert_eq!(did_you_mean(word, known.into_iter()), near, "{word}");
        }
    }
}
