//! The function as an event source mapping sees it.

use async_trait::async_trait;

/// How a synchronous invocation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvokeOutcome {
    /// The handler returned; its answer as JSON text.
    Answered(String),
    /// The handler threw, or the process ended: `FunctionError` is set.
    Failed {
        /// For example `Runtime.ExitError`.
        error_type: String,
        /// For people.
        message: String,
    },
    /// The function timeout passed (`Sandbox.Timedout`).
    TimedOut,
    /// No concurrency left (`TooManyRequestsException`): the handler did not run.
    Throttled,
}

/// Something that can be invoked with an event.
#[async_trait]
pub trait Function: Send + Sync {
    /// Invokes the function and waits for its end.
    async fn invoke(&self, event: &str) -> InvokeOutcome;
}
