//! What an evaluation needs beside the row.

use std::collections::{HashMap, HashSet};

use super::rows::{Memory, Row};

/// Facts of a run, and the results of its subqueries and joins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    pub(crate) now_millis: i64,
    pub(crate) lambda_group: bool,
    /// Values of each subquery, as results show them.
    pub(crate) sets: Vec<HashSet<String>>,
    pub(crate) joins: Vec<JoinTable>,
    pub(crate) memory: Memory,
    /// Rows for `Limit::OfCall`.
    pub(crate) call_limit: usize,
}

/// The right side of a join by its key. Rows hold the used columns, without the key.
#[derive(Clone, Debug, Default)]
pub(crate) struct JoinTable {
    pub(crate) rows: Vec<Row>,
    pub(crate) by_key: HashMap<String, Vec<usize>>,
}
