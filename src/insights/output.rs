//! What a query gives back.

use std::fmt;

/// The result of a run: every value is text, and a field that a row does not have is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// Column names in order. Rows of log events end with `@ptr`; aggregated rows have none.
    pub columns: Vec<String>,
    /// Rows, each as long as `columns`.
    pub rows: Vec<Vec<Option<String>>>,
    /// What the run cost.
    pub statistics: Statistics,
    /// What the user should know, once each.
    pub warnings: Vec<Warning>,
}

/// The counters of `GetQueryResults`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Events that passed every filter ahead of the first aggregation, sort or limit.
    pub records_matched: u64,
    /// Events in the time range.
    pub records_scanned: u64,
    /// Bytes of their messages.
    pub bytes_scanned: u64,
}

impl Statistics {
    pub(crate) fn add(&mut self, other: Statistics) {
        self.records_matched += other.records_matched;
        self.records_scanned += other.records_scanned;
        self.bytes_scanned += other.bytes_scanned;
    }
}

/// Something that is allowed and probably not meant. `Display` gives a lower-case fragment with a
/// hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl Warning {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: hint.into(),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}\n(hint: {})", self.message, self.hint)
    }
}
