//! What every format prints.

use crate::verdict::{Evidence, Judgement, RunRecord, Verdict};

/// A run with its evidence and its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedRun {
    /// What the run is called in its scenario, for example `guard-on`.
    pub arm: String,
    /// What was done, in a few words.
    pub title: String,
    /// What was sent.
    pub record: RunRecord,
    /// What it left behind.
    pub evidence: Evidence,
    /// What follows from that.
    pub judgement: Judgement,
    /// The verdict that the scenario expects.
    pub expected: Option<Verdict>,
    /// Where the queries were answered: `embedded`, or the target's own Insights.
    pub queried_by: String,
    /// Things that a reader should know: sentences with advice.
    pub warnings: Vec<String>,
}

impl JudgedRun {
    /// Whether it came out as expected; without an expectation, whether it is PASS.
    pub fn as_expected(&self) -> bool {
        self.judgement.verdict == self.expected.unwrap_or(Verdict::Pass)
    }

    /// What was charged, with at least as many decimals as what was owed: a sum of nothing is
    /// `0.00` beside `150.00`, not `0`.
    pub fn amount_charged(&self) -> String {
        let decimals = |text: &str| text.split_once('.').map_or(0, |(_, after)| after.len());
        let mut charged = self.evidence.amount_charged().to_string();
        let missing =
            decimals(self.record.order.amount.as_str()).saturating_sub(decimals(&charged));
        if missing > 0 && !charged.contains('.') {
            charged.push('.');
        }
        charged.extend(std::iter::repeat_n('0', missing));
        charged
    }
}

/// All that one command reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The scenario's name, or the command's.
    pub name: String,
    /// What the scenario shows, in one sentence.
    pub title: String,
    /// The seed of ids and jitter; `None` where the target draws its own.
    pub seed: Option<u64>,
    /// Knobs in force, by name, in the order in which they are printed.
    pub knobs: Vec<(String, String)>,
    /// The command that repeats exactly this.
    pub replay: String,
    /// The runs, in the order in which they were made.
    pub runs: Vec<JudgedRun>,
}
