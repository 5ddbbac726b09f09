//! `transaction`: claim and effect are one write.
//!
//! The effect is a row of a ledger that is kept in the same table, and `TransactWriteItems` puts
//! the claim and the row together or not at all. There is no moment between the two in which a
//! crash could come, so the claim needs no lease and no release: it is a receipt from the start.
//!
//! The till is not called. What counts as a charge is the row: its key is
//! `ledger#<order id>#<message id>`, so that an order that is sent again after the window has a row
//! of its own, while one message never has two. `charge_applied` is logged after the commit; a
//! crash in between leaves a row without a line.
//!
//! Weakness: none expected. It needs an effect that is a write to the same database, and every
//! duplicate does its work up to the write before it learns that it is one.

use async_trait::async_trait;

use super::key::{ORDER_ATTRIBUTE, attributes};
use super::record::{self, EXPIRATION, OWNER, STATUS, VALIDATION, number};
use super::{Delivery, Guard, GuardSettings, KeyStrategy, ProcessError};
use crate::event::EventType;
use crate::ports::{Condition, Item, KEY_ATTRIBUTE, Timestamp, WriteOutcome};

/// What the partition keys of ledger rows begin with.
pub const LEDGER_PREFIX: &str = "ledger#";

/// The guard `transaction`.
pub struct Transaction {
    /// The window.
    pub settings: GuardSettings,
}

#[async_trait]
impl Guard for Transaction {
    async fn process(&self, delivery: &Delivery<'_>) -> Result<(), ProcessError> {
        delivery.work().await;
        let now = delivery.now();
        let owner = format!("{}/{}", delivery.request_id(), delivery.message_id());
        let puts = vec![
            (
                self.receipt(delivery, now, &owner),
                Condition::AbsentOrExpired { now },
            ),
            (ledger_row(delivery, now), Condition::Absent),
        ];
        let outcomes = delivery.claims().put_all(delivery.caller(), puts).await?;
        if !committed(delivery, outcomes, &owner)? {
            delivery.skip();
            return Ok(());
        }
        delivery.emit(EventType::ClaimWon);
        delivery.charge_applied();
        Ok(())
    }
}

impl Transaction {
    fn receipt(&self, delivery: &Delivery<'_>, now: Timestamp, owner: &str) -> Item {
        KeyStrategy::OrderId.item(
            delivery,
            [
                (STATUS, "COMPLETED".into()),
                (EXPIRATION, number((now + self.settings.window).as_secs())),
                (
                    VALIDATION,
                    super::key::payload_hash(delivery.order()).into(),
                ),
                (OWNER, owner.into()),
                ("completedMessageId", delivery.message_id().into()),
                ("requestId", delivery.request_id().into()),
                ("completedAt", now.to_string().into()),
            ],
        )
    }
}

/// Whether the transaction was applied: it was, or the answer to its first try was lost and the
/// repetition met what that had written.
///
/// # Errors
/// [`ProcessError::PayloadMismatch`] if the order was charged with other content before.
fn committed(
    delivery: &Delivery<'_>,
    outcomes: Vec<WriteOutcome>,
    owner: &str,
) -> Result<bool, ProcessError> {
    if outcomes
        .iter()
        .all(|outcome| *outcome == WriteOutcome::Applied)
    {
        return Ok(true);
    }
    match outcomes.into_iter().next() {
        Some(WriteOutcome::Refused {
            existing: Some(receipt),
        }) => {
            record::check_payload(delivery, &receipt)?;
            Ok(record::is_owned_by(&receipt, owner))
        }
        // The receipt would have been replaced, its window being over; it was the row that stood
        // in the way. This very message was charged before.
        _ => Ok(false),
    }
}

fn ledger_row(delivery: &Delivery<'_>, now: Timestamp) -> Item {
    let order = delivery.order();
    let key = format!(
        "{LEDGER_PREFIX}{}#{}",
        order.order_id,
        delivery.message_id()
    );
    attributes([
        (KEY_ATTRIBUTE, key.into()),
        (ORDER_ATTRIBUTE, order.order_id.as_str().into()),
        // As text: a Number would come back as 150.
        ("amount", order.amount.as_str().into()),
        ("customerId", order.customer_id.as_str().into()),
        ("messageId", delivery.message_id().into()),
        ("requestId", delivery.request_id().into()),
        ("chargedAt", now.to_string().into()),
    ])
}
