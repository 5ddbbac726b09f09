//! `keyed-charge`: a `fenced-lease` whose till takes the order id as an idempotency key.
//!
//! The till itself tells a repetition from a new charge and replays its first answer. So whatever
//! happens beside the effect, a crash at any point, a lost answer, an owner that wakes up late,
//! money moves once; the lease only spares the till the work, and keeps the answer.
//!
//! Weakness: none of its own, but it is as good as the till's memory. A till that looks at no keys,
//! or forgets them sooner than the last redelivery comes, charges again; and one that never forgets
//! swallows an order that is sent again on purpose after the window.

use super::{FencedLease, GuardSettings};

/// The guard `keyed-charge`.
pub const fn keyed_charge(settings: GuardSettings) -> FencedLease {
    FencedLease {
        settings,
        keyed_charge: true,
    }
}
