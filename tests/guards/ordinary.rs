//! What each guard does when nothing breaks: one delivery, two at once, one after the other.

use std::time::Duration;

use lab::worker::GuardName;

use crate::bench::{Bench, CHARGED, FAILED, ORDER, SKIPPED, WON, WORK, answered, message};

const CLAIMED: &str = "claimedAt=2026-09-20T20:58:23.240Z completedAt=2026-09-20T20:58:27.240Z completedMessageId=m-1";
const BODY_HASH: &str = "117a57729bd546eacbe8f962312733359f6b84da0f357bf44df371d84544c98b";
/// SHA-256 of `["ORDER-003","CUSTOMER-123","150"]`, by another implementation.
const PAYLOAD_HASH: &str = "bc2ed59c47a154979d3d262a49ed7e4a682c8186e45381f020aa812ee8d9de51";

/// The table after one delivery of `m-1` in the first invocation.
fn table_after_one(guard: GuardName) -> Vec<String> {
    let data =
        r#"data={"charged":150.00,"chargedBy":"m-1","chargedAt":"2026-09-20T20:58:27.240Z"}"#;
    // Epoch milliseconds of the start and 10 s; epoch seconds of the completion and 7 days.
    let lease =
        format!("{CLAIMED} {data} expiration=<1790542707> inProgressExpiration=<1789937913240>");
    let rest = "requestId=q-1 status=COMPLETED";
    match guard {
        GuardName::None | GuardName::Memory => Vec::new(),
        GuardName::IfExists => vec![format!(
            "{ORDER} completedAt=2026-09-20T20:58:27.240Z completedMessageId=m-1 {rest}"
        )],
        GuardName::MessageId => vec![format!("m-1 {CLAIMED} messageId=m-1 order={ORDER} {rest}")],
        GuardName::BodyHash => {
            vec![format!(
                "{BODY_HASH} {CLAIMED} messageId=m-1 order={ORDER} {rest}"
            )]
        }
        GuardName::Claim => vec![format!("{ORDER} {CLAIMED} messageId=m-1 {rest}")],
        GuardName::ClaimRelease => vec![format!(
            "{ORDER} {CLAIMED} expiration=<1790542703> messageId=m-1 {rest}"
        )],
        GuardName::Lease => {
            vec![format!(
                "{ORDER} {lease} messageId=m-1 {rest} validation={PAYLOAD_HASH}"
            )]
        }
        GuardName::FencedLease | GuardName::KeyedCharge => vec![format!(
            "{ORDER} {lease} messageId=m-1 owner=q-1/m-1 {rest} validation={PAYLOAD_HASH}"
        )],
        GuardName::Transaction => vec![
            format!(
                "{ORDER} completedAt=2026-09-20T20:58:27.240Z completedMessageId=m-1 \
                 expiration=<1790542707> owner=q-1/m-1 {rest} validation={PAYLOAD_HASH}"
            ),
            format!(
                "ledger#{ORDER}#m-1 amount=150.00 chargedAt=2026-09-20T20:58:27.240Z \
                 customerId=CUSTOMER-123 messageId=m-1 order={ORDER} requestId=q-1"
            ),
        ],
    }
}

fn charged_by(guard: GuardName) -> &'static [&'static str] {
    if guard.claims() { WON } else { CHARGED }
}

