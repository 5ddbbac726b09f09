//! Guards against causes, as a table: what every format prints of it.

mod csv;
mod json;
mod markdown;
mod text;

use super::format::{Format, TextStyle};
use crate::verdict::Verdict;

/// One guard against one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixCell {
    /// The guard.
    pub guard: String,
    /// The cause.
    pub cause: String,
    /// What came out; `None` if no run can decide it.
    pub verdict: Option<Verdict>,
    /// Times that the customer was charged.
    pub charges: u64,
    /// Messages that were sent.
    pub messages: u64,
    /// Deliveries of them.
    pub deliveries: u64,
    /// One sentence: why.
    pub reason: String,
    /// The command that repeats this cell and reports it in full.
    pub replay: String,
}

/// All cells, cause by cause, each with the guards in the same order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Seed of ids and jitter.
    pub seed: u64,
    /// The guards, weakest first.
    pub guards: Vec<String>,
    /// The causes: name, and what happens in a few words.
    pub causes: Vec<(String, String)>,
    /// The cells.
    pub cells: Vec<MatrixCell>,
}

impl Matrix {
    /// The cells of one cause.
    fn row(&self, cause: usize) -> &[MatrixCell] {
        let width = self.guards.len();
        &self.cells[cause * width..(cause + 1) * width]
    }
}

impl MatrixCell {
    /// Verdict and charges, as in `DOUBLE 4`; a dash where no run can decide.
    fn short(&self) -> String {
        match self.verdict {
            Some(verdict) => format!("{verdict} {}", self.charges),
            None => "-".to_owned(),
        }
    }
}

/// The matrix as text that ends with a newline.
pub fn render_matrix(matrix: &Matrix, format: Format, style: TextStyle) -> String {
    match format {
        Format::Text => text::render(matrix, style),
        Format::Json => json::render(matrix),
        Format::Markdown => markdown::render(matrix),
        Format::Csv => csv::render(matrix),
    }
}
