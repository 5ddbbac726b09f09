//! Judged runs, put into words: one file per format.

mod model;

pub use model::{JudgedRun, Report};
