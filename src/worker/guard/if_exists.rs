//! `if-exists`: look whether the order is there; if not, charge and write it down.
//!
//! Weakness: looking and writing are two steps. Every delivery that looks before the first one has
//! written sees nothing and charges. A consistent read does not close the gap.

use async_trait::async_trait;

use super::{Delivery, Guard, ProcessError};
use crate::ports::Condition;

/// The guard `if-exists`.
pub struct IfExists;

#[async_trait]
impl Guard for IfExists {
    async fn process(&self, delivery: &Delivery<'_>) -> Result<(), ProcessError> {
        let (claims, caller) = (delivery.claims(), delivery.caller());
        let key = delivery.order().order_id.as_str();
        if claims.get(caller, key, true).await?.is_some() {
            delivery.skip();
            return Ok(());
        }
        delivery.charge().await?;
        let receipt = delivery.item([
            ("status", "COMPLETED".to_owned()),
            ("completedMessageId", delivery.message_id().to_owned()),
            ("requestId", delivery.request_id().to_owned()),
            ("completedAt", delivery.now()),
        ]);
        claims.put(caller, receipt, Condition::Always).await?;
        Ok(())
    }
}
