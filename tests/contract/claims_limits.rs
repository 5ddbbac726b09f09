//! What every adapter of the Claims port must refuse, and in which words; and what it does with
//! transactions.

use std::sync::Arc;

use lab::ports::{AttributeValue, Claims, Condition, Item, PortError, WriteOutcome};

use crate::suite::{BY, item, number};

const EMPTY_KEY: &str = "One or more parameter values are not valid. The AttributeValue for a key \
                         attribute cannot contain an empty string value. Key: orderId";
const LONG_KEY: &str = "One or more parameter values were invalid: Size of hashkey has exceeded \
                        the maximum size limit of2048 bytes";

fn validation<T>(operation: &'static str, message: &str) -> Result<T, PortError> {
    Err(PortError::rejected(
        operation,
        "ValidationException",
        message,
    ))
}

fn cancelled<T>(reasons: &str) -> Result<T, PortError> {
    let message = format!(
        "Transaction cancelled, please refer cancellation reasons for specific reasons [{reasons}]"
    );
    let code = "TransactionCanceledException";
    Err(PortError::rejected("TransactWriteItems", code, message))
}

pub(crate) async fn keys_have_1_to_2048_bytes(table: Arc<dyn Claims>) {
    // 513 characters of four bytes are too many.
    let long = ["x".repeat(2049), "🎉".repeat(513), "x".repeat(3000)];
    let refused = long.iter().map(|key| (key.as_str(), LONG_KEY));
    for (key, message) in refused.chain([("", EMPTY_KEY)]) {
        let always = || Condition::Always;
        let get = table.get(&BY, key, true).await;
        assert_eq!(get, validation("GetItem", message));
        let put = table.put(&BY, item(key, &[]), always()).await;
        assert_eq!(put, validation("PutItem", message));
        let update = table.update(&BY, key, Item::new(), always()).await;
        assert_eq!(update, validation("UpdateItem", message));
        let delete = table.delete(&BY, key, always()).await;
        assert_eq!(delete, validation("DeleteItem", message));
    }
    for key in [
        "x".repeat(2048),
        "🎉".repeat(512),
        " ".to_owned(),
        "a b 🎉".to_owned(),
    ] {
        let put = table.put(&BY, item(&key, &[]), Condition::Absent).await;
        assert_eq!(put, Ok(WriteOutcome::Applied));
        assert_eq!(table.get(&BY, &key, true).await, Ok(Some(item(&key, &[]))));
    }
}

pub(crate) async fn an_item_needs_a_key_of_text_and_names(table: Arc<dyn Claims>) {
    let keyless = Item::from([("status".to_owned(), "CLAIMED".into())]);
    let put = table.put(&BY, keyless.clone(), Condition::Absent).await;
    let missing = "One or more parameter values were invalid: Missing the key orderId in the item";
    assert_eq!(put, validation("PutItem", missing));
    let numbered = Item::from([("orderId".to_owned(), number(1))]);
    let put = table.put(&BY, numbered.clone(), Condition::Absent).await;
    let mismatch = "One or more parameter values were invalid: Type mismatch for key orderId \
                    expected: S actual: N";
    assert_eq!(put, validation("PutItem", mismatch));
    let nameless = item("O", &[("", "x".into())]);
    let put = table.put(&BY, nameless.clone(), Condition::Absent).await;
    let empty = "1 validation error detected: Empty attribute name";
    assert_eq!(put, validation("PutItem", empty));
    let set = Item::from([(String::new(), AttributeValue::from("x"))]);
    let update = table.update(&BY, "O", set, Condition::Absent).await;
    let empty = "1 validation error detected: ExpressionAttributeNames contains invalid value: \
                 Empty attribute name for key #s0";
    assert_eq!(update, validation("UpdateItem", empty));
    let transaction = |entry: Item| {
        table.put_all(
            &BY,
            vec![
                (item("P", &[]), Condition::Absent),
                (entry, Condition::Absent),
            ],
        )
    };
    assert_eq!(
        transaction(keyless).await,
        cancelled("None, ValidationError")
    );
    assert_eq!(
        transaction(numbered).await,
        cancelled("None, ValidationError")
    );
    assert_eq!(
        transaction(nameless).await,
        validation("TransactWriteItems", "Empty attribute name")
    );
    assert_eq!(table.scan(&BY).await, Ok(vec![]));
}

