//! The table as guards use it: one item per key, written under a condition.
//!
//! The port is narrow on purpose. It carries the conditions that guards are made of, not
//! DynamoDB's expression language; an adapter to a real DynamoDB turns each condition into an
//! expression, an adapter in memory evaluates it directly, and the contract suite holds the two
//! equal.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::{Caller, PortError, Timestamp};

/// Partition key of the table (string).
pub const KEY_ATTRIBUTE: &str = "orderId";

/// Longest partition key in bytes of UTF-8 (DynamoDB service quota); the shortest is 1.
pub const MAX_KEY_BYTES: usize = 2048;

/// An item: attribute values by name, the key included.
pub type Item = BTreeMap<String, AttributeValue>;

/// The attribute types that guards write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeValue {
    /// `S`.
    Text(String),
    /// `N`, as decimal text.
    Number(String),
}

impl AttributeValue {
    /// The text of either type.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Text(text) | Self::Number(text) => text,
        }
    }
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// When a write applies. Evaluated and applied as one atomic step on the item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Always.
    Always,
    /// No item has this key (`attribute_not_exists`).
    Absent,
    /// No item has this key, or its window is over (`expiration` in epoch seconds is before
    /// `now`), or it is `INPROGRESS` and its lease is over (`inProgressExpiration` in epoch
    /// milliseconds is before `now`). The condition of Powertools' idempotency utility.
    AbsentOrExpired {
        /// The writer's idea of the present.
        now: Timestamp,
    },
    /// The attribute exists and has this text.
    Equals {
        /// Attribute name.
        attribute: &'static str,
        /// Required value.
        value: String,
    },
}

/// What became of a conditional write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    /// Written.
    Applied,
    /// The condition was not met; nothing was written.
    Refused {
        /// The item that stands there (`ReturnValuesOnConditionCheckFailure=ALL_OLD`); `None` if
        /// there is no such item.
        existing: Option<Item>,
    },
}

/// One DynamoDB table with the partition key [`KEY_ATTRIBUTE`].
///
/// # Errors
/// Every method fails with a [`PortError`] whose code is DynamoDB's exception name. A condition
/// that is not met is an outcome, not an error.
#[async_trait]
pub trait Claims: Send + Sync {
    /// `GetItem`; `consistent` asks for a strongly consistent read.
    async fn get(
        &self,
        by: &Caller,
        key: &str,
        consistent: bool,
    ) -> Result<Option<Item>, PortError>;

    /// `PutItem`: replaces the whole item. The item carries its key.
    async fn put(
        &self,
        by: &Caller,
        item: Item,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError>;

    /// `UpdateItem` with `SET` of the given attributes (the key is not among them). Creates the
    /// item if it is absent and the condition allows it.
    async fn update(
        &self,
        by: &Caller,
        key: &str,
        set: Item,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError>;

    /// `DeleteItem`. Deleting an absent item succeeds if the condition allows it.
    async fn delete(
        &self,
        by: &Caller,
        key: &str,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError>;

    /// `TransactWriteItems` with one `Put` per entry: all or none. The outcomes are `Refused`
    /// for the entries whose condition was not met, and `Applied` for the others only if the
    /// whole transaction was applied.
    async fn put_all(
        &self,
        by: &Caller,
        puts: Vec<(Item, Condition)>,
    ) -> Result<Vec<WriteOutcome>, PortError>;

    /// `Scan` with strong reads, ordered by key.
    async fn scan(&self, by: &Caller) -> Result<Vec<Item>, PortError>;
}
