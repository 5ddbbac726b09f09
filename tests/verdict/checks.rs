//! Each sum fails when what it compares does not meet, and no other does where it stands alone.

use std::collections::BTreeSet;

use lab::event::EventType;
use lab::verdict::{Ending, Evidence, RunRecord, Verdict, judge, reconcile};
use lab::worker::GuardName;

use crate::bench::{broken, run, setup};

type Break = fn(&mut RunRecord, &mut Evidence);

/// Every sum, a guard that it is made for, and a way to break it.
const BREAKS: [(&str, GuardName, Break); 27] = [
    (
        "messages sent = messages started or dead before their start",
        GuardName::Claim,
        |_, evidence| evidence.read_back.messages_sent += 1,
    ),
    (
        "messages started that no known send explains = 0",
        GuardName::Claim,
        |_, evidence| {
            evidence.read_back.messages_started += 1;
            evidence.read_back.foreign_messages += 1;
        },
    ),
    (
        "messages left in the queue = messages held up by a claim",
        GuardName::Claim,
        |_, evidence| evidence.depth.in_flight = 1,
    ),
    (
        "deliveries started = deliveries ended or failed",
        GuardName::None,
        |_, evidence| {
            bump(evidence, EventType::ProcessEnd);
        },
    ),
    (
        "deliveries seen = deliveries with a start",
        GuardName::Claim,
        |_, evidence| evidence.read_back.deliveries[0].started = None,
    ),
    (
        "invocations failed = deliveries that they cut off",
        GuardName::Claim,
        |_, evidence| evidence.read_back.failed_invocations += 1,
    ),
    (
        "deliveries ended = deliveries skipped, charged or replayed",
        GuardName::None,
        |_, evidence| evidence.read_back.deliveries[0].charges = 0,
    ),
    (
        "claims lost = duplicates skipped",
        GuardName::Claim,
        |_, evidence| bump(evidence, EventType::SkipDuplicate),
    ),
    (
        "events under another guard = 0",
        GuardName::Claim,
        |_, evidence| evidence.read_back.guards.push("none".to_owned()),
    ),
    (
        "invocations = invocations with a line",
        GuardName::Claim,
        |_, evidence| evidence.read_back.invocations -= 1,
    ),
    (
        "claims won, lost or cut off = deliveries started",
        GuardName::Claim,
        |_, evidence| {
            bump(evidence, EventType::ClaimLost);
            bump(evidence, EventType::SkipDuplicate);
        },
    ),
    (
        "claims won = charges, replays or claims cut off",
        GuardName::KeyedCharge,
        |_, evidence| evidence.read_back.replays += 1,
    ),
    (
        "claims won = claims that the table granted",
        GuardName::Claim,
        |_, evidence| witness(evidence).puts_granted += 1,
    ),
    (
        "charges in the ledger = charges logged, replayed or cut off",
        GuardName::Claim,
        |_, evidence| {
            let ledger = evidence.ledger.as_mut().expect("a ledger");
            ledger.charges += 1;
        },
    ),
    (
        "charges logged or replayed = answers of the till",
        GuardName::Claim,
        |_, evidence| witness(evidence).charges_answered += 1,
    ),
    (
        "ledger rows in the table = charges logged or cut off",
        GuardName::Transaction,
        |_, evidence| {
            let is_receipt = |item: &lab::ports::Item| item.contains_key("status");
            evidence.items.retain(is_receipt);
        },
    ),
    (
        "charges at the till = 0",
        GuardName::Transaction,
        |_, evidence| {
            let ledger = evidence.ledger.as_mut().expect("a ledger");
            ledger.charges += 1;
        },
    ),
    (
        "items in the table = claims or receipts that were left",
        GuardName::Claim,
        |_, evidence| evidence.items.clear(),
    ),
    (
        "process_start by query = line by line",
        GuardName::None,
        |_, evidence| bump_line(evidence, EventType::ProcessStart),
    ),
    (
        "claim_won by query = line by line",
        GuardName::None,
        |_, evidence| bump_line(evidence, EventType::ClaimWon),
    ),
    (
        "claim_lost by query = line by line",
        GuardName::None,
        |_, evidence| bump_line(evidence, EventType::ClaimLost),
    ),
    (
        "skip_duplicate by query = line by line",
        GuardName::None,
        |_, evidence| bump_line(evidence, EventType::SkipDuplicate),
    ),
    (
        "charge_applied by query = line by line",
        GuardName::None,
        |_, evidence| {
            let charged = EventType::ChargeApplied;
            *evidence.events.get_mut(&charged).expect("charges") -= 1;
        },
    ),
    (
        "process_end by query = line by line",
        GuardName::None,
        |_, evidence| bump_line(evidence, EventType::ProcessEnd),
    ),
    (
        "charges by query = line by line",
        GuardName::Claim,
        |_, evidence| {
            evidence.charges.charges = 0;
        },
    ),
    (
        "orders charged by query = line by line",
        GuardName::Claim,
        |_, evidence| evidence.charges.orders = 2,
    ),
    (
        "messages charged by query = line by line",
        GuardName::Claim,
        |_, evidence| evidence.charges.messages = 2,
    ),
];

