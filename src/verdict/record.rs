//! A run: one send of copies of one order.

use crate::order::Order;
use crate::worker::GuardName;

/// What is known of a run before any evidence is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRecord {
    /// The run's id: it travels as a message attribute and stands in each event.
    pub run: String,
    /// Where it ran: `local`, `localstack` or `aws`.
    pub target: String,
    /// The guard that was meant to be in force.
    pub guard: GuardName,
    /// The order.
    pub order: Order,
    /// What was sent besides, on purpose, under the same order id: another amount or another
    /// customer. Usually nothing.
    pub other_contents: Vec<Order>,
    /// MessageIds of the copies that the queue accepted, in the order of sending. A FIFO queue
    /// answers a duplicate with the id of the first copy, so that an id can stand here twice.
    pub message_ids: Vec<Box<str>>,
}

impl RunRecord {
    /// Copies that the queue accepted.
    pub fn sent(&self) -> u64 {
        self.message_ids.len() as u64
    }
}
