//! Orders that were charged once or never: each verdict, with its sentence and its lines.

use std::time::Duration;

use lab::verdict::Verdict;
use lab::worker::GuardName;

use crate::bench::{Setup, check, faulty, judged, run, setup};

#[test]
fn copies_that_overlap_and_one_charge_are_a_pass() {
    check(
        &setup(GuardName::Claim, 10),
        Verdict::Pass,
        "one charge although deliveries overlapped: 10 deliveries of 10 messages",
        &[
            "process_start (delivery 2)",
            "process_start (delivery 5)",
            "claim_won (delivery 2)",
            "claim_lost (delivery 5)",
            "process_end (delivery 5)",
            "charge_applied (delivery 2)",
        ],
    );
}

#[test]
fn each_verdict_is_reached() {
    use GuardName as Guard;
    use Verdict as V;
    for (guard, copies, fault, verdict) in [
        (Guard::Claim, 1, "crash@claim:after", V::Lost),
        (Guard::Claim, 1, "lose-answer@claim", V::Lost),
        (Guard::Claim, 1, "crash@charge:after", V::Pass),
        (Guard::ClaimRelease, 1, "crash@claim:after", V::Stuck),
        (Guard::ClaimRelease, 1, "fail@complete", V::Double),
        (Guard::Lease, 1, "crash@claim:after", V::Pass),
        (Guard::Lease, 1, "crash@charge:after", V::Double),
        (Guard::FencedLease, 1, "lose-answer@claim", V::Pass),
        (Guard::FencedLease, 1, "crash@charge:after", V::Double),
        (Guard::KeyedCharge, 1, "crash@charge:after", V::Pass),
        (Guard::KeyedCharge, 1, "lose-answer@charge", V::Pass),
        (Guard::KeyedCharge, 1, "crash@complete:before", V::Pass),
        (Guard::Transaction, 1, "crash@transact:after", V::Pass),
        (Guard::Transaction, 1, "lose-answer@transact", V::Pass),
        (Guard::None, 1, "lose-answer@charge", V::Double),
        (Guard::None, 1, "crash@charge:after#*", V::Double),
        (Guard::MessageId, 2, "delay=1ms@claim", V::Double),
        (Guard::Memory, 1, "crash@charge:after", V::Double),
        (Guard::None, 1, "crash@charge:before#*", V::Lost),
        (Guard::Claim, 1, "crash@release:after", V::Inconclusive),
    ] {
        let (_, judgement) = judged(&faulty(guard, copies, fault));
        assert_eq!(
            judgement.verdict, verdict,
            "{guard}, {fault}: {}",
            judgement.reason
        );
    }
}
/// The article's worker is killed between its claim and its charge; its retries are skipped.
#[test]
fn a_claim_without_an_end_loses_the_order() {
    check(
        &faulty(GuardName::Claim, 1, "crash@charge:before"),
        Verdict::Lost,
        "none of 2 deliveries charged the order, nothing is left in the queue: the claim of \
         delivery 1 was never completed: its invocation ended with Runtime.ExitError after \
         claim_won, and 1 delivery stopped at it as if the order were done",
        &[
            "process_start (delivery 1)",
            "claim_won (delivery 1)",
            "Runtime.ExitError (delivery 1)",
            "process_start (delivery 2)",
            "claim_lost (delivery 2)",
            "process_end (delivery 2)",
        ],
    );
    check(
        &faulty(GuardName::Claim, 1, "crash@claim:after"),
        Verdict::Lost,
        "none of 2 deliveries charged the order, nothing is left in the queue: delivery 1 made a \
         claim and could not say so (its invocation ended with Runtime.ExitError after \
         process_start), and delivery 2 met it and skipped",
        &[
            "process_start (delivery 1)",
            "Runtime.ExitError (delivery 1)",
            "process_start (delivery 2)",
            "claim_lost (delivery 2)",
            "process_end (delivery 2)",
        ],
    );
}

#[test]
fn a_guard_that_meets_its_own_claim_loses_the_order() {
    check(
        &faulty(GuardName::Claim, 1, "lose-answer@claim"),
        Verdict::Lost,
        "none of 1 delivery charged the order, nothing is left in the queue: delivery 1 met its \
         own claim after a lost answer, took it for another's and skipped",
        &[
            "process_start (delivery 1)",
            "claim_lost (delivery 1)",
            "process_end (delivery 1)",
        ],
    );
}

#[test]
fn an_order_that_no_delivery_charges_is_lost() {
    check(
        &faulty(GuardName::None, 1, "crash@charge:before#*"),
        Verdict::Lost,
        "none of 4 deliveries charged the order, 1 message was dead-lettered and nothing is left in \
         the queue: no delivery got through; of delivery 1, its invocation ended with \
         Runtime.ExitError after process_start",
        &[
            "process_start (delivery 1)",
            "Runtime.ExitError (delivery 1)",
        ],
    );
}

