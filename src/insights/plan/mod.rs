//! From a script to a plan: names become slots, and everything that can be checked is checked.

mod builder;
mod commands;
mod describe;
mod explain;
mod expression;
mod finish;
mod join;
mod node;
mod scope;
mod stats;
mod step;

pub(crate) use builder::plan;
pub(crate) use explain::explain;
pub(crate) use node::Node;
pub(crate) use step::{
    Aggregate, Limit, Operation, OrderKey, Plan, Segment, Sink, Slot, SystemField,
};