pub(crate) async fn numbers_are_stored_in_one_form(table: Arc<dyn Claims>) {
    for (written, stored) in [
        ("150.00", "150"),
        ("0042", "42"),
        ("-0", "0"),
        ("00", "0"),
        ("1.50", "1.5"),
        ("1e3", "1000"),
        ("1.5E-3", "0.0015"),
        ("+7", "7"),
        ("-7.10", "-7.1"),
        (
            "99999999999999999999999999999999999999",
            "99999999999999999999999999999999999999",
        ),
        ("1760000000", "1760000000"),
    ] {
        let put = table
            .put(&BY, item("O", &[("n", number(written))]), Condition::Always)
            .await;
        assert_eq!(put, Ok(WriteOutcome::Applied), "{written}");
        let expected = item("O", &[("n", number(stored))]);
        assert_eq!(
            table.get(&BY, "O", true).await,
            Ok(Some(expected.clone())),
            "{written}"
        );
        let set = Item::from([("n".to_owned(), number(written))]);
        table
            .update(&BY, "O", set, Condition::Always)
            .await
            .expect("an update");
        assert_eq!(table.scan(&BY).await, Ok(vec![expected]), "{written}");
    }
}

pub(crate) async fn what_is_no_number_is_refused(table: Arc<dyn Claims>) {
    for (text, message) in [
        ("", "The parameter cannot be converted to a numeric value: "),
        (
            "ten",
            "The parameter cannot be converted to a numeric value: ten",
        ),
        (
            " 5",
            "The parameter cannot be converted to a numeric value:  5",
        ),
        (
            "123456789012345678901234567890123456789",
            "Attempting to store more than 38 significant digits in a Number",
        ),
        (
            "1e126",
            "Number overflow. Attempting to store a number with magnitude larger than supported range",
        ),
        (
            "1e-131",
            "Number underflow. Attempting to store a number with magnitude smaller than supported range",
        ),
    ] {
        let message = format!("1 validation error detected: {message}");
        let wrong = item("O", &[("n", number(text))]);
        let put = table.put(&BY, wrong.clone(), Condition::Absent).await;
        assert_eq!(put, validation("PutItem", &message));
        let set = Item::from([("n".to_owned(), number(text))]);
        let update = table.update(&BY, "O", set, Condition::Absent).await;
        assert_eq!(update, validation("UpdateItem", &message));
        let all = table.put_all(&BY, vec![(wrong, Condition::Absent)]).await;
        assert_eq!(all, cancelled("ValidationError"));
    }
    assert_eq!(table.scan(&BY).await, Ok(vec![]));
}

pub(crate) async fn items_have_at_most_400_kb(table: Arc<dyn Claims>) {
    let sized = |bytes: usize| {
        // Names and values count: `orderId` and `O` are 8 bytes, `p` is one.
        item("O", &[("p", "x".repeat(bytes - 9).into())])
    };
    let limit = 400 * 1024;
    let put = table.put(&BY, sized(limit + 1), Condition::Absent).await;
    let large = "Item size has exceeded the maximum allowed size";
    assert_eq!(put, validation("PutItem", large));
    let all = table
        .put_all(&BY, vec![(sized(limit + 1), Condition::Absent)])
        .await;
    assert_eq!(all, validation("TransactWriteItems", large));
    let put = table.put(&BY, sized(limit), Condition::Absent).await;
    assert_eq!(put, Ok(WriteOutcome::Applied));
    // One attribute more does not fit.
    let set = |bytes: usize| Item::from([("q".to_owned(), "x".repeat(bytes).into())]);
    let update = table.update(&BY, "O", set(0), Condition::Always).await;
    let large = "Item size to update has exceeded the maximum allowed size";
    assert_eq!(update, validation("UpdateItem", large));
    let update = table.update(&BY, "P", set(limit), Condition::Always).await;
    assert_eq!(update, validation("UpdateItem", large));
    let update = table
        .update(&BY, "P", set(limit - 22), Condition::Always)
        .await;
    assert_eq!(
        update,
        validation("UpdateItem", large),
        "a clause is charged for itself"
    );
    let update = table
        .update(&BY, "P", set(limit - 23), Condition::Always)
        .await;
    assert_eq!(update, Ok(WriteOutcome::Applied));
}

