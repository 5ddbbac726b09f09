//! The report for a spreadsheet: one line per run, RFC 4180 with a header line.
//!
//! Cells made from outside text are not exact, on purpose. Spreadsheets take a cell that begins
//! with `=`, `+`, `-`, `@`, a tab or a carriage return for a formula and may run it (CWE-1236), so
//! such a text gets an apostrophe in front, which spreadsheets read as "this is text". Control
//! characters and line breaks are written as escapes, so that each run stays on its line and a
//! terminal that shows the file is not hijacked. Whoever needs ids byte for byte reads the JSON.

use super::escape::visible;
use super::model::{JudgedRun, Report};
use super::table::{MEASURES, Part};

/// The columns before those of the table.
const LEADING_COLUMNS: [&str; 5] = ["run", "arm", "title", "target", "seed"];

/// The columns after those of the table.
const TRAILING_COLUMNS: [&str; 3] = ["reason", "queried_by", "warnings"];

/// The report as CSV.
pub(super) fn render(report: &Report) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let mut write = |record: Vec<String>| {
        let written = writer.write_record(record);
        written.expect("writing into memory cannot fail, and all lines have as many cells");
    };
    write(header());
    for run in &report.runs {
        write(record(report, run));
    }
    let bytes = writer.into_inner();
    let bytes = bytes.expect("flushing into memory cannot fail");
    String::from_utf8(bytes).expect("all cells are UTF-8")
}

fn header() -> Vec<String> {
    let keys = MEASURES.iter().flat_map(|measure| measure.keys);
    let columns = LEADING_COLUMNS.iter().chain(keys).chain(&TRAILING_COLUMNS);
    columns.map(ToString::to_string).collect()
}

fn record(report: &Report, run: &JudgedRun) -> Vec<String> {
    let mut cells = vec![
        outside(&run.record.run),
        outside(&run.arm),
        outside(&run.title),
        outside(&run.record.target),
        report.seed.map(|seed| seed.to_string()).unwrap_or_default(),
    ];
    let parts = MEASURES.iter().flat_map(|measure| (measure.read)(run));
    cells.extend(parts.map(cell));
    cells.extend([
        outside(&run.judgement.reason),
        outside(&run.queried_by),
        outside(&run.warnings.join("; ")),
    ]);
    cells
}

fn cell(part: Part) -> String {
    match part {
        Part::Absent => String::new(),
        Part::Count(count) => count.to_string(),
        Part::Flag(flag) => flag.to_string(),
        Part::Verdict(verdict) => verdict.to_string(),
        Part::OrderId(text) | Part::MessageId(text) | Part::Amount(text) | Part::Text(text) => {
            outside(&text)
        }
    }
}

/// Text from outside, made harmless.
fn outside(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let apostrophe = if formula { "'" } else { "" };
    format!("{apostrophe}{}", visible(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixtures;

    fn read(text: &str) -> (Vec<String>, Vec<Vec<String>>) {
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let owned = |record: &::csv::StringRecord| record.iter().map(str::to_owned).collect();
        let header = owned(reader.headers().expect("a header"));
        let records = reader.records();
        let records = records.map(|record| owned(&record.expect("a line")));
        (header, records.collect())
    }

    fn column(text: &str, name: &str) -> Vec<String> {
        let (header, records) = read(text);
        let index = header.iter().position(|each| each == name);
        let index = index.expect("a known column");
        records
            .into_iter()
            .map(|record| record[index].clone())
            .collect()
    }

    #[test]
    fn there_is_one_line_per_run_and_one_column_per_number() {
        let text = render(&fixtures::article());
        assert_eq!(text.lines().count(), 4);
        assert_eq!(column(&text, "charges"), ["4", "1", "2"]);
        assert_eq!(column(&text, "orders"), ["1", "1", "1"]);
        assert_eq!(column(&text, "messages"), ["4", "1", "2"]);
        assert_eq!(column(&text, "items"), ["0", "1", "1"]);
        assert_eq!(column(&text, "item_states"), ["", "COMPLETED", "COMPLETED"]);
        assert_eq!(column(&text, "overlapped"), ["true", "true", "true"]);
        assert_eq!(column(&text, "verdict"), ["DOUBLE", "PASS", "DOUBLE"]);
        assert_eq!(
            column(&text, "winner_message_id")[1],
            fixtures::message_id(2, 3)
        );
    }

    #[test]
    fn no_cell_is_a_formula_and_no_id_breaks_a_line() {
        let text = render(&fixtures::hostile());
        assert_eq!(text.lines().count(), 8);
        assert_eq!(
            column(&text, "order")[..6],
            [
                "'=HYPERLINK(\"http://evil.example\",\"ORDER\")",
                r"\u{1b}[2J\u{1b}]0;owned\u{7}ORDER\u{9b}31m",
                r"two\nlines\tand|a `pipe` <b>bold</b>\|",
                "🎉👩‍👧 pedido-ñ, \"5\"",
                "'@cmd-+1",
                r"\u{202e}300-REDRO",
            ]
        );
        for (text, cell) in [
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("\t=1", r"'\t=1"),
            ("1-", "1-"),
        ] {
            assert_eq!(outside(text), cell);
        }
    }

    #[test]
    fn a_report_without_runs_is_its_header() {
        let text = render(&fixtures::report(Vec::new()));
        assert_eq!(text.lines().count(), 1);
    }
}
