//! What a call asks for: the operations of the ports, and the verbs by which faults name them.

use std::fmt;

/// The operations of the ports, by their AWS names where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// `SendMessage` or one entry of `SendMessageBatch`.
    SendMessage,
    /// `ReceiveMessage`, recorded once per message that it returned, and once if it returned none.
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

/// The service that an operation belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Service {
    Queue,
    Table,
    Till,
}

impl Operation {
    /// All operations: the consumer's first, in the order in which a guard uses them.
    pub const ALL: [Operation; 10] = [
        Self::GetItem,
        Self::PutItem,
        Self::Charge,
        Self::UpdateItem,
        Self::DeleteItem,
        Self::TransactWriteItems,
        Self::SendMessage,
        Self::ReceiveMessage,
        Self::DeleteMessage,
        Self::ChangeMessageVisibility,
    ];

    /// What a caller does with it, in one word: the name in fault rules and crash points. A guard
    /// claims with a put, completes with an update and releases with a delete.
    pub const fn verb(self) -> &'static str {
        match self {
            Self::GetItem => "read",
            Self::PutItem => "claim",
            Self::Charge => "charge",
            Self::UpdateItem => "complete",
            Self::DeleteItem => "release",
            Self::TransactWriteItems => "transact",
            Self::SendMessage => "send",
            Self::ReceiveMessage => "receive",
            Self::DeleteMessage => "delete",
            Self::ChangeMessageVisibility => "visibility",
        }
    }

    /// The name of the API call, as it stands in errors.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GetItem => "GetItem",
            Self::PutItem => "PutItem",
            Self::Charge => "Charge",
            Self::UpdateItem => "UpdateItem",
            Self::DeleteItem => "DeleteItem",
            Self::TransactWriteItems => "TransactWriteItems",
            Self::SendMessage => "SendMessage",
            Self::ReceiveMessage => "ReceiveMessage",
            Self::DeleteMessage => "DeleteMessageBatch",
            Self::ChangeMessageVisibility => "ChangeMessageVisibility",
        }
    }

    /// The operation that has this verb.
    pub fn of_verb(verb: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|operation| operation.verb() == verb)
    }

    /// Whether it is a call of the consumer, in the middle of which the consumer can crash. The
    /// other calls are those of the producer and of the mapping.
    pub const fn is_consumers(self) -> bool {
        !matches!(self.service(), Service::Queue)
    }

    /// Whether DynamoDB bills it as a write if it reaches the table, applied or not.
    pub const fn is_table_write(self) -> bool {
        matches!(
            self,
            Self::PutItem | Self::UpdateItem | Self::DeleteItem | Self::TransactWriteItems
        )
    }

    pub(super) const fn service(self) -> Service {
        match self {
            Self::GetItem
            | Self::PutItem
            | Self::UpdateItem
            | Self::DeleteItem
            | Self::TransactWriteItems => Service::Table,
            Self::Charge => Service::Till,
            Self::SendMessage
            | Self::ReceiveMessage
            | Self::DeleteMessage
            | Self::ChangeMessageVisibility => Service::Queue,
        }
    }
}

/// The verb.
impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.verb())
    }
}
