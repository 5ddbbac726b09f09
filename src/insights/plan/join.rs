//! Joins: a second query whose used fields become its columns.

use super::builder::Builder;
use super::node::Node;
use super::step::{Column, Limit, Operation, Plan, Slot};
use crate::insights::diagnosis::{Fault, Span};
use crate::insights::syntax::Join;

/// The right side of a join while the left side is being planned: the fields that are used of it
/// become its columns.
pub(super) struct RightSide<'t> {
    name: String,
    builder: Builder<'t>,
    columns: Vec<Column>,
    slots: Vec<Slot>,
    keep_unmatched: bool,
    key: Slot,
    /// Place of the operation, which is completed at the end.
    segment: usize,
    operation: usize,
}

impl<'t> Builder<'t> {
    pub(super) fn join(&mut self, join: &'t Join, span: Span) -> Result<(), Fault> {
        if self.stats > 0 {
            return Err(Fault::new(span, "`join` stands ahead of `stats`"));
        }
        let mut builder = Builder::new(self.text, &join.script);
        builder.pointer = false;
        builder.commands(&join.script.commands)?;
        let right_key = builder
            .scope
            .find(&join.right_key.text, join.right_key.span)?;
        let right_key = builder.slot_of_node(right_key.node());
        let left_key = self.scope.find(&join.left_key.text, join.left_key.span)?;
        let key = self.slot_of_node(left_key.node());
        self.right.push(RightSide {
            name: join.right.text.clone(),
            builder,
            columns: vec![Column {
                name: join.right_key.text.clone(),
                slot: right_key,
            }],
            slots: Vec::new(),
            keep_unmatched: join.keep_unmatched,
            key,
            segment: self.segments.len(),
            operation: self.operations.len(),
        });
        // Completed when it is known which fields of the right side are used.
        self.operations.push(Operation::Join {
            right: self.right.len() - 1,
            key,
            slots: Vec::new(),
            keep_unmatched: join.keep_unmatched,
        });
        self.left_name = Some(join.left.text.clone());
        Ok(())
    }

    /// `right.field` of a join.
    pub(super) fn right_side_field(
        &mut self,
        path: &str,
        span: Span,
    ) -> Result<Option<Node>, Fault> {
        let Some((side, field)) = path.split_once('.') else {
            return Ok(None);
        };
        if !self.scope.raw {
            return Ok(None);
        }
        let Some(right) = self.right.iter_mut().find(|right| right.name == side) else {
            return Ok(None);
        };
        let known = right
            .columns
            .iter()
            .skip(1)
            .position(|column| column.name == field);
        if let Some(at) = known {
            return Ok(Some(Node::Slot(right.slots[at])));
        }
        let found = right.builder.scope.find(field, span)?;
        let from = right.builder.slot_of_node(found.node());
        right.columns.push(Column {
            name: field.to_owned(),
            slot: from,
        });
        let slot = self.scope.new_slot();
        right.slots.push(slot);
        self.scope.labels.push((slot, path.to_owned()));
        Ok(Some(Node::Slot(slot)))
    }

    /// Completes the joins.
    pub(super) fn finish_joins(&mut self) -> Result<Vec<Plan>, Fault> {
        let mut plans = Vec::new();
        for right in std::mem::take(&mut self.right) {
            let index = plans.len();
            let mut builder = right.builder;
            builder.display = Some(right.columns);
            plans.push(builder.finish(Limit::All)?);
            let operations = match self.segments.get_mut(right.segment) {
                Some(segment) => &mut segment.operations,
                None => &mut self.operations,
            };
            operations[right.operation] = Operation::Join {
                right: index,
                key: right.key,
                slots: right.slots,
                keep_unmatched: right.keep_unmatched,
            };
        }
        Ok(plans)
    }
}
