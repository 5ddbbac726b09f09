//! The contract of the Log port, held by every adapter.

#[path = "contract/clock.rs"]
mod clock;
#[path = "contract/log_queries.rs"]
mod queries;
#[path = "contract/log_suite.rs"]
mod suite;

use std::sync::Arc;
use std::time::Duration;

use clock::{ManualClock, block_on};
use lab::cloud::log::{EmbeddedLog, RejectedEvents};
use lab::ports::{Clock, Log, TimeRange};
use proptest::prelude::*;
use suite::{BY, event, lines};

/// One module of tests per adapter; each test gets an empty group of its own and the clock that
/// moves it.
macro_rules! contract {
    ($($adapter:ident: $constructor:path;)+) => { $(
        mod $adapter {
            use super::*;
            contract!(@tests $constructor;
                suite::lines_come_back_by_time_and_arrival,
                suite::a_range_includes_both_ends,
                suite::ingestion_is_when_the_service_took_it_in,
                suite::events_far_from_now_are_left_out,
                suite::events_have_1_byte_to_1_mb,
                suite::many_streams_write_at_once,
                queries::the_charges_are_counted,
                queries::a_query_takes_whole_seconds,
                queries::a_malformed_query_is_refused,
                queries::a_range_turned_round_is_refused,
                queries::a_group_that_does_not_exist_is_refused,
            );
        }
    )+ };
    (@tests $constructor:path; $($room:ident::$test:ident,)+) => { $(
        #[test]
        fn $test() {
            let clock = Arc::new(ManualClock::new());
            let log: Arc<dyn Log> = Arc::new($constructor(&clock));
            block_on($room::$test(log, clock));
        }
    )+ };
}

contract! {
    embedded: super::embedded;
}

fn embedded(clock: &Arc<ManualClock>) -> EmbeddedLog {
    let clock: Arc<dyn Clock> = Arc::<ManualClock>::clone(clock);
    EmbeddedLog::new("/aws/lambda/worker", clock)
}

fn messages(log: &EmbeddedLog) -> Vec<String> {
    let lines = block_on(lines(log, TimeRange::ALL));
    lines.into_iter().map(|(_, _, message)| message).collect()
}

#[test]
fn the_position_is_the_order_of_arrival() {
    let log = embedded(&Arc::new(ManualClock::new()));
    for offset in [5, 3, 4, 3] {
        log.write("s", event(offset, "x"));
    }
    let mut told = Vec::new();
    let visit = &mut |line: lab::ports::LogLine<'_>| told.push(line.position);
    block_on(log.read(&BY, TimeRange::ALL, visit)).expect("a reading");
    assert_eq!(told, [Some(1), Some(3), Some(2), Some(0)]);
}

#[test]
fn what_was_left_out_is_counted() {
    let clock = Arc::new(ManualClock::new());
    let log = embedded(&clock).with_retention(Duration::from_secs(60));
    let day = 24 * 60 * 60 * 1000;
    for offset in [-15 * day, -60_001, -60_000, 0, day, day] {
        log.write("s", event(offset, "x"));
    }
    let expected = RejectedEvents {
        too_old: 1,
        expired: 1,
        too_new: 2,
    };
    assert_eq!((log.rejected(), log.event_count()), (expected, 2));
}

#[test]
fn events_vanish_when_the_retention_is_over() {
    let clock = Arc::new(ManualClock::new());
    let log = embedded(&clock).with_retention(Duration::from_secs(60));
    log.write("s", event(0, "a"));
    log.write("s", event(1, "b"));
    clock.advance(Duration::from_secs(60));
    assert_eq!(messages(&log), ["a", "b"]);
    clock.advance(Duration::from_millis(1));
    assert_eq!(messages(&log), ["b"]);
    let unbounded = embedded(&clock);
    unbounded.write("s", event(0, "a"));
    clock.advance(Duration::from_secs(100 * 365 * 24 * 60 * 60));
    assert_eq!(messages(&unbounded), ["a"]);
}

/// A reader sees one moment and may write meanwhile.
#[test]
fn a_reader_may_write() {
    let log = embedded(&Arc::new(ManualClock::new()));
    log.write("s", event(0, "a"));
    log.write("s", event(0, "b"));
    let mut seen = 0;
    let visit = &mut |_: lab::ports::LogLine<'_>| {
        seen += 1;
        log.write("t", event(1, "written while reading"));
    };
    block_on(log.read(&BY, TimeRange::ALL, visit)).expect("a reading");
    assert_eq!(seen, 2);
    log.write("s", event(2, "c"));
    let written = "written while reading";
    assert_eq!(messages(&log), ["a", "b", written, written, "c"]);
    assert_eq!(log.streams(), ["s", "t"]);
    assert_eq!(log.event_count(), 5);
}

