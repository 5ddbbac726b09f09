//! The table behind the wire.

use std::sync::Arc;

use async_trait::async_trait;

use super::{Operation, Outcome, Wire};
use crate::ports::{Caller, Claims, Condition, Item, PortError, WriteOutcome};

/// A table whose calls are recorded and take their time.
pub struct WiredClaims {
    wire: Arc<Wire>,
    claims: Arc<dyn Claims>,
}

impl WiredClaims {
    /// Puts `claims` behind `wire`.
    pub fn new(wire: Arc<Wire>, claims: Arc<dyn Claims>) -> Self {
        Self { wire, claims }
    }

    fn record_write(
        &self,
        by: &Caller,
        operation: Operation,
        result: &Result<WriteOutcome, PortError>,
    ) {
        let outcome = match result {
            Ok(WriteOutcome::Applied) => Outcome::Applied,
            Ok(WriteOutcome::Refused { .. }) => Outcome::Refused,
            Err(_) => Outcome::Failed,
        };
        self.wire.record(by, operation, outcome);
    }
}

#[async_trait]
impl Claims for WiredClaims {
    async fn get(
        &self,
        by: &Caller,
        key: &str,
        consistent: bool,
    ) -> Result<Option<Item>, PortError> {
        self.wire.travel(by).await;
        let result = self.claims.get(by, key, consistent).await;
        let outcome = match result {
            Ok(_) => Outcome::Applied,
            Err(_) => Outcome::Failed,
        };
        self.wire.record(by, Operation::GetItem, outcome);
        result
    }

    async fn put(
        &self,
        by: &Caller,
        item: Item,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError> {
        self.wire.travel(by).await;
        let result = self.claims.put(by, item, condition).await;
        self.record_write(by, Operation::PutItem, &result);
        result
    }

    async fn update(
        &self,
        by: &Caller,
        key: &str,
        set: Item,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError> {
        self.wire.travel(by).await;
        let result = self.claims.update(by, key, set, condition).await;
        self.record_write(by, Operation::UpdateItem, &result);
        result
    }

    async fn delete(
        &self,
        by: &Caller,
        key: &str,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError> {
        self.wire.travel(by).await;
        let result = self.claims.delete(by, key, condition).await;
        self.record_write(by, Operation::DeleteItem, &result);
        result
    }

    async fn put_all(
        &self,
        by: &Caller,
        puts: Vec<(Item, Condition)>,
    ) -> Result<Vec<WriteOutcome>, PortError> {
        self.wire.travel(by).await;
        let result = self.claims.put_all(by, puts).await;
        let outcome = match &result {
            Ok(outcomes) if outcomes.iter().all(|o| *o == WriteOutcome::Applied) => {
                Outcome::Applied
            }
            Ok(_) => Outcome::Refused,
            Err(_) => Outcome::Failed,
        };
        self.wire.record(by, Operation::TransactWriteItems, outcome);
        result
    }

    async fn scan(&self, by: &Caller) -> Result<Vec<Item>, PortError> {
        self.claims.scan(by).await
    }
}
