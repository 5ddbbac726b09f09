//! The seams between the lab and a cloud.
//!
//! Four ports stand for the four services that an experiment touches: [`Queue`], [`Claims`] (the
//! table), [`Log`] and [`Till`] (where the effect lands). [`Clock`] is the fifth seam: nobody but
//! its implementations knows what time it is.
//!
//! Every call names its [`Caller`], so that an adapter can keep one ordered history of who did
//! what, and can hold, fail or drop the call of exactly one invocation.

mod caller;
mod claims;
mod clock;
mod error;
mod log;
mod queue;
mod till;

pub use caller::{Caller, Invocation};
pub use claims::{
    AttributeValue, Claims, Condition, Item, KEY_ATTRIBUTE, MAX_KEY_BYTES, WriteOutcome,
};
pub use clock::{Clock, Timestamp};
pub use error::{ErrorKind, PortError};
pub use log::{Log, LogEvent, LogLine, QueryTable, TimeRange};
pub use queue::{
    BatchFailure, MessageAttribute, Outgoing, Queue, QueueDepth, QueueSettings, ReceiptHandle,
    ReceiveRequest, Received, Sent,
};
pub use till::{Charge, Receipt, Till};
