//! Formats of results.

use crate::support::query;

const TEXT: &str = "fields level, ms | sort @timestamp asc | limit 3";
const SCANNED: &str = "5 of 5 events matched, 429 bytes scanned\n";

fn render(format: &str, text: &str, expected: &str) {
    query(&[text, "--from", "app.log", "--format", format]).prints(expected, SCANNED);
}

#[test]
fn a_table_is_for_people() {
    render(
        "table",
        TEXT,
        "\
┌───────┬──────┐
│ level │   ms │
├───────┼──────┤
│ info  │    - │
│ info  │ 12.5 │
│ warn  │  480 │
└───────┴──────┘
",
    );
}

#[test]
fn pointers_are_shown_to_people_who_ask() {
    render(
        "markdown",
        "fields level, @ptr | sort @timestamp asc | limit 1",
        "| level | &#64;ptr |\n| :--- | ---: |\n| info | 0 |\n",
    );
}

#[test]
fn json_leaves_absent_fields_out() {
    render(
        "json",
        TEXT,
        "[\n  {\"level\":\"info\",\"@ptr\":\"0\"},\n  {\"level\":\"info\",\"ms\":\"12.5\",\"@ptr\":\"76\"},\n  {\"level\":\"warn\",\"ms\":\"480\",\"@ptr\":\"166\"}\n]\n",
    );
}

#[test]
fn csv_has_a_header() {
    render(
        "csv",
        TEXT,
        "level,ms,@ptr\ninfo,,0\ninfo,12.5,76\nwarn,480,166\n",
    );
}

#[test]
fn markdown_is_a_table() {
    render(
        "markdown",
        TEXT,
        "| level | ms |\n| :--- | ---: |\n| info |  |\n| info | 12.5 |\n| warn | 480 |\n",
    );
}

#[test]
fn no_rows_are_a_result_too() {
    let text = "filter level = 'fatal' | display level, ms";
    let notes = "0 of 5 events matched, 429 bytes scanned\n";
    for (format, expected) in [
        ("json", "[]\n"),
        ("csv", "level,ms,@ptr\n"),
        ("markdown", "| level | ms |\n| :--- | :--- |\n"),
    ] {
        query(&[text, "--from", "app.log", "--format", format]).prints(expected, notes);
    }
}
