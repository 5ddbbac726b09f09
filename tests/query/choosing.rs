//! Which query is run, and how flags contradict each other.

use crate::support::{folder, query, query_in};

const COUNT: &str = "stats count(*) as n by level | sort level asc";
const COUNTED: &str = "level,n\nerror,1\ninfo,3\nwarn,1\n";
const SCANNED: &str = "5 of 5 events matched, 429 bytes scanned\n";

#[test]
fn the_text_may_come_from_anywhere() {
    let csv = ["--format", "csv"];
    let from = ["--from", "app.log"];
    query(&[&[COUNT][..], &from, &csv].concat()).prints(COUNTED, SCANNED);
    query(&[&["--text", COUNT][..], &from, &csv].concat()).prints(COUNTED, SCANNED);
    query(&[&["--file", "-"][..], &from, &csv].concat())
        .stdin(format!("\u{feff}# by level\r\n{COUNT}\r\n"))
        .prints(COUNTED, SCANNED);
    let queries = folder("level.insights", format!("# by level\n{COUNT}\n"));
    let file = queries.path().join("level.insights").display().to_string();
    query(&[&["--file", &file][..], &from, &csv].concat()).prints(COUNTED, SCANNED);
}

/// `--from` takes several files; the query may still come last.
#[test]
fn the_query_may_stand_behind_the_files() {
    query(&["--format", "csv", "--from", "app.log", COUNT]).prints(COUNTED, SCANNED);
    query(&["--format", "csv", "--from", "app.log", "--", COUNT]).prints(COUNTED, SCANNED);
    query(&[
        "--format",
        "csv",
        "--from",
        "worker.log",
        "export.log",
        "charges",
    ])
    .prints(
        "charges,orders,messages\n10,2,5\n",
        "10 of 90 events matched, 15.5 kB scanned\n",
    );
}

#[test]
fn a_missing_file_is_not_taken_for_a_query() {
    query(&["--from", "app.log", "missing.log"]).fails(
        2,
        "error: no query is given\n       (hint: give the text of one, or one of the names events-by-type, charges, order-story)\n",
    );
    query(&["--from", "app.log", "charge"]).fails(
        2,
        "error: unknown query `charge`; known queries: events-by-type, charges, order-story\n       \
         (hint: did you mean `charges`?)\n",
    );
}

#[test]
fn settings_have_environment_variables_and_flags_win() {
    query(&[COUNT])
        .env("LAB_FROM", "app.log")
        .env("LAB_FORMAT", "csv")
        .prints(COUNTED, SCANNED);
    query(&[COUNT, "--from", "app.log", "--format", "csv"])
        .env("LAB_FROM", "missing.log")
        // `lab run` calls its table so.
        .env("LAB_FORMAT", "text")
        .prints(COUNTED, SCANNED);
}

#[test]
fn a_slip_in_a_name_is_told_and_other_words_are_queries() {
    query(&["event-by-type", "--from", "worker.log"]).fails(
        2,
        "error: unknown query `event-by-type`; known queries: events-by-type, charges, order-story\n       \
         (hint: did you mean `events-by-type`?)\n",
    );
    query(&["kubernetes", "--from", "worker.log"]).fails(
        2,
        "\
error: line 1, column 1: unknown command `kubernetes`
  kubernetes
  ^^^^^^^^^^
       (hint: known commands: fields, display, filter, parse, stats, sort, order, limit, head, dedup, unnest, expand, pattern, diff, join, addtotals)
",
    );
}

#[test]
fn the_place_of_an_error_is_shown_in_its_line() {
    let text = "fields @message\n| filter @message like /charge/\n| stats cout(*)";
    query(&["--file", "-", "--from", "worker.log"])
        .stdin(text)
        .fails(
            2,
            "\
error: line 3, column 9: unknown function `cout`
  | stats cout(*)
          ^^^^
       (hint: did you mean `count`?)
",
        );
}

