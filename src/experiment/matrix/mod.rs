//! Guards against causes of duplicates: what comes out of each pair.

mod cause;
mod cell;

pub use cause::Cause;
pub use cell::{Cell, CellName, CellResult, matrix};
