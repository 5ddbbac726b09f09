//! The log group as a service.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;

use super::query::table;
use super::store::{EVENT_OVERHEAD_BYTES, MAX_EVENT_BYTES, Snapshot, Store};
use crate::ports::{
    Caller, Clock, Log, LogEvent, LogLine, PortError, QueryTable, TimeRange, Timestamp,
};

/// Events from further in the future are not taken in (CloudWatch Logs PutLogEvents).
const MAX_AHEAD: Duration = Duration::from_secs(2 * 60 * 60);

/// Events older than this are not taken in (CloudWatch Logs PutLogEvents).
const MAX_AGE: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// A log group in memory.
///
/// [`Log::write`] takes an event in at once. What the service does with an event that it does
/// not want is kept, one event at a time instead of one batch at a time:
///
/// - An event that is more than 2 hours ahead, more than 14 days old, or older than the
///   retention is left out without an error, as PutLogEvents does; [`EmbeddedLog::rejected`]
///   counts them.
/// - An empty event, or one of more than 1,048,576 bytes with its overhead of 26, is refused:
///   the next [`Log::flush`] fails with `InvalidParameterException`, once.
pub struct EmbeddedLog {
    group: String,
    clock: Arc<dyn Clock>,
    retention: Option<Duration>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    store: Store,
    rejected: RejectedEvents,
    refusal: Option<PortError>,
}

/// Events that were left out because of their time: `rejectedLogEventsInfo`, as counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RejectedEvents {
    /// More than 14 days old.
    pub too_old: u64,
    /// Older than the retention of the group.
    pub expired: u64,
    /// More than 2 hours ahead.
    pub too_new: u64,
}

impl EmbeddedLog {
    /// An empty group of that name that keeps its events for ever.
    pub fn new(group: impl Into<String>, clock: Arc<dyn Clock>) -> Self {
        Self {
            group: group.into(),
            clock,
            retention: None,
            state: Mutex::default(),
        }
    }

    /// Lets events vanish when they are older than `retention`. The service takes up to 72 hours
    /// longer to remove them and does not show them meanwhile.
    #[must_use]
    pub fn with_retention(mut self, retention: Duration) -> Self {
        self.retention = Some(retention);
        self
    }

    /// The name of the group.
    pub fn group(&self) -> &str {
        &self.group
    }

    /// How many events were taken in.
    pub fn event_count(&self) -> u64 {
        self.state().store.events()
    }

    /// The names of the streams, in the order of their first events.
    pub fn streams(&self) -> Vec<String> {
        let state = self.state();
        state
            .store
            .streams()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    /// How many events were left out because of their time.
    pub fn rejected(&self) -> RejectedEvents {
        self.state().rejected
    }

    /// The events at this moment.
    pub(super) fn snapshot(&self) -> Snapshot {
        self.state().store.snapshot()
    }

    /// The present.
    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Earlier events are not shown.
    pub(super) fn oldest_kept(&self) -> Timestamp {
        match self.retention {
            Some(retention) => before(self.clock.now(), retention),
            None => Timestamp::from_millis(0),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // An append that panicked may have left text that no record refers to; nothing else.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Log for EmbeddedLog {
    fn write(&self, stream: &str, event: LogEvent) {
        let now = self.clock.now();
        let oldest_kept = self.oldest_kept();
        let mut state = self.state();
        let State {
            store,
            rejected,
            refusal,
        } = &mut *state;
        if let Err(error) = check_size(&event.message) {
            refusal.get_or_insert(error);
        } else if event.timestamp > now + MAX_AHEAD {
            rejected.too_new += 1;
        } else if event.timestamp < before(now, MAX_AGE) {
            rejected.too_old += 1;
        } else if event.timestamp < oldest_kept {
            rejected.expired += 1;
        } else {
            store.append(stream, event.timestamp, now, &event.message);
        }
    }

    async fn flush(&self) -> Result<(), PortError> {
        self.state().refusal.take().map_or(Ok(()), Err)
    }

    async fn read(
        &self,
        _by: &Caller,
        range: TimeRange,
        visit: &mut (dyn for<'a> FnMut(LogLine<'a>) + Send),
    ) -> Result<(), PortError> {
        // What is written meanwhile is not shown, and `visit` may write.
        let start = range.start.max(self.oldest_kept());
        let range = TimeRange { start, ..range };
        self.snapshot().visit(&mut |line| {
            if range.contains(line.timestamp) {
                visit(line);
            }
            ControlFlow::Continue(())
        });
        Ok(())
    }

    async fn query(
        &self,
        _by: &Caller,
        query: &str,
        range: TimeRange,
    ) -> Result<QueryTable, PortError> {
        Ok(table(self.run_query(query, range, None)?))
    }
}

fn check_size(message: &str) -> Result<(), PortError> {
    let bytes = message.len() + EVENT_OVERHEAD_BYTES;
    let refusal = if message.is_empty() {
        // The model of InputLogEvent: the message has at least one character.
        "Log event message must not be empty".to_owned()
    } else if bytes > MAX_EVENT_BYTES {
        format!("Log event too large: {bytes} bytes exceeds limit of {MAX_EVENT_BYTES}")
    } else {
        return Ok(());
    };
    Err(PortError::rejected(
        "PutLogEvents",
        "InvalidParameterException",
        refusal,
    ))
}

/// The moment `duration` before `time`, not before the epoch.
fn before(time: Timestamp, duration: Duration) -> Timestamp {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    Timestamp::from_millis(time.as_millis().saturating_sub(millis))
}
