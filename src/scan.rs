//! Bytes to evidence: stateless, parallel, fast.

pub mod record;
