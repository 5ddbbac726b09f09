//! The guards: what stands between a delivery and the till. One file each, to be read side by
//! side.

mod body_hash;
mod claim;
mod claim_release;
mod evidence;
mod fenced_lease;
mod if_exists;
mod key;
mod keyed_charge;
mod lease;
mod memory;
mod message_id;
mod name;
mod none;
mod record;
mod settings;
mod transaction;

use async_trait::async_trait;

pub use body_hash::body_hash;
pub use claim::Claim;
pub use claim_release::ClaimRelease;
pub use evidence::EffectSite;
pub use fenced_lease::FencedLease;
pub use if_exists::IfExists;
pub use key::{KeyStrategy, ORDER_ATTRIBUTE};
pub use keyed_charge::keyed_charge;
pub use lease::Lease;
pub use memory::Memory;
pub use message_id::message_id;
pub use name::GuardName;
pub use none::Unguarded;
pub use settings::GuardSettings;
pub use transaction::{LEDGER_PREFIX, Transaction};

use super::delivery::Delivery;
use super::process_error::ProcessError;

/// Decides whether a delivery may reach the till. It is made when an execution environment starts
/// its process, and lives as long as the process does.
#[async_trait]
pub trait Guard: Send + Sync {
    /// Processes one delivery: charges, or skips it as a duplicate.
    ///
    /// # Errors
    /// A [`ProcessError`] if it cannot tell; the message then comes back.
    async fn process(&self, delivery: &Delivery<'_>) -> Result<(), ProcessError>;
}
