//! A call fails and says so. A failure is not a duplicate, and not every failure means that
//! nothing happened.

use std::time::Duration;

use lab::worker::{GuardName, InvokeOutcome};

use crate::bench::{Bench, FAILED, FAILED_CLAIMED, SKIPPED, Setup, WON, WORK, answered, message};
use crate::faults::{Call, Fault};

const SECOND: Duration = Duration::from_secs(1);

async fn charges_after(guard: GuardName, call: Call, fault: Fault) -> usize {
    let bench = Bench::new(guard);
    bench.arm(call, 1, fault);
    bench.deliver_until_done(&message("m-1")).await;
    bench.charges().await
}

#[tokio::test(start_paused = true)]
async fn a_throttled_claim_is_not_a_duplicate_to_anybody() {
    for guard in GuardName::ALL.into_iter().filter(|guard| guard.claims()) {
        let bench = Bench::new(guard);
        let call = match guard {
            GuardName::Transaction => Call::PutAll,
            _ => Call::Put,
        };
        bench.arm(call, 1, Fault::Throttled);
        let first = message("m-1");
        assert_eq!(bench.deliver(&first).await, answered(&["m-1"]), "{guard}");
        assert_eq!(bench.events(&first).await, FAILED, "{guard}");
        assert_eq!(
            bench.deliver(&first.again(2)).await,
            answered(&[]),
            "{guard}"
        );
        assert_eq!(bench.events(&first.again(2)).await, WON, "{guard}");
        assert_eq!(bench.charges().await, 1, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_refused_call_leads_to() {
    use Fault::{LostAnswer, Throttled};
    use GuardName as G;
    for (guard, charge_refused, charge_unknown, receipt_refused) in [
        (G::MessageId, 0, 1, 1),
        (G::BodyHash, 0, 1, 1),
        (G::Claim, 0, 1, 1),
        (G::ClaimRelease, 1, 2, 2),
        (G::Lease, 1, 2, 2),
        (G::FencedLease, 1, 2, 2),
        (G::KeyedCharge, 1, 1, 1),
    ] {
        let refused = charges_after(guard, Call::Charge, Throttled).await;
        assert_eq!(refused, charge_refused, "{guard}: the till refuses");
        let unknown = charges_after(guard, Call::Charge, LostAnswer).await;
        assert_eq!(
            unknown, charge_unknown,
            "{guard}: the till charges and does not answer"
        );
        let receipt = charges_after(guard, Call::Update, Throttled).await;
        assert_eq!(
            receipt, receipt_refused,
            "{guard}: the receipt cannot be written"
        );
    }
    for guard in [G::None, G::Memory, G::IfExists] {
        assert_eq!(
            charges_after(guard, Call::Charge, Throttled).await,
            1,
            "{guard}"
        );
        assert_eq!(
            charges_after(guard, Call::Charge, LostAnswer).await,
            2,
            "{guard}"
        );
    }
    assert_eq!(charges_after(G::IfExists, Call::Put, Throttled).await, 2);
    let lost = charges_after(G::Transaction, Call::PutAll, LostAnswer).await;
    assert_eq!(lost, 1, "transaction: it commits and does not answer");
}

#[tokio::test(start_paused = true)]
async fn claim_release_deletes_a_claim_that_is_not_its_own() {
    let bench = Bench::new(GuardName::ClaimRelease);
    // The claim of the second delivery is throttled while the first one works.
    bench.arm(Call::Put, 2, Fault::Throttled);
    let (first, second, third) = (message("m-1"), message("m-2"), message("m-3"));
    tokio::join!(
        bench.at(Duration::ZERO, &first),
        bench.at(SECOND, &second),
        bench.at(2 * SECOND, &third),
    );
    assert_eq!(bench.events(&first).await, WON);
    assert_eq!(bench.events(&second).await, FAILED);
    assert_eq!(bench.events(&third).await, WON);
    assert_eq!(bench.charges().await, 2);
}

#[tokio::test(start_paused = true)]
async fn the_other_guards_leave_the_claim_of_another_delivery_alone() {
    for guard in [
        GuardName::Claim,
        GuardName::Lease,
        GuardName::FencedLease,
        GuardName::KeyedCharge,
    ] {
        let bench = Bench::new(guard);
        bench.arm(Call::Put, 2, Fault::Throttled);
        let (first, second, third) = (message("m-1"), message("m-2"), message("m-3"));
        tokio::join!(
            bench.at(Duration::ZERO, &first),
            bench.at(SECOND, &second),
            bench.at(2 * SECOND, &third),
        );
        assert_eq!(bench.faulty.calls(Call::Delete), 0, "{guard}");
        assert_eq!(bench.charges().await, 1, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn claim_release_charges_again_when_the_receipt_cannot_be_written() {
    let bench = Bench::new(GuardName::ClaimRelease);
    bench.arm(Call::Update, 1, Fault::Throttled);
    let first = message("m-1");
    assert_eq!(bench.deliver(&first).await, answered(&["m-1"]));
    assert_eq!(bench.items().await, []);
    assert_eq!(bench.deliver(&first.again(2)).await, answered(&[]));
    assert_eq!(bench.events(&first.again(2)).await, WON);
    assert_eq!(bench.charges().await, 2);
}

#[tokio::test(start_paused = true)]
async fn a_release_that_fails_leaves_the_claim_and_the_first_error() {
    for (guard, charges, second) in [
        (GuardName::ClaimRelease, 0, SKIPPED),
        (GuardName::Lease, 0, FAILED),
        (GuardName::FencedLease, 0, FAILED),
        (GuardName::KeyedCharge, 0, FAILED),
    ] {
        let bench = Bench::new(guard);
        bench.arm(Call::Charge, 1, Fault::Throttled);
        bench.arm(Call::Delete, 1, Fault::Throttled);
        let first = message("m-1");
        assert_eq!(bench.deliver(&first).await, answered(&["m-1"]), "{guard}");
        assert_eq!(bench.events(&first).await, FAILED_CLAIMED, "{guard}");
        assert_eq!(
            bench.lines("on purpose").await,
            [
                "the claim was not released: DeleteItem failed with `ThrottlingException`: on purpose",
                "message m-1 failed: Charge failed with `TooManyRequests`: on purpose",
            ],
            "{guard}"
        );
        bench.deliver(&first.again(2)).await;
        assert_eq!(bench.events(&first.again(2)).await, second, "{guard}");
        assert_eq!(bench.charges().await, charges, "{guard}");
        if guard.leases() {
            bench.at(Duration::from_secs(11), &first.again(3)).await;
            assert_eq!(bench.events(&first.again(3)).await, WON, "{guard}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn without_partial_responses_the_error_leaves_the_handler() {
    let bench = Bench::with(
        GuardName::Lease,
        Setup {
            report_batch_item_failures: false,
            ..Setup::default()
        },
    );
    let (first, second) = (message("m-1"), message("m-2"));
    let (_, outcome) = tokio::join!(
        bench.at(Duration::ZERO, &first),
        bench.at(WORK / 2, &second)
    );
    assert_eq!(
        outcome,
        InvokeOutcome::Failed {
            error_type: "InProgressError".to_owned(),
            message: "order `ORDER-003` is being processed by another delivery until \
                      2026-09-20T20:58:33.240Z"
                .to_owned(),
        }
    );
}
