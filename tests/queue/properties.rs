//! What holds under any sequence of operations.

use std::collections::BTreeMap;

use lab::cloud::queue::{ChangeVisibility, Delivery, QueueFaults, ReceiveMessage, SendMessage};
use lab::ports::Timestamp;
use proptest::prelude::*;

use crate::support::{Account, count, grouped, handle};

#[derive(Clone, Debug)]
enum Step {
    /// With a delay in seconds; on a FIFO queue the number chooses group and deduplication id.
    Send(u8),
    /// Up to so many messages, hidden for so many seconds.
    Receive(u8, u8),
    /// By the handle of that one of the deliveries so far.
    Delete(prop::sample::Index),
    /// By the handle of that one of the deliveries so far, in seconds.
    Change(prop::sample::Index, u8),
    /// Milliseconds.
    Pass(u16),
    Purge,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0_u8..20).prop_map(|delay| Step::Send(delay.saturating_sub(12))),
        6 => (1_u8..=10, 0_u8..25).prop_map(|(limit, hidden)| Step::Receive(limit, hidden)),
        4 => any::<prop::sample::Index>().prop_map(Step::Delete),
        2 => (any::<prop::sample::Index>(), 0_u8..25).prop_map(|(index, time)| Step::Change(index, time)),
        4 => (0_u16..15_000).prop_map(Step::Pass),
        1 => Just(Step::Purge),
    ];
    prop::collection::vec(step, 1..120)
}

/// A standard queue as one would write it without caring for speed: a list, looked through each
/// time.
#[derive(Default)]
struct Naive {
    messages: Vec<NaiveMessage>,
}

#[derive(Clone)]
struct NaiveMessage {
    id: String,
    sent_at: Timestamp,
    /// Delayed or hidden until then.
    until: Timestamp,
    received_at: Timestamp,
    count: u32,
}

const RETENTION_SECONDS: u64 = 60;

impl Naive {
    fn expire(&mut self, now: Timestamp) {
        let kept = |it: &NaiveMessage| now.since(it.sent_at).as_secs() < RETENTION_SECONDS;
        self.messages.retain(kept);
    }

    fn receive(&mut self, now: Timestamp, limit: usize, hidden: u64) -> Vec<(String, u32)> {
        let visible = self.messages.iter_mut().filter(|it| it.until <= now);
        let taken = visible.take(limit).map(|it| {
            it.count += 1;
            it.received_at = now;
            it.until = now + std::time::Duration::from_secs(hidden);
            (it.id.clone(), it.count)
        });
        taken.collect()
    }

    fn depth(&self, now: Timestamp) -> (u64, u64, u64) {
        let mut depth = (0, 0, 0);
        for message in &self.messages {
            match (message.until <= now, message.count) {
                (true, _) => depth.0 += 1,
                (false, 0) => depth.2 += 1,
                (false, _) => depth.1 += 1,
            }
        }
        depth
    }
}

fn receive(account: &mut Account, queue: &str, limit: u8, hidden: u8) -> Vec<Delivery> {
    let request = ReceiveMessage {
        max_messages: limit.into(),
        visibility_timeout_seconds: Some(hidden.into()),
        ..ReceiveMessage::default()
    };
    account.try_receive(queue, &request).unwrap()
}

