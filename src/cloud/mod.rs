//! The embedded cloud: queue, table, log and till behind one wire and one clock.

pub mod claims;
pub mod clock;
pub mod log;
pub mod queue;
pub mod till;
pub mod wire;
