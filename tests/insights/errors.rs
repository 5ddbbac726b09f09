//! Texts that are no queries: the place, what was expected, what to do.

use lab::insights::compile;

use crate::support::refused;

#[test]
fn an_error_shows_line_column_and_caret() {
    assert_eq!(
        refused("fields @message\n| filtr level = 'ERROR'"),
        "line 2, column 3: unknown command `filtr`\n\
         \x20 | filtr level = 'ERROR'\n\
         \x20   ^^^^^\n\
         (hint: did you mean `filter`?)"
    );
}

#[test]
fn offsets_count_characters() {
    let error = compile("# ä\nfilter 'ö' ==  1").expect_err("no query");
    assert_eq!((error.line(), error.column()), (2, 13));
    assert_eq!(
        (error.start_char_offset(), error.end_char_offset()),
        (16, 17)
    );
    assert_eq!(error.message(), "`==` is not an operator");
    assert_eq!(error.hint(), Some("write `=`"));
}

/// Each text with its message and hint.
const CASES: &[(&str, &str, &str)] = &[
    (
        "",
        "the query is empty; expected a command",
        "for example `fields @timestamp, @message | limit 20`",
    ),
    (
        "# only a comment",
        "the query is empty; expected a command",
        "for example `fields @timestamp, @message | limit 20`",
    ),
    (
        "fields a |",
        "expected a command, found the end of the query",
        "a query is commands with `|` between them, such as `filter … | stats …`",
    ),
    (
        "filter a = 1 stats count(*)",
        "expected `|` or the end of the query, found `stats`",
        "",
    ),
    (
        "fields a | count(*)",
        "unknown command `count`",
        "`count` belongs behind `stats`: `stats count(…)`",
    ),
    (
        "where a = 1",
        "unknown command `where`",
        "the command is called `filter`",
    ),
    (
        "anomaly",
        "`anomaly` cannot be run here: anomaly detection uses models that are trained inside of CloudWatch",
        "",
    ),
    (
        "filterIndex a = 1",
        "`filterIndex` cannot be run here: field indexes exist in CloudWatch only; write `filter` with the same condition",
        "",
    ),
    (
        "unmask @message",
        "`unmask` cannot be run here: unmasking needs a data protection policy and `logs:Unmask` in CloudWatch",
        "",
    ),
    (
        "lookup t k OUTPUT v",
        "`lookup` cannot be run here: lookup tables are stored in CloudWatch",
        "",
    ),
    (
        "relevantfields",
        "`relevantfields` cannot be run here: the relevance of fields is computed by CloudWatch in an undocumented way",
        "",
    ),
    (
        "parse @message csv as a",
        "`parse … csv` cannot be run here: its syntax is undocumented",
        "",
    ),
    (
        "fields strlenn(a)",
        "unknown function `strlenn`",
        "did you mean `strlen`?",
    ),
    (
        "stats cuont(*)",
        "unknown function `cuont`",
        "did you mean `count`?",
    ),
    (
        "fields count(*)",
        "`count` is an aggregate function; it stands behind `stats` only",
        "",
    ),
    (
        "filter sum(a) > 3",
        "`sum` is an aggregate function; it stands behind `stats` only",
        "",
    ),
    (
        "stats a",
        "`a` has no aggregate function",
        "`stats` takes functions such as count(*), sum(x) or avg(x); fields stand behind `by`",
    ),
    (
        "stats sum(count(*))",
        "`count` is an aggregate function; it stands behind `stats` only",
        "",
    ),
    (
        "fields a as x, b as x",
        "the name `x` is already given to another field",
        "choose another name behind `as`",
    ),
    (
        "parse @message '*' as x | parse @message /(?<x>a)/",
        "the name `x` is already given to another field",
        "choose another name behind `as`",
    ),
    (
        "stats count(*) as n, sum(a) as n",
        "the name `n` is already given to another column",
        "choose another name behind `as`",
    ),
    (
        "stats count(*) by bin(300s)",
        "seconds go up to 60 in a period, not 300",
        "write `5m`",
    ),
    (
        "stats count(*) by bin(a)",
        "expected a period, as in `bin(5m)`",
        "",
    ),
    (
        "stats count(*) by bin(5parsecs)",
        "`parsecs` is not a unit of time",
        "units are ms, s, m, h, d, w, mo, q, y",
    ),
    (
        "stats count(*) as n by a | stats sum(n) by a | stats max(a)",
        "a query has at most two `stats`",
        "",
    ),
    (
        "stats count(*) as n by a | sort n desc | stats max(n)",
        "`sort` and `limit` stand behind the second `stats`",
        "move this command to the end",
    ),
    (
        "stats count(*) as n by level | sort host desc",
        "there is no field `host` behind `stats`",
        "`stats` leaves: level, n",
    ),
    (
        "stats count(*) as total by level | filter totl > 1",
        "there is no field `totl` behind `stats`",
        "did you mean `total`?",
    ),
    (
        "stats count(*) by a | stats count(*) by bin(1h)",
        "`bin` needs `@timestamp`, which `stats` took away",
        "name it in the first `stats`, as in `by bin(1h) as t`, and use `t` here",
    ),
    (
        "dedup a | filter b = 1",
        "only `limit` can stand behind `dedup`",
        "put `dedup` last",
    ),
    (
        "parse @message 'a * b *' as x",
        "the pattern has 2 `*` and `as` gives 1 name",
        "",
    ),
    (
        "parse @message 'a *' as order-id",
        "`order-id` is not a name: a hyphen is a minus",
        "write `order_id`, or put `order-id` in backticks",
    ),
    (
        "parse @message /(\\d+)/",
        "the regular expression has no named group",
        "write `(?<name>…)` around what becomes a field",
    ),
    (
        "parse @message /(?<a>x)/ as y",
        "expected named groups in the regular expression, found `as`",
        "write `(?<name>…)` inside; `as` belongs to a \"* pattern\"",
    ),
    (
        "filter a like b",
        "expected a string or a regular expression behind `like`, found `b`",
        "write `b` in quotes",
    ),
    (
        "filter a like /x(?!y)/",
        "regular expressions have no lookahead `(?!…)` here",
        "CloudWatch uses an engine that never goes back; match the text around instead",
    ),
    (
        "filter a like /x",
        "this regular expression is never closed",
        "it ends at the next `/`; write a slash inside as `\\/`",
    ),
    (
        "filter a = /x/",
        "a comparison takes no regular expression",
        "write `like /…/` or `=~ /…/`",
    ),
    ("filter a = 'x", "this string is never closed", ""),
    ("filter a <> 1", "`<>` is not an operator", "write `!=`"),
    (
        "filter a = 1 && b = 2",
        "unexpected character `&`",
        "write `and`",
    ),
    (
        "filter a = null",
        "there is no value `null`",
        "write `ispresent(field)` or `not ispresent(field)`",
    ),
    (
        "filter a = “x”",
        "unexpected character `“`",
        "these are typographic quotes; write \" or '",
    ),
    (
        "filter a = 1 # comment",
        "unexpected character `#`",
        "a comment is a line of its own that begins with `#`",
    ),
    ("fields `a", "this backtick is never closed", ""),
    (
        "filter (a = 1",
        "expected `)` to close the parenthesis, found the end of the query",
        "",
    ),
    (
        "filter a in [1, 2",
        "expected `,` or `]` in the list, found the end of the query",
        "",
    ),
    (
        "filter a not 1",
        "expected `like` or `in` behind `not`, found the number `1`",
        "",
    ),
    (
        "fields substr(a)",
        "`substr` takes 2 to 3 arguments, not 1",
        "",
    ),
    ("fields now(1)", "`now` takes no arguments, not 1", ""),
    ("stats pct(a)", "`pct` takes 2 arguments, not 1", ""),
    (
        "stats pct(a, 101)",
        "the percentile is a number from 0 to 100, as in `pct(x, 95)`",
        "",
    ),
    ("limit 0", "`limit` takes 1 to 100000 rows, not 0", ""),
    (
        "limit 100001",
        "`limit` takes 1 to 100000 rows, not 100001",
        "",
    ),
    ("limit many", "expected a number of rows, found `many`", ""),
    (
        "sort @timestamp up",
        "expected `|` or the end of the query, found `up`",
        "",
    ),
    (
        "diff previousWek",
        "expected `previousDay`, `previousWeek`, `previousMonth` or nothing, found `previousWek`",
        "did you mean `previousWeek`?",
    ),
    (
        "stats count(*) | pattern @message",
        "there is no field `@message` behind `stats`",
        "`stats` leaves: count(*)",
    ),
    (
        "fields a | source 'b'",
        "`SOURCE` stands at the beginning of a query only",
        "",
    ),
    (
        "source logGroups(namePrefx: ['a']) | fields a",
        "expected `namePrefix`, `accountIdentifiers` or `class`, found `namePrefx`",
        "did you mean `namePrefix`?",
    ),
    (
        "source logGroups(namePrefix: ['a','b','c','d','e','f']) | fields a",
        "`namePrefix` takes at most 5 values",
        "",
    ),
    (
        "filter a in (source 'b' | fields x, y)",
        "a subquery behind `in` gives one column; this one gives 2: x, y",
        "end it with `| fields name`",
    ),
    (
        "filter a in (source 'b' | filter c in (source 'd' | fields e) | fields x)",
        "a subquery cannot contain another one",
        "",
    ),
    (
        "join left=a right=b where a.x = a.y (source 'g')",
        "`where` compares a field of the left side with one of the right",
        "",
    ),
    (
        "join type=outer left=a right=b where a.x = b.y (source 'g')",
        "expected `inner` or `left`, found `outer`",
        "",
    ),
    (
        "join left=a right=a where a.x = a.y (source 'g')",
        "both sides of the join are called `a`",
        "",
    ),
    ("fields 1.5x", "`1.5x` is not a number", ""),
    (
        "fields 5m",
        "a period such as `5m` stands in `bin(5m)` only",
        "",
    ),
    (
        "fields and",
        "expected a field, a value or a function, found `and`",
        "",
    ),
];

#[test]
fn every_refusal_says_what_and_what_to_do() {
    for (text, message, hint) in CASES {
        let error = match compile(text) {
            Ok(_) => panic!("compiles: {text}"),
            Err(error) => error,
        };
        assert_eq!(error.message(), *message, "{text}");
        assert_eq!(error.hint().unwrap_or_default(), *hint, "{text}");
    }
}

#[test]
fn long_and_deep_texts_are_refused() {
    let long = format!("fields {}", "a".repeat(10_000));
    assert!(refused(&long).contains("the query has 10007 characters; 10000 are allowed"));
    for deep in [
        format!("filter {}a{}", "(".repeat(500), ")".repeat(500)),
        format!("filter {} a", "not ".repeat(2000)),
        format!("fields {}1", "-".repeat(5000)),
        format!("fields 1{}", "^1".repeat(3000)),
        format!("fields {}1{}", "abs(".repeat(900), ")".repeat(900)),
    ] {
        assert!(
            refused(&deep).contains("this is nested too deeply"),
            "{}",
            &deep[..40]
        );
    }
    let sum = format!("fields 1{}", "+1".repeat(3000));
    assert!(refused(&sum).contains("this calculation is too long"));
}
