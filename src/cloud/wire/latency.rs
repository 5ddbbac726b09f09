//! How long a call of the consumer takes.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use super::history::{Call, CallerId, History, Operation, Outcome};
use crate::entropy::Entropy;
use crate::failure::Failure;
use crate::ports::{Caller, Clock};

/// Longest latency: beyond a minute every client has given up.
const MAX_MILLIS: u64 = 60_000;

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

/// As on the command line: `2..9ms`.
impl fmt::Display for Latency {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}..{}ms", self.0.start(), self.0.end())
    }
}

impl FromStr for Latency {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let refuse = || {
            Failure::usage(format!("`{text}` is not a range of latencies"))
                .hint("write milliseconds, as in `2..9ms` or `0ms`")
        };
        let number = |part: &str| part.parse::<u64>().ok().filter(|ms| *ms <= MAX_MILLIS);
        let millis = text.strip_suffix("ms").ok_or_else(refuse)?;
        let (least, most) = millis.split_once("..").unwrap_or((millis, millis));
        match (number(least), number(most)) {
            (Some(least), Some(most)) if least <= most => Ok(Self(least..=most)),
            _ => Err(refuse()),
        }
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
