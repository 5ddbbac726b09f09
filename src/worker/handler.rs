//! The consumer itself: takes an SQS event, gives each record to the guard, says which failed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use super::console::Console;
use super::delivery::{Delivery, Services};
use super::guard::{Guard, GuardName};
use super::partial::BatchResponse;
use super::process_error::ProcessError;
use crate::event::EventType;
use crate::order::Order;
use crate::ports::{Caller, Timestamp};

/// The message attribute that names the run; the body stays byte for byte what the producer wrote.
pub const RUN_ATTRIBUTE: &str = "run";

/// The parts of an SQS event that the consumer reads.
#[derive(Deserialize)]
struct SqsEvent<'a> {
    #[serde(borrow, rename = "Records")]
    records: Vec<Record<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    #[serde(borrow)]
    message_id: Cow<'a, str>,
    #[serde(borrow)]
    body: Cow<'a, str>,
    attributes: SystemAttributes<'a>,
    #[serde(borrow, default)]
    message_attributes: BTreeMap<Cow<'a, str>, Attribute<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SystemAttributes<'a> {
    #[serde(borrow)]
    approximate_receive_count: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attribute<'a> {
    #[serde(borrow, default)]
    string_value: Option<Cow<'a, str>>,
}

/// An exception that leaves the handler: the whole batch fails.
#[derive(Debug)]
pub struct HandlerError {
    /// The class of the error.
    pub error_type: String,
    /// For people.
    pub message: String,
}

impl fmt::Display for HandlerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.error_type, self.message)
    }
}

/// The consumer's code together with its configuration.
pub(super) struct Handler {
    pub(super) services: Services,
    pub(super) guard_name: GuardName,
    /// If it reports partial failures, a record that fails does not touch the others; otherwise
    /// the first failure fails the batch.
    pub(super) report_batch_item_failures: bool,
}

/// What the platform hands over with an event, and the process that takes it.
pub(super) struct Context<'a> {
    pub(super) caller: &'a Caller,
    pub(super) console: &'a Console,
    /// When the platform ends the invocation.
    pub(super) deadline: Timestamp,
    /// The guard of this process.
    pub(super) guard: &'a dyn Guard,
}

impl Handler {
    /// Handles one event.
    pub(super) async fn handle(
        &self,
        event: &str,
        context: &Context<'_>,
    ) -> Result<String, HandlerError> {
        let event: SqsEvent<'_> = serde_json::from_str(event).map_err(|error| HandlerError {
            error_type: "EventError".to_owned(),
            message: format!("the event is not an SQS event: {error}"),
        })?;
        let mut response = BatchResponse::default();
        for record in event.records {
            let message_id = record.message_id.clone();
            let Err(error) = self.process(record, context).await else {
                continue;
            };
            if !self.report_batch_item_failures {
                return Err(HandlerError {
                    error_type: error.type_name().to_owned(),
                    message: error.to_string(),
                });
            }
            let line = format_args!("message {message_id} failed: {error}");
            context.console.error(line);
            response.fail(&message_id);
        }
        Ok(response.to_json())
    }

    async fn process(&self, record: Record<'_>, context: &Context<'_>) -> Result<(), ProcessError> {
        let run = record
            .message_attributes
            .into_iter()
            .find(|(name, _)| name == RUN_ATTRIBUTE)
            .and_then(|(_, attribute)| attribute.string_value)
            .unwrap_or_default();
        let delivery = Delivery {
            services: &self.services,
            console: context.console,
            caller: context.caller,
            guard: self.guard_name.name(),
            deadline: context.deadline,
            order: Order::from_body(&record.body)?,
            body: record.body,
            message_id: record.message_id,
            run,
            receive_count: record
                .attributes
                .approximate_receive_count
                .parse()
                .unwrap_or_default(),
        };
        delivery.emit(EventType::ProcessStart);
        context.guard.process(&delivery).await?;
        delivery.emit(EventType::ProcessEnd);
        Ok(())
    }
}
