//! A claim that stands in the way of an order that was never charged.

use super::evidence::Evidence;
use crate::ports::{AttributeValue, Item, Timestamp};

/// A claim that was made and not completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Obstacle {
    /// When it stops to count; `None` if it never does.
    pub(super) until: Option<Timestamp>,
}

/// The claim that blocks the order at present, if there is one. Of several (one per message, one
/// per body) it is the one that lasts longest.
pub(super) fn obstacle(evidence: &Evidence) -> Option<Obstacle> {
    let now = evidence.now();
    let blocking = evidence.receipts().filter_map(claim_in_progress);
    let blocking = blocking.filter(|claim| claim.until.is_none_or(|until| until > now));
    blocking.max_by_key(|claim| claim.until.unwrap_or(Timestamp::from_millis(u64::MAX)))
}

/// The names are those of the guards' items. A claim in progress ends when its lease does, or, if
/// it has none, when its time to live does.
fn claim_in_progress(item: &Item) -> Option<Obstacle> {
    let status = item.get("status").map(AttributeValue::as_str);
    if !matches!(status, Some("CLAIMED" | "INPROGRESS")) {
        return None;
    }
    let number = |name| -> Option<u64> { item.get(name)?.as_str().parse().ok() };
    let lease = number("inProgressExpiration").map(Timestamp::from_millis);
    let window =
        number("expiration").map(|seconds| Timestamp::from_millis(seconds.saturating_mul(1_000)));
    Some(Obstacle {
        until: lease.or(window),
    })
}
