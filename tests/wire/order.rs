//! Which call a rule hits, in which order rules take effect, and which points a stack passes.

use std::sync::Arc;
use std::time::Duration;

use lab::cloud::wire::{Answer, CallPoint, CallerId, Latency, Moment, Operation, Outcome};
use lab::ports::{Caller, Claims, Condition};

use super::bench::{Bench, Ending, RETRY_PAUSE, START, VERBS, invocation, item, run};

const ALL: usize = VERBS.len();
const ORDERS: [&str; 3] = ["O-1", "O-2", "O-3"];

/// How three invocations end that run one after the other, each with its own order.
async fn endings(bench: &Bench) -> Vec<Ending> {
    let mut endings = Vec::new();
    for (number, order) in (1..).zip(ORDERS) {
        endings.push(bench.invoke(number, order, ALL).await.ending);
    }
    endings
}

#[tokio::test(start_paused = true)]
async fn the_nth_call_is_counted_over_all_invocations() {
    use Ending::{Killed, Returned};
    for (rule, expected, fired) in [
        ("crash@claim:after", [Killed, Returned, Returned], 1),
        ("crash@claim:after#1", [Killed, Returned, Returned], 1),
        ("crash@claim:after#2", [Returned, Killed, Returned], 1),
        ("crash@claim:after#3", [Returned, Returned, Killed], 1),
        ("crash@claim:after#4", [Returned, Returned, Returned], 0),
        ("crash@claim:after#*", [Killed, Killed, Killed], 3),
    ] {
        let bench = Bench::new(&[rule]);
        assert_eq!(endings(&bench).await, expected, "{rule}");
        assert_eq!(bench.wire.fired(), [(super::bench::rule(rule), fired)]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_rule_for_a_call_that_nobody_makes_never_fires() {
    let bench = Bench::new(&["crash@release:before", "delay=1s@transact", "fail@read"]);
    let trace = bench.invoke(1, "O-1", 1).await;
    assert_eq!(
        trace.saw,
        ["read: Rejected, GetItem failed with `AccessDeniedException`: refused by a fault rule"]
    );
    assert_eq!(bench.fired(), [0, 0, 1]);
}

#[tokio::test(start_paused = true)]
async fn the_lab_itself_meets_no_faults_and_leaves_no_trace() {
    let bench = Bench::new(&["fail@read#*", "crash@read:after#*", "delay=1s@read#*"]);
    let by = &Caller::Observer;
    assert_eq!(bench.claims.get(by, "O-1", true).await, Ok(None));
    assert_eq!(bench.claims.scan(by).await, Ok(Vec::new()));
    assert_eq!(bench.fired(), [0, 0, 0]);
    assert_eq!(bench.wire.history().calls(), []);
    assert_eq!(bench.clock.now(), START);
    // The first call of an invocation is still the first.
    assert_eq!(bench.invoke(1, "O-1", 1).await.saw.len(), 1);
    assert_eq!(bench.fired(), [1, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn only_an_invocation_can_crash() {
    let bench = Bench::new(&["crash@claim:after#*"]);
    let put = |by| {
        bench
            .claims
            .put(by, item("O-1", "CLAIMED"), Condition::Always)
    };
    put(&Caller::Producer).await.expect("written");
    put(&Caller::Mapping).await.expect("written");
    assert_eq!(bench.fired(), [0]);
    let invocation = invocation(1);
    let by = Caller::Invocation(Arc::clone(&invocation));
    tokio::select! {
        biased;
        () = invocation.killed() => {}
        _ = put(&by) => panic!("the call of a dead process returned"),
    }
    assert_eq!(bench.fired(), [1]);
}

#[tokio::test(start_paused = true)]
async fn rules_at_one_point_take_effect_in_their_order_until_one_ends_the_call() {
    let seconds = Duration::from_secs;
    let cases: [(&[&str], Ending, Duration, &[u64]); 6] = [
        (
            &[
                "delay=1s@claim",
                "delay=2s@claim#*",
                "crash@claim:after",
                "delay=9s@claim:after",
            ],
            Ending::Killed,
            seconds(3),
            &[1, 1, 1, 0],
        ),
        (
            &["throttle@claim", "crash@claim:before", "crash@claim:after"],
            Ending::Returned,
            seconds(0),
            &[1, 0, 0],
        ),
        (
            &["fail@claim", "throttle@claim"],
            Ending::Returned,
            seconds(0),
            &[1, 0],
        ),
        (
            &["delay=4s@claim:after", "no-answer@claim"],
            Ending::Returned,
            seconds(4),
            &[1, 1],
        ),
        (
            &["lose-answer@claim", "lose-answer@claim#*"],
            Ending::Returned,
            RETRY_PAUSE * 2,
            &[1, 1],
        ),
        (
            &[
                "delay=1s@claim",
                "lose-answer@claim",
                "delay=2s@claim:after",
                "crash@claim:after",
            ],
            Ending::Killed,
            seconds(3) + RETRY_PAUSE,
            &[1, 1, 1, 1],
        ),
    ];
    for (rules, ending, took, fired) in cases {
        let (bench, trace) = run(rules, ALL).await;
        assert_eq!((trace.ending, trace.took), (ending, took), "{rules:?}");
        assert_eq!(bench.fired(), fired, "{rules:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_answer_may_be_lost_and_each_call_is_still_repeated_once() {
    let bench = Bench::new(&["lose-answer@claim#*"]);
    for (number, order) in (1..).zip(ORDERS) {
        let trace = bench.invoke(number, order, 2).await;
        assert_eq!(trace.saw[1], "claim: refused");
    }
    let try_of_each = [
        (Outcome::Applied, Answer::Lost),
        (Outcome::Refused, Answer::Arrived),
    ];
    assert_eq!(bench.tries("claim"), try_of_each.repeat(3));
    assert_eq!(bench.fired(), [3]);
    let numbers: Vec<u32> = bench
        .wire
        .history()
        .calls()
        .iter()
        .filter(|call| call.operation == Operation::PutItem)
        .map(|call| call.occurrence)
        .collect();
    assert_eq!(
        numbers,
        [1, 1, 2, 2, 3, 3],
        "tries of a call share its number"
    );
}

#[tokio::test(start_paused = true)]
async fn the_points_passed_are_listed_with_caller_and_time() {
    let bench = Bench::with_latency(&["throttle@charge#2", "lose-answer@claim"], Latency(4..=4));
    bench.invoke(1, "O-1", 3).await;
    bench.invoke(2, "O-2", 3).await;
    let listed: Vec<String> = bench
        .wire
        .points_passed()
        .into_iter()
        .map(|passed| {
            let after = passed.at.since(START).as_millis();
            format!("{after} {passed} {:?}", passed.caller)
        })
        .collect();
    assert_eq!(
        listed,
        [
            "4 read:before#1 Invocation(1)",
            "4 read:after#1 Invocation(1)",
            "8 claim:before#1 Invocation(1)",
            "8 claim:after#1 Invocation(1)",
            // The second try of the claim reaches the table at 62 ms and passes nothing new.
            "66 charge:before#1 Invocation(1)",
            "66 charge:after#1 Invocation(1)",
            "70 read:before#2 Invocation(2)",
            "70 read:after#2 Invocation(2)",
            "74 claim:before#2 Invocation(2)",
            "74 claim:after#2 Invocation(2)",
            // It was throttled, so there is no point after it.
            "78 charge:before#2 Invocation(2)",
        ]
    );
}

/// Three consumers at once, all for one order.
async fn race(bench: &Bench) -> [Ending; 3] {
    let (first, second, third) = tokio::join!(
        bench.invoke(1, "O-1", ALL),
        bench.invoke(2, "O-1", ALL),
        bench.invoke(3, "O-1", ALL),
    );
    [first.ending, second.ending, third.ending]
}

#[tokio::test(start_paused = true)]
async fn a_crash_at_any_point_that_was_passed_fires_there_and_kills_who_passed_it() {
    let clean = Bench::with_latency(&[], Latency::default());
    assert_eq!(race(&clean).await, [Ending::Returned; 3]);
    let points = clean.wire.points_passed();
    assert_eq!(points.len(), 3 * ALL * 2);
    for passed in points {
        let rule = format!("crash@{passed}");
        let bench = Bench::with_latency(&[&rule], Latency::default());
        let endings = race(&bench).await;
        assert_eq!(bench.fired(), [1], "{rule}");
        let CallerId::Invocation(number) = passed.caller else {
            panic!("{rule} is not of an invocation");
        };
        for (other, ending) in (1..).zip(endings) {
            let expected = match other == number {
                true => Ending::Killed,
                false => Ending::Returned,
            };
            assert_eq!(ending, expected, "{rule}, invocation {other}");
        }
        assert!(bench.wire.points_passed().contains(&passed), "{rule}");
        let after = CallPoint {
            moment: Moment::After,
            ..passed.point
        };
        let got_through = bench
            .wire
            .points_passed()
            .iter()
            .any(|other| other.point == after && other.occurrence == passed.occurrence);
        assert_eq!(got_through, passed.point.moment == Moment::After, "{rule}");
    }
}
