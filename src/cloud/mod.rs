//! The embedded cloud: the services that an experiment touches, in one process.

pub mod queue;