/// A queue holds what came and did not go.
fn check_balance(account: &mut Account, queue: &str) -> Result<(), TestCaseError> {
    let (visible, in_flight, delayed) = account.depth(queue);
    let totals = account.totals(queue);
    let came = totals.sent + totals.moved_in;
    let went = totals.deleted + totals.expired + totals.purged + totals.moved_out;
    prop_assert_eq!(visible + in_flight + delayed, came - went);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Every answer and every counter of a standard queue is that of the naive list.
    #[test]
    fn a_standard_queue_is_the_naive_list(steps in steps()) {
        let retention = RETENTION_SECONDS.to_string();
        let mut account = Account::orders(&[("MessageRetentionPeriod", &retention)]);
        let mut naive = Naive::default();
        let mut deliveries: Vec<Delivery> = Vec::new();
        for step in steps {
            let now = account.now;
            naive.expire(now);
            match step {
                Step::Send(delay) => {
                    let message = SendMessage { delay_seconds: Some(delay.into()), ..SendMessage::new("x") };
                    let id = account.try_send("orders", message).unwrap().message_id;
                    let until = now + std::time::Duration::from_secs(delay.into());
                    naive.messages.push(NaiveMessage { id, sent_at: now, until, received_at: now, count: 0 });
                }
                Step::Receive(limit, hidden) => {
                    let found = receive(&mut account, "orders", limit, hidden);
                    let expected = naive.receive(now, limit.into(), hidden.into());
                    let told: Vec<(String, u32)> = found.iter().map(|it| (it.received.message_id.clone(), count(it))).collect();
                    prop_assert_eq!(told, expected);
                    deliveries.extend(found);
                }
                Step::Delete(index) if !deliveries.is_empty() => {
                    let delivery = index.get(&deliveries);
                    account.delete("orders", delivery);
                    let (id, number) = (&delivery.received.message_id, count(delivery));
                    naive.messages.retain(|it| it.id != *id || it.count != number);
                }
                Step::Change(index, seconds) if !deliveries.is_empty() => {
                    let delivery = index.get(&deliveries);
                    let changed = account.change("orders", delivery, seconds.into());
                    let message = naive.messages.iter_mut().find(|it| it.id == delivery.received.message_id);
                    prop_assert_eq!(changed.is_ok(), message.is_some());
                    if let Some(message) = message.filter(|it| it.until > now) {
                        message.until = now + std::time::Duration::from_secs(seconds.into());
                    }
                }
                Step::Pass(millis) => account.pass_millis(millis.into()),
                Step::Purge => {
                    if account.queues.purge_queue(now, "orders").is_ok() {
                        naive.messages.clear();
                    }
                }
                Step::Delete(_) | Step::Change(..) => {}
            }
            naive.expire(account.now);
            prop_assert_eq!(account.depth("orders"), naive.depth(account.now));
            check_balance(&mut account, "orders")?;
        }
    }

    /// Whatever happens, nothing is lost or invented: with faults, and with a dead-letter queue.
    #[test]
    fn nothing_is_lost_or_invented(
        steps in steps(),
        allowed in 1_u32..4,
        duplicate_deliveries in 0_u32..5,
        resurrected_deletes in 0_u32..5,
        missed_short_polls in 0_u32..3,
        reorder: bool,
    ) {
        let mut account = Account::new();
        account.create("failed", &[]);
        let policy = format!("{{\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:failed\",\"maxReceiveCount\":{allowed}}}");
        account.create("orders", &[("RedrivePolicy", &policy)]);
        account.arm("orders", QueueFaults { duplicate_deliveries, resurrected_deletes, reorder, missed_short_polls });
        // Receive count of every message that was sent.
        let mut known: BTreeMap<String, u32> = BTreeMap::new();
        let mut deliveries: Vec<Delivery> = Vec::new();
        for step in steps {
            match step {
                Step::Send(delay) => {
                    let message = SendMessage { delay_seconds: Some(delay.into()), ..SendMessage::new("x") };
                    let id = account.try_send("orders", message).unwrap().message_id;
                    prop_assert_eq!(known.insert(id, 0), None, "an id is given once");
                }
                Step::Receive(limit, hidden) => {
                    let queue = if limit == 1 { "failed" } else { "orders" };
                    for delivery in receive(&mut account, queue, limit, hidden) {
                        let before = known.get_mut(&delivery.received.message_id).expect("it was sent");
                        prop_assert_eq!(count(&delivery), *before + 1, "each receive counts one");
                        prop_assert_eq!(count(&delivery) > allowed, queue == "failed");
                        *before += 1;
                        if queue == "orders" {
                            deliveries.push(delivery);
                        }
                    }
                }
                Step::Delete(index) if !deliveries.is_empty() => {
                    account.delete("orders", index.get(&deliveries));
                }
                Step::Change(index, seconds) if !deliveries.is_empty() => {
                    let change = ChangeVisibility {
                        receipt_handle: handle(index.get(&deliveries)).to_owned(),
                        visibility_timeout_seconds: seconds.into(),
                    };
                    // Refused for a message that is gone; never a panic.
                    let _ = account.queues.change_message_visibility(account.now, "orders", &change);
                }
                Step::Pass(millis) => account.pass_millis(millis.into()),
                Step::Delete(_) | Step::Change(..) | Step::Purge => {}
            }
            check_balance(&mut account, "orders")?;
            check_balance(&mut account, "failed")?;
        }
        // What was not deleted is there and can be received.
        account.arm("orders", QueueFaults::default());
        account.pass(900);
        let mut left = 0;
        for queue in ["orders", "failed"] {
            loop {
                let found = receive(&mut account, queue, 10, 255);
                if found.is_empty() { break; }
                left += found.len() as u64;
            }
        }
        let totals = account.totals("orders");
        prop_assert_eq!(left, totals.sent - totals.deleted);
        prop_assert_eq!(totals.sent, known.len() as u64);
    }

    /// FIFO: within a group messages are first received in the order of their sending, and none
    /// while an earlier one of the group is in flight.
    #[test]
    fn a_group_is_in_order_and_waits(steps in steps()) {
        let queue = "orders.fifo";
        let mut account = Account::fifo(&[]);
        // By message id: number of the message, its group, and until when it is in flight.
        let mut sent: BTreeMap<String, (usize, u8, Option<Timestamp>)> = BTreeMap::new();
        let mut deliveries: Vec<Delivery> = Vec::new();
        let mut sends = 0;
        for step in steps {
            let now = account.now;
            match step {
                Step::Send(number) => {
                    let group = number % 3;
                    let ordinal = sends;
                    sends += 1;
                    let message = grouped("x", &format!("g-{group}"), &format!("d-{ordinal}"));
                    let id = account.try_send(queue, message).unwrap().message_id;
                    sent.insert(id, (ordinal, group, None));
                }
                Step::Receive(limit, hidden) => {
                    let flying = |sent: &BTreeMap<String, (usize, u8, Option<Timestamp>)>, group| {
                        sent.values().any(|it| it.1 == group && it.2.is_some_and(|until| until > now))
                    };
                    let found = receive(&mut account, queue, limit, hidden);
                    let mut last: BTreeMap<u8, usize> = BTreeMap::new();
                    for delivery in &found {
                        let (ordinal, group, _) = sent[&delivery.received.message_id];
                        prop_assert!(!flying(&sent, group), "the group waits");
                        prop_assert!(last.insert(group, ordinal).is_none_or(|before| before < ordinal));
                        // Nothing older of the group is left behind.
                        let older = sent.values().filter(|it| it.1 == group && it.0 < ordinal);
                        let in_answer = found.iter().filter(|it| {
                            let other = sent[&it.received.message_id];
                            other.1 == group && other.0 < ordinal
                        });
                        prop_assert_eq!(older.count(), in_answer.count());
                    }
                    for delivery in &found {
                        let entry = sent.get_mut(&delivery.received.message_id).expect("it was sent");
                        entry.2 = Some(now + std::time::Duration::from_secs(hidden.into()));
                    }
                    deliveries.extend(found);
                }
                Step::Delete(index) if !deliveries.is_empty() => {
                    let delivery = index.get(&deliveries);
                    if account.try_delete(queue, handle(delivery)).is_ok() {
                        sent.remove(&delivery.received.message_id);
                    }
                }
                Step::Change(index, seconds) if !deliveries.is_empty() => {
                    let delivery = index.get(&deliveries);
                    if account.change(queue, delivery, seconds.into()).is_ok() {
                        let entry = sent.get_mut(&delivery.received.message_id).expect("it is there");
                        entry.2 = Some(now + std::time::Duration::from_secs(seconds.into()));
                    }
                }
                Step::Pass(millis) => account.pass_millis(millis.into()),
                Step::Delete(_) | Step::Change(..) | Step::Purge => {}
            }
            check_balance(&mut account, queue)?;
            let (visible, in_flight, _) = account.depth(queue);
            prop_assert_eq!(visible + in_flight, sent.len() as u64);
        }
    }
}
