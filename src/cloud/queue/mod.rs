//! The embedded SQS: standard and FIFO queues, as a consumer sees them.
//!
//! ```text
//! QueueHandle (the port)  ─▶  QueueService (a lock, a clock, long polls)  ─▶  Queues (a state machine)
//!                                                                              └ Queue ─ Store ─ Ready
//! ```
//!
//! [`Queues`] is told the time with every call and never waits; a wire endpoint can sit on it and
//! speaks its terms and errors already. [`QueueService`] adds the clock and the waiting.
//!
//! Exact here, eventually consistent on AWS: counters, attribute changes, purge and delete.

mod acknowledge;
mod attributes;
mod batch;
mod check;
mod config;
mod digest;
mod error;
mod fault;
mod handle;
pub mod limits;
mod line;
mod list;
mod memory;
mod message;
mod name;
mod port;
mod queues;
mod ready;
mod receive;
mod redrive;
mod request;
mod send;
mod service;
mod slab;
mod state;
mod store;
mod task;

pub use attributes::AttributeMap;
pub use config::{LateVisibilityChange, QueueConfig, SupersededDelete};
pub use digest::{md5_of_attributes, md5_of_body, md5_of_trace_header};
pub use error::QueueError;
pub use fault::{FaultTally, QueueFaults};
pub use message::Delivery;
pub use port::QueueHandle;
pub use queues::Queues;
pub use request::{
    BatchEntry, BatchOutcome, ChangeVisibility, PageRequest, QueuePage, ReceiveMessage, SendMessage,
};
pub use service::QueueService;
pub use state::QueueTotals;
pub use task::MoveTask;
