//! Scenario files: TOML that a person writes, read with every mistake at its place.

mod arm;
mod mistake;
mod scenario;
mod section;
mod send;
mod settings;

pub(super) use scenario::read;
