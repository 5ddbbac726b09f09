//! Filters that can be decided before there is a row.

use regex::Regex;

use crate::insights::plan::{Node, Operation, Plan, Slot, SystemField};

/// `@message like …` or `@message not like …`.
pub(super) struct Gate<'q> {
    regex: &'q Regex,
    wanted: bool,
}

impl Gate<'_> {
    pub(super) fn opens(&self, message: &str) -> bool {
        self.regex.is_match(message) == self.wanted
    }
}

/// The gates that the operations on records begin with, one per operation.
pub(super) fn gates(plan: &Plan) -> Vec<Gate<'_>> {
    let mut loads = plan.loads.system.iter();
    let Some((_, message)) = loads.find(|(field, _)| *field == SystemField::Message) else {
        return Vec::new();
    };
    let operations = plan.segments[0].operations.iter();
    operations
        .map_while(|operation| gate(operation, *message))
        .collect()
}

fn gate(operation: &Operation, message: Slot) -> Option<Gate<'_>> {
    let Operation::Filter(node) = operation else {
        return None;
    };
    let (node, wanted) = match node {
        Node::Not(inner) => (&**inner, false),
        node => (node, true),
    };
    match node {
        Node::Matches { value, regex } if matches!(**value, Node::Slot(slot) if slot == message) => {
            Some(Gate { regex, wanted })
        }
        _ => None,
    }
}
