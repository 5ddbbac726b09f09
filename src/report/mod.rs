//! Judged runs, put into words: one file per format.

mod csv;
mod escape;
#[cfg(test)]
mod fixtures;
mod format;
mod json;
mod layout;
mod markdown;
mod model;
mod summary;
mod table;
#[cfg(test)]
mod tests;
mod text;

pub use format::{Format, TextStyle, render};
pub use json::{SCHEMA, SCHEMA_NAME};
pub use model::{JudgedRun, Report};
