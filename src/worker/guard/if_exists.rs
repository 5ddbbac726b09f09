//! `if-exists`: look whether the order is there; if not, charge and write it down.
//!
//! Weaknesses: looking and writing are two steps. Every delivery that looks before the first one
//! has written sees nothing and charges; a consistent read does not close the gap, and without one
//! even a delivery that looks afterwards may see nothing. A crash between charge and write charges
//! again.

use async_trait::async_trait;

use super::{Delivery, Guard, KeyStrategy, ProcessError};
use crate::ports::Condition;

/// The guard `if-exists`.
pub struct IfExists {
    /// Whether it asks for strongly consistent reads.
    pub consistent_reads: bool,
}

#[async_trait]
impl Guard for IfExists {
    async fn process(&self, delivery: &Delivery<'_>) -> Result<(), ProcessError> {
        let (claims, caller) = (delivery.claims(), delivery.caller());
        let key = delivery.order().order_id.as_str();
        let seen = claims.get(caller, key, self.consistent_reads).await?;
        if seen.is_some() {
            delivery.skip();
            return Ok(());
        }
        delivery.charge().await?;
        let receipt = KeyStrategy::OrderId.item(
            delivery,
            [
                ("status", "COMPLETED".into()),
                ("completedMessageId", delivery.message_id().into()),
                ("requestId", delivery.request_id().into()),
                ("completedAt", delivery.now().to_string().into()),
            ],
        );
        claims.put(caller, receipt, Condition::Always).await?;
        Ok(())
    }
}
