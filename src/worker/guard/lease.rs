//! `lease`: a claim in progress has an end, and a finished one keeps its result (the protocol of
//! Powertools for AWS Lambda).
//!
//! The claim holds for as long as the platform lets the invocation run. A delivery that meets a
//! living claim fails, so that its message comes back; one that meets a dead claim takes it over;
//! one that meets a finished order answers with the stored result. An order that comes back with
//! other content is refused. If the charge fails the claim is deleted.
//!
//! Weaknesses: whoever takes over cannot know whether the charge was made, so a crash between the
//! charge and the record charges again, and so does a till that charged and did not answer. The
//! record is updated and deleted without asking whose it is by now: an owner that was slower than
//! its lease finishes, or deletes, the claim of the one that took over. A put whose answer was
//! lost makes the guard wait for the end of its own lease. Content is compared when a claim is
//! refused, not when one is taken over.

use async_trait::async_trait;

use super::record::{self, Claimed};
use super::{Delivery, Guard, GuardSettings, ProcessError};
use crate::ports::Condition;

/// The guard `lease`.
pub struct Lease {
    /// Window and lease.
    pub settings: GuardSettings,
}

#[async_trait]
impl Guard for Lease {
    async fn process(&self, delivery: &Delivery<'_>) -> Result<(), ProcessError> {
        let claimed = record::claim(delivery, &self.settings, None).await?;
        record::report(delivery, &claimed);
        if matches!(claimed, Claimed::Before { .. }) {
            return Ok(());
        }
        match delivery.charge().await {
            Ok(()) => self.complete(delivery).await,
            Err(error) => {
                release(delivery).await;
                Err(error)
            }
        }
    }
}

impl Lease {
    /// Writes the receipt, over whatever stands there.
    async fn complete(&self, delivery: &Delivery<'_>) -> Result<(), ProcessError> {
        let key = delivery.order().order_id.as_str();
        let receipt = record::completed(delivery, &self.settings);
        delivery
            .claims()
            .update(delivery.caller(), key, receipt, Condition::Always)
            .await?;
        Ok(())
    }
}

/// Deletes the record, whosever it is.
async fn release(delivery: &Delivery<'_>) {
    let key = delivery.order().order_id.as_str();
    let delete = delivery
        .claims()
        .delete(delivery.caller(), key, Condition::Always);
    if let Err(error) = delete.await {
        delivery.warn(format_args!("the claim was not released: {error}"));
    }
}
