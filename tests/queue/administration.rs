//! Creating, finding, changing, purging and deleting queues.

use std::time::Duration;

use lab::cloud::queue::{PageRequest, QueueConfig, SendMessage};

use crate::support::{Account, invalid_parameter, map, told, up_to};

const TAKEN: &str = "A queue already exists with the same name and a different value for attribute";

fn unknown(name: &str) -> (&'static str, &'static str, u16, String) {
    let text = format!("Unknown Attribute {name}.");
    ("InvalidAttributeName", "InvalidAttributeName", 400, text)
}

/// SQS CreateQueue: idempotent with equal attributes; RECORDED 2024-04-30 otherwise.
#[test]
fn creating_again_is_idempotent_with_equal_attributes() {
    let mut account = Account::new();
    let url = account.create("orders", &[("DelaySeconds", "1")]);
    assert_eq!(url, "http://localhost:4566/000000000000/orders");
    assert_eq!(account.create("orders", &[]), url);
    assert_eq!(
        account.create(
            "orders",
            &[("DelaySeconds", "1"), ("VisibilityTimeout", "30")]
        ),
        url
    );
    assert_eq!(
        told(account.try_create("orders", &[("DelaySeconds", "2")])),
        (
            "QueueAlreadyExists",
            "QueueNameExists",
            400,
            format!("{TAKEN} DelaySeconds")
        )
    );
}

/// SQS CreateQueue: up to 80 letters, digits, hyphens, underscores; FIFO names end in `.fifo`.
#[test]
fn queue_names_follow_the_rules_of_their_type() {
    let mut account = Account::new();
    let longest = "a".repeat(80);
    account.create(&longest, &[]);
    let standard =
        "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length";
    for name in ["", "or ders", "orders.fifo", &"a".repeat(81)] {
        assert_eq!(
            told(account.try_create(name, &[])),
            invalid_parameter(standard),
            "{name}"
        );
    }
    let fifo = "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.";
    for name in [
        "orders",
        ".fifo",
        "or.ders.fifo",
        &format!("{}.fifo", "a".repeat(76)),
    ] {
        let created = account.try_create(name, &[("FifoQueue", "true")]);
        assert_eq!(told(created), invalid_parameter(fifo), "{name}");
    }
    account.create(
        &format!("{}.fifo", "a".repeat(75)),
        &[("FifoQueue", "true")],
    );
}

/// RECORDED: a standard queue has no attribute `FifoQueue`, nor those that go with it.
#[test]
fn attributes_of_fifo_queues_are_unknown_to_standard_queues() {
    let mut account = Account::new();
    for name in ["orders", "orders.fifo"] {
        let created = account.try_create(name, &[("FifoQueue", "false")]);
        assert_eq!(told(created), unknown("FifoQueue"));
    }
    account.create("orders", &[]);
    assert_eq!(
        told(account.set("orders", &[("FifoQueue", "true")])),
        unknown("FifoQueue")
    );
    assert_eq!(
        told(account.set("orders", &[("ContentBasedDeduplication", "true")])),
        unknown("ContentBasedDeduplication")
    );
    assert_eq!(
        told(account.set("orders", &[("DeduplicationScope", "queue")])).3,
        "You can specify the DeduplicationScope only when FifoQueue is set to true."
    );
}

/// SQS GetQueueAttributes: all of them, with the documented defaults.
#[test]
fn a_new_queue_has_the_documented_attributes() {
    let mut account = Account::orders(&[]);
    let all = account.attributes("orders", &["All"]);
    assert_eq!(
        all,
        map(&[
            ("ApproximateNumberOfMessages", "0"),
            ("ApproximateNumberOfMessagesDelayed", "0"),
            ("ApproximateNumberOfMessagesNotVisible", "0"),
            ("CreatedTimestamp", "1789937903"),
            ("DelaySeconds", "0"),
            ("LastModifiedTimestamp", "1789937903"),
            ("MaximumMessageSize", "1048576"),
            ("MessageRetentionPeriod", "345600"),
            ("QueueArn", "arn:aws:sqs:us-east-1:000000000000:orders"),
            ("ReceiveMessageWaitTimeSeconds", "0"),
            ("SqsManagedSseEnabled", "true"),
            ("VisibilityTimeout", "30"),
        ])
    );
    assert_eq!(account.attributes("orders", &[]), map(&[]));
    assert_eq!(
        account.attributes("orders", &["VisibilityTimeout", "RedrivePolicy"]),
        map(&[("VisibilityTimeout", "30")])
    );
    let asked = account
        .queues
        .get_queue_attributes(account.now, "orders", &["Colour"]);
    assert_eq!(told(asked), unknown("Colour"));
}

