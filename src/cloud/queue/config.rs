//! What is left open by the API: whose queues these are, and rules that AWS does not settle.

use std::sync::Arc;
use std::time::Duration;

use super::limits;

/// What a delete does whose receipt handle is not the latest one of its message (standard queues).
///
/// SQS DeleteMessage answers 200 in either case and warns that the message may stay. Whether it
/// does is not settled: getmoto/moto#4655 tells of a test, made on AWS, in which it was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SupersededDelete {
    /// The message stays: what the documentation warns of.
    #[default]
    Ignore,
    /// The message goes.
    Remove,
}

/// What `ChangeMessageVisibility` does to a message of a standard queue that is visible again.
///
/// Recorded on AWS (2024-04-30): the answer is 200. Its effect on the message is not documented.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LateVisibilityChange {
    /// Nothing: a heartbeat that comes too late does not save the delivery.
    #[default]
    Ignore,
    /// The message is hidden again for the time asked for.
    Hide,
}

/// Whose queues these are, and the rules that AWS leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueConfig {
    /// Twelve-digit account id, part of every ARN and URL.
    pub account_id: String,
    /// Region, part of every ARN.
    pub region: String,
    /// What queue URLs begin with, without a final slash.
    pub endpoint: String,
    /// `SenderId` of every message: the id of an IAM user.
    pub sender_id: Arc<str>,
    /// Messages of one queue that may be in flight.
    pub in_flight_quota: u64,
    /// See [`SupersededDelete`].
    pub superseded_delete: SupersededDelete,
    /// See [`LateVisibilityChange`].
    pub late_visibility_change: LateVisibilityChange,
    /// How long a new queue cannot be used yet. SQS CreateQueue asks to wait 1 s before the first
    /// use but promises no error before; zero by default.
    pub creation_delay: Duration,
}

impl Default for QueueConfig {
    fn default() -> Self {
        Self {
            account_id: "000000000000".to_owned(),
            region: "us-east-1".to_owned(),
            endpoint: "http://localhost:4566".to_owned(),
            sender_id: Arc::from("AIDALABPRODUCER000001"),
            in_flight_quota: limits::IN_FLIGHT_QUOTA,
            superseded_delete: SupersededDelete::default(),
            late_visibility_change: LateVisibilityChange::default(),
            creation_delay: Duration::ZERO,
        }
    }
}
