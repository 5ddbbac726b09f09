//! The matrix for programs: one JSON document.

use serde::Serialize;

use super::Matrix;
use crate::report::summary::VERSION;

/// Name and version of the format.
const SCHEMA_NAME: &str = "lab.matrix/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    version: &'static str,
    seed: u64,
    guards: &'a [String],
    causes: Vec<Cause<'a>>,
    cells: Vec<Cell<'a>>,
}

#[derive(Serialize)]
struct Cause<'a> {
    name: &'a str,
    title: &'a str,
}

#[derive(Serialize)]
struct Cell<'a> {
    guard: &'a str,
    cause: &'a str,
    verdict: Option<&'static str>,
    charges: u64,
    messages: u64,
    deliveries: u64,
    reason: &'a str,
    replay: &'a str,
}

/// The matrix as JSON.
pub(super) fn render(matrix: &Matrix) -> String {
    let causes = matrix.causes.iter();
    let document = Document {
        schema: SCHEMA_NAME,
        version: VERSION,
        seed: matrix.seed,
        guards: &matrix.guards,
        causes: causes.map(|(name, title)| Cause { name, title }).collect(),
        cells: matrix
            .cells
            .iter()
            .map(|cell| Cell {
                guard: &cell.guard,
                cause: &cell.cause,
                verdict: cell.verdict.map(|verdict| verdict.name()),
                charges: cell.charges,
                messages: cell.messages,
                deliveries: cell.deliveries,
                reason: &cell.reason,
                replay: &cell.replay,
            })
            .collect(),
    };
    serde_json::to_string_pretty(&document).expect("a matrix is plain data") + "\n"
}
