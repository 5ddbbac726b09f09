//! The queue as its users see it: one SQS queue, standard or FIFO.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::{Caller, PortError, Timestamp};

/// A message to be sent. Body and attributes are shared, so copies of one order cost nothing.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The body, sent byte for byte.
    pub body: Arc<str>,
    /// Message attributes by name; at most ten.
    pub attributes: Arc<BTreeMap<String, MessageAttribute>>,
    /// Delay before the message can first be received, 0 to 900 s; `None` takes the queue's.
    pub delay: Option<Duration>,
    /// Message group; required on FIFO queues.
    pub group_id: Option<String>,
    /// FIFO deduplication id.
    pub deduplication_id: Option<String>,
}

impl Outgoing {
    /// A plain message.
    pub fn new(body: impl Into<Arc<str>>) -> Self {
        Self {
            body: body.into(),
            attributes: Arc::default(),
            delay: None,
            group_id: None,
            deduplication_id: None,
        }
    }
}

/// A message attribute: data type `String`, `Number` or `Binary`, each with an optional
/// `.label`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageAttribute {
    /// `StringValue`, for the types `String` and `Number`.
    Text {
        /// The full data type, label included.
        data_type: String,
        /// The value.
        value: String,
    },
    /// `BinaryValue`.
    Binary {
        /// The full data type, label included.
        data_type: String,
        /// The value, not base64.
        value: Vec<u8>,
    },
}

impl MessageAttribute {
    /// An attribute of the type `String`.
    pub fn string(value: impl Into<String>) -> Self {
        Self::Text {
            data_type: "String".to_owned(),
            value: value.into(),
        }
    }
}

/// The queue's answer to an accepted send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The id that the queue gave to this copy.
    pub message_id: String,
    /// FIFO sequence number.
    pub sequence_number: Option<String>,
}

/// Names one act of receiving one message; a new one for every receive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReceiptHandle(pub String);

/// How to receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiveRequest {
    /// 1 to 10 messages.
    pub max_messages: u8,
    /// Long-poll time, 0 to 20 s; `None` takes the queue's.
    pub wait: Option<Duration>,
    /// Visibility timeout for the messages of this call; `None` takes the queue's.
    pub visibility_timeout: Option<Duration>,
}

/// One delivery of one message.
#[derive(Clone, Debug)]
pub struct Received {
    /// The id of the copy, the same at every delivery.
    pub message_id: String,
    /// The handle of this delivery.
    pub receipt_handle: ReceiptHandle,
    /// The body as it was sent.
    pub body: Arc<str>,
    /// Message attributes by name.
    pub attributes: Arc<BTreeMap<String, MessageAttribute>>,
    /// `MD5OfBody`, 32 hexadecimal digits.
    pub md5_of_body: Arc<str>,
    /// `MD5OfMessageAttributes`; `None` without attributes.
    pub md5_of_attributes: Option<Arc<str>>,
    /// `ApproximateReceiveCount`: deliveries so far, this one included.
    pub receive_count: u32,
    /// `SentTimestamp`.
    pub sent_at: Timestamp,
    /// `ApproximateFirstReceiveTimestamp`.
    pub first_received_at: Timestamp,
    /// `SenderId`.
    pub sender_id: Arc<str>,
    /// `MessageGroupId`.
    pub group_id: Option<Arc<str>>,
    /// `MessageDeduplicationId`.
    pub deduplication_id: Option<Arc<str>>,
    /// `SequenceNumber`.
    pub sequence_number: Option<String>,
    /// `DeadLetterQueueSourceArn`, on messages read from a dead-letter queue.
    pub dead_letter_source_arn: Option<Arc<str>>,
}

/// An entry of a batch call that failed although the call succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchFailure {
    /// Position of the entry in the request.
    pub index: usize,
    /// The service's code.
    pub code: String,
    /// The service's message.
    pub message: String,
}

/// What a mapping must know about its queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueSettings {
    /// The queue's ARN.
    pub arn: String,
    /// Default visibility timeout, 0 to 43,200 s.
    pub visibility_timeout: Duration,
    /// Whether the queue is FIFO.
    pub fifo: bool,
}

/// The queue's own counters. Eventually consistent on AWS (they settle about a minute after
/// traffic stops), so they are never an oracle there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueDepth {
    /// `ApproximateNumberOfMessages`.
    pub visible: u64,
    /// `ApproximateNumberOfMessagesNotVisible`.
    pub in_flight: u64,
    /// `ApproximateNumberOfMessagesDelayed`.
    pub delayed: u64,
}

impl QueueDepth {
    /// All messages that the queue still holds.
    pub fn total(&self) -> u64 {
        self.visible + self.in_flight + self.delayed
    }
}

/// One SQS queue.
///
/// # Errors
/// Every method fails with a [`PortError`] whose code is the one of the SQS query protocol.
#[async_trait]
pub trait Queue: Send + Sync {
    /// `SendMessage`.
    async fn send(&self, by: &Caller, message: Outgoing) -> Result<Sent, PortError>;

    /// `SendMessageBatch`: 1 to 10 messages; one answer per message, in their order.
    async fn send_batch(
        &self,
        by: &Caller,
        messages: Vec<Outgoing>,
    ) -> Result<Vec<Result<Sent, BatchFailure>>, PortError>;

    /// `ReceiveMessage` with all attributes. An empty list when the wait ends without a message.
    async fn receive(
        &self,
        by: &Caller,
        request: ReceiveRequest,
    ) -> Result<Vec<Received>, PortError>;

    /// `DeleteMessageBatch`: 1 to 10 handles; the entries that failed.
    async fn delete_batch(
        &self,
        by: &Caller,
        handles: &[ReceiptHandle],
    ) -> Result<Vec<BatchFailure>, PortError>;

    /// `ChangeMessageVisibility`: hidden for `timeout` from now on; zero shows it at once.
    async fn change_visibility(
        &self,
        by: &Caller,
        handle: &ReceiptHandle,
        timeout: Duration,
    ) -> Result<(), PortError>;

    /// `GetQueueAttributes`, the settings.
    async fn settings(&self, by: &Caller) -> Result<QueueSettings, PortError>;

    /// `GetQueueAttributes`, the counters.
    async fn depth(&self, by: &Caller) -> Result<QueueDepth, PortError>;
}
