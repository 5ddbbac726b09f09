//! The table as a map in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::attributes::has_outlived;
use super::rules::{self, Violation};
use crate::ports::{
    AttributeValue, Caller, Claims, Clock, Condition, Item, KEY_ATTRIBUTE, PortError, WriteOutcome,
};

/// A table in memory that behaves as [`super::DynoxideClaims`] does, for runs in which a
/// database would set the pace.
pub struct MemoryClaims {
    clock: Arc<dyn Clock>,
    items: Mutex<HashMap<String, Item>>,
}

impl MemoryClaims {
    /// An empty table. The clock is read by [`MemoryClaims::sweep_expired`] alone.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            items: Mutex::default(),
        }
    }

    /// Deletes what the time to live would have deleted by now, and returns how many items that
    /// were. Nothing is deleted unless this is called: DynamoDB promises no bound either.
    pub fn sweep_expired(&self) -> usize {
        let now = self.clock.now();
        let mut items = self.items();
        let before = items.len();
        items.retain(|_, item| !has_outlived(item, now));
        before - items.len()
    }

    fn items(&self) -> MutexGuard<'_, HashMap<String, Item>> {
        // Every critical section leaves the map whole, so a panic elsewhere does not matter.
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Claims for MemoryClaims {
    async fn get(
        &self,
        _by: &Caller,
        key: &str,
        _consistent: bool,
    ) -> Result<Option<Item>, PortError> {
        rules::check_key(key).map_err(|violation| refusal("GetItem", violation))?;
        Ok(self.items().get(key).cloned())
    }

    async fn put(
        &self,
        _by: &Caller,
        mut item: Item,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError> {
        let key =
            rules::accept_put(&mut item).map_err(|violation| refusal("PutItem", violation))?;
        let mut items = self.items();
        let existing = items.get_mut(key);
        if !rules::is_met(&condition, existing.as_deref()) {
            return Ok(refused(existing.as_deref()));
        }
        match existing {
            Some(existing) => *existing = item,
            None => {
                items.insert(key.to_owned(), item);
            }
        }
        Ok(WriteOutcome::Applied)
    }

    async fn update(
        &self,
        _by: &Caller,
        key: &str,
        mut set: Item,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError> {
        let refuse = |violation| refusal("UpdateItem", violation);
        rules::accept_update(key, &mut set).map_err(refuse)?;
        let mut items = self.items();
        let existing = items.get(key);
        if !rules::is_met(&condition, existing) {
            return Ok(refused(existing));
        }
        let mut updated = existing
            .cloned()
            .unwrap_or_else(|| Item::from([(KEY_ATTRIBUTE.to_owned(), AttributeValue::from(key))]));
        updated.extend(
            set.iter()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        rules::check_updated(&set, &updated).map_err(refuse)?;
        items.insert(key.to_owned(), updated);
        Ok(WriteOutcome::Applied)
    }

    async fn delete(
        &self,
        _by: &Caller,
        key: &str,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError> {
        rules::check_key(key).map_err(|violation| refusal("DeleteItem", violation))?;
        let mut items = self.items();
        let existing = items.get(key);
        if !rules::is_met(&condition, existing) {
            return Ok(refused(existing));
        }
        items.remove(key);
        Ok(WriteOutcome::Applied)
    }

    async fn put_all(
        &self,
        _by: &Caller,
        puts: Vec<(Item, Condition)>,
    ) -> Result<Vec<WriteOutcome>, PortError> {
        let refuse = |violation| refusal(TRANSACTION, violation);
        if let Some(message) = rules::action_count_refusal(puts.len()) {
            return Err(refuse(Violation::Other(message)));
        }
        rules::check_transaction(&puts).map_err(refuse)?;
        let mut items = self.items();
        let mut accepted = Vec::with_capacity(puts.len());
        let mut outcomes = Vec::with_capacity(puts.len());
        let mut reasons = Vec::with_capacity(puts.len());
        for (mut item, condition) in puts {
            let (outcome, reason) = match rules::accept_transaction_put(&mut item) {
                Err(Violation::EmptyKey) => return Err(refuse(Violation::EmptyKey)),
                Err(Violation::Other(_)) => (refused(None), "ValidationError"),
                Ok(key) => {
                    let existing = items.get(&key);
                    if rules::is_met(&condition, existing) {
                        accepted.push((key, item));
                        (WriteOutcome::Applied, "None")
                    } else {
                        (refused(existing), "ConditionalCheckFailed")
                    }
                }
            };
            outcomes.push(outcome);
            reasons.push(reason);
        }
        if reasons.contains(&"ValidationError") {
            return Err(PortError::rejected(
                TRANSACTION,
                "TransactionCanceledException",
                format!(
                    "Transaction cancelled, please refer cancellation reasons for specific \
                     reasons [{}]",
                    reasons.join(", ")
                ),
            ));
        }
        if accepted.len() == outcomes.len() {
            items.extend(accepted);
            return Ok(outcomes);
        }
        Ok(outcomes.into_iter().map(without_applied).collect())
    }

    async fn scan(&self, _by: &Caller) -> Result<Vec<Item>, PortError> {
        let items = self.items();
        let mut sorted: Vec<_> = items.iter().collect();
        sorted.sort_unstable_by_key(|(key, _)| key.as_str());
        Ok(sorted.into_iter().map(|(_, item)| item.clone()).collect())
    }
}

const TRANSACTION: &str = "TransactWriteItems";

fn refusal(operation: &'static str, violation: Violation) -> PortError {
    PortError::rejected(operation, "ValidationException", violation.message())
}

fn refused(existing: Option<&Item>) -> WriteOutcome {
    WriteOutcome::Refused {
        existing: existing.cloned(),
    }
}

/// The outcome of an entry of a transaction that was cancelled: nothing of it was applied.
pub(super) fn without_applied(outcome: WriteOutcome) -> WriteOutcome {
    match outcome {
        WriteOutcome::Applied => WriteOutcome::Refused { existing: None },
        refused => refused,
    }
}
