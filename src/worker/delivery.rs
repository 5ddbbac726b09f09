//! One delivery of one order in the hands of a guard: everything a guard may do.

use std::borrow::Cow;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use super::console::Console;
use super::process_error::ProcessError;
use crate::event::{Event, EventType};
use crate::order::Order;
use crate::ports::{Caller, Charge, Claims, Clock, Till, Timestamp};

/// The error code of a till that has seen the idempotency key with another order or amount.
const KEY_MISMATCH: &str = "IdempotencyKeyMismatch";

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
    /// When the platform ends the invocation.
    pub(super) deadline: Timestamp,
    pub(super) order: Order,
    pub(super) body: Cow<'a, str>,
    pub(super) message_id: Cow<'a, str>,
    pub(super) run: Cow<'a, str>,
    pub(super) receive_count: u32,
}

impl Delivery<'_> {
    /// The order that was delivered.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// The message body, byte for byte.
    pub fn body(&self) -> &str {
        &self.body
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

    /// The present. Items carry it as text: ISO 8601 with milliseconds.
    pub fn now(&self) -> Timestamp {
        self.services.clock.now()
    }

    /// How long the platform still lets the invocation run (`getRemainingTimeInMillis` of the
    /// Lambda context); all records of a batch share it, and it can be zero.
    pub fn remaining_time(&self) -> Duration {
        self.deadline.since(self.now())
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

    /// Logs a line for people that is not an event.
    pub fn note(&self, text: impl Display) {
        self.console.info(text);
    }

    /// Logs an error that does not decide what becomes of the delivery.
    pub fn warn(&self, text: impl Display) {
        self.console.error(text);
    }

    /// Takes the time that a charge takes.
    pub async fn work(&self) {
        self.services.clock.sleep(self.services.work).await;
    }

    /// Charges the customer: takes the work time, runs the till, logs `charge_applied`.
    ///
    /// # Errors
    /// [`ProcessError::Call`] if the till refused or gave no answer.
    pub async fn charge(&self) -> Result<(), ProcessError> {
        self.charge_under(None).await
    }

    /// As [`Delivery::charge`], under an idempotency key. If the till replays an earlier answer no
    /// money moves, so that `charge_applied` is not logged.
    ///
    /// # Errors
    /// [`ProcessError::PayloadMismatch`] if the till knows the key from another order or amount;
    /// [`ProcessError::Call`] if it refused otherwise or gave no answer.
    pub async fn charge_under(&self, key: Option<&str>) -> Result<(), ProcessError> {
        self.work().await;
        let charge = Charge {
            order_id: self.order.order_id.clone(),
            message_id: self.message_id.to_string(),
            amount: self.order.amount.clone(),
            key: key.map(str::to_owned),
        };
        let receipt = self
            .services
            .till
            .charge(self.caller, charge)
            .await
            .map_err(|error| match error.code.as_str() {
                KEY_MISMATCH => self.payload_mismatch(),
                _ => error.into(),
            })?;
        if receipt.replayed {
            self.note("charge replayed: the till had the key, no money moved");
        } else {
            self.charge_applied();
        }
        Ok(())
    }

    /// Logs `charge_applied`.
    pub fn charge_applied(&self) {
        let amount = RawValue::from_string(self.order.amount.to_string())
            .expect("an amount is a JSON number");
        self.log(EventType::ChargeApplied, Some(&amount));
    }

    /// The error of a delivery whose order was processed with other content before.
    pub fn payload_mismatch(&self) -> ProcessError {
        ProcessError::PayloadMismatch {
            order_id: self.order.order_id.clone(),
            message_id: self.message_id.to_string(),
        }
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
