//! Orders that were charged, twice or in an unusual way: how charges are counted, and who made them.

use lab::verdict::Verdict;
use lab::worker::GuardName;

use crate::bench::{check, faulty, judged, setup};

#[test]
fn without_a_guard_every_copy_is_charged() {
    check(
        &setup(GuardName::None, 2),
        Verdict::Double,
        "charged 2 times, 300.00 instead of 150.00: no guard stood between delivery 1, delivery 2 \
         and the till",
        &[
            "process_start (delivery 1)",
            "process_start (delivery 2)",
            "charge_applied (delivery 1)",
            "process_end (delivery 1)",
            "charge_applied (delivery 2)",
            "process_end (delivery 2)",
        ],
    );
}

#[test]
fn a_look_before_the_other_has_written_is_named() {
    check(
        &setup(GuardName::IfExists, 4),
        Verdict::Double,
        "charged 4 times, 600.00 instead of 150.00: delivery 3 looked before delivery 1 had written",
        &[
            "process_start (delivery 1)",
            "process_start (delivery 3)",
            "charge_applied (delivery 1)",
            "charge_applied (delivery 3)",
            "process_end (delivery 1)",
            "process_end (delivery 3)",
        ],
    );
}

#[test]
fn a_charge_that_was_not_recorded_is_made_again() {
    // The receipt cannot be written, and the claim is given back.
    check(
        &faulty(GuardName::ClaimRelease, 1, "fail@complete"),
        Verdict::Double,
        "charged 2 times, 300.00 instead of 150.00: delivery 1 charged and did not get to record it \
         (a call of it failed after charge_applied), and delivery 2 charged again",
        &[
            "claim_won (delivery 1)",
            "charge_applied (delivery 1)",
            "failed (delivery 1)",
            "claim_won (delivery 2)",
            "charge_applied (delivery 2)",
        ],
    );
    check(
        &faulty(GuardName::Lease, 1, "crash@charge:after"),
        Verdict::Double,
        "charged 2 times, 300.00 instead of 150.00: delivery 1 charged and could not say so (its \
         invocation ended with Runtime.ExitError after claim_won), and delivery 2 charged again",
        &[
            "process_start (delivery 1)",
            "claim_won (delivery 1)",
            "Runtime.ExitError (delivery 1)",
            "process_start (delivery 2)",
            "claim_won (delivery 2)",
            "charge_applied (delivery 2)",
        ],
    );
    check(
        &faulty(GuardName::None, 1, "lose-answer@charge"),
        Verdict::Double,
        "charged 2 times, 300.00 instead of 150.00: the answer to the charge of delivery 1 was lost, \
         and the call was made again without a key",
        &[
            "process_start (delivery 1)",
            "charge_applied (delivery 1)",
            "process_end (delivery 1)",
        ],
    );
}

/// A transport id as the key: each copy is an order of its own, while a redelivery is not.
#[test]
fn the_key_of_message_id_is_that_of_the_transport() {
    let (run, judgement) = judged(&setup(GuardName::MessageId, 10));
    assert_eq!(judgement.verdict, Verdict::Double);
    assert_eq!(run.evidence.items.len(), 10);
    assert!(
        judgement
            .reason
            .ends_with("are two messages to the guard, not one order"),
        "{}",
        judgement.reason
    );
    check(
        &faulty(GuardName::MessageId, 1, "fail@delete"),
        Verdict::Pass,
        "one charge although the fault `fail@delete` fired: 2 deliveries of 1 message; they came \
         one after the other, so that a race was not run",
        &[
            "process_start (delivery 1)",
            "claim_won (delivery 1)",
            "charge_applied (delivery 1)",
            "process_start (delivery 2)",
            "claim_lost (delivery 2)",
        ],
    );
}

#[test]
fn a_replayed_charge_counts_once() {
    for fault in ["crash@charge:after", "lose-answer@charge"] {
        let (run, judgement) = judged(&faulty(GuardName::KeyedCharge, 1, fault));
        assert_eq!(judgement.verdict, Verdict::Pass, "{fault}");
        assert_eq!(run.evidence.charge_count(), 1, "{fault}");
        assert_eq!(run.evidence.charges.charges, 0, "{fault}: it has no line");
        assert_eq!(run.evidence.replays(), 1, "{fault}");
    }
}

#[test]
fn a_row_of_the_ledger_is_a_charge() {
    let (run, judgement) = judged(&faulty(GuardName::Transaction, 2, "crash@transact:after"));
    assert_eq!(judgement.verdict, Verdict::Pass);
    assert_eq!(run.evidence.charge_count(), 1);
    assert_eq!(run.evidence.amount_charged().as_str(), "150.00");
    assert_eq!(run.evidence.items.len(), 2, "a receipt and a row");
    let ledger = run.evidence.ledger.as_ref().expect("a ledger");
    assert_eq!(ledger.charges, 0, "the till was not called");
}

/// The same order with another amount.
#[test]
fn other_content_under_one_key_is_a_conflict() {
    let amounts = |guard| {
        let mut setup = setup(guard, 2);
        setup.amounts = vec!["150.00", "500.00"];
        setup.pollers = 1;
        setup
    };
    check(
        &amounts(GuardName::Claim),
        Verdict::Conflict,
        "the order came with other content (150.00, then 500.00): 150.00 was charged, and the rest \
         was skipped as a duplicate without a word",
        &[
            "process_start (delivery 1)",
            "claim_won (delivery 1)",
            "charge_applied (delivery 1)",
            "process_start (delivery 2)",
            "claim_lost (delivery 2)",
        ],
    );
    for guard in [
        GuardName::Lease,
        GuardName::FencedLease,
        GuardName::KeyedCharge,
        GuardName::Transaction,
    ] {
        check(
            &amounts(guard),
            Verdict::Conflict,
            "the order came with other content: 150.00 was charged, and 4 deliveries were refused \
             with a payload mismatch",
            &[
                "process_start (delivery 1)",
                "claim_won (delivery 1)",
                "charge_applied (delivery 1)",
                "process_end (delivery 1)",
                "process_start (delivery 2)",
                "PayloadMismatchError (delivery 2)",
            ],
        );
    }
    for guard in [GuardName::None, GuardName::BodyHash] {
        assert_eq!(
            judged(&amounts(guard)).1.verdict,
            Verdict::Double,
            "{guard}"
        );
    }
}
