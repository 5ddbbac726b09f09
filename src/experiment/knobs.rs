//! The settings of a stack, and the limits that the services put on them.

use std::fmt;
use std::time::Duration;

use super::answer::AnswerForm;
use super::duration::format_duration;
use crate::cloud::queue::QueueFaults;
use crate::cloud::wire::Latency;
use crate::failure::Failure;
use crate::mapping::{FunctionLimits, MappingSettings};
use crate::ports::QueueSettings;
use crate::worker::GuardSettings;

/// Longest function timeout (Lambda quota).
const MAX_FUNCTION_TIMEOUT: Duration = Duration::from_secs(900);
/// Longest visibility timeout (SQS CreateQueue).
const MAX_VISIBILITY_TIMEOUT: Duration = Duration::from_secs(43_200);
/// Longest delay of a queue (SQS CreateQueue).
const MAX_DELAY: Duration = Duration::from_secs(900);
/// Shortest retention of a message (SQS CreateQueue).
const MIN_RETENTION_SECONDS: u64 = 60;
/// Longest retention of a message (SQS CreateQueue).
const MAX_RETENTION: Duration = Duration::from_secs(1_209_600);
/// Retention unless told otherwise (SQS CreateQueue): four days.
const DEFAULT_RETENTION: Duration = Duration::from_secs(345_600);

/// Which adapter of the claim table a run in one process uses. Both answer alike; the contract
/// suite holds them to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum TableKind {
    /// Plain memory: fast enough for a million copies.
    #[default]
    Memory,
    /// Dynoxide: DynamoDB's own expressions, on SQLite.
    Dynoxide,
}

impl fmt::Display for TableKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Memory => "memory",
            Self::Dynoxide => "dynoxide",
        })
    }
}

/// Settings of the queue beyond its visibility timeout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueKnobs {
    /// Whether it is FIFO.
    pub fifo: bool,
    /// `ContentBasedDeduplication` of a FIFO queue.
    pub content_based_deduplication: bool,
    /// `MessageRetentionPeriod`, 60 s to 14 days; the dead-letter queue keeps messages 14 days.
    pub retention: Duration,
    /// `DelaySeconds`, 0 to 900 s.
    pub delay: Duration,
    /// What the visibility timeout is lowered to once the mapping exists, which AWS does not check
    /// any more.
    pub lowered_visibility_timeout: Option<Duration>,
    /// What the queue may do and seldom does.
    pub faults: QueueFaults,
}

impl Default for QueueKnobs {
    fn default() -> Self {
        Self {
            fifo: false,
            content_based_deduplication: false,
            retention: DEFAULT_RETENTION,
            delay: Duration::ZERO,
            lowered_visibility_timeout: None,
            faults: QueueFaults::default(),
        }
    }
}

/// Settings of the function beyond its timeout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionKnobs {
    /// Reserved concurrency; 0 switches the function off, `None` leaves it unlimited.
    pub reserved_concurrency: Option<usize>,
    /// Whether the consumer answers with `batchItemFailures`; otherwise its first failure fails
    /// the batch.
    pub report_batch_item_failures: bool,
    /// What becomes of its answer.
    pub answer: AnswerForm,
    /// How far the clock of every second invocation is ahead.
    pub clock_skew: Duration,
}

impl Default for FunctionKnobs {
    fn default() -> Self {
        Self {
            reserved_concurrency: None,
            report_batch_item_failures: true,
            answer: AnswerForm::AsIs,
            clock_skew: Duration::ZERO,
        }
    }
}

/// Settings of the till.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TillKnobs {
    /// Whether it looks at idempotency keys.
    pub honours_keys: bool,
    /// After how long it forgets a key; `None` is never.
    pub key_lifetime: Option<Duration>,
}

impl Default for TillKnobs {
    fn default() -> Self {
        Self {
            honours_keys: true,
            key_lifetime: None,
        }
    }
}

