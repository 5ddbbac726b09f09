//! The embedded cloud: queue, table, log and till behind one wire and one clock.

pub mod clock;
pub mod wire;
