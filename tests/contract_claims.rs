//! The contract of the Claims port, held by every adapter.

#[path = "contract/clock.rs"]
mod clock;
#[path = "contract/claims_limits.rs"]
mod limits;
#[path = "contract/claims_property.rs"]
mod property;
#[path = "contract/claims_suite.rs"]
mod suite;

use std::sync::Arc;
use std::time::Duration;

use clock::{ManualClock, START, block_on};
use lab::cloud::claims::{DynoxideClaims, MemoryClaims};
use lab::ports::{Claims, Clock, Condition};
use suite::{BY, item, number};

/// One module of tests per adapter; each test gets an empty table of its own.
macro_rules! contract {
    ($($adapter:ident: $constructor:expr;)+) => { $(
        mod $adapter {
            use super::*;
            contract!(@tests $constructor;
                suite::a_lost_claim_shows_the_item_that_stands_there,
                suite::a_put_replaces_the_whole_item,
                suite::an_expired_item_still_stands,
                suite::a_window_ends_after_its_last_second,
                suite::a_lease_ends_after_its_last_millisecond_and_only_in_progress,
                suite::numbers_compare_as_numbers,
                suite::equals_needs_the_very_text,
                suite::an_update_sets_and_creates,
                suite::an_update_may_not_set_the_key,
                suite::a_delete_needs_its_condition_but_not_an_item,
                suite::a_scan_is_ordered_by_key,
                suite::a_scan_is_complete_beyond_one_page,
                suite::one_of_many_claims_at_once_wins,
                suite::refusals_are_final,
                limits::keys_have_1_to_2048_bytes,
                limits::an_item_needs_a_key_of_text_and_names,
                limits::numbers_are_stored_in_one_form,
                limits::what_is_no_number_is_refused,
                limits::items_have_at_most_400_kb,
                limits::a_transaction_applies_as_a_whole_or_not_at_all,
                limits::transactions_are_refused_as_a_whole,
            );
        }
    )+ };
    (@tests $constructor:expr; $($room:ident::$test:ident,)+) => { $(
        #[test]
        fn $test() {
            let table: Arc<dyn Claims> = Arc::new($constructor);
            block_on($room::$test(table));
        }
    )+ };
}

contract! {
    dynoxide: dynoxide(&Arc::new(ManualClock::new()));
    memory: memory(&Arc::new(ManualClock::new()));
}

fn dynoxide(clock: &Arc<ManualClock>) -> DynoxideClaims {
    let clock: Arc<dyn Clock> = Arc::<ManualClock>::clone(clock);
    DynoxideClaims::in_memory("orders", clock).expect("a table")
}

fn memory(clock: &Arc<ManualClock>) -> MemoryClaims {
    let clock: Arc<dyn Clock> = Arc::<ManualClock>::clone(clock);
    MemoryClaims::new(clock)
}

/// Puts items around the bounds of the time to live and expects those that a sweep leaves.
fn the_broom_sweeps(table: &dyn Claims, clock: &ManualClock, sweep: impl Fn() -> usize) {
    let now = START.as_secs();
    let five_years = 5 * 365 * 24 * 60 * 60;
    for (key, expiration) in [
        ("a-second-ago", number(now - 1)),
        ("five-years-ago", number(now - five_years)),
        ("in-milliseconds", number((now - 1) * 1000)),
        ("long-ago", number(now - five_years - 1)),
        ("now", number(now)),
        ("text", (now - 1).to_string().into()),
    ] {
        let put = table.put(
            &BY,
            item(key, &[("expiration", expiration)]),
            Condition::Absent,
        );
        block_on(put).expect("a put");
    }
    block_on(table.put(&BY, item("endless", &[]), Condition::Absent)).expect("a put");
    let left = || -> Vec<String> {
        let items = block_on(table.scan(&BY)).expect("a scan");
        items
            .iter()
            .map(|item| item["orderId"].as_str().to_owned())
            .collect()
    };
    assert_eq!(left().len(), 7, "nothing goes unasked");
    assert_eq!(sweep(), 2);
    assert_eq!(
        left(),
        ["endless", "in-milliseconds", "long-ago", "now", "text"]
    );
    assert_eq!(sweep(), 0);
    clock.advance(Duration::from_secs(1));
    assert_eq!(sweep(), 1);
    assert_eq!(left(), ["endless", "in-milliseconds", "long-ago", "text"]);
}

#[test]
fn the_broom_of_dynoxide_sweeps() {
    let clock = Arc::new(ManualClock::new());
    let table = dynoxide(&clock);
    the_broom_sweeps(&table, &clock, || table.sweep_expired().expect("a sweep"));
}

#[test]
fn the_broom_of_the_memory_sweeps() {
    let clock = Arc::new(ManualClock::new());
    let table = memory(&clock);
    the_broom_sweeps(&table, &clock, || table.sweep_expired());
}

#[test]
fn a_database_file_keeps_its_items_and_sweeps_by_our_clock() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("table.db");
    let clock = Arc::new(ManualClock::new());
    let open = || {
        let clock: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
        DynoxideClaims::open(&file, "orders", clock).expect("a table")
    };
    let claim = item("ORDER-003", &[("status", "CLAIMED".into())]);
    block_on(open().put(&BY, claim.clone(), Condition::Absent)).expect("a put");
    let table = open();
    assert_eq!(block_on(table.get(&BY, "ORDER-003", true)), Ok(Some(claim)));
    block_on(table.delete(&BY, "ORDER-003", Condition::Always)).expect("a delete");
    the_broom_sweeps(&table, &clock, || table.sweep_expired().expect("a sweep"));
}

#[test]
fn a_table_name_that_dynamodb_refuses_is_refused() {
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::new());
    let Err(error) = DynoxideClaims::in_memory("no", clock) else {
        panic!("two letters are too short for a table");
    };
    assert_eq!(
        (error.operation, error.code.as_str()),
        ("CreateTable", "ValidationException")
    );
}

/// Other people's consumers write what they like over the wire; the port shows it as DynamoDB
/// JSON instead of dropping it.
#[test]
fn attributes_of_other_types_are_shown() {
    use ::dynoxide::AttributeValue as Stored;
    let table = dynoxide(&Arc::new(ManualClock::new()));
    let data = [
        ("b".to_owned(), Stored::N("2.50".to_owned())),
        ("a".to_owned(), Stored::L(vec![Stored::NULL(true)])),
    ];
    let stored = [
        ("orderId".to_owned(), Stored::S("O".to_owned())),
        ("done".to_owned(), Stored::BOOL(true)),
        ("data".to_owned(), Stored::M(data.into())),
    ];
    let request = ::dynoxide::actions::put_item::PutItemRequest {
        table_name: table.table_name().to_owned(),
        item: stored.into(),
        ..Default::default()
    };
    table.database().put_item(request).expect("a put");
    let shown = item(
        "O",
        &[
            ("done", r#"{"BOOL":true}"#.into()),
            (
                "data",
                r#"{"M":{"a":{"L":[{"NULL":true}]},"b":{"N":"2.5"}}}"#.into(),
            ),
        ],
    );
    assert_eq!(block_on(table.get(&BY, "O", true)), Ok(Some(shown)));
}