/// RECORDED 2023-11-14: what a FIFO queue shows besides.
#[test]
fn a_fifo_queue_shows_its_own_attributes() {
    let mut account = Account::fifo(&[("ContentBasedDeduplication", "true")]);
    let names = [
        "FifoQueue",
        "ContentBasedDeduplication",
        "DeduplicationScope",
        "FifoThroughputLimit",
    ];
    assert_eq!(
        account.attributes("orders.fifo", &names),
        map(&[
            ("ContentBasedDeduplication", "true"),
            ("DeduplicationScope", "queue"),
            ("FifoQueue", "true"),
            ("FifoThroughputLimit", "perQueue"),
        ])
    );
    let high = [("FifoThroughputLimit", "perMessageGroupId")];
    assert_eq!(
        told(account.set("orders.fifo", &high)).3,
        "The perMessageGroupId value is allowed only when the value for DeduplicationScope is messageGroup."
    );
    let both = [("DeduplicationScope", "messageGroup"), high[0]];
    account.set("orders.fifo", &both).unwrap();
    assert_eq!(
        account.attributes("orders.fifo", &["DeduplicationScope"]),
        map(&both[..1])
    );
}

/// The counters are exact; account and region are those of the configuration.
#[test]
fn counters_and_arn_are_those_of_the_queue() {
    let mut account = Account::with(QueueConfig {
        account_id: "123456789012".to_owned(),
        region: "eu-central-1".to_owned(),
        ..QueueConfig::default()
    });
    account.create("orders", &[]);
    for _ in 0..3 {
        account.send("orders", "one");
    }
    let delayed = SendMessage {
        delay_seconds: Some(5),
        ..SendMessage::new("two")
    };
    account.try_send("orders", delayed).unwrap();
    account.receive_one("orders");
    let names = [
        "ApproximateNumberOfMessages",
        "ApproximateNumberOfMessagesNotVisible",
        "ApproximateNumberOfMessagesDelayed",
        "QueueArn",
    ];
    assert_eq!(
        account.attributes("orders", &names),
        map(&[
            (names[0], "2"),
            (names[1], "1"),
            (names[2], "1"),
            (names[3], "arn:aws:sqs:eu-central-1:123456789012:orders"),
        ])
    );
}

/// SQS SetQueueAttributes: the ranges of 1.7, and all or nothing.
#[test]
fn attributes_outside_their_range_are_refused() {
    let mut account = Account::orders(&[]);
    let ranges = [
        ("VisibilityTimeout", "0", "43200", "43201"),
        ("DelaySeconds", "0", "900", "901"),
        ("MessageRetentionPeriod", "60", "1209600", "59"),
        ("ReceiveMessageWaitTimeSeconds", "0", "20", "21"),
        ("MaximumMessageSize", "1024", "1048576", "1048577"),
        ("MaximumMessageSize", "1024", "1048576", "1023"),
        ("KmsDataKeyReusePeriodSeconds", "60", "86400", "59"),
        ("VisibilityTimeout", "0", "43200", "-1"),
        ("VisibilityTimeout", "0", "43200", "1.5"),
    ];
    for (name, least, most, bad) in ranges {
        account.set("orders", &[(name, least)]).unwrap();
        account.set("orders", &[(name, most)]).unwrap();
        assert_eq!(
            told(account.set("orders", &[(name, bad)])),
            (
                "InvalidAttributeValue",
                "InvalidAttributeValue",
                400,
                format!("Invalid value for the parameter {name}.")
            )
        );
    }
    let mixed = [("DelaySeconds", "7"), ("VisibilityTimeout", "soon")];
    assert_eq!(
        told(account.set("orders", &mixed)).0,
        "InvalidAttributeValue"
    );
    assert_eq!(
        account.attributes("orders", &["DelaySeconds"]),
        map(&[("DelaySeconds", "900")])
    );
    assert_eq!(
        told(account.set("orders", &[("Colour", "red")])),
        unknown("Colour")
    );
    assert_eq!(
        told(account.set("orders", &[("QueueArn", "arn:aws:sqs:us-east-1:1:x")])),
        unknown("QueueArn")
    );
}

