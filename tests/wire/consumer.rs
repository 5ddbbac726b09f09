//! What each action does to each call of the consumer.

use std::time::Duration;

use lab::cloud::wire::{Answer, Outcome};
use lab::ports::ErrorKind;

use super::bench::{Ending, RETRY_PAUSE, Trace, VERBS, run, undisturbed};

const ALL: usize = VERBS.len();

/// The name of each call in errors.
const NAMES: [&str; ALL] = [
    "GetItem",
    "PutItem",
    "Charge",
    "UpdateItem",
    "TransactWriteItems",
    "DeleteItem",
];

#[tokio::test(start_paused = true)]
async fn without_rules_every_call_is_applied_once_and_answered() {
    let (bench, trace) = run(&[], ALL).await;
    assert_eq!(
        trace.saw,
        [
            "read: nothing",
            "claim: applied",
            "charge: paid",
            "complete: applied",
            "transact: applied applied",
            "release: applied",
        ]
    );
    assert_eq!(trace.ending, Ending::Returned);
    assert_eq!(trace.took, Duration::ZERO);
    for verb in VERBS {
        assert_eq!(
            bench.tries(verb),
            [(Outcome::Applied, Answer::Arrived)],
            "{verb}"
        );
    }
    // The tests below take these states for what is left after each call.
    let mut states = Vec::new();
    for calls in 0..=ALL {
        states.push(undisturbed(calls).await.state);
    }
    for pair in states[1..].windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
    assert_eq!(states[0], states[1], "a read leaves nothing behind");
}

#[tokio::test(start_paused = true)]
async fn a_crash_before_a_call_leaves_it_undone_and_a_crash_after_it_done() {
    for (index, verb) in VERBS.into_iter().enumerate() {
        let (before, after) = (undisturbed(index).await, undisturbed(index + 1).await);
        let killed = |left: &Trace| Trace {
            // Either way the consumer does not get to see what became of the call.
            saw: before.saw.clone(),
            ending: Ending::Killed,
            ..left.clone()
        };

        let (bench, trace) = run(&[&format!("crash@{verb}:before")], ALL).await;
        assert_eq!(trace, killed(&before), "{verb}");
        assert_eq!(bench.fired(), [1]);
        assert_eq!(
            bench.tries(verb),
            [(Outcome::Unapplied, Answer::CallerGone)]
        );

        let (bench, trace) = run(&[&format!("crash@{verb}:after")], ALL).await;
        assert_eq!(trace, killed(&after), "{verb}");
        assert_eq!(bench.fired(), [1]);
        assert_eq!(bench.tries(verb), [(Outcome::Applied, Answer::CallerGone)]);
        assert_eq!(
            bench.wire.history().calls().len(),
            index + 1,
            "nothing runs after a crash"
        );
    }
}

/// The consumer sees this error instead of an answer and gives up.
fn given_up(before: &Trace, left: &Trace, verb: &str, kind: ErrorKind, error: &str) -> Trace {
    let mut saw = before.saw.clone();
    saw.push(format!("{verb}: {kind:?}, {error}"));
    Trace {
        saw,
        ..left.clone()
    }
}

