//! misnomer audits the logs of many automation lanes and finds failures that were recorded under the wrong name.

pub mod audit;
pub mod cause;
pub mod evidence;
pub mod redact;
pub mod scan;
pub mod time;
