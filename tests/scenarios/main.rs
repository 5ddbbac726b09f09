//! Scenario files: what is compiled in comes out as it says, and what is wrong is refused in full.

mod command;
mod files;
mod outcomes;
mod schema;