#[tokio::test(start_paused = true)]
async fn one_delivery_charges_once_and_leaves_exactly_this() {
    for guard in GuardName::ALL {
        let bench = Bench::new(guard);
        let outcome = bench.deliver(&message("m-1")).await;
        assert_eq!(outcome, answered(&[]), "{guard}");
        assert_eq!(bench.charges().await, 1, "{guard}");
        assert_eq!(
            bench.events(&message("m-1")).await,
            charged_by(guard),
            "{guard}"
        );
        assert_eq!(bench.table_text().await, table_after_one(guard), "{guard}");
        assert_eq!(
            bench.clock.now().since(crate::bench::START),
            WORK,
            "{guard}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn every_item_tells_which_order_it_is_about_and_which_rows_are_charges() {
    for guard in GuardName::ALL {
        let bench = Bench::new(guard);
        bench.deliver(&message("m-1")).await;
        let items = bench.items().await;
        assert_eq!(!items.is_empty(), guard.writes_items(), "{guard}");
        assert_eq!(guard.item_key().is_some(), guard.writes_items(), "{guard}");
        for item in &items {
            assert_eq!(GuardName::order_of(item), Some(ORDER), "{guard}");
        }
        let charged: Vec<&str> = items.iter().filter_map(GuardName::charged_by_row).collect();
        let in_table = guard == GuardName::Transaction;
        assert_eq!(charged, if in_table { vec!["150.00"] } else { vec![] });
        assert_eq!(bench.ledger.charges(), u64::from(!in_table), "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn two_copies_that_overlap_are_charged_twice_by_the_weak_guards_only() {
    use GuardName as G;
    for (guard, charges, second) in [
        (G::None, 2, CHARGED),
        (G::Memory, 2, CHARGED),
        (G::IfExists, 2, CHARGED),
        (G::MessageId, 2, WON),
        (G::BodyHash, 1, SKIPPED),
        (G::Claim, 1, SKIPPED),
        (G::ClaimRelease, 1, SKIPPED),
        (G::Lease, 1, FAILED),
        (G::FencedLease, 1, FAILED),
        (G::KeyedCharge, 1, FAILED),
        (G::Transaction, 1, SKIPPED),
    ] {
        let bench = Bench::new(guard);
        let (first, copy) = (message("m-1"), message("m-2"));
        let outcomes = tokio::join!(
            bench.at(Duration::ZERO, &first),
            bench.at(Duration::from_secs(1), &copy),
        );
        let failed: &[&str] = if guard.leases() { &["m-2"] } else { &[] };
        assert_eq!(outcomes, (answered(&[]), answered(failed)), "{guard}");
        assert_eq!(bench.charges().await, charges, "{guard}");
        assert_eq!(bench.events(&first).await, charged_by(guard), "{guard}");
        assert_eq!(bench.events(&copy).await, second, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn two_deliveries_of_one_message_that_overlap_are_stopped_by_every_conditional_put() {
    for guard in GuardName::ALL {
        let bench = Bench::new(guard);
        let first = message("m-1");
        let again = first.again(2);
        tokio::join!(
            bench.at(Duration::ZERO, &first),
            bench.at(Duration::from_secs(1), &again),
        );
        let charges = if guard.claims() { 1 } else { 2 };
        assert_eq!(bench.charges().await, charges, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_sends_the_copy_back_and_answers_it_from_the_stored_result_later() {
    for guard in [
        GuardName::Lease,
        GuardName::FencedLease,
        GuardName::KeyedCharge,
    ] {
        let bench = Bench::new(guard);
        let (first, copy) = (message("m-1"), message("m-2"));
        tokio::join!(
            bench.at(Duration::ZERO, &first),
            bench.at(Duration::from_secs(1), &copy),
        );
        assert_eq!(
            bench.lines("m-2 failed").await,
            [
                "message m-2 failed: order `ORDER-003` is being processed by another delivery until \
              2026-09-20T20:58:33.240Z"
            ],
            "{guard}"
        );
        assert_eq!(
            bench.deliver(&copy.again(2)).await,
            answered(&[]),
            "{guard}"
        );
        assert_eq!(bench.events(&copy.again(2)).await, SKIPPED, "{guard}");
        assert_eq!(
            bench.lines("stored result").await,
            [
                "answered with the stored result: {\"charged\":150.00,\"chargedBy\":\"m-1\",\
              \"chargedAt\":\"2026-09-20T20:58:27.240Z\"}"
            ],
            "{guard}"
        );
        assert_eq!(bench.table_text().await, table_after_one(guard), "{guard}");
        assert_eq!(bench.charges().await, 1, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_redelivery_after_completion_is_a_duplicate_to_every_guard_but_none() {
    for guard in GuardName::ALL {
        let bench = Bench::new(guard);
        let first = message("m-1");
        bench.deliver(&first).await;
        assert_eq!(
            bench.deliver(&first.again(2)).await,
            answered(&[]),
            "{guard}"
        );
        let (charges, events) = match guard {
            GuardName::None => (2, CHARGED),
            _ => (1, SKIPPED),
        };
        assert_eq!(bench.charges().await, charges, "{guard}");
        assert_eq!(bench.events(&first.again(2)).await, events, "{guard}");
        if guard != GuardName::None {
            assert_eq!(bench.table_text().await, table_after_one(guard), "{guard}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn ten_copies_are_the_second_experiment_of_the_original_lab() {
    let bench = Bench::new(GuardName::Claim);
    let copies: Vec<_> = (1..=10).map(|n| message(&format!("m-{n}"))).collect();
    let (a, b, c, d, e) = tokio::join!(
        bench.deliver(&copies[0]),
        bench.deliver(&copies[1]),
        bench.deliver(&copies[2]),
        bench.deliver(&copies[3]),
        bench.deliver(&copies[4]),
    );
    assert_eq!([a, b, c, d, e], [(); 5].map(|()| answered(&[])));
    for copy in &copies[5..] {
        bench.deliver(copy).await;
    }
    let mut events = Vec::new();
    for copy in &copies {
        events.push(bench.events(copy).await);
    }
    assert_eq!(events.iter().flatten().count(), 40);
    assert_eq!(events.iter().filter(|e| **e == WON).count(), 1);
    assert_eq!(events.iter().filter(|e| **e == SKIPPED).count(), 9);
    assert_eq!(bench.charges().await, 1);
}
