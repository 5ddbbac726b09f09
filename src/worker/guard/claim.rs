//! `claim`: one conditional put decides who may charge.
//!
//! The item is a reservation (`CLAIMED`) before the charge and a receipt (`COMPLETED`) after it,
//! never the other way round. `message-id` and `body-hash` are the same mechanism with another key.
//!
//! Weaknesses: a crash or an error after the claim leaves the order `CLAIMED` for good, never
//! charged and never retried. If the answer to the put is lost and the SDK repeats it, the guard
//! meets its own claim and takes it for somebody else's. The claim has no end: the order is a
//! duplicate for ever. It does not look at what it refuses, so that an order that comes again with
//! another amount is skipped as a duplicate.

use async_trait::async_trait;

use super::key::attributes;
use super::{Delivery, Guard, KeyStrategy, ProcessError};
use crate::event::EventType;
use crate::ports::{Condition, WriteOutcome};

/// The guard `claim`.
pub struct Claim {
    /// What the claim is made on.
    pub key: KeyStrategy,
}

#[async_trait]
impl Guard for Claim {
    async fn process(&self, delivery: &Delivery<'_>) -> Result<(), ProcessError> {
        let (claims, caller) = (delivery.claims(), delivery.caller());
        let reservation = self.key.item(
            delivery,
            [
                ("status", "CLAIMED".into()),
                ("messageId", delivery.message_id().into()),
                ("requestId", delivery.request_id().into()),
                ("claimedAt", delivery.now().to_string().into()),
            ],
        );
        match claims.put(caller, reservation, Condition::Absent).await? {
            WriteOutcome::Applied => delivery.emit(EventType::ClaimWon),
            WriteOutcome::Refused { .. } => {
                delivery.skip();
                return Ok(());
            }
        }
        delivery.charge().await?;
        let receipt = attributes([
            ("status", "COMPLETED".into()),
            ("completedMessageId", delivery.message_id().into()),
            ("completedAt", delivery.now().to_string().into()),
        ]);
        let key = self.key.key(delivery);
        claims
            .update(caller, &key, receipt, Condition::Always)
            .await?;
        Ok(())
    }
}
