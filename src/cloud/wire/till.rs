//! The till behind the wire.

use std::sync::Arc;

use async_trait::async_trait;

use super::{Operation, Outcome, Wire};
use crate::ports::{Caller, Charge, PortError, Receipt, Till};

/// A till whose calls are recorded, take their time and meet the faults of the wire.
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
        let apply = |charge| self.till.charge(by, charge);
        self.wire
            .call(by, Operation::Charge, charge, apply, |_, tell| {
                tell(Outcome::Applied);
            })
            .await
    }
}
