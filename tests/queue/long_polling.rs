//! Receives that wait: what ends the wait, who is served, and what a dropped call leaves behind.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use lab::cloud::queue::{
    ChangeVisibility, Delivery, QueueConfig, QueueError, QueueFaults, QueueService, ReceiveMessage,
    SendMessage,
};
use tokio::task::LocalSet;

use crate::clock::{create, elapsed, pass, service};
use crate::support::{bodies, grouped, handle, up_to};

fn waiting(wait_seconds: i64) -> ReceiveMessage {
    ReceiveMessage {
        wait_seconds: Some(wait_seconds),
        ..up_to(10)
    }
}

fn send(service: &QueueService, body: &str) {
    send_message(service, "orders", SendMessage::new(body));
}

fn send_message(service: &QueueService, queue: &str, message: SendMessage) {
    service
        .with(|queues, now, entropy| queues.send_message(now, entropy, queue, message))
        .unwrap();
}

fn take(service: &QueueService, queue: &str) -> Vec<Delivery> {
    service
        .with(|queues, now, entropy| queues.receive_message(now, entropy, queue, &up_to(10)))
        .unwrap()
}

fn delete(service: &QueueService, queue: &str, delivery: &Delivery) {
    service
        .with(|queues, now, _| queues.delete_message(now, queue, handle(delivery)))
        .unwrap();
}

async fn receive(service: &QueueService, wait_seconds: i64) -> Vec<String> {
    let request = waiting(wait_seconds);
    let found = service.receive_message("orders", &request).await;
    bodies(&found.unwrap())
}

/// SQS developer guide: a long poll returns as soon as a message is there.
#[tokio::test(start_paused = true)]
async fn a_message_ends_the_wait_at_once() {
    let service = service(QueueConfig::default(), &[]);
    let (found, ()) = tokio::join!(receive(&service, 20), async {
        pass(7).await;
        send(&service, "one");
    });
    assert_eq!((found, elapsed(&service)), (vec!["one".to_owned()], 7_000));
}

/// ... and with nothing when the wait ends.
#[tokio::test(start_paused = true)]
async fn the_wait_ends_on_time() {
    let service = service(QueueConfig::default(), &[]);
    assert_eq!(receive(&service, 20).await, Vec::<String>::new());
    assert_eq!(elapsed(&service), 20_000);
}

/// SQS ReceiveMessage: without a wait of its own the queue's holds; zero is a short poll.
#[tokio::test(start_paused = true)]
async fn the_queue_has_a_wait_of_its_own() {
    let service = service(
        QueueConfig::default(),
        &[("ReceiveMessageWaitTimeSeconds", "3")],
    );
    let own = service.receive_message("orders", &up_to(10)).await.unwrap();
    assert_eq!((own.len(), elapsed(&service)), (0, 3_000));
    assert_eq!(receive(&service, 0).await, Vec::<String>::new());
    assert_eq!(elapsed(&service), 3_000);
}

/// A bad request is refused before it waits.
#[tokio::test(start_paused = true)]
async fn a_bad_request_does_not_wait() {
    let service = service(QueueConfig::default(), &[]);
    let bad = ReceiveMessage {
        max_messages: 11,
        ..waiting(20)
    };
    let error = service.receive_message("orders", &bad).await.unwrap_err();
    assert_eq!(
        (error.code, elapsed(&service)),
        ("InvalidParameterValue", 0)
    );
    let nowhere = service
        .receive_message("nowhere", &waiting(20))
        .await
        .unwrap_err();
    assert_eq!((nowhere.shape, elapsed(&service)), ("QueueDoesNotExist", 0));
}

/// A message becomes visible when its visibility timeout ends.
#[tokio::test(start_paused = true)]
async fn the_end_of_a_visibility_timeout_ends_the_wait() {
    let service = service(QueueConfig::default(), &[("VisibilityTimeout", "11")]);
    send(&service, "one");
    take(&service, "orders");
    assert_eq!(receive(&service, 20).await, ["one"]);
    assert_eq!(elapsed(&service), 11_000);
}

/// A message becomes visible when its delay is over.
#[tokio::test(start_paused = true)]
async fn the_end_of_a_delay_ends_the_wait() {
    let service = service(QueueConfig::default(), &[("DelaySeconds", "9")]);
    let (found, ()) = tokio::join!(receive(&service, 20), async {
        pass(2).await;
        send(&service, "one");
    });
    assert_eq!((found, elapsed(&service)), (vec!["one".to_owned()], 11_000));
}

