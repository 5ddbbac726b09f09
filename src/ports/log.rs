//! The log as the function writes it and the lab reads it: one CloudWatch Logs group.

use async_trait::async_trait;

use super::{Caller, PortError, Timestamp};

/// An event to be logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEvent {
    /// Event time (`@timestamp`).
    pub timestamp: Timestamp,
    /// The line, without a final line break.
    pub message: String,
}

/// A logged event as it is read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLine<'a> {
    /// Event time.
    pub timestamp: Timestamp,
    /// When the service took it in.
    pub ingested_at: Timestamp,
    /// The stream: one per execution environment.
    pub stream: &'a str,
    /// The line.
    pub message: &'a str,
    /// Position in the order in which the service took events in, where it tells
    /// (`None` on AWS: only the milliseconds of the timestamps order events there).
    pub position: Option<u64>,
}

/// Event times from `start` to `end`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRange {
    /// First millisecond.
    pub start: Timestamp,
    /// Last millisecond.
    pub end: Timestamp,
}

impl TimeRange {
    /// Everything there is.
    pub const ALL: TimeRange = TimeRange {
        start: Timestamp::from_millis(0),
        end: Timestamp::from_millis(u64::MAX),
    };

    /// Whether an event of that time belongs to the range.
    pub fn contains(&self, time: Timestamp) -> bool {
        self.start <= time && time <= self.end
    }
}

/// The final result of a Logs Insights query: every value is text, and a field that an event
/// does not have is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryTable {
    /// Column names in order.
    pub columns: Vec<String>,
    /// Rows, each as long as `columns`.
    pub rows: Vec<Vec<Option<String>>>,
}

/// One log group.
///
/// # Errors
/// Every asynchronous method fails with a [`PortError`] whose code is that of CloudWatch Logs.
#[async_trait]
pub trait Log: Send + Sync {
    /// Takes an event for delivery. It may be buffered until [`Log::flush`].
    fn write(&self, stream: &str, event: LogEvent);

    /// `PutLogEvents` for all that is buffered.
    async fn flush(&self) -> Result<(), PortError>;

    /// `FilterLogEvents`: shows each event of the range to `visit`, streaming; by event time,
    /// and in the order of arrival within one millisecond.
    async fn read(
        &self,
        by: &Caller,
        range: TimeRange,
        visit: &mut (dyn for<'a> FnMut(LogLine<'a>) + Send),
    ) -> Result<(), PortError>;

    /// `StartQuery`, polled to a final status. `Running` is never returned as an empty table.
    async fn query(
        &self,
        by: &Caller,
        query: &str,
        range: TimeRange,
    ) -> Result<QueryTable, PortError>;
}
