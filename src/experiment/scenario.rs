//! Scenarios: the ones that are compiled in, and those that come as files.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::file;
use super::plan::PlannedArm;
use crate::failure::{Failure, nearest};

/// A scenario that is compiled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScenarioName {
    name: &'static str,
    text: &'static str,
}

/// The scenarios of these names, from `scenarios/NAME.toml`.
macro_rules! compiled_in {
    ($($name:literal),* $(,)?) => {
        &[$(ScenarioName {
            name: $name,
            text: include_str!(concat!("../../scenarios/", $name, ".toml")),
        }),*]
    };
}

impl ScenarioName {
    /// All scenarios, in the order in which a reader should meet them.
    pub const ALL: &[ScenarioName] = compiled_in![
        "article",
        "a-guard-off",
        "a-guard-on",
        "a-visibility",
        "a-fifo",
        "b-producer-retry",
        "b-failed-delete",
        "b-fan-out",
        "b-check-then-act",
        "b-key-message-id",
        "b-key-body-hash",
        "b-two-facts-two-keys",
        "b-failure-is-no-duplicate",
        "b-claim-then-fail",
        "b-partial-batch",
        "partial-batch-malformed",
        "b-ttl-late",
        "b-release-after-charge",
        "b-dead-letter-redrive",
        "c-lost-answer-of-the-charge",
        "c-client-key",
        "c-window-outlives-retries",
        "c-store-the-result",
        "c-atomic",
        "same-key-other-amount",
        "crash-after-charge",
        "own-claim-after-lost-answer",
        "release-of-anothers-claim",
        "stale-owner",
        "serial-cloud-hides-the-race",
        "function-timeout",
        "clock-skew",
        "process-memory",
        "many-redeliveries",
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Reads the scenario.
    ///
    /// # Errors
    /// A usage [`Failure`] with line, column and the accepted keys of every mistake.
    pub fn load(self) -> Result<Scenario, Failure> {
        Scenario::from_toml(self.name, self.text)
    }
}

impl fmt::Display for ScenarioName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

impl FromStr for ScenarioName {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let names = || Self::ALL.iter().map(|scenario| scenario.name);
        let found = Self::ALL.iter().find(|scenario| scenario.name == text);
        found.copied().ok_or_else(|| {
            let failure = Failure::usage(format!("unknown scenario `{text}`"));
            match nearest(text, names()) {
                Some(name) => failure.hint(format!(
                    "did you mean `{name}`? `lab run --list` names all; a file's name ends with \
                     `.toml`"
                )),
                None => {
                    failure.hint("`lab run --list` names all; the name of a file ends with `.toml`")
                }
            }
        })
    }
}

/// A scenario as it was read: everything in it is valid, nothing is overridden yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Its name, or the path of its file.
    pub name: String,
    /// What it asks, in one sentence.
    pub title: String,
    /// What can be learnt from it.
    pub learn: String,
    /// The arms, in order, and whether each says itself what its visibility timeout is.
    pub(super) arms: Vec<(PlannedArm, bool)>,
}

impl Scenario {
    /// Reads a scenario file.
    ///
    /// # Errors
    /// A usage [`Failure`] with line, column and the accepted keys of every mistake.
    pub fn from_toml(name: &str, text: &str) -> Result<Self, Failure> {
        file::read(name, text)
    }

    /// The scenario that is compiled in under this name, or the file of this path: what ends with
    /// `.toml` is a file.
    ///
    /// # Errors
    /// As [`Scenario::from_toml`]; an environment [`Failure`] for a file that cannot be read.
    pub fn find(name: &str) -> Result<Self, Failure> {
        if Path::new(name).extension().is_none_or(|end| end != "toml") {
            return name.parse::<ScenarioName>()?.load();
        }
        let bytes = std::fs::read(name).map_err(|error| {
            Failure::environment(format!("scenario file `{name}` cannot be read: {error}"))
        })?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let offset = error.utf8_error().valid_up_to();
            Failure::usage(format!(
                "scenario file `{name}` is not UTF-8: wrong byte at offset {offset}"
            ))
        })?;
        Self::from_toml(name, text.strip_prefix('\u{feff}').unwrap_or(&text))
    }
}
