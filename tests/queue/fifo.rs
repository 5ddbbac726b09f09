//! FIFO queues: order, groups, deduplication, attempts, and what a late consumer is told.

use lab::cloud::queue::{QueueFaults, ReceiveMessage, SendMessage};

use crate::support::{
    Account, bodies, count, grouped, handle, hidden_for, invalid_parameter, told, up_to,
};

const QUEUE: &str = "orders.fifo";

fn content_based(body: &str, group: &str) -> SendMessage {
    SendMessage {
        group_id: Some(group.to_owned()),
        ..SendMessage::new(body)
    }
}

/// RECORDED: what a FIFO queue must be told.
#[test]
fn group_and_deduplication_id_are_required() {
    let mut account = Account::fifo(&[]);
    assert_eq!(
        told(account.try_send(QUEUE, SendMessage::new("one"))),
        (
            "MissingParameter",
            "MissingRequiredParameterException",
            400,
            "The request must contain the parameter MessageGroupId.".to_owned()
        )
    );
    assert_eq!(
        told(account.try_send(QUEUE, content_based("one", "g"))),
        invalid_parameter(
            "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly"
        )
    );
    for (group, id, parameter) in [
        ("a b", "d", "MessageGroupId"),
        ("g", "", "MessageDeduplicationId"),
    ] {
        let value = if parameter == "MessageGroupId" {
            group
        } else {
            id
        };
        assert_eq!(
            told(account.try_send(QUEUE, grouped("one", group, id))),
            invalid_parameter(&format!(
                "Value {value} for parameter {parameter} is invalid. Reason: {parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length."
            ))
        );
    }
    account
        .try_send(QUEUE, grouped("one", &"g".repeat(128), &"d".repeat(128)))
        .unwrap();
    let standard = Account::orders(&[]).try_send("orders", grouped("one", "g", "d-1"));
    assert_eq!(
        told(standard),
        invalid_parameter(
            "Value d-1 for parameter MessageDeduplicationId is invalid. Reason: The request includes a parameter that is not valid for this queue type."
        )
    );
}

/// RECORDED 2022-08-03: only the queue can delay.
#[test]
fn a_message_cannot_bring_its_own_delay() {
    let mut account = Account::fifo(&[("DelaySeconds", "5")]);
    let delayed = |seconds| SendMessage {
        delay_seconds: Some(seconds),
        ..grouped("one", "g", "d")
    };
    assert_eq!(
        told(account.try_send(QUEUE, delayed(2))),
        invalid_parameter(
            "Value 2 for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type."
        )
    );
    account.try_send(QUEUE, delayed(0)).unwrap();
    assert_eq!(
        account.depth(QUEUE),
        (0, 0, 1),
        "the queue's own delay stands"
    );
}

/// SQS developer guide, delay queues: on a FIFO queue a changed delay is retroactive.
#[test]
fn a_changed_delay_reaches_messages_that_wait() {
    let mut account = Account::fifo(&[("DelaySeconds", "60")]);
    account.send_grouped("one", "g", "d-1");
    account.pass(20);
    account.set(QUEUE, &[("DelaySeconds", "30")]).unwrap();
    account.pass_millis(9_999);
    assert_eq!(account.depth(QUEUE), (0, 0, 1));
    account.pass_millis(1);
    assert_eq!(account.depth(QUEUE), (1, 0, 0));
    account.set(QUEUE, &[("DelaySeconds", "40")]).unwrap();
    assert_eq!(account.depth(QUEUE), (0, 0, 1));
    account.pass(10);
    assert_eq!(account.bodies(QUEUE), ["one"]);
}

/// SQS SendMessage, case E3: a duplicate is accepted, answered with the first message's id and
/// sequence number, and not delivered; for five minutes, also after the message was deleted.
#[test]
fn a_duplicate_send_is_swallowed_for_five_minutes() {
    let mut account = Account::fifo(&[]);
    let first = account.send_grouped("one", "g", "d-1");
    let delivery = account.receive_one(QUEUE);
    account.delete(QUEUE, &delivery);
    account.pass_millis(299_999);
    assert_eq!(
        account.send_grouped("another body", "other-group", "d-1"),
        first
    );
    assert_eq!(account.depth(QUEUE), (0, 0, 0));
    assert_eq!(
        (
            account.totals(QUEUE).sent,
            account.totals(QUEUE).deduplicated
        ),
        (1, 1)
    );
    account.pass_millis(1);
    let late = account.send_grouped("one", "g", "d-1");
    assert_ne!(late.message_id, first.message_id);
    assert!(late.sequence_number > first.sequence_number);
    assert_eq!(account.bodies(QUEUE), ["one"]);
    account.pass(299);
    assert_eq!(
        account.send_grouped("one", "g", "d-1"),
        late,
        "five minutes anew"
    );
}

