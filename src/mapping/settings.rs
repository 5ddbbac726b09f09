//! The mapping's parameters, their limits and what AWS says about wrong ones.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::failure::{Failure, nearest};
use crate::ports::QueueSettings;

/// Largest batch of a standard queue (Lambda CreateEventSourceMapping).
const MAX_BATCH_SIZE: u16 = 10_000;
/// Largest batch of a FIFO queue, and of a mapping without a window.
const MAX_BATCH_SIZE_WITHOUT_WINDOW: u16 = 10;
/// Longest batching window.
const MAX_WINDOW: Duration = Duration::from_secs(300);
/// What Lambda adds to window and function timeout when it computes a visibility timeout.
const WINDOW_FORMULA_MARGIN: Duration = Duration::from_secs(30);

/// Which visibility timeout the pollers ask for.
///
/// Whether Lambda ever overrides the queue's own is not settled by its documentation, hence a knob.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VisibilityMode {
    /// The queue's, always.
    Queue,
    /// Window + function timeout + 30 s, if there is a window and window + function timeout
    /// exceeds the queue's (Lambda developer guide, text of 2021 to 2022); else the queue's.
    #[default]
    WindowFormula,
    /// The same formula also without a window: the reading under which a short visibility timeout
    /// cannot force a duplicate.
    CoverFunction,
}

impl VisibilityMode {
    const ALL: [(&'static str, VisibilityMode); 3] = [
        ("queue", Self::Queue),
        ("window_formula", Self::WindowFormula),
        ("cover_function", Self::CoverFunction),
    ];
}

impl fmt::Display for VisibilityMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(_, mode)| mode == self);
        formatter.write_str(name.map_or("", |(name, _)| name))
    }
}

impl FromStr for VisibilityMode {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let known = Self::ALL.map(|(name, _)| name);
        let found = Self::ALL.into_iter().find(|(name, _)| *name == text);
        found.map(|(_, mode)| mode).ok_or_else(|| {
            let failure = Failure::usage(format!(
                "unknown visibility mode `{text}`; known modes: {}",
                known.join(", ")
            ));
            match nearest(text, known) {
                Some(name) => failure.hint(format!("did you mean `{name}`?")),
                None => failure,
            }
        })
    }
}

/// The parameters of an event source mapping for SQS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappingSettings {
    /// Most messages in one invocation: 1 to 10,000 (FIFO: 10). Lambda's default is 10; the lab's
    /// is 1, so that copies of an order meet in different invocations.
    pub batch_size: u16,
    /// `MaximumBatchingWindowInSeconds`: 0 to 300 s; at least 1 s for batches over 10.
    pub batching_window: Duration,
    /// Whether the function's `batchItemFailures` are looked at.
    pub report_batch_item_failures: bool,
    /// Concurrent batches to begin with (Lambda: 5).
    pub initial_concurrency: usize,
    /// Concurrent batches added per minute while messages keep coming (Lambda: 300).
    pub concurrency_growth_per_minute: usize,
    /// Most concurrent batches (Lambda: 1,250; `MaximumConcurrency` 2 to 1,000 lowers it).
    pub maximum_concurrency: usize,
    /// See [`VisibilityMode`].
    pub visibility_mode: VisibilityMode,
    /// Long-poll time of each receive (Lambda: 20 s).
    pub poll_wait: Duration,
    /// Pause between two tries of a throttled invocation. Lambda's curve is not documented.
    pub throttle_pause: Duration,
    /// Pause of a poller after a failed batch. Lambda backs off by an undocumented curve.
    pub error_pause: Duration,
}

impl Default for MappingSettings {
    fn default() -> Self {
        Self {
            batch_size: 1,
            batching_window: Duration::ZERO,
            report_batch_item_failures: true,
            initial_concurrency: 5,
            concurrency_growth_per_minute: 300,
            maximum_concurrency: 1_250,
            visibility_mode: VisibilityMode::default(),
            poll_wait: Duration::from_secs(20),
            throttle_pause: Duration::from_secs(1),
            error_pause: Duration::ZERO,
        }
    }
}

/// What the mapping must know of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionLimits {
    /// The function timeout.
    pub timeout: Duration,
}

