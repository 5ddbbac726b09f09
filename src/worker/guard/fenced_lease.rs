//! `fenced-lease`: a `lease` that knows its owner.
//!
//! The claim carries a token that no other delivery has: request id and message id. Every later
//! write asks for it, so that an owner that was slower than its lease can neither finish nor delete
//! what belongs to another by now; it fails, its message comes back and meets the other's result.
//! And when the answer to the claim was lost and the SDK repeats it, the guard knows its own claim
//! by the token and goes on at once.
//!
//! Weaknesses: the fence stands before the record, not before the till. A crash between the charge
//! and the record charges again, a till that charged and did not answer is asked again, and an
//! owner that was slower than its lease has charged by the time that its write is refused.

use async_trait::async_trait;

use super::record::{self, Claimed, OWNER};
use super::{Delivery, Guard, GuardSettings, ProcessError};
use crate::ports::{Condition, WriteOutcome};

/// The guard `fenced-lease`, and the mechanism of `keyed-charge`.
pub struct FencedLease {
    /// Window and lease.
    pub settings: GuardSettings,
    /// Whether the till is given the order id as idempotency key.
    pub keyed_charge: bool,
}

#[async_trait]
impl Guard for FencedLease {
    async fn process(&self, delivery: &Delivery<'_>) -> Result<(), ProcessError> {
        let owner = format!("{}/{}", delivery.request_id(), delivery.message_id());
        let claimed = record::claim(delivery, &self.settings, Some(&owner)).await?;
        record::report(delivery, &claimed);
        if matches!(claimed, Claimed::Before { .. }) {
            return Ok(());
        }
        let key = self
            .keyed_charge
            .then(|| delivery.order().order_id.as_str());
        match delivery.charge_under(key).await {
            Ok(()) => self.complete(delivery, owner).await,
            Err(error) => {
                release(delivery, owner).await;
                Err(error)
            }
        }
    }
}

impl FencedLease {
    /// Writes the receipt, if the claim is still this owner's.
    async fn complete(&self, delivery: &Delivery<'_>, owner: String) -> Result<(), ProcessError> {
        let order_id = &delivery.order().order_id;
        let receipt = record::completed(delivery, &self.settings);
        let written = delivery
            .claims()
            .update(
                delivery.caller(),
                order_id.as_str(),
                receipt,
                owned_by(owner),
            )
            .await?;
        match written {
            WriteOutcome::Applied => Ok(()),
            WriteOutcome::Refused { .. } => Err(ProcessError::ClaimTaken {
                order_id: order_id.clone(),
            }),
        }
    }
}

/// Deletes the record, if it is still this owner's. If it is not there is nothing to release.
async fn release(delivery: &Delivery<'_>, owner: String) {
    let key = delivery.order().order_id.as_str();
    let delete = delivery
        .claims()
        .delete(delivery.caller(), key, owned_by(owner));
    if let Err(error) = delete.await {
        delivery.warn(format_args!("the claim was not released: {error}"));
    }
}

fn owned_by(owner: String) -> Condition {
    Condition::Equals {
        attribute: OWNER,
        value: owner,
    }
}
