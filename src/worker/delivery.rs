//! One delivery of one order in the hands of a guard: everything a guard may do.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use super::console::Console;
use crate::event::{Event, EventType};
use crate::order::{Order, OrderError};
use crate::ports::{Caller, Charge, Claims, Clock, Item, KEY_ATTRIBUTE, PortError, Till};

/// Why a delivery was not processed. The message must come back.
#[derive(Debug)]
pub enum ProcessError {
    /// The body is not an order.
    Order(OrderError),
    /// A call to the table or the till failed.
    Call(PortError),
}

impl ProcessError {
    /// The name of the error's class, as it stands in the log.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Order(_) => "OrderError",
            Self::Call(error) => &error.code,
        }
    }
}

impl fmt::Display for ProcessError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Order(error) => error.fmt(formatter),
            Self::Call(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for ProcessError {}

impl From<OrderError> for ProcessError {
    fn from(error: OrderError) -> Self {
        Self::Order(error)
    }
}

impl From<PortError> for ProcessError {
    fn from(error: PortError) -> Self {
        Self::Call(error)
    }
}

/// The services that the consumer can reach.
pub(super) struct Services {
    pub(super) claims: Arc<dyn Claims>,
    pub(super) till: Arc<dyn Till>,
    pub(super) clock: Arc<dyn Clock>,
    /// How long a charge takes (`WORK_MS`).
    pub(super) work: Duration,
}

/// One delivery of one order.
pub struct Delivery<'a> {
    pub(super) services: &'a Services,
    pub(super) console: &'a Console,
    pub(super) caller: &'a Caller,
    pub(super) guard: &'static str,
    pub(super) order: Order,
    pub(super) message_id: Cow<'a, str>,
    pub(super) run: Cow<'a, str>,
    pub(super) receive_count: u32,
}

impl Delivery<'_> {
    /// The order that was delivered.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// The copy that was delivered.
    pub fn message_id(&self) -> &str {
        &self.message_id
    }

    /// The invocation's request id.
    pub fn request_id(&self) -> &str {
        &self.console.request_id
    }

    /// The table.
    pub fn claims(&self) -> &dyn Claims {
        &*self.services.claims
    }

    /// On whose behalf the guard calls the table.
    pub fn caller(&self) -> &Caller {
        self.caller
    }

    /// The present, as it is written into items: ISO 8601 with milliseconds.
    pub fn now(&self) -> String {
        self.services.clock.now().to_string()
    }

    /// An item of the claim table with this order as its key and the given attributes.
    pub fn item<const N: usize>(&self, attributes: [(&str, String); N]) -> Item {
        let key = (KEY_ATTRIBUTE, self.order.order_id.to_string());
        std::iter::once(key)
            .chain(attributes)
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect()
    }

    /// Logs an event.
    pub fn emit(&self, event_type: EventType) {
        self.log(event_type, None);
    }

    /// Logs that another delivery holds the claim, and that this one ends without an effect.
    pub fn skip(&self) {
        self.emit(EventType::ClaimLost);
        self.emit(EventType::SkipDuplicate);
    }

    /// Charges the customer: takes the work time, runs the till, logs `charge_applied`.
    ///
    /// # Errors
    /// [`ProcessError::Call`] if the till refused or gave no answer.
    pub async fn charge(&self) -> Result<(), ProcessError> {
        self.services.clock.sleep(self.services.work).await;
        let charge = Charge {
            order_id: self.order.order_id.clone(),
            message_id: self.message_id.clone().into_owned(),
            amount: self.order.amount.clone(),
            key: None,
        };
        self.services.till.charge(self.caller, charge).await?;
        let amount = RawValue::from_string(self.order.amount.to_string())
            .expect("an amount is a JSON number");
        self.log(EventType::ChargeApplied, Some(&amount));
        Ok(())
    }

    fn log(&self, event_type: EventType, amount: Option<&RawValue>) {
        let event = Event {
            event_type,
            order_id: Cow::Borrowed(self.order.order_id.as_str()),
            message_id: Cow::Borrowed(&self.message_id),
            run: Cow::Borrowed(&self.run),
            request_id: Cow::Borrowed(&self.console.request_id),
            guard: Cow::Borrowed(self.guard),
            receive_count: self.receive_count,
            amount,
        };
        self.console.info(event.to_line());
    }
}