/// A message becomes visible when its consumer gives it back, or shortens its timeout.
#[tokio::test(start_paused = true)]
async fn a_changed_visibility_ends_the_wait() {
    for (seconds, end) in [(0, 4_000), (5, 9_000)] {
        let service = service(QueueConfig::default(), &[]);
        send(&service, "one");
        let held = take(&service, "orders");
        let (found, ()) = tokio::join!(receive(&service, 20), async {
            pass(4).await;
            let change = ChangeVisibility {
                receipt_handle: handle(&held[0]).to_owned(),
                visibility_timeout_seconds: seconds,
            };
            service
                .with(|queues, now, _| queues.change_message_visibility(now, "orders", &change))
                .unwrap();
        });
        assert_eq!((found, elapsed(&service)), (vec!["one".to_owned()], end));
    }
}

/// A message that becomes visible in the very millisecond in which the wait ends is delivered.
#[tokio::test(start_paused = true)]
async fn the_last_moment_of_the_wait_counts() {
    let service = service(QueueConfig::default(), &[("VisibilityTimeout", "20")]);
    send(&service, "one");
    take(&service, "orders");
    assert_eq!(receive(&service, 20).await, ["one"]);
}

/// The in-flight quota: a long poll waits for room instead of failing.
#[tokio::test(start_paused = true)]
async fn a_delete_makes_room_under_the_quota() {
    let config = QueueConfig {
        in_flight_quota: 1,
        ..QueueConfig::default()
    };
    let service = service(config, &[]);
    send(&service, "one");
    send(&service, "two");
    let held = take(&service, "orders");
    let (found, ()) = tokio::join!(receive(&service, 20), async {
        pass(5).await;
        delete(&service, "orders", &held[0]);
    });
    assert_eq!((found, elapsed(&service)), (vec!["two".to_owned()], 5_000));
}

/// FIFO: the wait ends when the group is free again.
#[tokio::test(start_paused = true)]
async fn a_group_that_is_free_again_ends_the_wait() {
    let service = service(QueueConfig::default(), &[]);
    create(&service, "orders.fifo", &[("FifoQueue", "true")]);
    send_message(&service, "orders.fifo", grouped("a0", "a", "0"));
    let held = take(&service, "orders.fifo");
    send_message(&service, "orders.fifo", grouped("a1", "a", "1"));
    let request = waiting(20);
    let (found, ()) = tokio::join!(service.receive_message("orders.fifo", &request), async {
        pass(5).await;
        delete(&service, "orders.fifo", &held[0]);
    });
    assert_eq!(
        (bodies(&found.unwrap()), elapsed(&service)),
        (vec!["a1".to_owned()], 5_000)
    );
}

/// FIFO: a repeated attempt is answered at once, although nothing is visible.
#[tokio::test(start_paused = true)]
async fn a_repeated_attempt_does_not_wait() {
    let service = service(QueueConfig::default(), &[]);
    create(&service, "orders.fifo", &[("FifoQueue", "true")]);
    send_message(&service, "orders.fifo", grouped("a0", "a", "0"));
    let request = ReceiveMessage {
        attempt_id: Some("x".to_owned()),
        ..waiting(20)
    };
    for _ in 0..2 {
        let found = service
            .receive_message("orders.fifo", &request)
            .await
            .unwrap();
        assert_eq!(
            (bodies(&found), elapsed(&service)),
            (vec!["a0".to_owned()], 0)
        );
    }
}

/// A poll at the source may move a message: that ends the wait at the dead-letter queue.
#[tokio::test(start_paused = true)]
async fn a_dead_letter_ends_the_wait_at_its_queue() {
    let service = service(QueueConfig::default(), &[]);
    let policy = "{\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:orders\",\"maxReceiveCount\":1}";
    let attributes = [("RedrivePolicy", policy), ("VisibilityTimeout", "17")];
    create(&service, "source", &attributes);
    send_message(&service, "source", SendMessage::new("poison"));
    take(&service, "source");
    let request = waiting(20);
    let dead = async { (receive(&service, 20).await, elapsed(&service)) };
    let (dead, source) = tokio::join!(dead, async {
        pass(15).await;
        service.receive_message("source", &request).await
    });
    assert_eq!(dead, (vec!["poison".to_owned()], 17_000));
    assert_eq!(source.unwrap().len(), 0, "its own wait goes on to its end");
    assert_eq!(elapsed(&service), 35_000);
}

