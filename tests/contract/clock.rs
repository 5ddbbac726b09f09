//! A clock that moves when a test says so.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use lab::ports::{Clock, Timestamp};

/// 2026-09-20T20:58:23.240Z, the first line of the original SQS lab.
pub(crate) const START: Timestamp = Timestamp::from_millis(1_789_937_903_240);

/// Shows [`START`] until it is moved.
pub(crate) struct ManualClock(AtomicU64);

impl ManualClock {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(START.as_millis()))
    }

    pub(crate) fn advance(&self, duration: Duration) {
        let millis = u64::try_from(duration.as_millis()).expect("a short duration");
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }

    async fn sleep_until(&self, deadline: Timestamp) {
        assert!(self.now() >= deadline, "nothing here waits");
    }
}

/// Runs a future that never waits for anything.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime")
        .block_on(future)
}
