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
         | stats count(*) as n, max(a) by b | sort n desc | limit 5",
    );
    assert_eq!(
        query.expect("a query").explain(),
        "scan 'orders'\n\
         per event: filter\n\
         per event: discover in the first JSON object: `type`\n\
         per event: filter\n\
         per event: parse a pattern with 2 wildcards\n\
         aggregate Count, Greatest by 1 values\n\
         per row: copy slot 1 to slot 3\n\
         keep 5 rows, ordered by slot 3 descending\n\
         columns: `b`, `n`, `max(a)`\n"
    );
}
