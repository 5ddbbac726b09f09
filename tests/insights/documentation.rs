//! Every form of query that AWS documents is understood, planned and run.

use lab::insights::{Options, SliceSource, compile};

use crate::support::{charges_log, lines, records, run, table};

const QUERIES: &str = include_str!("../data/insights/documented-queries.txt");

fn queries() -> Vec<&'static str> {
    let blocks = QUERIES.split("---").skip(1);
    blocks
        .map(|block| block.split_once('\n').map_or("", |(_, query)| query).trim())
        .collect()
}

#[test]
fn every_documented_form_compiles_explains_itself_and_runs() {
    let log = charges_log();
    let queries = queries();
    assert_eq!(queries.len(), 77);
    for text in queries {
        let query = compile(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        let plan = query.explain();
        assert!(plan.starts_with("scan "), "{text}\n{plan}");
        let output = query
            .run(&mut SliceSource::new(records(&log)), &Options::default())
            .unwrap_or_else(|error| panic!("{text}\n{error}"));
        assert!(
            output
                .rows
                .iter()
                .all(|row| row.len() == output.columns.len()),
            "{text}"
        );
    }
}

#[test]
fn over_provisioned_memory_is_calculated_from_results_of_the_same_stats() {
    let log = lines([
        "REPORT RequestId: 8f1e-1\tDuration: 3.01 ms\tBilled Duration: 4 ms\tMemory Size: 128 MB\tMax Memory Used: 36 MB\t\n",
    ]);
    let query = queries()
        .into_iter()
        .find(|query| query.contains("overProvisionedMB"));
    let output = run(query.expect("a query"), &log);
    assert_eq!(table(&output), [["128", "36", "36", "36", "92"]]);
}

#[test]
fn a_plan_tells_what_is_done_in_which_order() {
    let query = compile(
        "SOURCE 'orders' | filter type = 'x' and @message like /y/ | parse @message '* *' as a, b
         | stats count(*) as n, max(a) / 2 as half by b | sort n desc | limit 5",
    );
    assert_eq!(
        query.expect("a query").explain(),
        "scan 'orders'\n\
         per event: keep if (@message like /y/)\n\
         per event: discover type in the first JSON object\n\
         per event: keep if (type = \"x\")\n\
         per event: parse @message into a, b\n\
         aggregate count(*), max(a) by b\n\
         per row: half = (max(a) / 2)\n\
         keep the first 5 rows, by n desc\n\
         columns: b, n, half\n"
    );
}

/// What an explanation says of the filters is a query again, and the same one.
#[test]
fn explained_conditions_of_documented_queries_are_queries() {
    let mut conditions = 0;
    for text in queries() {
        let plan = compile(text).expect("a query").explain();
        for line in plan
            .lines()
            .filter(|line| line.starts_with("per event: keep if "))
        {
            let condition = line.trim_start_matches("per event: keep if ");
            if condition.contains("subquery") {
                continue;
            }
            let again = compile(&format!("filter {condition}"));
            let again = again
                .unwrap_or_else(|error| panic!("{condition}\n{error}"))
                .explain();
            assert!(again.lines().any(|other| other == line), "{line}\n{again}");
            conditions += 1;
        }
    }
    assert_eq!(conditions, 33);
}

/// Layout, comments and the case of keywords do not matter.
#[test]
fn layout_does_not_change_a_plan() {
    for text in queries().into_iter().filter(|text| !text.contains('#')) {
        let spread = text
            .replace(" | ", "\n  # comment | limit 1\n\t|  ")
            .replace("stats ", "STATS  ");
        let plan = |text: &str| {
            compile(text)
                .unwrap_or_else(|error| panic!("{error}"))
                .explain()
        };
        assert_eq!(plan(&spread), plan(text));
    }
}
