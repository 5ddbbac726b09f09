//! The knobs of the guards.

use std::time::Duration;

/// Seven days: longer than the four days that SQS keeps a message by default, shorter than its
/// longest retention of 14 days with a dead-letter queue of 14 days behind it.
const DEFAULT_WINDOW: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What can be set about the guards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardSettings {
    /// How long an order counts as seen (`claim-release`, the lease family and `transaction`),
    /// counted from the claim and again from its completion; whole seconds. Default 7 days.
    pub window: Duration,
    /// How long a claim in progress holds (the lease family). `None`, the default, is the
    /// remaining time of the invocation, as with Powertools.
    pub lease: Option<Duration>,
    /// What is added to the lease, for clocks that run apart. Default 0, as with Powertools.
    pub lease_margin: Duration,
    /// Whether `if-exists` asks for strongly consistent reads. Default yes; DynamoDB's own
    /// default is no.
    pub consistent_reads: bool,
}

impl Default for GuardSettings {
    fn default() -> Self {
        Self {
            window: DEFAULT_WINDOW,
            lease: None,
            lease_margin: Duration::ZERO,
            consistent_reads: true,
        }
    }
}
