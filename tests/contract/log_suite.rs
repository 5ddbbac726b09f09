//! What every adapter of the Log port must do.

use std::sync::Arc;
use std::time::Duration;

use lab::ports::{Caller, Log, LogEvent, PortError, TimeRange, Timestamp};

use crate::clock::{ManualClock, START};

pub(crate) const BY: Caller = Caller::Observer;

/// A line as it is read back, without what an adapter may leave out.
pub(crate) type Line = (u64, String, String);

pub(crate) fn event(millis_after_start: i64, message: &str) -> LogEvent {
    let millis = START.as_millis().saturating_add_signed(millis_after_start);
    LogEvent {
        timestamp: Timestamp::from_millis(millis),
        message: message.to_owned(),
    }
}

pub(crate) fn range(start: i64, end: i64) -> TimeRange {
    let time = |offset| event(offset, "").timestamp;
    TimeRange {
        start: time(start),
        end: time(end),
    }
}

/// Milliseconds after the start, stream and text of each line.
pub(crate) async fn lines(log: &dyn Log, range: TimeRange) -> Vec<Line> {
    let mut lines = Vec::new();
    log.read(&BY, range, &mut |line| {
        let offset = line.timestamp.as_millis() - START.as_millis();
        lines.push((offset, line.stream.to_owned(), line.message.to_owned()));
    })
    .await
    .expect("a reading");
    lines
}

fn line(offset: u64, stream: &str, message: &str) -> Line {
    (offset, stream.to_owned(), message.to_owned())
}

pub(crate) async fn lines_come_back_by_time_and_arrival(log: Arc<dyn Log>, _: Arc<ManualClock>) {
    assert_eq!(lines(&*log, TimeRange::ALL).await, []);
    for (stream, offset, message) in [
        ("one", 10, "b"),
        ("two", 10, "c"),
        ("one", 0, "a"),
        ("two", 10, "d {\"amount\":150.00} 🎉"),
        ("one", 30, "f\nwith a second line"),
        ("one", 20, "e"),
    ] {
        log.write(stream, event(offset, message));
    }
    log.flush().await.expect("a flush");
    let expected = [
        line(0, "one", "a"),
        line(10, "one", "b"),
        line(10, "two", "c"),
        line(10, "two", "d {\"amount\":150.00} 🎉"),
        line(20, "one", "e"),
        line(30, "one", "f\nwith a second line"),
    ];
    assert_eq!(lines(&*log, TimeRange::ALL).await, expected);
}

pub(crate) async fn a_range_includes_both_ends(log: Arc<dyn Log>, _: Arc<ManualClock>) {
    for offset in [0, 999, 1_000, 2_000, 2_001] {
        log.write("s", event(offset, &offset.to_string()));
    }
    log.flush().await.expect("a flush");
    let told = |lines: Vec<Line>| lines.into_iter().map(|line| line.0).collect::<Vec<_>>();
    assert_eq!(
        told(lines(&*log, range(999, 2_000)).await),
        [999, 1_000, 2_000]
    );
    assert_eq!(told(lines(&*log, range(1_001, 1_999)).await), [0; 0]);
    assert_eq!(told(lines(&*log, range(2_001, 2_001)).await), [2_001]);
    assert_eq!(
        told(lines(&*log, range(2_000, 999)).await),
        [0; 0],
        "a range turned round"
    );
}

pub(crate) async fn ingestion_is_when_the_service_took_it_in(
    log: Arc<dyn Log>,
    clock: Arc<ManualClock>,
) {
    log.write("s", event(0, "on time"));
    clock.advance(Duration::from_secs(60));
    log.write("s", event(1, "late"));
    log.write("s", event(90_000, "early"));
    log.flush().await.expect("a flush");
    let mut told = Vec::new();
    log.read(&BY, TimeRange::ALL, &mut |line| {
        let since = |time: Timestamp| time.since(START).as_millis();
        told.push((since(line.timestamp), since(line.ingested_at)));
    })
    .await
    .expect("a reading");
    assert_eq!(told, [(0, 0), (1, 60_000), (90_000, 60_000)]);
}

/// CloudWatch Logs PutLogEvents: at most 2 hours ahead, at most 14 days old.
pub(crate) async fn events_far_from_now_are_left_out(log: Arc<dyn Log>, _: Arc<ManualClock>) {
    let ahead = 2 * 60 * 60 * 1000;
    let age = 14 * 24 * 60 * 60 * 1000;
    for (offset, message) in [
        (-age - 1, "too old"),
        (-age, "old"),
        (0, "now"),
        (ahead, "new"),
        (ahead + 1, "too new"),
    ] {
        log.write("s", event(offset, message));
    }
    assert_eq!(
        log.flush().await,
        Ok(()),
        "no error: the service does not complain"
    );
    let mut told = Vec::new();
    log.read(&BY, TimeRange::ALL, &mut |line| {
        told.push(line.message.to_owned())
    })
    .await
    .expect("a reading");
    assert_eq!(told, ["old", "now", "new"]);
}

/// 1,048,576 bytes with the 26 that PutLogEvents counts per event.
pub(crate) async fn events_have_1_byte_to_1_mb(log: Arc<dyn Log>, _: Arc<ManualClock>) {
    let refused = |message: &str| {
        let code = "InvalidParameterException";
        Err(PortError::rejected("PutLogEvents", code, message))
    };
    let longest = "x".repeat(1_048_550);
    log.write("s", event(0, &longest));
    log.write("s", event(1, "small"));
    assert_eq!(log.flush().await, Ok(()));
    log.write("s", event(2, &format!("{longest}x")));
    assert_eq!(
        log.flush().await,
        refused("Log event too large: 1048577 bytes exceeds limit of 1048576")
    );
    assert_eq!(log.flush().await, Ok(()), "told once");
    log.write("s", event(3, ""));
    assert_eq!(
        log.flush().await,
        refused("Log event message must not be empty")
    );
    let kept = lines(&*log, TimeRange::ALL).await;
    assert_eq!(kept, [line(0, "s", &longest), line(1, "s", "small")]);
}

pub(crate) async fn many_streams_write_at_once(log: Arc<dyn Log>, _: Arc<ManualClock>) {
    std::thread::scope(|scope| {
        for stream in 0..4 {
            let log = Arc::clone(&log);
            scope.spawn(move || {
                for index in 0..500 {
                    log.write(
                        &format!("s-{stream}"),
                        event(index, &format!("{stream}/{index}")),
                    );
                }
            });
        }
    });
    log.flush().await.expect("a flush");
    let mut lines = lines(&*log, TimeRange::ALL).await;
    assert!(lines.is_sorted_by_key(|line| line.0));
    lines.sort();
    let mut expected: Vec<Line> = (0..4)
        .flat_map(|stream| (0..500).map(move |index| (stream, index)))
        .map(|(stream, index)| line(index, &format!("s-{stream}"), &format!("{stream}/{index}")))
        .collect();
    expected.sort();
    assert_eq!(lines, expected);
}
