//! How long a call of the consumer takes.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use crate::entropy::Entropy;
use crate::failure::Failure;

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

    /// The time of one call; `None` if every call returns at once, which costs no random number.
    pub(super) fn draw(&self, entropy: &Entropy) -> Option<Duration> {
        let (least, most) = (*self.0.start(), *self.0.end());
        (most > 0).then(|| {
            let spread = most.saturating_sub(least) + 1;
            Duration::from_millis(least + entropy.number() % spread)
        })
    }
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
