//! JSON, flattened: every scalar leaf with its dotted path, in the order of the document.
//!
//! A reader of its own, because logs repeat keys within one object, cut lines short, nest records in strings, and
//! carry journald's messages as arrays of bytes; and because the place of each leaf is needed.

use super::fields::Scalar;

/// Nesting beyond which a value is skipped.
const DEPTH: usize = 32;
/// How many bytes of values are kept.
const MOST: usize = 1 << 20;
/// How often JSON within a string is opened.
const NESTED: usize = 3;

/// One scalar.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub path: String,
    pub value: String,
    pub kind: Scalar,
    /// Where the value begins in the input.
    pub at: usize,
}

/// The leaves of an input that is one object or array, white space and a closing comma aside; none for anything else.
pub(super) fn leaves(raw: &[u8]) -> Option<Vec<Leaf>> {
    let (leaves, used) = prefix(raw)?;
    let rest = raw.get(used..)?;
    rest.iter()
        .all(|b| b.is_ascii_whitespace() || matches!(b, b',' | 0))
        .then_some(leaves)
}

/// The leaves of the object or array that an input begins with, and how many bytes it takes.
pub(super) fn prefix(raw: &[u8]) -> Option<(Vec<Leaf>, usize)> {
    let mut reader = Reader {
        raw,
        at: 0,
        out: Vec::new(),
        kept: 0,
    };
    if raw.starts_with(b"\xef\xbb\xbf") {
        reader.at = 3;
    }
    reader.space();
    if !matches!(reader.peek(), Some(b'{' | b'[')) {
        return None;
    }
    reader.value("", 0, 0)?;
    let used = reader.at;
    Some((reader.out, used))
}