#[test]
fn more_than_one_query_and_none_are_refused() {
    for arguments in [
        ["charges", "--text", "fields a"],
        ["charges", "--file", "a"],
        ["--text=fields a", "--file", "a"],
    ] {
        query(&[&arguments[..], &["--from", "app.log"]].concat()).fails(
            2,
            "error: more than one query is given\n       (hint: give a name or a text, or `--text`, or `--file`)\n",
        );
    }
    query(&["--from", "app.log"]).fails(
        2,
        "error: no query is given\n       (hint: give the text of one, or one of the names events-by-type, charges, order-story)\n",
    );
}

#[test]
fn standard_input_is_read_once() {
    query(&["--file", "-", "--from", "-"]).fails(
        2,
        "error: standard input can be read once, and `--file -` and `--from -` both would\n",
    );
    query(&["charges", "--from", "-", "-"]).fails(
        2,
        "error: standard input can be read once, and `--from -` and `--from -` both would\n",
    );
}

#[test]
fn a_file_counts_once() {
    query(&["charges", "--from", "worker.log", "./worker.log"]).fails(
        2,
        "error: `./worker.log` is given twice, so its events would count twice\n",
    );
}

#[test]
fn runs_and_orders_belong_to_named_queries() {
    let error = |arguments: &[&str], message: &str| {
        let all = [arguments, &["--from", "worker.log"]].concat();
        query(&all).fails(2, &format!("error: {message}\n"));
    };
    error(
        &["order-story"],
        "`order-story` needs an order\n       (hint: add `--order ID`, as in `--order ORDER-003`)",
    );
    error(
        &["order-story", "--order", "A", "--run", "r-1"],
        "`order-story` is not about a run\n       (hint: leave `--run` out)",
    );
    error(
        &["charges", "--order", "A"],
        "`charges` is not about an order\n       (hint: leave `--order` out)",
    );
    error(
        &["fields a", "--run", "r-1"],
        "`--run` is for the named queries, and this is another\n       (hint: write the condition into the query)",
    );
}

#[test]
fn a_query_file_that_cannot_be_read_is_an_error_of_the_surroundings() {
    query(&["--file", "missing.insights", "--from", "app.log"]).fails(
        3,
        "error: the query in `missing.insights` cannot be read: No such file or directory (os error 2)\n",
    );
    let latin = folder("q", b"fields \xe9");
    query_in(latin.path(), &["--file", "q", "--from", "q"])
        .fails(2, "error: the query in `q` is not UTF-8\n");
}

#[test]
fn a_plan_is_shown_with_what_the_logs_are_taken_for() {
    let plan = lab::insights::compile(COUNT).expect("a query").explain();
    query(&["--explain", COUNT]).prints(&format!("{}\n", plan.trim_end()), "");
    let logs = [
        "worker.log",
        "export.log",
        "events.json",
        "app.log",
        "group-table.log",
    ];
    let taken = "\
worker.log: text, of a Lambda function, times from 2026-09-20T20:58:23.251Z on
export.log: CloudWatch export, of a Lambda function, times from 2026-09-20T20:58:23.250Z on
events.json: events as `aws logs` prints them, of a Lambda function, times from 2026-09-20T20:58:23.250Z on
app.log: JSON lines, times from 2026-09-20T20:58:23.000Z on
group-table.log: JSON lines, no times
";
    query(&[&["--explain", COUNT, "--from"][..], &logs].concat())
        .prints(&format!("{}\n\n{taken}", plan.trim_end()), "");
}

#[test]
fn every_flag_is_explained() {
    let (code, help, _) = query(&["--help"]).outcome();
    assert_eq!(code, 0);
    for flag in [
        "text",
        "file",
        "run",
        "order",
        "from",
        "input-format",
        "lambda-log",
        "since",
        "start",
        "end",
        "limit",
        "memory-limit",
        "explain",
        "format",
    ] {
        let line = help
            .lines()
            .position(|line| line.trim_start().starts_with(&format!("--{flag}")));
        let line = line.unwrap_or_else(|| panic!("--{flag} is missing"));
        let explanation = help.lines().nth(line + 1).unwrap_or_default();
        assert!(explanation.trim().len() > 10, "--{flag} is not explained");
        if !["text", "file", "explain"].contains(&flag) {
            let variable = format!("[env: LAB_{}=", flag.to_uppercase().replace('-', "_"));
            assert!(
                help.contains(&variable),
                "--{flag} has no environment variable"
            );
        }
    }
}
