//! Judged runs, put into words: one file per format.

mod csv;
mod escape;
#[cfg(test)]
mod fixtures;
mod format;
mod json;
mod layout;
mod markdown;
mod matrix;
mod model;
mod summary;
mod table;
#[cfg(test)]
mod tests;
mod text;

pub use format::{Format, TextStyle, render};
pub use json::{SCHEMA, SCHEMA_NAME};
pub use matrix::{Matrix, MatrixCell, render_matrix};
pub use model::{JudgedRun, Report};
