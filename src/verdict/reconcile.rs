//! Do the sums meet? Nothing is judged before they do.

use std::fmt;

use super::evidence::Evidence;
use super::record::RunRecord;
use crate::event::EventType;

/// Two numbers that must be equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What is compared: two nouns with an equals sign between them.
    pub name: &'static str,
    /// The first number.
    pub left: u64,
    /// The second number.
    pub right: u64,
}

impl Check {
    /// Whether the sums meet.
    pub fn holds(&self) -> bool {
        self.left == self.right
    }
}

impl fmt::Display for Check {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.holds() { "=" } else { "≠" };
        write!(
            formatter,
            "{}: {} {sign} {}",
            self.name, self.left, self.right
        )
    }
}

/// All sums of a run, the ones that meet and the ones that do not.
pub fn reconcile(record: &RunRecord, evidence: &Evidence) -> Vec<Check> {
    let mut checks = delivery_sums(record, evidence);
    if record.guard.claims() {
        checks.extend(claim_sums(evidence));
    }
    if record.guard.writes_items() {
        checks.push(Check {
            name: "orders with a claim or a receipt = items in the table",
            left: u64::from(
                evidence.count(EventType::ProcessStart)
                    > evidence.read_back.count(|trace| trace.failed()),
            ),
            right: evidence.items.len() as u64,
        });
    }
    checks.extend(query_sums(evidence));
    checks
}

fn delivery_sums(record: &RunRecord, evidence: &Evidence) -> Vec<Check> {
    let read_back = &evidence.read_back;
    let failed = read_back.count(|trace| trace.failed());
    let mut checks = vec![
        Check {
            name: "messages sent = messages started",
            left: record.sent(),
            right: read_back.messages_started - read_back.foreign_messages,
        },
        Check {
            name: "messages started that were not sent = 0",
            left: read_back.foreign_messages,
            right: 0,
        },
        Check {
            name: "deliveries started = deliveries ended or failed",
            left: evidence.count(EventType::ProcessStart),
            right: evidence.count(EventType::ProcessEnd) + failed,
        },
        Check {
            name: "deliveries seen = deliveries with a start",
            left: read_back.deliveries.len() as u64,
            right: read_back.count(|trace| trace.started.is_some()),
        },
        Check {
            name: "messages left in the queue = 0",
            left: evidence.depth.total(),
            right: 0,
        },
        Check {
            name: "events under another guard = 0",
            left: read_back
                .guards
                .iter()
                .filter(|guard| **guard != record.guard.name())
                .count() as u64,
            right: 0,
        },
    ];
    if let Some(ledger) = &evidence.ledger {
        // A worker that dies between charge and log line leaves a charge without a line.
        let unlogged = ledger.charges.saturating_sub(evidence.charges.charges);
        checks.push(Check {
            name: "charges in the ledger = charges logged or cut off",
            left: ledger.charges,
            right: evidence.charges.charges + unlogged.min(failed),
        });
    }
    checks
}

fn claim_sums(evidence: &Evidence) -> [Check; 3] {
    let (won, lost) = (
        evidence.count(EventType::ClaimWon),
        evidence.count(EventType::ClaimLost),
    );
    let failed_before_claim = evidence
        .read_back
        .count(|trace| trace.failed() && !trace.won);
    let failed_uncharged = evidence
        .read_back
        .count(|trace| trace.failed() && trace.won && trace.charges == 0);
    [
        Check {
            name: "claims won + lost = deliveries started",
            left: won + lost + failed_before_claim,
            right: evidence.count(EventType::ProcessStart),
        },
        Check {
            name: "claims lost = duplicates skipped",
            left: lost,
            right: evidence.count(EventType::SkipDuplicate),
        },
        Check {
            name: "claims won = charges",
            left: won - failed_uncharged.min(won),
            right: evidence.count(EventType::ChargeApplied),
        },
    ]
}

/// The queries and the lines read one by one must say the same.
fn query_sums(evidence: &Evidence) -> Vec<Check> {
    let read_back = &evidence.read_back;
    let read = |event_type| {
        read_back
            .events
            .get(&event_type)
            .copied()
            .unwrap_or_default()
    };
    let mut checks: Vec<Check> = EventType::ALL
        .into_iter()
        .map(|event_type| Check {
            name: match event_type {
                EventType::ProcessStart => "process_start by query = line by line",
                EventType::ClaimWon => "claim_won by query = line by line",
                EventType::ClaimLost => "claim_lost by query = line by line",
                EventType::SkipDuplicate => "skip_duplicate by query = line by line",
                EventType::ChargeApplied => "charge_applied by query = line by line",
                EventType::ProcessEnd => "process_end by query = line by line",
            },
            left: evidence.count(event_type),
            right: read(event_type),
        })
        .collect();
    let row = evidence.charges;
    checks.extend([
        Check {
            name: "charges by query = line by line",
            left: row.charges,
            right: read(EventType::ChargeApplied),
        },
        Check {
            name: "orders charged by query = line by line",
            left: row.orders,
            right: read_back.orders_charged,
        },
        Check {
            name: "messages charged by query = line by line",
            left: row.messages,
            right: read_back.messages_charged,
        },
    ]);
    checks
}
