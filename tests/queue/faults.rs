//! The faults of a standard queue: each happens when armed, and only then.

use lab::cloud::queue::{FaultTally, QueueFaults, ReceiveMessage};

use crate::support::{Account, bodies, count, up_to};

fn tally(account: &mut Account) -> FaultTally {
    account.queues.fault_tally(account.now, "orders").unwrap()
}

/// Ten messages, and the given faults.
fn with(faults: QueueFaults) -> Account {
    let mut account = Account::orders(&[]);
    for number in 0..10 {
        account.send("orders", &number.to_string());
    }
    account.arm("orders", faults);
    account
}

#[test]
fn all_faults_are_off_by_default() {
    let mut account = with(QueueFaults::default());
    let first = account.receive("orders");
    assert_eq!(
        bodies(&first),
        ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
    );
    assert_eq!(
        account.bodies("orders"),
        Vec::<String>::new(),
        "no message to a second receiver"
    );
    for delivery in &first {
        account.delete("orders", delivery);
    }
    account.pass(60);
    assert_eq!(
        account.depth("orders"),
        (0, 0, 0),
        "no deleted message comes back"
    );
    assert_eq!(tally(&mut account), FaultTally::default());
}

/// SQS developer guide: a visibility timeout is no promise against a second receive.
#[test]
fn a_duplicated_delivery_reaches_a_second_receiver() {
    let mut account = with(QueueFaults {
        duplicate_deliveries: 2,
        ..QueueFaults::default()
    });
    let first = account.receive("orders");
    assert_eq!(first.len(), 10, "once in one answer");
    assert_eq!(account.depth("orders"), (2, 8, 0));
    let second = account.receive("orders");
    assert_eq!(bodies(&second), ["0", "1"]);
    assert_eq!(second.iter().map(count).collect::<Vec<_>>(), [2, 2]);
    assert_eq!(account.bodies("orders"), Vec::<String>::new());
    assert_eq!(tally(&mut account).duplicated, 2);
    account.delete("orders", &second[0]);
    account.delete("orders", &second[1]);
    assert_eq!(account.depth("orders"), (0, 8, 0));
}

/// A fault that was armed and met nobody did not happen.
#[test]
fn a_duplicate_that_nobody_received_is_not_counted() {
    let mut account = with(QueueFaults {
        duplicate_deliveries: 1,
        ..QueueFaults::default()
    });
    let first = account.receive_one("orders");
    account.pass(30);
    let again = account.receive_one("orders");
    assert_eq!(again.received.message_id, first.received.message_id);
    assert_eq!(tally(&mut account).duplicated, 0, "an ordinary redelivery");
}

/// SQS DeleteMessage: a storage server that was out of reach keeps its copy.
#[test]
fn a_resurrected_message_comes_back_after_its_delete() {
    let mut account = with(QueueFaults {
        resurrected_deletes: 1,
        ..QueueFaults::default()
    });
    let held = account.receive("orders");
    for delivery in &held {
        account.delete("orders", delivery);
    }
    assert_eq!(account.depth("orders"), (0, 1, 0));
    account.pass(30);
    let back = account.receive_one("orders");
    assert_eq!(bodies(std::slice::from_ref(&back)), ["0"]);
    assert_eq!(count(&back), 2);
    account.delete("orders", &back);
    assert_eq!(account.depth("orders"), (0, 0, 0));
    assert_eq!(tally(&mut account).resurrected, 1);
    assert_eq!(account.totals("orders").deleted, 10);
}

/// SQS: order is best effort. The shuffle comes from the seed: the same each time.
#[test]
fn a_reordered_queue_hands_everything_out_in_another_order() {
    let order = |seed| {
        let mut account = with(QueueFaults {
            reorder: true,
            ..QueueFaults::default()
        });
        account.entropy = lab::entropy::Entropy::seeded(seed);
        let order = account.bodies("orders");
        assert!(tally(&mut account).reordered > 0);
        order
    };
    let mut shuffled = order(1);
    assert_eq!(shuffled, order(1));
    assert_ne!(shuffled, order(2));
    let in_order: Vec<String> = (0..10).map(|number| number.to_string()).collect();
    assert_ne!(shuffled, in_order);
    shuffled.sort();
    assert_eq!(shuffled, in_order, "none lost, none twice");
}

/// SQS developer guide: a short poll asks a part of the servers; a long poll asks them all.
#[test]
fn a_missed_short_poll_finds_nothing_where_something_is() {
    let mut account = with(QueueFaults {
        missed_short_polls: 2,
        ..QueueFaults::default()
    });
    assert_eq!(account.bodies("orders"), Vec::<String>::new());
    let long = ReceiveMessage {
        wait_seconds: Some(1),
        ..up_to(1)
    };
    assert_eq!(
        bodies(&account.try_receive("orders", &long).unwrap()),
        ["0"]
    );
    assert_eq!(account.bodies("orders"), Vec::<String>::new());
    assert_eq!(account.receive("orders").len(), 9);
    assert_eq!(tally(&mut account).missed, 2);
    account.arm(
        "orders",
        QueueFaults {
            missed_short_polls: 1,
            ..QueueFaults::default()
        },
    );
    account.receive("orders");
    assert_eq!(tally(&mut account).missed, 2, "there was nothing to miss");
}
