//! Do the sums meet? Nothing is judged before they do.
//!
//! Every sum holds for every guard whatever happens to its deliveries: copies, redeliveries,
//! crashes, timeouts, refusals, lost answers, batches that fail in part. Where the log alone cannot
//! tell whether something happened (a process that ended between a charge and its line), the sum
//! leaves room for just that, and where the lab saw the calls itself ([`super::Witness`]) a further
//! sum closes the room again.

use std::fmt;

use super::evidence::Evidence;
use super::obstacle::obstacle;
use super::readback::{DeliveryTrace, Ending};
use super::record::RunRecord;
use crate::event::EventType;
use crate::worker::{EffectSite, GuardName, KeyStrategy};

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
    const fn new(name: &'static str, left: u64, right: u64) -> Self {
        Self { name, left, right }
    }

    /// A number that may lie between two others, both included.
    fn between(name: &'static str, number: u64, least: u64, most: u64) -> Self {
        Self::new(name, number, number.clamp(least, most.max(least)))
    }

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
    let mut checks = Vec::from(message_sums(evidence));
    checks.extend(delivery_sums(record, evidence));
    if record.guard.claims() {
        checks.extend(claim_sums(record.guard, evidence));
    }
    checks.extend(match record.guard.effect_site() {
        EffectSite::Till => till_sums(evidence),
        EffectSite::Table => table_sums(evidence),
    });
    checks.extend(item_sums(record.guard, evidence));
    checks.extend(query_sums(evidence));
    checks
}

/// What became of the messages.
fn message_sums(evidence: &Evidence) -> [Check; 3] {
    let read_back = &evidence.read_back;
    let foreign = read_back.foreign_messages;
    let unknown_sends = evidence
        .witness
        .map_or(0, |witness| witness.sends_unanswered);
    let known = read_back.messages_started.saturating_sub(foreign) + read_back.messages_unread;
    // A message can reach the dead-letter queue without a start, if its batch failed each time
    // before its turn came. Those that started and never ended are there as well.
    let dead_before_start = evidence
        .dead_letters
        .saturating_sub(read_back.messages_unfinished + read_back.messages_unread);
    let missing = read_back.messages_sent.saturating_sub(known);
    // What is left is what a claim holds up: that is a verdict, and no open end.
    let held_up = match evidence.charge_count() == 0
        && obstacle(evidence).is_some_and(|claim| claim.until.is_some())
    {
        true => evidence.depth.total(),
        false => 0,
    };
    [
        Check::new(
            "messages sent = messages started or dead before their start",
            read_back.messages_sent,
            known + missing.min(dead_before_start),
        ),
        Check::new(
            "messages started that no known send explains = 0",
            foreign.saturating_sub(unknown_sends),
            0,
        ),
        Check::new(
            "messages left in the queue = messages held up by a claim",
            evidence.depth.total(),
            held_up,
        ),
    ]
}

fn delivery_sums(record: &RunRecord, evidence: &Evidence) -> Vec<Check> {
    let read_back = &evidence.read_back;
    let ended = |trace: &DeliveryTrace| trace.ending == Ending::Ended;
    let other_guard = |guard: &&String| **guard != record.guard.name();
    let mut checks = vec![
        Check::new(
            "deliveries started = deliveries ended or failed",
            evidence.count(EventType::ProcessStart),
            evidence.count(EventType::ProcessEnd) + read_back.count(DeliveryTrace::failed),
        ),
        Check::new(
            "deliveries seen = deliveries with a start",
            read_back.deliveries.len() as u64,
            read_back.count(|trace| trace.started.is_some()),
        ),
        Check::new(
            "invocations failed = deliveries that they cut off",
            read_back.failed_invocations,
            read_back.cut_off,
        ),
        Check::new(
            "deliveries ended = deliveries skipped, charged or replayed",
            read_back.count(ended),
            read_back.count(|trace| ended(trace) && (trace.skipped || trace.reached_till())),
        ),
        Check::new(
            "claims lost = duplicates skipped",
            evidence.count(EventType::ClaimLost),
            evidence.count(EventType::SkipDuplicate),
        ),
        Check::new(
            "events under another guard = 0",
            read_back.guards.iter().filter(other_guard).count() as u64,
            0,
        ),
    ];
    if let Some(witness) = evidence.witness {
        checks.push(Check::new(
            "invocations = invocations with a line",
            witness.invocations,
            read_back.invocations,
        ));
    }
    checks
}

fn claim_sums(guard: GuardName, evidence: &Evidence) -> Vec<Check> {
    let read_back = &evidence.read_back;
    let (won, lost) = (
        evidence.count(EventType::ClaimWon),
        evidence.count(EventType::ClaimLost),
    );
    let before_claim = |trace: &DeliveryTrace| trace.failed() && !trace.won && !trace.lost;
    let before_charge =
        |trace: &DeliveryTrace| trace.failed() && trace.won && !trace.reached_till();
    let mut checks = vec![
        Check::new(
            "claims won, lost or cut off = deliveries started",
            won + lost + read_back.count(before_claim),
            evidence.count(EventType::ProcessStart),
        ),
        Check::new(
            "claims won = charges, replays or claims cut off",
            won,
            evidence.count(EventType::ChargeApplied)
                + read_back.replays
                + read_back.count(before_charge),
        ),
    ];
    if let Some(witness) = evidence.witness {
        let recognised = match recognises_its_own(guard) {
            true => witness.puts_met_themselves,
            false => 0,
        };
        let granted = witness.puts_granted + recognised;
        checks.push(Check::between(
            "claims won = claims that the table granted",
            won,
            granted.saturating_sub(timed_out(evidence, before_claim).min(witness.puts_delayed)),
            granted,
        ));
    }
    checks
}

