//! How long a call of the consumer takes.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use super::history::{Call, CallerId, History, Operation, Outcome};
use crate::entropy::Entropy;
use crate::ports::{Caller, Clock};

/// The time that a call of an invocation takes, drawn evenly from a range of milliseconds.
///
/// It is what makes deliveries interleave differently under different seeds. Calls of the producer,
/// the mapping and the lab itself take no time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latency(pub RangeInclusive<u64>);

impl Latency {
    /// Every call returns at once.
    pub const NONE: Latency = Latency(0..=0);
}

/// Single-digit milliseconds, the order of magnitude of a DynamoDB call from the same region.
impl Default for Latency {
    fn default() -> Self {
        Self(2..=9)
    }
}

/// The wire that all ports of one stack share.
pub struct Wire {
    clock: Arc<dyn Clock>,
    entropy: Arc<Entropy>,
    latency: Latency,
    history: History,
}

impl Wire {
    /// A wire with nothing recorded yet.
    pub fn new(clock: Arc<dyn Clock>, entropy: Arc<Entropy>, latency: Latency) -> Self {
        Self {
            clock,
            entropy,
            latency,
            history: History::default(),
        }
    }

    /// What has passed so far.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The way of a request to the service.
    pub(super) async fn travel(&self, by: &Caller) {
        if matches!(by, Caller::Invocation(_)) && *self.latency.0.end() > 0 {
            let (least, most) = (*self.latency.0.start(), *self.latency.0.end());
            let spread = most.saturating_sub(least) + 1;
            let millis = least + self.entropy.number() % spread;
            self.clock.sleep(Duration::from_millis(millis)).await;
        }
    }

    /// Remembers a call that has just returned. The lab's own looks leave no trace.
    pub(super) fn record(&self, by: &Caller, operation: Operation, outcome: Outcome) {
        let caller = CallerId::from(by);
        if caller != CallerId::Observer {
            self.history.record(Call {
                at: self.clock.now(),
                caller,
                operation,
                outcome,
            });
        }
    }
}