/// Case E1: with a random deduplication id every copy is a delivery.
#[test]
fn copies_with_ids_of_their_own_are_all_delivered() {
    let mut account = Account::fifo(&[]);
    for copy in 0..10 {
        let id = account.entropy.uuid();
        account.send_grouped("the order", &format!("group-{copy}"), &id);
    }
    assert_eq!(account.receive(QUEUE).len(), 10);
}

/// SQS SendMessage: the SHA-256 of the body, whatever the attributes; RECORDED for two groups.
#[test]
fn content_based_deduplication_looks_at_the_body_only() {
    let mut account = Account::fifo(&[("ContentBasedDeduplication", "true")]);
    let first = account
        .try_send(QUEUE, content_based("abc", "g-1"))
        .unwrap();
    let run = lab::ports::MessageAttribute::string("r-1");
    let with_attribute = SendMessage {
        attributes: std::sync::Arc::new([("run".to_owned(), run)].into()),
        ..content_based("abc", "g-2")
    };
    assert_eq!(account.try_send(QUEUE, with_attribute).unwrap(), first);
    assert_eq!(
        account
            .receive_one(QUEUE)
            .received
            .deduplication_id
            .as_deref(),
        Some("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    );
    let own_id = account
        .try_send(QUEUE, grouped("abc", "g-2", "d-1"))
        .unwrap();
    assert_ne!(own_id, first, "an explicit id takes precedence");
}

/// SQS SetQueueAttributes, `DeduplicationScope`: per group, the same id in two groups is two sends.
#[test]
fn the_scope_of_deduplication_can_be_the_group() {
    let mut account = Account::fifo(&[("DeduplicationScope", "messageGroup")]);
    let first = account.send_grouped("one", "g-1", "d-1");
    assert_ne!(account.send_grouped("one", "g-2", "d-1"), first);
    assert_eq!(account.send_grouped("one", "g-1", "d-1"), first);
    assert_eq!(account.receive(QUEUE).len(), 2);
}

/// RECORDED: a purge clears the deduplication memory.
#[test]
fn a_purge_makes_the_queue_forget() {
    let mut account = Account::fifo(&[]);
    let first = account.send_grouped("one", "g", "d-1");
    account.receive_one(QUEUE);
    account.queues.purge_queue(account.now, QUEUE).unwrap();
    let second = account.send_grouped("one", "g", "d-1");
    assert_ne!(first.message_id, second.message_id);
    assert_eq!(account.bodies(QUEUE), ["one"], "nor does the group wait");
}

/// Sequence numbers have 20 digits and grow across groups.
#[test]
fn sequence_numbers_grow() {
    let mut account = Account::fifo(&[]);
    let numbers: Vec<String> = (0..50)
        .map(|n| account.send_grouped("x", &format!("g-{}", n % 3), &n.to_string()))
        .map(|sent| sent.sequence_number.unwrap())
        .collect();
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(numbers.iter().all(|number| number.len() == 20));
    let received = account.receive_one(QUEUE).received;
    assert_eq!(received.sequence_number.as_ref(), Some(&numbers[0]));
}

/// SQS developer guide: in order within a group, and while one is in flight the group waits.
#[test]
fn a_group_waits_for_what_is_in_flight() {
    let mut account = Account::fifo(&[]);
    for (index, group) in ["a", "a", "b", "a"].into_iter().enumerate() {
        account.send_grouped(&format!("{group}{index}"), group, &index.to_string());
    }
    let first = account.receive_one(QUEUE);
    assert_eq!(bodies(std::slice::from_ref(&first)), ["a0"]);
    assert_eq!(account.bodies(QUEUE), ["b2"], "group a waits");
    assert_eq!(account.bodies(QUEUE), Vec::<String>::new());
    account.delete(QUEUE, &first);
    assert_eq!(account.bodies(QUEUE), ["a1", "a3"]);
}

/// SQS developer guide: as many messages of one group as it can, then those of others.
#[test]
fn a_receive_takes_one_group_after_the_other() {
    let mut account = Account::fifo(&[]);
    for (index, group) in ["a", "b", "a", "c", "b", "a"].into_iter().enumerate() {
        account.send_grouped(&format!("{group}{index}"), group, &index.to_string());
    }
    let found = account.try_receive(QUEUE, &up_to(4)).unwrap();
    assert_eq!(bodies(&found), ["a0", "a2", "a5", "b1"]);
    assert_eq!(account.bodies(QUEUE), ["c3"]);
}

/// A group waits until the last of its messages in flight is deleted or visible again.
#[test]
fn a_group_of_which_a_part_is_deleted_still_waits() {
    let mut account = Account::fifo(&[]);
    for index in 0..4 {
        account.send_grouped(&format!("a{index}"), "a", &index.to_string());
    }
    let held = account.try_receive(QUEUE, &up_to(3)).unwrap();
    account.delete(QUEUE, &held[0]);
    assert_eq!(account.bodies(QUEUE), Vec::<String>::new());
    account.change(QUEUE, &held[1], 0).unwrap();
    assert_eq!(
        account.bodies(QUEUE),
        Vec::<String>::new(),
        "a2 is still in flight"
    );
    account.change(QUEUE, &held[2], 0).unwrap();
    assert_eq!(account.bodies(QUEUE), ["a1", "a2", "a3"], "in order again");
}

/// RECORDED: an extension keeps the group waiting.
#[test]
fn an_extension_keeps_the_group_waiting() {
    let mut account = Account::fifo(&[("VisibilityTimeout", "2")]);
    account.send_grouped("a0", "a", "0");
    account.send_grouped("a1", "a", "1");
    let first = account.receive_one(QUEUE);
    account.pass(1);
    account.change(QUEUE, &first, 10).unwrap();
    account.pass(9);
    assert_eq!(account.bodies(QUEUE), Vec::<String>::new());
    account.pass(1);
    let again = account.receive(QUEUE);
    assert_eq!(bodies(&again), ["a0", "a1"]);
    assert_eq!(again.iter().map(count).collect::<Vec<_>>(), [2, 1]);
}

/// A message that expires in flight no longer holds its group up.
#[test]
fn an_expired_message_frees_its_group() {
    let mut account = Account::fifo(&[("MessageRetentionPeriod", "60")]);
    account.send_grouped("a0", "a", "0");
    account.try_receive(QUEUE, &hidden_for(600)).unwrap();
    account.pass(30);
    account.send_grouped("a1", "a", "1");
    account.pass(29);
    assert_eq!(account.queues.available(account.now, QUEUE), Ok(0));
    account.pass(1);
    assert_eq!(account.queues.available(account.now, QUEUE), Ok(1));
    assert_eq!(account.bodies(QUEUE), ["a1"]);
}

/// RECORDED 2025-03-28: a delete after the timeout is an error; 2025-10-05: after an extension the
/// handle is good.
#[test]
fn a_delete_after_the_timeout_is_an_error() {
    let mut account = Account::fifo(&[]);
    account.send_grouped("one", "g", "d-1");
    let first = account.receive_one(QUEUE);
    account.pass(20);
    account.change(QUEUE, &first, 30).unwrap();
    account.pass(29);
    let expired = invalid_parameter(&format!(
        "Value {} for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.",
        handle(&first)
    ));
    account.pass(1);
    assert_eq!(told(account.try_delete(QUEUE, handle(&first))), expired);
    let second = account.receive_one(QUEUE);
    assert_eq!(
        told(account.try_delete(QUEUE, handle(&first))),
        expired,
        "superseded"
    );
    assert_eq!(
        told(account.change(QUEUE, &first, 5)).3,
        format!(
            "Value {} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.",
            handle(&first)
        )
    );
    account.pass(20);
    account.change(QUEUE, &second, 30).unwrap();
    account.pass(29);
    account.delete(QUEUE, &second);
    account.delete(QUEUE, &second);
    assert_eq!(account.depth(QUEUE), (0, 0, 0));
}

/// SQS ReceiveMessage: at the in-flight quota a FIFO queue gives no error.
#[test]
fn the_quota_is_no_error_on_a_fifo_queue() {
    let mut account = Account::with(lab::cloud::queue::QueueConfig {
        in_flight_quota: 1,
        ..lab::cloud::queue::QueueConfig::default()
    });
    account.create(QUEUE, &[("FifoQueue", "true")]);
    account.send_grouped("a", "a", "0");
    account.send_grouped("b", "b", "1");
    assert_eq!(account.bodies(QUEUE), ["a"]);
    assert_eq!(account.bodies(QUEUE), Vec::<String>::new());
}

fn attempt(id: &str) -> ReceiveMessage {
    ReceiveMessage {
        attempt_id: Some(id.to_owned()),
        ..up_to(2)
    }
}

/// SQS ReceiveMessage: a repeated attempt gets the same messages and handles, hidden anew, and is
/// no further receive.
#[test]
fn a_repeated_attempt_repeats_its_answer() {
    let mut account = Account::fifo(&[]);
    for index in 0..3 {
        account.send_grouped(&format!("a{index}"), "a", &index.to_string());
    }
    let first = account.try_receive(QUEUE, &attempt("x")).unwrap();
    assert_eq!(bodies(&first), ["a0", "a1"]);
    account.pass(20);
    let again = account.try_receive(QUEUE, &attempt("x")).unwrap();
    let handles = |list: &[lab::cloud::queue::Delivery]| {
        list.iter()
            .map(|it| handle(it).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(handles(&again), handles(&first));
    assert_eq!(again.iter().map(count).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(
        bodies(&account.try_receive(QUEUE, &attempt("y")).unwrap()),
        Vec::<String>::new()
    );
    account.pass(29);
    assert_eq!(account.depth(QUEUE), (1, 2, 0), "the timeout began anew");
    account.pass(1);
    assert_eq!(account.depth(QUEUE), (3, 0, 0));
    let later = account.try_receive(QUEUE, &attempt("x")).unwrap();
    assert_eq!(
        later.iter().map(count).collect::<Vec<_>>(),
        [2, 2],
        "visible again: a new receive"
    );
    assert_eq!(
        handles(&account.try_receive(QUEUE, &attempt("x")).unwrap()),
        handles(&later)
    );
}

/// SQS ReceiveMessage: not once a message was deleted or its visibility changed, nor after 5 min.
#[test]
fn an_attempt_is_not_repeated_once_touched_or_old() {
    let mut account = Account::fifo(&[("VisibilityTimeout", "600")]);
    account.send_grouped("a", "a", "0");
    account.send_grouped("b", "b", "1");
    let held = account.try_receive(QUEUE, &attempt("x")).unwrap();
    account.change(QUEUE, &held[0], 500).unwrap();
    assert_eq!(account.try_receive(QUEUE, &attempt("x")).unwrap().len(), 0);
    account.change(QUEUE, &held[1], 0).unwrap();
    let other = account.try_receive(QUEUE, &attempt("y")).unwrap();
    assert_eq!(bodies(&other), ["b"]);
    account.pass(299);
    assert_eq!(account.try_receive(QUEUE, &attempt("y")).unwrap().len(), 1);
    account.pass(1);
    assert_eq!(
        account.try_receive(QUEUE, &attempt("y")).unwrap().len(),
        0,
        "five minutes"
    );
}

/// A FIFO queue promises order and single delivery: faults do not touch it.
#[test]
fn faults_do_not_touch_a_fifo_queue() {
    let mut account = Account::fifo(&[]);
    let faults = QueueFaults {
        duplicate_deliveries: 9,
        resurrected_deletes: 9,
        reorder: true,
        missed_short_polls: 9,
    };
    account.arm(QUEUE, faults);
    for index in 0..10 {
        account.send_grouped(&index.to_string(), "a", &index.to_string());
    }
    let found = account.receive(QUEUE);
    assert_eq!(
        bodies(&found),
        ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
    );
    for delivery in &found {
        account.delete(QUEUE, delivery);
    }
    assert_eq!(account.depth(QUEUE), (0, 0, 0));
    assert_eq!(account.queues.faults(account.now, QUEUE), Ok(faults));
}
