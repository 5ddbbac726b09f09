//! Two halves of a fleet whose clocks differ.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;

use crate::ports::{
    Caller, Clock, Log, LogEvent, LogLine, PortError, QueryTable, TimeRange, Timestamp,
};
use crate::worker::{Function, InvokeOutcome};

/// A clock that is ahead of another one.
pub(super) struct AheadClock {
    pub(super) inner: Arc<dyn Clock>,
    pub(super) ahead: Duration,
}

#[async_trait]
impl Clock for AheadClock {
    fn now(&self) -> Timestamp {
        self.inner.now() + self.ahead
    }

    async fn sleep_until(&self, deadline: Timestamp) {
        self.inner.sleep(deadline.since(self.now())).await;
    }
}

/// The log of a consumer whose clock is ahead. What the consumer prints is left as it is; the
/// events get the platform's own time, or they would not stand beside the others in order.
pub(super) struct PlatformTimedLog {
    pub(super) inner: Arc<dyn Log>,
    pub(super) clock: Arc<dyn Clock>,
}

#[async_trait]
impl Log for PlatformTimedLog {
    fn write(&self, stream: &str, event: LogEvent) {
        let timestamp = self.clock.now();
        self.inner.write(stream, LogEvent { timestamp, ..event });
    }

    async fn flush(&self) -> Result<(), PortError> {
        self.inner.flush().await
    }

    async fn read(
        &self,
        by: &Caller,
        range: TimeRange,
        visit: &mut (dyn for<'a> FnMut(LogLine<'a>) + Send),
    ) -> Result<(), PortError> {
        self.inner.read(by, range, visit).await
    }

    async fn query(
        &self,
        by: &Caller,
        query: &str,
        range: TimeRange,
    ) -> Result<QueryTable, PortError> {
        self.inner.query(by, query, range).await
    }
}

/// Gives every second invocation to the other function.
pub(super) struct TakingTurns {
    first: Arc<dyn Function>,
    second: Arc<dyn Function>,
    invocations: AtomicU64,
}

impl TakingTurns {
    pub(super) fn new(first: Arc<dyn Function>, second: Arc<dyn Function>) -> Self {
        Self {
            first,
            second,
            invocations: AtomicU64::new(0),
        }
    }
}

#[async_trait]
impl Function for TakingTurns {
    async fn invoke(&self, event: &str) -> InvokeOutcome {
        let number = self.invocations.fetch_add(1, Ordering::Relaxed);
        match number % 2 {
            0 => self.first.invoke(event).await,
            _ => self.second.invoke(event).await,
        }
    }
}
