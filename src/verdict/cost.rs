//! What a guard costs: calls counted on the wire, times list prices.

use std::fmt;

use super::prices;

/// Items in a transaction of the guard `transaction`: the receipt and the row of the ledger.
const ITEMS_PER_TRANSACTION: u64 = 2;

/// Write units of an item in a transaction: one to prepare and one to commit (DynamoDB,
/// TransactWriteItems).
const UNITS_PER_TRANSACTIONAL_WRITE: u64 = 2;

/// What a run asked of table and queue. Items are taken to be no larger than 1 KB, and reads to be
/// strongly consistent, as the guards' are by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// `PutItem`, `UpdateItem` and `DeleteItem` that were applied.
    pub writes: u64,
    /// The same, refused because their condition was not met. They are billed like the others.
    pub refused_writes: u64,
    /// `TransactWriteItems` that were applied.
    pub transactions: u64,
    /// The same, cancelled because a condition was not met. They are billed too.
    pub refused_transactions: u64,
    /// `GetItem`.
    pub reads: u64,
    /// Messages sent.
    pub sends: u64,
    /// Receives that brought messages.
    pub receives: u64,
    /// Receives that brought none. They are billed, but they grow with time and not with messages,
    /// so that they are no part of a cost per message.
    pub empty_receives: u64,
    /// Messages deleted.
    pub deletes: u64,
    /// `ChangeMessageVisibility`.
    pub visibility_changes: u64,
}

/// Thousandths of a thousandth of a dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MicroDollars(pub u64);

/// What a million messages cost, if all go as those of the run went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The guard: its reads and writes.
    pub table: MicroDollars,
    /// The queue. Sends and deletes count one request per message, as with a batch size of 1:
    /// batches save up to nine in ten of them.
    pub queue: MicroDollars,
}

impl Usage {
    /// Writes that are billed, a transaction counted as one.
    pub fn table_writes(&self) -> u64 {
        self.writes + self.refused_writes + self.transactions + self.refused_transactions
    }

    /// Write request units.
    pub fn write_units(&self) -> u64 {
        let transactions = self.transactions + self.refused_transactions;
        self.writes
            + self.refused_writes
            + transactions * ITEMS_PER_TRANSACTION * UNITS_PER_TRANSACTIONAL_WRITE
    }

    /// Requests to the queue that grow with the messages.
    pub fn queue_requests(&self) -> u64 {
        self.sends + self.receives + self.deletes + self.visibility_changes
    }

    /// What a million messages cost if `messages` of them used this much; `None` without messages.
    pub fn cost(&self, messages: u64, fifo: bool) -> Option<Cost> {
        let per_million = |units: &[(u64, u64)]| {
            let total: u128 = units
                .iter()
                .map(|(count, price)| u128::from(*count) * u128::from(*price))
                .sum();
            let messages = u128::from(messages);
            let rounded = (total + messages / 2).checked_div(messages)?;
            u64::try_from(rounded).ok().map(MicroDollars)
        };
        let request = match fifo {
            true => prices::MILLION_FIFO_REQUESTS,
            false => prices::MILLION_STANDARD_REQUESTS,
        };
        Some(Cost {
            table: per_million(&[
                (self.write_units(), prices::MILLION_WRITE_UNITS),
                (self.reads, prices::MILLION_READ_UNITS),
            ])?,
            queue: per_million(&[(self.queue_requests(), request)])?,
        })
    }
}

/// Dollars with two decimals, or with as many as it takes.
impl fmt::Display for MicroDollars {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000);
        let whole = text.len() - 4;
        let kept = text.trim_end_matches('0').len().max(whole);
        formatter.pad(&text[..kept])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_and_its_receipt_are_two_writes_per_message() {
        let usage = Usage {
            writes: 2,
            sends: 1,
            receives: 1,
            deletes: 1,
            empty_receives: 1_000,
            ..Usage::default()
        };
        let cost = usage.cost(1, false).expect("a message");
        assert_eq!(cost.table.to_string(), "1.25");
        assert_eq!(cost.queue.to_string(), "1.20");
        let fifo = usage.cost(1, true).expect("a message");
        assert_eq!(fifo.queue.to_string(), "1.50");
    }

    #[test]
    fn refused_writes_are_billed_and_transactions_are_billed_four_times() {
        let usage = Usage {
            writes: 2,
            refused_writes: 9,
            transactions: 1,
            refused_transactions: 1,
            reads: 10,
            ..Usage::default()
        };
        assert_eq!(usage.table_writes(), 13);
        assert_eq!(usage.write_units(), 19);
        let cost = usage.cost(10, false).expect("messages");
        // 1.9 writes at 0.625 and one read at 0.125.
        assert_eq!(cost.table.to_string(), "1.3125");
        assert_eq!(cost.queue.to_string(), "0.00");
    }

    #[test]
    fn nothing_is_divided_by_no_messages() {
        assert_eq!(Usage::default().cost(0, false), None);
    }
}
