//! A write is applied, its answer is lost, and the SDK repeats the request: the repetition meets
//! what the first try wrote.

use std::time::Duration;

use lab::worker::GuardName;

use crate::bench::{Bench, FAILED, SKIPPED, WON, answered, message};
use crate::faults::{Call, Fault};

#[tokio::test(start_paused = true)]
async fn a_claim_takes_its_own_put_for_a_duplicate_and_the_order_is_lost() {
    for guard in [
        GuardName::MessageId,
        GuardName::BodyHash,
        GuardName::Claim,
        GuardName::ClaimRelease,
    ] {
        let bench = Bench::new(guard);
        bench.arm(Call::Put, 1, Fault::LostAnswerAndRetry);
        let first = message("m-1");
        assert_eq!(bench.deliver(&first).await, answered(&[]), "{guard}");
        assert_eq!(bench.events(&first).await, SKIPPED, "{guard}");
        let table = bench.table_text().await;
        assert_eq!(table.len(), 1, "{guard}");
        assert!(
            table[0].contains("requestId=q-1 status=CLAIMED"),
            "{guard}: {}",
            table[0]
        );
        assert_eq!(bench.charges().await, 0, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_waits_for_the_end_of_its_own_claim() {
    let bench = Bench::new(GuardName::Lease);
    bench.arm(Call::Put, 1, Fault::LostAnswerAndRetry);
    let first = message("m-1");
    assert_eq!(bench.deliver(&first).await, answered(&["m-1"]));
    assert_eq!(bench.events(&first).await, FAILED);
    assert_eq!(
        bench.at(Duration::from_secs(9), &first.again(2)).await,
        answered(&["m-1"])
    );
    assert_eq!(
        bench.at(Duration::from_secs(11), &first.again(3)).await,
        answered(&[])
    );
    assert_eq!(bench.events(&first.again(3)).await, WON);
    assert_eq!(bench.charges().await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_claim_with_an_owner_knows_itself_and_goes_on_at_once() {
    for (guard, call) in [
        (GuardName::FencedLease, Call::Put),
        (GuardName::KeyedCharge, Call::Put),
        (GuardName::Transaction, Call::PutAll),
    ] {
        let bench = Bench::new(guard);
        bench.arm(call, 1, Fault::LostAnswerAndRetry);
        let (first, copy) = (message("m-1"), message("m-2"));
        assert_eq!(bench.deliver(&first).await, answered(&[]), "{guard}");
        assert_eq!(bench.events(&first).await, WON, "{guard}");
        assert_eq!(bench.charges().await, 1, "{guard}");
        // To everybody else it is what it was.
        assert_eq!(bench.deliver(&copy).await, answered(&[]), "{guard}");
        assert_eq!(bench.events(&copy).await, SKIPPED, "{guard}");
        assert_eq!(bench.charges().await, 1, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_owner_is_the_delivery_and_not_the_invocation_alone() {
    // One batch, one request id, two copies of the order: the second must not take the claim of
    // the first for its own.
    for guard in [
        GuardName::FencedLease,
        GuardName::KeyedCharge,
        GuardName::Transaction,
    ] {
        let bench = Bench::with(
            guard,
            crate::bench::Setup {
                timeout: Duration::from_secs(60),
                ..Default::default()
            },
        );
        if guard.leases() {
            bench.arm(Call::Update, 1, Fault::Throttled);
        }
        let outcome = bench.deliver_batch(&[message("m-1"), message("m-2")]).await;
        let failed: &[&str] = if guard.leases() { &["m-1", "m-2"] } else { &[] };
        assert_eq!(outcome, answered(failed), "{guard}");
        assert_eq!(bench.charges().await, 1, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn repeated_receipts_and_releases_change_nothing() {
    for guard in [GuardName::FencedLease, GuardName::KeyedCharge] {
        let bench = Bench::new(guard);
        bench.arm(Call::Charge, 1, Fault::Throttled);
        bench.arm(Call::Delete, 1, Fault::LostAnswerAndRetry);
        bench.arm(Call::Update, 1, Fault::LostAnswerAndRetry);
        let first = message("m-1");
        assert_eq!(bench.deliver(&first).await, answered(&["m-1"]), "{guard}");
        assert_eq!(bench.items().await, [], "{guard}");
        assert_eq!(bench.lines("was not released").await.len(), 0, "{guard}");
        assert_eq!(
            bench.deliver(&first.again(2)).await,
            answered(&[]),
            "{guard}"
        );
        assert_eq!(bench.attribute("status").await, "COMPLETED", "{guard}");
        assert_eq!(bench.charges().await, 1, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_till_without_a_key_cannot_tell_the_sdk_s_retry_from_a_new_charge() {
    for (guard, charges) in [(GuardName::FencedLease, 2), (GuardName::KeyedCharge, 1)] {
        let bench = Bench::new(guard);
        bench.arm(Call::Charge, 1, Fault::LostAnswerAndRetry);
        assert_eq!(
            bench.deliver(&message("m-1")).await,
            answered(&[]),
            "{guard}"
        );
        assert_eq!(bench.charges().await, charges, "{guard}");
        // The till's second answer is a replay, so the charge of this very delivery has a line
        // of its own kind.
        let replays = usize::from(guard.replays_charges());
        assert_eq!(
            bench.lines("charge replayed").await.len(),
            replays,
            "{guard}"
        );
        assert_eq!(
            bench.lines("charge_applied").await.len(),
            1 - replays,
            "{guard}"
        );
    }
}
