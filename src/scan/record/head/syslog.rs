//! The host and the program that syslog writes before a message.

use super::Head;
use super::token::plain;
use crate::scan::record::level;
