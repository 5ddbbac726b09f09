//! One CloudWatch Logs group: streams of events, read by time and queried with Logs Insights.

mod group;
mod query;
mod store;

pub use group::{EmbeddedLog, RejectedEvents};
pub use query::QueryError;
