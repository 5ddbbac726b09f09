//! `claim-release`: as `claim`, and the claim is given back when something fails.
//!
//! The item has a time to live (`expiration`, epoch seconds), so that a claim that was never given
//! back goes away some day.
//!
//! Weaknesses: a crash runs no release, and the order hangs until the time to live has deleted the
//! claim. *Any* error leads to the release: one after the charge (the receipt could not be written,
//! the till charged and its answer was lost) lets the next delivery charge again, and one in the
//! claim itself (a throttled put) deletes a claim that belongs to another delivery, which lets a
//! third one charge. The window is left to the time to live, which deletes late, by days: an order
//! that is sent again on purpose meanwhile is swallowed.

use std::time::Duration;

use async_trait::async_trait;

use super::key::attributes;
use super::record::{EXPIRATION, number};
use super::{Delivery, Guard, KeyStrategy, ProcessError};
use crate::event::EventType;
use crate::ports::{Condition, WriteOutcome};

/// The guard `claim-release`.
pub struct ClaimRelease {
    /// After how long the time to live may delete the claim.
    pub window: Duration,
}

#[async_trait]
impl Guard for ClaimRelease {
    async fn process(&self, delivery: &Delivery<'_>) -> Result<(), ProcessError> {
        let result = self.claim_and_charge(delivery).await;
        if result.is_err() {
            // Without asking whose claim it is: that is the point of this guard.
            let key = delivery.order().order_id.as_str();
            let release = delivery
                .claims()
                .delete(delivery.caller(), key, Condition::Always);
            if let Err(error) = release.await {
                delivery.warn(format_args!("the claim was not released: {error}"));
            }
        }
        result
    }
}

impl ClaimRelease {
    async fn claim_and_charge(&self, delivery: &Delivery<'_>) -> Result<(), ProcessError> {
        let (claims, caller) = (delivery.claims(), delivery.caller());
        let now = delivery.now();
        let reservation = KeyStrategy::OrderId.item(
            delivery,
            [
                ("status", "CLAIMED".into()),
                ("messageId", delivery.message_id().into()),
                ("requestId", delivery.request_id().into()),
                ("claimedAt", now.to_string().into()),
                (EXPIRATION, number((now + self.window).as_secs())),
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
        let key = delivery.order().order_id.as_str();
        claims
            .update(caller, key, receipt, Condition::Always)
            .await?;
        Ok(())
    }
}
