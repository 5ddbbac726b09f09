//! The three named queries over the log of two runs: four copies without a guard, three with.

use serde_json::json;

use crate::support::{data, query};

#[test]
fn charges_orders_and_messages_of_a_run() {
    for (run, row) in [("r-1", "4,1,4"), ("r-2", "1,1,1")] {
        let arguments = ["charges", "--run", run, "--from", "worker.log"];
        query(&[&arguments[..], &["--format", "csv"]].concat()).prints(
            &format!("charges,orders,messages\n{row}\n"),
            &format!("{} of 45 events matched, 7.7 kB scanned\n", &row[..1]),
        );
    }
}

#[test]
fn without_a_run_all_runs_count() {
    query(&["charges", "--from", "worker.log"]).prints(
        "\
┌─────────┬────────┬──────────┐
│ charges │ orders │ messages │
├─────────┼────────┼──────────┤
│       5 │      2 │        5 │
└─────────┴────────┴──────────┘
",
        "5 of 45 events matched, 7.7 kB scanned\n",
    );
}

#[test]
fn events_of_a_run_by_type() {
    query(&["events-by-type", "--run", "r-2", "--from", "worker.log"]).prints(
        "\
┌────────────────┬────────┐
│ eventType      │ events │
├────────────────┼────────┤
│ charge_applied │      1 │
│ claim_lost     │      2 │
│ claim_won      │      1 │
│ process_end    │      3 │
│ process_start  │      3 │
│ skip_duplicate │      2 │
└────────────────┴────────┘
",
        "12 of 45 events matched, 7.7 kB scanned\n",
    );
}

/// All six types of events, in the order of time, each line as it stands in the log.
#[test]
fn the_story_of_an_order() {
    let arguments = [
        "order-story",
        "--order",
        "ORDER-003",
        "--from",
        "worker.log",
    ];
    let (rows, notes) = query(&[&arguments[..], &["--format", "json"]].concat()).json();
    let log = std::fs::read_to_string(data().join("worker.log")).expect("the log");
    let lines = log.lines().filter(|line| line.contains("ORDER-003"));
    let expected: Vec<_> = lines
        .map(|line| {
            let time = line[..23].replace('T', " ");
            let position = log.find(line).expect("a line of the log").to_string();
            json!({"@timestamp": time, "@message": line, "@ptr": position})
        })
        .collect();
    assert_eq!(expected.len(), 12);
    assert_eq!(rows, json!(expected));
    assert_eq!(notes, "12 of 45 events matched, 7.7 kB scanned\n");
}

#[test]
fn the_story_tells_who_won() {
    let text = "filter orderId = 'ORDER-003' and type like /claim|charge|skip/ \
                | sort @timestamp asc | display @timestamp, type, substr(messageId, 0, 8) as copy";
    query(&[text, "--from", "worker.log"]).prints(
        "\
┌─────────────────────────┬────────────────┬──────────┐
│ @timestamp              │ type           │ copy     │
├─────────────────────────┼────────────────┼──────────┤
│ 2026-09-20 20:59:23.271 │ claim_won      │ 00000001 │
│ 2026-09-20 20:59:23.282 │ claim_lost     │ 00000002 │
│ 2026-09-20 20:59:23.283 │ skip_duplicate │ 00000002 │
│ 2026-09-20 20:59:23.291 │ claim_lost     │ 00000003 │
│ 2026-09-20 20:59:23.293 │ skip_duplicate │ 00000003 │
│ 2026-09-20 20:59:27.271 │ charge_applied │ 00000001 │
└─────────────────────────┴────────────────┴──────────┘
",
        "6 of 45 events matched, 7.7 kB scanned\n",
    );
}

/// S3: two starts, six ends, five charges. The query counts what is there and hides nothing.
#[test]
fn counts_that_do_not_reconcile_are_shown_as_they_are() {
    query(&["events-by-type", "--from", "group-table.log", "--format", "csv"]).prints(
        "eventType,events\ncharge_applied,5\nclaim_lost,2\nclaim_won,1\nprocess_end,6\nprocess_start,2\nskip_duplicate,1\n",
        "17 of 17 events matched, 1.1 kB scanned\n",
    );
}

/// The lines of this log have no prefix and no time.
#[test]
fn named_queries_need_no_prefix_of_lambda() {
    query(&["charges", "--from", "group-table.log", "--format", "csv"]).prints(
        "charges,orders,messages\n5,1,5\n",
        "5 of 17 events matched, 1.1 kB scanned\n",
    );
}
