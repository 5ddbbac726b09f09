//! `none`: every message is charged.
//!
//! Weakness: every duplicate is a double charge, whatever its cause.

use async_trait::async_trait;

use super::{Delivery, Guard, ProcessError};

/// The guard `none`.
pub struct Unguarded;

#[async_trait]
impl Guard for Unguarded {
    async fn process(&self, delivery: &Delivery<'_>) -> Result<(), ProcessError> {
        delivery.charge().await
    }
}
