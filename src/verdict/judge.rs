//! The verdict: was the order charged once, twice or never?

use std::fmt;
use std::str::FromStr;

use super::evidence::Evidence;
use super::reconcile::{Check, reconcile};
use super::record::RunRecord;
use crate::failure::{Failure, nearest};

/// What the evidence says of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Charged once, although its deliveries overlapped.
    Pass,
    /// Charged more than once.
    Double,
    /// Never charged, and nothing is left that could charge it.
    Lost,
    /// The sums do not meet: no verdict can be given.
    Incomplete,
    /// Charged once, but nothing happened that could have led to a second charge.
    Inconclusive,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Verdict; 5] = [
        Self::Pass,
        Self::Double,
        Self::Lost,
        Self::Incomplete,
        Self::Inconclusive,
    ];

    /// The verdict as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Double => "DOUBLE",
            Self::Lost => "LOST",
            Self::Incomplete => "INCOMPLETE",
            Self::Inconclusive => "INCONCLUSIVE",
        }
    }

    /// Whether the verdict says anything about the consumer.
    pub const fn decides(self) -> bool {
        !matches!(self, Self::Incomplete | Self::Inconclusive)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Verdict {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let names = Self::ALL.map(Self::name);
        let found = Self::ALL.into_iter().find(|verdict| verdict.name() == text);
        found.ok_or_else(|| {
            let failure = Failure::usage(format!(
                "unknown verdict `{text}`; known verdicts: {}",
                names.join(", ")
            ));
            match nearest(text, names) {
                Some(name) => failure.hint(format!("did you mean `{name}`?")),
                None => failure,
            }
        })
    }
}

/// A verdict with what led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// One sentence: why.
    pub reason: String,
    /// Whether all sums meet.
    pub reconciled: bool,
    /// Whether two deliveries of the order were being processed at the same time.
    pub overlapped: bool,
    /// All sums.
    pub checks: Vec<Check>,
}

/// Judges a run by its evidence.
pub fn judge(record: &RunRecord, evidence: &Evidence) -> Judgement {
    let checks = reconcile(record, evidence);
    let broken: Vec<String> = checks
        .iter()
        .filter(|check| !check.holds())
        .map(ToString::to_string)
        .collect();
    let overlapped = evidence.read_back.overlapped();
    let (verdict, reason) = if record.sent() == 0 {
        (
            Verdict::Incomplete,
            "the queue accepted no copy of the order".to_owned(),
        )
    } else if broken.is_empty() {
        decide(record, evidence, overlapped)
    } else {
        (
            Verdict::Incomplete,
            format!("the sums do not meet: {}", broken.join("; ")),
        )
    };
    Judgement {
        verdict,
        reason,
        reconciled: broken.is_empty() && record.sent() > 0,
        overlapped,
        checks,
    }
}

fn decide(record: &RunRecord, evidence: &Evidence, overlapped: bool) -> (Verdict, String) {
    let charges = evidence.charge_count();
    let deliveries = evidence.read_back.deliveries.len();
    match charges {
        0 => (
            Verdict::Lost,
            format!(
                "none of {} charged the order, and nothing is left in the queue{}",
                count(deliveries, "delivery", "deliveries"),
                match evidence.dead_letters {
                    0 => String::new(),
                    dead => format!("; dead-lettered messages: {dead}"),
                }
            ),
        ),
        1 if overlapped => (
            Verdict::Pass,
            format!(
                "one charge although deliveries overlapped: {} of {}",
                count(deliveries, "delivery", "deliveries"),
                count(record.message_ids.len(), "message", "messages")
            ),
        ),
        1 if deliveries < 2 => (
            Verdict::Inconclusive,
            "one charge, but there was only one delivery: nothing was put to the test".to_owned(),
        ),
        1 => (
            Verdict::Inconclusive,
            format!(
                "one charge, but no two of {deliveries} deliveries overlapped: the race was not run"
            ),
        ),
        _ => (
            Verdict::Double,
            format!(
                "charged {charges} times: {} instead of {}",
                evidence.amount_charged(),
                record.order.amount
            ),
        ),
    }
}

fn count(number: usize, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {many}"),
    }
}
