//! The only place that knows what time it is.
//!
//! Three clocks: [`RealClock`] for anything with a socket in it, [`VirtualClock`] for runs in one
//! process (four seconds of work or three days of waiting cost nothing), and [`SteppedClock`],
//! which moves only when the harness says so.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use tokio::time::Instant;

use crate::ports::{Clock, Timestamp};

/// The time of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealClock;

#[async_trait]
impl Clock for RealClock {
    fn now(&self) -> Timestamp {
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or(Duration::ZERO);
        Timestamp::default() + since_epoch
    }

    async fn sleep_until(&self, deadline: Timestamp) {
        // The system clock may step while we sleep, so we look again.
        while self.now() < deadline {
            tokio::time::sleep(deadline.since(self.now())).await;
        }
    }
}

/// Tokio's paused time: when every task waits, time jumps to the next deadline.
///
/// It must live inside a single-threaded runtime that was built with paused time. No socket and no
/// blocking task may take part: a real peer's delay would make every virtual timeout fire at once.
#[derive(Clone, Copy, Debug)]
pub struct VirtualClock {
    epoch: Timestamp,
    origin: Instant,
}

impl VirtualClock {
    /// A clock that shows `start` now. Must be called inside the runtime.
    pub fn starting_at(start: Timestamp) -> Self {
        Self {
            epoch: start,
            origin: Instant::now(),
        }
    }
}

#[async_trait]
impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        self.epoch + self.origin.elapsed()
    }

    async fn sleep_until(&self, deadline: Timestamp) {
        if deadline > self.now() {
            tokio::time::sleep_until(self.origin + deadline.since(self.epoch)).await;
        }
    }
}

/// A clock that stands still until it is told to move.
#[derive(Debug)]
pub struct SteppedClock {
    state: Mutex<Stepped>,
}

#[derive(Debug)]
struct Stepped {
    now: Timestamp,
    registrations: u64,
    sleepers: BTreeMap<(Timestamp, u64), Waker>,
}

impl SteppedClock {
    /// A clock that shows `start`.
    pub fn starting_at(start: Timestamp) -> Self {
        Self {
            state: Mutex::new(Stepped {
                now: start,
                registrations: 0,
                sleepers: BTreeMap::new(),
            }),
        }
    }

    /// Moves to `time` and wakes whoever has waited for it, earliest deadline first. Moving
    /// backwards does nothing.
    pub fn advance_to(&self, time: Timestamp) {
        let due = {
            let mut state = self.lock();
            state.now = state.now.max(time);
            let not_due = (state.now + Duration::from_millis(1), 0);
            let later = state.sleepers.split_off(&not_due);
            std::mem::replace(&mut state.sleepers, later)
        };
        for waker in due.into_values() {
            waker.wake();
        }
    }

    /// The earliest time that somebody waits for.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.lock()
            .sleepers
            .first_key_value()
            .map(|((time, _), _)| *time)
    }

    fn lock(&self) -> MutexGuard<'_, Stepped> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes a sleeper that is dropped before its time off the list.
struct Registration<'a> {
    clock: &'a SteppedClock,
    key: Option<(Timestamp, u64)>,
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.clock.lock().sleepers.remove(&key);
        }
    }
}

#[async_trait]
impl Clock for SteppedClock {
    fn now(&self) -> Timestamp {
        self.lock().now
    }

    async fn sleep_until(&self, deadline: Timestamp) {
        let mut registration = Registration {
            clock: self,
            key: None,
        };
        poll_fn(|context| {
            let mut state = self.lock();
            if state.now >= deadline {
                return Poll::Ready(());
            }
            let key = *registration.key.get_or_insert_with(|| {
                state.registrations += 1;
                (deadline, state.registrations)
            });
            state.sleepers.insert(key, context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    const START: Timestamp = Timestamp::from_millis(1_789_937_903_240);

    #[tokio::test(start_paused = true)]
    async fn virtual_days_pass_at_once_and_exactly() {
        let clock = VirtualClock::starting_at(START);
        let real = std::time::Instant::now();
        clock.sleep(Duration::from_secs(3 * 86_400)).await;
        assert_eq!(clock.now().since(START), Duration::from_secs(3 * 86_400));
        assert!(real.elapsed() < Duration::from_secs(3600));
    }

    #[tokio::test]
    async fn a_stepped_clock_wakes_in_order_of_deadline_and_not_before() {
        let clock = Arc::new(SteppedClock::starting_at(START));
        let woken = Arc::new(Mutex::new(Vec::new()));
        for seconds in [3, 1, 2] {
            let (clock, woken) = (Arc::clone(&clock), Arc::clone(&woken));
            tokio::spawn(async move {
                clock.sleep(Duration::from_secs(seconds)).await;
                woken.lock().expect("not poisoned").push(seconds);
            });
        }
        tokio::task::yield_now().await;
        assert_eq!(clock.next_deadline(), Some(START + Duration::from_secs(1)));
        clock.advance_to(START + Duration::from_millis(2_999));
        tokio::task::yield_now().await;
        assert_eq!(*woken.lock().expect("not poisoned"), [1, 2]);
        clock.advance_to(START + Duration::from_secs(3));
        tokio::task::yield_now().await;
        assert_eq!(*woken.lock().expect("not poisoned"), [1, 2, 3]);
    }

    #[tokio::test]
    async fn a_dropped_sleeper_leaves_nothing_behind() {
        let clock = SteppedClock::starting_at(START);
        {
            let sleep = clock.sleep(Duration::from_secs(1));
            tokio::pin!(sleep);
            tokio::select! {
                biased;
                () = &mut sleep => panic!("the clock stands still"),
                () = std::future::ready(()) => {}
            }
            assert!(clock.next_deadline().is_some());
        }
        assert_eq!(clock.next_deadline(), None);
    }

    #[test]
    fn times_print_as_node_prints_them() {
        assert_eq!(START.to_string(), "2026-09-20T20:58:23.240Z");
        assert_eq!(
            Timestamp::from_millis(0).to_string(),
            "1970-01-01T00:00:00.000Z"
        );
    }
}
