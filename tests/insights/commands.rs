//! Commands, one by one: what they keep, make and show.

use lab::insights::{Options, SliceSource, compile};

use crate::support::{lines, records, run, run_with, table};

fn levels() -> Vec<String> {
    lines([
        r#"{"level":"INFO","ms":5,"host":"a"}"#,
        r#"{"level":"WARN","ms":20,"host":"b"}"#,
        r#"{"level":"INFO","ms":15,"host":"a"}"#,
        r#"{"level":"ERROR","ms":10,"host":"b"}"#,
        r#"{"ms":1}"#,
    ])
}

#[test]
fn fields_add_up_and_name_computed_columns() {
    let output = run(
        "fields ms, ms * 2 | fields ms, host as h | sort ms asc | limit 2",
        &levels(),
    );
    assert_eq!(output.columns, ["ms", "ms * 2", "h", "@ptr"]);
    assert_eq!(
        table(&output),
        [["1", "2", "-", "4"], ["5", "10", "a", "0"]]
    );
}

#[test]
fn the_last_display_wins() {
    let output = run(
        "fields ms, host | display host | display level, ms > 9 as slow | limit 1",
        &levels(),
    );
    assert_eq!(output.columns, ["level", "slow", "@ptr"]);
    assert_eq!(table(&output), [["-", "0", "4"]]);
}

#[test]
fn several_filters_are_joined_by_and() {
    let query = "filter host = 'a' | filter ms > 5 | display ms";
    assert_eq!(table(&run(query, &levels())), [["15", "2"]]);
}

#[test]
fn an_event_that_parse_does_not_match_stays() {
    let log = lines([
        "user=ann, latency := 12",
        "nothing",
        "user=bob, latency := 7",
    ]);
    let query =
        r#"parse @message "user=*, latency := *" as @user, @latency | display @user, @latency"#;
    assert_eq!(
        table(&run(query, &log)),
        [["bob", "7", "2"], ["-", "-", "1"], ["ann", "12", "0"]]
    );
    let query = "parse @message /user=(?<user>[a-z]+)(?<rest>;.*)?/ | display user, rest | sort @timestamp asc";
    assert_eq!(
        table(&run(query, &log)),
        [["ann", "-", "0"], ["-", "-", "1"], ["bob", "-", "2"]]
    );
}

#[test]
fn parse_without_a_field_reads_the_message_and_chains() {
    let log = lines(["url=/api/v2/users/7"]);
    let query = r#"parse "url=*" as url | parse url "/api/*/users/*" as version, user | display version, user"#;
    assert_eq!(table(&run(query, &log)), [["v2", "7", "0"]]);
}

#[test]
fn multi_gives_one_row_per_match() {
    let log = lines(["ids: 1, 22, 333", "none"]);
    let query = r"parse @message /(?<id>\d+)/ multi | display id";
    assert_eq!(
        table(&run(query, &log)),
        [["-", "1"], ["1", "0"], ["22", "0"], ["333", "0"]]
    );
    let query = r"parse @message /(?<id>\d+)/ multi | stats sum(id), count(*)";
    assert_eq!(table(&run(query, &log)), [["356", "4"]]);
}

