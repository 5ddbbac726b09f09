//! What every adapter of the Claims port must do.

use std::sync::Arc;

use lab::ports::{
    AttributeValue, Caller, Claims, Condition, ErrorKind, Item, PortError, Timestamp, WriteOutcome,
};

use crate::clock::START;

pub(crate) const BY: Caller = Caller::Observer;

pub(crate) fn item(key: &str, attributes: &[(&str, AttributeValue)]) -> Item {
    let mut item = Item::from([("orderId".to_owned(), AttributeValue::from(key))]);
    item.extend(
        attributes
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone())),
    );
    item
}

pub(crate) fn number(value: impl ToString) -> AttributeValue {
    AttributeValue::Number(value.to_string())
}

fn refused(existing: Item) -> WriteOutcome {
    WriteOutcome::Refused {
        existing: Some(existing),
    }
}

const REFUSED_BY_NOTHING: WriteOutcome = WriteOutcome::Refused { existing: None };

fn validation(operation: &'static str, message: &str) -> PortError {
    PortError::rejected(operation, "ValidationException", message)
}

fn equals(attribute: &'static str, value: &str) -> Condition {
    Condition::Equals {
        attribute,
        value: value.to_owned(),
    }
}

/// The claim of the original lab: the second one loses and sees the first.
pub(crate) async fn a_lost_claim_shows_the_item_that_stands_there(table: Arc<dyn Claims>) {
    let claim = |message: &str| {
        item(
            "ORDER-003",
            &[("status", "CLAIMED".into()), ("messageId", message.into())],
        )
    };
    let first = table.put(&BY, claim("m-1"), Condition::Absent).await;
    assert_eq!(first, Ok(WriteOutcome::Applied));
    let second = table.put(&BY, claim("m-2"), Condition::Absent).await;
    assert_eq!(second, Ok(refused(claim("m-1"))));
    // An SDK that repeats a put whose answer was lost meets its own claim.
    let own = table.put(&BY, claim("m-1"), Condition::Absent).await;
    assert_eq!(own, Ok(refused(claim("m-1"))));
    assert_eq!(
        table.get(&BY, "ORDER-003", true).await,
        Ok(Some(claim("m-1")))
    );
    assert_eq!(table.get(&BY, "ORDER-004", true).await, Ok(None));
}

pub(crate) async fn a_put_replaces_the_whole_item(table: Arc<dyn Claims>) {
    let old = item("O", &[("a", "1".into()), ("b", "2".into())]);
    let new = item("O", &[("c", "3".into())]);
    for next in [&old, &new] {
        let put = table.put(&BY, next.clone(), Condition::Always).await;
        assert_eq!(put, Ok(WriteOutcome::Applied));
    }
    assert_eq!(table.get(&BY, "O", false).await, Ok(Some(new)));
}

/// The time to live is a broom, not a guard: nothing but a sweep removes an item.
pub(crate) async fn an_expired_item_still_stands(table: Arc<dyn Claims>) {
    let two_days_ago = START.as_secs() - 2 * 24 * 60 * 60;
    let expired = item("O", &[("expiration", number(two_days_ago))]);
    let put = table.put(&BY, expired.clone(), Condition::Absent).await;
    assert_eq!(put, Ok(WriteOutcome::Applied));
    assert_eq!(table.get(&BY, "O", true).await, Ok(Some(expired.clone())));
    assert_eq!(table.scan(&BY).await, Ok(vec![expired.clone()]));
    let again = table.put(&BY, item("O", &[]), Condition::Absent).await;
    assert_eq!(again, Ok(refused(expired)));
}

pub(crate) async fn a_window_ends_after_its_last_second(table: Arc<dyn Claims>) {
    let completed = item(
        "O",
        &[("status", "COMPLETED".into()), ("expiration", number(100))],
    );
    let at = |millis| Condition::AbsentOrExpired {
        now: Timestamp::from_millis(millis),
    };
    let put = table.put(&BY, completed.clone(), at(0)).await;
    assert_eq!(put, Ok(WriteOutcome::Applied), "there is no item");
    for standing in [99_999, 100_000, 100_999] {
        let put = table.put(&BY, item("O", &[]), at(standing)).await;
        assert_eq!(put, Ok(refused(completed.clone())), "{standing} ms");
    }
    let put = table.put(&BY, item("O", &[]), at(101_000)).await;
    assert_eq!(put, Ok(WriteOutcome::Applied));
    // An item without an end never ends.
    let put = table.put(&BY, item("O", &[]), at(u64::MAX)).await;
    assert_eq!(put, Ok(refused(item("O", &[]))));
}

