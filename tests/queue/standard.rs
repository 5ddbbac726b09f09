//! Standard queues: visibility, counts, timestamps, delay, retention, order and quota.

use lab::cloud::queue::{QueueConfig, ReceiveMessage, SendMessage};

use crate::support::{Account, START, bodies, count, hidden_for, invalid_parameter, told, up_to};

/// SQS: every SendMessage makes a message of its own, however equal the bodies (article A).
#[test]
fn copies_of_one_order_are_messages_of_their_own() {
    let mut account = Account::orders(&[]);
    let ids: std::collections::BTreeSet<String> =
        (0..10).map(|_| account.send("orders", "{}")).collect();
    assert_eq!(ids.len(), 10);
    let received = account.receive("orders");
    let of_received = received.iter().map(|it| it.received.message_id.clone());
    assert_eq!(of_received.collect::<std::collections::BTreeSet<_>>(), ids);
}

/// SQS ReceiveMessage: hidden for the timeout, from the receive on, then visible again.
#[test]
fn a_received_message_is_hidden_until_its_timeout_ends() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    let first = account.receive_one("orders");
    account.pass_millis(29_999);
    assert_eq!(account.bodies("orders"), Vec::<String>::new());
    assert_eq!(account.depth("orders"), (0, 1, 0));
    account.pass_millis(1);
    assert_eq!(account.depth("orders"), (1, 0, 0));
    let second = account.receive_one("orders");
    assert_eq!(second.received.message_id, first.received.message_id);
    assert_ne!(
        second.received.receipt_handle,
        first.received.receipt_handle
    );
}

/// SQS ReceiveMessage: a timeout of the call holds for the messages of that call only.
#[test]
fn the_timeout_of_a_call_overrides_that_of_the_queue() {
    let mut account = Account::orders(&[("VisibilityTimeout", "10")]);
    account.send("orders", "one");
    let found = account.try_receive("orders", &hidden_for(3)).unwrap();
    assert_eq!(bodies(&found), ["one"]);
    account.pass(3);
    account.receive_one("orders");
    account.pass(9);
    assert_eq!(account.bodies("orders"), Vec::<String>::new());
    account.pass(1);
    assert_eq!(account.bodies("orders"), ["one"]);
}

/// A changed timeout of the queue does not reach messages that are in flight already.
#[test]
fn a_changed_default_holds_from_the_next_receive_on() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    account.receive_one("orders");
    account
        .set("orders", &[("VisibilityTimeout", "5")])
        .unwrap();
    account.pass(29);
    assert_eq!(account.depth("orders"), (0, 1, 0));
    account.pass(1);
    account.receive_one("orders");
    account.pass(5);
    assert_eq!(account.depth("orders"), (1, 0, 0));
}

/// A timeout of zero hides nothing, and yet no message is twice in one answer.
#[test]
fn a_timeout_of_zero_leaves_the_message_visible() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    account.send("orders", "two");
    for expected in 1..=3 {
        let found = account.try_receive("orders", &hidden_for(0)).unwrap();
        assert_eq!(bodies(&found), ["one", "two"]);
        assert_eq!(found.iter().map(count).collect::<Vec<_>>(), [expected; 2]);
        assert_eq!(account.depth("orders"), (2, 0, 0));
    }
}

/// Case D13: the first delivery has `ApproximateReceiveCount` 1, and each further one more.
#[test]
fn receives_are_counted_from_one() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    for expected in 1..=330 {
        assert_eq!(count(&account.receive_one("orders")), expected);
        account.pass(30);
    }
}

/// SQS ReceiveMessage: epoch milliseconds; the first receive stays what it was.
#[test]
fn timestamps_tell_of_the_send_and_of_the_first_receive() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    account.pass_millis(1_500);
    account.receive_one("orders");
    account.pass(40);
    let again = account.receive_one("orders");
    let shown = again.system_attributes(&["All"]);
    let shown: Vec<(&str, &str)> = shown.iter().map(|(k, v)| (*k, v.as_str())).collect();
    assert_eq!(
        shown,
        [
            ("ApproximateFirstReceiveTimestamp", "1789937904740"),
            ("ApproximateReceiveCount", "2"),
            ("SenderId", "AIDALABPRODUCER000001"),
            ("SentTimestamp", "1789937903240"),
        ]
    );
}

