//! misnomer audits the logs of many automation lanes and finds failures that were recorded under the wrong name.

pub mod audit;
pub mod cause;
pub mod evidence;
pub mod explain;
pub mod report;
pub mod table;
