//! Leases: how long they hold, and what an owner does that was slower than its lease.

use std::time::Duration;

use lab::worker::{Function, GuardName, GuardSettings, InvokeOutcome};

use crate::bench::{Bench, FAILED, SKIPPED, Setup, WON, WORK, answered, message, sqs_event};
use crate::faults::{Call, Fault};

const SECOND: Duration = Duration::from_secs(1);
const LEASES: [GuardName; 3] = [
    GuardName::Lease,
    GuardName::FencedLease,
    GuardName::KeyedCharge,
];

/// A lease of 2 s, although the charge takes 4 s.
fn short_lease(guard: GuardName) -> Bench {
    Bench::with(
        guard,
        Setup {
            settings: GuardSettings {
                lease: Some(2 * SECOND),
                ..GuardSettings::default()
            },
            ..Setup::default()
        },
    )
}

#[tokio::test(start_paused = true)]
async fn the_lease_is_the_remaining_time_or_what_is_set_and_the_margin_comes_on_top() {
    for (lease, margin, end) in [
        (None, 0, 10_000),
        (None, 5, 15_000),
        (Some(2), 0, 2_000),
        (Some(2), 5, 7_000),
        (Some(0), 0, 0),
    ] {
        for guard in LEASES {
            let bench = Bench::with(
                guard,
                Setup {
                    settings: GuardSettings {
                        lease: lease.map(Duration::from_secs),
                        lease_margin: Duration::from_secs(margin),
                        ..GuardSettings::default()
                    },
                    ..Setup::default()
                },
            );
            bench.deliver(&message("m-1")).await;
            let written = bench.attribute("inProgressExpiration").await;
            assert_eq!(
                written,
                (1_789_937_903_240_u64 + end).to_string(),
                "{guard}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_records_of_a_batch_share_the_remaining_time_and_none_left_is_over_at_once() {
    for guard in LEASES {
        let bench = Bench::with(
            guard,
            Setup {
                timeout: WORK,
                ..Setup::default()
            },
        );
        // The first record takes all the time that the function has.
        let other = r#"{"orderId":"ORDER-002","customerId":"C","amount":1}"#;
        let batch = [message("m-0").with_body(other), message("m-1")];
        assert_eq!(bench.deliver_batch(&batch).await, InvokeOutcome::TimedOut);
        let end = (1_789_937_903_240_u64 + 4_000).to_string();
        assert_eq!(
            bench.attribute("inProgressExpiration").await,
            end,
            "{guard}"
        );
        assert_eq!(bench.attribute("status").await, "INPROGRESS", "{guard}");
        bench.pass(Duration::from_millis(1)).await;
        let again = message("m-1").again(2);
        assert_eq!(bench.deliver(&again).await, answered(&[]), "{guard}");
        assert_eq!(bench.events(&again).await, WON, "{guard}");
        assert_eq!(bench.charges().await, 2, "{guard}: one per order");
    }
}

/// The first delivery claims at 0 s and wakes up at 4 s, the second takes over at 3 s and works
/// until 7 s, the third looks at 4.5 s.
async fn overtaken(bench: &Bench) -> [InvokeOutcome; 3] {
    let (first, second, third) = (message("m-1"), message("m-2"), message("m-3"));
    let (a, b, c) = tokio::join!(
        bench.at(Duration::ZERO, &first),
        bench.at(3 * SECOND, &second),
        bench.at(Duration::from_millis(4_500), &third),
    );
    [a, b, c]
}

#[tokio::test(start_paused = true)]
async fn a_stale_owner_of_a_lease_finishes_the_claim_of_the_one_that_took_over() {
    let bench = short_lease(GuardName::Lease);
    let outcomes = overtaken(&bench).await;
    assert_eq!(outcomes, [(); 3].map(|()| answered(&[])));
    // The second one was still working when the third one was answered with the first one's
    // result.
    assert_eq!(bench.events(&message("m-3")).await, SKIPPED);
    let results = bench.lines("stored result").await;
    assert_eq!(results.len(), 1);
    assert!(
        results[0].contains(r#""chargedBy":"m-1""#),
        "{}",
        results[0]
    );
    assert_eq!(bench.charges().await, 2);
}

#[tokio::test(start_paused = true)]
async fn a_stale_owner_of_a_fenced_lease_is_refused_but_it_has_charged() {
    for (guard, charges) in [(GuardName::FencedLease, 2), (GuardName::KeyedCharge, 1)] {
        let bench = short_lease(guard);
        let outcomes = overtaken(&bench).await;
        let expected = [answered(&["m-1"]), answered(&[]), answered(&["m-3"])];
        assert_eq!(outcomes, expected, "{guard}");
        assert_eq!(
            bench.events(&message("m-1")).await,
            ["process_start", "claim_won", "charge_applied"],
            "{guard}"
        );
        assert_eq!(
            bench.lines("m-1 failed").await,
            [
                "message m-1 failed: order `ORDER-003` was claimed by another delivery before this \
              one had finished"
            ],
            "{guard}"
        );
        assert_eq!(bench.events(&message("m-3")).await, FAILED, "{guard}");
        assert_eq!(
            bench.attribute("completedMessageId").await,
            "m-2",
            "{guard}"
        );
        assert_eq!(bench.charges().await, charges, "{guard}");
        // Its message comes back and meets the other's result.
        bench.deliver(&message("m-1").again(2)).await;
        assert_eq!(
            bench.events(&message("m-1").again(2)).await,
            SKIPPED,
            "{guard}"
        );
        assert_eq!(bench.charges().await, charges, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stale_owner_that_fails_deletes_the_claim_of_another_only_without_a_fence() {
    for (guard, third, charges) in [
        (GuardName::Lease, WON, 2),
        (GuardName::FencedLease, FAILED, 1),
        (GuardName::KeyedCharge, FAILED, 1),
    ] {
        let bench = short_lease(guard);
        // The first delivery's charge is refused at 4 s.
        bench.arm(Call::Charge, 1, Fault::Throttled);
        overtaken(&bench).await;
        assert_eq!(bench.faulty.calls(Call::Delete), 1, "{guard}");
        assert_eq!(bench.events(&message("m-3")).await, third, "{guard}");
        assert_eq!(bench.lines("was not released").await.len(), 0, "{guard}");
        assert_eq!(bench.charges().await, charges, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_ahead_takes_a_living_claim_over_unless_the_margin_covers_it() {
    for (guard, charges_without, charges_with) in [
        (GuardName::Lease, 2, 1),
        (GuardName::FencedLease, 2, 1),
        (GuardName::KeyedCharge, 1, 1),
    ] {
        for (margin, charges) in [(0, charges_without), (20, charges_with)] {
            let bench = Bench::with(
                guard,
                Setup {
                    settings: GuardSettings {
                        lease_margin: Duration::from_secs(margin),
                        ..GuardSettings::default()
                    },
                    ..Setup::default()
                },
            );
            let other = bench.host_ahead(15 * SECOND);
            let first = message("m-1");
            let event = sqs_event(&[message("m-2")]);
            tokio::join!(bench.at(Duration::ZERO, &first), async {
                bench.pass(SECOND).await;
                other.invoke(&event).await
            });
            let taken_over = bench.lines("claim_won").await.len();
            assert_eq!(taken_over, if margin == 0 { 2 } else { 1 }, "{guard}");
            assert_eq!(bench.charges().await, charges, "{guard}, margin {margin} s");
        }
    }
}

/// A delivery dies at once and leaves its lease of 2 s; the put of another one, 1 s later, takes
/// 3 s to arrive.
async fn slow_claim(guard: GuardName) -> Bench {
    let bench = Bench::with(
        guard,
        Setup {
            timeout: 60 * SECOND,
            settings: GuardSettings {
                lease: Some(2 * SECOND),
                ..GuardSettings::default()
            },
            ..Setup::default()
        },
    );
    bench.arm(Call::Put, 1, Fault::KillAfter);
    bench.deliver(&message("m-1")).await;
    bench.arm(Call::Put, 2, Fault::Delayed(3 * SECOND));
    bench
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_names_a_lease_which_is_over_by_now_is_tried_again() {
    // The put carries the time at which it was made, so only its repetition sees the end.
    for guard in LEASES {
        let bench = slow_claim(guard).await;
        assert_eq!(
            bench.at(SECOND, &message("m-2")).await,
            answered(&[]),
            "{guard}"
        );
        assert_eq!(bench.faulty.calls(Call::Put), 3, "{guard}");
        assert_eq!(bench.charges().await, 1, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn it_is_tried_again_twice_and_then_fails() {
    for guard in LEASES {
        let bench = slow_claim(guard).await;
        // Each repetition is slow again, and each time a faster one claims and dies meanwhile.
        bench.arm(Call::Put, 3, Fault::Delayed(3 * SECOND));
        bench.arm(Call::Put, 4, Fault::KillAfter);
        bench.arm(Call::Put, 5, Fault::Delayed(3 * SECOND));
        bench.arm(Call::Put, 6, Fault::KillAfter);
        let (slow, fast, fast_too) = (message("m-2"), message("m-3"), message("m-4"));
        let (outcome, _, _) = tokio::join!(
            bench.at(SECOND, &slow),
            bench.at(Duration::from_millis(4_500), &fast),
            bench.at(Duration::from_millis(7_500), &fast_too),
        );
        assert_eq!(outcome, answered(&["m-2"]), "{guard}");
        assert_eq!(bench.faulty.calls(Call::Put), 6, "{guard}");
        assert_eq!(bench.charges().await, 0, "{guard}");
        assert_eq!(
            bench.deliver(&slow.again(2)).await,
            answered(&[]),
            "{guard}"
        );
        assert_eq!(bench.charges().await, 1, "{guard}");
    }
}
