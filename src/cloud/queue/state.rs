//! One queue: its settings, its messages and what it remembers.

use std::sync::Arc;
use std::time::Duration;

use crate::ports::Timestamp;

use super::attributes::Attributes;
use super::digest::Digests;
use super::error::QueueError;
use super::fault::{FaultTally, QueueFaults};
use super::handle::{self, BadHandle, Receipt};
use super::limits;
use super::memory::{Attempt, DeduplicationKey, FirstSend, Memory};
use super::message::{Message, State};
use super::store::Store;

/// What has happened to the messages of one queue since it was created. The queue holds
/// `sent + moved_in - deleted - expired - purged - moved_out` messages at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueTotals {
    /// Messages that producers sent; a FIFO duplicate is not counted.
    pub sent: u64,
    /// FIFO sends that were accepted and swallowed because their deduplication id was known.
    pub deduplicated: u64,
    /// Deliveries, redeliveries included.
    pub received: u64,
    /// Messages deleted by consumers.
    pub deleted: u64,
    /// Messages older than the retention period.
    pub expired: u64,
    /// Messages dropped by `PurgeQueue`.
    pub purged: u64,
    /// Messages that left for another queue by a redrive policy or a move task.
    pub moved_out: u64,
    /// Messages that came from another queue in the same way.
    pub moved_in: u64,
}

/// One queue.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) arn: Arc<str>,
    /// Seals the receipt handles of this queue.
    secret: u64,
    pub(super) attributes: Attributes,
    pub(super) created_at: Timestamp,
    pub(super) modified_at: Timestamp,
    pub(super) purged_at: Option<Timestamp>,
    pub(super) store: Store,
    pub(super) sends: Memory<DeduplicationKey, FirstSend>,
    pub(super) attempts: Memory<String, Attempt>,
    pub(super) faults: QueueFaults,
    pub(super) tally: FaultTally,
    pub(super) totals: QueueTotals,
    pub(super) digests: Digests,
    last_serial: u64,
}

impl Queue {
    pub(super) fn new(arn: Arc<str>, secret: u64, attributes: Attributes, now: Timestamp) -> Self {
        Self {
            arn,
            secret,
            created_at: now,
            modified_at: now,
            purged_at: None,
            store: Store::new(attributes.fifo.is_some()),
            attributes,
            sends: Memory::new(limits::DEDUPLICATION_INTERVAL),
            attempts: Memory::new(limits::RECEIVE_ATTEMPT_INTERVAL),
            faults: QueueFaults::default(),
            tally: FaultTally::default(),
            totals: QueueTotals::default(),
            digests: Digests::default(),
            last_serial: 0,
        }
    }

    pub(super) fn is_fifo(&self) -> bool {
        self.attributes.fifo.is_some()
    }

    /// The faults in force: a FIFO queue has none.
    pub(super) fn faults_in_force(&self) -> QueueFaults {
        if self.is_fifo() {
            QueueFaults::default()
        } else {
            self.faults
        }
    }

    /// Brings the messages up to the present.
    pub(super) fn advance(&mut self, now: Timestamp) {
        let retention = u64::from(self.attributes.retention_seconds) * 1000;
        let sent_before = now.as_millis().checked_sub(retention);
        let sent_before = sent_before.map(Timestamp::from_millis);
        self.totals.expired += self.store.advance(now, sent_before);
    }

    /// When the queue next changes by itself: a message becomes visible, or expires.
    pub(super) fn next_change(&self) -> Option<Timestamp> {
        let retention = Duration::from_secs(self.attributes.retention_seconds.into());
        let expiry = self.store.oldest_sent().map(|sent_at| sent_at + retention);
        [self.store.next_shown(), expiry]
            .into_iter()
            .flatten()
            .min()
    }

    /// The serial number of the next message.
    pub(super) fn next_serial(&mut self) -> u64 {
        self.last_serial += 1;
        self.last_serial
    }

    /// Drops all messages and, on a FIFO queue, what it remembers (RECORDED: a purge clears the
    /// deduplication memory).
    pub(super) fn purge(&mut self, now: Timestamp) {
        self.totals.purged += self.store.depth().total();
        self.store = Store::new(self.is_fifo());
        self.sends.clear();
        self.attempts.clear();
        self.purged_at = Some(now);
    }

    /// Takes in a message that another queue gave up to its redrive policy.
    ///
    /// SQS developer guide, dead-letter queues: the message keeps its id, and on a standard queue
    /// its enqueue time, so its retention goes on; on a FIFO queue the enqueue time is new and
    /// the message id becomes the deduplication id.
    pub(super) fn adopt(&mut self, now: Timestamp, mut message: Message, source_arn: &Arc<str>) {
        let extra = message.extra.get_or_insert_default();
        extra.source_arn = Some(Arc::clone(source_arn));
        extra.receives_elsewhere = message.receive_count;
        if self.is_fifo() {
            extra.deduplication_id = Some(Arc::from(super::message::id_text(message.id)));
            message.sent_at = now;
        }
        self.take_in(message);
        self.totals.moved_in += 1;
    }

    /// Puts a message from elsewhere at the end of the queue, to be received at once.
    pub(super) fn take_in(&mut self, mut message: Message) {
        message.serial = self.next_serial();
        message.state = State::Visible;
        message.left_visible = false;
        self.store.insert(message);
    }

    /// The handle of the last receive of a message.
    pub(super) fn handle(&self, receipt: Receipt) -> String {
        handle::seal(self.secret, receipt)
    }

    /// The receipt that a handle stands for.
    pub(super) fn receipt(&self, handle: &str) -> Result<Receipt, QueueError> {
        handle::open(self.secret, handle).map_err(|bad| match bad {
            BadHandle::Garbage => QueueError::invalid_handle(handle),
            BadHandle::Foreign => QueueError::foreign_handle(handle),
        })
    }

    /// A changed delay of a FIFO queue holds for the messages that it has, too (SQS developer
    /// guide, delay queues); of a standard queue it does not.
    pub(super) fn delay_changed(&mut self, now: Timestamp) {
        if !self.is_fifo() {
            return;
        }
        let delay = Duration::from_secs(self.attributes.delay_seconds.into());
        for place in self.store.places() {
            let Some(message) = self.store.get(place) else {
                continue;
            };
            if message.receive_count > 0 {
                continue;
            }
            let until = message.sent_at + delay;
            let state = if until > now {
                State::Delayed
            } else {
                State::Visible
            };
            self.store.turn(place, state, until);
        }
    }
}
