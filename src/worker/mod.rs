//! The consumer: a function that charges orders, its guards, and the host that runs it as Lambda
//! would.

mod console;
mod delivery;
mod function;
pub mod guard;
mod handler;
mod host;
mod partial;

pub use delivery::{Delivery, ProcessError};
pub use function::{Function, InvokeOutcome};
pub use guard::{Guard, GuardName};
pub use handler::{HandlerError, RUN_ATTRIBUTE};
pub use host::{Host, HostPorts, HostSettings};
