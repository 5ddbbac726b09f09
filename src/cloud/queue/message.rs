//! A message in a queue, and a message as it is handed to a consumer.

use std::collections::BTreeMap;
use std::sync::Arc;

use uuid::Uuid;

use crate::entropy::Entropy;
use crate::ports::{MessageAttribute, ReceiptHandle, Received, Timestamp};

use super::digest::{self, Digests};

/// Where a message stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Not to be received yet.
    Delayed,
    /// To be received.
    Visible,
    /// Received and hidden.
    InFlight,
}

/// A message in a queue. A queue may hold millions: the size of this type is part of the product.
#[derive(Clone, Debug)]
pub(super) struct Message {
    /// Position in the order in which the queue took its messages in, from 1; never used twice.
    pub(super) serial: u64,
    pub(super) id: Uuid,
    pub(super) body: Arc<str>,
    pub(super) attributes: Arc<BTreeMap<String, MessageAttribute>>,
    /// When it was first sent; a dead-letter move of a standard queue does not change it.
    pub(super) sent_at: Timestamp,
    /// Meaningful once `receive_count` is above zero.
    pub(super) first_received_at: Timestamp,
    /// When it was last received: the twelve hours of the visibility timeout count from here.
    pub(super) received_at: Timestamp,
    /// End of the delay or of the visibility timeout.
    pub(super) until: Timestamp,
    pub(super) receive_count: u32,
    pub(super) state: State,
    /// Whether the last receive left the message visible (a fault).
    pub(super) left_visible: bool,
    pub(super) extra: Option<Box<Extra>>,
}

/// What most messages do not have.
#[derive(Clone, Debug, Default)]
pub(super) struct Extra {
    pub(super) group_id: Option<Arc<str>>,
    pub(super) deduplication_id: Option<Arc<str>>,
    pub(super) trace_header: Option<Arc<str>>,
    /// The queue from which a redrive policy moved the message here.
    pub(super) source_arn: Option<Arc<str>>,
    /// Receives before the message came to this queue; they do not count against the redrive
    /// policy of this queue (not documented; otherwise a chain of dead-letter queues would pass
    /// a message on without anybody seeing it).
    pub(super) receives_elsewhere: u32,
}

impl Message {
    pub(super) fn group_id(&self) -> Option<&Arc<str>> {
        self.extra.as_ref()?.group_id.as_ref()
    }

    /// Receives from the queue that the message is in.
    pub(super) fn receives_here(&self) -> u32 {
        let elsewhere = self
            .extra
            .as_ref()
            .map_or(0, |extra| extra.receives_elsewhere);
        self.receive_count - elsewhere
    }
}

/// A new message id.
pub(super) fn new_id(entropy: &Entropy) -> Uuid {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&entropy.number().to_le_bytes());
    bytes[8..].copy_from_slice(&entropy.number().to_le_bytes());
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

/// The text of a message id.
pub(super) fn id_text(id: Uuid) -> String {
    let mut buffer = Uuid::encode_buffer();
    id.hyphenated().encode_lower(&mut buffer).to_owned()
}

/// `SequenceNumber`: 20 decimal digits on AWS, which grow with every message of the queue.
pub(super) fn sequence_number(serial: u64) -> String {
    const FIRST: u128 = 18_850_000_000_000_000_000;
    const STEP: u128 = 256;
    (FIRST + u128::from(serial) * STEP).to_string()
}

/// A message as `ReceiveMessage` hands it out.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// The delivery with all attributes.
    pub received: Received,
    /// `AWSTraceHeader`.
    pub trace_header: Option<Arc<str>>,
}

impl Delivery {
    pub(super) fn of(
        message: &Message,
        receipt_handle: String,
        sender_id: &Arc<str>,
        fifo: bool,
        digests: &mut Digests,
    ) -> Self {
        let extra = message.extra.as_deref();
        Self {
            received: Received {
                message_id: id_text(message.id),
                receipt_handle: ReceiptHandle(receipt_handle),
                body: Arc::clone(&message.body),
                attributes: Arc::clone(&message.attributes),
                md5_of_body: digests.of_body(&message.body),
                md5_of_attributes: digests.of_attributes(&message.attributes),
                receive_count: message.receive_count,
                sent_at: message.sent_at,
                first_received_at: message.first_received_at,
                sender_id: Arc::clone(sender_id),
                group_id: extra.and_then(|extra| extra.group_id.clone()),
                deduplication_id: extra.and_then(|extra| extra.deduplication_id.clone()),
                sequence_number: fifo.then(|| sequence_number(message.serial)),
                dead_letter_source_arn: extra.and_then(|extra| extra.source_arn.clone()),
            },
            trace_header: extra.and_then(|extra| extra.trace_header.clone()),
        }
    }

    /// The system attributes (`Attributes`) that a receiver asked for by name or by `All`; none
    /// come back unless asked for (SQS ReceiveMessage). Times are epoch milliseconds.
    pub fn system_attributes(&self, names: &[&str]) -> BTreeMap<&'static str, String> {
        let received = &self.received;
        let text = |value: &Option<Arc<str>>| value.as_deref().map(str::to_owned);
        let all = [
            (
                "ApproximateFirstReceiveTimestamp",
                Some(received.first_received_at.as_millis().to_string()),
            ),
            (
                "ApproximateReceiveCount",
                Some(received.receive_count.to_string()),
            ),
            ("AWSTraceHeader", text(&self.trace_header)),
            (
                "DeadLetterQueueSourceArn",
                text(&received.dead_letter_source_arn),
            ),
            ("MessageDeduplicationId", text(&received.deduplication_id)),
            ("MessageGroupId", text(&received.group_id)),
            ("SenderId", Some(received.sender_id.to_string())),
            (
                "SentTimestamp",
                Some(received.sent_at.as_millis().to_string()),
            ),
            ("SequenceNumber", received.sequence_number.clone()),
        ];
        let asked = |name: &str| names.iter().any(|other| *other == "All" || *other == name);
        all.into_iter()
            .filter(|(name, _)| asked(name))
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }

    /// The message attributes that a receiver asked for: by name, by `All` or `.*`, or by the
    /// beginning of the name as `prefix.*` (SQS ReceiveMessage).
    pub fn message_attributes(&self, names: &[&str]) -> BTreeMap<&str, &MessageAttribute> {
        let asked = |name: &str| {
            names
                .iter()
                .any(|pattern| match pattern.strip_suffix(".*") {
                    Some(prefix) => name.starts_with(prefix),
                    None => *pattern == "All" || *pattern == name,
                })
        };
        let attributes = self.received.attributes.iter();
        attributes
            .filter(|(name, _)| asked(name))
            .map(|(name, attribute)| (name.as_str(), attribute))
            .collect()
    }

    /// `MD5OfMessageAttributes` over the attributes that are handed out, as an SDK checks it.
    pub fn md5_of_message_attributes(&self, names: &[&str]) -> Option<String> {
        digest::md5_of_attributes(self.message_attributes(names))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A million messages that wait are to fit beside everything else.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn a_message_is_small() {
        assert_eq!(size_of::<Option<Message>>(), 96);
    }
}
