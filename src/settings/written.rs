//! `misnomer.toml` as it is written.

use super::value::{Claims, Cron, Seconds, WrittenNow, Zone};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// Rules, their knobs and the values of these.
pub(super) type Rules = BTreeMap<Spanned<String>, BTreeMap<Spanned<String>, toml::Value>>;

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Written {
    pub(super) paths: Vec<String>,
    pub(super) lane_field: Option<String>,
    pub(super) timezone: Option<Zone>,
    pub(super) patterns: Vec<String>,
    pub(super) now: Option<WrittenNow>,
    pub(super) lanes: BTreeMap<Spanned<String>, Lane>,
    pub(super) name: Vec<Name>,
    pub(super) rules: Rules,
}

/// `[lanes.X]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Lane {
    pub(super) paths: Vec<Spanned<String>>,
    pub(super) timezone: Option<Zone>,
    pub(super) every: Option<Seconds>,
    pub(super) cron: Option<Spanned<Cron>>,
    pub(super) grace: Option<Seconds>,
    pub(super) success: Vec<Spanned<String>>,
    pub(super) declares_retries: bool,
    pub(super) bucket: Option<String>,
    pub(super) wait_ceiling: Option<Seconds>,
    pub(super) give_up: Option<GiveUp>,
    pub(super) after: Vec<Spanned<Vec<String>>>,
    pub(super) rules: Rules,
}

/// `give-up = { attempts, age }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct GiveUp {
    pub(super) attempts: Option<u32>,
    pub(super) age: Option<Seconds>,
}

/// `[[name]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Name {
    pub(super) text: Spanned<String>,
    #[serde(default)]
    pub(super) claims: Option<Claims>,
}
