//! Sending messages.

use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::entropy::Entropy;
use crate::ports::{Sent, Timestamp};

use super::attributes::DeduplicationScope;
use super::batch;
use super::check;
use super::digest::hex;
use super::error::QueueError;
use super::limits;
use super::memory::FirstSend;
use super::message::{self, Extra, Message, State};
use super::queues::{Queues, open};
use super::request::{BatchEntry, BatchOutcome, SendMessage};
use super::state::Queue;

impl Queues {
    /// `SendMessage`. Every accepted message of a standard queue gets an id of its own, however
    /// equal its body; a FIFO queue answers a known deduplication id with the id and the sequence
    /// number of the first message and takes nothing in.
    ///
    /// # Errors
    /// `QueueDoesNotExist`, or a message that the queue does not accept.
    pub fn send_message(
        &mut self,
        now: Timestamp,
        entropy: &Entropy,
        queue: &str,
        message: SendMessage,
    ) -> Result<Sent, QueueError> {
        let queue = open(&self.config, &mut self.queues, now, queue)?;
        let size = self.content.size(&message)?;
        queue.send(now, entropy, message, size)
    }

    /// `SendMessageBatch`: an entry that is not accepted does not keep the others out.
    ///
    /// # Errors
    /// `QueueDoesNotExist`; no entry, or more than 10; ids that are malformed or not distinct;
    /// more than 1 MiB in all.
    pub fn send_message_batch(
        &mut self,
        now: Timestamp,
        entropy: &Entropy,
        queue: &str,
        entries: Vec<BatchEntry<SendMessage>>,
    ) -> Result<BatchOutcome<Sent>, QueueError> {
        self.open(now, queue)?;
        batch::check_entries("SendMessageBatch", &entries)?;
        self.check_batch_size(entries.iter().map(|entry| &entry.request))?;
        Ok(batch::collect(entries, |message| {
            self.send_message(now, entropy, queue, message)
        }))
    }

    /// The entries of a batch together have a limit of their own. What is wrong with a single
    /// entry is not for this check to say.
    pub(super) fn check_batch_size<'a>(
        &mut self,
        messages: impl Iterator<Item = &'a SendMessage>,
    ) -> Result<(), QueueError> {
        let sizes = messages.map(|message| self.content.size(message).unwrap_or(0));
        let total = sizes.sum();
        if total > limits::MAX_BATCH_BYTES {
            return Err(QueueError::batch_too_long(limits::MAX_BATCH_BYTES, total));
        }
        Ok(())
    }
}

impl Queue {
    /// Takes in a message of well-formed content of `size` bytes.
    fn send(
        &mut self,
        now: Timestamp,
        entropy: &Entropy,
        message: SendMessage,
        size: usize,
    ) -> Result<Sent, QueueError> {
        let limit = self.attributes.max_message_bytes;
        if size > limit as usize {
            return Err(QueueError::message_too_long(limit));
        }
        let delay_seconds = self.delay_of(&message)?;
        let extra = self.extra_of(&message)?;
        let key = extra
            .as_deref()
            .and_then(|extra| self.deduplication_key(extra));
        if let Some(first) = key
            .as_ref()
            .and_then(|key| self.sends.recall(now, key).copied())
        {
            self.totals.deduplicated += 1;
            return Ok(self.answer(first));
        }
        let first = FirstSend {
            id: message::new_id(entropy),
            serial: self.next_serial(),
        };
        if let Some(key) = key {
            self.sends.remember(now, key, first);
        }
        let until = now + Duration::from_secs(delay_seconds.into());
        self.store.insert(Message {
            serial: first.serial,
            id: first.id,
            body: message.body,
            attributes: message.attributes,
            sent_at: now,
            first_received_at: now,
            received_at: now,
            until,
            receive_count: 0,
            state: if until > now {
                State::Delayed
            } else {
                State::Visible
            },
            left_visible: false,
            extra,
        });
        self.totals.sent += 1;
        Ok(self.answer(first))
    }

    fn answer(&self, first: FirstSend) -> Sent {
        Sent {
            message_id: message::id_text(first.id),
            sequence_number: self
                .is_fifo()
                .then(|| message::sequence_number(first.serial)),
        }
    }

    /// SQS SendMessage: 0 to 900 s, and on a FIFO queue the delay of the queue only.
    fn delay_of(&self, message: &SendMessage) -> Result<u32, QueueError> {
        let Some(seconds) = message.delay_seconds else {
            return Ok(self.attributes.delay_seconds);
        };
        if self.is_fifo() && seconds != 0 {
            // RECORDED 2022-08-03.
            return Err(QueueError::value(
                seconds,
                "DelaySeconds",
                "The request include parameter that is not valid for this queue type.",
            ));
        }
        let reason = "DelaySeconds must be >= 0 and <= 900.";
        let seconds = check::seconds(seconds, "DelaySeconds", limits::DELAY_SECONDS, reason)?;
        Ok(if self.is_fifo() {
            self.attributes.delay_seconds
        } else {
            seconds
        })
    }

    /// Group, deduplication id and trace header, as far as this type of queue takes them.
    fn extra_of(&self, message: &SendMessage) -> Result<Option<Box<Extra>>, QueueError> {
        let shared = |text: &Option<String>| text.as_deref().map(Arc::from);
        if let Some(group) = &message.group_id {
            check::fifo_id("MessageGroupId", group)?;
        }
        let deduplication_id = match &self.attributes.fifo {
            None => {
                if let Some(id) = &message.deduplication_id {
                    return Err(QueueError::value(
                        id,
                        "MessageDeduplicationId",
                        "The request includes a parameter that is not valid for this queue type.",
                    ));
                }
                None
            }
            Some(fifo) => {
                if message.group_id.is_none() {
                    return Err(QueueError::missing("MessageGroupId"));
                }
                match &message.deduplication_id {
                    Some(id) => {
                        check::fifo_id("MessageDeduplicationId", id)?;
                        Some(Arc::from(id.as_str()))
                    }
                    // SQS SendMessage: the SHA-256 of the body, and not of the attributes.
                    None if fifo.content_based_deduplication => {
                        let hash = Sha256::digest(message.body.as_bytes());
                        Some(Arc::from(hex(&hash)))
                    }
                    // RECORDED.
                    None => {
                        return Err(QueueError::parameter(
                            "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly",
                        ));
                    }
                }
            }
        };
        if message.group_id.is_none() && message.trace_header.is_none() {
            return Ok(None);
        }
        Ok(Some(Box::new(Extra {
            group_id: shared(&message.group_id),
            deduplication_id,
            trace_header: shared(&message.trace_header),
            source_arn: None,
            receives_elsewhere: 0,
        })))
    }

    fn deduplication_key(&self, extra: &Extra) -> Option<super::memory::DeduplicationKey> {
        let fifo = self.attributes.fifo?;
        let id = extra.deduplication_id.clone()?;
        let group = match fifo.scope {
            DeduplicationScope::Queue => None,
            DeduplicationScope::MessageGroup => extra.group_id.clone(),
        };
        Some((group, id))
    }
}
