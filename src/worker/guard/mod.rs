//! The guards: what stands between a delivery and the till. One file each, to be read side by
//! side.

mod claim;
mod if_exists;
mod name;
mod none;

use async_trait::async_trait;

pub use claim::Claim;
pub use if_exists::IfExists;
pub use name::GuardName;
pub use none::Unguarded;

use super::delivery::{Delivery, ProcessError};

/// Decides whether a delivery may reach the till.
#[async_trait]
pub trait Guard: Send + Sync {
    /// Processes one delivery: charges, or skips it as a duplicate.
    ///
    /// # Errors
    /// A [`ProcessError`] if it cannot tell; the message then comes back.
    async fn process(&self, delivery: &Delivery<'_>) -> Result<(), ProcessError>;
}
