//! The side-by-side table: what is measured of a run. Text, Markdown and CSV print the same rows.

use std::collections::BTreeMap;

use super::escape::{short_id, short_message_id, visible};
use super::model::JudgedRun;
use crate::event::EventType;
use crate::ports::Item;
use crate::verdict::{Cost, MicroDollars, Usage, Verdict};

/// A piece of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The run has no such thing, or the target cannot tell.
    Absent,
    /// A number of things.
    Count(u64),
    /// Yes or no.
    Flag(bool),
    /// An order id, as the producer made it.
    OrderId(String),
    /// A MessageId.
    MessageId(String),
    /// An amount of money as decimal text.
    Amount(String),
    /// A verdict.
    Verdict(Verdict),
    /// Any other text.
    Text(String),
}

impl Part {
    /// For people: short and safe to print.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Absent => "-".to_owned(),
            Self::Count(count) => count.to_string(),
            Self::Flag(true) => "yes".to_owned(),
            Self::Flag(false) => "no".to_owned(),
            Self::OrderId(id) => short_id(id),
            Self::MessageId(id) => short_message_id(id),
            Self::Verdict(verdict) => verdict.name().to_owned(),
            Self::Amount(text) | Self::Text(text) => visible(text),
        }
    }
}

/// A row of the table: one thing that is measured of every run.
pub(super) struct Measure {
    /// What the row is called for people.
    pub(super) label: &'static str,
    /// What its parts are called for machines.
    pub(super) keys: &'static [&'static str],
    /// What stands between the parts for people.
    joint: &'static str,
    /// As many parts as there are keys.
    pub(super) read: fn(&JudgedRun) -> Vec<Part>,
}

impl Measure {
    const fn single(
        label: &'static str,
        key: &'static [&'static str],
        read: fn(&JudgedRun) -> Vec<Part>,
    ) -> Self {
        Self {
            label,
            keys: key,
            joint: " ",
            read,
        }
    }

    /// The cell of a run for people. Absent parts are left out if another part is there.
    pub(super) fn shown(&self, run: &JudgedRun) -> String {
        let parts = (self.read)(run);
        let present: Vec<String> = parts
            .iter()
            .filter(|part| **part != Part::Absent)
            .map(Part::shown)
            .collect();
        match present.is_empty() {
            true => Part::Absent.shown(),
            false => present.join(self.joint),
        }
    }
}

/// All rows, in the order in which they are printed.
pub(super) const MEASURES: [Measure; 27] = [
    Measure::single("guard", &["guard"], |run| {
        vec![Part::Text(run.record.guard.to_string())]
    }),
    Measure::single("order", &["order"], |run| {
        vec![Part::OrderId(run.record.order.order_id.to_string())]
    }),
    Measure::single("messages sent", &["sent"], |run| {
        vec![Part::Count(run.record.sent())]
    }),
    Measure::single(
        "distinct MessageIds started",
        &["messages_started"],
        |run| vec![Part::Count(run.evidence.read_back.messages_started)],
    ),
    Measure::single("process_start", &["process_start"], |run| {
        events(run, EventType::ProcessStart)
    }),
    Measure::single("claim_won", &["claim_won"], |run| {
        events(run, EventType::ClaimWon)
    }),
    Measure::single("claim_lost", &["claim_lost"], |run| {
        events(run, EventType::ClaimLost)
    }),
    Measure::single("skip_duplicate", &["skip_duplicate"], |run| {
        events(run, EventType::SkipDuplicate)
    }),
    Measure::single("charge_applied", &["charge_applied"], |run| {
        events(run, EventType::ChargeApplied)
    }),
    Measure::single("process_end", &["process_end"], |run| {
        events(run, EventType::ProcessEnd)
    }),
    Measure {
        label: "charges / orders / messages",
        keys: &["charges", "orders", "messages"],
        joint: " / ",
        read: |run| {
            let row = run.evidence.charges;
            [row.charges, row.orders, row.messages]
                .map(Part::Count)
                .into()
        },
    },
    Measure::single("items in the table", &["items", "item_states"], |run| {
        vec![
            Part::Count(run.evidence.items.len() as u64),
            states(&run.evidence.items),
        ]
    }),
    Measure::single("winner's messageId", &["winner_message_id"], winner),
    Measure::single("amount owed", &["amount_owed"], |run| {
        vec![Part::Amount(run.record.order.amount.to_string())]
    }),
    Measure::single("amount charged", &["amount_charged"], |run| {
        vec![Part::Amount(run.amount_charged())]
    }),
    Measure::single("deliveries overlapped", &["overlapped"], |run| {
        vec![Part::Flag(run.judgement.overlapped)]
    }),
    Measure::single("deliveries of known messages", &["redeliveries"], |run| {
        vec![Part::Count(run.evidence.redeliveries())]
    }),
    Measure::single("faults fired", &["faults_fired"], faults),
    Measure::single("table writes of the guard", &["table_writes"], |run| {
        vec![
            run.evidence
                .table_writes()
                .map_or(Part::Absent, Part::Count),
        ]
    }),
    Measure::single("refused, and billed", &["refused_writes"], |run| {
        let refused = |usage: Usage| usage.refused_writes + usage.refused_transactions;
        vec![used(run, refused)]
    }),
    Measure::single("table reads of the guard", &["table_reads"], |run| {
        vec![used(run, |usage| usage.reads)]
    }),
    Measure::single("USD per million messages, guard", &["guard_cost"], |run| {
        vec![cost(run, |cost| cost.table)]
    }),
    Measure::single("USD per million messages, queue", &["queue_cost"], |run| {
        vec![cost(run, |cost| cost.queue)]
    }),
    Measure::single("sums meet (reconciled)", &["reconciled"], |run| {
        vec![Part::Flag(run.judgement.reconciled)]
    }),
    Measure::single("verdict", &["verdict"], |run| {
        vec![Part::Verdict(run.judgement.verdict)]
    }),
    Measure::single("expected", &["expected"], |run| {
        vec![run.expected.map_or(Part::Absent, Part::Verdict)]
    }),
    Measure::single("as expected", &["as_expected"], |run| {
        vec![Part::Flag(run.as_expected())]
    }),
];

