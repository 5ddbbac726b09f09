//! A result as a table in GitHub's flavour of Markdown.

use super::cells::{is_number, visible};
use super::format::{Style, shown_columns};
use crate::insights::Output;

/// The table; columns of numbers are aligned to the right.
pub(super) fn render(output: &Output, style: Style) -> String {
    let shown = shown_columns(output, style);
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let names = shown.iter().map(|index| prose(&output.columns[*index]));
    let mut text = line(names.collect());
    let rules = shown.iter().map(|index| rule(output, *index).to_owned());
    text.push_str(&line(rules.collect()));
    for row in &output.rows {
        let cells = shown.iter().map(|index| row[*index].as_deref().map(prose));
        text.push_str(&line(cells.map(Option::unwrap_or_default).collect()));
    }
    text
}

fn rule(output: &Output, index: usize) -> &'static str {
    let mut present = output.rows.iter().filter_map(|row| row[index].as_deref());
    match !output.rows.is_empty() && present.all(is_number) {
        true => "---:",
        false => ":---",
    }
}

/// Everything that Markdown or HTML could take for markup becomes a character reference: those
/// are never markup, and never the border of a cell.
fn prose(text: &str) -> String {
    let mut escaped = String::new();
    for character in visible(text).chars() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '#' | '!' | '@'
            | '$' => escaped.push_str(&format!("&#{};", u32::from(character))),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::format::output;
    use super::*;

    const STYLE: Style = Style {
        width: None,
        show_pointer: false,
    };

    #[test]
    fn a_table_has_a_rule_and_no_pointers() {
        let output = output(
            &["type", "n", "@ptr"],
            &[
                &[Some("a|b_c"), Some("4"), Some("0")],
                &[None, Some("-1"), Some("1")],
            ],
        );
        assert_eq!(
            render(&output, STYLE),
            "| type | n |\n| :--- | ---: |\n| a&#124;b&#95;c | 4 |\n|  | -1 |\n"
        );
    }

    #[test]
    fn every_line_has_as_many_cells_as_the_header() {
        let output = output(&["a"], &[&[Some("x\n| y | \\| <b>")]]);
        for line in render(&output, STYLE).lines() {
            assert_eq!(line.matches('|').count(), 2, "{line}");
        }
    }
}
