//! Operators and functions.

use lab::insights::Options;

use crate::support::{lines, run, run_with, table};

/// The value of an expression over one event.
fn value_in(event: &str, expression: &str) -> String {
    let options = Options {
        now_millis: 1_790_000_000_999,
        ..Options::default()
    };
    let output = run_with(
        &format!("display {expression} as value"),
        &[event],
        &options,
    );
    table(&output)[0][0].clone()
}

fn value(expression: &str) -> String {
    value_in(
        r#"{"n":7,"s":"Text","t":true,"f":false,"nil":null,"o":{"a b":[10,{"x":"deep"}]},"z":"150.00"}"#,
        expression,
    )
}

#[test]
fn operators_bind_as_usual() {
    for (expression, expected) in [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("2 ^ 3 ^ 2", "512"),
        ("-2 ^ 2", "4"),
        ("10 % 3", "1"),
        ("7 - 2 - 1", "4"),
        ("1 / 0", "-"),
        ("n + z", "157"),
        ("s + 1", "-"),
        ("-n", "-7"),
        ("1 < 2 and 2 < 1 or 1 = 1", "1"),
        ("not 1 = 2 and 1 = 1", "1"),
        ("not (1 = 1 or 1 = 2)", "0"),
        ("n = 7.0", "1"),
        ("z = 150", "1"),
        ("s = 'text'", "0"),
        ("s != 'text'", "1"),
        ("'10' > '9'", "1"),
        ("'10a' > '9'", "0"),
        ("n in [1, '7']", "1"),
        ("n not in [1, 7]", "0"),
        ("s in ['Tex']", "0"),
        ("s like 'ex'", "1"),
        ("s not like 'ex'", "0"),
        ("s like /^t/", "0"),
        ("s =~ /(?i)^t/", "1"),
        ("n like '7'", "1"),
    ] {
        assert_eq!(value(expression), expected, "{expression}");
    }
}

#[test]
fn absent_fields_are_equal_to_nothing() {
    for (expression, expected) in [
        ("none", "-"),
        ("none = 1", "0"),
        ("none != 1", "1"),
        ("none < 1", "0"),
        ("none = other", "0"),
        ("none != other", "0"),
        ("none + 1", "-"),
        ("none like 'a'", "0"),
        ("nil", "-"),
        ("ispresent(nil)", "0"),
        ("ispresent(n)", "1"),
        ("coalesce(none, nil, s, n)", "Text"),
        ("concat(none, 'a')", "a"),
        ("strlen(none)", "-"),
    ] {
        assert_eq!(value(expression), expected, "{expression}");
    }
}

