//! The first rows of an order, without holding all of them where a limit is given.

use std::cmp::Ordering;

use super::rows::{Budget, Memory, Place, Row, keep, row_bytes};
use crate::insights::diagnosis::RunError;
use crate::insights::plan::{OrderKey, Slot};
use crate::insights::value::Value;

/// A row with what it is ordered by.
pub(super) struct Entry {
    pub(super) keys: Vec<Value<'static>>,
    pub(super) place: Place,
    pub(super) row: Row,
}

impl Entry {
    fn bytes(&self) -> usize {
        row_bytes(&self.row) + row_bytes(&self.keys) + size_of::<Place>()
    }
}

/// Holds at most twice as many rows as it gives back.
pub(super) struct OrderBuffer<'q> {
    keys: &'q [OrderKey],
    keep: &'q [Slot],
    limit: usize,
    entries: Vec<Entry>,
    /// Whether `entries[limit - 1]` is the last that can still come out.
    pruned: bool,
    budget: Budget,
    pub(super) seen: u64,
}

/// Compares a row that is not held with one that is.
pub(super) fn compare_row(
    keys: &[OrderKey],
    row: &[Value<'_>],
    place: Place,
    entry: &Entry,
) -> Ordering {
    for (key, other) in keys.iter().zip(&entry.keys) {
        let order = row[key.slot].sort_order(other);
        let order = if key.descending {
            order.reverse()
        } else {
            order
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    place.cmp(&entry.place)
}

fn compare(keys: &[OrderKey], left: &Entry, right: &Entry) -> Ordering {
    for (key, (left, right)) in keys.iter().zip(left.keys.iter().zip(&right.keys)) {
        let order = left.sort_order(right);
        let order = if key.descending {
            order.reverse()
        } else {
            order
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    left.place.cmp(&right.place)
}

/// Makes a row its own, with its keys.
pub(super) fn entry(keys: &[OrderKey], slots: &[Slot], row: &[Value<'_>], place: Place) -> Entry {
    let own = |key: &OrderKey| row[key.slot].reborrow().into_owned();
    Entry {
        keys: keys.iter().map(own).collect(),
        place,
        row: keep(row, slots),
    }
}

/// Puts entries into their order.
pub(super) fn in_order(keys: &[OrderKey], mut entries: Vec<Entry>) -> Vec<Row> {
    entries.sort_unstable_by(|left, right| compare(keys, left, right));
    entries.into_iter().map(|entry| entry.row).collect()
}

impl<'q> OrderBuffer<'q> {
    pub(super) fn new(
        keys: &'q [OrderKey],
        keep: &'q [Slot],
        limit: usize,
        memory: Memory,
    ) -> Self {
        Self {
            keys,
            keep,
            limit,
            entries: Vec::new(),
            pruned: false,
            budget: Budget::new(memory, "the rows of the result"),
            seen: 0,
        }
    }

    pub(super) fn push(&mut self, row: &[Value<'_>], place: Place) -> Result<(), RunError> {
        self.seen += 1;
        if self.pruned {
            let last = &self.entries[self.limit - 1];
            if compare_row(self.keys, row, place, last) == Ordering::Greater {
                return Ok(());
            }
        }
        self.add(entry(self.keys, self.keep, row, place))
    }

    fn add(&mut self, entry: Entry) -> Result<(), RunError> {
        self.budget.take(entry.bytes())?;
        self.entries.push(entry);
        if self.entries.len() >= self.limit.saturating_mul(2).max(64) {
            self.prune();
        }
        Ok(())
    }

    fn prune(&mut self) {
        if self.entries.len() <= self.limit {
            return;
        }
        let keys = self.keys;
        self.entries
            .select_nth_unstable_by(self.limit - 1, |a, b| compare(keys, a, b));
        self.entries.truncate(self.limit);
        self.pruned = true;
        self.budget
            .reset(self.entries.iter().map(Entry::bytes).sum());
    }

    pub(super) fn merge(&mut self, other: OrderBuffer<'q>) -> Result<(), RunError> {
        self.seen += other.seen;
        self.budget.absorb(other.budget);
        other
            .entries
            .into_iter()
            .try_for_each(|entry| self.add(entry))
    }

    pub(super) fn finish(mut self) -> Vec<Row> {
        self.prune();
        in_order(self.keys, self.entries)
    }
}
