//! What is said about a query and its run.

use std::fmt::Display;

use super::cells::{escaped, misleads};
use super::range::Range;
use crate::failure::{Failure, exit};
use crate::insights::{CompileError, Output, RunError, Statistics};
use crate::logfile::{LONGEST_LINE_BYTES, Logs};

/// A text that is no query.
pub(super) fn not_a_query(error: &CompileError) -> Failure {
    failure(exit::USAGE, error)
}

/// A query that gave no result.
pub(super) fn not_run(error: &RunError) -> Failure {
    let code = match error {
        RunError::Source(_) | RunError::Memory { .. } => exit::ENVIRONMENT,
        RunError::TimeRange { .. } => exit::USAGE,
    };
    let failure = failure(code, error);
    match error {
        RunError::Memory { .. } => failure
            .hint("filter more, group by something with fewer values, or raise `--memory-limit`"),
        _ => failure,
    }
}

/// Takes apart what is shown as a message and a hint below it.
fn split_hint(shown: &str) -> (String, Option<String>) {
    let safe = |text: &str| escaped(text, |c| misleads(c) && c != '\n').into_owned();
    match shown.rsplit_once("\n(hint: ") {
        Some((message, hint)) => {
            let hint = hint.strip_suffix(')').unwrap_or(hint);
            (safe(message), Some(safe(hint)))
        }
        None => (safe(shown), None),
    }
}

fn failure(exit_code: u8, error: &impl Display) -> Failure {
    let (message, hint) = split_hint(&error.to_string());
    Failure {
        exit_code,
        message,
        hint,
    }
}

/// A warning as it is printed.
pub(super) fn warning(text: impl Display) -> String {
    match split_hint(&text.to_string()) {
        (message, Some(hint)) => format!("warning: {message}\n         (hint: {hint})"),
        (message, None) => format!("warning: {message}"),
    }
}

/// What the user should know of the files.
pub(super) fn notes(output: &Output, logs: &Logs, range: Range, query: &str) -> Vec<String> {
    let counters = logs.counters();
    let mut notes = Vec::new();
    if counters.invalid_lines > 0 {
        notes.push(format!(
            "{} bytes that are not UTF-8; each was replaced by U+FFFD",
            lines_have(counters.invalid_lines)
        ));
    }
    if counters.cut_lines > 0 {
        notes.push(format!(
            "{} cut after {} MiB",
            lines_are(counters.cut_lines),
            LONGEST_LINE_BYTES >> 20
        ));
    }
    if counters.events == 0 {
        notes.push("there are no events in the log, so there is nothing to count".to_owned());
    } else if output.statistics.records_scanned == 0 && range.is_limited() {
        let events = count(counters.events, "event");
        let when = counters.span_millis.map(|(earliest, latest)| {
            format!("; they are from {} to {}", time(earliest), time(latest))
        });
        let when = when.unwrap_or_default();
        notes.push(format!("none of the {events} lies in the time range{when}"));
    }
    // Without a range, times matter only to a query that looks at them.
    let matters = range.is_limited()
        || output.columns.iter().any(|name| name == "@timestamp")
        || query.contains("bin(");
    let timeless = logs.without_times();
    if matters && !timeless.is_empty() {
        notes.push(format!(
            "no line of `{}` has a time, so the time range does not apply to it\n\
             (hint: a line begins with its time, as in `2026-09-20T20:58:23Z …`, with `Z` or an \
             offset)",
            timeless.join("`, `")
        ));
    }
    notes
}

/// That values are not shown whole.
pub(super) fn cut_cells(cells: u64) -> String {
    let are = if cells == 1 { "is" } else { "are" };
    format!(
        "{} {are} not shown whole\n(hint: use `--format json` or `--format csv`)",
        count(cells, "value")
    )
}

/// `12 of 4,000 events matched, 1.2 MB scanned`
pub(super) fn statistics(statistics: &Statistics) -> String {
    format!(
        "{} of {} matched, {} scanned",
        grouped(statistics.records_matched),
        count(statistics.records_scanned, "event"),
        size(statistics.bytes_scanned)
    )
}

fn lines_have(lines: u64) -> String {
    let have = if lines == 1 { "has" } else { "have" };
    format!("{} {have}", count(lines, "line"))
}

fn lines_are(lines: u64) -> String {
    let are = if lines == 1 { "was" } else { "were" };
    format!("{} {are}", count(lines, "line"))
}

fn count(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(number))
}

/// `4,000`
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1.2 MB`, in powers of 1000.
fn size(bytes: u64) -> String {
    let scaled = |unit: f64| format!("{:.1}", bytes as f64 / unit);
    match bytes {
        0..1_000 => count(bytes, "byte"),
        1_000..1_000_000 => format!("{} kB", scaled(1e3)),
        1_000_000..1_000_000_000 => format!("{} MB", scaled(1e6)),
        _ => format!("{} GB", scaled(1e9)),
    }
}

fn time(millis: i64) -> String {
    match jiff::Timestamp::from_millisecond(millis) {
        Ok(timestamp) => format!("{timestamp:.3}"),
        Err(_) => format!("{millis} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_sizes_read_well() {
        let shown = |matched, scanned, bytes| {
            statistics(&Statistics {
                records_matched: matched,
                records_scanned: scanned,
                bytes_scanned: bytes,
            })
        };
        assert_eq!(
            shown(12, 4000, 1_234_567),
            "12 of 4,000 events matched, 1.2 MB scanned"
        );
        assert_eq!(shown(1, 1, 1), "1 of 1 event matched, 1 byte scanned");
        assert_eq!(shown(0, 0, 0), "0 of 0 events matched, 0 bytes scanned");
        assert_eq!(
            shown(1_234_567, 10_000_000, 2_040_000_000),
            "1,234,567 of 10,000,000 events matched, 2.0 GB scanned"
        );
        assert_eq!(
            shown(999, 1000, 999_940),
            "999 of 1,000 events matched, 999.9 kB scanned"
        );
    }

    #[test]
    fn a_hint_stands_below_its_message() {
        assert_eq!(
            warning("a\u{1b}\n(hint: b\u{7})"),
            "warning: a\\u{1b}\n         (hint: b\\u{7})"
        );
        assert_eq!(warning("a"), "warning: a");
    }
}
