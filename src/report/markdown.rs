//! The report for an issue or a pull request, in GitHub's flavour of Markdown.

use std::fmt::Write;

use super::escape::{short_id, visible};
use super::model::{JudgedRun, Report};
use super::summary::{broken_sums, comparison, knobs_line, prices, reason};
use super::table::{MEASURES, Part};

/// The report as Markdown.
pub(super) fn render(report: &Report) -> String {
    let mut text = format!(
        "## {}: {}\n\n{}\n\n",
        prose(&report.name),
        prose(&report.title),
        code(&knobs_line(report))
    );
    for run in &report.runs {
        push(
            &mut text,
            format_args!("- **{}**: {}\n", prose(&run.arm), prose(&run.title)),
        );
    }
    if !report.runs.is_empty() {
        text.push('\n');
        push_table(&mut text, &report.runs);
        text.push('\n');
    }
    for run in &report.runs {
        push_verdict(&mut text, run);
    }
    if let Some(sentence) = comparison(report) {
        push(&mut text, format_args!("\n{}\n", prose(&sentence)));
    }
    if let Some(sentence) = prices(report) {
        push(&mut text, format_args!("\n{}\n", prose(&sentence)));
    }
    push(
        &mut text,
        format_args!("\nTo repeat exactly this:\n\n{}", fenced(&report.replay)),
    );
    text
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments)
        .expect("writing into a string cannot fail");
}

/// Columns are runs; all of them are aligned to the right, as numbers are.
fn push_table(text: &mut String, runs: &[JudgedRun]) {
    let mut row = |label: &str, cells: Vec<String>| {
        push(text, format_args!("| {label} | {} |\n", cells.join(" | ")));
    };
    row("", runs.iter().map(|run| prose(&run.arm)).collect());
    row(":---", vec!["---:".to_owned(); runs.len()]);
    for measure in &MEASURES {
        let label = match measure.label.contains('_') {
            true => code(measure.label),
            false => measure.label.to_owned(),
        };
        row(
            &label,
            runs.iter()
                .map(|run| match (measure.read)(run).as_slice() {
                    [Part::OrderId(_) | Part::MessageId(_)] => code(&measure.shown(run)),
                    [Part::Verdict(verdict)] => format!("**{verdict}**"),
                    _ => prose(&measure.shown(run)),
                })
                .collect(),
        );
    }
}

fn push_verdict(text: &mut String, run: &JudgedRun) {
    let id = code(&short_id(run.record.order.order_id.as_str()));
    let verdict = run.judgement.verdict;
    let arm = prose(&run.arm);
    push(
        text,
        format_args!("- **{arm}** {id} **{verdict}** {}\n", prose(&reason(run))),
    );
    for sum in broken_sums(run) {
        push(text, format_args!("  - {}\n", prose(&sum)));
    }
    for evidence in &run.judgement.lines {
        push(text, format_args!("  - {}\n", code(evidence)));
    }
    for warning in &run.warnings {
        push(text, format_args!("  - warning: {}\n", prose(warning)));
    }
}

/// Text between other text. Everything that Markdown or HTML could take for markup becomes a
/// character reference: those are never markup, and never the border of a table's cell.
fn prose(text: &str) -> String {
    let mut escaped = String::new();
    for character in visible(text).chars() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '#' | '!' | '@'
            | '$' => {
                push(&mut escaped, format_args!("&#{};", u32::from(character)));
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

/// A name in the typeface of code. A code span cannot hold every text inside of a table (a pipe
/// ends the cell, a backtick the span), so only plain names get one.
fn code(text: &str) -> String {
    let shown = visible(text);
    let plain = |character: char| !matches!(character, '`' | '|' | '\\');
    // A span of blanks only, or with blanks around, loses them.
    match shown.chars().all(plain) && shown.trim() == shown && !shown.is_empty() {
        true => format!("`{shown}`"),
        false => format!("<code>{}</code>", prose(&shown)),
    }
}

/// A block of code behind a fence that is longer than any run of backticks in it.
fn fenced(command: &str) -> String {
    let command = visible(command);
    let longest = command.split(|character| character != '`').map(str::len);
    let fence = "`".repeat(longest.max().unwrap_or_default().max(2) + 1);
    format!("{fence}sh\n{command}\n{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixtures;

    #[test]
    fn every_line_of_the_table_has_as_many_cells_as_its_header() {
        for report in [fixtures::article(), fixtures::hostile()] {
            let text = render(&report);
            let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
            assert_eq!(rows.len(), MEASURES.len() + 2);
            for row in rows {
                assert_eq!(row.matches('|').count(), report.runs.len() + 2, "{row}");
            }
        }
    }

    #[test]
    fn names_are_code_and_stay_in_their_cell() {
        assert_eq!(code("ORDER-003"), "`ORDER-003`");
        assert_eq!(code("a|b"), "<code>a&#124;b</code>");
        assert_eq!(code("a`b"), "<code>a&#96;b</code>");
        assert_eq!(code(r"a\|b"), "<code>a&#92;&#124;b</code>");
        assert_eq!(code(" a"), "<code> a</code>");
        assert_eq!(code("<b>"), "`<b>`");
    }

    #[test]
    fn prose_is_not_markup() {
        assert_eq!(
            prose("<b> *x* [y](z) @me #1"),
            "&#60;b&#62; &#42;x&#42; &#91;y&#93;(z) &#64;me &#35;1"
        );
    }

    #[test]
    fn the_replay_command_cannot_leave_its_fence() {
        assert_eq!(fenced("lab run"), "```sh\nlab run\n```\n");
        assert_eq!(fenced("a ``` b"), "````sh\na ``` b\n````\n");
        assert_eq!(fenced("a\n```"), "````sh\na\\n```\n````\n");
    }
}
