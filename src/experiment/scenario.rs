//! Scenario files: what a person writes.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use crate::failure::{Failure, nearest};

/// A scenario that is compiled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScenarioName {
    name: &'static str,
    text: &'static str,
}

impl ScenarioName {
    /// All scenarios.
    pub const ALL: [ScenarioName; 1] = [ScenarioName {
        name: "article",
        text: include_str!("../../scenarios/article.toml"),
    }];

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Reads the scenario.
    ///
    /// # Errors
    /// A usage [`Failure`] with line, column and the accepted keys.
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
        let names = Self::ALL.map(Self::name);
        let found = Self::ALL.into_iter().find(|scenario| scenario.name == text);
        found.ok_or_else(|| {
            let failure = Failure::usage(format!(
                "unknown scenario `{text}`; known scenarios: {}",
                names.join(", ")
            ));
            match nearest(text, names) {
                Some(name) => failure.hint(format!("did you mean `{name}`?")),
                None => failure,
            }
        })
    }
}

/// A scenario as it is written. Values are checked when it becomes a plan.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Its name; not part of the file.
    #[serde(skip)]
    pub name: String,
    /// What it asks, in one sentence.
    pub title: String,
    /// What can be learnt from it.
    pub learn: String,
    /// What holds for all arms.
    pub defaults: Defaults,
    /// The runs, in order.
    #[serde(rename = "arm")]
    pub arms: Vec<Arm>,
}

/// What holds for all arms of a scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Defaults {
    /// Customer id in the body.
    pub customer: String,
    /// Amount as decimal text.
    pub amount: String,
    /// How long a charge takes, as in `4s`.
    pub work: String,
}

/// One run of a scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    /// Short name.
    pub name: String,
    /// What is done, in a few words.
    pub title: String,
    /// Guard by name.
    pub guard: String,
    /// Order id.
    pub order: String,
    /// Copies of the message.
    pub copies: u64,
    /// Expected verdict.
    pub expect: String,
}

impl Scenario {
    /// Reads a scenario file.
    ///
    /// # Errors
    /// A usage [`Failure`] with line, column and the accepted keys.
    pub fn from_toml(name: &str, text: &str) -> Result<Self, Failure> {
        let mut scenario: Self = toml::from_str(text).map_err(|error| {
            Failure::usage(format!("scenario `{name}` cannot be read: {error}"))
        })?;
        scenario.name = name.to_owned();
        Ok(scenario)
    }
}
