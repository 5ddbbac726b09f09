//! An experiment: scenario file → validated plan → runs on a fresh stack each → judged runs.

mod answer;
mod body;
mod controls;
mod duration;
mod evidence;
mod file;
mod knobs;
mod lint;
mod plan;
mod recorder;
mod runner;
mod scenario;
mod skew;
mod stack;
mod witness;

pub use answer::AnswerForm;
pub use controls::check_controls;
pub use duration::parse_duration;
pub use knobs::{FunctionKnobs, Knobs, QueueKnobs, TableKind, TillKnobs};
pub use lint::{Lint, TableFacts, lint, lint_table};
pub use plan::{Budget, Envelope, Overrides, Plan, PlannedArm, PlannedRun, Send, Step, StepAction};
pub use runner::{Progress, crash_points, run};
pub use scenario::{Scenario, ScenarioName};
pub use witness::witness;