struct Reader<'a> {
    raw: &'a [u8],
    at: usize,
    out: Vec<Leaf>,
    kept: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.raw.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn value(&mut self, path: &str, depth: usize, nested: usize) -> Option<()> {
        self.space();
        let at = self.at;
        match self.peek()? {
            b'{' | b'[' if depth >= DEPTH => self.skip(),
            b'{' => self.object(path, depth, nested),
            b'[' => self.array(path, depth, nested),
            b'"' => {
                let text = self.string()?;
                self.string_leaf(path, text, at, nested);
                Some(())
            }
            b't' => self.word("true", path, Scalar::Bool),
            b'f' => self.word("false", path, Scalar::Bool),
            b'n' => self.word("null", path, Scalar::Null),
            b'N' => self.word("NaN", path, Scalar::Number),
            _ => self.number(path),
        }
    }

    fn push(&mut self, path: &str, value: String, kind: Scalar, at: usize) {
        self.kept += path.len() + value.len();
        if self.kept <= MOST {
            self.out.push(Leaf {
                path: path.to_owned(),
                value,
                kind,
                at,
            });
        }
    }

    fn string_leaf(&mut self, path: &str, text: String, at: usize, nested: usize) {
        let trimmed = text.trim();
        let opens = nested < NESTED
            && ((trimmed.starts_with('{') && trimmed.ends_with('}'))
                || (trimmed.starts_with('[') && trimmed.ends_with(']')));
        let mut inner = Vec::new();
        if opens {
            let mut reader = Reader {
                raw: trimmed.as_bytes(),
                at: 0,
                out: Vec::new(),
                kept: self.kept,
            };
            if reader.value(path, 0, nested + 1).is_some() && reader.at == trimmed.len() {
                inner = reader.out;
            }
        }
        self.push(path, text, Scalar::Text, at);
        for leaf in inner {
            self.push(&leaf.path, leaf.value, leaf.kind, at);
        }
    }

    fn object(&mut self, path: &str, depth: usize, nested: usize) -> Option<()> {
        self.eat(b'{')?;
        self.space();
        if self.eat(b'}').is_some() {
            return Some(());
        }
        loop {
            self.space();
            let key = self.string()?;
            self.space();
            self.eat(b':')?;
            let below = if path.is_empty() {
                key
            } else {
                format!("{path}.{key}")
            };
            self.value(&below, depth + 1, nested)?;
            self.space();
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    /// Elements carry their index only where several objects share the array; scalars share its path.
    fn array(&mut self, path: &str, depth: usize, nested: usize) -> Option<()> {
        let open = self.at;
        self.eat(b'[')?;
        self.space();
        if self.eat(b']').is_some() {
            return Some(());
        }
        if (path == "MESSAGE" || path.ends_with(".MESSAGE"))
            && let Some((text, end)) = bytes_of(self.raw, open)
        {
            self.at = end;
            self.string_leaf(path, text, open, nested);
            return Some(());
        }
        let mut objects: Vec<(usize, usize)> = Vec::new();
        loop {
            self.space();
            let object = matches!(self.peek()?, b'{' | b'[');
            let from = self.out.len();
            self.value(path, depth + 1, nested)?;
            if object {
                objects.push((from, self.out.len()));
                self.attribute(path, from);
            }
            self.space();
            match self.peek()? {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    break;
                }
                _ => return None,
            }
        }
        if objects.len() > 1 {
            for (index, (from, to)) in objects.into_iter().enumerate() {
                let infix = if path.is_empty() {
                    format!("{index}.")
                } else {
                    format!(".{index}")
                };
                for leaf in self.out.get_mut(from..to).unwrap_or_default() {
                    if leaf.path.len() >= path.len() && leaf.path.is_char_boundary(path.len()) {
                        leaf.path.insert_str(path.len(), &infix);
                    }
                }
            }
        }
        Some(())
    }

    /// OpenTelemetry writes `{"key": K, "value": {"intValue": V}}`: it is a field K.
    fn attribute(&mut self, path: &str, from: usize) {
        let Some([key, value]) = self.out.get(from..) else {
            return;
        };
        let below = |leaf: &Leaf| {
            leaf.path
                .strip_prefix(path)
                .map(|p| p.trim_start_matches('.').to_owned())
        };
        if below(key).as_deref() == Some("key")
            && below(value).is_some_and(|p| p == "value" || p.starts_with("value."))
        {
            let named = Leaf {
                path: format!("{path}.{}", key.value),
                ..value.clone()
            };
            self.out.truncate(from);
            self.out.push(named);
        }
    }

    fn word(&mut self, word: &str, path: &str, kind: Scalar) -> Option<()> {
        let at = self.at;
        if !self.raw.get(at..)?.starts_with(word.as_bytes()) {
            return None;
        }
        self.at += word.len();
        self.push(path, word.to_owned(), kind, at);
        Some(())
    }

    fn number(&mut self, path: &str) -> Option<()> {
        let at = self.at;
        while self
            .peek()
            .is_some_and(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E'))
        {
            self.at += 1;
        }
        let text = std::str::from_utf8(self.raw.get(at..self.at)?).ok()?;
        if !text.bytes().any(|b| b.is_ascii_digit()) {
            return None;
        }
        let text = text.to_owned();
        self.push(path, text, Scalar::Number, at);
        Some(())
    }

    /// Passes over a value that is nested too deep.
    fn skip(&mut self) -> Option<()> {
        let mut open = 0usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => open += 1,
                b'}' | b']' => open = open.checked_sub(1)?,
                _ => {}
            }
            self.at += 1;
            if open == 0 {
                return Some(());
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        self.eat(b'"')?;
        let start = self.at;
        let rest = self.raw.get(start..)?;
        let plain = memchr::memchr2(b'"', b'\\', rest)?;
        let mut out: Vec<u8> = rest.get(..plain)?.to_vec();
        self.at = start + plain;
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Some(match String::from_utf8(out) {
                        Ok(text) => text,
                        Err(bad) => String::from_utf8_lossy(bad.as_bytes()).into_owned(),
                    });
                }
                b'\\' => {
                    self.at += 1;
                    self.escape(&mut out)?;
                }
                byte => {
                    out.push(byte);
                    self.at += 1;
                }
            }
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let byte = self.peek()?;
        self.at += 1;
        let plain = match byte {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 8,
            b'f' => 12,
            b'u' => {
                let mut code = self.hex()?;
                if (0xD800..0xDC00).contains(&code)
                    && self.raw.get(self.at..self.at + 2) == Some(b"\\u")
                {
                    let back = self.at;
                    self.at += 2;
                    let low = self.hex()?;
                    if (0xDC00..0xE000).contains(&low) {
                        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                    } else {
                        self.at = back;
                    }
                }
                let c = char::from_u32(code).unwrap_or('\u{fffd}');
                let mut buffer = [0; 4];
                out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
                return Some(());
            }
            other => other,
        };
        out.push(plain);
        Some(())
    }

    fn hex(&mut self) -> Option<u32> {
        let text = std::str::from_utf8(self.raw.get(self.at..self.at + 4)?).ok()?;
        let code = u32::from_str_radix(text, 16).ok()?;
        self.at += 4;
        Some(code)
    }
}

/// journald writes what is not plain text as an array of bytes.
fn bytes_of(raw: &[u8], open: usize) -> Option<(String, usize)> {
    let rest = raw.get(open + 1..)?;
    let end = memchr::memchr(b']', rest)?;
    let list = std::str::from_utf8(rest.get(..end)?).ok()?;
    let bytes: Option<Vec<u8>> = list.split(',').map(|n| n.trim().parse().ok()).collect();
    let text = String::from_utf8_lossy(&bytes?).into_owned();
    Some((text, open + 1 + end + 1))
}
