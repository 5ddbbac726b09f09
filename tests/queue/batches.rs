//! Batch calls: refused as a whole, or entry by entry.

use lab::cloud::queue::{BatchEntry, ChangeVisibility, QueueError, SendMessage};

use crate::support::{Account, handle, told};

fn entries<T>(requests: impl IntoIterator<Item = (&'static str, T)>) -> Vec<BatchEntry<T>> {
    let entry = |(id, request): (&str, T)| BatchEntry {
        id: id.to_owned(),
        request,
    };
    requests.into_iter().map(entry).collect()
}

fn send(
    account: &mut Account,
    batch: Vec<BatchEntry<SendMessage>>,
) -> Result<lab::cloud::queue::BatchOutcome<lab::ports::Sent>, QueueError> {
    account
        .queues
        .send_message_batch(account.now, &account.entropy, "orders", batch)
}

/// SQS SendMessageBatch: a bad entry fails alone; RECORDED 2025-08-19.
#[test]
fn a_bad_entry_does_not_keep_the_others_out() {
    let mut account = Account::orders(&[("MaximumMessageSize", "1024")]);
    let long = "a".repeat(1025);
    let batch = entries([
        ("first", SendMessage::new("one")),
        ("long", SendMessage::new(long)),
        ("empty", SendMessage::new("")),
        ("last", SendMessage::new("two")),
    ]);
    let outcome = send(&mut account, batch).unwrap();
    let ids: Vec<&str> = outcome
        .successful
        .iter()
        .map(|(id, _)| id.as_str())
        .collect();
    assert_eq!(ids, ["first", "last"]);
    let failed: Vec<_> = outcome
        .failed
        .iter()
        .map(|(id, e)| (id.as_str(), e.code, e.message.as_str()))
        .collect();
    assert_eq!(
        failed,
        [
            (
                "long",
                "InvalidParameterValue",
                "One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes."
            ),
            (
                "empty",
                "MissingParameter",
                "The request must contain the parameter MessageBody."
            ),
        ]
    );
    assert_eq!(account.bodies("orders"), ["one", "two"]);
}

/// RECORDED: the whole batch is refused, and nothing is sent.
#[test]
fn a_batch_is_refused_as_a_whole() {
    let mut account = Account::orders(&[]);
    let prefix = "AWS.SimpleQueueService.";
    let mut refused = |batch, code: &str, text: &str| {
        let error = send(&mut account, batch).unwrap_err();
        assert_eq!(
            (error.code, error.message.as_str()),
            (format!("{prefix}{code}").as_str(), text)
        );
        assert_eq!((error.shape, error.status), (code, 400));
        assert_eq!(account.depth("orders"), (0, 0, 0));
    };
    refused(
        Vec::new(),
        "EmptyBatchRequest",
        "There should be at least one SendMessageBatchRequestEntry in the request.",
    );
    let many = (0..20).map(|n| BatchEntry {
        id: n.to_string(),
        request: SendMessage::new("x"),
    });
    refused(
        many.collect(),
        "TooManyEntriesInBatchRequest",
        "Maximum number of entries per request are 10. You have sent 20.",
    );
    let bad_id = "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.";
    for id in ["", "invalid:id", &"x".repeat(81)] {
        let batch = vec![BatchEntry {
            id: id.to_owned(),
            request: SendMessage::new("x"),
        }];
        refused(batch, "InvalidBatchEntryId", bad_id);
    }
    let twice = entries([("a", SendMessage::new("x")), ("a", SendMessage::new("y"))]);
    refused(twice, "BatchEntryIdsNotDistinct", "Id a repeated.");
    let half = "a".repeat(524_288);
    let over = entries([
        ("a", SendMessage::new(half.as_str())),
        ("b", SendMessage::new(half.clone() + "a")),
    ]);
    refused(
        over,
        "BatchRequestTooLong",
        "Batch requests cannot be longer than 1048576 bytes. You have sent 1048577 bytes.",
    );
    let full = entries([
        ("a", SendMessage::new(half.as_str())),
        ("b", SendMessage::new(half.as_str())),
    ]);
    assert_eq!(send(&mut account, full).unwrap().successful.len(), 2);
}

/// Case C11: one message received twice in one poll. Its id cannot name two entries; with ids of
/// their own both entries succeed and one message is deleted.
#[test]
fn one_message_twice_in_a_delete_batch_is_deleted_once() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    let first = account.receive_one("orders");
    account.change("orders", &first, 0).unwrap();
    let second = account.receive_one("orders");
    assert_eq!(first.received.message_id, second.received.message_id);
    let batch = |ids: [&str; 2]| {
        vec![
            BatchEntry {
                id: ids[0].to_owned(),
                request: handle(&first).to_owned(),
            },
            BatchEntry {
                id: ids[1].to_owned(),
                request: handle(&second).to_owned(),
            },
        ]
    };
    let id = first.received.message_id.as_str();
    let refused = account
        .queues
        .delete_message_batch(account.now, "orders", batch([id, id]));
    assert_eq!(told(refused).3, format!("Id {id} repeated."));
    assert_eq!(account.depth("orders"), (0, 1, 0));
    let outcome = account
        .queues
        .delete_message_batch(account.now, "orders", batch(["0", "1"]))
        .unwrap();
    assert_eq!((outcome.successful.len(), outcome.failed.len()), (2, 0));
    assert_eq!(account.totals("orders").deleted, 1);
}

/// Case C13: a delete that failed inside a batch brings its message back.
#[test]
fn a_delete_that_failed_in_a_batch_brings_the_message_back() {
    let mut account = Account::orders(&[]);
    for number in 0..10 {
        account.send("orders", &number.to_string());
    }
    let received = account.receive("orders");
    let entry = |(index, delivery)| BatchEntry {
        id: format!("e{index}"),
        request: if index == 4 {
            "garbage".to_owned()
        } else {
            handle(delivery).to_owned()
        },
    };
    let batch = received.iter().enumerate().map(entry).collect();
    let outcome = account
        .queues
        .delete_message_batch(account.now, "orders", batch)
        .unwrap();
    assert_eq!(outcome.successful.len(), 9);
    assert_eq!(outcome.failed[0].0, "e4");
    assert_eq!(outcome.failed[0].1.code, "ReceiptHandleIsInvalid");
    account.pass(30);
    assert_eq!(account.bodies("orders"), ["4"]);
}

/// SQS ChangeMessageVisibilityBatch: entry by entry.
#[test]
fn visibility_is_changed_entry_by_entry() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    account.send("orders", "two");
    let received = account.receive("orders");
    let change = |index: usize, seconds| ChangeVisibility {
        receipt_handle: handle(&received[index]).to_owned(),
        visibility_timeout_seconds: seconds,
    };
    let batch = entries([("a", change(0, 43_201)), ("b", change(1, 0))]);
    let outcome = account
        .queues
        .change_message_visibility_batch(account.now, "orders", batch)
        .unwrap();
    assert_eq!(outcome.successful, [("b".to_owned(), ())]);
    assert_eq!(outcome.failed[0].0, "a");
    assert_eq!(account.bodies("orders"), ["two"]);
    let empty = account
        .queues
        .change_message_visibility_batch(account.now, "orders", Vec::new());
    assert_eq!(
        told(empty).3,
        "There should be at least one ChangeMessageVisibilityBatchRequestEntry in the request."
    );
}
