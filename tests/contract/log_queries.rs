//! What every adapter of the Log port must do with queries.

use std::sync::Arc;

use lab::ports::{ErrorKind, Log, PortError, QueryTable, TimeRange};

use crate::clock::ManualClock;
use crate::suite::{BY, event, range};

const CHARGES: &str = r#"filter @message like /"type":"charge_applied"/
| parse @message /"orderId":"(?<orderId>[^"]+)"/
| parse @message /"messageId":"(?<messageId>[^"]+)"/
| stats count(*) as charges, count_distinct(orderId) as orders, count_distinct(messageId) as messages"#;

pub(crate) fn table(columns: &[&str], rows: &[&[&str]]) -> QueryTable {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    QueryTable {
        columns: owned(columns),
        rows: rows
            .iter()
            .map(|row| row.iter().map(|cell| Some((*cell).to_owned())).collect())
            .collect(),
    }
}

/// A worker's line as it looks on Lambda.
pub(crate) fn worker_line(event_type: &str, order: &str, message: &str) -> String {
    format!(
        "2026-09-20T20:58:23.240Z\tq-1\tINFO\t\
         {{\"type\":\"{event_type}\",\"orderId\":\"{order}\",\"messageId\":\"{message}\"}}\n"
    )
}

/// The table of the original lab: four charges of one order from four messages.
pub(crate) async fn the_charges_are_counted(log: Arc<dyn Log>, _: Arc<ManualClock>) {
    for copy in 1..=4 {
        for (offset, event_type) in ["process_start", "charge_applied", "process_end"]
            .iter()
            .enumerate()
        {
            let line = worker_line(event_type, "ORDER-001", &format!("m-{copy}"));
            let offset = i64::try_from(offset).expect("small");
            log.write(&format!("2026/09/20/[$LATEST]{copy}"), event(offset, &line));
        }
    }
    log.flush().await.expect("a flush");
    assert_eq!(
        log.query(&BY, CHARGES, TimeRange::ALL).await,
        Ok(table(
            &["charges", "orders", "messages"],
            &[&["4", "1", "4"]]
        ))
    );
    let by_type = "stats count(*) as n by type | sort type asc";
    assert_eq!(
        log.query(&BY, by_type, TimeRange::ALL).await,
        Ok(table(
            &["type", "n"],
            &[
                &["charge_applied", "4"],
                &["process_end", "4"],
                &["process_start", "4"]
            ]
        ))
    );
    let streams = "stats count_distinct(@logStream) as streams, count_distinct(@log) as groups";
    assert_eq!(
        log.query(&BY, streams, TimeRange::ALL).await,
        Ok(table(&["streams", "groups"], &[&["4", "1"]]))
    );
}

/// StartQuery takes whole seconds and counts the last one to its last millisecond. The tests
/// start at 240 ms of a second.
pub(crate) async fn a_query_takes_whole_seconds(log: Arc<dyn Log>, _: Arc<ManualClock>) {
    for offset in [-241, -240, 0, 759, 760, 1_759, 1_760] {
        log.write("s", event(offset, "x"));
    }
    log.flush().await.expect("a flush");
    let count = async |start, end| {
        let table = log
            .query(&BY, "stats count(*) as n", range(start, end))
            .await;
        table.expect("a table").rows[0][0].clone().expect("a count")
    };
    assert_eq!(count(0, 0).await, "3");
    assert_eq!(count(500, 800).await, "5");
    assert_eq!(count(-300, 1_760).await, "7");
}

pub(crate) async fn a_malformed_query_is_refused(log: Arc<dyn Log>, _: Arc<ManualClock>) {
    let error = log
        .query(&BY, "filter order-id = 1 | stat count(*)", TimeRange::ALL)
        .await
        .expect_err("no command of that name");
    assert_eq!(error.operation, "StartQuery");
    assert_eq!(error.code, "MalformedQueryException");
    assert_eq!(error.kind, ErrorKind::Rejected);
    assert!(error.message.contains("stat"), "{}", error.message);
}

pub(crate) async fn a_range_turned_round_is_refused(log: Arc<dyn Log>, _: Arc<ManualClock>) {
    let error = log
        .query(&BY, "stats count(*)", range(5_000, 0))
        .await
        .expect_err("a range that ends before it starts");
    assert_eq!(error.code, "InvalidParameterException");
}

pub(crate) async fn a_group_that_does_not_exist_is_refused(log: Arc<dyn Log>, _: Arc<ManualClock>) {
    let other = r#"SOURCE "/aws/lambda/other" | stats count(*)"#;
    assert_eq!(
        log.query(&BY, other, TimeRange::ALL).await,
        Err(PortError::rejected(
            "StartQuery",
            "ResourceNotFoundException",
            "Log group '/aws/lambda/other' does not exist for account ID '000000000000'"
        ))
    );
    log.write("s", event(0, "x"));
    log.flush().await.expect("a flush");
    let own = r#"SOURCE "/aws/lambda/worker" | stats count(*) as n"#;
    assert_eq!(
        log.query(&BY, own, TimeRange::ALL).await,
        Ok(table(&["n"], &[&["1"]]))
    );
}