pub(crate) async fn a_lease_ends_after_its_last_millisecond_and_only_in_progress(
    table: Arc<dyn Claims>,
) {
    let lease = |status: &str| {
        item(
            "O",
            &[
                ("status", status.into()),
                ("expiration", number(3_600)),
                ("inProgressExpiration", number(5_000)),
            ],
        )
    };
    let at = |millis| Condition::AbsentOrExpired {
        now: Timestamp::from_millis(millis),
    };
    for (status, now, taken) in [
        ("INPROGRESS", 4_999, false),
        ("INPROGRESS", 5_000, false),
        ("INPROGRESS", 5_001, true),
        ("COMPLETED", 5_001, false),
        ("COMPLETED", 3_600_999, false),
        ("COMPLETED", 3_601_000, true),
    ] {
        let put = table.put(&BY, lease(status), Condition::Always).await;
        assert_eq!(put, Ok(WriteOutcome::Applied));
        let outcome = table.put(&BY, item("O", &[]), at(now)).await;
        let expected = if taken {
            WriteOutcome::Applied
        } else {
            refused(lease(status))
        };
        assert_eq!(outcome, Ok(expected), "{status} at {now} ms");
    }
    // In progress without an end of the lease: the lease does not end.
    let endless = item("O", &[("status", "INPROGRESS".into())]);
    table
        .put(&BY, endless.clone(), Condition::Always)
        .await
        .expect("a put");
    let outcome = table.put(&BY, item("O", &[]), at(u64::MAX)).await;
    assert_eq!(outcome, Ok(refused(endless)));
}

pub(crate) async fn numbers_compare_as_numbers(table: Arc<dyn Claims>) {
    // As text, "9" is after "10". Text is no number whatever it says, and never expires.
    for (expiration, taken) in [
        (number(9), true),
        (number(10), false),
        (number("9.5"), true),
        (number("1E+1"), false),
        (number("0.9e1"), true),
        (number("-11"), true),
        (number("1e30"), false),
        ("9".into(), false),
    ] {
        let existing = item("O", &[("expiration", expiration.clone())]);
        table
            .put(&BY, existing, Condition::Always)
            .await
            .expect("a put");
        let now = Timestamp::from_millis(10_000);
        let put = table
            .put(&BY, item("O", &[]), Condition::AbsentOrExpired { now })
            .await
            .expect("an outcome");
        assert_eq!(put == WriteOutcome::Applied, taken, "{expiration:?}");
    }
}

/// `Equals` asks for text: a number has no text, however it is written.
pub(crate) async fn equals_needs_the_very_text(table: Arc<dyn Claims>) {
    let standing = item("O", &[("owner", "1".into()), ("count", number(1))]);
    table
        .put(&BY, standing.clone(), Condition::Absent)
        .await
        .expect("a put");
    for (condition, met) in [
        (equals("owner", "1"), true),
        (equals("owner", "1.0"), false),
        (equals("owner", ""), false),
        (equals("count", "1"), false),
        (equals("absent", "1"), false),
        (equals("orderId", "O"), true),
    ] {
        let outcome = table.put(&BY, standing.clone(), condition.clone()).await;
        let expected = if met {
            WriteOutcome::Applied
        } else {
            refused(standing.clone())
        };
        assert_eq!(outcome, Ok(expected), "{condition:?}");
    }
    let nobody = table.put(&BY, item("P", &[]), equals("owner", "1")).await;
    assert_eq!(nobody, Ok(REFUSED_BY_NOTHING));
    assert_eq!(table.get(&BY, "P", true).await, Ok(None));
}

pub(crate) async fn an_update_sets_and_creates(table: Arc<dyn Claims>) {
    let set = |status: &str| Item::from([("status".to_owned(), status.into())]);
    let created = table
        .update(&BY, "O", set("CLAIMED"), Condition::Absent)
        .await;
    assert_eq!(created, Ok(WriteOutcome::Applied));
    let claimed = item("O", &[("status", "CLAIMED".into())]);
    let lost = table
        .update(&BY, "O", set("CLAIMED"), Condition::Absent)
        .await;
    assert_eq!(lost, Ok(refused(claimed.clone())));
    let mut more = set("COMPLETED");
    more.insert("completedAt".to_owned(), number(7));
    let updated = table
        .update(&BY, "O", more, equals("status", "CLAIMED"))
        .await;
    assert_eq!(updated, Ok(WriteOutcome::Applied));
    let completed = item(
        "O",
        &[("status", "COMPLETED".into()), ("completedAt", number(7))],
    );
    assert_eq!(table.get(&BY, "O", true).await, Ok(Some(completed)));
    let absent = table
        .update(&BY, "P", set("COMPLETED"), equals("status", "CLAIMED"))
        .await;
    assert_eq!(absent, Ok(REFUSED_BY_NOTHING));
    // Without anything to set, an update still makes the item.
    let bare = table.update(&BY, "Q", Item::new(), Condition::Always).await;
    assert_eq!(bare, Ok(WriteOutcome::Applied));
    assert_eq!(table.get(&BY, "Q", true).await, Ok(Some(item("Q", &[]))));
}

