//! Formats of log files, and how their events get their times.

use serde_json::{Value, json};

use crate::support::{data, folder, gzip, query, query_in};

fn file(name: &str) -> Vec<u8> {
    std::fs::read(data().join(name)).expect("a log")
}

/// Rows of a query over standard input.
fn rows(input: impl Into<Vec<u8>>, arguments: &[&str]) -> (Value, String) {
    let all = [arguments, &["--from", "-", "--format", "json"]].concat();
    query(&all).stdin(input).json()
}

fn count(input: impl Into<Vec<u8>>) -> (Value, String) {
    let (rows, notes) = rows(input, &["stats count(*) as n"]);
    (rows[0]["n"].clone(), notes)
}

/// The same log as the console shows it, as an export, and as `aws logs` prints it.
#[test]
fn one_log_in_every_format_gives_the_same_answers() {
    for name in ["worker.log", "export.log", "events.json"] {
        for input in [file(name), gzip(&file(name))] {
            for (run, row) in [("r-1", "4,1,4"), ("r-2", "1,1,1")] {
                let (code, out, err) =
                    query(&["charges", "--run", run, "--from", "-", "--format", "csv"])
                        .stdin(input.clone())
                        .outcome();
                assert_eq!(
                    (code, out),
                    (0, format!("charges,orders,messages\n{row}\n")),
                    "{name}: {err}"
                );
                assert!(err.contains(" of 45 events matched"), "{name}: {err}");
            }
            let text = "filter @type = 'REPORT' | stats max(@duration) as longest, count(*) as n";
            let (rows, _) = rows(input, &[text]);
            assert_eq!(rows, json!([{"longest": "4063.20", "n": "7"}]), "{name}");
        }
    }
}

#[test]
fn events_of_aws_logs_keep_their_times_and_streams() {
    let text = "filter @type = 'REPORT' | fields @timestamp, @ingestionTime, @logStream, @log, @message | sort @timestamp asc | limit 1";
    let (rows, _) = query(&[text, "--from", "events.json", "--format", "json"]).json();
    let row = &rows[0];
    assert_eq!(row["@timestamp"], "2026-09-20 20:58:27.253");
    assert_eq!(row["@ingestionTime"], "2026-09-20 20:58:27.953");
    assert_eq!(row["@logStream"], "2026/09/20/[$LATEST]a1");
    assert_eq!(row["@log"], "local:events.json");
    // Lambda ends its messages with a newline, and that is part of them.
    assert!(
        row["@message"]
            .as_str()
            .is_some_and(|message| message.ends_with("\t\n"))
    );
}

#[test]
fn a_stream_is_a_file_and_a_group_is_its_path() {
    let (rows, _) = query(&[
        "stats count(*) as n by @logStream, @log | sort @log asc",
        "--from",
        "app.log",
        "./pets.log",
        "--format",
        "json",
    ])
    .json();
    assert_eq!(
        rows,
        json!([
            {"@logStream": "pets.log", "@log": "local:./pets.log", "n": "3"},
            {"@logStream": "app.log", "@log": "local:app.log", "n": "5"},
        ])
    );
}

#[test]
fn source_names_one_of_the_files() {
    let all = ["--from", "app.log", "./pets.log", "--format", "csv"];
    query(&[&["SOURCE 'pets.log' | stats count(*) as n"][..], &all].concat())
        .prints("n\n3\n", "3 of 3 events matched, 229 bytes scanned\n");
    query(
        &[
            &["SOURCE logGroups(namePrefix: ['app']) | stats count(*) as n"][..],
            &all,
        ]
        .concat(),
    )
    .prints("n\n5\n", "5 of 5 events matched, 429 bytes scanned\n");
    query(&[&["SOURCE 'pet.log' | stats count(*) as n"][..], &all].concat()).fails(
        2,
        "error: the query reads the group `pet.log`, which is none of the files\n       (hint: did you mean `pets.log`?)\n",
    );
}

/// A join reads twice, which a pipe cannot be.
#[test]
fn a_stream_can_be_joined() {
    let text = "filter type = 'charge_applied' and run = 'r-2' \
        | join type=inner left=a right=b where a.messageId = b.messageId (filter type = 'claim_won' | fields messageId, requestId) \
        | display type, b.requestId";
    let expected =
        "type,b.requestId,@ptr\ncharge_applied,5f0c5a5e-3f8f-4d57-9df1-000200000001,7075\n";
    let (code, out, err) = query(&[text, "--from", "-", "--format", "csv"])
        .stdin(file("worker.log"))
        .outcome();
    assert_eq!((code, out.as_str()), (0, expected), "{err}");
}

#[test]
fn lines_may_end_in_any_way() {
    let ends = ["a\nb\n", "a\r\nb\r\n", "a\nb", "\u{feff}a\n\n\r\nb\r\n"];
    for input in ends {
        let (messages, _) = rows(
            input,
            &["stats sortsFirst(@message) as a, sortsLast(@message) as b, count(*) as n"],
        );
        assert_eq!(
            messages,
            json!([{"a": "a", "b": "b", "n": "2"}]),
            "{input:?}"
        );
    }
    assert_eq!(count("").0, "0");
    assert_eq!(count("\n\r\n\n").0, "0");
}

#[test]
fn a_mark_at_the_beginning_is_no_part_of_the_message() {
    let (messages, _) = rows("\u{feff}a\u{feff}", &["display @message"]);
    assert_eq!(messages, json!([{"@message": "a\u{feff}", "@ptr": "0"}]));
}

