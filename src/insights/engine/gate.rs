//! Filters that can be decided before there is a row.

use regex::Regex;

use crate::insights::pattern;
use crate::insights::plan::{Node, Operation, Plan, Slot, SystemField};
use crate::insights::syntax::Comparison;
use crate::insights::value::{Value, numeric};

/// What a message must be like before it is worth a row.
#[derive(Default)]
pub(super) struct Gates<'q> {
    /// Filters of the message alone, one for each of the first operations.
    exact: Vec<Gate<'q>>,
    /// Texts without which a later `field = "text"` on a discovered field cannot hold.
    needed: Vec<Regex>,
}

/// `@message like …` or `@message not like …`.
struct Gate<'q> {
    regex: &'q Regex,
    wanted: bool,
}

impl<'q> Gates<'q> {
    /// The gates of the operations on records.
    pub(super) fn of(plan: &'q Plan) -> Self {
        let mut loads = plan.loads.system.iter();
        let Some((_, message)) = loads.find(|(field, _)| *field == SystemField::Message) else {
            return Self::default();
        };
        let operations = &plan.segments[0].operations;
        let exact: Vec<Gate<'q>> = operations
            .iter()
            .map_while(|operation| gate(operation, *message))
            .collect();
        let needed = needed(&operations[exact.len()..]);
        Self { exact, needed }
    }

    /// How many operations they decide.
    pub(super) fn decided(&self) -> usize {
        self.exact.len()
    }

    pub(super) fn open(&self, message: &str) -> bool {
        // A value with escapes is spelt differently in the message.
        let may_have = |text: &Regex| text.is_match(message) || message.contains('\\');
        self.exact
            .iter()
            .all(|gate| gate.regex.is_match(message) == gate.wanted)
            && self.needed.iter().all(may_have)
    }
}

/// The texts that the filters ahead of everything else compare discovered fields with.
fn needed(operations: &[Operation]) -> Vec<Regex> {
    let mut discovered: Vec<Slot> = Vec::new();
    let mut texts = Vec::new();
    for operation in operations {
        match operation {
            Operation::Discover { paths, .. } => discovered.extend(paths.slots()),
            Operation::Lambda { .. } => {}
            Operation::Filter(node) => texts.extend(needed_text(node, &discovered)),
            _ => break,
        }
    }
    texts
        .iter()
        .filter_map(|text| pattern::literal(text).ok())
        .collect()
}

fn needed_text<'q>(node: &'q Node, discovered: &[Slot]) -> Option<&'q str> {
    let Node::Compare(Comparison::Equal, left, right) = node else {
        return None;
    };
    let (Node::Slot(slot), Node::Constant(Value::Text(text))) = (&**left, &**right) else {
        return None;
    };
    // Numbers and truths equal texts that are spelt in other ways.
    let truth = ["true", "false"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word));
    let literal = numeric(text).is_none() && !truth && !text.is_empty();
    (literal && discovered.contains(slot)).then_some(text)
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
