//! Properties: the algebra of filters, aggregates against a naive fold, and texts of any kind.

use std::collections::BTreeMap;

use lab::insights::{Options, SliceSource, compile};
use proptest::prelude::*;

use crate::support::{records, run, table};

const SEEDS: &str = include_str!("../data/insights/documented-queries.txt");

/// One event: its group, if any, and a number, if any.
fn events() -> impl Strategy<Value = Vec<(Option<u8>, Option<i32>)>> {
    let event = (prop::option::of(0..5_u8), prop::option::of(-1000..1000_i32));
    prop::collection::vec(event, 0..60)
}

fn log(events: &[(Option<u8>, Option<i32>)]) -> Vec<String> {
    let line = |(group, number): &(Option<u8>, Option<i32>)| {
        let group = group.map(|group| format!("\"g\":\"g{group}\""));
        let number = number.map(|number| format!("\"x\":{number}"));
        let parts: Vec<String> = group.into_iter().chain(number).collect();
        format!("{{{}}}", parts.join(","))
    };
    events.iter().map(line).collect()
}

fn count(filter: &str, log: &[String]) -> u64 {
    let output = run(&format!("filter {filter} | stats count(*)"), log);
    table(&output)[0][0].parse().expect("a count")
}

fn condition() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (-10..10_i32).prop_map(|n| format!("x > {n}")),
        (0..5_u8).prop_map(|g| format!("g = 'g{g}'")),
        Just("ispresent(x)".to_owned()),
        Just("g in ['g1', 'g2']".to_owned()),
        Just("@message like /1/".to_owned()),
        Just("x * 2 + 1 <= 7 ^ 2".to_owned()),
    ];
    leaf.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} and {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} or {b})")),
            inner.prop_map(|a| format!("not ({a})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn filters_obey_the_laws_of_logic(events in events(), a in condition(), b in condition()) {
        let log = log(&events);
        let all = log.len() as u64;
        prop_assert_eq!(count(&a, &log) + count(&format!("not ({a})"), &log), all);
        prop_assert_eq!(count(&format!("not not ({a})"), &log), count(&a, &log));
        let both = count(&format!("{a} and {b}"), &log);
        let either = count(&format!("{a} or {b}"), &log);
        prop_assert_eq!(both + either, count(&a, &log) + count(&b, &log));
        prop_assert_eq!(count(&format!("{a} | filter {b}"), &log), both);
        prop_assert_eq!(count(&format!("not ({a} and {b})"), &log), count(&format!("not ({a}) or not ({b})"), &log));
    }

    /// A condition as the plan shows it is the condition.
    #[test]
    fn conditions_survive_being_explained(condition in condition(), events in events()) {
        let plan = compile(&format!("filter ({condition}) or 1 = 2")).expect("a query").explain();
        let shown = plan.lines().find_map(|line| line.strip_prefix("per event: keep if "));
        let shown = shown.expect("a filter");
        let again = compile(&format!("filter {shown}")).expect("a query").explain();
        prop_assert!(again.contains(shown), "{} {}", shown, again);
        let log = log(&events);
        prop_assert_eq!(count(shown, &log), count(&condition, &log));
    }

    #[test]
    fn aggregates_are_those_of_a_naive_fold(events in events()) {
        let mut groups: BTreeMap<Option<u8>, Vec<Option<i32>>> = BTreeMap::new();
        for (group, number) in &events {
            groups.entry(*group).or_default().push(*number);
        }
        let expected: Vec<Vec<String>> = groups
            .into_iter()
            .map(|(group, numbers)| {
                let mut present: Vec<i32> = numbers.iter().flatten().copied().collect();
                let sum: i32 = present.iter().sum();
                let shown = |number: Option<&i32>| number.map_or("-".to_owned(), i32::to_string);
                let (least, greatest) = (shown(present.iter().min()), shown(present.iter().max()));
                let count = present.len();
                present.sort_unstable();
                present.dedup();
                vec![
                    group.map_or("-".to_owned(), |group| format!("g{group}")),
                    numbers.len().to_string(),
                    count.to_string(),
                    present.len().to_string(),
                    sum.to_string(),
                    least,
                    greatest,
                ]
            })
            .collect();
        let query = "stats count(*), count(x), count_distinct(x), sum(x), min(x), max(x) by g | sort g asc";
        prop_assert_eq!(table(&run(query, &log(&events))), expected);
    }

    #[test]
    fn parts_never_change_a_result(events in events(), cut in 0..60_usize) {
        let log = log(&events);
        let records = records(&log);
        let cut = cut.min(records.len());
        for text in [
            "stats count(*), sum(x), avg(x), stddev(x), pct(x, 75), latest(x) by g",
            "fields g, x | sort x desc | limit 7",
            "fields g, x | sort x asc | dedup g",
            "filter x > 0 | stats count_distinct(x)",
        ] {
            let query = compile(text).expect("a query");
            let whole = query.run(&mut SliceSource::new(records.clone()), &Options::default());
            let (left, right) = records.split_at(cut);
            let mut parts = [left, right].map(|part| SliceSource::new(part.iter().copied()));
            prop_assert_eq!(query.run_parts(&mut parts, &Options::default()), whole);
        }
    }

    #[test]
    fn sorted_rows_are_in_order_and_a_limit_is_a_prefix(events in events(), limit in 1..20_usize) {
        let log = log(&events);
        let whole = table(&run("fields x, g | sort x asc, g desc", &log));
        let cut = table(&run(&format!("fields x, g | sort x asc, g desc | limit {limit}"), &log));
        prop_assert_eq!(&cut[..], &whole[..limit.min(whole.len())]);
        let numbers: Vec<i32> = whole.iter().filter_map(|row| row[0].parse().ok()).collect();
        prop_assert!(numbers.is_sorted());
    }

    /// Any text is a query or an error that can be shown, with a place inside of the text.
    #[test]
    fn any_text_compiles_or_is_refused(text in "(\\PC|\\s){0,120}") {
        if let Err(error) = compile(&text) {
            prop_assert!(error.start_char_offset() <= error.end_char_offset());
            prop_assert!(error.end_char_offset() <= text.chars().count());
            prop_assert!(!error.to_string().is_empty());
        }
    }

    /// Documented queries with pieces cut out, doubled and exchanged, over lines of any kind.
    #[test]
    fn mutated_queries_over_any_lines_never_panic(
        seed in 0..77_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4_u8), 0..4),
        lines in prop::collection::vec("(\\PC|[{}\":,\\[\\]\\\\\t\n0-9]|\"type\":|REPORT RequestId: ){0,60}", 0..8),
        lambda_group in any::<bool>(),
    ) {
        let text = mutate(seed, &changes);
        if let Ok(query) = compile(&text) {
            let options = Options { lambda_group, memory_limit_bytes: 1 << 20, ..Options::default() };
            let result = query.run(&mut SliceSource::new(records(&lines)), &options);
            prop_assert!(result.is_ok(), "{}", text);
            query.explain();
        }
    }
}

