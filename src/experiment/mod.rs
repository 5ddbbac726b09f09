//! An experiment: scenario file → validated plan → runs on a fresh stack each → judged runs.

mod plan;
mod runner;
mod scenario;
mod stack;
mod witness;

pub use plan::{Knobs, Overrides, Plan, PlannedArm, TableKind, parse_duration};
pub use runner::{Progress, run};
pub use scenario::{Scenario, ScenarioName};
pub use witness::witness;
