//! The closed taxonomy: what a failure can really be, and what follows from it.
//!
//! Both wings of the program speak these words. The texts of each cause (meaning, cut-off, what to change) stand in
//! [`guide`], so that this file stays a list of names.

mod guide;

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

pub use guide::{Guide, guide};

macro_rules! causes {
    ($($variant:ident $slug:literal),+ $(,)?) => {
        /// What a failure really was. The list is closed; its slugs are permanent.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[allow(missing_docs)] // each variant is explained by `guide`
        pub enum Cause { $(#[serde(rename = $slug)] $variant),+ }

        impl Cause {
            /// Every cause, in the order of the documentation.
            pub const ALL: &'static [Cause] = &[$(Cause::$variant),+];

            /// The permanent name, as in JSON, CSV and packs.
            pub const fn slug(self) -> &'static str {
                match self { $(Cause::$variant => $slug),+ }
            }
        }
    };
}

causes! {
    RateLimited "rate_limited",
    QuotaExhausted "quota_exhausted",
    AuthRejected "auth_rejected",
    AuthTransient "auth_transient",
    PermissionDenied "permission_denied",
    BotChallenge "bot_challenge",
    ClockSkew "clock_skew",
    ConnectTimeout "connect_timeout",
    ReadTimeout "read_timeout",
    DnsFailure "dns_failure",
    ConnectionReset "connection_reset",
    TlsFailure "tls_failure",
    ProxyFailure "proxy_failure",
    Upstream5xx "upstream_5xx",
    Overloaded "overloaded",
    ResourceExhaustedLocal "resource_exhausted_local",
    LockOrSlotContention "lock_or_slot_contention",
    TruncatedByLimit "truncated_by_limit",
    InvalidInput "invalid_input",
    ContentModerated "content_moderated",
    NotFound "not_found",
    TargetGone "target_gone",
    UnsupportedOrConfig "unsupported_or_config",
    CancelledOrTimeBudget "cancelled_or_time_budget",
    DeadlockOrSerialization "deadlock_or_serialization",
    ConflictOrIdempotency "conflict_or_idempotency",
    ParseOrExtract "parse_or_extract",
    CodeFault "code_fault",
    Unknown "unknown",
}

/// The first question: will waiting fix it?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Waiting {
    /// It passes by itself.
    Yes,
    /// It passes at an instant that somebody else sets.
    AfterReset,
    /// The same attempt will fail for ever.
    No,
    /// The evidence does not say.
    Depends,
}

impl Waiting {
    /// The permanent name, as in JSON, CSV and packs.
    pub const fn slug(self) -> &'static str {
        match self {
            Waiting::Yes => "yes",
            Waiting::AfterReset => "after_reset",
            Waiting::No => "no",
            Waiting::Depends => "depends",
        }
    }

    /// The inverse of [`Waiting::slug`].
    pub fn from_slug(slug: &str) -> Option<Waiting> {
        [
            Waiting::Yes,
            Waiting::AfterReset,
            Waiting::No,
            Waiting::Depends,
        ]
        .into_iter()
        .find(|w| w.slug() == slug)
    }
}

impl Cause {
    /// How deep a cause lies below the symptoms: a deeper one explains a shallower one (0 to 5).
    ///
    /// Symptoms are explained by parse errors, those by truncation and by the response that was parsed, those by
    /// status and provider code, those by transport.
    pub const fn depth(self) -> i64 {
        match self {
            Cause::Unknown => 0,
            Cause::ParseOrExtract | Cause::CodeFault | Cause::CancelledOrTimeBudget => 1,
            Cause::InvalidInput
            | Cause::NotFound
            | Cause::UnsupportedOrConfig
            | Cause::ReadTimeout
            | Cause::Upstream5xx => 2,
            Cause::AuthRejected
            | Cause::PermissionDenied
            | Cause::ConnectionReset
            | Cause::Overloaded
            | Cause::TargetGone
            | Cause::ConflictOrIdempotency
            | Cause::ConnectTimeout
            | Cause::LockOrSlotContention => 3,
            Cause::RateLimited
            | Cause::QuotaExhausted
            | Cause::AuthTransient
            | Cause::BotChallenge
            | Cause::ProxyFailure
            | Cause::TruncatedByLimit
            | Cause::ContentModerated
            | Cause::DeadlockOrSerialization => 4,
            Cause::ClockSkew
            | Cause::DnsFailure
            | Cause::TlsFailure
            | Cause::ResourceExhaustedLocal => 5,
        }
    }

    /// The coarse class of the operator's own rule ("429 and 503 are rate_limited, 401 and 403 auth_error, ...").
    pub const fn class(self) -> &'static str {
        match self {
            Cause::RateLimited | Cause::QuotaExhausted | Cause::Overloaded => "rate_limited",
            Cause::AuthRejected | Cause::AuthTransient | Cause::PermissionDenied => "auth_error",
            Cause::ConnectTimeout
            | Cause::ReadTimeout
            | Cause::DnsFailure
            | Cause::ConnectionReset
            | Cause::TlsFailure
            | Cause::ProxyFailure
            | Cause::Upstream5xx => "network",
            Cause::ResourceExhaustedLocal | Cause::LockOrSlotContention | Cause::ClockSkew => {
                "local"
            }
            Cause::CancelledOrTimeBudget => "normal_cutoff",
            _ => "processing_error",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.slug())
    }
}

impl FromStr for Cause {
    type Err = ();

    fn from_str(slug: &str) -> Result<Cause, ()> {
        Cause::ALL
            .iter()
            .copied()
            .find(|c| c.slug() == slug)
            .ok_or(())
    }
}