/// Types that did not occur are written as 0: the query found none, which is an answer.
fn events(run: &JudgedRun, event_type: EventType) -> Vec<Part> {
    vec![Part::Count(run.evidence.count(event_type))]
}

/// A number of calls, where they can be counted.
fn used(run: &JudgedRun, read: impl Fn(Usage) -> u64) -> Part {
    let usage = run.evidence.usage;
    usage.map_or(Part::Absent, |usage| Part::Count(read(usage)))
}

/// Dollars at list prices.
fn cost(run: &JudgedRun, read: impl Fn(Cost) -> MicroDollars) -> Part {
    let cost = run.evidence.cost(&run.record);
    cost.map_or(Part::Absent, |cost| Part::Amount(read(cost).to_string()))
}

/// Every rule with how often it fired.
fn faults(run: &JudgedRun) -> Vec<Part> {
    let rules: Vec<String> = run
        .evidence
        .faults
        .iter()
        .map(|fault| format!("{} x {}", fault.fired, fault.rule))
        .collect();
    vec![match rules.is_empty() {
        true => Part::Absent,
        false => Part::Text(rules.join(", ")),
    }]
}

/// States of the items: `COMPLETED` if all have it, else how many have which.
fn states(items: &[Item]) -> Part {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for item in items {
        let state = item
            .get("status")
            .map_or("without status", |value| value.as_str());
        *counts.entry(state).or_default() += 1;
    }
    match counts.len() {
        0 => Part::Absent,
        1 => Part::Text(counts.into_keys().collect()),
        _ => {
            let each: Vec<String> = counts
                .iter()
                .map(|(state, count)| format!("{count} {state}"))
                .collect();
            Part::Text(format!("({})", each.join(", ")))
        }
    }
}

/// The copy that holds the claim. A guard that makes no claim has no winner, and several items have
/// several.
fn winner(run: &JudgedRun) -> Vec<Part> {
    let [item] = run.evidence.items.as_slice() else {
        return vec![Part::Absent];
    };
    let id = item.get("messageId");
    vec![id.map_or(Part::Absent, |id| Part::MessageId(id.as_str().to_owned()))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixtures;

    #[test]
    fn every_event_type_has_a_row_in_the_order_of_a_delivery() {
        let names: Vec<&str> = MEASURES
            .iter()
            .map(|measure| measure.label)
            .filter(|label| EventType::ALL.iter().any(|each| each.name() == *label))
            .collect();
        assert_eq!(names, EventType::ALL.map(EventType::name));
    }

    #[test]
    fn every_key_has_its_part() {
        for run in fixtures::article().runs {
            for measure in &MEASURES {
                assert_eq!(
                    (measure.read)(&run).len(),
                    measure.keys.len(),
                    "{}",
                    measure.label
                );
            }
        }
    }

    #[test]
    fn only_a_claim_has_a_winner() {
        let runs = fixtures::article().runs;
        let winners: Vec<Vec<Part>> = runs.iter().map(winner).collect();
        assert_eq!(
            winners,
            [
                vec![Part::Absent],
                vec![Part::MessageId(fixtures::message_id(2, 3))],
                vec![Part::Absent],
            ]
        );
    }

    #[test]
    fn states_are_counted_when_they_differ() {
        let item = |status: &str| Item::from([("status".to_owned(), status.into())]);
        let text = |text: &str| Part::Text(text.to_owned());
        assert_eq!(states(&[]), Part::Absent);
        assert_eq!(
            states(&[item("COMPLETED"), item("COMPLETED")]),
            text("COMPLETED")
        );
        assert_eq!(
            states(&[item("COMPLETED"), item("CLAIMED"), item("COMPLETED")]),
            text("(1 CLAIMED, 2 COMPLETED)")
        );
        assert_eq!(states(&[Item::new()]), text("without status"));
    }
}