pub(crate) async fn a_transaction_applies_as_a_whole_or_not_at_all(table: Arc<dyn Claims>) {
    let claim = |key: &str| item(key, &[("owner", "m-1".into())]);
    let standing = item("B", &[("owner", "m-0".into())]);
    table
        .put(&BY, standing.clone(), Condition::Absent)
        .await
        .expect("a put");
    let puts = |keys: &[&str]| -> Vec<(Item, Condition)> {
        keys.iter()
            .map(|key| (claim(key), Condition::Absent))
            .collect()
    };
    let outcomes = table.put_all(&BY, puts(&["A", "B", "C"])).await;
    let none = WriteOutcome::Refused { existing: None };
    let lost = WriteOutcome::Refused {
        existing: Some(standing.clone()),
    };
    assert_eq!(outcomes, Ok(vec![none.clone(), lost, none]));
    assert_eq!(table.scan(&BY).await, Ok(vec![standing]));
    let replaced = [vec![(claim("B"), Condition::Always)], puts(&["A", "C"])].concat();
    let outcomes = table.put_all(&BY, replaced).await;
    assert_eq!(outcomes, Ok(vec![WriteOutcome::Applied; 3]));
    assert_eq!(
        table.scan(&BY).await,
        Ok(vec![claim("A"), claim("B"), claim("C")])
    );
}

pub(crate) async fn transactions_are_refused_as_a_whole(table: Arc<dyn Claims>) {
    let refused = |message: &str| validation("TransactWriteItems", message);
    let put = |key: &str| (item(key, &[]), Condition::Absent);
    assert_eq!(
        table.put_all(&BY, vec![]).await,
        refused(
            "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy \
             constraint: Member must have length greater than or equal to 1"
        )
    );
    let many = |count: usize| (0..count).map(|key| put(&key.to_string())).collect();
    assert_eq!(
        table.put_all(&BY, many(101)).await,
        refused(
            "1 validation error detected: Value at 'transactItems' failed to satisfy constraint: \
             Member must have length less than or equal to 100"
        )
    );
    let twice = "Transaction request cannot include multiple operations on one item";
    assert_eq!(
        table.put_all(&BY, vec![put("A"), put("B"), put("A")]).await,
        refused(twice)
    );
    assert_eq!(
        table.put_all(&BY, vec![put(""), put("")]).await,
        refused(twice)
    );
    assert_eq!(
        table.put_all(&BY, vec![put("A"), put("")]).await,
        refused(EMPTY_KEY)
    );
    let long = "x".repeat(2049);
    assert_eq!(
        table.put_all(&BY, vec![put("A"), put(&long)]).await,
        cancelled("None, ValidationError")
    );
    let large = |index: usize| {
        let padding = "x".repeat(400_000);
        (
            item(&index.to_string(), &[("p", padding.into())]),
            Condition::Absent,
        )
    };
    assert_eq!(
        table.put_all(&BY, (0..11).map(large).collect()).await,
        refused(
            "Collection size of items exceeded, which can also be caused by the aggregate size of \
             the items in the transaction exceeding the 4MB limit"
        )
    );
    assert_eq!(table.scan(&BY).await, Ok(vec![]));
    let full = table.put_all(&BY, many(100)).await;
    assert_eq!(full, Ok(vec![WriteOutcome::Applied; 100]));
    // A condition that fails and a fault of a request are told together.
    let mixed = table
        .put_all(&BY, vec![put("1"), put("new"), put(&long)])
        .await;
    assert_eq!(
        mixed,
        cancelled("ConditionalCheckFailed, None, ValidationError")
    );
}