#[test]
fn a_claim_with_an_end_leaves_the_order_stuck_until_then() {
    check(
        &faulty(GuardName::ClaimRelease, 1, "crash@charge:before"),
        Verdict::Stuck,
        "not charged, and blocked until 2026-09-27T20:58:23.000Z: the claim of delivery 1 was never \
         completed: its invocation ended with Runtime.ExitError after claim_won; 1 delivery stopped \
         at it",
        &[
            "process_start (delivery 1)",
            "claim_won (delivery 1)",
            "Runtime.ExitError (delivery 1)",
            "process_start (delivery 2)",
            "claim_lost (delivery 2)",
            "process_end (delivery 2)",
        ],
    );
}

/// The record stays in progress for longer than the retries last.
#[test]
fn a_lease_that_outlives_the_retries_leaves_the_order_stuck() {
    let mut setup = faulty(GuardName::Lease, 1, "crash@charge:before");
    setup.settings.lease = Some(Duration::from_secs(10 * 3_600));
    let stuck = |stopped: u64| {
        format!(
            "not charged, and blocked until 2026-09-21T06:58:23.240Z: the claim of delivery 1 was \
             never completed: its invocation ended with Runtime.ExitError after claim_won; {stopped} \
             deliveries stopped at it"
        )
    };
    let lines = [
        "process_start (delivery 1)",
        "claim_won (delivery 1)",
        "Runtime.ExitError (delivery 1)",
        "process_start (delivery 2)",
        "InProgressError (delivery 2)",
    ];
    check(&setup, Verdict::Stuck, &stuck(3), &lines);
    // The message need not be dead-lettered: it can still be on its way round.
    setup.receives = 1_000;
    setup.patience = Duration::from_secs(600);
    let (run, _) = judged(&setup);
    assert_eq!(run.evidence.depth.total(), 1);
    check(&setup, Verdict::Stuck, &stuck(9), &lines);
    // When the lease is over it blocks nothing any more.
    setup.settings.lease = None;
    check(
        &setup,
        Verdict::Pass,
        "one charge although the fault `crash@charge:before` fired: 2 deliveries of 1 message; they \
         came one after the other, so that a race was not run",
        &[
            "process_start (delivery 1)",
            "claim_won (delivery 1)",
            "Runtime.ExitError (delivery 1)",
            "process_start (delivery 2)",
            "claim_won (delivery 2)",
            "charge_applied (delivery 2)",
        ],
    );
}

#[test]
fn a_blocked_order_is_not_stuck_when_its_claim_is_over() {
    let mut setup = faulty(GuardName::Lease, 1, "crash@charge:before");
    setup.settings.lease = Some(Duration::from_secs(10 * 3_600));
    let (mut run, _) = judged(&setup);
    let ten_hours = Duration::from_secs(10 * 3_600);
    run.evidence.gathered_at = run.evidence.gathered_at.map(|now| now + ten_hours);
    assert_eq!(run.judged().verdict, Verdict::Lost);
}

#[test]
fn nothing_is_proved_when_nothing_happened() {
    let one_by_one = |copies| {
        let mut setup = setup(GuardName::Claim, copies);
        setup.pollers = 1;
        setup
    };
    check(
        &one_by_one(1),
        Verdict::Inconclusive,
        "one charge, but there was only one delivery: nothing was put to the test",
        &[],
    );
    check(
        &one_by_one(3),
        Verdict::Inconclusive,
        "one charge, but no two of 3 deliveries overlapped: the race was not run",
        &[],
    );
}

/// Whatever came out: the crash that was meant did not happen.
#[test]
fn a_fault_that_never_fired_makes_every_run_inconclusive() {
    for (guard, charges) in [
        (GuardName::Claim, "1 charge"),
        (GuardName::None, "3 charges"),
    ] {
        let mut setup = setup(guard, 3);
        setup.faults = vec!["crash@release:after".to_owned()];
        check(
            &setup,
            Verdict::Inconclusive,
            &format!(
                "the fault `crash@release:after` never fired, so that what it was meant to show was \
                 not tried ({charges} without it)"
            ),
            &[],
        );
    }
    // One of two is not enough.
    let mut setup = faulty(GuardName::Claim, 1, "crash@charge:before");
    setup.faults.push("fail@complete#9".to_owned());
    assert_eq!(judged(&setup).1.verdict, Verdict::Inconclusive);
}

#[test]
fn what_a_guard_costs_is_counted_on_the_wire() {
    let cost = |setup: &Setup| {
        let run = run(setup);
        let cost = run.evidence.cost(&run.record).expect("a cost");
        (
            run.evidence.table_writes().expect("a count"),
            cost.table.to_string(),
        )
    };
    // Nine refused claims are billed: (10 claims + 1 receipt) / 10 messages * 0.625.
    assert_eq!(
        cost(&setup(GuardName::Claim, 10)),
        (11, "0.6875".to_owned())
    );
    assert_eq!(cost(&setup(GuardName::Claim, 1)), (2, "1.25".to_owned()));
    assert_eq!(cost(&setup(GuardName::None, 10)), (0, "0.00".to_owned()));
    // Two items, two units each: one transaction per message, committed or cancelled.
    assert_eq!(
        cost(&setup(GuardName::Transaction, 10)),
        (10, "2.50".to_owned())
    );
    // A put whose answer was lost is made, and billed, twice.
    let lost = faulty(GuardName::FencedLease, 1, "lose-answer@claim");
    assert_eq!(cost(&lost), (3, "1.875".to_owned()));
}
