//! Same key, other content: the order comes back with another amount.

use std::time::Duration;

use lab::worker::{GuardName, InvokeOutcome};

use crate::bench::{Bench, FAILED, SKIPPED, Setup, WON, answered, body, message};
use crate::faults::{Call, Fault};

const COMPARING: [GuardName; 4] = [
    GuardName::Lease,
    GuardName::FencedLease,
    GuardName::KeyedCharge,
    GuardName::Transaction,
];

const REFUSAL: &str = "payload mismatch: order `ORDER-003` has other content in message `m-2`";

#[tokio::test(start_paused = true)]
async fn guards_that_do_not_look_skip_another_amount_as_a_duplicate() {
    for guard in [
        GuardName::Memory,
        GuardName::IfExists,
        GuardName::Claim,
        GuardName::ClaimRelease,
    ] {
        let bench = Bench::new(guard);
        bench.deliver(&message("m-1")).await;
        let other = message("m-2").with_body(body("500.00"));
        assert_eq!(bench.deliver(&other).await, answered(&[]), "{guard}");
        assert_eq!(bench.events(&other).await, SKIPPED, "{guard}");
        assert_eq!(bench.lines("payload mismatch").await.len(), 0, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn guards_that_keep_a_hash_refuse_another_amount_and_say_so_in_one_line() {
    for guard in COMPARING {
        let bench = Bench::new(guard);
        bench.deliver(&message("m-1")).await;
        let other = message("m-2").with_body(body("500.00"));
        assert_eq!(bench.deliver(&other).await, answered(&["m-2"]), "{guard}");
        assert_eq!(bench.events(&other).await, FAILED, "{guard}");
        assert_eq!(
            bench.lines("payload mismatch").await,
            [format!("message m-2 failed: {REFUSAL}")],
            "{guard}"
        );
        let entries = bench.ledger.entries();
        assert!(
            entries
                .iter()
                .all(|entry| entry.amount.as_str() == "150.00"),
            "{guard}"
        );
        assert_eq!(bench.charges().await, 1, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn without_partial_responses_the_mismatch_is_the_error_of_the_invocation() {
    for guard in COMPARING {
        let bench = Bench::with(
            guard,
            Setup {
                report_batch_item_failures: false,
                ..Setup::default()
            },
        );
        bench.deliver(&message("m-1")).await;
        let other = message("m-2").with_body(body("500.00"));
        assert_eq!(
            bench.deliver(&other).await,
            InvokeOutcome::Failed {
                error_type: "PayloadMismatchError".to_owned(),
                message: REFUSAL.to_owned(),
            },
            "{guard}"
        );
        assert_eq!(bench.lines("payload mismatch").await.len(), 1, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn another_customer_is_other_content_and_another_spelling_is_not() {
    for guard in COMPARING {
        let bench = Bench::new(guard);
        bench.deliver(&message("m-1")).await;
        for (id, same) in [("m-2", body("150.0")), ("m-3", body("150"))] {
            let copy = message(id).with_body(same);
            assert_eq!(bench.deliver(&copy).await, answered(&[]), "{guard}");
            assert_eq!(bench.events(&copy).await, SKIPPED, "{guard}");
        }
        let other = body("150.00").replace("CUSTOMER-123", "CUSTOMER-124");
        let other = message("m-4").with_body(other);
        assert_eq!(bench.deliver(&other).await, answered(&["m-4"]), "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_mismatch_is_one_while_the_first_delivery_still_works() {
    for guard in [
        GuardName::Lease,
        GuardName::FencedLease,
        GuardName::KeyedCharge,
    ] {
        let bench = Bench::new(guard);
        let (first, other) = (message("m-1"), message("m-2").with_body(body("500.00")));
        tokio::join!(
            bench.at(Duration::ZERO, &first),
            bench.at(Duration::from_secs(1), &other)
        );
        assert_eq!(bench.lines("payload mismatch").await.len(), 1, "{guard}");
        assert_eq!(bench.events(&first).await, WON, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_take_over_does_not_compare_but_the_till_does() {
    // The first delivery dies after the charge, and other content takes its claim over.
    for (guard, amounts) in [
        (GuardName::Lease, &["150.00", "500.00"][..]),
        (GuardName::FencedLease, &["150.00", "500.00"]),
        (GuardName::KeyedCharge, &["150.00"]),
    ] {
        let bench = Bench::new(guard);
        bench.arm(Call::Update, 1, Fault::KillBefore);
        let first = message("m-1");
        bench.deliver(&first).await;
        bench.pass(Duration::from_secs(30)).await;
        let other = message("m-2").with_body(body("500.00"));
        bench.deliver(&other).await;
        let charged: Vec<_> = bench
            .ledger
            .entries()
            .into_iter()
            .map(|e| e.amount)
            .collect();
        assert_eq!(
            charged.iter().map(|a| a.as_str()).collect::<Vec<_>>(),
            amounts,
            "{guard}"
        );
        let refused = usize::from(guard == GuardName::KeyedCharge);
        assert_eq!(
            bench.lines("payload mismatch").await.len(),
            refused,
            "{guard}"
        );
        if guard == GuardName::KeyedCharge {
            assert_eq!(
                bench.lines("payload mismatch").await,
                [format!("message m-2 failed: {REFUSAL}")]
            );
            // The claim was released, so that the first message can still finish.
            assert_eq!(bench.deliver(&first.again(2)).await, answered(&[]));
            assert_eq!(bench.attribute("completedMessageId").await, "m-1");
            assert_eq!(bench.charges().await, 1);
        }
    }
}
