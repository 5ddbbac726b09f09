//! `claim`: one conditional put decides who may charge.
//!
//! The item is a reservation (`CLAIMED`) before the charge and a receipt (`COMPLETED`) after it,
//! never the other way round.
//!
//! Weaknesses: a crash after the claim leaves the order `CLAIMED` for good, never charged and never
//! retried. If the answer to the put is lost and the SDK repeats it, the guard meets its own claim
//! and takes it for somebody else's.

use async_trait::async_trait;

use super::{Delivery, Guard, ProcessError};
use crate::event::EventType;
use crate::ports::{Condition, WriteOutcome};

/// The guard `claim`.
pub struct Claim;

#[async_trait]
impl Guard for Claim {
    async fn process(&self, delivery: &Delivery<'_>) -> Result<(), ProcessError> {
        let (claims, caller) = (delivery.claims(), delivery.caller());
        let reservation = delivery.item([
            ("status", "CLAIMED".to_owned()),
            ("messageId", delivery.message_id().to_owned()),
            ("requestId", delivery.request_id().to_owned()),
            ("claimedAt", delivery.now()),
        ]);
        match claims.put(caller, reservation, Condition::Absent).await? {
            WriteOutcome::Applied => delivery.emit(EventType::ClaimWon),
            WriteOutcome::Refused { .. } => {
                delivery.skip();
                return Ok(());
            }
        }
        delivery.charge().await?;
        let receipt = [
            ("status".to_owned(), "COMPLETED".into()),
            (
                "completedMessageId".to_owned(),
                delivery.message_id().into(),
            ),
            ("completedAt".to_owned(), delivery.now().into()),
        ];
        let key = delivery.order().order_id.as_str();
        claims
            .update(caller, key, receipt.into(), Condition::Always)
            .await?;
        Ok(())
    }
}
