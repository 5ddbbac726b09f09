//! The matrix for a terminal: causes down, guards across, continued below where they do not fit.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::{Matrix, MatrixCell};
use crate::report::format::TextStyle;
use crate::verdict::Verdict;

/// Blanks between columns.
const GAP: usize = 2;

/// The matrix as text.
pub(super) fn render(matrix: &Matrix, style: TextStyle) -> String {
    let mut text = format!("guards against causes, seed={}\n", matrix.seed);
    let label = matrix.causes.iter().map(|(name, _)| name.len()).max();
    let label = label.unwrap_or_default();
    for band in bands(matrix, label, style.width.map(usize::from)) {
        push_band(&mut text, matrix, &band, label, style.colour);
    }
    text.push_str("\nThe number is how often the customer was charged.\n");
    push_undecided(&mut text, matrix);
    text.push('\n');
    for (name, title) in &matrix.causes {
        push(&mut text, format_args!("{name:<label$}  {title}\n"));
    }
    if let Some(cell) = matrix.cells.first() {
        push(
            &mut text,
            format_args!("\nTo see a cell in full:\n{}\n", cell.replay),
        );
    }
    text
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments)
        .expect("writing into a string cannot fail");
}

/// Columns that stand beside each other, with their widths.
type Band = Vec<(usize, usize)>;

fn bands(matrix: &Matrix, label: usize, most: Option<usize>) -> Vec<Band> {
    let mut bands: Vec<Band> = Vec::new();
    let mut used = usize::MAX;
    for (index, guard) in matrix.guards.iter().enumerate() {
        let column = matrix.cells.iter().skip(index).step_by(matrix.guards.len());
        let widest = column.map(|cell| cell.short().len()).max();
        let width = widest.unwrap_or_default().max(guard.len());
        used = used.saturating_add(GAP + width);
        if bands.is_empty() || most.is_some_and(|most| used > most) {
            bands.push(Vec::new());
            used = label + GAP + width;
        }
        bands
            .last_mut()
            .expect("one has just been pushed")
            .push((index, width));
    }
    bands
}

fn push_band(text: &mut String, matrix: &Matrix, band: &Band, label: usize, colour: bool) {
    push(text, format_args!("\n{:<label$}", ""));
    for (index, width) in band {
        push(text, format_args!("  {:<width$}", matrix.guards[*index]));
    }
    trim(text);
    for (row, (cause, _)) in matrix.causes.iter().enumerate() {
        push(text, format_args!("{cause:<label$}"));
        for (index, width) in band {
            let cell = &matrix.row(row)[*index];
            let style = match colour {
                true => colour_of(cell),
                false => Style::new(),
            };
            let short = cell.short();
            let blanks = " ".repeat(width - short.len());
            push(text, format_args!("  {style}{short}{style:#}{blanks}"));
        }
        trim(text);
    }
}

/// Ends a line without blanks at its end.
fn trim(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
    text.push('\n');
}

fn colour_of(cell: &MatrixCell) -> Style {
    match cell.verdict {
        Some(Verdict::Pass) => AnsiColor::Green.on_default(),
        Some(Verdict::Double | Verdict::Lost) => AnsiColor::Red.on_default(),
        Some(_) => AnsiColor::Yellow.on_default(),
        None => Style::new(),
    }
}

/// Why there are dashes, each reason once.
fn push_undecided(text: &mut String, matrix: &Matrix) {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for cell in matrix.cells.iter().filter(|cell| cell.verdict.is_none()) {
        match reasons
            .iter_mut()
            .find(|(reason, _)| *reason == cell.reason)
        {
            Some((_, causes)) if causes.contains(&cell.cause.as_str()) => {}
            Some((_, causes)) => causes.push(&cell.cause),
            None => reasons.push((&cell.reason, vec![&cell.cause])),
        }
    }
    for (reason, causes) in reasons {
        push(text, format_args!("-  {reason} ({})\n", causes.join(", ")));
    }
}
