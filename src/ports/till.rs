//! The till: where the effect of processing an order lands.

use async_trait::async_trait;

use super::{Caller, PortError};
use crate::order::{Amount, OrderId};

/// A request to charge a customer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The order that is charged.
    pub order_id: OrderId,
    /// The copy that led to the charge.
    pub message_id: String,
    /// How much.
    pub amount: Amount,
    /// Idempotency key for gateways that take one.
    pub key: Option<String>,
}

/// The till's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Whether the answer is a stored one, replayed for a key that was seen before: no money
    /// moved this time.
    pub replayed: bool,
}

/// Where charges land. The worker can charge; it can never look.
#[async_trait]
pub trait Till: Send + Sync {
    /// Charges the customer.
    ///
    /// # Errors
    /// A [`PortError`] if the charge did not happen, or if nobody can tell
    /// ([`super::ErrorKind::NoAnswer`]).
    async fn charge(&self, by: &Caller, charge: Charge) -> Result<Receipt, PortError>;
}
