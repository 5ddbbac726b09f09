//! The one error of port calls.

use std::fmt;

/// How the call failed, as far as a caller may react to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The service refused the request; repeating it unchanged will fail again.
    Rejected,
    /// The service asks to come back later (throttling, provisioned throughput exceeded).
    Throttled,
    /// No answer: the request may or may not have been applied.
    NoAnswer,
    /// The service could not be reached; the request was not applied.
    Unreachable,
}

/// A port call that did not succeed.
///
/// A condition that was not met is not an error but a [`super::WriteOutcome`], because a guard
/// must never confuse the two: a throttled claim is not a duplicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortError {
    /// The operation by its AWS name, for example `SendMessage`.
    pub operation: &'static str,
    /// How it failed.
    pub kind: ErrorKind,
    /// The service's error code, for example `AWS.SimpleQueueService.NonExistentQueue`.
    pub code: String,
    /// The service's message, as it came.
    pub message: String,
}

impl PortError {
    /// A refusal by the service.
    pub fn rejected(
        operation: &'static str,
        code: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            operation,
            kind: ErrorKind::Rejected,
            code: code.into(),
            message: message.into(),
        }
    }
}

impl fmt::Display for PortError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} failed with `{}`: {}",
            self.operation, self.code, self.message
        )
    }
}

impl std::error::Error for PortError {}
