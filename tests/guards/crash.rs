//! The consumer dies at each call that it makes, before and after the call is applied, and its
//! message comes back every 30 s until a delivery succeeds.

use std::time::Duration;

use lab::worker::{GuardName, InvokeOutcome};

use crate::bench::{Bench, FAILED_CLAIMED, SKIPPED, WON, answered, message};
use crate::faults::{Call, Fault};

/// A call, what happens to it, and how often the customer is charged then.
type CrashPoint = (Call, Fault, usize);

/// How often the customer is charged if the first delivery dies there.
async fn charges_after_crash(guard: GuardName, call: Call, fault: Fault) -> usize {
    let bench = Bench::new(guard);
    bench.arm(call, 1, fault);
    bench.deliver_until_done(&message("m-1")).await;
    bench.charges().await
}

#[tokio::test(start_paused = true)]
async fn who_is_charged_how_often_for_a_crash_at_each_call() {
    use Call::{Charge, Get, Put, PutAll, Update};
    use Fault::{KillAfter, KillBefore};
    use GuardName as G;

    // Marking first loses the order; a lease trades the loss for a second charge.
    let claim_family = [
        (Put, KillBefore, 1),
        (Put, KillAfter, 0),
        (Charge, KillBefore, 0),
        (Charge, KillAfter, 1),
        (Update, KillBefore, 1),
        (Update, KillAfter, 1),
    ];
    let leases = [
        (Put, KillBefore, 1),
        (Put, KillAfter, 1),
        (Charge, KillBefore, 1),
        (Charge, KillAfter, 2),
        (Update, KillBefore, 2),
        (Update, KillAfter, 1),
    ];
    let keyed = leases.map(|(call, fault, _)| (call, fault, 1));
    let unmarked = [(Charge, KillBefore, 1), (Charge, KillAfter, 2)];
    let if_exists = [
        (Get, KillBefore, 1),
        (Get, KillAfter, 1),
        (Charge, KillBefore, 1),
        (Charge, KillAfter, 2),
        (Put, KillBefore, 2),
        (Put, KillAfter, 1),
    ];
    let transaction = [(PutAll, KillBefore, 1), (PutAll, KillAfter, 1)];

    let table: [(G, &[CrashPoint]); 11] = [
        (G::None, &unmarked),
        (G::Memory, &unmarked),
        (G::IfExists, &if_exists),
        (G::MessageId, &claim_family),
        (G::BodyHash, &claim_family),
        (G::Claim, &claim_family),
        (G::ClaimRelease, &claim_family),
        (G::Lease, &leases),
        (G::FencedLease, &leases),
        (G::KeyedCharge, &keyed),
        (G::Transaction, &transaction),
    ];
    assert_eq!(table.map(|(guard, _)| guard), GuardName::ALL);
    for (guard, points) in table {
        for &(call, fault, expected) in points {
            let charges = charges_after_crash(guard, call, fault).await;
            assert_eq!(charges, expected, "{guard}, {call:?}, {fault:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_crash_makes_the_calls_that_the_table_of_crash_points_names_and_no_others() {
    for guard in GuardName::ALL {
        let bench = Bench::new(guard);
        bench.deliver(&message("m-1")).await;
        let all = [
            Call::Get,
            Call::Put,
            Call::Update,
            Call::Delete,
            Call::PutAll,
            Call::Charge,
        ];
        let made: Vec<Call> = all
            .into_iter()
            .filter(|c| bench.faulty.calls(*c) > 0)
            .collect();
        let expected: &[Call] = match guard {
            GuardName::None | GuardName::Memory => &[Call::Charge],
            GuardName::IfExists => &[Call::Get, Call::Put, Call::Charge],
            GuardName::Transaction => &[Call::PutAll],
            _ => &[Call::Put, Call::Update, Call::Charge],
        };
        assert_eq!(made, expected, "{guard}");
        assert!(
            all.iter().all(|call| bench.faulty.calls(*call) <= 1),
            "{guard}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn claim_after_a_crash_reports_success_for_an_order_that_nobody_charged() {
    for guard in [GuardName::Claim, GuardName::ClaimRelease] {
        let bench = Bench::new(guard);
        bench.arm(Call::Charge, 1, Fault::KillBefore);
        let first = message("m-1");
        let outcome = bench.deliver(&first).await;
        assert!(
            matches!(&outcome, InvokeOutcome::Failed { error_type, .. } if error_type == "Runtime.ExitError"),
            "{outcome:?}"
        );
        assert_eq!(bench.deliver(&first.again(2)).await, answered(&[]));
        assert_eq!(bench.events(&first).await, FAILED_CLAIMED);
        assert_eq!(bench.events(&first.again(2)).await, SKIPPED);
        assert_eq!(bench.attribute("status").await, "CLAIMED");
        assert_eq!(bench.charges().await, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_is_taken_over_when_it_is_over_and_not_before() {
    for guard in [
        GuardName::Lease,
        GuardName::FencedLease,
        GuardName::KeyedCharge,
    ] {
        let bench = Bench::new(guard);
        bench.arm(Call::Put, 1, Fault::KillAfter);
        let first = message("m-1");
        bench.deliver(&first).await;
        // The lease ends 10 s after the start, with the function's timeout; its last millisecond
        // belongs to it.
        let in_time = bench.at(Duration::from_secs(10), &first.again(2)).await;
        assert_eq!(in_time, answered(&["m-1"]), "{guard}");
        let over = bench
            .at(Duration::from_millis(10_001), &first.again(3))
            .await;
        assert_eq!(over, answered(&[]), "{guard}");
        assert_eq!(bench.events(&first.again(3)).await, WON, "{guard}");
        assert_eq!(bench.attribute("requestId").await.len(), 36);
        assert_eq!(bench.attribute("status").await, "COMPLETED", "{guard}");
        assert_eq!(bench.charges().await, 1, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_charge_that_the_till_replays_is_not_logged_as_a_charge() {
    let bench = Bench::new(GuardName::KeyedCharge);
    bench.arm(Call::Update, 1, Fault::KillBefore);
    let first = message("m-1");
    bench.deliver(&first).await;
    bench.pass(Duration::from_secs(30)).await;
    assert_eq!(bench.deliver(&first.again(2)).await, answered(&[]));
    assert_eq!(
        bench.events(&first).await,
        ["process_start", "claim_won", "charge_applied"]
    );
    assert_eq!(
        bench.events(&first.again(2)).await,
        ["process_start", "claim_won", "process_end"]
    );
    assert_eq!(
        bench.lines("charge replayed").await,
        ["charge replayed: the till had the key, no money moved"]
    );
    assert_eq!((bench.ledger.charges(), bench.ledger.replays()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_transaction_that_dies_after_the_commit_has_a_row_without_a_line() {
    let bench = Bench::new(GuardName::Transaction);
    bench.arm(Call::PutAll, 1, Fault::KillAfter);
    let first = message("m-1");
    bench.deliver(&first).await;
    assert_eq!(bench.deliver(&first.again(2)).await, answered(&[]));
    assert_eq!(bench.lines("charge_applied").await.len(), 0);
    assert_eq!(bench.events(&first.again(2)).await, SKIPPED);
    assert_eq!(bench.charges().await, 1);
}
