//! Receipt handles: current, expired, superseded, of messages that are gone, and no handles at all.

use lab::cloud::queue::{LateVisibilityChange, QueueConfig, SupersededDelete};

use crate::support::{Account, count, handle, hidden_for, invalid_parameter, told};

const GONE: &str = "Message does not exist or is not available for visibility timeout change.";
const BEYOND: &str = "Total VisibilityTimeout for the message is beyond the limit [43200 seconds]";

fn with(config: QueueConfig) -> Account {
    let mut account = Account::with(config);
    account.create("orders", &[]);
    account
}

/// RECORDED: repeating a delete succeeds.
#[test]
fn a_delete_can_be_repeated() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    let delivery = account.receive_one("orders");
    account.delete("orders", &delivery);
    account.delete("orders", &delivery);
    assert_eq!(account.totals("orders").deleted, 1);
    account.pass(60);
    assert_eq!(account.depth("orders"), (0, 0, 0));
}

/// RECORDED, standard queues: an expired handle that was not superseded deletes the message.
#[test]
fn an_expired_handle_still_deletes() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    let delivery = account.receive_one("orders");
    account.pass(31);
    assert_eq!(account.depth("orders"), (1, 0, 0));
    account.delete("orders", &delivery);
    assert_eq!(account.depth("orders"), (0, 0, 0));
}

/// SQS DeleteMessage: with an older handle the call succeeds and the message may stay.
#[test]
fn a_superseded_handle_deletes_nothing_unless_the_knob_says_so() {
    for (rule, left) in [(SupersededDelete::Ignore, 1), (SupersededDelete::Remove, 0)] {
        let mut account = with(QueueConfig {
            superseded_delete: rule,
            ..QueueConfig::default()
        });
        account.send("orders", "one");
        let first = account.receive_one("orders");
        account.pass(30);
        let second = account.receive_one("orders");
        account.delete("orders", &first);
        assert_eq!(account.depth("orders"), (0, left, 0), "{rule:?}");
        account.delete("orders", &second);
        assert_eq!(account.depth("orders"), (0, 0, 0), "{rule:?}");
    }
    assert_eq!(
        QueueConfig::default().superseded_delete,
        SupersededDelete::Ignore
    );
}

/// RECORDED: a text that is no handle; PyQS#24: a handle of another queue.
#[test]
fn what_is_no_handle_of_the_queue_is_refused() {
    let mut account = Account::orders(&[]);
    let names = ("ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", 404);
    let garbage = (
        names.0,
        names.1,
        names.2,
        "The input receipt handle \"garbage\" is not a valid receipt handle.".to_owned(),
    );
    assert_eq!(told(account.try_delete("orders", "garbage")), garbage);
    account.create("other", &[]);
    account.send("other", "one");
    let foreign = account.receive_one("other");
    let text = format!(
        "The receipt handle \"{}\" is not valid for this queue.",
        handle(&foreign)
    );
    let refused = (names.0, names.1, names.2, text);
    assert_eq!(
        told(account.try_delete("orders", handle(&foreign))),
        refused
    );
    assert_eq!(told(account.change("orders", &foreign, 5)), refused);
}

/// A handle never acts on the message that has since taken the place of its own.
#[test]
fn a_handle_of_a_deleted_message_does_not_touch_the_next_one() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    let first = account.receive_one("orders");
    account.delete("orders", &first);
    account.send("orders", "two");
    account.receive_one("orders");
    account.delete("orders", &first);
    assert_eq!(account.depth("orders"), (0, 1, 0));
    assert_eq!(
        told(account.change("orders", &first, 0)),
        invalid_parameter(&format!(
            "Value {} for parameter ReceiptHandle is invalid. Reason: {GONE}",
            handle(&first)
        ))
    );
}

