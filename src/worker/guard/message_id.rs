//! `message-id`: the mechanism of `claim`, keyed by what the transport calls the message.
//!
//! It stops the redelivery of a message, whose MessageId stays the same.
//!
//! Weakness: SQS makes a MessageId per send. A producer that sends twice, an SNS topic in front of
//! the queue and a redrive from the dead-letter queue all give the same order a new one, and each
//! is charged.

use super::{Claim, KeyStrategy};

/// The guard `message-id`.
pub const fn message_id() -> Claim {
    Claim {
        key: KeyStrategy::MessageId,
    }
}
