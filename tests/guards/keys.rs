//! The key decides: the same mechanism with three keys, and what each key takes for the same.

use lab::worker::{GuardName, GuardSettings, KeyStrategy};

use crate::bench::{Bench, CHARGED, ORDER, SKIPPED, Setup, message};
use crate::faults::{Call, Fault};

/// The body as a producer writes it that says when it sent.
fn stamped(second: u32) -> String {
    format!(
        r#"{{"orderId":"{ORDER}","customerId":"CUSTOMER-123","amount":150.00,"sentAt":"2026-09-20T20:58:{second:02}Z"}}"#
    )
}

#[tokio::test(start_paused = true)]
async fn ten_copies_of_a_producer_and_ten_deliveries_of_one_message() {
    for (guard, copies, deliveries) in [
        (GuardName::MessageId, 10, 1),
        (GuardName::BodyHash, 1, 1),
        (GuardName::Claim, 1, 1),
    ] {
        let bench = Bench::new(guard);
        for n in 1..=10 {
            bench.deliver(&message(&format!("m-{n}"))).await;
        }
        assert_eq!(bench.charges().await, copies, "{guard}");
        let items = match guard.item_key() {
            Some(KeyStrategy::MessageId) => 10,
            _ => 1,
        };
        assert_eq!(bench.items().await.len(), items, "{guard}");

        let bench = Bench::new(guard);
        for receive_count in 1..=10 {
            bench.deliver(&message("m-1").again(receive_count)).await;
        }
        assert_eq!(bench.charges().await, deliveries, "{guard}");
        assert_eq!(bench.items().await.len(), 1, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_carries_a_time_is_another_body_every_time() {
    for (guard, charges) in [
        (GuardName::BodyHash, 3),
        (GuardName::MessageId, 3),
        (GuardName::Claim, 1),
        (GuardName::Lease, 1),
        (GuardName::Transaction, 1),
    ] {
        let bench = Bench::new(guard);
        for second in 1..=3 {
            let copy = message(&format!("m-{second}")).with_body(stamped(second));
            bench.deliver(&copy).await;
        }
        assert_eq!(bench.charges().await, charges, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_order_of_the_fields_makes_another_body() {
    for (guard, charges) in [(GuardName::BodyHash, 2), (GuardName::Claim, 1)] {
        let bench = Bench::new(guard);
        bench.deliver(&message("m-1")).await;
        let turned = r#"{"amount":150.00,"customerId":"CUSTOMER-123","orderId":"ORDER-003"}"#;
        bench.deliver(&message("m-2").with_body(turned)).await;
        assert_eq!(bench.charges().await, charges, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_without_an_order_id_is_an_error_and_never_a_duplicate() {
    for guard in GuardName::ALL {
        let bench = Bench::new(guard);
        for customer in ["C-1", "C-2"] {
            let body = format!(r#"{{"customerId":"{customer}","amount":1.00}}"#);
            let nameless = message(customer).with_body(body);
            let outcome = bench.deliver(&nameless).await;
            assert_eq!(outcome, crate::bench::answered(&[customer]), "{guard}");
        }
        assert_eq!(bench.charges().await, 0, "{guard}");
        assert_eq!(bench.items().await, [], "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn if_exists_with_an_eventually_consistent_read_misses_what_has_just_been_written() {
    for (consistent_reads, charges, events) in [(true, 1, SKIPPED), (false, 2, CHARGED)] {
        let bench = Bench::with(
            GuardName::IfExists,
            Setup {
                settings: GuardSettings {
                    consistent_reads,
                    ..GuardSettings::default()
                },
                ..Setup::default()
            },
        );
        bench.arm(Call::Get, 2, Fault::NotYetVisible);
        bench.deliver(&message("m-1")).await;
        bench.deliver(&message("m-2")).await;
        assert_eq!(bench.events(&message("m-2")).await, events);
        assert_eq!(
            bench.charges().await,
            charges,
            "consistent: {consistent_reads}"
        );
    }
}