#[test]
fn bytes_that_are_not_utf_8_are_replaced_with_a_warning() {
    let (messages, notes) = rows(b"caf\xe9\nok\n\xff".to_vec(), &["display @message"]);
    assert_eq!(
        messages,
        json!([
            {"@message": "\u{fffd}", "@ptr": "8"},
            {"@message": "ok", "@ptr": "5"},
            {"@message": "caf\u{fffd}", "@ptr": "0"},
        ])
    );
    assert_eq!(
        notes,
        "warning: 2 lines have bytes that are not UTF-8; each was replaced by U+FFFD\n3 of 3 events matched, 11 bytes scanned\n"
    );
}

#[test]
fn a_line_without_a_time_takes_that_of_the_line_before() {
    let log = "preamble\n2026-09-20T20:58:23.240Z ERROR failed\n  at main\n[INFO]\t2026-09-20T20:58:24Z\tid\tok\n";
    let (found, _) = rows(log, &["fields @timestamp, @message | sort @timestamp asc"]);
    let times: Vec<&str> = found
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|row| row["@timestamp"].as_str())
        .collect();
    assert_eq!(
        times,
        [
            "2026-09-20 20:58:23.240",
            "2026-09-20 20:58:23.240",
            "2026-09-20 20:58:23.240",
            "2026-09-20 20:58:24.000"
        ]
    );
}

#[test]
fn json_lines_hold_their_times_in_a_field() {
    for (line, time) in [
        (
            r#"{"time":"2026-09-20T22:58:23.240+02:00"}"#,
            "2026-09-20 20:58:23.240",
        ),
        (
            r#"{"level":30,"time":1789937903240,"msg":"a"}"#,
            "2026-09-20 20:58:23.240",
        ),
        (
            r#"{"@timestamp":"2026-09-20T20:58:23Z"}"#,
            "2026-09-20 20:58:23.000",
        ),
        (r#"{"timestamp":1789937903}"#, "2026-09-20 20:58:23.000"),
    ] {
        let (found, _) = rows(line, &["display @timestamp"]);
        assert_eq!(found, json!([{"@timestamp": time, "@ptr": "0"}]), "{line}");
    }
}

#[test]
fn the_format_can_be_forced() {
    let line = r#"{"events":[{"timestamp":1789937903240,"message":"a"}]}"#;
    let message = |format| rows(line, &["display @message", "--input-format", format]).0;
    assert_eq!(message("auto"), json!([{"@message": "a", "@ptr": "0"}]));
    assert_eq!(
        message("json-lines"),
        json!([{"@message": line, "@ptr": "0"}])
    );
    assert_eq!(message("text"), json!([{"@message": line, "@ptr": "0"}]));
    let line = "2026-09-20T20:58:23.240Z started\n  at a\n";
    let (found, _) = rows(line, &["display @message", "--input-format", "export"]);
    assert_eq!(found, json!([{"@message": "started\n  at a", "@ptr": "0"}]));
    query(&["stats count(*)", "--input-format", "aws-json", "--from", "app.log"]).fails(
        3,
        "error: `app.log` cannot be read to its end: missing field `events` at line 1 column 75 (after 0 events)\n",
    );
}

#[test]
fn gzip_is_known_by_its_content() {
    let log = folder("worker.log", gzip(&file("worker.log")));
    query_in(
        log.path(),
        &["charges", "--from", "worker.log", "--format", "csv"],
    )
    .prints(
        "charges,orders,messages\n5,2,5\n",
        "5 of 45 events matched, 7.7 kB scanned\n",
    );
    // Files that were compressed one by one may be joined.
    let twice = [gzip(&file("worker.log")), gzip(b"one more\n")].concat();
    assert_eq!(count(twice).0, "46");
    let plain = folder("worker.log.gz", file("worker.log"));
    query_in(
        plain.path(),
        &["charges", "--from", "worker.log.gz", "--format", "csv"],
    )
    .prints(
        "charges,orders,messages\n5,2,5\n",
        "5 of 45 events matched, 7.7 kB scanned\n",
    );
}

#[test]
fn what_is_not_read_is_refused_with_what_to_do() {
    for (head, message) in [
        (
            &b"\x28\xb5\x2f\xfd rest"[..],
            "compressed with zstd\n       (hint: unpack it and pipe it in, as in `zstdcat FILE | lab query … --from -`)",
        ),
        (
            b"BZh91AY",
            "compressed with bzip2\n       (hint: unpack it and pipe it in, as in `bzcat FILE | lab query … --from -`)",
        ),
        (
            b"PK\x03\x04",
            "a zip archive\n       (hint: unpack it and name the files in it)",
        ),
        (
            b"\xff\xfea\0",
            "UTF-16\n       (hint: write it as UTF-8, as in `iconv -f UTF-16 -t UTF-8`)",
        ),
    ] {
        query(&["charges", "--from", "-"])
            .stdin(head)
            .fails(3, &format!("error: `standard input` is {message}\n"));
    }
}

#[test]
fn a_missing_file_gets_the_nearest_name() {
    query(&["charges", "--from", "wroker.log"]).fails(
        3,
        "error: there is no file `wroker.log` (yet), which is not the same as a log without events\n       (hint: did you mean `worker.log`?)\n",
    );
    query(&["charges", "--from", "nowhere/worker.log"]).fails(
        3,
        "error: there is no file `nowhere/worker.log` (yet), which is not the same as a log without events\n       (hint: there is no folder `nowhere` either)\n",
    );
    query(&["charges", "--from", "app.log", "."]).fails(
        3,
        "error: `.` is a folder\n       (hint: name the files in it, as in `--from folder/*.log`)\n",
    );
}
