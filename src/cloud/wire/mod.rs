//! What lies between a caller and a service: every port call passes here, so this is where calls
//! are recorded and take their time. Faults belong here too: a consumer cannot tell, and needs no
//! hook.

mod claims;
mod history;
mod latency;
mod queue;
mod till;

pub use claims::WiredClaims;
pub use history::{Call, CallerId, History, Operation, Outcome};
pub use latency::{Latency, Wire};
pub use queue::WiredQueue;
pub use till::WiredTill;
