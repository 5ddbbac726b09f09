//! The event source mapping: polls the queue, builds batches, invokes the function, deletes what
//! succeeded and lets the rest come back. Written against the ports only.

mod batch;
mod event;
mod outcome;
mod run;
mod settings;

pub use event::event_json;
pub use outcome::{BatchOutcome, FailureReason};
pub use run::{Mapping, MappingStatistics};
pub use settings::{FunctionLimits, MappingSettings, VisibilityMode};
