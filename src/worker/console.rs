//! What the function prints, in the text format of Lambda's Node.js runtime, so that one query
//! works on the log of every target.

use std::fmt::Display;
use std::sync::Arc;

use crate::ports::{Clock, Log, LogEvent};

/// Writes the lines of one invocation to the stream of its execution environment.
pub(super) struct Console {
    pub(super) log: Arc<dyn Log>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) stream: Arc<str>,
    pub(super) request_id: String,
}

impl Console {
    /// `console.log`.
    pub(super) fn info(&self, text: impl Display) {
        self.level("INFO", text);
    }

    /// `console.error`.
    pub(super) fn error(&self, text: impl Display) {
        self.level("ERROR", text);
    }

    /// A line of the platform itself, without a prefix.
    pub(super) fn platform(&self, message: String) {
        let timestamp = self.clock.now();
        self.log
            .write(&self.stream, LogEvent { timestamp, message });
    }

    fn level(&self, level: &str, text: impl Display) {
        let timestamp = self.clock.now();
        let message = format!("{timestamp}\t{}\t{level}\t{text}", self.request_id);
        self.log
            .write(&self.stream, LogEvent { timestamp, message });
    }
}
