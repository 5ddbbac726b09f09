//! What each action does to the calls of the producer and of the mapping.

use std::time::Duration;

use lab::cloud::wire::{Answer, Outcome};
use lab::ports::{
    BatchFailure, Caller, Outgoing, PortError, Queue, ReceiptHandle, ReceiveRequest, Received,
};

use super::bench::{Bench, RETRY_PAUSE, START};

const VISIBILITY: Duration = Duration::from_secs(30);
const ARRIVED: (Outcome, Answer) = (Outcome::Applied, Answer::Arrived);
const LOST: (Outcome, Answer) = (Outcome::Applied, Answer::Lost);

impl Bench {
    async fn send(&self, body: &str) -> Result<String, PortError> {
        let sent = self.queue.send(&Caller::Producer, Outgoing::new(body));
        sent.await.map(|sent| sent.message_id)
    }

    async fn send_all(&self, bodies: &[&str]) -> Result<Vec<Result<String, String>>, PortError> {
        let messages = bodies.iter().map(|body| Outgoing::new(*body)).collect();
        let results = self.queue.send_batch(&Caller::Producer, messages).await?;
        let told = results.into_iter().map(|result| match result {
            Ok(sent) => Ok(sent.message_id),
            Err(failure) => Err(told(&failure)),
        });
        Ok(told.collect())
    }

    async fn receive(&self, most: u8) -> Result<Vec<Received>, PortError> {
        let request = ReceiveRequest {
            max_messages: most,
            wait: None,
            visibility_timeout: None,
        };
        self.queue.receive(&Caller::Mapping, request).await
    }

    /// What is visible now, in the order of the queue.
    async fn bodies(&self) -> Vec<String> {
        let received = self.receive(10).await.expect("received");
        received.iter().map(|one| one.body.to_string()).collect()
    }

    async fn delete(&self, handles: &[ReceiptHandle]) -> Result<Vec<String>, PortError> {
        let failures = self.queue.delete_batch(&Caller::Mapping, handles).await?;
        Ok(failures.iter().map(told).collect())
    }

    async fn held(&self) -> u64 {
        let depth = self.queue.depth(&Caller::Observer).await;
        depth.expect("the depth").total()
    }
}

fn told(failure: &BatchFailure) -> String {
    format!("{} {}: {}", failure.index, failure.code, failure.message)
}

fn text<T: std::fmt::Debug>(result: Result<T, PortError>) -> String {
    let error = result.expect_err("a fault");
    format!("{:?}, {error}", error.kind)
}

