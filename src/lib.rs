//! misnomer audits the logs of many automation lanes and finds failures that were recorded under the wrong name.
//!
//! ```text
//! sources -> records -> evidence -> cases -> verdicts -> findings -> reports
//! (files,    (a line    (what a     (one       (recorded   (something  (table, csv,
//!  blocks)    or trace)  record      operation  name vs.    a person    json, parquet)
//!                        proves)     of a lane) true cause) acts on)
//! ```
//!
//! Two wings meet in one table: [`scan`] reads bytes and yields evidence, [`audit`] reads evidence and yields
//! findings. Neither imports the other. The modules below stand in reading order.
#![deny(missing_docs)]

pub mod caret;
pub mod cause;
pub mod evidence;
pub mod redact;
pub mod settings;
pub mod time;

pub mod audit;
pub mod report;
pub mod scan;
pub mod table;

pub mod classify;
pub mod cli;
pub mod explain;
pub mod inspect;
pub mod run;
