//! misnomer audits the logs of many automation lanes and finds failures that were recorded under the wrong name.

pub mod audit;
pub mod caret;
pub mod cause;
pub mod evidence;
pub mod explain;
pub mod redact;
pub mod report;
pub mod scan;
pub mod settings;
pub mod table;
pub mod time;
