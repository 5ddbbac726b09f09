//! A run as it stands before its judge: record and evidence, and what can be asked of them.

use super::evidence::Evidence;
use super::exhibit::Kind;
use super::readback::{DeliveryTrace, Ending};
use super::record::RunRecord;
use crate::event::EventType;

/// What the judge looks at.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) record: &'a RunRecord,
    pub(super) evidence: &'a Evidence,
    pub(super) overlapped: bool,
}

/// What was found: a sentence, and the deliveries whose lines bear it out, the weightiest first.
pub(super) struct Finding {
    pub(super) reason: String,
    pub(super) deliveries: Vec<usize>,
}

impl Finding {
    pub(super) fn new(reason: String, deliveries: &[usize]) -> Self {
        Self {
            reason,
            deliveries: deliveries.to_vec(),
        }
    }
}

impl<'a> Case<'a> {
    pub(super) fn deliveries(&self) -> &'a [DeliveryTrace] {
        &self.evidence.read_back.deliveries
    }

    /// The first delivery that satisfies `test`: first by its lines of some kinds, if one of those
    /// that can be shown does, otherwise by its beginning.
    pub(super) fn first(
        &self,
        kinds: impl Fn(Kind) -> bool,
        test: impl Fn(&DeliveryTrace) -> bool,
    ) -> Option<usize> {
        let traces = self.deliveries();
        let mut shown = self.evidence.read_back.exhibits.deliveries(kinds);
        shown
            .find(|index| test(&traces[*index]))
            .or_else(|| traces.iter().position(test))
    }

    /// The first delivery that was skipped as a duplicate.
    pub(super) fn first_skip(&self) -> Option<usize> {
        self.first(is(EventType::ClaimLost), |trace| trace.skipped)
    }

    /// The first delivery that failed and satisfies `test`.
    pub(super) fn first_failure(&self, test: impl Fn(&DeliveryTrace) -> bool) -> Option<usize> {
        let failures = |kind| matches!(kind, Kind::Failure(_));
        self.first(failures, |trace| trace.failed() && test(trace))
    }

    /// The first delivery that the till answered.
    pub(super) fn first_charge(&self) -> Option<usize> {
        self.first(is(EventType::ChargeApplied), DeliveryTrace::reached_till)
    }

    /// The two deliveries that logged the first charges, in the order of their beginnings.
    pub(super) fn first_two_charges(&self) -> Option<(usize, usize)> {
        let exhibits = &self.evidence.read_back.exhibits;
        let mut charged = exhibits.deliveries(is(EventType::ChargeApplied));
        let one = charged.next()?;
        let two = charged.find(|other| *other != one)?;
        Some((one.min(two), one.max(two)))
    }

    pub(super) fn count(&self, test: impl Fn(&DeliveryTrace) -> bool) -> u64 {
        self.evidence.read_back.count(test)
    }

    /// Whether the same order came with other content: a delivery was refused for that, it was sent
    /// so on purpose, or what was charged is not what was owed.
    pub(super) fn is_conflict(&self) -> bool {
        self.evidence.payload_mismatches() > 0
            || !self.record.other_contents.is_empty()
            || self.evidence.amount_charged() != self.record.order.amount
    }

    /// Whether something happened that could have led to a second charge, or to none.
    pub(super) fn was_tested(&self) -> bool {
        self.overlapped
            || self.evidence.redeliveries() > 0
            || self.evidence.faults.iter().any(|fault| fault.fired > 0)
    }

    /// What most often makes such sums fail.
    pub(super) fn probable_gap(&self) -> Option<&'static str> {
        let evidence = self.evidence;
        let count = |event_type| evidence.count(event_type);
        let read = |event_type| evidence.read_back.events.get(&event_type).copied();
        let guards = &evidence.read_back.guards;
        if evidence.read_back.deliveries.is_empty() && count(EventType::ProcessStart) == 0 {
            Some("nothing was delivered, the consumer did not run")
        } else if guards
            .iter()
            .any(|guard| *guard != self.record.guard.name())
        {
            Some("the guard was switched while messages were on their way")
        } else if count(EventType::ProcessEnd) > count(EventType::ProcessStart)
            || count(EventType::SkipDuplicate) > count(EventType::ProcessStart)
        {
            Some("lines of several runs, or a window of time that cuts the first lines off")
        } else if EventType::ALL
            .into_iter()
            .any(|event_type| count(event_type) != read(event_type).unwrap_or_default())
        {
            Some("the query does not see all lines yet, or sees more than the run's")
        } else if evidence.depth.total() > 0 {
            Some("the run was looked at before its queue was empty")
        } else if self.count(|trace| trace.ending == Ending::Open) > 0 {
            Some("lines are missing, or an invocation is still running")
        } else {
            None
        }
    }
}

/// Lines of one type of event.
pub(super) fn is(event_type: EventType) -> impl Fn(Kind) -> bool {
    move |kind| kind == Kind::Event(event_type)
}

/// A delivery as it is called: by its number in the order of their first lines.
pub(super) fn name(index: usize) -> String {
    format!("delivery {}", index + 1)
}

/// How a delivery failed, as a clause about it, with how far it had got.
pub(super) fn how_it_ended(trace: &DeliveryTrace) -> String {
    let after = if trace.charges > 0 {
        " after charge_applied"
    } else if trace.won {
        " after claim_won"
    } else {
        " after process_start"
    };
    match trace.ending {
        Ending::Open => "its log has no end".to_owned(),
        Ending::Ended => "it ended as if all were well".to_owned(),
        Ending::Crashed => format!("its invocation ended with Runtime.ExitError{after}"),
        Ending::TimedOut => format!("its invocation timed out{after}"),
        Ending::Refused => "it was refused because the order was being processed".to_owned(),
        Ending::Mismatched => "it was refused because of other content".to_owned(),
        Ending::ClaimTaken => "its claim had been taken over by another delivery".to_owned(),
        Ending::Unread => "its body is no order".to_owned(),
        Ending::Failed => format!("a call of it failed{after}"),
    }
}

pub(super) fn plural(number: u64, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {many}"),
    }
}
