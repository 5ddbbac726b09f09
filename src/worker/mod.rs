//! The consumer: a function that charges orders, its guards, and the host that runs it as Lambda
//! would.

mod console;
mod delivery;
mod function;
pub mod guard;
mod handler;
mod host;
mod partial;
mod process_error;

pub use delivery::Delivery;
pub use function::{Function, InvokeOutcome};
pub use guard::{EffectSite, Guard, GuardName, GuardSettings, KeyStrategy};
pub use handler::{HandlerError, RUN_ATTRIBUTE};
pub use host::{Host, HostPorts, HostSettings};
pub use process_error::ProcessError;
