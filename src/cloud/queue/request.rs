//! What the operations take and give, in the terms of SQS: whole seconds, entries with ids.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::ports::{MessageAttribute, Outgoing};

use super::error::QueueError;

/// `SendMessage`, or one entry of `SendMessageBatch`.
#[derive(Clone, Debug)]
pub struct SendMessage {
    /// `MessageBody`.
    pub body: Arc<str>,
    /// `MessageAttributes`.
    pub attributes: Arc<BTreeMap<String, MessageAttribute>>,
    /// `DelaySeconds`; `None` takes the queue's.
    pub delay_seconds: Option<i64>,
    /// `MessageGroupId`.
    pub group_id: Option<String>,
    /// `MessageDeduplicationId`.
    pub deduplication_id: Option<String>,
    /// `AWSTraceHeader`, the one system attribute that a sender may set.
    pub trace_header: Option<String>,
}

impl SendMessage {
    /// A plain message.
    pub fn new(body: impl Into<Arc<str>>) -> Self {
        Self::from(Outgoing::new(body))
    }
}

impl From<Outgoing> for SendMessage {
    fn from(message: Outgoing) -> Self {
        Self {
            body: message.body,
            attributes: message.attributes,
            delay_seconds: message.delay.map(whole_seconds),
            group_id: message.group_id,
            deduplication_id: message.deduplication_id,
            trace_header: None,
        }
    }
}

/// `ReceiveMessage`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiveMessage {
    /// `MaxNumberOfMessages`.
    pub max_messages: i64,
    /// `WaitTimeSeconds`; `None` takes the queue's.
    pub wait_seconds: Option<i64>,
    /// `VisibilityTimeout`; `None` takes the queue's.
    pub visibility_timeout_seconds: Option<i64>,
    /// `ReceiveRequestAttemptId`, FIFO queues only.
    pub attempt_id: Option<String>,
}

impl Default for ReceiveMessage {
    fn default() -> Self {
        Self {
            max_messages: 1,
            wait_seconds: None,
            visibility_timeout_seconds: None,
            attempt_id: None,
        }
    }
}

/// An entry of `ChangeMessageVisibilityBatch`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeVisibility {
    /// `ReceiptHandle`.
    pub receipt_handle: String,
    /// `VisibilityTimeout`.
    pub visibility_timeout_seconds: i64,
}

/// An entry of a batch call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchEntry<T> {
    /// `Id`, by which the answer refers to the entry.
    pub id: String,
    /// What is asked for.
    pub request: T,
}

/// The answer to a batch call that was accepted as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchOutcome<T> {
    /// Entries that succeeded, with their results.
    pub successful: Vec<(String, T)>,
    /// Entries that failed; all by the sender's fault.
    pub failed: Vec<(String, QueueError)>,
}

/// A page of queue URLs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuePage {
    /// The URLs, by queue name.
    pub queue_urls: Vec<String>,
    /// What to ask with for the next page.
    pub next_token: Option<String>,
}

/// Which page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// `MaxResults`, 1 to 1,000.
    pub max_results: Option<i64>,
    /// `NextToken` of the page before.
    pub next_token: Option<String>,
}

/// SQS counts in whole seconds; what is between two of them counts as the later one.
pub(super) fn whole_seconds(duration: Duration) -> i64 {
    let part = i64::from(duration.subsec_nanos() > 0);
    i64::try_from(duration.as_secs()).map_or(i64::MAX, |seconds| seconds.saturating_add(part))
}
