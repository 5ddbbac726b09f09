//! The functions of the language: names, numbers of arguments, what they compute.

mod network;
mod numeric;
mod table;
mod text;

pub(crate) use table::{
    AggregateKind, Definition, SPECIAL, aggregate, aggregate_names, is_aggregate, scalar,
    scalar_names,
};
