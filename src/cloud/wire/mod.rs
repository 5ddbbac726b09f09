//! What lies between a caller and a service: every port call passes here, so this is where calls
//! are recorded, take their time and meet the faults. A consumer cannot tell, and needs no hook.

mod armed;
mod claims;
mod fault;
mod fault_text;
mod history;
mod latency;
mod operation;
mod passage;
mod point;
mod queue;
mod till;

pub use claims::WiredClaims;
pub use fault::{Action, FaultRule, Occurrence};
pub use history::{Answer, Call, CallerId, History, Outcome};
pub use latency::Latency;
pub use operation::Operation;
pub use passage::Wire;
pub use point::{CallPoint, Moment, PassedPoint};
pub use queue::WiredQueue;
pub use till::WiredTill;
