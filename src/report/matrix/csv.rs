//! The matrix for a spreadsheet: one line per cell, RFC 4180 with a header line.

use super::Matrix;

/// The matrix as CSV.
pub(super) fn render(matrix: &Matrix) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let mut write = |record: &[&str]| {
        let written = writer.write_record(record);
        written.expect("writing into memory cannot fail, and all lines have as many cells");
    };
    write(&[
        "cause",
        "guard",
        "verdict",
        "charges",
        "messages",
        "deliveries",
        "reason",
        "replay",
    ]);
    for cell in &matrix.cells {
        write(&[
            &cell.cause,
            &cell.guard,
            cell.verdict.map_or("", |verdict| verdict.name()),
            &cell.charges.to_string(),
            &cell.messages.to_string(),
            &cell.deliveries.to_string(),
            &cell.reason,
            &cell.replay,
        ]);
    }
    let bytes = writer.into_inner();
    let bytes = bytes.expect("flushing into memory cannot fail");
    String::from_utf8(bytes).expect("all cells are UTF-8")
}
