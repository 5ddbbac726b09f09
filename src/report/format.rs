//! The choice of a format.

use clap::ValueEnum;

use super::model::Report;
use super::{csv, json, markdown, text};

/// How a report is written. The names are those of `--format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, ValueEnum)]
pub enum Format {
    /// A side-by-side table and sentences, for a person at a terminal.
    #[default]
    Text,
    /// One JSON document, described by `report.schema.json`.
    Json,
    /// Markdown in GitHub's flavour, for an issue or a pull request.
    Markdown,
    /// One line per run, for a spreadsheet.
    Csv,
}

/// What the text format may use of the terminal. The other formats ignore it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextStyle {
    /// Whether verdicts are coloured with ANSI escape codes.
    pub colour: bool,
    /// Width of the terminal in columns; `None` where there is no terminal. Tables fit it (from
    /// 32 columns up); sentences and the replay command are left to the terminal to wrap.
    pub width: Option<u16>,
}

/// The report as text that ends with a newline.
pub fn render(report: &Report, format: Format, style: TextStyle) -> String {
    match format {
        Format::Text => text::render(report, style),
        Format::Json => json::render(report),
        Format::Markdown => markdown::render(report),
        Format::Csv => csv::render(report),
    }
}
