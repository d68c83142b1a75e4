//! What a pure function gave before: the same names stand in thousands of records.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// How many texts are kept.
const MOST: usize = 4096;
/// The longest text that is kept, in bytes: what is longer hardly ever comes again.
const LONGEST: usize = 200;

/// Results by text. What it holds is never seen, so that results do not depend on what was asked before.
#[derive(Debug)]
pub struct Memo<V>(Mutex<HashMap<Box<str>, V>>);

impl<V> Default for Memo<V> {
    fn default() -> Memo<V> {
        Memo(Mutex::new(HashMap::new()))
    }
}

impl<V: Clone> Memo<V> {
    /// What was found for a text, or what is found now.
    pub fn get(&self, text: &str, find: impl FnOnce() -> V) -> V {
        if text.len() > LONGEST {
            return find();
        }
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = lock().get(text) {
            return value.clone();
        }
        let value = find();
        let mut held = lock();
        if held.len() >= MOST {
            held.clear();
        }
        held.insert(text.into(), value.clone());
        value
    }
}
