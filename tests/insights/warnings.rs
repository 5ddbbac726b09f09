//! What is allowed and probably not meant.

use lab::insights::{Options, RunError, SliceSource, compile};

use crate::support::{charges_log, lines, records, run, run_with};

fn warnings(query: &str, log: &[String]) -> Vec<String> {
    run(query, log)
        .warnings
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn a_space_behind_the_colon_is_noticed() {
    let log = lines([r#"{"type": "charge_applied"}"#]);
    assert_eq!(
        warnings(
            r#"filter @message like /"type":"charge_applied"/ | stats count(*)"#,
            &log
        ),
        [concat!(
            r#"no event matches `@message like /"type":"charge_applied"/`, but some nearly do"#,
            "\n",
            r#"(hint: the log has spaces around the colon: write `"key"\s*:\s*"value"` in a regular expression)"#
        )]
    );
}

#[test]
fn escaped_quotes_are_noticed() {
    let log = lines([r#"{"level":"INFO","message":"{\"type\":\"charge_applied\"}"}"#]);
    let warnings = warnings(r#"filter @message like '"type":"charge_applied"'"#, &log);
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].contains("the quotes in the log are escaped"),
        "{}",
        warnings[0]
    );
}

#[test]
fn another_case_is_noticed_in_messages_values_and_names() {
    let log = charges_log();
    for (query, advice) in [
        (
            "filter @message like 'CHARGE_APPLIED'",
            "upper and lower case differ in the log",
        ),
        (
            "filter type = 'Charge_Applied'",
            "upper and lower case differ in the log",
        ),
        (
            "filter orderID = 'ORDER-003'",
            "a field of that name exists in other upper and lower case",
        ),
        (
            "filter type = ' charge_applied'",
            "the value in the log has blanks around it",
        ),
    ] {
        let warnings = warnings(query, &log);
        assert_eq!(warnings.len(), 1, "{query}");
        assert!(warnings[0].contains(advice), "{query}: {}", warnings[0]);
    }
}

#[test]
fn nothing_is_said_when_something_matches_or_nothing_is_near() {
    let log = charges_log();
    for query in [
        "filter @message like 'refund'",
        "filter type = 'charge_applied'",
        "filter @message like 'charge_applied' and type = 'refund'",
        "filter @message like 'charge' | filter @message like 'nothing like it'",
    ] {
        assert_eq!(warnings(query, &log), [""; 0], "{query}");
    }
}

/// J11: outside of Lambda groups, JSON behind text is not discovered.
#[test]
fn json_behind_text_that_is_not_discovered_is_noticed() {
    let log = lines(["INFO {\"petcolor\":\"brown\"}"]);
    let options = Options {
        lambda_group: false,
        ..Options::default()
    };
    let output = run_with(
        "filter ispresent(petcolor) | stats count(*)",
        &log,
        &options,
    );
    assert_eq!(output.rows, [[Some("0".to_owned())]]);
    assert_eq!(output.warnings.len(), 1);
    assert!(
        output.warnings[0]
            .to_string()
            .contains("`parse` the field out of `@message`")
    );
    let query =
        "parse @message '\"petcolor\":\"*\"' as color | filter ispresent(color) | stats count(*)";
    let output = run_with(query, &log, &options);
    assert_eq!(output.rows, [[Some("1".to_owned())]]);
    assert_eq!(output.warnings, []);
}

#[test]
fn a_hyphen_is_read_as_a_minus() {
    assert_eq!(
        warnings("fields foo-bar, a - b", &lines(["{}"])),
        [
            "`foo-bar` is read as a subtraction\n(hint: a field with a hyphen is written in backticks: `` `foo-bar` ``)"
        ]
    );
}

#[test]
fn a_misspelt_system_field_is_noticed() {
    assert_eq!(
        warnings("filter @mesage like 'a' | fields @mesage", &lines(["a"])),
        ["no record has a field `@mesage`\n(hint: did you mean `@message`?)"]
    );
}

#[test]
fn fields_of_lambda_are_missed_elsewhere() {
    let options = Options {
        lambda_group: false,
        ..Options::default()
    };
    let output = run_with("stats count(*) by @requestId", &lines(["a"]), &options);
    assert_eq!(
        output.warnings[0].to_string(),
        "`@requestId` is discovered in the log groups of Lambda functions only\n\
         (hint: parse it out of `@message`, or read the log as that of a function)"
    );
}

/// J7: milliseconds given as seconds lie in the year 58000.
#[test]
fn a_start_in_milliseconds_is_noticed() {
    let options = Options {
        start_millis: 1_790_000_000_000_000,
        ..Options::default()
    };
    let output = run_with("fields @message", &lines(["a"]), &options);
    let hint = output.warnings[0].to_string();
    assert!(
        hint.ends_with("(hint: StartQuery takes seconds; this looks like milliseconds)"),
        "{hint}"
    );
}

#[test]
fn a_result_that_the_default_limit_cuts_says_so() {
    let log: Vec<String> = (0..10_001).map(|n| n.to_string()).collect();
    let output = run("fields @message", &log);
    assert_eq!(output.rows.len(), 10_000);
    assert_eq!(
        output.warnings[0].to_string(),
        "10000 of 10001 rows are shown\n(hint: add `| limit N`, up to 100,000)"
    );
    assert_eq!(run("fields @message | limit 10", &log).warnings, []);
}

#[test]
fn a_range_that_ends_before_it_starts_is_refused() {
    let options = Options {
        start_millis: 5,
        end_millis: 4,
        ..Options::default()
    };
    let query = compile("fields @message").expect("a query");
    let error = query
        .run(&mut SliceSource::default(), &options)
        .expect_err("no range");
    assert_eq!(
        error.to_string(),
        "the time range ends at 4 ms, before it starts at 5 ms"
    );
}

#[test]
fn memory_is_bounded_with_a_clear_error() {
    let log: Vec<String> = (0..200_000)
        .map(|n| format!("message number {n}"))
        .collect();
    let options = Options {
        memory_limit_bytes: 1 << 20,
        ..Options::default()
    };
    for (text, what) in [
        ("stats count(*) by @message", "the groups of `stats`"),
        ("stats count_distinct(@message)", "the values of `stats`"),
        ("stats pct(strlen(@message), 50)", "the values of `stats`"),
        ("fields @message | limit 100000", "the rows of the result"),
        ("fields @message | dedup @message", "the rows of `dedup`"),
    ] {
        let query = compile(text).expect("a query");
        let records = records(&log);
        let error = query
            .run(&mut SliceSource::new(records.clone()), &options)
            .expect_err(text);
        let expected = format!("{what} need more than the 1 MiB of memory that a query may use");
        assert_eq!(
            error.to_string().lines().next(),
            Some(expected.as_str()),
            "{text}"
        );
        let mut parts = [SliceSource::new(records.clone()), SliceSource::new(records)];
        let error = query.run_parts(&mut parts, &options).expect_err(text);
        assert!(matches!(error, RunError::Memory { .. }), "{text}");
    }
    // What fits does fit: a limit keeps few rows however many there are.
    assert_eq!(
        run_with("fields @message | limit 10", &log, &options)
            .rows
            .len(),
        10
    );
}

/// Each part may use its share; together they may use all of it.
#[test]
fn parts_share_the_memory_and_pool_it_when_they_are_merged() {
    let log: Vec<String> = (0..4_000).map(|n| format!("message number {n}")).collect();
    let query = compile("stats count(*) by @message | limit 1").expect("a query");
    let options = Options {
        memory_limit_bytes: 600_000,
        ..Options::default()
    };
    let records = records(&log);
    let mut parts: Vec<SliceSource<'_>> = records
        .chunks(1000)
        .map(|part| SliceSource::new(part.iter().copied()))
        .collect();
    assert_eq!(
        query
            .run_parts(&mut parts, &options)
            .expect("a result")
            .rows
            .len(),
        1
    );
    let options = Options {
        memory_limit_bytes: 1 << 18,
        ..options
    };
    let error = query
        .run_parts(&mut parts, &options)
        .expect_err("too many groups");
    assert_eq!(
        error,
        RunError::Memory {
            what: "the groups of `stats`",
            limit_bytes: 1 << 18
        }
    );
}
