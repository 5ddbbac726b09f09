//! Several log groups in one query.

use lab::insights::{Groups, Options, Record, SliceSource, compile};

use crate::support::table;

fn two_groups() -> SliceSource<'static> {
    let record = |log, message, timestamp_millis| Record {
        log,
        message,
        timestamp_millis,
        pointer: timestamp_millis as u64,
        ..Record::message("")
    };
    SliceSource::new([
        record("1:orders", r#"{"id":"o-1","amount":150.00}"#, 1),
        record("1:orders", r#"{"id":"o-2","amount":20}"#, 2),
        record("1:payments", r#"{"order":"o-1","state":"paid"}"#, 3),
        record("1:payments", r#"{"order":"o-1","state":"refunded"}"#, 4),
        record("1:payments", r#"{"order":"o-9","state":"paid"}"#, 5),
    ])
}

fn run_groups(query: &str) -> lab::insights::Output {
    let compiled = compile(query).unwrap_or_else(|error| panic!("{error}"));
    compiled
        .run(&mut two_groups(), &Options::default())
        .expect("a result")
}

#[test]
fn an_inner_join_pairs_events_of_two_groups() {
    let query = "SOURCE 'orders' | filter amount > 0
        | join type=inner left=o right=p where o.id = p.order (SOURCE 'payments')
        | fields o.id, o.amount, p.state | sort p.state asc";
    let output = run_groups(query);
    assert_eq!(output.columns, ["o.id", "o.amount", "p.state", "@ptr"]);
    assert_eq!(
        table(&output),
        [
            ["o-1", "150.00", "paid", "1"],
            ["o-1", "150.00", "refunded", "1"]
        ]
    );
}

#[test]
fn a_left_join_keeps_events_without_a_partner() {
    let query = "SOURCE 'orders'
        | join type=left left=o right=p where o.id = p.order (SOURCE 'payments' | stats count(*) as payments by order)
        | stats sum(p.payments) as payments by o.id as id | sort id asc";
    assert_eq!(table(&run_groups(query)), [["o-1", "2"], ["o-2", "0"]]);
}

#[test]
fn a_subquery_filters_by_its_values() {
    let query = "SOURCE 'orders' | filter id in (SOURCE 'payments' | filter state = 'paid' | fields order) | display id";
    assert_eq!(table(&run_groups(query)), [["o-1", "1"]]);
    let query =
        "SOURCE 'orders' | filter id not in (SOURCE 'payments' | fields order) | display id";
    assert_eq!(table(&run_groups(query)), [["o-2", "2"]]);
}

#[test]
fn sources_are_known_before_a_run() {
    let query = compile("SOURCE 'a', 'b' | filter x in (SOURCE logGroups(namePrefix: ['c'], class: ['STANDARD']) | fields x)")
        .expect("a query");
    let sources: Vec<String> = query.sources().iter().map(ToString::to_string).collect();
    assert_eq!(
        sources,
        [
            "'a', 'b'",
            "logGroups(namePrefix: ['c'], class: ['STANDARD'])"
        ]
    );
    assert_eq!(
        *compile("fields x").expect("a query").sources()[0],
        Groups::Default
    );
}