/// RECORDED 2022-08-01: one kind of encryption at a time.
#[test]
fn encryption_is_of_one_kind() {
    let mut account = Account::orders(&[]);
    account.set("orders", &[("KmsMasterKeyId", "key")]).unwrap();
    let names = [
        "KmsMasterKeyId",
        "KmsDataKeyReusePeriodSeconds",
        "SqsManagedSseEnabled",
    ];
    assert_eq!(
        account.attributes("orders", &names),
        map(&[(names[0], "key"), (names[1], "300"), (names[2], "false")])
    );
    account
        .set("orders", &[("SqsManagedSseEnabled", "true")])
        .unwrap();
    assert_eq!(
        account.attributes("orders", &names),
        map(&[(names[2], "true")])
    );
    let both = [("KmsMasterKeyId", "key"), ("SqsManagedSseEnabled", "true")];
    assert_eq!(
        told(account.set("orders", &both)).3,
        "You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE."
    );
}

/// `LastModifiedTimestamp` moves with a change, `CreatedTimestamp` does not.
#[test]
fn a_change_is_dated() {
    let mut account = Account::orders(&[]);
    account.pass(100);
    account.set("orders", &[("DelaySeconds", "1")]).unwrap();
    let names = ["CreatedTimestamp", "LastModifiedTimestamp"];
    assert_eq!(
        account.attributes("orders", &names),
        map(&[(names[0], "1789937903"), (names[1], "1789938003")])
    );
}

/// RECORDED 2024-04-30, both texts.
#[test]
fn a_queue_that_does_not_exist_has_two_error_texts() {
    let mut account = Account::new();
    let error = account
        .queues
        .get_queue_url(account.now, "orders")
        .unwrap_err();
    assert_eq!(
        told::<()>(Err(error.clone())),
        (
            "AWS.SimpleQueueService.NonExistentQueue",
            "QueueDoesNotExist",
            400,
            "The specified queue does not exist.".to_owned()
        )
    );
    assert_eq!(
        error.query_message(),
        "The specified queue does not exist for this wsdl version."
    );
    assert_eq!(
        account
            .try_send("orders", SendMessage::new(""))
            .unwrap_err(),
        error
    );
    assert_eq!(
        account.try_receive("orders", &up_to(99)).unwrap_err(),
        error
    );
    assert_eq!(account.try_delete("orders", "garbage").unwrap_err(), error);
    assert_eq!(account.set("orders", &[]).unwrap_err(), error);
    assert_eq!(
        account
            .queues
            .purge_queue(account.now, "orders")
            .unwrap_err(),
        error
    );
    assert_eq!(
        account
            .queues
            .delete_queue(account.now, "orders")
            .unwrap_err(),
        error
    );
}

/// A queue is found by name and by URL, of this account only.
#[test]
fn a_url_leads_to_its_queue() {
    let mut account = Account::new();
    let url = account.create("orders", &[]);
    assert_eq!(
        account.queues.get_queue_url(account.now, "orders"),
        Ok(url.clone())
    );
    account.send(&url, "one");
    let elsewhere = "https://sqs.us-east-1.amazonaws.com/000000000000/orders";
    assert_eq!(
        account.bodies(elsewhere),
        ["one"],
        "the host does not matter"
    );
    let others = "http://localhost:4566/123456789012/orders";
    let sent = account.try_send(others, SendMessage::new("two"));
    assert_eq!(told(sent).1, "QueueDoesNotExist");
    let no_queue = "http://localhost:4566/";
    assert_eq!(
        told(account.try_send(no_queue, SendMessage::new("two"))),
        (
            "InvalidAddress",
            "InvalidAddress",
            404,
            format!("The address {no_queue} is not valid for this endpoint.")
        )
    );
}