/// The settings of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knobs {
    /// How long a charge takes.
    pub work: Duration,
    /// Function timeout.
    pub function_timeout: Duration,
    /// The queue's visibility timeout.
    pub visibility_timeout: Duration,
    /// Receives after which a message goes to the dead-letter queue.
    pub max_receive_count: u32,
    /// The event source mapping.
    pub mapping: MappingSettings,
    /// How long a call of the consumer takes.
    pub latency: Latency,
    /// Which table.
    pub table: TableKind,
    /// The rest of the queue.
    pub queue: QueueKnobs,
    /// The rest of the function.
    pub function: FunctionKnobs,
    /// The till.
    pub till: TillKnobs,
    /// Window, lease and reads of the guard.
    pub guard: GuardSettings,
}

impl Default for Knobs {
    fn default() -> Self {
        let function_timeout = Duration::from_secs(30);
        Self {
            work: Duration::from_secs(4),
            function_timeout,
            // Six times the function timeout, as Lambda's documentation recommends.
            visibility_timeout: function_timeout * 6,
            max_receive_count: 5,
            mapping: MappingSettings::default(),
            latency: Latency::default(),
            table: TableKind::default(),
            queue: QueueKnobs::default(),
            function: FunctionKnobs::default(),
            till: TillKnobs::default(),
            guard: GuardSettings::default(),
        }
    }
}

impl Knobs {
    /// The knobs that are flags too, by name, as they are printed: durations as in `4s`.
    pub fn named(&self) -> Vec<(String, String)> {
        let pairs = [
            ("work", format_duration(self.work)),
            ("function-timeout", format_duration(self.function_timeout)),
            (
                "visibility-timeout",
                format_duration(self.visibility_timeout),
            ),
            ("visibility-mode", self.mapping.visibility_mode.to_string()),
            ("max-receive-count", self.max_receive_count.to_string()),
            ("batch-size", self.mapping.batch_size.to_string()),
            (
                "batching-window",
                format_duration(self.mapping.batching_window),
            ),
            ("latency", self.latency.to_string()),
            ("table", self.table.to_string()),
        ];
        pairs
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }

    /// The knobs that only a scenario file turns, where they are not as usual, by their keys.
    pub fn unusual(&self) -> Vec<(String, String)> {
        let usual = Self::default();
        let mut pairs: Vec<(&str, String)> = Vec::new();
        let mut add = |differs: bool, name, value: String| {
            if differs {
                pairs.push((name, value));
            }
        };
        let optional = |value: Option<Duration>| value.map(format_duration).unwrap_or_default();
        let (queue, function, guard) = (&self.queue, &self.function, &self.guard);
        add(queue.fifo, "fifo", "true".to_owned());
        add(
            queue.content_based_deduplication,
            "content_based_deduplication",
            "true".to_owned(),
        );
        add(
            queue.retention != usual.queue.retention,
            "retention",
            format_duration(queue.retention),
        );
        add(
            !queue.delay.is_zero(),
            "delay",
            format_duration(queue.delay),
        );
        add(
            queue.lowered_visibility_timeout.is_some(),
            "lowered_visibility_timeout",
            optional(queue.lowered_visibility_timeout),
        );
        let faults = queue.faults;
        let count = |count: u32| count.to_string();
        add(
            faults.duplicate_deliveries > 0,
            "duplicate_deliveries",
            count(faults.duplicate_deliveries),
        );
        add(
            faults.resurrected_deletes > 0,
            "resurrected_deletes",
            count(faults.resurrected_deletes),
        );
        add(faults.reorder, "reorder", "true".to_owned());
        let mapping = &self.mapping;
        add(
            !mapping.report_batch_item_failures,
            "mapping.report_batch_item_failures",
            "false".to_owned(),
        );
        add(
            mapping.maximum_concurrency != usual.mapping.maximum_concurrency,
            "maximum_concurrency",
            mapping.maximum_concurrency.to_string(),
        );
        add(
            function.reserved_concurrency.is_some(),
            "reserved_concurrency",
            function
                .reserved_concurrency
                .unwrap_or_default()
                .to_string(),
        );
        add(
            !function.report_batch_item_failures,
            "function.report_batch_item_failures",
            "false".to_owned(),
        );
        add(
            function.answer != AnswerForm::AsIs,
            "answer",
            function.answer.to_string(),
        );
        add(
            !function.clock_skew.is_zero(),
            "clock_skew",
            format_duration(function.clock_skew),
        );
        add(!self.till.honours_keys, "honours_keys", "false".to_owned());
        add(
            self.till.key_lifetime.is_some(),
            "key_lifetime",
            optional(self.till.key_lifetime),
        );
        add(
            guard.window != usual.guard.window,
            "window",
            format_duration(guard.window),
        );
        add(guard.lease.is_some(), "lease", optional(guard.lease));
        add(
            !guard.lease_margin.is_zero(),
            "lease_margin",
            format_duration(guard.lease_margin),
        );
        add(
            !guard.consistent_reads,
            "consistent_reads",
            "false".to_owned(),
        );
        pairs
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }

