//! The till behind the wire.

use std::sync::Arc;

use async_trait::async_trait;

use super::{Operation, Outcome, Wire};
use crate::ports::{Caller, Charge, PortError, Receipt, Till};

/// A till whose calls are recorded and take their time.
pub struct WiredTill {
    wire: Arc<Wire>,
    till: Arc<dyn Till>,
}

impl WiredTill {
    /// Puts `till` behind `wire`.
    pub fn new(wire: Arc<Wire>, till: Arc<dyn Till>) -> Self {
        Self { wire, till }
    }
}

#[async_trait]
impl Till for WiredTill {
    async fn charge(&self, by: &Caller, charge: Charge) -> Result<Receipt, PortError> {
        self.wire.travel(by).await;
        let result = self.till.charge(by, charge).await;
        let outcome = match result {
            Ok(_) => Outcome::Applied,
            Err(_) => Outcome::Failed,
        };
        self.wire.record(by, Operation::Charge, outcome);
        result
    }
}
