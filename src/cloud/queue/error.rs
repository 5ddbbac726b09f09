//! The errors of SQS, with the names that its two protocols give them.
//!
//! Texts marked RECORDED were seen on AWS word for word; the others say the same in the same form.

use std::fmt;

use crate::ports::{ErrorKind, PortError};

/// A refusal by SQS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueError {
    /// Code of the query protocol, which SDKs show: `AWS.SimpleQueueService.NonExistentQueue`.
    pub code: &'static str,
    /// Name of the error shape of the JSON protocol: `QueueDoesNotExist`.
    pub shape: &'static str,
    /// HTTP status.
    pub status: u16,
    /// Text of the JSON protocol.
    pub message: String,
    /// Text of the query protocol where it is a different one.
    query_message: Option<&'static str>,
}

/// Codes that are shared by many refusals.
const INVALID_PARAMETER: (&str, &str) = ("InvalidParameterValue", "InvalidParameterValueException");

impl QueueError {
    fn new(
        (code, shape): (&'static str, &'static str),
        status: u16,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            shape,
            status,
            message: message.into(),
            query_message: None,
        }
    }

    /// The text as the query protocol has it.
    pub fn query_message(&self) -> &str {
        self.query_message.unwrap_or(&self.message)
    }

    /// The same refusal as callers of the port see it.
    pub fn into_port_error(self, operation: &'static str) -> PortError {
        let kind = match self.code {
            "OverLimit" => ErrorKind::Throttled,
            _ => ErrorKind::Rejected,
        };
        PortError {
            operation,
            kind,
            code: self.code.to_owned(),
            message: self.message,
        }
    }

    /// RECORDED 2024-04-30, both texts.
    pub(super) fn no_such_queue() -> Self {
        let names = (
            "AWS.SimpleQueueService.NonExistentQueue",
            "QueueDoesNotExist",
        );
        Self {
            query_message: Some("The specified queue does not exist for this wsdl version."),
            ..Self::new(names, 400, "The specified queue does not exist.")
        }
    }

    pub(super) fn invalid_address(url: &str) -> Self {
        let message = format!("The address {url} is not valid for this endpoint.");
        Self::new(("InvalidAddress", "InvalidAddress"), 404, message)
    }

    /// RECORDED 2024-04-30.
    pub(super) fn queue_exists(attribute: &str) -> Self {
        let message = format!(
            "A queue already exists with the same name and a different value for attribute {attribute}"
        );
        Self::new(("QueueAlreadyExists", "QueueNameExists"), 400, message)
    }

    /// RECORDED.
    pub(super) fn queue_deleted_recently() -> Self {
        let names = (
            "AWS.SimpleQueueService.QueueDeletedRecently",
            "QueueDeletedRecently",
        );
        let message = "You must wait 60 seconds after deleting a queue before you can create another with the same name.";
        Self::new(names, 400, message)
    }

    /// RECORDED 2024-04-30.
    pub(super) fn purge_in_progress(name: &str) -> Self {
        let names = (
            "AWS.SimpleQueueService.PurgeQueueInProgress",
            "PurgeQueueInProgress",
        );
        let message =
            format!("Only one PurgeQueue operation on {name} is allowed every 60 seconds.");
        Self::new(names, 403, message)
    }

    /// RECORDED for `FifoQueue`.
    pub(super) fn unknown_attribute(name: &str) -> Self {
        Self::attribute_name(format!("Unknown Attribute {name}."))
    }

    pub(super) fn attribute_name(message: impl Into<String>) -> Self {
        let names = ("InvalidAttributeName", "InvalidAttributeName");
        Self::new(names, 400, message)
    }

    pub(super) fn attribute_value(message: impl Into<String>) -> Self {
        let names = ("InvalidAttributeValue", "InvalidAttributeValue");
        Self::new(names, 400, message)
    }

    pub(super) fn parameter(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMETER, 400, message)
    }

    /// The form in which SQS refuses the value of a parameter (RECORDED for many parameters).
    pub(super) fn value(value: impl fmt::Display, parameter: &str, reason: &str) -> Self {
        Self::parameter(format!(
            "Value {value} for parameter {parameter} is invalid. Reason: {reason}"
        ))
    }

    /// RECORDED for `MessageBody` and `MessageGroupId`.
    pub(super) fn missing(parameter: &str) -> Self {
        let names = ("MissingParameter", "MissingRequiredParameterException");
        let message = format!("The request must contain the parameter {parameter}.");
        Self::new(names, 400, message)
    }

    /// RECORDED 2025-08-19.
    pub(super) fn message_too_long(limit: u32) -> Self {
        Self::parameter(format!(
            "One or more parameters are invalid. Reason: Message must be shorter than {limit} bytes."
        ))
    }

    pub(super) fn invalid_characters() -> Self {
        let names = ("InvalidMessageContents", "InvalidMessageContents");
        let message = "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF";
        Self::new(names, 400, message)
    }

    /// RECORDED text; the status is the one reported from AWS in
    /// awslabs/amazon-sqs-java-extended-client-lib#16.
    pub(super) fn invalid_handle(handle: &str) -> Self {
        let names = ("ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid");
        let message =
            format!("The input receipt handle \"{handle}\" is not a valid receipt handle.");
        Self::new(names, 404, message)
    }

    /// Text and status as reported from AWS in spulec/PyQS#24.
    pub(super) fn foreign_handle(handle: &str) -> Self {
        let names = ("ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid");
        let message = format!("The receipt handle \"{handle}\" is not valid for this queue.");
        Self::new(names, 404, message)
    }

    /// RECORDED 2025-03-28, FIFO queues.
    pub(super) fn expired_handle(handle: &str) -> Self {
        Self::value(handle, "ReceiptHandle", "The receipt handle has expired.")
    }

    /// RECORDED.
    pub(super) fn no_visibility_to_change(handle: &str) -> Self {
        Self::value(
            handle,
            "ReceiptHandle",
            "Message does not exist or is not available for visibility timeout change.",
        )
    }

    /// Text and status as reported from AWS in Cbsoftware/pressureNET-server#74.
    pub(super) fn over_limit() -> Self {
        let message = "Too many messages have been received without being deleted. Please delete your received messages or let them timeout before receiving more.";
        Self::new(("OverLimit", "OverLimit"), 403, message)
    }

    pub(super) fn empty_batch(operation: &str) -> Self {
        let names = (
            "AWS.SimpleQueueService.EmptyBatchRequest",
            "EmptyBatchRequest",
        );
        let message =
            format!("There should be at least one {operation}RequestEntry in the request.");
        Self::new(names, 400, message)
    }

    /// RECORDED.
    pub(super) fn too_many_entries(sent: usize) -> Self {
        let names = (
            "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
            "TooManyEntriesInBatchRequest",
        );
        let message =
            format!("Maximum number of entries per request are 10. You have sent {sent}.");
        Self::new(names, 400, message)
    }

    /// RECORDED.
    pub(super) fn invalid_entry_id() -> Self {
        let names = (
            "AWS.SimpleQueueService.InvalidBatchEntryId",
            "InvalidBatchEntryId",
        );
        let message = "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.";
        Self::new(names, 400, message)
    }

    pub(super) fn repeated_entry_id(id: &str) -> Self {
        let names = (
            "AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
            "BatchEntryIdsNotDistinct",
        );
        Self::new(names, 400, format!("Id {id} repeated."))
    }

    /// RECORDED 2025-08-19.
    pub(super) fn batch_too_long(limit: usize, sent: usize) -> Self {
        let names = (
            "AWS.SimpleQueueService.BatchRequestTooLong",
            "BatchRequestTooLong",
        );
        let message = format!(
            "Batch requests cannot be longer than {limit} bytes. You have sent {sent} bytes."
        );
        Self::new(names, 400, message)
    }

    /// RECORDED 2024-01-05.
    pub(super) fn no_such_resource(parameter: &str) -> Self {
        let names = ("ResourceNotFoundException", "ResourceNotFoundException");
        let message =
            format!("The resource that you specified for the {parameter} parameter doesn't exist.");
        Self::new(names, 404, message)
    }
}

impl fmt::Display for QueueError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`: {}", self.code, self.message)
    }
}

impl std::error::Error for QueueError {}
