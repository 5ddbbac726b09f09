//! CloudWatch Logs Insights QL over any source of log records.
//!
//! ```text
//! text ── syntax (lexer, parser) ──▶ script ── plan (names, checks) ──▶ Query ── engine ──▶ Output
//!                                                      ▲                   ▲
//!                                             function, pattern    discover (JSON, Lambda)
//! ```
//!
//! The language follows the CloudWatch Logs user guide. What the guide does not say is decided in
//! one place, `choices.rs`; what this engine does not know it refuses, with the place in the text.
//!
//! ```
//! use lab::insights::{Options, Record, SliceSource, compile};
//!
//! let query = compile("filter @message like /charged/ | stats count(*) as charges").unwrap();
//! let mut source = SliceSource::new([Record::message("charged ORDER-003"), Record::message("other")]);
//! let output = query.run(&mut source, &Options::default()).unwrap();
//! assert_eq!(output.columns, ["charges"]);
//! assert_eq!(output.rows, [[Some("1".to_owned())]]);
//! ```

mod advice;
mod choices;
mod diagnosis;
mod discover;
mod engine;
mod format;
mod function;
mod near_miss;
mod output;
mod pattern;
mod plan;
mod query;
mod record;
mod shortcut;
mod syntax;
mod time;
mod value;

pub use diagnosis::{CompileError, RunError};
pub use output::{Output, Statistics, Warning};
pub use query::{Options, Query, compile};
pub use record::{GroupSelection, Groups, Record, SliceSource, Source, SourceError};
