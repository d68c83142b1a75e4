//! A pack as its author writes it. What it means is decided in `load`.

use serde::Deserialize;
use toml::Spanned;

/// A pack file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pack {
    /// One line: what the pack knows.
    #[serde(default)]
    pub title: String,
    /// What the whole pack is about; free.
    #[serde(default)]
    pub kind: String,
    /// The patterns.
    #[serde(default)]
    pub pattern: Vec<Spanned<Pattern>>,
    /// What the words of a recorded name claim.
    #[serde(default)]
    pub word: Vec<Spanned<Words>>,
    /// Words of a recorded name that say nothing.
    #[serde(default)]
    pub empty: Vec<Spanned<Words>>,
    /// Words that make a record of any level a failure.
    #[serde(default)]
    pub failure_word: Vec<Spanned<Words>>,
    /// Words of success.
    #[serde(default)]
    pub success_word: Vec<Spanned<Words>>,
    /// Keys whose value is a recorded name.
    #[serde(default)]
    pub label_key: Vec<Spanned<LabelKeys>>,
}

/// A pattern.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // each key is explained by `super::Pattern`
pub struct Pattern {
    pub id: Spanned<String>,
    pub kind: Spanned<String>,
    pub cause: Option<Spanned<String>>,
    #[serde(default)]
    pub claims: Vec<Spanned<String>>,
    pub waiting: Option<Spanned<String>>,
    pub grade: Option<Spanned<String>>,
    #[serde(default)]
    pub needles: Vec<Spanned<String>>,
    #[serde(default)]
    pub near: Vec<String>,
    pub regex: Option<Spanned<String>>,
    pub unless: Option<Spanned<String>>,
    #[serde(default)]
    pub status: Vec<u16>,
    #[serde(default)]
    pub field: Vec<Field>,
    #[serde(default)]
    pub whole_numbers: bool,
    #[serde(default)]
    pub common: bool,
    #[serde(default)]
    pub after_effect: bool,
    #[serde(default)]
    pub advice: String,
    #[serde(default)]
    pub source: String,
    #[serde(default)]
    pub examples: Vec<String>,
    #[serde(default)]
    pub counterexamples: Vec<String>,
}

/// A field test.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // each key is explained by `super::FieldTest`
pub struct Field {
    pub key: String,
    #[serde(default)]
    pub equals: Vec<String>,
    #[serde(default)]
    pub contains: Vec<String>,
    #[serde(default)]
    pub starts: Vec<String>,
    #[serde(default)]
    pub exists: bool,
    pub min: Option<f64>,
    pub max: Option<f64>,
}

/// Words in one language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// Unique over all packs.
    pub id: Spanned<String>,
    /// Regular expressions on the lower-case name with `_` and `-` as blanks (failure and success words: on the message).
    pub words: Vec<Spanned<String>>,
    /// What they claim, the main reading first.
    #[serde(default)]
    pub claims: Vec<Spanned<String>>,
    /// Where they mean nothing.
    pub unless: Option<Spanned<String>>,
    /// The literals by which a block is searched; for failure words only.
    #[serde(default)]
    pub needles: Vec<Spanned<String>>,
    /// The language.
    #[serde(default)]
    pub lang: String,
    /// Where the fact is from.
    #[serde(default)]
    pub source: String,
    /// Names that match.
    #[serde(default)]
    pub examples: Vec<String>,
    /// Names that nearly match.
    #[serde(default)]
    pub counterexamples: Vec<String>,
}

/// Keys whose value is a recorded name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelKeys {
    /// Unique over all packs.
    pub id: Spanned<String>,
    /// The keys, compared without case, `_` and `-`.
    pub keys: Vec<String>,
    /// `always`: any value but those of `not_failure`; `if_failing`: only values of `failing` or those that a word
    /// reads; `if_failed`: only in a record that is a failure by another sign.
    #[serde(rename = "use", default)]
    pub used: Option<Spanned<String>>,
    /// Values that are no failure.
    #[serde(default)]
    pub not_failure: Vec<String>,
    /// Values that are failures.
    #[serde(default)]
    pub failing: Vec<String>,
    /// The language.
    #[serde(default)]
    pub lang: String,
    /// Where the fact is from.
    #[serde(default)]
    pub source: String,
    /// Records that hold a label.
    #[serde(default)]
    pub examples: Vec<String>,
    /// Records that hold none.
    #[serde(default)]
    pub counterexamples: Vec<String>,
}
