//! A result for a person at a terminal.

use comfy_table::{
    CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, Table, TableStyle,
};

use super::cells::{is_number, visible};
use super::format::{Rendered, Style, shown_columns};
use crate::insights::Output;

/// Plain lines, and none between the rows.
const BORDERS: TableStyle = TableStyle::new()
    .top_border(LineStyle::new('┌', '─', '┬', '┐'))
    .header_lines(ContentLineStyle::new('│', '│', '│'))
    .header_separator(LineStyle::new('├', '─', '┼', '┤'))
    .content_lines(ContentLineStyle::new('│', '│', '│'))
    .bottom_border(LineStyle::new('└', '─', '┴', '┘'));

/// Characters of a value that are shown.
const SHOWN_CHARACTERS: usize = 1000;

/// A column that must be narrower than this, and than its values, cannot be read.
const LEAST_WIDTH: u16 = 12;

/// What stands for a field that a row does not have.
const ABSENT: &str = "-";

/// The table.
pub(super) fn render(output: &Output, style: Style) -> Rendered {
    let shown = shown_columns(output, style);
    let mut cut_cells = 0;
    let mut table = Table::new();
    table
        .load_style(BORDERS)
        .set_header(shown.iter().map(|index| visible(&output.columns[*index])));
    for row in &output.rows {
        table.add_row(shown.iter().map(|index| match &row[*index] {
            Some(value) => {
                let (cell, cut) = cell(value);
                cut_cells += u64::from(cut);
                cell
            }
            None => ABSENT.to_owned(),
        }));
    }
    for (place, index) in shown.iter().enumerate() {
        let mut values = output.rows.iter().filter_map(|row| row[*index].as_deref());
        if values.all(is_number)
            && let Some(column) = table.column_mut(place)
        {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let fits = |width: u16| {
        let widths = table.column_max_content_widths().into_iter();
        // A blank on either side, and the line to the right.
        let needed = widths.map(|natural| u32::from(natural.min(LEAST_WIDTH)) + 3);
        needed.sum::<u32>() < u32::from(width)
    };
    match style.width {
        Some(width) if !fits(width) => {
            return Rendered {
                text: records(output, &shown),
                cut_cells,
            };
        }
        Some(width) => table
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width),
        None => table.set_content_arrangement(ContentArrangement::Disabled),
    };
    Rendered {
        text: format!("{table}\n"),
        cut_cells,
    }
}

/// The rows one below the other, each with a line for every field that it has, where a table would
/// be too wide.
fn records(output: &Output, shown: &[usize]) -> String {
    let names: Vec<_> = output.columns.iter().map(|name| visible(name)).collect();
    let widths = shown.iter().map(|index| names[*index].chars().count());
    let width = widths.max().unwrap_or_default();
    let mut text = String::new();
    for (number, row) in output.rows.iter().enumerate() {
        text.push_str(&format!("row {}\n", number + 1));
        for index in shown {
            if let Some(value) = &row[*index] {
                let name = &names[*index];
                text.push_str(&format!("  {name:width$}  {}\n", cell(value).0));
            }
        }
    }
    text
}

/// The value on one line, and whether its end is missing.
fn cell(value: &str) -> (String, bool) {
    // Lines of Lambda end with a newline, which is nothing to look at.
    let value = value.trim_end_matches(['\r', '\n']);
    match value.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => (format!("{}…", visible(&value[..end])), true),
        None => (visible(value).into_owned(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::output;
    use super::*;

    fn table(output: &Output, width: Option<u16>) -> String {
        let style = Style {
            width,
            show_pointer: false,
        };
        render(output, style).text
    }

    #[test]
    fn numbers_stand_to_the_right_and_pointers_are_left_out() {
        let output = output(
            &["type", "n", "@ptr"],
            &[
                &[Some("a"), Some("10"), Some("0")],
                &[None, Some("9"), Some("7")],
            ],
        );
        assert_eq!(
            table(&output, None),
            "\
┌──────┬────┐
│ type │  n │
├──────┼────┤
│ a    │ 10 │
│ -    │  9 │
└──────┴────┘
"
        );
    }

    #[test]
    fn it_fits_the_terminal() {
        let long = "word ".repeat(60);
        let output = output(
            &["@timestamp", "@message", "n"],
            &[&[Some("2026-09-20 20:58:23.240"), Some(&long), Some("1")]],
        );
        for width in [40, 60, 80, 200] {
            let text = table(&output, Some(width));
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(usize::from(width)), "{width}:\n{text}");
        }
    }

    #[test]
    fn columns_that_would_be_unreadable_become_lines() {
        let output = output(
            &["@timestamp", "type", "orderId", "@ptr"],
            &[
                &[
                    Some("2026-09-20 20:58:23.240"),
                    Some("claim_won"),
                    Some("ORDER-003"),
                    Some("0"),
                ],
                &[
                    Some("2026-09-20 20:58:23.241"),
                    None,
                    Some("ORDER-\u{1b}3"),
                    Some("9"),
                ],
            ],
        );
        assert!(table(&output, Some(43)).starts_with('┌'));
        assert_eq!(
            table(&output, Some(40)),
            "\
row 1
  @timestamp  2026-09-20 20:58:23.240
  type        claim_won
  orderId     ORDER-003
row 2
  @timestamp  2026-09-20 20:58:23.241
  orderId     ORDER-\\u{1b}3
"
        );
    }

    #[test]
    fn a_long_value_is_cut_and_that_is_counted() {
        let output = output(
            &["a"],
            &[&[Some(&"é".repeat(1001))], &[Some(&"é".repeat(1000))]],
        );
        let style = Style {
            width: None,
            show_pointer: false,
        };
        let rendered = render(&output, style);
        assert_eq!(rendered.cut_cells, 1);
        assert_eq!(rendered.text.matches('é').count(), 2000);
        assert_eq!(rendered.text.matches('…').count(), 1);
    }

    #[test]
    fn a_result_without_rows_is_its_header() {
        assert_eq!(table(&output(&["a"], &[]), None).lines().count(), 4);
    }
}