#[test]
fn logfmt_becomes_a_map() {
    let log = lines([r#"level=info msg="hello \"you\"" took=12 ok"#]);
    let query =
        "parse @message logfmt as m | display m.level, m.msg, m.took + 1 as next, m.ok, m.none";
    assert_eq!(
        table(&run(query, &log)),
        [["info", "hello \"you\"", "13", "true", "-", "0"]]
    );
}

#[test]
fn groups_come_before_aggregates_and_absent_is_a_group() {
    let output = run(
        "stats count(*), avg(ms) as mean by level | sort mean desc",
        &levels(),
    );
    assert_eq!(output.columns, ["level", "count(*)", "mean"]);
    assert_eq!(
        table(&output),
        [
            ["WARN", "1", "20"],
            ["INFO", "2", "10"],
            ["ERROR", "1", "10"],
            ["-", "1", "1"]
        ]
    );
}

#[test]
fn expressions_over_aggregates_are_computed_once_the_groups_are_complete() {
    let query = "stats sum(ms) / count(*) as mean, max(ms) - min(ms) as spread, count(*) * 100 as share by host | sort host asc";
    let output = run(query, &levels());
    assert_eq!(output.columns, ["host", "mean", "spread", "share"]);
    assert_eq!(
        table(&output),
        [
            ["-", "1", "0", "100"],
            ["a", "10", "10", "200"],
            ["b", "15", "10", "200"]
        ]
    );
}

#[test]
fn time_is_binned_and_shown_in_utc() {
    let output = run(
        "stats count(*) as n by bin(2s) | sort bin(2s) asc",
        &levels(),
    );
    assert_eq!(output.columns, ["bin(2s)", "n"]);
    assert_eq!(
        table(&output),
        [
            ["1970-01-01 00:00:00.000", "2"],
            ["1970-01-01 00:00:02.000", "2"],
            ["1970-01-01 00:00:04.000", "1"]
        ]
    );
}

#[test]
fn a_second_stats_reads_what_the_first_left() {
    let query = "stats count(*) as n by bin(2s) as t, host | stats max(n) as most, count(*) as groups by t | sort t asc";
    let output = run(query, &levels());
    assert_eq!(output.columns, ["t", "most", "groups"]);
    assert_eq!(
        table(&output),
        [
            ["1970-01-01 00:00:00.000", "1", "2"],
            ["1970-01-01 00:00:02.000", "1", "2"],
            ["1970-01-01 00:00:04.000", "1", "1"]
        ]
    );
}

#[test]
fn every_aggregate_gives_its_value() {
    let log: Vec<String> = (1..=10)
        .map(|n| format!("{{\"x\":{n},\"s\":\"v{n}\"}}"))
        .collect();
    let query = "stats pct(x, 50) as p50, pct(x, 95) as p95, pct(x, 0) as p0, stddev(x) as d, \
                 earliest(s) as e, latest(s) as l, sortsFirst(s) as f, sortsLast(s) as z";
    let output = run(query, &log);
    assert_eq!(
        table(&output),
        [["5", "10", "1", "2.8723", "v1", "v10", "v1", "v10"]]
    );
}

#[test]
fn aggregates_over_nothing_have_no_value_and_counts_are_zero() {
    let query = "filter no = 1 | stats count(*), count(x), count_distinct(x), sum(x), avg(x), min(x), pct(x, 50), stddev(x), latest(x)";
    let output = run(query, &levels());
    assert_eq!(
        table(&output),
        [["0", "0", "0", "0", "-", "-", "-", "-", "-"]]
    );
    assert_eq!(
        table(&run("filter no = 1 | stats count(*) by x", &levels())),
        [[""; 0]; 0]
    );
}

#[test]
fn sorting_is_natural_by_several_keys_and_descending_is_the_reverse() {
    let log = lines([
        r#"{"v":"a10"}"#,
        r#"{"v":"a9"}"#,
        r#"{"v":2}"#,
        "{}",
        r#"{"v":10}"#,
    ]);
    let column = |query| {
        let output = run(query, &log);
        table(&output)
            .into_iter()
            .map(|row| row[0].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        column("fields v | sort v asc"),
        ["-", "a9", "a10", "2", "10"]
    );
    assert_eq!(
        column("fields v | sort v desc"),
        ["10", "2", "a10", "a9", "-"]
    );
    assert_eq!(
        column("fields v | order by v"),
        ["10", "2", "a10", "a9", "-"]
    );
    let query = "fields level, ms | sort level asc, ms desc | limit 4";
    assert_eq!(
        table(&run(query, &levels())),
        [
            ["-", "1", "4"],
            ["ERROR", "10", "3"],
            ["INFO", "15", "2"],
            ["INFO", "5", "0"]
        ]
    );
}

#[test]
fn a_limit_in_the_middle_cuts_what_follows() {
    let query = "sort ms desc | limit 3 | stats sum(ms)";
    assert_eq!(table(&run(query, &levels())), [["45"]]);
    let query = "limit 2 | filter ms = 1 | display ms";
    assert_eq!(table(&run(query, &levels())), [["1", "4"]]);
}

#[test]
fn limit_any_stops_the_scan() {
    let output = run("fields ms | limit any 2", &levels());
    assert_eq!(table(&output), [["5", "0"], ["20", "1"]]);
    assert_eq!(output.statistics.records_scanned, 2);
}

#[test]
fn many_rows_are_ordered_within_a_limit() {
    let log: Vec<String> = (0..5000).map(|n| ((n * 7919) % 5000).to_string()).collect();
    let output = run("fields @message as n | sort n asc | limit 100", &log);
    let expected: Vec<String> = (0..100).map(|n| n.to_string()).collect();
    let shown: Vec<String> = table(&output)
        .into_iter()
        .map(|row| row[0].clone())
        .collect();
    assert_eq!(shown, expected);
}

#[test]
fn dedup_keeps_the_first_in_order_and_rows_without_a_value() {
    let output = run("fields host, ms | sort ms asc | dedup host", &levels());
    assert_eq!(
        table(&output),
        [["-", "1", "4"], ["a", "5", "0"], ["b", "10", "3"]]
    );
    let output = run("fields host, ms | dedup host | limit 2", &levels());
    assert_eq!(table(&output), [["-", "1", "4"], ["b", "10", "3"]]);
}

#[test]
fn unnest_gives_a_row_per_element_of_a_parsed_list() {
    let log = lines([
        r#"{"events":[{"name":"exception"},{"name":"user action"}]}"#,
        r#"{"events":7}"#,
    ]);
    let query =
        "fields jsonParse(@message) as m | unnest m.events into event | display event.name, event";
    assert_eq!(
        table(&run(query, &log)),
        [
            ["-", "7", "1"],
            ["exception", r#"{"name":"exception"}"#, "0"],
            ["user action", r#"{"name":"user action"}"#, "0"]
        ]
    );
}

#[test]
fn expand_repeats_the_event_for_each_element() {
    let log = lines([r#"{"items":["apple","banana","cherry"],"host":"web-01"}"#]);
    let output = run(
        "expand items | stats count(*) by items, host | sort items asc",
        &log,
    );
    assert_eq!(
        table(&output),
        [
            ["apple", "web-01", "1"],
            ["banana", "web-01", "1"],
            ["cherry", "web-01", "1"]
        ]
    );
}

#[test]
fn patterns_are_counted_with_ratio_and_severity() {
    let log = lines([
        "ERROR order 1 failed",
        "order 7 done",
        "order 8 done",
        "ERROR order 2 failed",
        "order 9 done",
    ]);
    let output = run("pattern @message", &log);
    assert_eq!(
        output.columns,
        ["@pattern", "@ratio", "@sampleCount", "@severityLabel"]
    );
    assert_eq!(
        table(&output),
        [
            ["order <*> done", "0.6", "3", "-"],
            ["ERROR order <*> failed", "0.4", "2", "ERROR"]
        ]
    );
}

#[test]
fn diff_compares_with_the_window_before() {
    let log = lines(["old 1", "both 1", "old 2", "both 2", "new 1", "both 3"]);
    let options = Options {
        start_millis: 3000,
        end_millis: 5999,
        ..Options::default()
    };
    let output = run_with("pattern @message | diff", &log, &options);
    assert_eq!(
        table(&output),
        [
            ["old <*>", "0", "2", "-2", "-100", "-"],
            ["both <*>", "2", "1", "1", "100", "-"],
            ["new <*>", "1", "0", "1", "-", "-"]
        ]
    );
    let query = compile("diff previousDay").expect("a query");
    assert_eq!(query.window(&options), (3000 - 86_400_000, 5999));
}

#[test]
fn totals_are_added_by_row_and_by_column() {
    let log = lines([r#"{"a":1,"b":2,"t":"x"}"#, r#"{"a":10,"b":20.5}"#]);
    let output = run("fields a, b, t | addtotals | sort a asc", &log);
    assert_eq!(output.columns, ["a", "b", "t", "Total", "@ptr"]);
    assert_eq!(
        table(&output),
        [["1", "2", "x", "3", "0"], ["10", "20.5", "-", "30.5", "1"]]
    );
    let output = run(
        "fields a, b | sort a asc | addtotals row=false col=true a",
        &log,
    );
    assert_eq!(output.columns, ["a", "b"]);
    assert_eq!(table(&output), [["1", "2"], ["10", "20.5"], ["11", "-"]]);
    let output = run(
        "stats sum(a) as s by b | addtotals fieldname=All s | sort s desc",
        &log,
    );
    assert_eq!(output.columns, ["b", "s", "All"]);
    assert_eq!(table(&output), [["20.5", "10", "10"], ["2", "1", "1"]]);
}

#[test]
fn the_limit_of_the_call_and_that_of_the_query_both_hold() {
    let rows = |query, limit| {
        let options = Options {
            limit,
            ..Options::default()
        };
        run_with(query, &levels(), &options).rows.len()
    };
    assert_eq!(rows("fields ms", Some(3)), 3);
    assert_eq!(rows("fields ms | limit 2", Some(3)), 2);
    assert_eq!(rows("fields ms | limit 4", Some(3)), 3);
    assert_eq!(rows("fields ms", None), 5);
    assert_eq!(rows("stats count(*) by ms", Some(2)), 2);
}

#[test]
fn a_limit_above_the_default_holds_through_later_commands() {
    let log: Vec<String> = (0..12_000).map(|n| n.to_string()).collect();
    assert_eq!(
        run("limit 11000 | sort @timestamp asc", &log).rows.len(),
        11_000
    );
    assert_eq!(run("sort @timestamp asc", &log).rows.len(), 10_000);
}

#[test]
fn only_the_time_range_is_read() {
    let options = Options {
        start_millis: 1000,
        end_millis: 2000,
        ..Options::default()
    };
    let output = run_with("stats count(*)", &levels(), &options);
    assert_eq!(table(&output), [["2"]]);
    assert_eq!(output.statistics.records_scanned, 2);
}

#[test]
fn parts_give_the_result_of_the_whole() {
    let log: Vec<String> = (0..3000)
        .map(|n| format!("{{\"k\":\"k{}\",\"v\":{}}}", n % 37, (n * 31) % 101))
        .collect();
    for query in [
        "stats count(*), sum(v), avg(v), min(v), max(v), count_distinct(v), pct(v, 90), stddev(v), latest(v), earliest(v) by k",
        "fields k, v | sort v desc, k asc | limit 50",
        "fields k, v",
        "fields k, v | dedup k",
        "pattern @message",
        "filter v > 50 | stats count(*)",
    ] {
        let query = compile(query).expect("a query");
        let records = records(&log);
        let whole = query.run(&mut SliceSource::new(records.clone()), &Options::default());
        let mut parts: Vec<SliceSource<'_>> = records
            .chunks(700)
            .map(|part| SliceSource::new(part.iter().copied()))
            .collect();
        let merged = query.run_parts(&mut parts, &Options::default());
        assert_eq!(merged, whole, "{}", query.text());
    }
}
