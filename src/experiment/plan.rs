//! The validated plan: from here on there are no strings to be parsed.

use std::fmt;
use std::time::Duration;

use super::scenario::Scenario;
use jiff::fmt::friendly::{Spacing, SpanPrinter};

use crate::cloud::wire::Latency;
use crate::failure::Failure;
use crate::mapping::{FunctionLimits, MappingSettings};
use crate::order::{Amount, Order, OrderId};
use crate::ports::QueueSettings;
use crate::verdict::Verdict;
use crate::worker::GuardName;

/// Most copies of one order: a limit against slips of the keyboard, at about 2 GB of evidence per
/// million.
pub(super) const MAX_COPIES: u64 = 10_000_000;
/// Longest function timeout (Lambda quota).
const MAX_FUNCTION_TIMEOUT: Duration = Duration::from_secs(900);
/// Longest visibility timeout (SQS CreateQueue).
const MAX_VISIBILITY_TIMEOUT: Duration = Duration::from_secs(43_200);

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
        }
    }
}

impl Knobs {
    /// The knobs by name, as they are printed: durations as in `4s`.
    pub fn named(&self) -> Vec<(String, String)> {
        let duration = duration_text;
        let pairs = [
            ("work", duration(self.work)),
            ("function-timeout", duration(self.function_timeout)),
            ("visibility-timeout", duration(self.visibility_timeout)),
            ("visibility-mode", self.mapping.visibility_mode.to_string()),
            ("max-receive-count", self.max_receive_count.to_string()),
            ("batch-size", self.mapping.batch_size.to_string()),
            ("batching-window", duration(self.mapping.batching_window)),
            ("latency", self.latency.to_string()),
            ("table", self.table.to_string()),
        ];
        pairs
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }

    /// Checks the knobs against the limits of the services.
    fn validate(&self) -> Result<(), Failure> {
        let within = |name: &str, value: Duration, least: u64, most: Duration| {
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
        };
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
        if self.max_receive_count == 0 || self.max_receive_count > 1_000 {
            return Err(Failure::usage(format!(
                "max receive count {} is out of range: 1 to 1000",
                self.max_receive_count
            )));
        }
        let queue = QueueSettings {
            arn: String::new(),
            visibility_timeout: self.visibility_timeout,
            fifo: false,
        };
        self.mapping.validate(
            &queue,
            FunctionLimits {
                timeout: self.function_timeout,
            },
        )
    }

    /// What a reader should know about these knobs before the run.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.work >= self.function_timeout {
            warnings.push(format!(
                "the work takes {} s and the function timeout is {} s: no charge can end in time; raise the function timeout",
                self.work.as_secs_f64(),
                self.function_timeout.as_secs()
            ));
        }
        if self.visibility_timeout < self.function_timeout * 6 {
            warnings.push(format!(
                "the visibility timeout of {} s is below six times the function timeout ({} s), which Lambda's documentation recommends",
                self.visibility_timeout.as_secs(),
                (self.function_timeout * 6).as_secs()
            ));
        }
        warnings
    }
}

/// What the command line changes about a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Copies in every arm.
    pub copies: Option<u64>,
    /// How long a charge takes.
    pub work: Option<Duration>,
    /// Amount in every arm.
    pub amount: Option<Amount>,
    /// Customer in every arm.
    pub customer: Option<String>,
}

/// One run to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedArm {
    /// Short name.
    pub name: String,
    /// What is done.
    pub title: String,
    /// Guard in force.
    pub guard: GuardName,
    /// What is sent.
    pub order: Order,
    /// How often.
    pub copies: u64,
    /// Expected verdict.
    pub expected: Verdict,
}

/// A scenario with everything decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The scenario's name.
    pub name: String,
    /// The scenario's title.
    pub title: String,
    /// Seed of ids and jitter.
    pub seed: u64,
    /// Settings of every stack.
    pub knobs: Knobs,
    /// The runs.
    pub arms: Vec<PlannedArm>,
}

impl Plan {
    /// Decides everything.
    ///
    /// # Errors
    /// A usage [`Failure`] for a value that is out of range.
    pub fn new(
        scenario: &Scenario,
        seed: u64,
        mut knobs: Knobs,
        overrides: &Overrides,
    ) -> Result<Self, Failure> {
        knobs.work = match overrides.work {
            Some(work) => work,
            None => parse_duration(&scenario.defaults.work)?,
        };
        knobs.validate()?;
        let arms = scenario
            .arms
            .iter()
            .map(|arm| {
                let copies = overrides.copies.unwrap_or(arm.copies);
                if copies == 0 || copies > MAX_COPIES {
                    return Err(Failure::usage(format!(
                        "{copies} copies is out of range: 1 to {MAX_COPIES}"
                    )));
                }
                let usage = |error: crate::order::OrderError| Failure::usage(error.to_string());
                Ok(PlannedArm {
                    name: arm.name.clone(),
                    title: arm.title.clone(),
                    guard: arm.guard.parse()?,
                    order: Order {
                        order_id: arm.order.parse::<OrderId>().map_err(usage)?,
                        customer_id: overrides
                            .customer
                            .clone()
                            .unwrap_or_else(|| scenario.defaults.customer.clone()),
                        amount: match &overrides.amount {
                            Some(amount) => amount.clone(),
                            None => scenario.defaults.amount.parse().map_err(usage)?,
                        },
                    },
                    copies,
                    expected: arm.expect.parse()?,
                })
            })
            .collect::<Result<_, Failure>>()?;
        Ok(Self {
            name: scenario.name.clone(),
            title: scenario.title.clone(),
            seed,
            knobs,
            arms,
        })
    }
}

/// A duration as [`parse_duration`] reads it, without blanks: it stands on command lines.
fn duration_text(duration: Duration) -> String {
    SpanPrinter::new()
        .spacing(Spacing::None)
        .unsigned_duration_to_string(&duration)
}

/// Reads a duration such as `4s`, `500ms` or `1h30m`.
///
/// # Errors
/// A usage [`Failure`] with the text and examples. A bare number is refused: it has no unit.
pub fn parse_duration(text: &str) -> Result<Duration, Failure> {
    text.parse::<jiff::SignedDuration>()
        .ok()
        .and_then(|duration| Duration::try_from(duration).ok())
        .ok_or_else(|| {
            Failure::usage(format!("`{text}` is not a duration"))
                .hint("write a number with a unit, as in `4s`, `500ms`, `2m` or `1h30m`")
        })
}
