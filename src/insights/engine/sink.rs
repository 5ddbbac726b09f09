//! The state of a sink: rows go in, states merge, rows come out.

use std::ops::ControlFlow;

use super::dedup::DedupTable;
use super::environment::Environment;
use super::evaluate::evaluate;
use super::groups::GroupTable;
use super::operate::total_part;
use super::order::OrderBuffer;
use super::patterns::PatternTable;
use super::rows::{Budget, Place, Row, keep, row_bytes};
use crate::insights::diagnosis::RunError;
use crate::insights::plan::{Limit, Node, Sink, Slot};
use crate::insights::value::Value;

pub(super) enum Gathered<'q> {
    Order(OrderBuffer<'q>),
    Any {
        count: usize,
        keep: &'q [Slot],
        rows: Vec<Row>,
        budget: Budget,
    },
    Dedup(DedupTable<'q>),
    Stats(GroupTable<'q>),
    Pattern(PatternTable, &'q Node),
    /// Rows as they come, and the sums of the slots.
    Totals {
        slots: &'q [Slot],
        keep: &'q [Slot],
        rows: Vec<Row>,
        sums: Vec<Option<f64>>,
        budget: Budget,
    },
}

/// A row on its way into a sink.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    pub(super) place: Place,
    /// Whether it belongs to the earlier window of a `diff`.
    pub(super) earlier: bool,
}

impl<'q> Gathered<'q> {
    pub(super) fn new(sink: &'q Sink, environment: &Environment) -> Self {
        let memory = environment.memory;
        match sink {
            Sink::Order { keys, limit, keep } => {
                let limit = match limit {
                    Limit::All => usize::MAX,
                    Limit::Rows(rows) => usize::try_from(*rows).unwrap_or(usize::MAX),
                    Limit::OfCall => environment.call_limit,
                };
                Gathered::Order(OrderBuffer::new(keys, keep, limit, memory))
            }
            Sink::Any { count, keep } => Gathered::Any {
                count: usize::try_from(*count).unwrap_or(usize::MAX),
                keep,
                rows: Vec::new(),
                budget: Budget::new(memory, "the rows of the result"),
            },
            Sink::Dedup { by, keys, keep } => {
                Gathered::Dedup(DedupTable::new(by, keys, keep, memory))
            }
            Sink::Stats { groups, aggregates } => {
                Gathered::Stats(GroupTable::new(groups, aggregates, memory))
            }
            Sink::Pattern { text, diff } => {
                Gathered::Pattern(PatternTable::new(diff.is_some(), memory), text)
            }
            Sink::Totals { slots, keep } => Gathered::Totals {
                slots,
                keep,
                rows: Vec::new(),
                sums: vec![None; slots.len()],
                budget: Budget::new(memory, "the rows of `addtotals`"),
            },
        }
    }

    /// Takes a row; breaks when no more are wanted.
    pub(super) fn push(
        &mut self,
        row: &[Value<'_>],
        arrival: Arrival,
        environment: &Environment,
    ) -> Result<ControlFlow<()>, RunError> {
        match self {
            Gathered::Order(order) => order.push(row, arrival.place)?,
            Gathered::Any {
                count,
                keep: slots,
                rows,
                budget,
            } => {
                if rows.len() < *count {
                    let row = keep(row, slots);
                    budget.take(row_bytes(&row))?;
                    rows.push(row);
                }
                if rows.len() >= *count {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Gathered::Dedup(dedup) => dedup.push(row, arrival.place, environment)?,
            Gathered::Stats(groups) => groups.push(row, arrival.place, environment)?,
            Gathered::Pattern(patterns, text) => {
                patterns.push(&evaluate(text, row, environment), arrival.earlier)?;
            }
            Gathered::Totals {
                slots,
                keep: kept,
                rows,
                sums,
                budget,
            } => {
                for (sum, slot) in sums.iter_mut().zip(*slots) {
                    if let Some(number) = total_part(&row[*slot]) {
                        *sum = Some(sum.unwrap_or(0.0) + number);
                    }
                }
                let row = keep(row, kept);
                budget.take(row_bytes(&row))?;
                rows.push(row);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Takes in what another shard gathered behind this one.
    pub(super) fn merge(&mut self, other: Gathered<'q>) -> Result<(), RunError> {
        match (self, other) {
            (Gathered::Order(order), Gathered::Order(other)) => order.merge(other),
            (Gathered::Dedup(dedup), Gathered::Dedup(other)) => dedup.merge(other),
            (Gathered::Stats(groups), Gathered::Stats(other)) => groups.merge(other),
            (Gathered::Pattern(patterns, _), Gathered::Pattern(other, _)) => patterns.merge(&other),
            (Gathered::Any { count, rows, .. }, Gathered::Any { rows: other, .. }) => {
                rows.extend(other);
                rows.truncate(*count);
                Ok(())
            }
            // A sum over all rows never stands first, so no shard has one.
            _ => Ok(()),
        }
    }

    /// Rows that an order left out because of its limit.
    pub(super) fn seen(&self) -> Option<u64> {
        match self {
            Gathered::Order(order) => Some(order.seen),
            _ => None,
        }
    }

    pub(super) fn finish(self) -> Result<Vec<Row>, RunError> {
        Ok(match self {
            Gathered::Order(order) => order.finish(),
            Gathered::Any { rows, .. } => rows,
            Gathered::Dedup(dedup) => dedup.finish(),
            Gathered::Stats(groups) => return groups.finish(),
            Gathered::Pattern(patterns, _) => patterns.finish(),
            Gathered::Totals {
                slots,
                mut rows,
                sums,
                ..
            } => {
                let width = rows.first().map_or(0, Vec::len);
                let mut total = vec![Value::Absent; width];
                for (slot, sum) in slots.iter().zip(sums) {
                    if let (Some(cell), Some(sum)) = (total.get_mut(*slot), sum) {
                        *cell = Value::number(sum);
                    }
                }
                if width > 0 {
                    rows.push(total);
                }
                rows
            }
        })
    }
}
