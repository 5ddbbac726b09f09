//! The embedded cloud: queue, table, log and till in one process, driven by one clock.

pub mod claims;
pub mod log;
pub mod till;
