//! One sentence: why the verdict is what it is, and which deliveries show it.

use super::case::{Case, Finding, how_it_ended, name, plural};
use super::evidence::FaultFired;
use super::readback::{DeliveryTrace, Ending};
use crate::order::Amount;
use crate::ports::Timestamp;
use crate::worker::{GuardName, KeyStrategy};

pub(super) fn never_fired(case: &Case<'_>, fault: &FaultFired) -> Finding {
    let charges = plural(case.evidence.charge_count(), "charge", "charges");
    Finding::new(
        format!(
            "the fault `{}` never fired, so that what it was meant to show was not tried ({charges} \
             without it)",
            fault.rule
        ),
        &[],
    )
}

pub(super) fn untested(case: &Case<'_>) -> Finding {
    let reason = match case.deliveries().len() {
        0 | 1 => "one charge, but there was only one delivery: nothing was put to the test".into(),
        many => {
            format!("one charge, but no two of {many} deliveries overlapped: the race was not run")
        }
    };
    Finding::new(reason, &[])
}

pub(super) fn pass(case: &Case<'_>) -> Finding {
    let deliveries = plural(case.deliveries().len() as u64, "delivery", "deliveries");
    let messages = plural(
        case.evidence.read_back.messages_started,
        "message",
        "messages",
    );
    let mut fired = case.evidence.faults.iter();
    let why = if case.overlapped {
        format!("one charge although deliveries overlapped: {deliveries} of {messages}")
    } else {
        let what = match fired.next() {
            Some(fault) => format!("the fault `{}` fired", fault.rule),
            None => "a message came again".to_owned(),
        };
        format!(
            "one charge although {what}: {deliveries} of {messages}; they came one after the other, \
             so that a race was not run"
        )
    };
    let failed = case.first_failure(|_| true);
    let mut shown: Vec<usize> = Vec::new();
    for delivery in [case.first_charge(), failed, case.first_skip()] {
        shown.extend(delivery.filter(|delivery| !shown.contains(delivery)));
    }
    Finding::new(why, &shown)
}

pub(super) fn conflict(case: &Case<'_>) -> Finding {
    let (charged, owed) = (case.evidence.amount_charged(), &case.record.order.amount);
    let refused = case.evidence.payload_mismatches();
    let charge = case.first_charge();
    let mismatch = case.first_failure(|trace| trace.ending == Ending::Mismatched);
    let skip = case.first_skip();
    let others: Vec<String> = case
        .record
        .other_contents
        .iter()
        .map(|order| order.amount.to_string())
        .collect();
    let reason = if refused > 0 {
        format!(
            "the order came with other content: {charged} was charged, and {} refused with a \
             payload mismatch",
            plural(refused, "delivery was", "deliveries were")
        )
    } else if others.is_empty() {
        format!("the order was charged {charged}, but {owed} was owed")
    } else {
        format!(
            "the order came with other content ({owed}, then {}): {charged} was charged, and the \
             rest was skipped as a duplicate without a word",
            others.join(", ")
        )
    };
    let shown: Vec<usize> = [charge, mismatch.or(skip)].into_iter().flatten().collect();
    Finding::new(reason, &shown)
}

pub(super) fn stuck(case: &Case<'_>, until: Timestamp) -> Finding {
    let met = |trace: &DeliveryTrace| trace.skipped || trace.ending == Ending::Refused;
    let holder = case.first_failure(|trace| trace.ending != Ending::Refused);
    let turned_away = case.count(met);
    let held = match holder {
        Some(holder) => format!(
            "the claim of {} was never completed: {}",
            name(holder),
            how_it_ended(&case.deliveries()[holder])
        ),
        None => "a claim was never completed".to_owned(),
    };
    let refused = case.first_failure(|trace| trace.ending == Ending::Refused);
    let shown: Vec<usize> = [holder, refused.or_else(|| case.first_skip())]
        .into_iter()
        .flatten()
        .collect();
    Finding::new(
        format!(
            "not charged, and blocked until {until}: {held}; {} at it",
            plural(turned_away, "delivery stopped", "deliveries stopped")
        ),
        &shown,
    )
}

pub(super) fn lost(case: &Case<'_>) -> Finding {
    let deliveries = case.deliveries().len() as u64;
    let dead = match case.evidence.dead_letters {
        0 => String::new(),
        dead => format!(
            "{} dead-lettered and ",
            plural(dead, "message was", "messages were")
        ),
    };
    let (cause, shown) = lost_cause(case);
    let reason = format!(
        "none of {} charged the order, {dead}nothing is left in the queue: {cause}",
        plural(deliveries, "delivery", "deliveries")
    );
    Finding::new(reason, &shown)
}

