//! The window: how long an order counts as seen, and who says so.

use std::time::Duration;

use lab::cloud::till::Ledger;
use lab::worker::{GuardName, GuardSettings};

use crate::bench::{Bench, DAY, SKIPPED, START, Setup, TillSetup, WON, WORK, answered, message};
use crate::faults::{Call, Fault};

/// A till that keeps its keys for a day.
fn forgetful(ledger: Ledger) -> Ledger {
    ledger.forgetting_keys_after(DAY)
}

#[tokio::test(start_paused = true)]
async fn a_window_that_nobody_compares_swallows_an_order_that_is_sent_again_on_purpose() {
    for guard in [
        GuardName::IfExists,
        GuardName::Claim,
        GuardName::ClaimRelease,
    ] {
        let bench = Bench::new(guard);
        bench.deliver(&message("m-1")).await;
        // The time to live would delete the item of `claim-release` from day 7 on, and has not.
        let again = message("m-2");
        assert_eq!(bench.at(8 * DAY, &again).await, answered(&[]), "{guard}");
        assert_eq!(bench.events(&again).await, SKIPPED, "{guard}");
        assert_eq!(bench.charges().await, 1, "{guard}");
        // Now it has.
        let swept = usize::from(guard == GuardName::ClaimRelease);
        assert_eq!(bench.table.sweep_expired(), swept, "{guard}");
        bench.at(9 * DAY, &message("m-3")).await;
        assert_eq!(bench.charges().await, 1 + swept, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_a_crash_left_behind_hangs_until_the_time_to_live_has_swept() {
    for (guard, charges) in [(GuardName::Claim, 0), (GuardName::ClaimRelease, 1)] {
        let bench = Bench::new(guard);
        bench.arm(Call::Charge, 1, Fault::KillBefore);
        bench.deliver(&message("m-1")).await;
        bench.at(8 * DAY, &message("m-2")).await;
        assert_eq!(bench.charges().await, 0, "{guard}");
        bench.table.sweep_expired();
        bench.deliver(&message("m-3")).await;
        assert_eq!(bench.charges().await, charges, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_window_that_the_guard_compares_ends_in_its_second_although_the_item_is_there() {
    for guard in [
        GuardName::Lease,
        GuardName::FencedLease,
        GuardName::Transaction,
    ] {
        let bench = Bench::new(guard);
        bench.deliver(&message("m-1")).await;
        assert_eq!(bench.attribute("expiration").await, "1790542707", "{guard}");
        // The last second of the window belongs to it. `transaction` looks after its work.
        let look = match guard {
            GuardName::Transaction => WORK,
            _ => Duration::ZERO,
        };
        let end = Duration::from_millis(1_790_542_708_000 - START.as_millis());
        let (within, over) = (message("m-2"), message("m-3"));
        tokio::join!(
            bench.at(end - look - Duration::from_millis(1), &within),
            bench.at(end - look, &over),
        );
        assert_eq!(bench.events(&within).await, SKIPPED, "{guard}");
        assert_eq!(bench.events(&over).await, WON, "{guard}");
        assert_eq!(bench.charges().await, 2, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_window_is_counted_anew_from_the_completion_and_can_be_set() {
    for guard in [
        GuardName::Lease,
        GuardName::FencedLease,
        GuardName::KeyedCharge,
    ] {
        let bench = Bench::with(
            guard,
            Setup {
                settings: GuardSettings {
                    window: Duration::from_secs(60),
                    ..GuardSettings::default()
                },
                ..Setup::default()
            },
        );
        let first = message("m-1");
        tokio::join!(bench.deliver(&first), async {
            bench.pass(Duration::from_secs(1)).await;
            assert_eq!(bench.attribute("expiration").await, "1789937963", "{guard}");
        });
        assert_eq!(bench.attribute("expiration").await, "1789937967", "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_till_that_never_forgets_a_key_swallows_an_order_that_is_sent_again_on_purpose() {
    let setups: [(TillSetup, usize); 2] = [(|ledger| ledger, 1), (forgetful, 2)];
    for (till, charges) in setups {
        let bench = Bench::with(
            GuardName::KeyedCharge,
            Setup {
                till,
                ..Setup::default()
            },
        );
        bench.deliver(&message("m-1")).await;
        let again = message("m-2");
        assert_eq!(bench.at(8 * DAY, &again).await, answered(&[]));
        assert_eq!(
            bench.lines("claim_won").await.len(),
            2,
            "the window is over"
        );
        assert_eq!(bench.charges().await, charges);
        assert_eq!(bench.lines("charge replayed").await.len(), 2 - charges);
    }
}

#[tokio::test(start_paused = true)]
async fn a_till_that_forgets_keys_sooner_than_the_last_redelivery_comes_charges_again() {
    // The first delivery dies after its charge, 4 s after the start; the till forgets a day later.
    let at_till = DAY + WORK;
    for (charged_at, charges) in [(at_till - Duration::from_millis(1), 1), (at_till, 2)] {
        let bench = Bench::with(
            GuardName::KeyedCharge,
            Setup {
                till: forgetful,
                ..Setup::default()
            },
        );
        bench.arm(Call::Update, 1, Fault::KillBefore);
        let first = message("m-1");
        bench.deliver(&first).await;
        bench.at(charged_at - WORK, &first.again(2)).await;
        assert_eq!(bench.charges().await, charges, "{charged_at:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_till_that_ignores_keys_charges_again() {
    let bench = Bench::with(
        GuardName::KeyedCharge,
        Setup {
            till: Ledger::ignoring_keys,
            ..Setup::default()
        },
    );
    bench.arm(Call::Update, 1, Fault::KillBefore);
    bench.deliver_until_done(&message("m-1")).await;
    assert_eq!(bench.charges().await, 2);
}

#[tokio::test(start_paused = true)]
async fn a_transaction_has_a_row_per_window_and_never_two_for_one_message() {
    let bench = Bench::new(GuardName::Transaction);
    let first = message("m-1");
    bench.deliver(&first).await;
    // The same message, after the window: no new order, a redelivery that came very late.
    assert_eq!(bench.at(8 * DAY, &first.again(2)).await, answered(&[]));
    assert_eq!(bench.events(&first.again(2)).await, SKIPPED);
    assert_eq!(bench.charges().await, 1);
    assert_eq!(bench.deliver(&message("m-2")).await, answered(&[]));
    let keys: Vec<_> = bench
        .items()
        .await
        .iter()
        .map(|item| item["orderId"].as_str().to_owned())
        .collect();
    assert_eq!(
        keys,
        ["ORDER-003", "ledger#ORDER-003#m-1", "ledger#ORDER-003#m-2"]
    );
}
