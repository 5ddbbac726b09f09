//! Logs that nobody should have written.

use serde_json::json;

use crate::support::{folder, gzip, query, query_in};

/// No format sends a control character to a terminal, and JSON still carries all of them.
#[test]
fn escape_sequences_are_shown_and_not_obeyed() {
    let line = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\0=1+1|`*";
    for format in ["table", "json", "csv", "markdown"] {
        let (code, out, err) = query(&["fields @message", "--from", "-", "--format", format])
            .stdin(line)
            .outcome();
        assert_eq!(code, 0, "{err}");
        let obeyed = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!out.contains(obeyed), "{format}: {out:?}");
    }
    let (rows, _) = query(&["display @message", "--from", "-", "--format", "json"])
        .stdin(line)
        .json();
    assert_eq!(rows, json!([{"@message": line, "@ptr": "0"}]));
}

#[test]
fn names_of_files_and_groups_are_not_obeyed_either() {
    let (code, _, err) = query(&["fields a", "--from", "\u{1b}[2J.log"]).outcome();
    assert_eq!(code, 3);
    assert!(
        err.starts_with("error: there is no file `\\u{1b}[2J.log` (yet)"),
        "{err:?}"
    );
    let (code, _, err) = query(&["fields a | \u{1b}[2J", "--from", "app.log"]).outcome();
    assert_eq!(code, 2);
    assert!(!err.contains('\u{1b}'), "{err:?}");
}

#[test]
fn a_message_cannot_become_a_formula() {
    query(&["display @message", "--from", "-", "--format", "csv"])
        .stdin("=HYPERLINK(\"http://evil.example\")\n")
        .prints(
            "@message,@ptr\n\"'=HYPERLINK(\"\"http://evil.example\"\")\",0\n",
            "1 of 1 event matched, 33 bytes scanned\n",
        );
}

#[test]
fn a_line_of_ten_megabytes_is_one_event() {
    let mut log = b"first\n".to_vec();
    log.resize(10_000_000, b'x');
    log.extend(b"needle\nlast");
    query(&[
        "filter @message like 'needle' | stats count(*) as n, max(strlen(@message)) as length",
        "--from",
        "-",
        "--format",
        "csv",
    ])
    .stdin(log.clone())
    .prints(
        "n,length\n1,10000000\n",
        "1 of 3 events matched, 10.0 MB scanned\n",
    );
    // People get its beginning.
    let (code, out, err) = query(&["display @message", "--from", "-"])
        .stdin(log)
        .outcome();
    assert_eq!(code, 0);
    assert!(out.len() < 20_000, "{}", out.len());
    assert_eq!(
        err,
        "warning: 1 value is not shown whole\n         (hint: use `--format json` or `--format csv`)\n3 of 3 events matched, 10.0 MB scanned\n"
    );
}

#[test]
fn a_line_beyond_the_limit_is_cut_with_a_warning() {
    let mut log = vec![b'x'; 17 << 20];
    log.extend(b"needle\nlast\n");
    query(&[
        "stats count(*) as n, max(strlen(@message)) as length",
        "--from",
        "-",
        "--format",
        "csv",
    ])
    .stdin(log)
    .prints(
        "n,length\n2,16777216\n",
        "warning: 1 line was cut after 16 MiB\n2 of 2 events matched, 16.8 MB scanned\n",
    );
}

#[test]
fn nul_bytes_are_characters_like_others() {
    query(&["filter @message like 'b' | display @message", "--from", "-"])
        .stdin("a\0b\n\0\0\n")
        .prints(
            "\
┌──────────┐
│ @message │
├──────────┤
│ a\\u{0}b  │
└──────────┘
",
            "1 of 2 events matched, 5 bytes scanned\n",
        );
}

#[test]
fn broken_gzip_gives_no_result() {
    let log = "a line of the log\n".repeat(1000);
    let packed = gzip(log.as_bytes());
    for (content, cause) in [
        (
            packed[..packed.len() / 2].to_vec(),
            "incomplete deflate stream (after 115 events)",
        ),
        (
            [&packed[..], b"garbage"].concat(),
            "unexpected end of file (after 1000 events)",
        ),
    ] {
        let broken = folder("a.gz", content);
        let (code, out, err) =
            query_in(broken.path(), &["stats count(*)", "--from", "a.gz"]).outcome();
        assert_eq!((code, out.as_str()), (3, ""), "{err}");
        let begin = "error: `a.gz` cannot be read to its end, as gzip: ";
        assert!(err.starts_with(begin) && err.contains(cause), "{err}");
    }
    let mut flipped = packed;
    let last = flipped.len() - 8;
    flipped[last] ^= 1;
    let broken = folder("a.gz", flipped);
    query_in(broken.path(), &["stats count(*)", "--from", "a.gz"]).fails(
        3,
        "error: `a.gz` cannot be read to its end, as gzip: corrupt gzip stream does not have a matching checksum (after 1000 events)\n",
    );
}

#[test]
fn a_truncated_document_gives_no_result() {
    query(&["stats count(*)", "--from", "-"])
        .stdin(r#"{"events":[{"timestamp":1,"message":"a"},{"timestamp":2"#)
        .fails(
            3,
            "error: `standard input` cannot be read to its end: EOF while parsing an object at line 1 column 55 (after 1 event)\n",
        );
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_files() {
    query(&["stats count(*) as n", "--from", "/dev/null", "--format", "csv"]).prints(
        "n\n0\n",
        "warning: there are no events in the log, so there is nothing to count\n0 of 0 events matched, 0 bytes scanned\n",
    );
    query(&[
        "stats count(*) as n",
        "--from",
        "/dev/stdin",
        "--format",
        "csv",
    ])
    .stdin("a\nb\n")
    .prints("n\n2\n", "2 of 2 events matched, 2 bytes scanned\n");
}

#[test]
fn a_query_that_needs_too_much_memory_says_so() {
    let log: String = (0..200_000)
        .map(|n| format!("{{\"id\":\"id-{n:060}\"}}\n"))
        .collect();
    query(&["stats count(*) by id", "--from", "-", "--memory-limit", "4"])
        .stdin(log)
        .fails(
            3,
            "error: the groups of `stats` need more than the 4 MiB of memory that a query may use\n       \
             (hint: filter more, group by something with fewer values, or raise `--memory-limit`)\n",
        );
}
