//! The adapters against each other: the same operations, the same answers.

use std::sync::Arc;

use lab::ports::{AttributeValue, Claims, Condition, Item, PortError, Timestamp, WriteOutcome};
use proptest::prelude::*;

use crate::clock::{ManualClock, block_on};
use crate::suite::BY;

/// One call of the port.
#[derive(Clone, Debug)]
enum Call {
    Get(String),
    Put(Item, Condition),
    Update(String, Item, Condition),
    Delete(String, Condition),
    PutAll(Vec<(Item, Condition)>),
    Scan,
}

/// Everything that a call can answer.
#[derive(Debug, PartialEq)]
enum Answer {
    Item(Option<Item>),
    Outcome(WriteOutcome),
    Outcomes(Vec<WriteOutcome>),
    Items(Vec<Item>),
}

fn answer(table: &dyn Claims, call: Call) -> Result<Answer, PortError> {
    block_on(async {
        Ok(match call {
            Call::Get(key) => Answer::Item(table.get(&BY, &key, true).await?),
            Call::Put(item, condition) => Answer::Outcome(table.put(&BY, item, condition).await?),
            Call::Update(key, set, condition) => {
                Answer::Outcome(table.update(&BY, &key, set, condition).await?)
            }
            Call::Delete(key, condition) => {
                Answer::Outcome(table.delete(&BY, &key, condition).await?)
            }
            Call::PutAll(puts) => Answer::Outcomes(table.put_all(&BY, puts).await?),
            Call::Scan => Answer::Items(table.scan(&BY).await?),
        })
    })
}

/// Few keys, so that calls meet; now and then one that is refused.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        20 => prop::sample::select(vec!["A", "B", "C"]).prop_map(str::to_owned),
        1 => Just(String::new()),
        1 => Just("x".repeat(2049)),
    ]
}

/// Seconds and milliseconds on both sides of 100 s.
fn moment() -> impl Strategy<Value = Timestamp> {
    prop::sample::select(vec![
        0, 98_999, 99_999, 100_000, 100_001, 100_999, 101_000, 101_001,
    ])
    .prop_map(Timestamp::from_millis)
}

fn condition() -> impl Strategy<Value = Condition> {
    let equals = (
        prop::sample::select(vec!["status", "owner", "expiration", "orderId"]),
        prop::sample::select(vec!["INPROGRESS", "m-1", "A", "100", ""]),
    );
    prop_oneof![
        Just(Condition::Always),
        Just(Condition::Absent),
        moment().prop_map(|now| Condition::AbsentOrExpired { now }),
        equals.prop_map(|(attribute, value)| Condition::Equals {
            attribute,
            value: value.to_owned(),
        }),
    ]
}

fn number() -> impl Strategy<Value = AttributeValue> {
    let written = [
        "99",
        "100",
        "101",
        "99.5",
        "100.0",
        "1e2",
        "0100",
        "99999",
        "100000",
        "100001",
        "-1",
        "0",
        "9.9e1",
        "1e40",
        "123456789012345678901234567890",
        "0.1",
    ];
    prop_oneof![
        30 => prop::sample::select(written.to_vec()).prop_map(str::to_owned),
        1 => prop::sample::select(vec!["", "soon", "1e126"]).prop_map(str::to_owned),
        3 => "-?[0-9]{1,20}(\\.[0-9]{1,5})?(e-?[0-9]{1,2})?",
    ]
    .prop_map(AttributeValue::Number)
}

fn text(values: &'static [&'static str]) -> impl Strategy<Value = AttributeValue> {
    prop::sample::select(values).prop_map(AttributeValue::from)
}

/// Attributes that conditions read. At most one of them can be at fault: which of two the
/// database names first is chance.
fn attributes() -> impl Strategy<Value = Item> {
    let time = prop_oneof![4 => number(), 1 => text(&["100", "101000", ""])];
    let place = prop::sample::select(vec!["expiration", "inProgressExpiration"]);
    let status = prop::option::of(text(&["INPROGRESS", "COMPLETED", "100"]));
    let owner = prop::option::of(text(&["m-1", "m-2"]));
    let lease = prop::option::of(prop::sample::select(vec!["99999", "100000", "100001"]));
    (prop::option::of((place, time)), status, owner, lease).prop_map(
        |(time, status, owner, lease)| {
            let lease = lease.map(|text| AttributeValue::Number(text.to_owned()));
            let named = [
                ("status", status),
                ("owner", owner),
                ("inProgressExpiration", lease),
            ];
            let named = named
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?)));
            named
                .chain(time)
                .map(|(name, value)| (name.to_owned(), value))
                .collect()
        },
    )
}

fn item() -> impl Strategy<Value = Item> {
    let key = prop_oneof![
        30 => key().prop_map(|key| Some(AttributeValue::Text(key))),
        1 => Just(None),
        1 => Just(Some(AttributeValue::Number("1".to_owned()))),
        1 => Just(Some(AttributeValue::Number("1.0".to_owned()))),
    ];
    (key, attributes()).prop_map(|(key, mut item)| {
        item.extend(key.map(|key| ("orderId".to_owned(), key)));
        item
    })
}

fn set() -> impl Strategy<Value = Item> {
    let key = prop::option::weighted(0.05, text(&["A", "B"]));
    let nameless = prop::option::weighted(0.05, text(&["x"]));
    (attributes(), key, nameless).prop_map(|(mut set, key, nameless)| {
        set.extend(key.map(|key| ("orderId".to_owned(), key)));
        set.extend(nameless.map(|value| (String::new(), value)));
        set
    })
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        2 => key().prop_map(Call::Get),
        6 => (item(), condition()).prop_map(|(item, condition)| Call::Put(item, condition)),
        4 => (key(), set(), condition()).prop_map(|(key, set, condition)| {
            Call::Update(key, set, condition)
        }),
        2 => (key(), condition()).prop_map(|(key, condition)| Call::Delete(key, condition)),
        3 => prop::collection::vec((item(), condition()), 0..4).prop_map(Call::PutAll),
        1 => Just(Call::Scan),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_tables_give_the_same_answers(calls in prop::collection::vec(call(), 1..30)) {
        let clock = Arc::new(ManualClock::new());
        let database = crate::dynoxide(&clock);
        let memory = crate::memory(&clock);
        for call in calls {
            let expected = answer(&database, call.clone());
            let actual = answer(&memory, call.clone());
            prop_assert_eq!(actual, expected, "{:?}", call);
        }
        let expected = answer(&database, Call::Scan);
        prop_assert_eq!(answer(&memory, Call::Scan), expected);
    }
}