fn handles(received: &[Received]) -> Vec<ReceiptHandle> {
    received
        .iter()
        .map(|message| message.receipt_handle.clone())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_producer_whose_answer_is_lost_sends_again() {
    let bench = Bench::new(&["lose-answer@send"]);
    let seen = bench.send("order").await.expect("sent");
    assert_eq!(bench.clock.now().since(START), RETRY_PAUSE);
    assert_eq!(bench.tries("send"), [LOST, ARRIVED]);
    assert_eq!(bench.fired(), [1]);
    let received = bench.receive(10).await.expect("received");
    let ids: Vec<&str> = received.iter().map(|one| one.message_id.as_str()).collect();
    assert_eq!(ids.len(), 2, "one more than the producer thinks");
    assert_ne!(ids[0], seen, "the copy that the producer knows nothing of");
    assert_eq!(ids[1], seen);
    assert!(received.iter().all(|one| &*one.body == "order"));

    let bench = Bench::new(&[]);
    bench.send("order").await.expect("sent");
    assert_eq!(bench.held().await, 1);
    assert_eq!(bench.tries("send"), [ARRIVED]);
}

#[tokio::test(start_paused = true)]
async fn a_send_can_be_throttled_refused_delayed_or_left_without_an_answer() {
    for (rule, error, held, outcome) in [
        (
            "throttle@send",
            "Throttled, SendMessage failed with `RequestThrottled`: throttled by a fault rule",
            0,
            (Outcome::Unapplied, Answer::Replaced),
        ),
        (
            "fail@send",
            "Rejected, SendMessage failed with `AccessDenied`: refused by a fault rule",
            0,
            (Outcome::Unapplied, Answer::Replaced),
        ),
        (
            "no-answer@send",
            "NoAnswer, SendMessage failed with `TimeoutError`: no answer: dropped by a fault rule",
            1,
            (Outcome::Applied, Answer::Missing),
        ),
        (
            "no-answer@send:before",
            "NoAnswer, SendMessage failed with `TimeoutError`: no answer: dropped by a fault rule",
            0,
            (Outcome::Unapplied, Answer::Missing),
        ),
    ] {
        let bench = Bench::new(&[rule]);
        assert_eq!(text(bench.send("order").await), error);
        assert_eq!(bench.held().await, held, "{rule}");
        bench.send("order").await.expect("the second call is free");
        assert_eq!(bench.tries("send"), [outcome, ARRIVED], "{rule}");
        assert_eq!(bench.fired(), [1]);
    }
    let bench = Bench::new(&["delay=90s@send#2"]);
    bench.send("order").await.expect("sent");
    assert_eq!(bench.clock.now(), START);
    bench.send("order").await.expect("sent");
    assert_eq!(
        bench.clock.now().since(START).as_secs(),
        90,
        "the second send"
    );
}

#[tokio::test(start_paused = true)]
async fn one_message_of_a_batch_of_sends_can_fail_alone() {
    let bench = Bench::new(&["fail=Busy: come back@send#4", "fail@send#3"]);
    bench.send("zero").await.expect("the first send");
    let results = bench.send_all(&["one", "two", "three", "four"]).await;
    let results = results.expect("an answer");
    assert!(results[0].is_ok() && results[3].is_ok());
    assert_eq!(
        results[1],
        Err("1 AccessDenied: refused by a fault rule".to_owned())
    );
    assert_eq!(results[2], Err("2 Busy: come back".to_owned()));
    assert_eq!(bench.fired(), [1, 1]);
    assert_eq!(bench.bodies().await, ["zero", "one", "four"]);
    let numbers: Vec<(u32, Outcome)> = bench
        .wire
        .history()
        .calls()
        .iter()
        .filter(|call| call.operation.verb() == "send")
        .map(|call| (call.occurrence, call.outcome))
        .collect();
    assert_eq!(
        numbers,
        [
            (1, Outcome::Applied),
            (4, Outcome::Unapplied),
            (3, Outcome::Unapplied),
            (2, Outcome::Applied),
            (5, Outcome::Applied),
        ]
    );

    let bench = Bench::new(&[]);
    bench.send("zero").await.expect("the first send");
    let results = bench.send_all(&["one", "two", "three", "four"]).await;
    assert!(results.expect("an answer").iter().all(Result::is_ok));
    assert_eq!(
        bench.bodies().await,
        ["zero", "one", "two", "three", "four"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_message_that_the_queue_refuses_keeps_its_place_beside_one_that_a_rule_refuses() {
    let bench = Bench::new(&["fail@send#1"]);
    let results = bench.send_all(&["one", "two", ""]).await;
    let results = results.expect("an answer");
    assert_eq!(
        results[0],
        Err("0 AccessDenied: refused by a fault rule".to_owned())
    );
    assert!(results[1].is_ok());
    assert_eq!(
        results[2],
        Err("2 MissingParameter: The request must contain the parameter MessageBody.".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn what_befalls_one_message_of_a_batch_befalls_the_request() {
    let bench = Bench::new(&["lose-answer@send#2"]);
    let results = bench.send_all(&["one", "two"]).await.expect("an answer");
    assert!(results.iter().all(Result::is_ok));
    assert_eq!(bench.bodies().await, ["one", "two", "one", "two"]);
    assert_eq!(bench.tries("send"), [LOST, LOST, ARRIVED, ARRIVED]);
    assert_eq!(bench.fired(), [1]);

    let bench = Bench::new(&["throttle@send#2"]);
    assert_eq!(
        text(bench.send_all(&["one", "two"]).await),
        "Throttled, SendMessage failed with `RequestThrottled`: throttled by a fault rule"
    );
    assert_eq!(bench.held().await, 0);
    assert_eq!(
        bench.tries("send"),
        [(Outcome::Unapplied, Answer::Replaced); 2]
    );

    // With its second message out of the way there is nothing left that the rule could hit.
    let bench = Bench::new(&["fail@send#2", "throttle@send#2", "no-answer@send#2"]);
    let results = bench.send_all(&["one", "two"]).await.expect("an answer");
    assert!(results[0].is_ok() && results[1].is_err());
    assert_eq!(bench.fired(), [1, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn a_batch_of_which_every_message_fails_does_not_reach_the_queue() {
    let bench = Bench::new(&["fail@send#*", "fail@delete#*"]);
    let results = bench.send_all(&["one", "two"]).await.expect("an answer");
    assert!(results.iter().all(Result::is_err));
    let handles = ["a", "b"].map(|handle| ReceiptHandle(handle.to_owned()));
    assert_eq!(
        bench.delete(&handles).await,
        Ok(vec![
            "0 AccessDenied: refused by a fault rule".to_owned(),
            "1 AccessDenied: refused by a fault rule".to_owned(),
        ])
    );
    assert_eq!(bench.fired(), [2, 2]);
    // An empty batch is not that: the queue has something to say about it.
    assert_eq!(
        text(bench.send_all(&[]).await),
        text(Bench::new(&[]).send_all(&[]).await)
    );
}

#[tokio::test(start_paused = true)]
async fn a_receive_whose_answer_is_lost_spends_the_receive_count() {
    let bench = Bench::new(&["lose-answer@receive"]);
    bench.send("one").await.expect("sent");
    bench.send("two").await.expect("sent");
    let received = bench.receive(1).await.expect("received");
    assert_eq!(&*received[0].body, "two", "the first one is hidden");
    assert_eq!(bench.tries("receive"), [LOST, ARRIVED]);
    assert_eq!(bench.fired(), [1]);
    bench.clock.sleep(VISIBILITY).await;
    let received = bench.receive(1).await.expect("received");
    assert_eq!(&*received[0].body, "one");
    assert_eq!(received[0].receive_count, 2, "nobody saw the first time");

    let bench = Bench::new(&[]);
    bench.send("one").await.expect("sent");
    let received = bench.receive(1).await.expect("received");
    assert_eq!((&*received[0].body, received[0].receive_count), ("one", 1));
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_messages_cannot_be_lost() {
    let bench = Bench::new(&["lose-answer@receive", "delay=1s@receive:after"]);
    assert!(bench.receive(1).await.expect("received").is_empty());
    assert_eq!(bench.fired(), [0, 0]);
    assert_eq!(bench.tries("receive"), [(Outcome::Empty, Answer::Arrived)]);
    bench.send("one").await.expect("sent");
    assert_eq!(bench.bodies().await, ["one"]);
    let points: Vec<String> = bench
        .wire
        .points_passed()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        points,
        [
            "receive:before#1",
            "send:before#1",
            "send:after#1",
            "receive:before#2",
            "receive:after#2",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_receive_can_be_throttled_refused_delayed_or_left_without_an_answer() {
    for (rule, error, left) in [
        (
            "throttle@receive",
            "Throttled, ReceiveMessage failed with `RequestThrottled`: throttled by a fault rule",
            1,
        ),
        (
            "fail@receive",
            "Rejected, ReceiveMessage failed with `AccessDenied`: refused by a fault rule",
            1,
        ),
        (
            "no-answer@receive",
            "NoAnswer, ReceiveMessage failed with `TimeoutError`: no answer: dropped by a fault \
             rule",
            0,
        ),
    ] {
        let bench = Bench::new(&[rule]);
        bench.send("one").await.expect("sent");
        assert_eq!(text(bench.receive(1).await), error);
        assert_eq!(bench.bodies().await.len(), left, "{rule}");
        assert_eq!(bench.fired(), [1]);
    }
    let bench = Bench::new(&["delay=5s@receive"]);
    bench.send("one").await.expect("sent");
    assert_eq!(bench.bodies().await, ["one"]);
    assert_eq!(bench.clock.now().since(START).as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_message_whose_delete_fails_comes_back() {
    let bench = Bench::new(&["fail@delete#2"]);
    bench
        .send_all(&["one", "two", "three"])
        .await
        .expect("sent");
    let mut handles = handles(&bench.receive(10).await.expect("received"));
    handles.push(ReceiptHandle("garbage".to_owned()));
    assert_eq!(
        bench.delete(&handles).await,
        Ok(vec![
            "1 AccessDenied: refused by a fault rule".to_owned(),
            "3 ReceiptHandleIsInvalid: The input receipt handle \"garbage\" is not a valid \
             receipt handle."
                .to_owned(),
        ])
    );
    assert_eq!(bench.fired(), [1]);
    assert_eq!(
        bench.tries("delete"),
        [
            (Outcome::Unapplied, Answer::Replaced),
            ARRIVED,
            ARRIVED,
            (Outcome::Failed, Answer::Arrived),
        ]
    );
    bench.clock.sleep(VISIBILITY).await;
    assert_eq!(bench.bodies().await, ["two"]);

    let bench = Bench::new(&[]);
    bench
        .send_all(&["one", "two", "three"])
        .await
        .expect("sent");
    let handles = super::queue::handles(&bench.receive(10).await.expect("received"));
    assert_eq!(bench.delete(&handles).await, Ok(Vec::new()));
    assert_eq!(bench.held().await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_delete_can_be_throttled_repeated_delayed_or_left_without_an_answer() {
    let missing = "NoAnswer, DeleteMessageBatch failed with `TimeoutError`: no answer: dropped by \
                   a fault rule";
    let throttled =
        "Throttled, DeleteMessageBatch failed with `RequestThrottled`: throttled by a fault rule";
    for (rule, error, held, took) in [
        ("throttle@delete", Some(throttled), 1, Duration::ZERO),
        ("no-answer@delete", Some(missing), 0, Duration::ZERO),
        ("no-answer@delete:before", Some(missing), 1, Duration::ZERO),
        ("lose-answer@delete", None, 0, RETRY_PAUSE),
        ("delay=8s@delete", None, 0, Duration::from_secs(8)),
    ] {
        let bench = Bench::new(&[rule]);
        bench.send("one").await.expect("sent");
        let handles = handles(&bench.receive(1).await.expect("received"));
        let result = bench.delete(&handles).await;
        match error {
            Some(error) => assert_eq!(text(result), error),
            None => assert_eq!(result, Ok(Vec::new()), "{rule}"),
        }
        assert_eq!(bench.held().await, held, "{rule}");
        assert_eq!(bench.clock.now().since(START), took, "{rule}");
        assert_eq!(bench.fired(), [1]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_of_visibility_can_meet_each_fault() {
    let call = "ChangeMessageVisibility failed with";
    let missing = format!("NoAnswer, {call} `TimeoutError`: no answer: dropped by a fault rule");
    let throttled = format!("Throttled, {call} `RequestThrottled`: throttled by a fault rule");
    let refused = format!("Rejected, {call} `AccessDenied`: refused by a fault rule");
    for (rule, error, shown, took) in [
        (None, None, 1, Duration::ZERO),
        (
            Some("throttle@visibility"),
            Some(throttled),
            0,
            Duration::ZERO,
        ),
        (Some("fail@visibility"), Some(refused), 0, Duration::ZERO),
        (
            Some("no-answer@visibility"),
            Some(missing),
            1,
            Duration::ZERO,
        ),
        (Some("lose-answer@visibility"), None, 1, RETRY_PAUSE),
        (Some("delay=2s@visibility"), None, 1, Duration::from_secs(2)),
    ] {
        let bench = Bench::new(rule.as_slice());
        bench.send("one").await.expect("sent");
        let handle = &handles(&bench.receive(1).await.expect("received"))[0];
        let show = bench
            .queue
            .change_visibility(&Caller::Mapping, handle, Duration::ZERO);
        let result = show.await;
        match error {
            Some(error) => assert_eq!(text(result), error),
            None => assert_eq!(result, Ok(()), "{rule:?}"),
        }
        assert_eq!(bench.bodies().await.len(), shown, "{rule:?}");
        assert_eq!(bench.clock.now().since(START), took, "{rule:?}");
        assert_eq!(bench.fired(), vec![1; rule.iter().len()], "{rule:?}");
    }
}