#[test]
fn json_is_reached_by_path() {
    for (expression, expected) in [
        ("t", "1"),
        ("f", "0"),
        ("t = true", "1"),
        ("t = 1", "1"),
        ("f = 'false'", "1"),
        ("o.`a b`.0", "10"),
        ("o.`a b`[1].x", "deep"),
        ("`o`.`a b`[2]", "-"),
        ("o", r#"{"a b":[10,{"x":"deep"}]}"#),
        ("z", "150.00"),
        ("jsonParse('[1.50,{\"k\":\"v\"}]')", r#"[1.50,{"k":"v"}]"#),
        ("jsonParse('nonsense')", "-"),
        ("jsonStringify(o)", r#"{"a b":[10,{"x":"deep"}]}"#),
        ("jsonStringify(s)", "\"Text\""),
    ] {
        assert_eq!(value(expression), expected, "{expression}");
    }
}

#[test]
fn numeric_functions() {
    for (expression, expected) in [
        ("abs(-3.5)", "3.5"),
        ("ceil(1.2)", "2"),
        ("floor(-1.2)", "-2"),
        ("round(2.5)", "3"),
        ("round(2.345, 2)", "2.35"),
        ("sqrt(16)", "4"),
        ("sqrt(-1)", "-"),
        ("log(1)", "0"),
        ("greatest(1, n, 3)", "7"),
        ("least(4, n, none)", "4"),
        ("floor(haversine(52.52, 13.405, 48.8566, 2.3522))", "877"),
        ("GREATEST(1, 2)", "2"),
    ] {
        assert_eq!(value(expression), expected, "{expression}");
    }
}

#[test]
fn text_functions() {
    for (expression, expected) in [
        ("strlen('äöü')", "3"),
        ("toupper(s)", "TEXT"),
        ("tolower(s)", "text"),
        ("trim('  a ')", "a"),
        ("ltrim('xxa', 'x')", "a"),
        ("rtrim('a-+-', '+-')", "a"),
        ("trim('abcba', 'ab')", "c"),
        ("substr('0123456', 2)", "23456"),
        ("substr('0123456', 2, 3)", "234"),
        ("substr('äöü', 1, 1)", "ö"),
        ("substr('abc', 9)", ""),
        ("replace('a.b.c', '.', '-')", "a-b-c"),
        (
            "regex_replace('order 42 of 7', '(\\d+)', '<\\1>')",
            "order <42> of <7>",
        ),
        ("strcontains(s, 'ex')", "1"),
        ("strcontains(none, 'ex')", "0"),
        ("startsWith(s, 'Te')", "1"),
        ("endsWith(s, 'Te')", "0"),
        ("isempty('')", "1"),
        ("isempty(' ')", "0"),
        ("isblank(' ')", "1"),
        ("isblank(s)", "0"),
        ("concat(s, '-', n, '-', 1.5)", "Text-7-1.5"),
        ("urlencode('a b/ü')", "a%20b%2F%C3%BC"),
        ("urldecode('a%20b%2F%C3%BC+%zz')", "a b/ü %zz"),
        ("base64encode('lab')", "bGFi"),
        ("base64encode('la')", "bGE="),
        ("base64decode('bGE=')", "la"),
        ("base64decode('?')", "-"),
    ] {
        assert_eq!(value(expression), expected, "{expression}");
    }
}

#[test]
fn functions_of_time() {
    for (expression, expected) in [
        ("now()", "1790000000"),
        ("fromMillis(1732117500000)", "2024-11-20 15:45:00.000"),
        ("toMillis(fromMillis(1732117500123))", "1732117500123"),
        (
            "datefloor(fromMillis(1732117512345), 1h)",
            "2024-11-20 15:00:00.000",
        ),
        (
            "dateceil(fromMillis(1732117512345), 1d)",
            "2024-11-21 00:00:00.000",
        ),
        ("bin(1d)", "1970-01-01 00:00:00.000"),
        ("@timestamp", "1970-01-01 00:00:00.000"),
        ("@ingestionTime", "1970-01-01 00:00:00.500"),
        ("@timestamp = 0", "1"),
        ("@log", "123456789012:/aws/lambda/worker"),
        ("@logStream", "2026/09/20/[$LATEST]0123"),
    ] {
        assert_eq!(value(expression), expected, "{expression}");
    }
}

#[test]
fn network_functions() {
    for (expression, expected) in [
        ("isValidIp('10.0.0.1')", "1"),
        ("isValidIp('::1')", "1"),
        ("isValidIp('10.0.0.256')", "0"),
        ("isValidIpV4('::1')", "0"),
        ("isValidIpV6('::1')", "1"),
        ("isIpInSubnet('10.1.2.3', '10.0.0.0/8')", "1"),
        ("isIpv4InSubnet('11.1.2.3', '10.0.0.0/8')", "0"),
        ("isIpv6InSubnet('fe80::1', 'fe80::/10')", "1"),
        ("isIpInSubnet('10.1.2.3', 'fe80::/10')", "0"),
        ("isIpInSubnet('10.1.2.3', '0.0.0.0/0')", "1"),
        ("isIpInSubnet('10.1.2.3', 'nonsense')", "0"),
    ] {
        assert_eq!(value(expression), expected, "{expression}");
    }
}

#[test]
fn case_takes_the_first_that_holds() {
    for (expression, expected) in [
        ("case(n > 5, 'large', n > 1, 'medium', 'small')", "large"),
        ("case(n > 50, 'large', n > 1, 'medium', 'small')", "medium"),
        ("case(n > 50, 'large', 'small')", "small"),
        ("case(n > 50, 'large')", "-"),
    ] {
        assert_eq!(value(expression), expected, "{expression}");
    }
}

/// Only in the groups of functions is JSON found behind text.
#[test]
fn json_behind_text_is_discovered_in_lambda_groups_only() {
    let log = lines(["2026 INFO {\"color\":\"red\"}"]);
    let query = "filter ispresent(color) | stats count(*)";
    assert_eq!(table(&run(query, &log)), [["1"]]);
    let options = Options {
        lambda_group: false,
        ..Options::default()
    };
    assert_eq!(table(&run_with(query, &log, &options)), [["0"]]);
}

#[test]
fn the_lines_of_lambda_have_their_fields() {
    let log = lines([
        "START RequestId: 8f1e-1 Version: $LATEST\n",
        "END RequestId: 8f1e-1\n",
        "REPORT RequestId: 8f1e-1\tDuration: 3.01 ms\tBilled Duration: 4 ms\tMemory Size: 128 MB\tMax Memory Used: 36 MB\t\n",
    ]);
    let query = "filter @type = 'REPORT' | stats max(@memorySize / 1000 / 1000) as size, max(@maxMemoryUsed / 1000 / 1000) as used, avg(@duration), sum(@billedDuration) by @requestId";
    assert_eq!(
        table(&run(query, &log)),
        [["8f1e-1", "128", "36", "3.01", "4"]]
    );
}

/// J19: the text of an amount is not changed by passing through.
#[test]
fn numbers_that_are_only_read_keep_their_digits() {
    let log = lines([r#"{"amount":150.00,"id":955512908123456789}"#]);
    assert_eq!(
        table(&run("display amount, id", &log)),
        [["150.00", "955512908123456789", "0"]]
    );
    let query = "filter id = 955512908123456789 | stats max(amount), latest(id) by amount";
    assert_eq!(
        table(&run(query, &log)),
        [["150.00", "150.00", "955512908123456789"]]
    );
    assert_eq!(
        table(&run(
            "filter id = 955512908123456788 | stats count(*)",
            &log
        )),
        [["0"]]
    );
}

/// However a text is spelt in the JSON, it equals itself.
#[test]
fn escaped_values_are_found_by_equality() {
    let log = lines([
        r#"{"type":"charge"}"#,
        r#"{"type":"\u0063harge"}"#,
        r#"{"type":"char\u0067e","note":"charge"}"#,
        r#"{"type":"refund","note":"charge"}"#,
        r#"{"type":"sla\/sh"}"#,
        r#"{"flag":true,"type":150.00}"#,
    ]);
    for (condition, count) in [
        ("type = 'charge'", "3"),
        ("type = 'sla/sh'", "1"),
        ("flag = 'TRUE'", "1"),
        ("type = '150'", "1"),
        ("type = ''", "0"),
    ] {
        let query = format!("filter {condition} | stats count(*)");
        assert_eq!(table(&run(&query, &log)), [[count]], "{condition}");
    }
}
