//! The command line: one file per subcommand. Flags, a call into the library, printing.

mod completions;
mod entry;
mod output;
mod plan_text;
mod progress;
mod query;
mod run;
mod shell;

pub use entry::main;