/// SQS ListQueues: by prefix, in pages if `MaxResults` is given.
#[test]
fn queues_are_listed_by_prefix_and_in_pages() {
    let mut account = Account::new();
    for name in ["orders-b", "orders-a", "orders-c", "other"] {
        account.create(name, &[]);
    }
    let url = |name: &str| format!("http://localhost:4566/000000000000/{name}");
    let all = account
        .queues
        .list_queues("orders", &PageRequest::default())
        .unwrap();
    assert_eq!(
        all.queue_urls,
        [url("orders-a"), url("orders-b"), url("orders-c")]
    );
    assert_eq!(all.next_token, None);
    let mut page = PageRequest {
        max_results: Some(3),
        next_token: None,
    };
    let first = account.queues.list_queues("", &page).unwrap();
    assert_eq!(
        first.queue_urls,
        [url("orders-a"), url("orders-b"), url("orders-c")]
    );
    page.next_token = first.next_token;
    let second = account.queues.list_queues("", &page).unwrap();
    assert_eq!(second.queue_urls, [url("other")]);
    assert_eq!(second.next_token, None);
    page.max_results = Some(1001);
    assert_eq!(
        told(account.queues.list_queues("", &page)),
        invalid_parameter(
            "Value 1001 for parameter MaxResults is invalid. Reason: MaxResults must be an integer between 1 and 1000."
        )
    );
}

/// RECORDED: the name of a deleted queue stays taken for 60 s.
#[test]
fn a_deleted_queue_cannot_be_created_again_for_a_minute() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    account.queues.delete_queue(account.now, "orders").unwrap();
    account.pass_millis(59_999);
    assert_eq!(
        told(account.try_create("orders", &[])),
        (
            "AWS.SimpleQueueService.QueueDeletedRecently",
            "QueueDeletedRecently",
            400,
            "You must wait 60 seconds after deleting a queue before you can create another with the same name.".to_owned()
        )
    );
    account.create("orders-2", &[]);
    account.pass_millis(1);
    account.create("orders", &[]);
    assert_eq!(account.depth("orders"), (0, 0, 0), "its messages are lost");
}

/// SQS PurgeQueue: delayed messages and those in flight go too; RECORDED: once in 60 s.
#[test]
fn a_purge_drops_everything_once_a_minute() {
    let mut account = Account::orders(&[]);
    for body in ["in flight", "visible"] {
        account.send("orders", body);
    }
    let held = account.receive_one("orders");
    let delayed = SendMessage {
        delay_seconds: Some(5),
        ..SendMessage::new("delayed")
    };
    account.try_send("orders", delayed).unwrap();
    assert_eq!(account.depth("orders"), (1, 1, 1));
    account.queues.purge_queue(account.now, "orders").unwrap();
    assert_eq!(account.depth("orders"), (0, 0, 0));
    assert_eq!(account.totals("orders").purged, 3);
    account.delete("orders", &held);
    account.send("orders", "after");
    account.pass_millis(59_999);
    assert_eq!(
        told(account.queues.purge_queue(account.now, "orders")),
        (
            "AWS.SimpleQueueService.PurgeQueueInProgress",
            "PurgeQueueInProgress",
            403,
            "Only one PurgeQueue operation on orders is allowed every 60 seconds.".to_owned()
        )
    );
    assert_eq!(account.depth("orders"), (1, 0, 0));
    account.pass_millis(1);
    account.queues.purge_queue(account.now, "orders").unwrap();
    assert_eq!(account.depth("orders"), (0, 0, 0));
}

/// SQS CreateQueue asks to wait 1 s before the first use: a knob, off by default.
#[test]
fn a_new_queue_can_be_made_to_need_its_second() {
    let mut account = Account::with(QueueConfig {
        creation_delay: Duration::from_secs(1),
        ..QueueConfig::default()
    });
    account.create("orders", &[]);
    account.pass_millis(999);
    let sent = account.try_send("orders", SendMessage::new("one"));
    assert_eq!(told(sent).1, "QueueDoesNotExist");
    account.pass_millis(1);
    account.send("orders", "one");
    assert_eq!(QueueConfig::default().creation_delay, Duration::ZERO);
}
