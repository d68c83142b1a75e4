//! Evidence to findings. Sequential, pure, small; imports nothing of the scan.

pub mod finding;
