//! Insights over the lines of the lab's worker: the queries that everything else relies on.

use crate::support::{charges_log, lines, run, table};
use lab::insights::{Options, compile};

const CHARGES: &str = r#"filter @message like /"type":"charge_applied"/
| parse @message /"orderId":"(?<orderId>(?:[^"\\]|\\.)*)"/
| parse @message /"messageId":"(?<messageId>[^"]+)"/
| stats count(*) as charges, count_distinct(orderId) as orders, count_distinct(messageId) as messages"#;

/// J1: four charges of one order in four messages, behind Lambda's text prefix.
#[test]
fn the_charges_query_counts_charges_orders_and_messages() {
    let output = run(CHARGES, &charges_log());
    assert_eq!(output.columns, ["charges", "orders", "messages"]);
    assert_eq!(table(&output), [["4", "1", "4"]]);
    assert_eq!(output.statistics.records_scanned, 12);
    assert_eq!(output.statistics.records_matched, 4);
    let bytes: usize = charges_log().iter().map(String::len).sum();
    assert_eq!(output.statistics.bytes_scanned, bytes as u64);
    assert_eq!(output.warnings, []);
}

#[test]
fn events_are_grouped_by_a_discovered_field() {
    let output = run(
        "stats count(*) as events by type | sort type asc",
        &charges_log(),
    );
    assert_eq!(output.columns, ["type", "events"]);
    assert_eq!(
        table(&output),
        [
            ["charge_applied", "4"],
            ["process_end", "4"],
            ["process_start", "4"]
        ]
    );
}

/// J3: conditions joined by `and` over discovered fields.
#[test]
fn discovered_fields_can_be_filtered_together() {
    let query = r#"filter type = "charge_applied" and orderId = "ORDER-003" | stats count(*)"#;
    let output = run(query, &charges_log());
    assert_eq!(output.columns, ["count(*)"]);
    assert_eq!(table(&output), [["4"]]);
}

/// J13: fields that `parse` made are shown without being asked for.
#[test]
fn parsed_fields_are_shown() {
    let query = r#"parse @message "orderId\":\"*\"" as order | sort @timestamp asc | limit 1"#;
    let output = run(query, &charges_log());
    assert_eq!(output.columns, ["@timestamp", "@message", "order", "@ptr"]);
    assert_eq!(output.rows[0][2].as_deref(), Some("ORDER-003"));
    assert_eq!(
        output.rows[0][0].as_deref(),
        Some("1970-01-01 00:00:00.000")
    );
    assert_eq!(output.rows[0][3].as_deref(), Some("0"));
}

#[test]
fn raw_rows_come_newest_first() {
    let output = run("fields @message | limit 2", &lines(["a", "b", "c"]));
    assert_eq!(table(&output), [["c", "2"], ["b", "1"]]);
}

#[test]
fn comments_are_left_out() {
    let query = "# count\nfilter @message = 'a'\n  # | limit 1\n| stats count()";
    assert_eq!(table(&run(query, &lines(["a", "b", "a"]))), [["2"]]);
}

#[test]
fn every_minimal_aggregate_is_right() {
    let log = lines([r#"{"x":1}"#, r#"{"x":2.5}"#, r#"{"x":"4"}"#, r#"{"y":1}"#]);
    let query = "stats count(*), count(x), count_distinct(x), min(x), max(x), avg(x), sum(x)";
    assert_eq!(
        table(&run(query, &log)),
        [["4", "3", "3", "1", "4", "2.5", "7.5"]]
    );
}

#[test]
fn a_query_is_shared_between_threads() {
    fn check<T: Send + Sync + Clone>(_: &T) {}
    let query = compile("fields @message").expect("a query");
    check(&query);
    assert_eq!(query.text(), "fields @message");
    assert_eq!(Options::default().limit, None);
}
