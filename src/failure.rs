//! Expected failures: what went wrong, what to do about it, and the exit code that says so.

use std::fmt;

/// Exit codes of the binary. Scripts rely on them; they are tested and documented in the README.
pub mod exit {
    /// Everything came out as expected.
    pub const EXPECTED: u8 = 0;
    /// The consumer is not idempotent, or an expectation failed.
    pub const NOT_IDEMPOTENT: u8 = 1;
    /// Usage or configuration: the command line or a file is wrong.
    pub const USAGE: u8 = 2;
    /// Environment: no endpoint, no credentials, no stack, a file that cannot be read.
    pub const ENVIRONMENT: u8 = 3;
    /// The evidence is incomplete or proves nothing.
    pub const INCONCLUSIVE: u8 = 4;
    /// The harness's own controls failed.
    pub const CONTROLS: u8 = 5;
    /// A bug of ours.
    pub const BUG: u8 = 70;
}

/// A failure that a user can cause or meet. Anything else is a bug and should panic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// One of [`exit`].
    pub exit_code: u8,
    /// What went wrong and with which value: a lower-case fragment.
    pub message: String,
    /// What to do next: a lower-case fragment.
    pub hint: Option<String>,
}

impl Failure {
    /// A wrong command line, file or setting.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(exit::USAGE, message)
    }

    /// A problem of the surroundings.
    pub fn environment(message: impl Into<String>) -> Self {
        Self::new(exit::ENVIRONMENT, message)
    }

    /// A failure with any exit code.
    pub fn new(exit_code: u8, message: impl Into<String>) -> Self {
        Self {
            exit_code,
            message: message.into(),
            hint: None,
        }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(formatter, "\n(hint: {hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

/// The known name nearest to `given`, if one is near enough to be a slip of the keyboard.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(given, name), name))
        .filter(|(distance, name)| *distance <= name.len().max(given.len()).div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_a_far_one_is_not() {
        let guards = ["none", "if-exists", "claim"];
        assert_eq!(nearest("ifexist", guards), Some("if-exists"));
        assert_eq!(nearest("kubernetes", guards), None);
    }
}
