//! Time ranges and limits.

use crate::support::query;

const COUNT: &str = "stats count(*) as n";

/// How many events of `app.log` are in a range: at 23 s, 24.5 s, 84 s, 85 s and 148 s after
/// 20:58.
#[track_caller]
fn counts(range: &[&str], n: u32) {
    let all = [&[COUNT, "--from", "app.log", "--format", "csv"], range].concat();
    let (code, out, err) = query(&all).outcome();
    assert_eq!((code, out), (0, format!("n\n{n}\n")), "{err}");
}

/// J7: the same time in seconds and in milliseconds. Neither is taken for the other.
#[test]
fn times_are_seconds_or_milliseconds_by_their_digits() {
    for start in [
        "1789937904",
        "1789937904000",
        "1789937904s",
        "2026-09-20T20:58:24Z",
        "2026-09-20T22:58:24+02:00",
    ] {
        counts(&["--start", start], 4);
    }
    // A whole second counts to its end, as in StartQuery; a millisecond does not.
    counts(&["--end", "1789937904"], 2);
    counts(&["--end", "1789937904000"], 1);
    counts(&["--start", "1789937903", "--end", "1789937903"], 1);
}

/// J7: any other count of digits has a unit that would be a guess.
#[test]
fn other_units_are_named_and_refused() {
    for (given, message) in [
        (
            "1789937904000000",
            "`1789937904000000` has 16 digits: epoch seconds have 10, epoch milliseconds 13; this looks like microseconds\n\
             (hint: write RFC 3339 as in `2026-09-20T20:58:00Z`, epoch seconds (10 digits) or epoch milliseconds (13 digits))",
        ),
        (
            "178993790",
            "`178993790` has 9 digits: epoch seconds have 10, epoch milliseconds 13\n\
             (hint: add the unit, as in `86400s` or `86400000ms`)",
        ),
        (
            "2026-09-20T20:58:24",
            "`2026-09-20T20:58:24` has no offset from UTC\n\
             (hint: add `Z` for UTC, or an offset as in `+02:00`)",
        ),
    ] {
        query(&[COUNT, "--from", "app.log", "--start", given]).fails(
            2,
            &format!("error: invalid value '{given}' for '--start <TIME>': {message}\n\nFor more information, try '--help'.\n"),
        );
    }
}

#[test]
fn since_counts_back_from_the_end() {
    counts(&["--since", "1m", "--end", "2026-09-20T20:59:25Z"], 2);
    counts(&["--since", "65s", "--end", "1789937965000"], 4);
    counts(&["--since", "1d", "--end", "2026-09-20T20:59:25Z"], 4);
}

#[test]
fn a_range_without_events_is_told_from_a_log_without_events() {
    query(&[COUNT, "--from", "app.log", "--since", "1h", "--end", "2026-09-20T20:58:22Z", "--format", "csv"]).prints(
        "n\n0\n",
        "warning: none of the 5 events lies in the time range; they are from 2026-09-20T20:58:23.000Z to 2026-09-20T21:00:28.000Z\n\
         0 of 0 events matched, 0 bytes scanned\n",
    );
}

#[test]
fn a_range_does_not_apply_to_a_file_without_times() {
    query(&["charges", "--from", "group-table.log", "--start", "2026-09-20T20:58:24Z", "--format", "csv"]).prints(
        "charges,orders,messages\n5,1,5\n",
        "warning: no line of `group-table.log` has a time, so the time range does not apply to it\n         \
         (hint: a line begins with its time, as in `2026-09-20T20:58:23Z …`, with `Z` or an offset)\n\
         5 of 17 events matched, 1.1 kB scanned\n",
    );
}

#[test]
fn contradictory_ranges_are_refused() {
    query(&[
        COUNT,
        "--from",
        "app.log",
        "--since",
        "1h",
        "--start",
        "1789937904",
    ])
    .fails(
        2,
        "error: `--since` and `--start` both say where the time range begins\n       \
         (hint: leave one of them out (`LAB_SINCE` and `LAB_START` are the same flags))\n",
    );
    query(&[COUNT, "--from", "app.log", "--start", "1789937904", "--end", "1789937903"]).fails(
        2,
        "error: the time range ends before it begins\n       (hint: `--end` must not be earlier than `--start`)\n",
    );
}

#[test]
fn a_limit_cuts_the_rows_with_a_warning() {
    query(&["display level", "--from", "app.log", "--limit", "2", "--format", "csv"]).prints(
        "level,@ptr\ninfo,342\nerror,255\n",
        "warning: 2 of 5 rows are shown\n         (hint: add `| limit N`, up to 100,000)\n5 of 5 events matched, 429 bytes scanned\n",
    );
    query(&["display level", "--from", "app.log", "--limit", "0"]).fails(
        2,
        "error: invalid value '0' for '--limit <N>': 0 is not in 1..=100000\n\nFor more information, try '--help'.\n",
    );
}
