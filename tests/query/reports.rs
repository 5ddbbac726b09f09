//! Public reports of what goes wrong with Logs Insights elsewhere, each as a small case.

use serde_json::json;

use crate::support::{folder, query, query_in};

/// Four charges of one order from four messages, behind Lambda's prefix.
fn charges_log() -> String {
    let line = |copy| {
        format!(
            "2026-09-20T20:58:23.24{copy}Z\tid-{copy}\tINFO\t{{\"type\":\"charge_applied\",\"orderId\":\"ORDER-003\",\"messageId\":\"m-{copy}\"}}\n"
        )
    };
    (0..4).map(line).collect()
}

/// J1: an emulator answers 4 / 0 / 0.
#[test]
fn text_ahead_of_the_json_does_not_hide_it_from_parse() {
    query(&["charges", "--from", "-", "--format", "json"])
        .stdin(charges_log())
        .prints(
            "[\n  {\"charges\":\"4\",\"orders\":\"1\",\"messages\":\"4\"}\n]\n",
            "4 of 4 events matched, 400 bytes scanned\n",
        );
}

/// J3: an emulator answers nothing, without an error.
#[test]
fn conditions_can_be_joined_by_and() {
    let text =
        r#"filter type = "charge_applied" and orderId = "ORDER-003" | stats count(*) as charges"#;
    query(&[text, "--from", "-", "--format", "csv"])
        .stdin(charges_log())
        .prints("charges\n4\n", "4 of 4 events matched, 400 bytes scanned\n");
}

/// J9: a hyphen in an alias.
#[test]
fn a_hyphen_in_an_alias_is_an_error_with_its_place() {
    query(&["parse @message '*' as order-id", "--from", "worker.log"]).fails(
        2,
        "\
error: line 1, column 23: `order-id` is not a name: a hyphen is a minus
  parse @message '*' as order-id
                        ^^^^^^^^
       (hint: write `order_id`, or put `order-id` in backticks)
",
    );
}

/// J11: outside of Lambda, fields of JSON behind text are not discovered.
#[test]
fn json_behind_text_is_parsed_and_not_discovered() {
    query(&["filter ispresent(petcolor) | stats count(*) as pets", "--from", "pets.log", "--format", "csv"]).prints(
        "pets\n0\n",
        "\
warning: no event matches `ispresent(petcolor)`, but some nearly do
         (hint: the JSON stands behind other text and is discovered in Lambda groups only: `parse` the field out of `@message`)
0 of 3 events matched, 229 bytes scanned
",
    );
    let parsed = r#"parse @message '"petcolor":"*"' as petcolor | filter ispresent(petcolor) | stats count(*) as pets"#;
    query(&[parsed, "--from", "pets.log", "--format", "csv"])
        .prints("pets\n3\n", "3 of 3 events matched, 229 bytes scanned\n");
    // The user may know better what the log is.
    let text = "filter ispresent(petcolor) | stats count(*) as pets";
    query(&[
        text,
        "--from",
        "pets.log",
        "--format",
        "csv",
        "--lambda-log",
        "always",
    ])
    .prints("pets\n3\n", "3 of 3 events matched, 229 bytes scanned\n");
}

/// J13: parsed fields are in the result without being asked for.
#[test]
fn parsed_fields_are_columns() {
    let text = r#"parse @message '"messageId":"*"' as messageId | sort @timestamp asc | limit 1"#;
    let (rows, _) = query(&[text, "--from", "-", "--format", "json"])
        .stdin(charges_log())
        .json();
    let line = charges_log();
    let line = line.lines().next();
    assert_eq!(
        rows,
        json!([{"@timestamp": "2026-09-20 20:58:23.240", "@message": line, "messageId": "m-0", "@ptr": "0"}])
    );
}

/// J15: what is not known is refused, never left out.
#[test]
fn what_is_not_supported_is_refused_with_the_reason() {
    query(&["fields @message | anomaly", "--from", "worker.log"]).fails(
        2,
        "\
error: line 1, column 19: `anomaly` cannot be run here: anomaly detection uses models that are trained inside of CloudWatch
  fields @message | anomaly
                    ^^^^^^^
",
    );
    query(&["fields @message | stat count(*)", "--from", "worker.log"]).fails(
        2,
        "\
error: line 1, column 19: unknown command `stat`
  fields @message | stat count(*)
                    ^^^^
       (hint: did you mean `stats`?)
",
    );
}

/// J17: the function never ran, so there is no log; that is not the same as no charges.
#[test]
fn a_log_that_does_not_exist_is_not_one_without_charges() {
    query(&["charges", "--from", "never-ran.log"]).fails(
        3,
        "error: there is no file `never-ran.log` (yet), which is not the same as a log without events\n",
    );
    let empty = folder("worker.log", "");
    query_in(empty.path(), &["charges", "--from", "worker.log", "--format", "csv"]).prints(
        "charges,orders,messages\n0,0,0\n",
        "warning: there are no events in the log, so there is nothing to count\n0 of 0 events matched, 0 bytes scanned\n",
    );
}

/// J19: the amount is text and stays as it was written.
#[test]
fn an_amount_keeps_its_digits() {
    let body = r#"{"orderId":"ORDER-003","customerId":"CUSTOMER-123","amount":150.00}"#;
    let (rows, _) = query(&["fields @message, amount", "--from", "-", "--format", "json"])
        .stdin(body)
        .json();
    assert_eq!(
        rows,
        json!([{"@message": body, "amount": "150.00", "@ptr": "0"}])
    );
    query(&["display amount", "--from", "-", "--format", "csv"])
        .stdin(body)
        .prints(
            "amount,@ptr\n150.00,0\n",
            "1 of 1 event matched, 67 bytes scanned\n",
        );
}
