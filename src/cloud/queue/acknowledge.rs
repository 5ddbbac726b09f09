//! What a consumer does with a receipt handle: delete the message, or change how long it is hidden.

use std::time::Duration;

use crate::ports::Timestamp;

use super::batch;
use super::check;
use super::config::{LateVisibilityChange, QueueConfig, SupersededDelete};
use super::error::QueueError;
use super::limits;
use super::message::State;
use super::queues::{Queues, open};
use super::request::{BatchEntry, BatchOutcome, ChangeVisibility};
use super::state::Queue;

/// What `ChangeMessageVisibility` says of a time beyond the twelve hours.
const BEYOND_LIMIT: &str =
    "Total VisibilityTimeout for the message is beyond the limit [43200 seconds]";

impl Queues {
    /// `DeleteMessage`. To delete what is gone already is no error.
    ///
    /// Standard queues: any handle of the message will do, also an expired one (recorded on AWS);
    /// for one that is not the latest see [`SupersededDelete`].
    ///
    /// # Errors
    /// `QueueDoesNotExist`, `ReceiptHandleIsInvalid`; on a FIFO queue `InvalidParameterValue` if
    /// the handle has expired.
    pub fn delete_message(
        &mut self,
        now: Timestamp,
        queue: &str,
        receipt_handle: &str,
    ) -> Result<(), QueueError> {
        let rule = self.config.superseded_delete;
        open(&self.config, &mut self.queues, now, queue)?.delete(receipt_handle, rule)
    }

    /// `DeleteMessageBatch`, with a receipt handle in each entry.
    ///
    /// # Errors
    /// `QueueDoesNotExist`; no entry, or more than 10; ids that are malformed or not distinct.
    pub fn delete_message_batch(
        &mut self,
        now: Timestamp,
        queue: &str,
        entries: Vec<BatchEntry<String>>,
    ) -> Result<BatchOutcome<()>, QueueError> {
        self.open(now, queue)?;
        batch::check_entries("DeleteMessageBatch", &entries)?;
        Ok(batch::collect(entries, |handle| {
            self.delete_message(now, queue, &handle)
        }))
    }

    /// `ChangeMessageVisibility`: hidden for so many seconds from now on; zero shows the message at
    /// once. The next receive takes the queue's own timeout again.
    ///
    /// Standard queues: an older handle still acts on the message (recorded on AWS); for a message
    /// that is visible again see [`LateVisibilityChange`].
    ///
    /// # Errors
    /// `QueueDoesNotExist`, `ReceiptHandleIsInvalid`, `InvalidParameterValue` if the message is
    /// gone or would be hidden for more than 12 h since it was received; on a FIFO queue also if
    /// the handle has expired.
    pub fn change_message_visibility(
        &mut self,
        now: Timestamp,
        queue: &str,
        change: &ChangeVisibility,
    ) -> Result<(), QueueError> {
        let Self { config, queues, .. } = self;
        open(config, queues, now, queue)?.change_visibility(now, change, config)
    }

    /// `ChangeMessageVisibilityBatch`.
    ///
    /// # Errors
    /// `QueueDoesNotExist`; no entry, or more than 10; ids that are malformed or not distinct.
    pub fn change_message_visibility_batch(
        &mut self,
        now: Timestamp,
        queue: &str,
        entries: Vec<BatchEntry<ChangeVisibility>>,
    ) -> Result<BatchOutcome<()>, QueueError> {
        self.open(now, queue)?;
        batch::check_entries("ChangeMessageVisibilityBatch", &entries)?;
        Ok(batch::collect(entries, |change| {
            self.change_message_visibility(now, queue, &change)
        }))
    }
}

impl Queue {
    fn delete(&mut self, handle: &str, rule: SupersededDelete) -> Result<(), QueueError> {
        let receipt = self.receipt(handle)?;
        let Some(message) = self.store.find(receipt) else {
            return Ok(());
        };
        let latest = message.receive_count == receipt.receive_count;
        if self.is_fifo() {
            if !latest || message.state != State::InFlight {
                return Err(QueueError::expired_handle(handle));
            }
        } else if !latest && rule == SupersededDelete::Ignore {
            return Ok(());
        }
        if self.faults_in_force().resurrected_deletes > 0 {
            self.faults.resurrected_deletes -= 1;
            self.tally.resurrected += 1;
            return Ok(());
        }
        self.store.remove(receipt.place);
        self.totals.deleted += 1;
        Ok(())
    }

    fn change_visibility(
        &mut self,
        now: Timestamp,
        change: &ChangeVisibility,
        config: &QueueConfig,
    ) -> Result<(), QueueError> {
        let handle = &change.receipt_handle;
        let asked = change.visibility_timeout_seconds;
        let receipt = self.receipt(handle)?;
        let range = limits::VISIBILITY_SECONDS;
        let seconds = check::seconds(asked, "VisibilityTimeout", range, BEYOND_LIMIT)?;
        let Some(message) = self.store.find(receipt) else {
            return Err(QueueError::no_visibility_to_change(handle));
        };
        let latest = message.receive_count == receipt.receive_count;
        let in_flight = message.state == State::InFlight;
        if self.is_fifo() && !(latest && in_flight) {
            return Err(QueueError::no_visibility_to_change(handle));
        }
        let until = now + Duration::from_secs(seconds.into());
        let most = Duration::from_secs(limits::VISIBILITY_SECONDS.end().unsigned_abs());
        if until > message.received_at + most {
            return Err(QueueError::value(asked, "VisibilityTimeout", BEYOND_LIMIT));
        }
        if seconds == 0 {
            self.store.turn(receipt.place, State::Visible, until);
        } else if in_flight || config.late_visibility_change == LateVisibilityChange::Hide {
            self.store.turn(receipt.place, State::InFlight, until);
        }
        Ok(())
    }
}
