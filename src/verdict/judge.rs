//! The verdict: was the order charged once, twice or never?

use std::fmt;
use std::str::FromStr;

use super::case::{Case, Finding};
use super::cause;
use super::evidence::Evidence;
use super::obstacle::obstacle;
use super::reconcile::{Check, reconcile};
use super::record::RunRecord;
use crate::failure::{Failure, nearest};

/// What the evidence says of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Charged once, although its deliveries overlapped, a message came again or a fault fired.
    Pass,
    /// Charged more than once.
    Double,
    /// Never charged, and nothing is left that could charge it.
    Lost,
    /// Never charged, and a claim in progress blocks it until that expires.
    Stuck,
    /// The same order came with other content.
    Conflict,
    /// The sums do not meet: no verdict can be given.
    Incomplete,
    /// Charged once, but nothing happened that could have led to a second charge; or a fault that
    /// was meant to happen did not.
    Inconclusive,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Verdict; 7] = [
        Self::Pass,
        Self::Double,
        Self::Lost,
        Self::Stuck,
        Self::Conflict,
        Self::Incomplete,
        Self::Inconclusive,
    ];

    /// The verdict as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Double => "DOUBLE",
            Self::Lost => "LOST",
            Self::Stuck => "STUCK",
            Self::Conflict => "CONFLICT",
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
    /// The lines that decide it: time, invocation, what happened; at most six. None where the
    /// sums do not meet.
    pub lines: Vec<String>,
}

/// Judges a run by its evidence.
///
/// In this order: sums that do not meet decide nothing (`INCOMPLETE`). A fault rule that never
/// fired makes the run `INCONCLUSIVE` whatever else came out, since the run is not the one that was
/// meant: even a double charge would be put down to a fault that did not happen. Then more than
/// one charge is `DOUBLE`; none is `STUCK` if a claim with an end stands in the way and `LOST`
/// otherwise; one is `CONFLICT` if the order came with other content, `PASS` if something was put
/// to the test (deliveries that overlapped, a message that came again, a fault that fired), and
/// `INCONCLUSIVE` if nothing was.
pub fn judge(record: &RunRecord, evidence: &Evidence) -> Judgement {
    let checks = reconcile(record, evidence);
    let reconciled = record.sent() > 0 && checks.iter().all(Check::holds);
    let overlapped = evidence.read_back.overlapped();
    let case = Case {
        record,
        evidence,
        overlapped,
    };
    let (verdict, finding) = match reconciled {
        true => decide(&case),
        false => (Verdict::Incomplete, incomplete(&case, &checks)),
    };
    Judgement {
        verdict,
        reason: finding.reason,
        reconciled,
        overlapped,
        checks,
        lines: evidence.read_back.exhibits.shown(&finding.deliveries),
    }
}

fn decide(case: &Case<'_>) -> (Verdict, Finding) {
    let evidence = case.evidence;
    let mut faults = evidence.faults.iter();
    if let Some(idle) = faults.find(|fault| fault.fired == 0) {
        return (Verdict::Inconclusive, cause::never_fired(case, idle));
    }
    match evidence.charge_count() {
        0 => match obstacle(evidence).and_then(|claim| claim.until) {
            Some(until) => (Verdict::Stuck, cause::stuck(case, until)),
            None => (Verdict::Lost, cause::lost(case)),
        },
        1 if case.is_conflict() => (Verdict::Conflict, cause::conflict(case)),
        1 if case.was_tested() => (Verdict::Pass, cause::pass(case)),
        1 => (Verdict::Inconclusive, cause::untested(case)),
        _ => (Verdict::Double, cause::double(case)),
    }
}

fn incomplete(case: &Case<'_>, checks: &[Check]) -> Finding {
    if case.record.sent() == 0 {
        return Finding::new("the queue accepted no copy of the order".to_owned(), &[]);
    }
    let broken: Vec<String> = checks
        .iter()
        .filter(|check| !check.holds())
        .map(ToString::to_string)
        .collect();
    let suspicion = match case.probable_gap() {
        Some(gap) => format!(" (probable cause: {gap})"),
        None => String::new(),
    };
    let reason = format!("the sums do not meet{suspicion}: {}", broken.join("; "));
    Finding::new(reason, &[])
}