/// Whether the guard knows a claim that it met as its own.
const fn recognises_its_own(guard: GuardName) -> bool {
    matches!(
        guard,
        GuardName::FencedLease | GuardName::KeyedCharge | GuardName::Transaction
    )
}

/// Deliveries that the platform ended. An answer that was held up may have come too late for them.
fn timed_out(evidence: &Evidence, test: impl Fn(&DeliveryTrace) -> bool) -> u64 {
    let read_back = &evidence.read_back;
    read_back.count(|trace| trace.ending == Ending::TimedOut && test(trace))
}

/// Sums of an effect at the till. The effect counts once, however often its answer is replayed: a
/// replay is no charge, but it is proof of one, whose line may be missing.
fn till_sums(evidence: &Evidence) -> Vec<Check> {
    let read_back = &evidence.read_back;
    let logged = evidence.charges.charges;
    let silent = |trace: &DeliveryTrace| trace.failed() && !trace.reached_till();
    let mut checks = Vec::new();
    if let Some(ledger) = &evidence.ledger {
        let lost_answers = evidence
            .witness
            .map_or(0, |witness| witness.charges_unanswered);
        checks.push(Check::between(
            "charges in the ledger = charges logged, replayed or cut off",
            ledger.charges,
            logged,
            logged + read_back.replays + lost_answers + read_back.count(silent),
        ));
    }
    if let Some(witness) = evidence.witness {
        let answered = witness.charges_answered;
        checks.push(Check::between(
            "charges logged or replayed = answers of the till",
            logged + read_back.replays,
            answered.saturating_sub(timed_out(evidence, silent).min(witness.charges_delayed)),
            answered,
        ));
    }
    checks
}

/// Sums of an effect that is a row in the guard's own table.
fn table_sums(evidence: &Evidence) -> Vec<Check> {
    let rows = evidence.items.len() - evidence.receipts().count();
    let logged = evidence.charges.charges;
    let silent = |trace: &DeliveryTrace| trace.failed() && !trace.won;
    let mut checks = vec![Check::between(
        "ledger rows in the table = charges logged or cut off",
        rows as u64,
        logged,
        logged + evidence.read_back.count(silent),
    )];
    if let Some(ledger) = &evidence.ledger {
        checks.push(Check::new("charges at the till = 0", ledger.charges, 0));
    }
    checks
}

/// The items that a guard leaves, rows of a ledger apart: as many as it made keys, less those that
/// it gave back.
fn item_sums(guard: GuardName, evidence: &Evidence) -> Option<Check> {
    let key = guard.item_key()?;
    let read_back = &evidence.read_back;
    let (won, lost) = (
        evidence.count(EventType::ClaimWon),
        evidence.count(EventType::ClaimLost),
    );
    let any = |count: u64| u64::from(count > 0);
    let perhaps =
        |trace: &DeliveryTrace| trace.failed() && !trace.lost && trace.ending != Ending::Refused;
    let (least, most) = match (key, guard) {
        // The receipt comes after the charge.
        (_, GuardName::IfExists) => (
            any(read_back.count(|trace| trace.ending == Ending::Ended)),
            any(read_back.deliveries.len() as u64),
        ),
        (KeyStrategy::MessageId, _) => (
            read_back.messages_claimed,
            read_back.messages_claimed + read_back.messages_perhaps_claimed,
        ),
        // Each claim that was won is another body; one that was lost met one.
        (KeyStrategy::BodyHash, _) => {
            let least = won.max(any(lost));
            let unsaid = |trace: &DeliveryTrace| perhaps(trace) && !trace.won;
            (least, won + any(lost) + read_back.count(unsaid))
        }
        // A guard that can give its claim back may have done so in a delivery that failed.
        (KeyStrategy::OrderId, _) => {
            let gives_back = guard == GuardName::ClaimRelease || guard.leases();
            let given_back = gives_back && read_back.count(perhaps) > 0;
            (
                if given_back { 0 } else { any(won + lost) },
                any(read_back.deliveries.len() as u64),
            )
        }
    };
    Some(Check::between(
        "items in the table = claims or receipts that were left",
        evidence.receipts().count() as u64,
        least,
        most,
    ))
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
    let by_type = |event_type| {
        let name = match event_type {
            EventType::ProcessStart => "process_start by query = line by line",
            EventType::ClaimWon => "claim_won by query = line by line",
            EventType::ClaimLost => "claim_lost by query = line by line",
            EventType::SkipDuplicate => "skip_duplicate by query = line by line",
            EventType::ChargeApplied => "charge_applied by query = line by line",
            EventType::ProcessEnd => "process_end by query = line by line",
        };
        Check::new(name, evidence.count(event_type), read(event_type))
    };
    let row = evidence.charges;
    let mut checks: Vec<Check> = EventType::ALL.into_iter().map(by_type).collect();
    checks.extend([
        Check::new(
            "charges by query = line by line",
            row.charges,
            read(EventType::ChargeApplied),
        ),
        Check::new(
            "orders charged by query = line by line",
            row.orders,
            read_back.orders_charged,
        ),
        Check::new(
            "messages charged by query = line by line",
            row.messages,
            read_back.messages_charged,
        ),
    ]);
    checks
}
