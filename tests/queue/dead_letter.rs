//! Dead-letter queues and the way back.

use lab::cloud::queue::{PageRequest, SendMessage};

use crate::support::{
    Account, bodies, count, grouped, handle, invalid_parameter, map, told, up_to,
};

fn policy(target: &str, max_receive_count: &str) -> String {
    format!(
        "{{\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:{target}\",\"maxReceiveCount\":{max_receive_count}}}"
    )
}

/// `orders` with the dead-letter queue `failed` after three receives.
fn account() -> Account {
    let mut account = Account::new();
    account.create("failed", &[]);
    account.create("orders", &[("RedrivePolicy", &policy("failed", "3"))]);
    account
}

fn fail(account: &mut Account, times: u32) {
    for expected in 1..=times {
        assert_eq!(count(&account.receive_one("orders")), expected);
        account.pass(30);
    }
}

/// SQS developer guide: `maxReceiveCount` receives are allowed; what would be one more moves the
/// message. Case D15: poison ends there, and does not come back for ever.
#[test]
fn the_receive_after_the_last_allowed_one_moves_the_message() {
    let mut account = account();
    let id = account.send("orders", "poison");
    fail(&mut account, 3);
    assert_eq!(
        account.depth("orders"),
        (1, 0, 0),
        "not before somebody asks for it"
    );
    assert_eq!(account.depth("failed"), (0, 0, 0));
    assert_eq!(account.bodies("orders"), Vec::<String>::new());
    assert_eq!(account.depth("orders"), (0, 0, 0));
    assert_eq!(account.depth("failed"), (1, 0, 0));
    // RECORDED: same MessageId, the count goes on, the source is named.
    let dead = account.receive_one("failed");
    assert_eq!(dead.received.message_id, id);
    assert_eq!(count(&dead), 4);
    let names = [
        "DeadLetterQueueSourceArn",
        "SentTimestamp",
        "ApproximateFirstReceiveTimestamp",
    ];
    let shown: Vec<String> = dead.system_attributes(&names).into_values().collect();
    assert_eq!(
        shown,
        [
            "1789937903240",
            "arn:aws:sqs:us-east-1:000000000000:orders",
            "1789937903240"
        ]
    );
    let (orders, failed) = (account.totals("orders"), account.totals("failed"));
    assert_eq!(
        (orders.sent, orders.moved_out, failed.sent, failed.moved_in),
        (1, 1, 0, 1)
    );
}

/// RECORDED: with one receive allowed, the first receive from the dead-letter queue is number 2.
#[test]
fn one_allowed_receive_is_one() {
    let mut account = account();
    account
        .set("orders", &[("RedrivePolicy", &policy("failed", "\"1\""))])
        .unwrap();
    account.send("orders", "poison");
    fail(&mut account, 1);
    account.receive("orders");
    assert_eq!(count(&account.receive_one("failed")), 2);
}

/// A receive looks past the messages that it moves.
#[test]
fn a_receive_that_moves_messages_still_returns_others() {
    let mut account = account();
    for number in 0..5 {
        account.send("orders", &number.to_string());
    }
    for _ in 0..3 {
        account.try_receive("orders", &up_to(4)).unwrap();
        account.pass(30);
    }
    assert_eq!(account.bodies("orders"), ["4"]);
    assert_eq!(account.bodies("failed"), ["0", "1", "2", "3"]);
}

/// A message that is deleted in time does not move, nor does a handle reach it once it has.
#[test]
fn a_handle_of_the_source_does_not_reach_the_moved_message() {
    let mut account = account();
    account.send("orders", "saved");
    account.send("orders", "poison");
    for _ in 0..2 {
        account.receive("orders");
        account.pass(30);
    }
    let last = account.receive("orders");
    account.delete("orders", &last[0]);
    account.pass(30);
    account.receive("orders");
    account.delete("orders", &last[1]);
    assert_eq!(account.bodies("failed"), ["poison"]);
    assert_eq!(
        told(account.try_delete("failed", handle(&last[1]))).0,
        "ReceiptHandleIsInvalid"
    );
}

