//! Why a delivery was not processed.

use crate::order::{OrderError, OrderId};
use crate::ports::{PortError, Timestamp};

/// Why a delivery was not processed. The message must come back.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The body is not an order.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// A call to the table or the till failed.
    #[error(transparent)]
    Call(#[from] PortError),
    /// Another delivery is processing the order.
    #[error("order `{order_id}` is being processed by another delivery{}", until(.lease_end))]
    InProgress {
        /// The order.
        order_id: OrderId,
        /// When its claim can be taken over; `None` if the claim says nothing of it.
        lease_end: Option<Timestamp>,
    },
    /// The claim was taken over by another delivery, or is gone, before this one had finished.
    #[error("order `{order_id}` was claimed by another delivery before this one had finished")]
    ClaimTaken {
        /// The order.
        order_id: OrderId,
    },
    /// The order was processed, or is being processed, with other content: same key, other
    /// payload. Evidence knows it by its first two words.
    #[error("payload mismatch: order `{order_id}` has other content in message `{message_id}`")]
    PayloadMismatch {
        /// The order.
        order_id: OrderId,
        /// The message whose content is not that of the claim.
        message_id: String,
    },
}

impl ProcessError {
    /// The name of the error's class, as it stands in the log.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Order(_) => "OrderError",
            Self::Call(error) => &error.code,
            Self::InProgress { .. } => "InProgressError",
            Self::ClaimTaken { .. } => "ClaimTakenError",
            Self::PayloadMismatch { .. } => "PayloadMismatchError",
        }
    }
}

fn until(lease_end: &Option<Timestamp>) -> String {
    lease_end.map_or_else(String::new, |end| format!(" until {end}"))
}
