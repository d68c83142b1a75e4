//! Bytes to evidence. Stateless, parallel, fast.

pub mod source;
