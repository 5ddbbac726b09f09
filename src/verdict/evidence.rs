//! What a run left behind, gathered from log, table, till and queue.

use std::collections::BTreeMap;

use super::cost::{Cost, Usage};
use super::readback::ReadBack;
use super::record::RunRecord;
use crate::event::EventType;
use crate::order::Amount;
use crate::ports::{Item, QueueDepth, Timestamp};
use crate::worker::GuardName;

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

/// A fault rule that was in force, and how often it did something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultFired {
    /// The rule as it is written, for example `crash@claim:after`.
    pub rule: String,
    /// How often it fired.
    pub fired: u64,
}

/// What the wire between the consumer and the services saw. No line of the consumer is needed for
/// it, so that it tells a line that was lost from one that was never written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// Invocations that ran.
    pub invocations: u64,
    /// Puts and transactions of the consumer that were applied and whose answer reached it.
    pub puts_granted: u64,
    /// Puts and transactions that were refused because an earlier try of the same call, whose
    /// answer was lost, had been applied.
    pub puts_met_themselves: u64,
    /// Answers to puts and transactions that were held up on their way back, so that their caller
    /// may have been gone when they came.
    pub puts_delayed: u64,
    /// Charges that the till made, or replayed, and whose answer reached the consumer.
    pub charges_answered: u64,
    /// Charges that the till made, or replayed, and whose answer did not.
    pub charges_unanswered: u64,
    /// Answers of the till that were held up on their way back.
    pub charges_delayed: u64,
    /// Messages that the queue took and whose id the producer did not get to know.
    pub sends_unanswered: u64,
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
    /// Whether the queue is FIFO.
    pub fifo: bool,
    /// What table and queue were asked for; where the lab can count it.
    pub usage: Option<Usage>,
    /// What the wire saw; only on the embedded cloud.
    pub witness: Option<Witness>,
    /// Every fault rule that was in force.
    pub faults: Vec<FaultFired>,
    /// When the evidence was gathered; `None` takes the time of the run's last line.
    pub gathered_at: Option<Timestamp>,
}

impl Evidence {
    /// How often the order was charged: rows of the ledger in the table, and what the till says.
    /// The independent ledger decides where there is one: it also knows the charges whose worker
    /// did not live to log them.
    pub fn charge_count(&self) -> u64 {
        let rows = self.charged_by_rows().count() as u64;
        match &self.ledger {
            Some(ledger) => ledger.charges + rows,
            // Without it, the lines of a charge in the table stand for the rows.
            None => self.charges.charges.max(rows),
        }
    }

    /// How much the order was charged.
    pub fn amount_charged(&self) -> Amount {
        let rows: Vec<Amount> = self.charged_by_rows().collect();
        match &self.ledger {
            Some(ledger) => rows.iter().chain([&ledger.amount]).sum(),
            None if rows.is_empty() => self.read_back.amount_charged.clone(),
            None => rows.iter().sum(),
        }
    }

    /// Charges that are rows of a ledger in the guard's own table.
    fn charged_by_rows(&self) -> impl Iterator<Item = Amount> {
        self.items
            .iter()
            .filter_map(GuardName::charged_by_row)
            .filter_map(|amount| amount.parse().ok())
    }

    /// Items that are claims or receipts, not rows of a ledger.
    pub fn receipts(&self) -> impl Iterator<Item = &Item> {
        let is_row = |item: &&Item| GuardName::charged_by_row(item).is_some();
        self.items.iter().filter(move |item| !is_row(item))
    }

    /// Events of a type, by the query.
    pub fn count(&self, event_type: EventType) -> u64 {
        self.events.get(&event_type).copied().unwrap_or_default()
    }

    /// Deliveries of messages that had been delivered before.
    pub fn redeliveries(&self) -> u64 {
        self.read_back.redeliveries
    }

    /// Deliveries that were refused because their order had come with other content before.
    pub fn payload_mismatches(&self) -> u64 {
        self.read_back.payload_mismatches
    }

    /// Charges that the till answered with its first answer, so that no money moved.
    pub fn replays(&self) -> u64 {
        self.read_back.replays
    }

    /// Table writes that the guard made, refused ones included (they are billed).
    pub fn table_writes(&self) -> Option<u64> {
        self.usage.map(|usage| usage.table_writes())
    }

    /// What a million messages cost, if all go as those of this run went.
    pub fn cost(&self, record: &RunRecord) -> Option<Cost> {
        self.usage?.cost(record.sent(), self.fifo)
    }

    /// The present, as far as a claim's end is concerned.
    pub fn now(&self) -> Timestamp {
        self.gathered_at.unwrap_or(self.read_back.last_line)
    }
}
