//! The report for a person at a terminal.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, ContentLineStyle, LineStyle, Table,
    TableStyle, Width,
};

use super::escape::{short_id, visible};
use super::format::TextStyle;
use super::layout::{Band, bands};
use super::model::{JudgedRun, Report};
use super::summary::{broken_sums, comparison, knobs_line, prices, reason};
use super::table::MEASURES;
use crate::verdict::Verdict;

/// The row whose cells are coloured.
const VERDICT_LABEL: &str = "verdict";

/// Plain lines, and none between the rows.
const BORDERS: TableStyle = TableStyle::new()
    .top_border(LineStyle::new('┌', '─', '┬', '┐'))
    .header_lines(ContentLineStyle::new('│', '│', '│'))
    .header_separator(LineStyle::new('├', '─', '┼', '┤'))
    .content_lines(ContentLineStyle::new('│', '│', '│'))
    .bottom_border(LineStyle::new('└', '─', '┴', '┘'));

/// Space on either side of a cell.
const PADDING: usize = 2;

/// The report as text.
pub(super) fn render(report: &Report, style: TextStyle) -> String {
    let mut text = String::new();
    let mut line = |content: &str| {
        text.push_str(content.trim_end());
        text.push('\n');
    };
    line(&knobs_line(report));
    line(&visible(&format!("{}: {}", report.name, report.title)));
    line("");
    let arms: Vec<String> = report.runs.iter().map(|run| visible(&run.arm)).collect();
    let widest = arms.iter().map(|arm| arm.chars().count()).max();
    let widest = widest.unwrap_or_default();
    for (run, arm) in report.runs.iter().zip(&arms) {
        line(&format!("{arm:widest$}  {}", visible(&run.title)));
    }
    for table in tables(report, style.width) {
        line("");
        for row in table.lines() {
            line(&paint_row(&row, style.colour));
        }
    }
    line("");
    for (run, arm) in report.runs.iter().zip(&arms) {
        line(&format!(
            "{arm:widest$}  {}",
            verdict_line(run, style.colour)
        ));
        for sum in broken_sums(run) {
            line(&format!("    {sum}"));
        }
        for evidence in &run.judgement.lines {
            line(&format!("    {}", visible(evidence)));
        }
        for warning in &run.warnings {
            line(&format!("    warning: {}", visible(warning)));
        }
    }
    if let Some(sentence) = comparison(report) {
        line("");
        line(&sentence);
    }
    if let Some(sentence) = prices(report) {
        line(&sentence);
    }
    line("");
    line("To repeat exactly this:");
    line(&visible(&report.replay));
    text
}

fn verdict_line(run: &JudgedRun, colour: bool) -> String {
    format!(
        "{}  {}  {}",
        short_id(run.record.order.order_id.as_str()),
        paint(run.judgement.verdict, colour),
        reason(run)
    )
}

/// One table, or several if the runs do not fit beside each other.
fn tables(report: &Report, width: Option<u16>) -> Vec<Table> {
    if report.runs.is_empty() {
        return Vec::new();
    }
    let mut whole = table(&report.runs);
    whole.set_content_arrangement(ContentArrangement::Disabled);
    let natural: Vec<usize> = whole
        .column_max_content_widths()
        .into_iter()
        .map(usize::from)
        .collect();
    let (label, wanted) = natural.split_first().expect("there is a column of labels");
    let mut rest = report.runs.as_slice();
    let mut tables = Vec::new();
    for band in bands(*label, wanted, width.map(usize::from)) {
        let (runs, later) = rest.split_at(band.values.len());
        let mut table = table(runs);
        set_widths(&mut table, &band);
        tables.push(table);
        rest = later;
    }
    tables
}

/// The labels, then one column per run.
fn table(runs: &[JudgedRun]) -> Table {
    let row = |label: &str, cell: &dyn Fn(&JudgedRun) -> String| {
        let label = std::iter::once(label.to_owned());
        label.chain(runs.iter().map(cell)).collect::<Vec<String>>()
    };
    let mut table = Table::new();
    table
        .load_style(BORDERS)
        .set_header(row("", &|run| visible(&run.arm)));
    for measure in &MEASURES {
        table.add_row(row(measure.label, &|run| measure.shown(run)));
    }
    table
}

fn set_widths(table: &mut Table, band: &Band) {
    table.set_content_arrangement(ContentArrangement::Dynamic);
    let widths = std::iter::once(&band.label).chain(&band.values);
    for (column, width) in table.column_iter_mut().zip(widths) {
        let width = u16::try_from(width + PADDING).unwrap_or(u16::MAX);
        column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

/// Colours the verdicts in a finished line of the table. Colours are put in last, so that they do
/// not count when the columns are laid out.
fn paint_row(row: &str, colour: bool) -> String {
    let cells = row.strip_prefix("│ ").unwrap_or_default();
    if !colour || !cells.starts_with(VERDICT_LABEL) {
        return row.to_owned();
    }
    let paint_all =
        |row: String, verdict: Verdict| row.replace(verdict.name(), &paint(verdict, true));
    Verdict::ALL.into_iter().fold(row.to_owned(), paint_all)
}

fn paint(verdict: Verdict, colour: bool) -> String {
    let hue = match verdict {
        Verdict::Pass => AnsiColor::Green,
        Verdict::Double | Verdict::Lost | Verdict::Stuck | Verdict::Conflict => AnsiColor::Red,
        Verdict::Incomplete | Verdict::Inconclusive => AnsiColor::Yellow,
    };
    let mut painted = String::new();
    let style = match colour {
        true => Style::new().bold().fg_color(Some(hue.into())),
        false => Style::new(),
    };
    let written = write!(painted, "{style}{verdict}{style:#}");
    written.expect("writing into a string cannot fail");
    painted
}