#[tokio::test(start_paused = true)]
async fn a_throttled_call_is_not_applied() {
    for (index, verb) in VERBS.into_iter().enumerate() {
        let before = undisturbed(index).await;
        let code = match verb {
            "charge" => "TooManyRequests",
            _ => "ProvisionedThroughputExceededException",
        };
        let error = format!(
            "{} failed with `{code}`: throttled by a fault rule",
            NAMES[index]
        );
        let (bench, trace) = run(&[&format!("throttle@{verb}")], ALL).await;
        let expected = given_up(&before, &before, verb, ErrorKind::Throttled, &error);
        assert_eq!(trace, expected);
        assert_eq!(bench.fired(), [1]);
        assert_eq!(bench.tries(verb), [(Outcome::Unapplied, Answer::Replaced)]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_failing_call_is_not_applied_and_fails_as_the_rule_says() {
    for (index, verb) in VERBS.into_iter().enumerate() {
        let before = undisturbed(index).await;
        let code = match verb {
            "charge" => "Forbidden",
            _ => "AccessDeniedException",
        };
        for (value, told) in [
            ("", format!("`{code}`: refused by a fault rule")),
            ("=Broken", "`Broken`: refused by a fault rule".to_owned()),
            ("=Broken: a = b @ 3:1", "`Broken`: a = b @ 3:1".to_owned()),
        ] {
            let error = format!("{} failed with {told}", NAMES[index]);
            let (bench, trace) = run(&[&format!("fail{value}@{verb}")], ALL).await;
            let expected = given_up(&before, &before, verb, ErrorKind::Rejected, &error);
            assert_eq!(trace, expected);
            assert_eq!(bench.fired(), [1]);
            assert_eq!(bench.tries(verb), [(Outcome::Unapplied, Answer::Replaced)]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn without_an_answer_the_caller_cannot_tell_whether_the_call_was_applied() {
    for (index, verb) in VERBS.into_iter().enumerate() {
        let (before, after) = (undisturbed(index).await, undisturbed(index + 1).await);
        let error = format!(
            "{} failed with `TimeoutError`: no answer: dropped by a fault rule",
            NAMES[index]
        );
        for (moment, left, outcome) in [
            ("", &after, Outcome::Applied),
            (":before", &before, Outcome::Unapplied),
        ] {
            let (bench, trace) = run(&[&format!("no-answer@{verb}{moment}")], ALL).await;
            let expected = given_up(&before, left, verb, ErrorKind::NoAnswer, &error);
            assert_eq!(trace, expected);
            assert_eq!(bench.fired(), [1]);
            assert_eq!(bench.tries(verb), [(outcome, Answer::Missing)]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_makes_the_sdk_call_again_and_meet_its_own_work() {
    let clean = undisturbed(ALL).await;
    let second_answers = [
        "read: nothing",
        "claim: refused",
        "charge: paid",
        "complete: refused",
        "transact: refused refused",
        "release: refused",
    ];
    for (index, verb) in VERBS.into_iter().enumerate() {
        let (bench, trace) = run(&[&format!("lose-answer@{verb}")], ALL).await;
        let mut expected = clean.clone();
        expected.saw[index] = second_answers[index].to_owned();
        expected.took = RETRY_PAUSE;
        if verb == "charge" {
            expected.state.charges = 2;
        }
        assert_eq!(trace, expected);
        assert_eq!(bench.fired(), [1]);
        let second = match verb {
            "read" | "charge" => Outcome::Applied,
            _ => Outcome::Refused,
        };
        assert_eq!(
            bench.tries(verb),
            [(Outcome::Applied, Answer::Lost), (second, Answer::Arrived)]
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_delay_holds_the_request_or_the_answer() {
    let clean = undisturbed(ALL).await;
    for (index, verb) in VERBS.into_iter().enumerate() {
        let (before, after) = (undisturbed(index).await, undisturbed(index + 1).await);
        for (moment, left) in [("", &before), (":after", &after)] {
            let rule = format!("delay=3s@{verb}{moment}");
            let (bench, trace) = run(&[&rule], ALL).await;
            let took = Duration::from_secs(3);
            assert_eq!(
                trace,
                Trace {
                    took,
                    ..clean.clone()
                }
            );
            assert_eq!(bench.fired(), [1]);
            assert_eq!(bench.tries(verb), [(Outcome::Applied, Answer::Arrived)]);

            // A function that times out meanwhile shows where the call was held.
            let bench = super::bench::Bench::new(&[&rule]);
            let timeout = Duration::from_secs(2);
            let trace = bench.invoke_within(timeout, 1, "ORDER-003", ALL).await;
            let expected = Trace {
                saw: before.saw.clone(),
                ending: Ending::TimedOut,
                took: timeout,
                state: left.state.clone(),
            };
            assert_eq!(trace, expected, "{rule}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_is_billed_for_each_try_that_reached_the_table() {
    for (rule, billed) in [
        (None, 4),
        (Some("lose-answer@claim"), 5),
        (Some("lose-answer@read"), 4),
        (Some("lose-answer@charge"), 4),
        (Some("throttle@claim"), 0),
        (Some("crash@complete:before"), 1),
        (Some("crash@complete:after"), 2),
        (Some("no-answer@complete"), 2),
    ] {
        let (bench, _) = run(rule.as_slice(), ALL).await;
        let writes = bench.wire.history().count(|call| call.is_billed_write());
        assert_eq!(writes, billed, "{rule:?}");
    }
}
