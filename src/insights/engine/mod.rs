//! Carries out a plan: streams records through operations into sinks whose states can be merged.

mod aggregate;
mod dedup;
mod distinct;
mod environment;
mod evaluate;
mod gate;
mod groups;
mod operate;
mod order;
mod patterns;
mod rows;
mod run;
mod sink;

pub(crate) use environment::{Environment, JoinTable};
pub(crate) use rows::{Memory, Row};
pub(crate) use run::{Finished, Shard};