/// SQS ReceiveMessage: no attribute comes back unless asked for.
#[test]
fn system_attributes_come_back_when_asked_for() {
    let mut account = Account::orders(&[]);
    let message = SendMessage {
        trace_header: Some("Root=1-5759e988-bd862e3fe1be46a994272793".to_owned()),
        group_id: Some("customer-1".to_owned()),
        ..SendMessage::new("one")
    };
    account.try_send("orders", message).unwrap();
    let found = account.receive_one("orders");
    assert!(found.system_attributes(&[]).is_empty());
    let shown = found.system_attributes(&["AWSTraceHeader", "MessageGroupId", "Nonsense"]);
    let shown: Vec<(&str, &str)> = shown.iter().map(|(k, v)| (*k, v.as_str())).collect();
    assert_eq!(
        shown,
        [
            ("AWSTraceHeader", "Root=1-5759e988-bd862e3fe1be46a994272793"),
            ("MessageGroupId", "customer-1"),
        ]
    );
}

/// SQS developer guide, fair queues: a group on a standard queue blocks nothing.
#[test]
fn a_group_on_a_standard_queue_does_not_block() {
    let mut account = Account::orders(&[]);
    for body in ["one", "two"] {
        let message = SendMessage {
            group_id: Some("customer-1".to_owned()),
            ..SendMessage::new(body)
        };
        account.try_send("orders", message).unwrap();
    }
    assert_eq!(bodies(&[account.receive_one("orders")]), ["one"]);
    assert_eq!(bodies(&[account.receive_one("orders")]), ["two"]);
}

/// SQS: best effort; here the message that arrived first of those that are visible.
#[test]
fn without_faults_the_oldest_visible_message_comes_first() {
    let mut account = Account::orders(&[]);
    for number in 0..25 {
        account.send("orders", &number.to_string());
    }
    let first = account.receive("orders");
    assert_eq!(
        bodies(&first),
        ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
    );
    account.change("orders", &first[7], 0).unwrap();
    let next = account.receive("orders");
    assert_eq!(
        bodies(&next),
        ["7", "10", "11", "12", "13", "14", "15", "16", "17", "18"]
    );
}

/// SQS SendMessage: a delay of the message overrides that of the queue, zero included.
#[test]
fn a_delayed_message_cannot_be_received_before_its_time() {
    let mut account = Account::orders(&[("DelaySeconds", "60")]);
    let delayed = |body: &str, delay_seconds| SendMessage {
        delay_seconds,
        ..SendMessage::new(body)
    };
    account
        .try_send("orders", delayed("queue's", None))
        .unwrap();
    account
        .try_send("orders", delayed("at once", Some(0)))
        .unwrap();
    account
        .try_send("orders", delayed("longest", Some(900)))
        .unwrap();
    assert_eq!(account.depth("orders"), (1, 0, 2));
    assert_eq!(account.bodies("orders"), ["at once"]);
    account.pass_millis(59_999);
    assert_eq!(
        account.depth("orders"),
        (1, 0, 2),
        "`at once` is visible again"
    );
    account.pass_millis(1);
    assert_eq!(account.depth("orders"), (2, 0, 1));
    account.pass(840);
    assert_eq!(account.bodies("orders"), ["queue's", "at once", "longest"]);
    assert_eq!(
        told(account.try_send("orders", delayed("too long", Some(901)))),
        invalid_parameter(
            "Value 901 for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900."
        )
    );
}

/// SQS developer guide, delay queues: on a standard queue a changed delay is not retroactive.
#[test]
fn a_changed_delay_does_not_reach_messages_that_wait() {
    let mut account = Account::orders(&[("DelaySeconds", "60")]);
    account.send("orders", "one");
    account.set("orders", &[("DelaySeconds", "0")]).unwrap();
    account.pass(59);
    assert_eq!(account.depth("orders"), (0, 0, 1));
}