/// More text than a block and more records than a chunk.
#[test]
fn nothing_is_lost_between_blocks() {
    let log = embedded(&Arc::new(ManualClock::new()));
    let message = |index: i64| {
        format!(
            "{index} {}",
            "é".repeat(usize::try_from(index % 97).expect("small"))
        )
    };
    for index in 0..70_000 {
        log.write(
            &format!("s-{}", index % 3),
            event(index / 7, &message(index)),
        );
    }
    let mut index = 0;
    let visit = &mut |line: lab::ports::LogLine<'_>| {
        assert_eq!(line.message, message(index));
        assert_eq!(line.stream, format!("s-{}", index % 3));
        assert_eq!(line.position, u64::try_from(index).ok());
        index += 1;
    };
    block_on(log.read(&BY, TimeRange::ALL, visit)).expect("a reading");
    assert_eq!(index, 70_000);
}

/// A scan in parts, and one that cannot be divided, count what one scan counts.
#[test]
fn a_large_group_is_queried_as_a_small_one() {
    let log = embedded(&Arc::new(ManualClock::new()));
    let write = |index: i64, offset: i64| {
        let line =
            queries::worker_line("charge_applied", "ORDER-003", &format!("m-{}", index % 10));
        log.write(&format!("s-{}", index % 7), event(offset, &line));
    };
    (0..140_000).for_each(|index| write(index, index / 100));
    let query = "stats count(*) as n, count_distinct(messageId) as messages, \
                 count_distinct(@logStream) as streams, min(@timestamp) as first by type";
    let told = || {
        let output = log
            .run_query(query, TimeRange::ALL, None)
            .expect("an output");
        assert_eq!(
            output.columns,
            ["type", "n", "messages", "streams", "first"]
        );
        (output.rows[0].clone(), output.statistics)
    };
    let row = |count: &str, first: &str| {
        let cells = ["charge_applied", count, "10", "7", first];
        cells.map(|cell| Some(cell.to_owned())).to_vec()
    };
    let (divided, statistics) = told();
    assert_eq!(divided, row("140000", "2026-09-20 20:58:23.240"));
    assert_eq!(statistics.records_scanned, 140_000);
    write(0, -1);
    let (whole, statistics) = told();
    assert_eq!(whole, row("140001", "2026-09-20 20:58:23.239"));
    assert_eq!(statistics.records_scanned, 140_001);
}

#[test]
fn what_the_retention_removed_is_not_queried() {
    let clock = Arc::new(ManualClock::new());
    let log = embedded(&clock).with_retention(Duration::from_secs(60));
    log.write("s", event(0, "a"));
    log.write("s", event(1, "b"));
    clock.advance(Duration::from_millis(60_001));
    let table = block_on(log.query(&BY, "stats count(*) as n by @message", TimeRange::ALL));
    assert_eq!(
        table,
        Ok(queries::table(&["@message", "n"], &[&["b", "1"]]))
    );
}

#[test]
fn the_limit_of_the_call_holds() {
    let log = embedded(&Arc::new(ManualClock::new()));
    (0..5).for_each(|offset| log.write("s", event(offset, "x")));
    let output = log
        .run_query("display @message", TimeRange::ALL, Some(2))
        .expect("an output");
    assert_eq!(output.rows.len(), 2);
    assert_eq!(output.statistics.records_scanned, 5);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever arrives in whatever order, a reading is the stable sort of it.
    #[test]
    fn a_reading_is_the_stable_sort_of_what_arrived(
        events in prop::collection::vec((0i64..20, "[a-z ]{1,5}"), 0..60),
        start in 0i64..20,
        length in -2i64..20,
    ) {
        let log = embedded(&Arc::new(ManualClock::new()));
        for (offset, message) in &events {
            log.write("s", event(*offset, message));
        }
        let range = suite::range(start, start + length);
        let mut expected: Vec<_> = events
            .iter()
            .filter(|(offset, _)| (start..=start + length).contains(offset))
            .map(|(offset, message)| (offset.unsigned_abs(), "s".to_owned(), message.clone()))
            .collect();
        expected.sort_by_key(|line| line.0);
        prop_assert_eq!(block_on(lines(&log, range)), expected);
    }
}
