//! The command line: one file per subcommand. Flags, a call into the library, printing.

mod completions;
mod entry;
mod output;
mod progress;
mod query;
mod run;

pub use entry::main;
