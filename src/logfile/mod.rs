//! Log files as the query language reads them: text, JSON lines, what `aws logs` prints, exports.
//!
//! ```text
//! paths ──▶ Logs::open ── head of each file ──▶ compression, format, first time
//!              │
//!              └─ parts ──▶ Part (a Source) ── lines ── time ──▶ insights::Record
//! ```
//!
//! Nothing is held but a block of each file that is being read, so a log may be larger than the
//! memory. This room uses `insights` and the leaves only.

mod aws;
mod counters;
mod file;
mod format;
mod lambda;
mod lines;
mod logs;
mod part;
mod split;
mod text;
mod time;

pub use counters::Counters;
pub use format::InputFormat;
pub use lines::LONGEST_LINE_BYTES;
pub use logs::{Logs, STANDARD_INPUT};
pub use part::{Part, Progress};
pub use time::{Moment, MomentError, parse_moment};