/// SQS CreateQueue: kept for the retention period, whatever the state of the message.
#[test]
fn messages_expire_by_age_in_any_state() {
    let mut account = Account::orders(&[("MessageRetentionPeriod", "60")]);
    account.send("orders", "in flight");
    account.try_receive("orders", &hidden_for(600)).unwrap();
    account.send("orders", "visible");
    let delayed = SendMessage {
        delay_seconds: Some(300),
        ..SendMessage::new("delayed")
    };
    account.try_send("orders", delayed).unwrap();
    account.pass(1);
    account.send("orders", "later");
    account.pass_millis(58_999);
    assert_eq!(account.depth("orders"), (2, 1, 1));
    account.pass_millis(1);
    assert_eq!(account.depth("orders"), (1, 0, 0));
    assert_eq!(account.totals("orders").expired, 3);
    assert_eq!(account.bodies("orders"), ["later"]);
}

/// SQS SetQueueAttributes: a changed retention period holds for the messages that are there.
#[test]
fn a_shorter_retention_period_drops_what_is_older() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    account.pass(345_599);
    assert_eq!(
        account.depth("orders"),
        (1, 0, 0),
        "four days are the default"
    );
    account
        .set("orders", &[("MessageRetentionPeriod", "1209600")])
        .unwrap();
    account.pass(1);
    assert_eq!(account.depth("orders"), (1, 0, 0));
    account
        .set("orders", &[("MessageRetentionPeriod", "345600")])
        .unwrap();
    assert_eq!(account.depth("orders"), (0, 0, 0));
}

fn small_quota() -> Account {
    let mut account = Account::with(QueueConfig {
        in_flight_quota: 3,
        ..QueueConfig::default()
    });
    account.create("orders", &[]);
    for number in 0..5 {
        account.send("orders", &number.to_string());
    }
    account
}

/// SQS ReceiveMessage: at the in-flight quota a short poll is an error, a long poll is empty.
#[test]
fn the_in_flight_quota_stops_receives() {
    let mut account = small_quota();
    let held = account.receive("orders");
    assert_eq!(
        bodies(&held),
        ["0", "1", "2"],
        "as many as the quota leaves room for"
    );
    assert_eq!(
        told(account.try_receive("orders", &up_to(10))),
        (
            "OverLimit",
            "OverLimit",
            403,
            "Too many messages have been received without being deleted. Please delete your received messages or let them timeout before receiving more.".to_owned()
        )
    );
    let long = ReceiveMessage {
        wait_seconds: Some(20),
        ..up_to(10)
    };
    assert_eq!(
        bodies(&account.try_receive("orders", &long).unwrap()),
        Vec::<String>::new()
    );
    assert_eq!(account.queues.available(account.now, "orders"), Ok(0));
    account.delete("orders", &held[1]);
    assert_eq!(account.queues.available(account.now, "orders"), Ok(1));
    assert_eq!(account.bodies("orders"), ["3"]);
}

/// The default of the quota is that of the service.
#[test]
fn a_queue_holds_120_000_messages_in_flight() {
    assert_eq!(QueueConfig::default().in_flight_quota, 120_000);
}

/// What a queue tells about its next change is when it happens.
#[test]
fn the_next_change_is_the_earliest_of_all_deadlines() {
    let mut account = Account::orders(&[("MessageRetentionPeriod", "60")]);
    let next = |account: &mut Account| account.queues.next_change(account.now, "orders").unwrap();
    assert_eq!(next(&mut account), None);
    account.send("orders", "one");
    let after = |seconds| Some(START + std::time::Duration::from_secs(seconds));
    assert_eq!(next(&mut account), after(60), "it expires");
    account.receive_one("orders");
    assert_eq!(next(&mut account), after(30), "it is visible again");
}
