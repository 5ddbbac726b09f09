//! Each verdict, with its sentence and its lines.

use std::time::Duration;

use lab::verdict::{Judgement, Verdict};
use lab::worker::GuardName;

use crate::bench::{Run, Setup, broken, run, setup};

/// A run with a fault, one delivery after the other.
fn faulty(guard: GuardName, copies: usize, fault: &str) -> Setup {
    let mut setup = setup(guard, copies);
    setup.faults = vec![fault.to_owned()];
    setup.pollers = 1;
    setup
}

fn judged(setup: &Setup) -> (Run, Judgement) {
    let run = run(setup);
    let judgement = run.judged();
    assert_eq!(broken(&judgement), Vec::<String>::new(), "{setup:?}");
    (run, judgement)
}

/// What the lines say, without times and ids.
fn said(judgement: &Judgement) -> Vec<String> {
    let lines = judgement.lines.iter();
    lines
        .map(|line| line.splitn(3, "  ").nth(2).unwrap_or(line).to_owned())
        .collect()
}

#[track_caller]
fn check(setup: &Setup, verdict: Verdict, reason: &str, lines: &[&str]) {
    let (_, judgement) = judged(setup);
    assert_eq!(
        (judgement.verdict, judgement.reason.as_str()),
        (verdict, reason),
        "{:?}",
        judgement.lines
    );
    assert_eq!(said(&judgement), lines);
}

#[test]
fn copies_that_overlap_and_one_charge_are_a_pass() {
    check(
        &setup(GuardName::Claim, 10),
        Verdict::Pass,
        "one charge although deliveries overlapped: 10 deliveries of 10 messages",
        &[],
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