impl MappingSettings {
    /// Checks the parameters as CreateEventSourceMapping does, with its texts where they are known.
    ///
    /// # Errors
    /// A usage [`Failure`] that names the parameter, the value given and the accepted range.
    pub fn validate(&self, queue: &QueueSettings, function: FunctionLimits) -> Result<(), Failure> {
        let most = if queue.fifo {
            MAX_BATCH_SIZE_WITHOUT_WINDOW
        } else {
            MAX_BATCH_SIZE
        };
        if self.batch_size == 0 || self.batch_size > most {
            return Err(Failure::usage(format!(
                "batch size {} is out of range: 1 to {most} for this queue",
                self.batch_size
            )));
        }
        if self.batching_window > MAX_WINDOW {
            return Err(Failure::usage(format!(
                "batching window {} s is out of range: 0 to {} s",
                self.batching_window.as_secs(),
                MAX_WINDOW.as_secs()
            )));
        }
        if queue.fifo && !self.batching_window.is_zero() {
            return Err(Failure::usage(
                "a batching window is not available for FIFO queues",
            ));
        }
        if self.batch_size > MAX_BATCH_SIZE_WITHOUT_WINDOW && self.batching_window.is_zero() {
            return Err(Failure::usage(
                "Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10",
            ));
        }
        if self.initial_concurrency == 0 || self.maximum_concurrency == 0 {
            return Err(Failure::usage("the concurrency of a mapping is at least 1"));
        }
        if queue.visibility_timeout < function.timeout {
            return Err(Failure::usage(format!(
                "Queue visibility timeout: {} seconds is less than Function timeout: {} seconds",
                queue.visibility_timeout.as_secs(),
                function.timeout.as_secs()
            ))
            .hint(format!(
                "AWS refuses this mapping; use a visibility timeout of {} s, six times the function timeout",
                function.timeout.as_secs() * 6
            )));
        }
        Ok(())
    }

    /// The visibility timeout that the pollers pass to ReceiveMessage; `None` leaves the queue's.
    pub fn visibility_override(
        &self,
        queue: &QueueSettings,
        function: FunctionLimits,
    ) -> Option<Duration> {
        let needed = self.batching_window + function.timeout;
        let applies = match self.visibility_mode {
            VisibilityMode::Queue => false,
            VisibilityMode::WindowFormula => !self.batching_window.is_zero(),
            VisibilityMode::CoverFunction => true,
        };
        (applies && needed > queue.visibility_timeout).then(|| needed + WINDOW_FORMULA_MARGIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(visibility_timeout_secs: u64, fifo: bool) -> QueueSettings {
        QueueSettings {
            arn: "arn:aws:sqs:us-east-1:000000000000:orders".to_owned(),
            visibility_timeout: Duration::from_secs(visibility_timeout_secs),
            fifo,
        }
    }

    fn function(timeout_secs: u64) -> FunctionLimits {
        FunctionLimits {
            timeout: Duration::from_secs(timeout_secs),
        }
    }

    #[test]
    fn a_queue_that_times_out_before_the_function_is_refused_in_aws_words() {
        let settings = MappingSettings::default();
        assert_eq!(
            settings
                .validate(&queue(30, false), function(60))
                .map_err(|failure| failure.message),
            Err(
                "Queue visibility timeout: 30 seconds is less than Function timeout: 60 seconds"
                    .to_owned()
            )
        );
        assert_eq!(settings.validate(&queue(60, false), function(60)), Ok(()));
    }

    #[test]
    fn batches_over_ten_need_a_window() {
        let mut settings = MappingSettings {
            batch_size: 11,
            ..MappingSettings::default()
        };
        let refused = settings.validate(&queue(30, false), function(3));
        assert_eq!(
            refused.map_err(|failure| failure.message),
            Err("Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10".to_owned())
        );
        settings.batching_window = Duration::from_secs(1);
        assert_eq!(settings.validate(&queue(30, false), function(3)), Ok(()));
        assert_eq!(
            settings
                .validate(&queue(30, true), function(3))
                .map_err(|failure| failure.message),
            Err("batch size 11 is out of range: 1 to 10 for this queue".to_owned())
        );
    }

    #[test]
    fn the_override_follows_the_mode() {
        let with = |visibility_mode, window_secs| MappingSettings {
            visibility_mode,
            batching_window: Duration::from_secs(window_secs),
            ..MappingSettings::default()
        };
        let short = queue(5, false);
        let cases = [
            (VisibilityMode::Queue, 10, None),
            (VisibilityMode::WindowFormula, 0, None),
            (VisibilityMode::WindowFormula, 10, Some(100)),
            (VisibilityMode::CoverFunction, 0, Some(90)),
            (VisibilityMode::CoverFunction, 10, Some(100)),
        ];
        for (mode, window, expected) in cases {
            assert_eq!(
                with(mode, window).visibility_override(&short, function(60)),
                expected.map(Duration::from_secs),
                "{mode} with a window of {window} s"
            );
        }
        // A queue timeout that covers window and function is left alone.
        assert_eq!(
            with(VisibilityMode::CoverFunction, 0)
                .visibility_override(&queue(60, false), function(60)),
            None
        );
    }
}
