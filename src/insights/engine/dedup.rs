//! `dedup`: the first row of each combination of values, without holding the others.

use std::cmp::Ordering;

use super::environment::Environment;
use super::evaluate::evaluate;
use super::groups::{Keys, encode};
use super::order::{Entry, compare_row, entry, in_order};
use super::rows::{Budget, Memory, Place, Row, row_bytes};
use crate::insights::diagnosis::RunError;
use crate::insights::plan::{Node, OrderKey, Slot};
use crate::insights::value::Value;

pub(super) struct DedupTable<'q> {
    by: &'q [Node],
    order: &'q [OrderKey],
    keep: &'q [Slot],
    keys: Keys,
    /// The best row so far, for each key.
    firsts: Vec<Entry>,
    /// Rows without one of the values: all of them stay. (User guide, `dedup`.)
    incomplete: Vec<Entry>,
    budget: Budget,
    key: Vec<u8>,
}

impl<'q> DedupTable<'q> {
    pub(super) fn new(
        by: &'q [Node],
        order: &'q [OrderKey],
        keep: &'q [Slot],
        memory: Memory,
    ) -> Self {
        Self {
            by,
            order,
            keep,
            keys: Keys::default(),
            firsts: Vec::new(),
            incomplete: Vec::new(),
            budget: Budget::new(memory, "the rows of `dedup`"),
            key: Vec::new(),
        }
    }

    pub(super) fn push(
        &mut self,
        row: &[Value<'_>],
        place: Place,
        environment: &Environment,
    ) -> Result<(), RunError> {
        self.key.clear();
        for node in self.by {
            let value = evaluate(node, row, environment);
            if value.is_absent() {
                let entry = entry(self.order, self.keep, row, place);
                self.budget
                    .take(row_bytes(&entry.row) + row_bytes(&entry.keys))?;
                self.incomplete.push(entry);
                return Ok(());
            }
            encode(&value, &mut self.key);
        }
        let (index, new) = self.keys.insert(&self.key);
        let better =
            new || compare_row(self.order, row, place, &self.firsts[index]) == Ordering::Less;
        if better {
            self.put(index, entry(self.order, self.keep, row, place))?;
        }
        Ok(())
    }

    /// The budget is not given back for a row that another one replaces: rows are about alike.
    fn put(&mut self, index: usize, entry: Entry) -> Result<(), RunError> {
        if let Some(first) = self.firsts.get_mut(index) {
            *first = entry;
            return Ok(());
        }
        let row = row_bytes(&entry.row) + row_bytes(&entry.keys);
        self.firsts.push(entry);
        self.budget.take(row + self.key.len() + Keys::BYTES_PER_KEY)
    }

    pub(super) fn merge(&mut self, other: DedupTable<'q>) -> Result<(), RunError> {
        self.budget.absorb(other.budget);
        for (at, entry) in other.firsts.into_iter().enumerate() {
            self.key.clear();
            self.key.extend_from_slice(other.keys.get(at));
            let (index, new) = self.keys.insert(&self.key);
            let better = new || earlier(self.order, &entry, &self.firsts[index]);
            if better {
                self.put(index, entry)?;
            }
        }
        for entry in other.incomplete {
            self.budget
                .take(row_bytes(&entry.row) + row_bytes(&entry.keys))?;
            self.incomplete.push(entry);
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Vec<Row> {
        let mut entries = self.firsts;
        entries.extend(self.incomplete);
        in_order(self.order, entries)
    }
}

fn earlier(order: &[OrderKey], left: &Entry, right: &Entry) -> bool {
    for (key, (left, right)) in order.iter().zip(left.keys.iter().zip(&right.keys)) {
        let order = left.sort_order(right);
        let order = if key.descending {
            order.reverse()
        } else {
            order
        };
        if order != Ordering::Equal {
            return order == Ordering::Less;
        }
    }
    left.place < right.place
}