/// SQS developer guide: on a standard queue the move does not change the enqueue time, so the
/// retention period of the dead-letter queue counts from the first send.
#[test]
fn retention_goes_on_from_the_first_send() {
    let mut account = account();
    account
        .set("failed", &[("MessageRetentionPeriod", "100")])
        .unwrap();
    account.send("orders", "poison");
    fail(&mut account, 3);
    account.receive("orders");
    assert_eq!(account.depth("failed"), (1, 0, 0));
    account.pass(9);
    assert_eq!(account.depth("failed"), (1, 0, 0));
    account.pass(1);
    assert_eq!(account.depth("failed"), (0, 0, 0));
    assert_eq!(account.totals("failed").expired, 1);
}

/// Without its dead-letter queue, a source hands its messages out as if there were no policy.
#[test]
fn a_missing_dead_letter_queue_loses_nothing() {
    let mut account = account();
    account.send("orders", "poison");
    account.queues.delete_queue(account.now, "failed").unwrap();
    fail(&mut account, 7);
    assert_eq!(account.depth("orders"), (1, 0, 0));
}

/// A dead-letter queue with a policy of its own counts its own receives.
#[test]
fn a_chain_of_dead_letter_queues_shows_the_message_at_every_step() {
    let mut account = account();
    account.create("buried", &[]);
    account
        .set("failed", &[("RedrivePolicy", &policy("buried", "2"))])
        .unwrap();
    account.send("orders", "poison");
    fail(&mut account, 3);
    account.receive("orders");
    for expected in [4, 5] {
        assert_eq!(count(&account.receive_one("failed")), expected);
        account.pass(30);
    }
    assert_eq!(account.bodies("failed"), Vec::<String>::new());
    let buried = account.receive_one("buried");
    assert_eq!(count(&buried), 6);
    assert_eq!(
        buried.received.dead_letter_source_arn.as_deref(),
        Some("arn:aws:sqs:us-east-1:000000000000:failed")
    );
}

/// SQS developer guide, FIFO: new enqueue time, and the message id becomes the deduplication id.
#[test]
fn a_fifo_message_moves_within_its_group() {
    let mut account = Account::fifo(&[]);
    account.create("failed.fifo", &[("FifoQueue", "true")]);
    let redrive = policy("failed.fifo", "1");
    account
        .set("orders.fifo", &[("RedrivePolicy", &redrive)])
        .unwrap();
    let first = account.send_grouped("one", "g", "d-1");
    account.send_grouped("two", "g", "d-2");
    account.receive_one("orders.fifo");
    account.pass(30);
    assert_eq!(account.bodies("orders.fifo"), ["two"], "the group goes on");
    let dead = account.receive_one("failed.fifo");
    assert_eq!(dead.received.message_id, first.message_id);
    assert_eq!(
        dead.received.deduplication_id.as_deref(),
        Some(first.message_id.as_str())
    );
    assert_eq!(dead.received.group_id.as_deref(), Some("g"));
    assert_eq!(dead.received.sent_at, account.now);
    assert_eq!(count(&dead), 2);
}

/// RECORDED 2022-08-21 for the ARN; the others in the same form.
#[test]
fn redrive_policies_are_checked() {
    let mut account = account();
    account.create("failed.fifo", &[("FifoQueue", "true")]);
    let arn = "arn:aws:sqs:us-east-1:000000000000:failed";
    let cases = [
        (
            "{\"deadLetterTargetArn\": \"dummy\", \"maxReceiveCount\": 42}".to_owned(),
            "Invalid value for deadLetterTargetArn.",
        ),
        (policy("nowhere", "3"), "Dead letter target does not exist."),
        (
            policy("failed", "3").replace("us-east-1", "eu-west-1"),
            "Dead letter target does not exist.",
        ),
        (
            policy("failed.fifo", "3"),
            "Dead-letter queue must be same type of queue as the source.",
        ),
        (
            policy("failed", "0"),
            "Invalid value for maxReceiveCount: 0, valid values are from 1 to 1000 both inclusive.",
        ),
        (
            policy("failed", "1001"),
            "Invalid value for maxReceiveCount: 1001, valid values are from 1 to 1000 both inclusive.",
        ),
        (
            policy("failed", "\"many\""),
            "Invalid value for maxReceiveCount: many, valid values are from 1 to 1000 both inclusive.",
        ),
        (
            format!("{{\"deadLetterTargetArn\":\"{arn}\"}}"),
            "Redrive policy does not contain mandatory attribute: maxReceiveCount.",
        ),
        (
            "{\"maxReceiveCount\":3}".to_owned(),
            "Redrive policy does not contain mandatory attribute: deadLetterTargetArn.",
        ),
        ("[]".to_owned(), "Redrive policy is not a valid JSON map."),
        ("soon".to_owned(), "Redrive policy is not a valid JSON map."),
    ];
    for (text, reason) in cases {
        let expected =
            format!("Value {text} for parameter RedrivePolicy is invalid. Reason: {reason}");
        let set = account.set("orders", &[("RedrivePolicy", &text)]);
        assert_eq!(told(set), invalid_parameter(&expected));
        let created = account.try_create("new", &[("RedrivePolicy", &text)]);
        assert_eq!(told(created), invalid_parameter(&expected));
    }
    let kept = policy("failed", "3");
    assert_eq!(
        account.attributes("orders", &["RedrivePolicy"]),
        map(&[("RedrivePolicy", &kept)])
    );
    account.set("orders", &[("RedrivePolicy", "")]).unwrap();
    assert_eq!(
        account.attributes("orders", &["RedrivePolicy"]),
        map(&[]),
        "an empty text takes it away"
    );
}

