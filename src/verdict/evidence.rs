//! What a run left behind, gathered from log, table, till and queue.

use std::collections::BTreeMap;

use super::readback::ReadBack;
use crate::event::EventType;
use crate::order::Amount;
use crate::ports::{Item, QueueDepth};

/// The row of the charges query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChargesRow {
    /// `charge_applied` lines.
    pub charges: u64,
    /// Distinct orders on them.
    pub orders: u64,
    /// Distinct messages on them.
    pub messages: u64,
}

/// What the independent ledger says of one order. The worker cannot read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerTotals {
    /// Times that money moved.
    pub charges: u64,
    /// The sum that moved.
    pub amount: Amount,
}

/// An order that was never charged.
impl Default for LedgerTotals {
    fn default() -> Self {
        Self {
            charges: 0,
            amount: std::iter::empty().sum(),
        }
    }
}

/// Everything that speaks for or against a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Answer of the query `events-by-type`.
    pub events: BTreeMap<EventType, u64>,
    /// Answer of the query `charges`.
    pub charges: ChargesRow,
    /// The same lines, read one by one.
    pub read_back: ReadBack,
    /// Items of the order, as the table returned them.
    pub items: Vec<Item>,
    /// The independent ledger; only on the embedded cloud.
    pub ledger: Option<LedgerTotals>,
    /// What the queue still holds.
    pub depth: QueueDepth,
    /// Messages that went to the dead-letter queue.
    pub dead_letters: u64,
    /// Table writes that the guard made, refused ones included (they are billed); where the lab
    /// can count them.
    pub table_writes: Option<u64>,
}

impl Evidence {
    /// How often the order was charged. The ledger decides where there is one: it also knows the
    /// charges whose worker did not live to log them.
    pub fn charge_count(&self) -> u64 {
        match &self.ledger {
            Some(ledger) => ledger.charges,
            None => self.charges.charges,
        }
    }

    /// How much the order was charged.
    pub fn amount_charged(&self) -> Amount {
        match &self.ledger {
            Some(ledger) => ledger.amount.clone(),
            None => self.read_back.amount_charged.clone(),
        }
    }

    /// Events of a type, by the query.
    pub fn count(&self, event_type: EventType) -> u64 {
        self.events.get(&event_type).copied().unwrap_or_default()
    }
}
