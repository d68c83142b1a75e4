//! The tokens of a head: words and bracketed columns, and what they look like.

use crate::evidence::Level;
use crate::scan::record::level;

/// One column of the head.
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) bracket: bool,
}

/// The token at a byte, after separators. A bracket pair is one token.
pub(super) fn token(line: &str, from: usize) -> Option<Token<'_>> {
    let rest = line.get(from..)?;
    let mut start = from;
    for c in rest.chars() {
        if c.is_whitespace() || matches!(c, '|' | ']' | ')' | ',' | '•' | '–') {
            start += c.len_utf8();
        } else if matches!(c, '-' | ':') {
            // A dash or colon of its own separates; one that begins a word does not.
            let tail = line.get(start..)?;
            let run = tail.len() - tail.trim_start_matches(c).len();
            if tail
                .get(run..)
                .is_none_or(|t| t.is_empty() || t.starts_with([' ', '\t', '[']))
            {
                start += c.len_utf8();
            } else {
                break;
            }
        } else {
            break;
        }
    }
    let rest = line.get(start..).filter(|r| !r.is_empty())?;
    let close = match rest.as_bytes().first() {
        Some(b'[') => Some(']'),
        Some(b'{') => Some('}'),
        Some(b'(') => Some(')'),
        Some(b'<') => Some('>'),
        _ => None,
    };
    if let Some(close) = close
        && let Some(end) = matching(rest, close).filter(|e| *e <= 160)
    {
        return Some(Token {
            text: rest.get(1..end)?,
            start,
            end: start + end + close.len_utf8(),
            bracket: true,
        });
    }
    let end = rest
        .find(|c: char| c.is_whitespace() || c == '|')
        .unwrap_or(rest.len());
    let end = if end == 0 { rest.len().min(1) } else { end };
    Some(Token {
        text: rest.get(..end)?,
        start,
        end: start + end,
        bracket: false,
    })
}

pub(super) fn matching(text: &str, close: char) -> Option<usize> {
    let open = text.chars().next()?;
    let mut depth = 0;
    for (at, c) in text.char_indices().take(200) {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// The level that a token states, and the logger that is glued to it.
pub(super) fn stated<'a>(
    token: &Token<'a>,
    next: Option<char>,
) -> Option<(Level, Option<&'a str>)> {
    let text = token.text;
    let bare = text.trim_end_matches([':', ',']);
    if token.bracket {
        return level::word(text)
            .or_else(|| single(text.trim()))
            .map(|l| (l, None));
    }
    // `WARN[0012]`, `ERROR/ForkPoolWorker-1]`, `error(web):`
    let cut = bare.find(['[', '/', '(']).unwrap_or(bare.len());
    let (word, glued) = bare.split_at(cut);
    let shouted = word.chars().any(char::is_alphabetic) && word == word.to_uppercase();
    let scripted = !word.is_ascii();
    if let Some(level) = level::word(word)
        && (shouted || scripted || text.ends_with(':') || matches!(next, Some('|' | '\t')))
    {
        let glued = glued.trim_matches(|c: char| "[]/():".contains(c));
        let name = glued
            .bytes()
            .any(|b| b.is_ascii_alphabetic())
            .then_some(glued);
        return Some((level, name));
    }
    if let Some(level) = level::word(word)
        && cut == bare.len()
        && word.chars().next().is_some_and(char::is_uppercase)
        && matches!(next, Some(' '))
    {
        return Some((level, None));
    }
    // `E`, `E:`, `W,`
    if bare.len() == 1 && (text.len() > 1 || next.is_some()) {
        return single(bare).map(|l| (l, None));
    }
    // `app.ERROR:` (Monolog), `ERROR:root:failed`, `Router:INFO:`
    if let Some((logger, word)) = bare.rsplit_once('.')
        && word == word.to_uppercase()
        && text.ends_with(':')
        && let Some(level) = level::word(word)
    {
        return Some((level, Some(logger)));
    }
    let mut parts = text.split(':');
    let (a, b) = (parts.next()?, parts.next()?);
    if a == a.to_uppercase()
        && let Some(level) = level::word(a)
    {
        return Some((level, None));
    }
    if b == b.to_uppercase()
        && let Some(level) = level::word(b)
    {
        return Some((level, Some(a)));
    }
    None
}

pub(super) fn single(text: &str) -> Option<Level> {
    match text.as_bytes() {
        [byte] => level::letter(*byte),
        _ => None,
    }
}

/// A word of plain letters, as in a sentence.
pub(super) fn plain(text: &str) -> bool {
    let bare = text.trim_end_matches([':', ',', '.']);
    !bare.is_empty() && bare.chars().all(char::is_alphabetic) && bare != bare.to_uppercase()
}

/// A logger by its shape: dotted, with `::`, `$` or `#`, or a file with a line number.
pub(super) fn dotted(text: &str) -> bool {
    let bare = text.trim_end_matches(':');
    let shaped = bare.contains("::") || bare.contains('$') || {
        let dot = bare.find('.').unwrap_or(0);
        dot > 0 && dot + 1 < bare.len()
    };
    shaped
        && bare
            .bytes()
            .next()
            .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && !bare.contains("://")
        && bare
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._:$#-@/".contains(&b))
}

/// Where the level stands, if everything before it looks like columns.
pub(super) fn level_ahead(line: &str, from: usize) -> Option<usize> {
    let (mut at, mut words, mut brackets) = (from, 0, 0);
    for _ in 0..9 {
        let token = token(line, at)?;
        if token.start > from + 110 {
            return None;
        }
        let next = line.get(token.end..).and_then(|r| r.chars().next());
        if stated(&token, next).is_some() {
            // `E` in a sentence is no level: a letter stands alone only behind numbers or bars.
            if token.text.trim_end_matches([':', ',']).len() == 1 && (words > 0 || brackets > 2) {
                return None;
            }
            return Some(token.start);
        }
        if token.bracket {
            brackets += 1;
        } else if token.text.contains('=') || token.text.starts_with('"') {
            return None;
        } else if plain(token.text) && !token.text.ends_with(':') {
            // Thread names such as `MainThread` are camel case.
            let camel = token.text.chars().skip(1).any(char::is_uppercase);
            words += usize::from(!camel);
        } else if token.text.ends_with(':') && !dotted(token.text) && !token.text.contains(']') {
            return None;
        }
        if words > 2 {
            return None;
        }
        at = token.end;
    }
    None
}