/// SQS SetQueueAttributes, `RedriveAllowPolicy`: who may use a dead-letter queue.
#[test]
fn a_dead_letter_queue_admits_whom_it_wants() {
    let mut account = account();
    let mut tries = |allow: &str| {
        account
            .set("failed", &[("RedriveAllowPolicy", allow)])
            .map_err(|error| error.message)?;
        let redrive = policy("failed", "5");
        account
            .set("orders", &[("RedrivePolicy", &redrive)])
            .map_err(|error| error.message)
    };
    let by_queue = |name: &str| {
        format!(
            "{{\"redrivePermission\":\"byQueue\",\"sourceQueueArns\":[\"arn:aws:sqs:us-east-1:000000000000:{name}\"]}}"
        )
    };
    assert_eq!(tries("{\"redrivePermission\":\"allowAll\"}"), Ok(()));
    assert_eq!(tries(&by_queue("orders")), Ok(()));
    let refused = Err(format!(
        "Value {} for parameter RedrivePolicy is invalid. Reason: Dead letter target does not allow this queue as a source.",
        policy("failed", "5")
    ));
    assert_eq!(tries(&by_queue("other")), refused);
    assert_eq!(tries("{\"redrivePermission\":\"denyAll\"}"), refused);
    let arns = ["\"arn:aws:sqs:us-east-1:000000000000:q\""; 11].join(",");
    for bad in [
        "x",
        "{}",
        "{\"redrivePermission\":\"some\"}",
        "{\"redrivePermission\":\"byQueue\"}",
        "{\"redrivePermission\":\"byQueue\",\"sourceQueueArns\":[]}",
        "{\"redrivePermission\":\"allowAll\",\"sourceQueueArns\":[]}",
        &format!("{{\"redrivePermission\":\"byQueue\",\"sourceQueueArns\":[{arns}]}}"),
    ] {
        let message = tries(bad).unwrap_err();
        let start = format!("Value {bad} for parameter RedriveAllowPolicy is invalid. Reason: ");
        assert!(message.starts_with(&start), "{message}");
    }
}

/// SQS ListDeadLetterSourceQueues.
#[test]
fn the_sources_of_a_dead_letter_queue_are_listed() {
    let mut account = account();
    account.create("more", &[("RedrivePolicy", &policy("failed", "9"))]);
    let all = PageRequest::default();
    let listed = account
        .queues
        .list_dead_letter_source_queues(account.now, "failed", &all)
        .unwrap();
    let url = |name: &str| format!("http://localhost:4566/000000000000/{name}");
    assert_eq!(listed.queue_urls, [url("more"), url("orders")]);
    let none = account
        .queues
        .list_dead_letter_source_queues(account.now, "orders", &all)
        .unwrap();
    assert_eq!(none.queue_urls, Vec::<String>::new());
}

const FAILED: &str = "arn:aws:sqs:us-east-1:000000000000:failed";

fn start(
    account: &mut Account,
    source: &str,
    destination: Option<&str>,
) -> Result<lab::cloud::queue::MoveTask, lab::cloud::queue::QueueError> {
    account
        .queues
        .start_message_move_task(account.now, &account.entropy, source, destination, None)
}