/// A queue that is deleted has nothing to wait for.
#[tokio::test(start_paused = true)]
async fn the_deletion_of_the_queue_ends_the_wait() {
    let service = service(QueueConfig::default(), &[]);
    let request = waiting(20);
    let (found, ()) = tokio::join!(service.receive_message("orders", &request), async {
        pass(5).await;
        service
            .with(|queues, now, _| queues.delete_queue(now, "orders"))
            .unwrap();
    });
    let error: QueueError = found.unwrap_err();
    assert_eq!(
        (error.shape, elapsed(&service)),
        ("QueueDoesNotExist", 5_000)
    );
}

/// Each future, with the number of times that it was polled.
struct Counted<F> {
    future: Pin<Box<F>>,
    polls: Arc<AtomicUsize>,
}

impl<F: Future> Future for Counted<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        self.polls.fetch_add(1, Ordering::Relaxed);
        self.future.as_mut().poll(context)
    }
}

/// What each of the polls got, in the order in which they were answered.
type Answers = Rc<RefCell<Vec<(usize, Vec<String>, u64)>>>;

/// So many long polls of one queue, which arrived in the order of their numbers.
fn crowd(set: &LocalSet, service: &Arc<QueueService>, size: usize) -> (Answers, Arc<AtomicUsize>) {
    let answers = Answers::default();
    let polls = Arc::new(AtomicUsize::new(0));
    for number in 0..size {
        let (service, answers) = (Arc::clone(service), Rc::clone(&answers));
        let call = async move {
            let found = receive(&service, 20).await;
            answers
                .borrow_mut()
                .push((number, found, elapsed(&service)));
        };
        set.spawn_local(Counted {
            future: Box::pin(call),
            polls: Arc::clone(&polls),
        });
    }
    (answers, polls)
}

fn answer(number: usize, body: &str, at: u64) -> (usize, Vec<String>, u64) {
    (number, vec![body.to_owned()], at)
}

/// One message wakes one poll: the one that came first. 1,250 pollers do not stampede.
#[tokio::test(start_paused = true)]
async fn one_message_wakes_the_poll_that_came_first() {
    let set = LocalSet::new();
    let service = service(QueueConfig::default(), &[]);
    let (answers, polls) = crowd(&set, &service, 1_250);
    set.run_until(async {
        pass(1).await;
        assert_eq!(polls.load(Ordering::Relaxed), 1_250, "each has looked once");
        for number in 0..5 {
            send(&service, &format!("m{number}"));
            pass(1).await;
        }
    })
    .await;
    let expected: Vec<_> = (0..5)
        .map(|n| answer(n, &format!("m{n}"), 1_000 + 1_000 * n as u64))
        .collect();
    assert_eq!(*answers.borrow(), expected);
    let more = polls.load(Ordering::Relaxed) - 1_250;
    // Each answer wakes one poll, and there is one timekeeper to appoint.
    assert!(more <= 2 * 5 + 2, "{more} polls for 5 messages");
}

/// Messages that come back all at once go to as many polls, in the order of arrival, in the same
/// millisecond; nobody else is woken.
#[tokio::test(start_paused = true)]
async fn messages_that_come_back_together_are_spread_in_order() {
    let set = LocalSet::new();
    let service = service(QueueConfig::default(), &[("VisibilityTimeout", "10")]);
    for number in 0..3 {
        send(&service, &format!("m{number}"));
    }
    take(&service, "orders");
    let (answers, polls) = crowd(&set, &service, 1_000);
    set.run_until(pass(15)).await;
    let found: Vec<(usize, u64)> = answers
        .borrow()
        .iter()
        .map(|(n, _, at)| (*n, *at))
        .collect();
    // The first poll may take up to ten messages and is the first to look.
    assert_eq!(found, [(0, 10_000)]);
    assert_eq!(answers.borrow()[0].1, ["m0", "m1", "m2"]);
    let more = polls.load(Ordering::Relaxed) - 1_000;
    assert!(more <= 3 + 4, "{more} polls for 3 messages");
}

/// A poll that was woken and found nothing keeps its place in the line.
#[tokio::test(start_paused = true)]
async fn a_poll_that_was_beaten_keeps_its_place() {
    let set = LocalSet::new();
    let service = service(QueueConfig::default(), &[]);
    let (answers, _) = crowd(&set, &service, 3);
    set.run_until(async {
        pass(1).await;
        send(&service, "quick");
        assert_eq!(
            bodies(&take(&service, "orders")),
            ["quick"],
            "a short poll is faster"
        );
        pass(1).await;
        assert_eq!(answers.borrow().len(), 0);
        send(&service, "a");
        send(&service, "b");
        pass(1).await;
    })
    .await;
    assert_eq!(
        answers.borrow()[0],
        (0, vec!["a".to_owned(), "b".to_owned()], 2_000)
    );
    assert_eq!(answers.borrow().len(), 1);
}