fn lost_cause(case: &Case<'_>) -> (String, Vec<usize>) {
    let traces = case.deliveries();
    let skipped = case.first_skip();
    let claimed = case.first_failure(|trace| trace.won && !trace.reached_till());
    let cut_off = case.first_failure(|trace| !trace.won);
    match (claimed, skipped) {
        (Some(claimed), _) => {
            let met = match case.count(|trace| trace.skipped) {
                0 => String::new(),
                skips => format!(
                    ", and {} at it as if the order were done",
                    plural(skips, "delivery stopped", "deliveries stopped")
                ),
            };
            let cause = format!(
                "the claim of {} was never completed: {}{met}",
                name(claimed),
                how_it_ended(&traces[claimed])
            );
            (
                cause,
                [Some(claimed), skipped].into_iter().flatten().collect(),
            )
        }
        (None, Some(skipped)) => match cut_off.filter(|cut_off| *cut_off < skipped) {
            Some(cut_off) => (
                format!(
                    "{} made a claim and could not say so ({}), and {} met it and skipped",
                    name(cut_off),
                    how_it_ended(&traces[cut_off]),
                    name(skipped)
                ),
                vec![cut_off, skipped],
            ),
            None => (
                format!(
                    "{} met its own claim after a lost answer, took it for another's and skipped",
                    name(skipped)
                ),
                vec![skipped],
            ),
        },
        (None, None) => match case.first_failure(|_| true) {
            Some(failed) => (
                format!(
                    "no delivery got through; of {}, {}",
                    name(failed),
                    how_it_ended(&traces[failed])
                ),
                vec![failed],
            ),
            None => ("no delivery was seen".to_owned(), Vec::new()),
        },
    }
}

pub(super) fn double(case: &Case<'_>) -> Finding {
    let (cause, shown) = double_cause(case);
    let charged: Amount = case.evidence.amount_charged();
    let reason = format!(
        "charged {} times, {charged} instead of {}: {cause}",
        case.evidence.charge_count(),
        case.record.order.amount
    );
    Finding::new(reason, &shown)
}

fn double_cause(case: &Case<'_>) -> (String, Vec<usize>) {
    if let Some((first, second)) = case.first_two_charges() {
        return (two_charges(case, first, second), vec![first, second]);
    }
    // One charge at most has a line: the others were cut off, or their answers were lost.
    let first = case.first_charge();
    let silent = case.first_failure(|trace| trace.charges == 0 && may_have_charged(trace));
    match (silent, first) {
        (Some(silent), Some(first)) => (
            format!(
                "{} charged and could not say so ({}), and {} charged again",
                name(silent),
                how_it_ended(&case.deliveries()[silent]),
                name(first)
            ),
            vec![silent, first],
        ),
        (Some(silent), None) => (
            format!(
                "deliveries charged and could not say so; of {}, {}",
                name(silent),
                how_it_ended(&case.deliveries()[silent])
            ),
            vec![silent],
        ),
        (None, Some(first)) => (
            format!(
                "the answer to the charge of {} was lost, and the call was made again without a key",
                name(first)
            ),
            vec![first],
        ),
        (None, None) => ("no delivery said so".to_owned(), Vec::new()),
    }
}

/// Whether a delivery without a line of it can have reached the till.
fn may_have_charged(trace: &DeliveryTrace) -> bool {
    !trace.lost
        && !matches!(
            trace.ending,
            Ending::Refused | Ending::Mismatched | Ending::Unread
        )
}

/// Why two deliveries, of which one came first, both charged.
fn two_charges(case: &Case<'_>, first: usize, second: usize) -> String {
    let traces = case.deliveries();
    let (one, two) = (&traces[first], &traces[second]);
    let guard = case.record.guard;
    let (first, second) = (name(first), name(second));
    let overlapped = matches!(
        (two.started, one.finished),
        (Some(started), Some(finished)) if started < finished
    );
    let other_message = one.message != two.message;
    match guard {
        GuardName::None => format!("no guard stood between {first}, {second} and the till"),
        _ if one.failed() && !overlapped => format!(
            "{first} charged and did not get to record it ({}), and {second} charged again",
            how_it_ended(one)
        ),
        GuardName::IfExists if overlapped => {
            format!("{second} looked before {first} had written")
        }
        GuardName::Memory if overlapped => {
            format!("{second} ran in another process than {first}, which shares no memory")
        }
        GuardName::Memory => {
            format!("the process that remembered {first} was not that of {second}")
        }
        _ if guard.item_key() == Some(KeyStrategy::MessageId) && other_message => {
            format!("{first} and {second} are two messages to the guard, not one order")
        }
        _ if guard.item_key() == Some(KeyStrategy::BodyHash) && other_message => {
            format!("the bodies of {first} and {second} differ, though their order does not")
        }
        _ if overlapped && guard.leases() => {
            format!("{second} took the claim of {first} over before that had finished")
        }
        _ if overlapped => {
            format!(
                "the claim of {first} was gone before it had finished, and {second} made its own"
            )
        }
        _ => format!("the receipt of {first} was gone, or counted no more, when {second} came"),
    }
}