fn mutate(seed: usize, changes: &[(prop::sample::Index, prop::sample::Index, u8)]) -> String {
    let query = SEEDS
        .split("---")
        .nth(seed + 1)
        .and_then(|block| block.split_once('\n'));
    let mut words: Vec<String> = Vec::new();
    for character in query.map_or("", |(_, query)| query).chars() {
        match words.last_mut() {
            Some(word) if character.is_alphanumeric() && word.ends_with(char::is_alphanumeric) => {
                word.push(character);
            }
            _ => words.push(character.to_string()),
        }
    }
    for (at, to, kind) in changes {
        if words.is_empty() {
            break;
        }
        let (at, to) = (at.index(words.len()), to.index(words.len()));
        match kind {
            0 => drop(words.remove(at)),
            1 => words.swap(at, to),
            2 => words.insert(to, words[at].clone()),
            _ => words.truncate(at),
        }
    }
    words.concat()
}

/// Expressions that take exponential time elsewhere take linear time here: this test would not
/// end otherwise.
#[test]
fn explosive_expressions_are_harmless() {
    let line = "a".repeat(200_000);
    for regex in ["(a+)+$", "(a|aa)+b", "(.*a){20}b", "(a*)*c"] {
        let query =
            format!("filter @message like /{regex}/ or @message like /^a/ | stats count(*)");
        assert_eq!(
            table(&run(&query, std::slice::from_ref(&line))),
            [["1"]],
            "{regex}"
        );
    }
    let braces = "{\"a\":".repeat(50_000);
    assert_eq!(table(&run("stats count(*) by a", &[braces])), [["-", "1"]]);
    let stars = format!(
        "parse @message '{}' as {}",
        "*x".repeat(40),
        (0..40)
            .map(|n| format!("n{n}"))
            .collect::<Vec<_>>()
            .join(", ")
    );
    assert_eq!(run(&stars, &["y".repeat(100_000)]).rows.len(), 1);
}