/// SQS StartMessageMoveTask: new MessageId, new enqueue time, and the count begins anew. So a
/// consumer that remembers MessageIds does not know the message.
#[test]
fn a_redriven_message_is_a_new_message() {
    let mut account = account();
    let id = account.send("orders", "poison");
    fail(&mut account, 3);
    account.receive("orders");
    let task = start(&mut account, FAILED, None).unwrap();
    assert_eq!((task.moved, task.to_move), (1, 1));
    assert_eq!(account.depth("failed"), (0, 0, 0));
    let back = account.receive_one("orders");
    assert_eq!(bodies(std::slice::from_ref(&back)), ["poison"]);
    assert_ne!(back.received.message_id, id);
    assert_eq!((count(&back), back.received.sent_at), (1, account.now));
    assert_eq!(back.received.first_received_at, account.now);
    assert_eq!(back.received.dead_letter_source_arn, None);
    let listed = account
        .queues
        .list_message_move_tasks(account.now, FAILED, None)
        .unwrap();
    assert_eq!(listed, [task]);
    account.pass(30);
    fail_again(&mut account);
}

/// A redriven message has all its receives before it.
fn fail_again(account: &mut Account) {
    for expected in [2, 3] {
        assert_eq!(count(&account.receive_one("orders")), expected);
        account.pass(30);
    }
    assert_eq!(account.bodies("orders"), Vec::<String>::new());
    assert_eq!(account.depth("failed"), (1, 0, 0));
}

/// To a given destination go all messages, back to their sources only those that have one.
#[test]
fn messages_without_a_source_move_only_to_a_destination() {
    let mut account = account();
    account.create("sink", &[]);
    account.send("failed", "sent here");
    assert_eq!(start(&mut account, FAILED, None).unwrap().moved, 0);
    assert_eq!(account.depth("failed"), (1, 0, 0));
    let sink = "arn:aws:sqs:us-east-1:000000000000:sink";
    assert_eq!(start(&mut account, FAILED, Some(sink)).unwrap().moved, 1);
    assert_eq!(account.bodies("sink"), ["sent here"]);
}

/// RECORDED 2024-01-05.
#[test]
fn move_tasks_need_a_dead_letter_queue_and_a_destination() {
    let mut account = account();
    let orders = "arn:aws:sqs:us-east-1:000000000000:orders";
    let nowhere = "arn:aws:sqs:us-east-1:000000000000:nowhere";
    assert_eq!(
        told(start(&mut account, orders, None)),
        invalid_parameter("Source queue must be configured as a Dead Letter Queue.")
    );
    let missing = |parameter: &str| {
        let names = "ResourceNotFoundException";
        let text =
            format!("The resource that you specified for the {parameter} parameter doesn't exist.");
        (names, names, 404, text)
    };
    assert_eq!(
        told(start(&mut account, nowhere, None)),
        missing("SourceArn")
    );
    assert_eq!(
        told(start(&mut account, FAILED, Some(nowhere))),
        missing("DestinationArn")
    );
    let entropy = &account.entropy;
    let rated =
        account
            .queues
            .start_message_move_task(account.now, entropy, FAILED, None, Some(501));
    assert_eq!(
        told(rated),
        invalid_parameter(
            "Value 501 for parameter MaxNumberOfMessagesPerSecond is invalid. Reason: Must be between 1 and 500, if provided."
        )
    );
}

/// A redriven FIFO message goes back to its group, and its new id is its deduplication id.
#[test]
fn a_fifo_message_is_redriven_into_its_group() {
    let mut account = Account::fifo(&[]);
    account.create("failed.fifo", &[("FifoQueue", "true")]);
    account
        .set(
            "orders.fifo",
            &[("RedrivePolicy", &policy("failed.fifo", "1"))],
        )
        .unwrap();
    account
        .try_send("orders.fifo", grouped("one", "g", "d-1"))
        .unwrap();
    account.receive_one("orders.fifo");
    account.pass(30);
    account.receive("orders.fifo");
    let arn = format!("{FAILED}.fifo");
    assert_eq!(start(&mut account, &arn, None).unwrap().moved, 1);
    let back = account.receive_one("orders.fifo");
    assert_eq!(back.received.group_id.as_deref(), Some("g"));
    assert_eq!(
        back.received.deduplication_id.as_deref(),
        Some(back.received.message_id.as_str())
    );
    // Case E5: the producer's own id is still remembered; its new copy is accepted and swallowed.
    let copy = account.try_send(
        "orders.fifo",
        SendMessage {
            ..grouped("one", "g", "d-1")
        },
    );
    assert_ne!(copy.unwrap().message_id, back.received.message_id);
    assert_eq!(account.totals("orders.fifo").deduplicated, 1);
}
