//! Time as the lab sees it.

use std::fmt;
use std::ops::Add;
use std::time::Duration;

use async_trait::async_trait;

/// A point in time: whole milliseconds since 1970-01-01T00:00:00Z, the resolution of SQS
/// timestamps and of CloudWatch Logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// A point in time from epoch milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the epoch.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// Whole seconds since the epoch, rounded down.
    pub const fn as_secs(self) -> u64 {
        self.0 / 1000
    }

    /// Time passed since `earlier`; zero if `earlier` is later.
    pub const fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Timestamp {
    type Output = Timestamp;

    fn add(self, duration: Duration) -> Timestamp {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Timestamp(self.0.saturating_add(millis))
    }
}

/// RFC 3339 in UTC with milliseconds, as Node.js prints it: `2026-09-20T20:58:23.240Z`.
impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = i64::try_from(self.0).unwrap_or(i64::MAX);
        match jiff::Timestamp::from_millisecond(millis) {
            Ok(time) => write!(formatter, "{time:.3}"),
            Err(_) => write!(formatter, "{millis} ms"),
        }
    }
}

/// The one source of time for queue, table, log, mapping and worker.
#[async_trait]
pub trait Clock: Send + Sync {
    /// The present.
    fn now(&self) -> Timestamp;

    /// Resolves when the clock shows `deadline` or later.
    async fn sleep_until(&self, deadline: Timestamp);

    /// Resolves when `duration` has passed.
    async fn sleep(&self, duration: Duration) {
        self.sleep_until(self.now() + duration).await;
    }
}
