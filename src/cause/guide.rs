//! What each cause means and what follows from it: the text behind the three answers.

use super::{Cause, Waiting};

/// What to know of a cause.
#[derive(Clone, Copy, Debug)]
pub struct Guide {
    /// A few words.
    pub title: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Will waiting fix it?
    pub waiting: Waiting,
    /// When to stop trying.
    pub cut_off: &'static str,
    /// What to change before the next attempt.
    pub change: &'static str,
}

/// The guide to a cause.
pub const fn guide(cause: Cause) -> Guide {
    match cause {
        _ => Guide {
            title: "",
            meaning: "",
            waiting: Waiting::Depends,
            cut_off: "",
            change: "",
        },
    }
}