/// A long poll that comes while others wait goes to the end of the line, even if a message is on
/// its way to them.
#[tokio::test(start_paused = true)]
async fn a_newcomer_does_not_overtake() {
    let service = service(QueueConfig::default(), &[]);
    let mut first = Box::pin(receive(&service, 20));
    assert!(futures_poll(&mut first).await.is_none());
    send(&service, "one");
    let mut second = Box::pin(receive(&service, 20));
    assert!(futures_poll(&mut second).await.is_none());
    assert_eq!(futures_poll(&mut first).await, Some(vec!["one".to_owned()]));
    send(&service, "two");
    assert_eq!(
        futures_poll(&mut second).await,
        Some(vec!["two".to_owned()])
    );
}

/// Polls a future once.
async fn futures_poll<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    std::future::poll_fn(|context| {
        Poll::Ready(match Pin::new(&mut *future).poll(context) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        })
    })
    .await
}

/// A call that is dropped has taken nothing: also one that was woken and did not look any more.
#[tokio::test(start_paused = true)]
async fn a_dropped_call_loses_no_message() {
    let service = service(QueueConfig::default(), &[]);
    let mut dropped = Box::pin(receive(&service, 20));
    let mut next = Box::pin(receive(&service, 20));
    assert!(futures_poll(&mut dropped).await.is_none());
    assert!(futures_poll(&mut next).await.is_none());
    send(&service, "one");
    drop(dropped);
    assert_eq!((next.await, elapsed(&service)), (vec!["one".to_owned()], 0));
    let held = service
        .with(|queues, now, _| queues.depth(now, "orders"))
        .unwrap();
    assert_eq!((held.visible, held.in_flight), (0, 1));
    let totals = service
        .with(|queues, now, _| queues.totals(now, "orders"))
        .unwrap();
    assert_eq!(totals.received, 1, "it was received once");
}

/// The poll that watches the time for all others may go at any time.
#[tokio::test(start_paused = true)]
async fn the_time_is_watched_whoever_leaves() {
    for leaving in 0..3 {
        let service = service(QueueConfig::default(), &[("VisibilityTimeout", "10")]);
        send(&service, "one");
        take(&service, "orders");
        let mut calls: Vec<_> = (0..3).map(|_| Box::pin(receive(&service, 20))).collect();
        for call in &mut calls {
            assert!(futures_poll(call).await.is_none());
        }
        pass(5).await;
        drop(calls.remove(leaving));
        let (last, first) = (calls.pop().unwrap(), calls.pop().unwrap());
        let served = tokio::select! {
            found = first => ("first", found),
            found = last => ("last", found),
        };
        assert_eq!(served, ("first", vec!["one".to_owned()]), "{leaving}");
        assert_eq!(elapsed(&service), 10_000, "{leaving}");
    }
}

/// The duplicate of a delivery goes to the next poll in line.
#[tokio::test(start_paused = true)]
async fn a_duplicated_delivery_goes_to_the_next_poll() {
    let set = LocalSet::new();
    let service = service(QueueConfig::default(), &[]);
    let faults = QueueFaults {
        duplicate_deliveries: 1,
        ..QueueFaults::default()
    };
    service
        .with(|queues, now, _| queues.set_faults(now, "orders", faults))
        .unwrap();
    let (answers, _) = crowd(&set, &service, 3);
    set.run_until(async {
        pass(1).await;
        send(&service, "one");
        pass(1).await;
    })
    .await;
    assert_eq!(
        *answers.borrow(),
        [answer(0, "one", 1_000), answer(1, "one", 1_000)]
    );
}

/// Waiting costs no polls: the clock jumps from one event to the next.
#[tokio::test(start_paused = true)]
async fn waiting_is_not_polling() {
    let service = service(QueueConfig::default(), &[("VisibilityTimeout", "43200")]);
    send(&service, "one");
    take(&service, "orders");
    let polls = Arc::new(AtomicUsize::new(0));
    let call = Counted {
        future: Box::pin(receive(&service, 20)),
        polls: Arc::clone(&polls),
    };
    assert_eq!(call.await, Vec::<String>::new());
    assert!(polls.load(Ordering::Relaxed) <= 3, "{polls:?} polls");
}
