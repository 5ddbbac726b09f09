//! A log that is large enough to be read in parts.

use std::fmt::Write;

use crate::support::{folder, query_in};

/// About 24 MB: a time every few lines, so that the borders of the parts matter.
fn log() -> String {
    let mut log = String::new();
    for number in 0..120_000_u32 {
        let (minute, second) = (number / 2000, number / 33 % 60);
        let line = match number % 3 {
            0 => writeln!(
                log,
                "2026-09-20T20:{minute:02}:{second:02}.{:03}Z\tq-{number}\tINFO\t{{\"type\":\"charge_applied\",\"orderId\":\"ORDER-{:05}\",\"messageId\":\"m-{number}\",\"padding\":\"{}\"}}",
                number % 1000,
                number / 30,
                "x".repeat(300),
            ),
            _ => writeln!(log, "  at frame {number} {}", "y".repeat(60)),
        };
        line.expect("writing into a string cannot fail");
    }
    log
}

/// A stream is read in one part, a file in several. The answers are the same, down to the order
/// of the rows and the times of lines that have none.
#[test]
fn parts_give_what_the_whole_gives() {
    let log = log();
    let large = folder("large.log", &log);
    assert!(log.len() > 16 << 20, "{}", log.len());
    for arguments in [
        vec!["charges"],
        vec!["stats count(*) as n, min(@timestamp), max(@timestamp) by bin(10m) | sort n asc"],
        vec![
            "filter @message like 'frame' | stats count(*) as n by @timestamp | sort n desc, @timestamp asc | limit 50",
        ],
        vec!["fields @timestamp, @message | limit 20"],
        vec![
            "stats count(*) as n",
            "--start",
            "2026-09-20T20:10:00.500Z",
            "--end",
            "2026-09-20T20:29:59Z",
        ],
    ] {
        let with = |from| {
            let all = [&arguments[..], &["--format", "json", "--from", from]].concat();
            query_in(large.path(), &all)
        };
        let (code, mut whole, notes) = with("-").stdin(log.clone()).outcome();
        let (_, parts, same) = with("large.log").outcome();
        assert_eq!(code, 0, "{notes}");
        whole = whole.replace("local:-", "local:large.log");
        assert_eq!(parts, whole, "{arguments:?}");
        assert_eq!(same, notes);
    }
    let (_, out, _) = query_in(
        large.path(),
        &["charges", "--format", "csv", "--from", "large.log"],
    )
    .outcome();
    assert_eq!(out, "charges,orders,messages\n40000,4000,40000\n");
}
