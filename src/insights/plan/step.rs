//! The plan: segments, each a run of operations on single rows into a sink that sees them all.

use regex::Regex;

use super::node::Node;
use crate::insights::discover::{LambdaField, Paths};
use crate::insights::function::AggregateKind;
use crate::insights::near_miss::Check;
use crate::insights::output::Warning;
use crate::insights::pattern::Glob;
use crate::insights::record::Groups;
use crate::insights::shortcut::Shortcut;
use crate::insights::syntax::DiffWindow;

/// Place of a value in a row.
pub(crate) type Slot = usize;

/// A field that every record has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SystemField {
    Message,
    Timestamp,
    IngestionTime,
    LogStream,
    Log,
    Pointer,
}

impl SystemField {
    pub(crate) const ALL: [(&'static str, SystemField); 6] = [
        ("@timestamp", SystemField::Timestamp),
        ("@message", SystemField::Message),
        ("@logStream", SystemField::LogStream),
        ("@log", SystemField::Log),
        ("@ingestionTime", SystemField::IngestionTime),
        ("@ptr", SystemField::Pointer),
    ];
}

/// Something done to one row. Most give one row or none; some give several.
#[derive(Clone)]
pub(crate) enum Operation {
    Filter(Node),
    Let {
        slot: Slot,
        node: Node,
    },
    Copy {
        slot: Slot,
        from: Slot,
    },
    /// JSON keys of the message.
    Discover {
        message: Slot,
        paths: Paths,
    },
    Lambda {
        message: Slot,
        field: LambdaField,
        slot: Slot,
    },
    /// Groups of the expression by number, each with its slot.
    Regex {
        source: Slot,
        regex: Regex,
        groups: Vec<(usize, Slot)>,
        /// Instead of the expression, where it is simple and has one group.
        shortcut: Option<Shortcut>,
        multi: bool,
    },
    Glob {
        source: Slot,
        glob: Glob,
        slots: Vec<Slot>,
    },
    Logfmt {
        source: Slot,
        slot: Slot,
    },
    /// `parse_text`: text is read as JSON first (`expand`).
    Unnest {
        list: Node,
        slot: Slot,
        parse_text: bool,
    },
    Join {
        right: usize,
        key: Slot,
        slots: Vec<Slot>,
        keep_unmatched: bool,
    },
    /// Sum of the slots that are numbers.
    Total {
        slots: Vec<Slot>,
        slot: Slot,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OrderKey {
    pub(crate) slot: Slot,
    pub(crate) descending: bool,
}

/// How many rows an ordering keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    All,
    Rows(u64),
    /// What the call says, or the default.
    OfCall,
}

#[derive(Clone)]
pub(crate) struct Aggregate {
    pub(crate) kind: AggregateKind,
    /// `None` is `count(*)`.
    pub(crate) argument: Option<Node>,
    pub(crate) percent: f64,
}

/// What takes the rows of a segment.
#[derive(Clone)]
pub(crate) enum Sink {
    /// By the keys; rows with equal keys keep their order, newest first for records.
    Order {
        keys: Vec<OrderKey>,
        limit: Limit,
        keep: Vec<Slot>,
    },
    /// Any rows, as soon as there are enough.
    Any { count: u64, keep: Vec<Slot> },
    /// The first row for each value of `by`, in the order of the keys.
    Dedup {
        by: Vec<Node>,
        keys: Vec<OrderKey>,
        keep: Vec<Slot>,
    },
    Stats {
        groups: Vec<Node>,
        aggregates: Vec<Aggregate>,
    },
    Pattern {
        text: Node,
        diff: Option<DiffWindow>,
    },
    /// Adds a row with the sums of the slots.
    Totals { slots: Vec<Slot>, keep: Vec<Slot> },
}

#[derive(Clone)]
pub(crate) struct Segment {
    pub(crate) slots: usize,
    pub(crate) operations: Vec<Operation>,
    pub(crate) sink: Sink,
}

/// What is taken from a record before the first operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loads {
    pub(crate) system: Vec<(SystemField, Slot)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) slot: Slot,
}

/// A compiled query.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) groups: Groups,
    pub(crate) loads: Loads,
    pub(crate) segments: Vec<Segment>,
    pub(crate) columns: Vec<Column>,
    /// Plans of `in (…)`: one column each.
    pub(crate) subqueries: Vec<Plan>,
    /// Plans of the right sides of joins: the key, then the columns that are used.
    pub(crate) joins: Vec<Plan>,
    /// Whether a `limit` command stands in it.
    pub(crate) limited: bool,
    /// Whether the last sink adds a row of sums, which no limit cuts off.
    pub(crate) totalled: bool,
    pub(crate) warnings: Vec<Warning>,
    /// Conditions whose near misses are looked for while nothing matches.
    pub(crate) checks: Vec<Check>,
    /// How the slots of each scope are called, for an explanation.
    pub(crate) names: Vec<Vec<(Slot, String)>>,
    /// Lambda fields that are read, to be told about where there are none.
    pub(crate) lambda_fields: Vec<&'static str>,
    /// The widest comparison window of a `diff`.
    pub(crate) diff: Option<DiffWindow>,
}

impl Operation {
    /// Calls `visit` with every slot that the operation reads.
    pub(crate) fn reads(&self, visit: &mut dyn FnMut(Slot)) {
        match self {
            Operation::Filter(node) | Operation::Let { node, .. } => node.reads(visit),
            Operation::Unnest { list, .. } => list.reads(visit),
            Operation::Copy { from, .. } => visit(*from),
            Operation::Discover { message, .. } | Operation::Lambda { message, .. } => {
                visit(*message);
            }
            Operation::Regex { source, .. }
            | Operation::Glob { source, .. }
            | Operation::Logfmt { source, .. } => visit(*source),
            Operation::Join { key, .. } => visit(*key),
            Operation::Total { slots, .. } => slots.iter().copied().for_each(visit),
        }
    }
}

impl Sink {
    /// Calls `visit` with every slot that the sink itself reads.
    pub(crate) fn reads(&self, visit: &mut dyn FnMut(Slot)) {
        match self {
            Sink::Order { keys, .. } => keys.iter().for_each(|key| visit(key.slot)),
            Sink::Any { .. } => {}
            Sink::Dedup { by, keys, .. } => {
                by.iter().for_each(|node| node.reads(visit));
                keys.iter().for_each(|key| visit(key.slot));
            }
            Sink::Stats { groups, aggregates } => {
                groups.iter().for_each(|node| node.reads(visit));
                let arguments = aggregates.iter().filter_map(|a| a.argument.as_ref());
                arguments.for_each(|node| node.reads(visit));
            }
            Sink::Pattern { text, .. } => text.reads(visit),
            Sink::Totals { slots, .. } => slots.iter().copied().for_each(visit),
        }
    }

    /// The slots that later segments find again; `None` if the rows behind it are new ones.
    pub(crate) fn keep(&mut self) -> Option<&mut Vec<Slot>> {
        match self {
            Sink::Order { keep, .. }
            | Sink::Any { keep, .. }
            | Sink::Dedup { keep, .. }
            | Sink::Totals { keep, .. } => Some(keep),
            Sink::Stats { .. } | Sink::Pattern { .. } => None,
        }
    }
}