/// One more event of a type, by the query and by the lines.
fn bump(evidence: &mut Evidence, event_type: EventType) {
    *evidence.events.entry(event_type).or_default() += 1;
    bump_line(evidence, event_type);
}

/// One more event of a type, by the lines alone.
fn bump_line(evidence: &mut Evidence, event_type: EventType) {
    let events = &mut evidence.read_back.events;
    *events.entry(event_type).or_default() += 1;
}

fn witness(evidence: &mut Evidence) -> &mut lab::verdict::Witness {
    evidence.witness.as_mut().expect("a witness")
}

#[test]
fn each_sum_fails_when_it_is_broken() {
    for (name, guard, make) in BREAKS {
        let mut run = run(&setup(guard, 3));
        assert_eq!(broken(&run.judged()), Vec::<String>::new(), "{name}");
        make(&mut run.record, &mut run.evidence);
        let judgement = run.judged();
        let failed: Vec<&str> = judgement
            .checks
            .iter()
            .filter(|check| !check.holds())
            .map(|check| check.name)
            .collect();
        assert!(failed.contains(&name), "{name}: {failed:?}");
        assert_eq!(judgement.verdict, Verdict::Incomplete);
        assert!(!judgement.reconciled);
        assert!(judgement.reason.contains(name), "{}", judgement.reason);
    }
}

#[test]
fn every_sum_has_been_broken() {
    let mut names = BTreeSet::new();
    for guard in GuardName::ALL {
        let run = run(&setup(guard, 2));
        names.extend(
            reconcile(&run.record, &run.evidence)
                .iter()
                .map(|check| check.name),
        );
    }
    let tried: BTreeSet<&str> = BREAKS.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names, tried);
}

#[test]
fn a_sum_leaves_room_for_one_crash_and_no_more() {
    let mut setup = setup(GuardName::Claim, 2);
    setup.faults = vec!["crash@charge:after".to_owned()];
    let mut run = run(&setup);
    assert_eq!(broken(&run.judged()), Vec::<String>::new());
    // The one charge has no line, since its process ended; a second one has no excuse.
    assert_eq!(run.evidence.charges.charges, 0);
    let ledger = run.evidence.ledger.as_mut().expect("a ledger");
    ledger.charges = 3;
    assert_eq!(
        broken(&run.judged()),
        ["charges in the ledger = charges logged, replayed or cut off: 3 ≠ 2"]
    );
}

#[test]
fn a_delivery_whose_end_is_missing_has_not_failed() {
    let mut run = run(&setup(GuardName::None, 2));
    let ended = run.evidence.read_back.deliveries[0];
    assert_eq!(ended.ending, Ending::Ended);
    assert!(!ended.failed());
    run.lines
        .retain(|line| line.event_type() != Some(EventType::ProcessEnd));
    let evidence = run.with_lines(&run.lines);
    assert!(
        evidence
            .read_back
            .deliveries
            .iter()
            .all(|trace| trace.ending == Ending::Open && !trace.failed())
    );
    let judgement = judge(&run.record, &evidence);
    assert!(
        judgement
            .reason
            .contains("probable cause: lines are missing"),
        "{}",
        judgement.reason
    );
}

#[test]
fn nothing_sent_and_nothing_delivered_are_told_apart() {
    let mut run = run(&setup(GuardName::Claim, 2));
    let nothing_delivered = run.with_lines(&[]);
    let judgement = judge(&run.record, &nothing_delivered);
    assert_eq!(judgement.verdict, Verdict::Incomplete);
    assert!(
        judgement.reason.contains("the consumer did not run"),
        "{}",
        judgement.reason
    );
    run.record.message_ids.clear();
    let judgement = run.judged();
    assert_eq!(judgement.verdict, Verdict::Incomplete);
    assert_eq!(judgement.reason, "the queue accepted no copy of the order");
}
