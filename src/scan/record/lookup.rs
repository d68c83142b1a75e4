//! Many keys asked of one record. A record has a dozen fields, and its readers ask for a hundred keys: most of them are
//! told to be absent by their first and last letters.

use super::fields::{Field, Fields};

/// The fields of a record, with the letters at the ends of their paths.
pub(super) struct Lookup<'f> {
    fields: &'f Fields,
    /// First and last letters of whole paths.
    wholes: u64,
    /// Last letters of paths.
    lasts: u64,
    /// Last letters of paths of several segments.
    nested: u64,
    /// Some path has an index of an array in it.
    indexed: bool,
}

fn letter(byte: &u8) -> bool {
    !matches!(byte, b'_' | b'-')
}

fn last(text: &str) -> u64 {
    let byte = text.bytes().rev().find(letter).unwrap_or(0);
    1 << (byte.to_ascii_lowercase() & 63)
}

fn ends(text: &str) -> u64 {
    let low = |byte: Option<u8>| u32::from(byte.unwrap_or(0).to_ascii_lowercase());
    let (first, last) = (
        low(text.bytes().find(letter)),
        low(text.bytes().rev().find(letter)),
    );
    1 << ((first * 5 + last) & 63)
}

impl<'f> Lookup<'f> {
    pub(super) fn new(fields: &'f Fields) -> Lookup<'f> {
        let mut all = Lookup {
            fields,
            wholes: 0,
            lasts: 0,
            nested: 0,
            indexed: false,
        };
        for field in fields {
            let path = field.path.as_str();
            all.wholes |= ends(path);
            all.lasts |= last(path);
            if path.contains('.') {
                all.nested |= last(path);
                all.indexed |= path.bytes().any(|b| b.is_ascii_digit());
            }
        }
        all
    }

    pub(super) fn fields(&self) -> &'f Fields {
        self.fields
    }

    /// As [`Fields::whole`].
    pub(super) fn whole(&self, key: &str) -> Option<&'f Field> {
        if self.wholes & ends(key) == 0 {
            return None;
        }
        self.fields.whole(key)
    }

    /// As [`Fields::shallow`].
    pub(super) fn shallow(&self, key: &str) -> Option<&'f Field> {
        self.whole(key).or_else(|| {
            if self.nested & last(key) == 0 {
                return None;
            }
            self.fields.below(key)
        })
    }

    fn may_end_in(&self, key: &str) -> bool {
        self.lasts & last(key) != 0 || (self.indexed && key.contains('.'))
    }

    /// As [`Fields::get`].
    pub(super) fn get(&self, key: &str) -> Option<&'f Field> {
        if !self.may_end_in(key) {
            return None;
        }
        self.fields.get(key)
    }

    /// As [`Fields::all`].
    pub(super) fn all(&self, key: &'f str) -> impl Iterator<Item = &'f Field> {
        let some = self.may_end_in(key);
        self.fields.all(key).take_while(move |_| some)
    }
}