/// SQS ChangeMessageVisibility: from the time of the call on, replacing what was left.
#[test]
fn a_changed_timeout_counts_from_the_call() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    let delivery = account.receive_one("orders");
    account.pass(20);
    account.change("orders", &delivery, 15).unwrap();
    account.pass_millis(14_999);
    assert_eq!(account.depth("orders"), (0, 1, 0));
    account.pass_millis(1);
    assert_eq!(account.depth("orders"), (1, 0, 0));
    assert_eq!(count(&account.receive_one("orders")), 2);
    account.pass(15);
    assert_eq!(
        account.depth("orders"),
        (0, 1, 0),
        "the queue's own timeout applies again"
    );
}

/// SQS ChangeMessageVisibility: zero makes the message visible at once.
#[test]
fn a_timeout_of_zero_gives_the_message_back() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    let delivery = account.receive_one("orders");
    account.change("orders", &delivery, 0).unwrap();
    assert_eq!(count(&account.receive_one("orders")), 2);
}

/// RECORDED: an older handle still acts on a message that another consumer holds.
#[test]
fn an_older_handle_gives_back_what_another_holds() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    let first = account.try_receive("orders", &hidden_for(0)).unwrap();
    account.try_receive("orders", &hidden_for(3)).unwrap();
    assert_eq!(account.depth("orders"), (0, 1, 0));
    account.change("orders", &first[0], 0).unwrap();
    assert_eq!(account.depth("orders"), (1, 0, 0));
}

/// RECORDED 2024-04-30: a change that comes after the timeout answers 200. Its effect is a knob.
#[test]
fn a_heartbeat_that_comes_too_late_is_no_error() {
    let rules = [
        (LateVisibilityChange::Ignore, (1, 0, 0)),
        (LateVisibilityChange::Hide, (0, 1, 0)),
    ];
    for (rule, depth) in rules {
        let mut account = with(QueueConfig {
            late_visibility_change: rule,
            ..QueueConfig::default()
        });
        account.send("orders", "one");
        let delivery = account.receive_one("orders");
        account.pass(30);
        account.change("orders", &delivery, 60).unwrap();
        assert_eq!(account.depth("orders"), depth, "{rule:?}");
    }
}

/// RECORDED: of a message that is gone the visibility cannot be changed.
#[test]
fn the_visibility_of_a_deleted_message_cannot_be_changed() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    let delivery = account.receive_one("orders");
    account.delete("orders", &delivery);
    assert_eq!(
        told(account.change("orders", &delivery, 10)),
        invalid_parameter(&format!(
            "Value {} for parameter ReceiptHandle is invalid. Reason: {GONE}",
            handle(&delivery)
        ))
    );
}

/// SQS ChangeMessageVisibility: twelve hours in all, from the receive; extending does not start
/// them anew, receiving does.
#[test]
fn a_message_is_hidden_for_twelve_hours_at_most() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    let delivery = account.receive_one("orders");
    account.change("orders", &delivery, 43_200).unwrap();
    account.pass(5);
    let too_long = |seconds: i64| {
        invalid_parameter(&format!(
            "Value {seconds} for parameter VisibilityTimeout is invalid. Reason: {BEYOND}"
        ))
    };
    assert_eq!(
        told(account.change("orders", &delivery, 43_196)),
        too_long(43_196)
    );
    account.change("orders", &delivery, 43_195).unwrap();
    account.pass(43_194);
    assert_eq!(account.depth("orders"), (0, 1, 0));
    assert_eq!(told(account.change("orders", &delivery, 2)), too_long(2));
    account.pass(1);
    let again = account.receive_one("orders");
    account.change("orders", &again, 43_200).unwrap();
    assert_eq!(
        told(account.change("orders", &again, 43_201)),
        too_long(43_201)
    );
    assert_eq!(told(account.change("orders", &again, -1)), too_long(-1));
}

/// Handles die with their queue, even if one of the same name is created later.
#[test]
fn a_handle_of_a_deleted_queue_is_foreign_to_its_successor() {
    let mut account = Account::orders(&[]);
    account.send("orders", "one");
    let delivery = account.receive_one("orders");
    account.queues.delete_queue(account.now, "orders").unwrap();
    account.pass(60);
    account.create("orders", &[]);
    let refused = told(account.try_delete("orders", handle(&delivery)));
    assert_eq!(refused.0, "ReceiptHandleIsInvalid");
}
