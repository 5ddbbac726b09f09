//! The table behind the wire.

use std::sync::Arc;

use async_trait::async_trait;

use super::{Operation, Outcome, Wire};
use crate::ports::{Caller, Claims, Condition, Item, PortError, WriteOutcome};

/// A table whose calls are recorded, take their time and meet the faults of the wire.
pub struct WiredClaims {
    wire: Arc<Wire>,
    claims: Arc<dyn Claims>,
}

impl WiredClaims {
    /// Puts `claims` behind `wire`.
    pub fn new(wire: Arc<Wire>, claims: Arc<dyn Claims>) -> Self {
        Self { wire, claims }
    }
}

fn tell_written(outcome: &WriteOutcome, tell: &mut dyn FnMut(Outcome)) {
    tell(match outcome {
        WriteOutcome::Applied => Outcome::Applied,
        WriteOutcome::Refused { .. } => Outcome::Refused,
    });
}

#[async_trait]
impl Claims for WiredClaims {
    async fn get(
        &self,
        by: &Caller,
        key: &str,
        consistent: bool,
    ) -> Result<Option<Item>, PortError> {
        let apply = |()| self.claims.get(by, key, consistent);
        self.wire
            .call(by, Operation::GetItem, (), apply, |_, tell| {
                tell(Outcome::Applied);
            })
            .await
    }

    async fn put(
        &self,
        by: &Caller,
        item: Item,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError> {
        let apply = |(item, condition)| self.claims.put(by, item, condition);
        let request = (item, condition);
        self.wire
            .call(by, Operation::PutItem, request, apply, tell_written)
            .await
    }

    async fn update(
        &self,
        by: &Caller,
        key: &str,
        set: Item,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError> {
        let apply = |(set, condition)| self.claims.update(by, key, set, condition);
        let request = (set, condition);
        self.wire
            .call(by, Operation::UpdateItem, request, apply, tell_written)
            .await
    }

    async fn delete(
        &self,
        by: &Caller,
        key: &str,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError> {
        let apply = |condition| self.claims.delete(by, key, condition);
        self.wire
            .call(by, Operation::DeleteItem, condition, apply, tell_written)
            .await
    }

    async fn put_all(
        &self,
        by: &Caller,
        puts: Vec<(Item, Condition)>,
    ) -> Result<Vec<WriteOutcome>, PortError> {
        let apply = |puts| self.claims.put_all(by, puts);
        self.wire
            .call(
                by,
                Operation::TransactWriteItems,
                puts,
                apply,
                |all, tell| {
                    let refused = all.iter().find(|one| **one != WriteOutcome::Applied);
                    tell_written(refused.unwrap_or(&WriteOutcome::Applied), tell);
                },
            )
            .await
    }

    async fn scan(&self, by: &Caller) -> Result<Vec<Item>, PortError> {
        self.claims.scan(by).await
    }
}