pub(crate) async fn an_update_may_not_set_the_key(table: Arc<dyn Claims>) {
    let refusal = validation(
        "UpdateItem",
        "One or more parameter values were invalid: Cannot update attribute orderId. This \
         attribute is part of the key",
    );
    let outcome = table
        .update(&BY, "O", item("O", &[]), Condition::Always)
        .await;
    assert_eq!(outcome, Err(refusal));
    // The condition is looked at first.
    let outcome = table
        .update(&BY, "O", item("O", &[]), equals("a", "b"))
        .await;
    assert_eq!(outcome, Ok(REFUSED_BY_NOTHING));
    assert_eq!(table.scan(&BY).await, Ok(vec![]));
}

pub(crate) async fn a_delete_needs_its_condition_but_not_an_item(table: Arc<dyn Claims>) {
    let claim = item("O", &[("owner", "m-1".into())]);
    table
        .put(&BY, claim.clone(), Condition::Absent)
        .await
        .expect("a put");
    let stranger = table.delete(&BY, "O", equals("owner", "m-2")).await;
    assert_eq!(stranger, Ok(refused(claim)));
    let owner = table.delete(&BY, "O", equals("owner", "m-1")).await;
    assert_eq!(owner, Ok(WriteOutcome::Applied));
    assert_eq!(table.get(&BY, "O", true).await, Ok(None));
    let again = table.delete(&BY, "O", Condition::Always).await;
    assert_eq!(again, Ok(WriteOutcome::Applied));
    let owned = table.delete(&BY, "O", equals("owner", "m-1")).await;
    assert_eq!(owned, Ok(REFUSED_BY_NOTHING));
}

pub(crate) async fn a_scan_is_ordered_by_key(table: Arc<dyn Claims>) {
    // By the bytes of UTF-8, in which an emoji comes after an accent.
    let keys = ["", "10", "9", "B", "a", "a b", "ñ", "🎉"];
    for key in keys[1..].iter().rev() {
        table
            .put(&BY, item(key, &[]), Condition::Absent)
            .await
            .expect("a put");
    }
    let expected: Vec<Item> = keys[1..].iter().map(|key| item(key, &[])).collect();
    assert_eq!(table.scan(&BY).await, Ok(expected));
}

/// DynamoDB Scan answers in pages of 1 MB; the port answers with everything.
pub(crate) async fn a_scan_is_complete_beyond_one_page(table: Arc<dyn Claims>) {
    let padding = "x".repeat(300_000);
    let keys: Vec<String> = (0..9).map(|index| format!("O-{index}")).collect();
    for key in &keys {
        let large = item(key, &[("padding", padding.as_str().into())]);
        table
            .put(&BY, large, Condition::Absent)
            .await
            .expect("a put");
    }
    let scanned = table.scan(&BY).await.expect("a scan");
    let found: Vec<&str> = scanned
        .iter()
        .map(|item| item["orderId"].as_str())
        .collect();
    assert_eq!(found, keys);
}

pub(crate) async fn one_of_many_claims_at_once_wins(table: Arc<dyn Claims>) {
    let outcomes: Vec<WriteOutcome> = std::thread::scope(|scope| {
        let claim = |copy: usize| {
            let table = Arc::clone(&table);
            move || {
                let mine = item("O", &[("owner", format!("m-{copy}").into())]);
                crate::clock::block_on(table.put(&BY, mine, Condition::Absent)).expect("an outcome")
            }
        };
        let threads: Vec<_> = (0..8).map(|copy| scope.spawn(claim(copy))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    let winners: Vec<usize> = (0..8)
        .filter(|copy| outcomes[*copy] == WriteOutcome::Applied)
        .collect();
    assert_eq!(winners.len(), 1);
    let winner = item("O", &[("owner", format!("m-{}", winners[0]).into())]);
    let losers = outcomes
        .iter()
        .filter(|outcome| **outcome == refused(winner.clone()));
    assert_eq!(losers.count(), 7);
}

pub(crate) async fn refusals_are_final(table: Arc<dyn Claims>) {
    let error = table.get(&BY, "", true).await.expect_err("an empty key");
    assert_eq!(error.kind, ErrorKind::Rejected);
    assert_eq!(
        error.to_string(),
        "GetItem failed with `ValidationException`: One or more parameter values are not valid. \
         The AttributeValue for a key attribute cannot contain an empty string value. Key: orderId"
    );
}
