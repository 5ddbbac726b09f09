//! The record that the lease family keeps of an order, and how a claim on it is made.
//!
//! The protocol is that of Powertools for AWS Lambda's idempotency utility. A record is
//! `INPROGRESS` until `inProgressExpiration` (epoch milliseconds), then anybody may take it over;
//! `COMPLETED`, it holds the result for those who come later; and after `expiration` (epoch
//! seconds) it counts for nothing, whether or not the time to live has deleted it.

use super::key::{attributes, payload_hash};
use super::{Delivery, GuardSettings, KeyStrategy, ProcessError};
use crate::event::EventType;
use crate::ports::{AttributeValue, Condition, Item, Timestamp, WriteOutcome};

// The names that `Condition::AbsentOrExpired` reads.
pub(super) const STATUS: &str = "status";
pub(super) const EXPIRATION: &str = "expiration";
const LEASE_END: &str = "inProgressExpiration";
const IN_PROGRESS: &str = "INPROGRESS";
const COMPLETED: &str = "COMPLETED";

/// Who holds a fenced claim.
pub(super) const OWNER: &str = "owner";

/// Hash of the content under which the order was claimed.
pub(super) const VALIDATION: &str = "validation";

/// The stored result.
const DATA: &str = "data";

/// How often a claim is tried again whose refusal names a lease that is over by now (as often as
/// Powertools does).
const RETRIES_AFTER_INCONSISTENT_STATE: u32 = 2;

/// A Number.
pub(super) fn number(value: u64) -> AttributeValue {
    AttributeValue::Number(value.to_string())
}

/// How an attempt to claim an order ended.
pub(super) enum Claimed {
    /// The order is this delivery's to charge.
    Won,
    /// The order was charged before, with this result.
    Before {
        /// The stored result.
        result: String,
    },
}

/// Claims the order: puts an `INPROGRESS` record if there is none, or if the one there is
/// counts no more. A fenced claim carries its `owner`, by which it knows itself again: an SDK
/// repeats a put whose answer was lost, and then meets what it wrote itself.
///
/// # Errors
/// [`ProcessError::InProgress`] if somebody else's claim is alive,
/// [`ProcessError::PayloadMismatch`] if the order came with other content before,
/// [`ProcessError::Call`] if the put failed.
pub(super) async fn claim(
    delivery: &Delivery<'_>,
    settings: &GuardSettings,
    owner: Option<&str>,
) -> Result<Claimed, ProcessError> {
    let mut retries = 0;
    loop {
        let now = delivery.now();
        let outcome = delivery
            .claims()
            .put(
                delivery.caller(),
                in_progress(delivery, settings, now, owner),
                Condition::AbsentOrExpired { now },
            )
            .await?;
        let existing = match outcome {
            WriteOutcome::Applied => return Ok(Claimed::Won),
            WriteOutcome::Refused { existing } => existing.unwrap_or_default(),
        };
        check_payload(delivery, &existing)?;
        if text(&existing, STATUS) == Some(COMPLETED) {
            let result = text(&existing, DATA).unwrap_or("nothing").to_owned();
            return Ok(Claimed::Before { result });
        }
        if owner.is_some_and(|owner| is_owned_by(&existing, owner)) {
            return Ok(Claimed::Won);
        }
        let lease_end = lease_end(&existing);
        let over = lease_end.is_some_and(|end| end < delivery.now());
        if over && retries < RETRIES_AFTER_INCONSISTENT_STATE {
            retries += 1;
            continue;
        }
        return Err(ProcessError::InProgress {
            order_id: delivery.order().order_id.clone(),
            lease_end,
        });
    }
}

/// Logs what a claim led to. A duplicate answers with the stored result; a queue has nobody to
/// hear it, so the log is where the answer goes.
pub(super) fn report(delivery: &Delivery<'_>, claimed: &Claimed) {
    match claimed {
        Claimed::Won => delivery.emit(EventType::ClaimWon),
        Claimed::Before { result } => {
            delivery.skip();
            delivery.note(format_args!("answered with the stored result: {result}"));
        }
    }
}

/// Whether the record was made by this owner.
pub(super) fn is_owned_by(item: &Item, owner: &str) -> bool {
    text(item, OWNER) == Some(owner)
}

/// Refuses a delivery whose content is not that of the record. A record without a hash, of
/// another guard, is not compared.
///
/// # Errors
/// [`ProcessError::PayloadMismatch`].
pub(super) fn check_payload(delivery: &Delivery<'_>, item: &Item) -> Result<(), ProcessError> {
    match text(item, VALIDATION) {
        Some(hash) if hash != payload_hash(delivery.order()) => Err(delivery.payload_mismatch()),
        _ => Ok(()),
    }
}

/// The record of a claim that is made now.
fn in_progress(
    delivery: &Delivery<'_>,
    settings: &GuardSettings,
    now: Timestamp,
    owner: Option<&str>,
) -> Item {
    // With no time remaining the lease is over at once: it must not be taken for a claim without
    // an end.
    let lease = settings.lease.unwrap_or_else(|| delivery.remaining_time()) + settings.lease_margin;
    let claim = [
        (STATUS, IN_PROGRESS.into()),
        (EXPIRATION, number((now + settings.window).as_secs())),
        (LEASE_END, number((now + lease).as_millis())),
        (VALIDATION, payload_hash(delivery.order()).into()),
        ("messageId", delivery.message_id().into()),
        ("requestId", delivery.request_id().into()),
        ("claimedAt", now.to_string().into()),
    ];
    let owner = owner.map(|owner| (OWNER, owner.into()));
    KeyStrategy::OrderId.item(delivery, claim.into_iter().chain(owner))
}

/// What is set on the record of an order that was charged now. The window is counted anew.
pub(super) fn completed(delivery: &Delivery<'_>, settings: &GuardSettings) -> Item {
    let now = delivery.now();
    attributes([
        (STATUS, COMPLETED.into()),
        (EXPIRATION, number((now + settings.window).as_secs())),
        (DATA, result(delivery, now).into()),
        ("completedMessageId", delivery.message_id().into()),
        ("completedAt", now.to_string().into()),
    ])
}

/// The result of a charge, as JSON.
fn result(delivery: &Delivery<'_>, now: Timestamp) -> String {
    format!(
        r#"{{"charged":{},"chargedBy":{},"chargedAt":"{now}"}}"#,
        delivery.order().amount,
        serde_json::Value::from(delivery.message_id()),
    )
}

fn lease_end(item: &Item) -> Option<Timestamp> {
    let end = text(item, LEASE_END)?.parse().ok()?;
    Some(Timestamp::from_millis(end))
}

fn text<'i>(item: &'i Item, name: &str) -> Option<&'i str> {
    item.get(name).map(AttributeValue::as_str)
}