    /// Checks the knobs against the limits of the services.
    ///
    /// # Errors
    /// A usage [`Failure`] with the value and the accepted range, in AWS's words where they are
    /// known.
    pub fn validate(&self) -> Result<(), Failure> {
        within(
            "function timeout",
            self.function_timeout,
            1,
            MAX_FUNCTION_TIMEOUT,
        )?;
        within(
            "visibility timeout",
            self.visibility_timeout,
            0,
            MAX_VISIBILITY_TIMEOUT,
        )?;
        if let Some(lowered) = self.queue.lowered_visibility_timeout {
            within(
                "lowered visibility timeout",
                lowered,
                0,
                MAX_VISIBILITY_TIMEOUT,
            )?;
        }
        within(
            "retention",
            self.queue.retention,
            MIN_RETENTION_SECONDS,
            MAX_RETENTION,
        )?;
        within("delay", self.queue.delay, 0, MAX_DELAY)?;
        if self.guard.window.subsec_nanos() != 0 {
            return Err(Failure::usage(format!(
                "window {} s is not a whole number of seconds",
                self.guard.window.as_secs_f64()
            )));
        }
        if self.max_receive_count == 0 || self.max_receive_count > 1_000 {
            return Err(Failure::usage(format!(
                "max receive count {} is out of range: 1 to 1000",
                self.max_receive_count
            )));
        }
        self.validate_mapping()
    }

    fn validate_mapping(&self) -> Result<(), Failure> {
        let most = MappingSettings::default().maximum_concurrency;
        let concurrency = self.mapping.maximum_concurrency;
        // Lambda, ScalingConfig: 2 to 1,000; without it the mapping's own most holds.
        if concurrency != most && !(2..=1_000).contains(&concurrency) {
            return Err(Failure::usage(format!(
                "maximum concurrency {concurrency} is out of range: 2 to 1000"
            )));
        }
        if self.queue.content_based_deduplication && !self.queue.fifo {
            return Err(Failure::usage(
                "content based deduplication needs a FIFO queue",
            ));
        }
        let queue = QueueSettings {
            arn: String::new(),
            visibility_timeout: self.visibility_timeout,
            fifo: self.queue.fifo,
        };
        self.mapping.validate(
            &queue,
            FunctionLimits {
                timeout: self.function_timeout,
            },
        )
    }
}

fn within(name: &str, value: Duration, least: u64, most: Duration) -> Result<(), Failure> {
    if value < Duration::from_secs(least) || value > most {
        return Err(Failure::usage(format!(
            "{name} {} s is out of range: {least} to {} s",
            value.as_secs_f64(),
            most.as_secs()
        )));
    }
    if value.subsec_nanos() != 0 {
        return Err(Failure::usage(format!(
            "{name} {} s is not a whole number of seconds",
            value.as_secs_f64()
        )));
    }
    Ok(())
}
