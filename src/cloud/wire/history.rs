//! The one ordered history: who called what, when, and how it came out.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::ports::{Caller, Timestamp};

/// A call as it is remembered. Small, because a run of a million copies makes several million.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// When the call returned.
    pub at: Timestamp,
    /// Who made it.
    pub caller: CallerId,
    /// What it asked for.
    pub operation: Operation,
    /// How it came out.
    pub outcome: Outcome,
}

/// A [`Caller`] without its baggage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallerId {
    /// See [`Caller::Producer`].
    Producer,
    /// See [`Caller::Mapping`].
    Mapping,
    /// See [`Caller::Invocation`]: its number.
    Invocation(u32),
    /// See [`Caller::Observer`].
    Observer,
}

impl From<&Caller> for CallerId {
    fn from(caller: &Caller) -> Self {
        match caller {
            Caller::Producer => Self::Producer,
            Caller::Mapping => Self::Mapping,
            Caller::Invocation(invocation) => Self::Invocation(invocation.number),
            Caller::Observer => Self::Observer,
        }
    }
}

/// The operations of the ports, by their AWS names where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// `SendMessage` or one entry of `SendMessageBatch`.
    SendMessage,
    /// `ReceiveMessage`, once per message that it returned, and once if it returned none.
    ReceiveMessage,
    /// One entry of `DeleteMessageBatch`.
    DeleteMessage,
    /// `ChangeMessageVisibility`.
    ChangeMessageVisibility,
    /// `GetItem`.
    GetItem,
    /// `PutItem`, conditional or not.
    PutItem,
    /// `UpdateItem`.
    UpdateItem,
    /// `DeleteItem`.
    DeleteItem,
    /// `TransactWriteItems`.
    TransactWriteItems,
    /// A charge at the till.
    Charge,
}

impl Operation {
    /// Whether DynamoDB bills it as a write, applied or not.
    pub const fn is_table_write(self) -> bool {
        matches!(
            self,
            Self::PutItem | Self::UpdateItem | Self::DeleteItem | Self::TransactWriteItems
        )
    }
}

/// How a call came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It did what it was asked to do.
    Applied,
    /// The condition of a write was not met.
    Refused,
    /// It failed.
    Failed,
}

/// All calls of one stack, in the order in which they returned.
#[derive(Debug, Default)]
pub struct History {
    calls: Mutex<Vec<Call>>,
}

impl History {
    /// Appends a call.
    pub fn record(&self, call: Call) {
        self.lock().push(call);
    }

    /// Calls of invocations that satisfy `test`.
    pub fn count(&self, test: impl Fn(&Call) -> bool) -> u64 {
        self.lock().iter().filter(|call| test(call)).count() as u64
    }

    /// A copy of all calls.
    pub fn calls(&self) -> Vec<Call> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Call>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
