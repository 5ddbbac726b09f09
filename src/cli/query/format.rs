//! The choice of a format.

use clap::ValueEnum;

use super::{csv, json, markdown, table};
use crate::insights::Output;

/// How a result is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// A table for a person at a terminal, whose width it fits; one line per field where no table
    /// would be readable
    // LAB_FORMAT is shared with `lab run`, whose tables are called `text`.
    #[default]
    #[value(alias = "text")]
    Table,
    /// An array of objects; every value is text, and a field that a row does not have is left out
    Json,
    /// Comma-separated values with a header
    Csv,
    /// A table in GitHub's flavour of Markdown
    Markdown,
}

/// What formats for people depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// Width of the terminal, if there is one.
    pub(super) width: Option<u16>,
    /// Whether people see `@ptr`: if they asked for it.
    pub(super) show_pointer: bool,
}

/// A result as text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rendered {
    /// Ends with a newline.
    pub(super) text: String,
    /// Values that are not shown whole.
    pub(super) cut_cells: u64,
}

/// Writes a result.
pub(super) fn render(output: &Output, format: Format, style: Style) -> Rendered {
    let whole = |text| Rendered { text, cut_cells: 0 };
    match format {
        Format::Table => table::render(output, style),
        Format::Json => whole(json::render(output)),
        Format::Csv => whole(csv::render(output)),
        Format::Markdown => whole(markdown::render(output, style)),
    }
}

/// Indexes of the columns that people see.
pub(super) fn shown_columns(output: &Output, style: Style) -> Vec<usize> {
    let columns = output.columns.iter().enumerate();
    let shown = columns.filter(|(_, name)| style.show_pointer || *name != "@ptr");
    shown.map(|(index, _)| index).collect()
}

#[cfg(test)]
pub(super) fn output(columns: &[&str], rows: &[&[Option<&str>]]) -> Output {
    let owned = |row: &&[Option<&str>]| row.iter().map(|cell| cell.map(str::to_owned)).collect();
    Output {
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        rows: rows.iter().map(owned).collect(),
        ..Output::default()
    }
}
