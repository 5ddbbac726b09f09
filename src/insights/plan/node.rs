//! Expressions with their names resolved.

use regex::Regex;

use super::step::Slot;
use crate::insights::function::Definition;
use crate::insights::syntax::{Arithmetic, Comparison};
use crate::insights::time::Period;
use crate::insights::value::Value;

#[derive(Clone)]
pub(crate) enum Node {
    Constant(Value<'static>),
    Slot(Slot),
    /// A key or element of the map or list in the slot.
    Path {
        slot: Slot,
        path: String,
    },
    Negate(Box<Node>),
    Not(Box<Node>),
    And(Vec<Node>),
    Or(Vec<Node>),
    Arithmetic(Arithmetic, Box<Node>, Box<Node>),
    Compare(Comparison, Box<Node>, Box<Node>),
    Matches {
        value: Box<Node>,
        regex: Regex,
    },
    In {
        value: Box<Node>,
        list: Vec<Node>,
    },
    /// Whether the value is among the results of the subquery of that number.
    InQuery {
        value: Box<Node>,
        subquery: usize,
    },
    Call {
        definition: &'static Definition,
        arguments: Vec<Node>,
    },
    Now,
    Round {
        value: Box<Node>,
        period: Period,
        up: bool,
    },
    Coalesce(Vec<Node>),
    Case {
        branches: Vec<(Node, Node)>,
        otherwise: Box<Node>,
    },
    Replace {
        value: Box<Node>,
        regex: Regex,
        by: String,
    },
}

impl Node {
    /// Calls `visit` with every slot that the expression reads.
    pub(crate) fn reads(&self, visit: &mut dyn FnMut(Slot)) {
        match self {
            Node::Constant(_) | Node::Now => {}
            Node::Slot(slot) | Node::Path { slot, .. } => visit(*slot),
            Node::Negate(inner) | Node::Not(inner) => inner.reads(visit),
            Node::Matches { value, .. }
            | Node::InQuery { value, .. }
            | Node::Round { value, .. }
            | Node::Replace { value, .. } => value.reads(visit),
            Node::And(parts) | Node::Or(parts) | Node::Coalesce(parts) => {
                parts.iter().for_each(|part| part.reads(visit));
            }
            Node::Arithmetic(_, left, right) | Node::Compare(_, left, right) => {
                left.reads(visit);
                right.reads(visit);
            }
            Node::In { value, list } => {
                value.reads(visit);
                list.iter().for_each(|part| part.reads(visit));
            }
            Node::Call { arguments, .. } => arguments.iter().for_each(|part| part.reads(visit)),
            Node::Case {
                branches,
                otherwise,
            } => {
                for (condition, value) in branches {
                    condition.reads(visit);
                    value.reads(visit);
                }
                otherwise.reads(visit);
            }
        }
    }

    /// Whether it reads one of these slots.
    pub(crate) fn reads_any(&self, slots: &[Slot]) -> bool {
        let mut found = false;
        self.reads(&mut |slot| found |= slots.contains(&slot));
        found
    }
}
