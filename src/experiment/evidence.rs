//! Gathers the evidence of every run of an arm from its one stack.

use std::collections::HashSet;

use super::plan::PlannedArm;
use super::stack::{Settled, Stack, environment};
use super::witness::witness;
use crate::failure::Failure;
use crate::ports::KEY_ATTRIBUTE;
use crate::verdict::{Embedded, Evidence, FaultFired, LedgerTotals, RunRecord, Sources, collect};
use crate::worker::GuardName;

/// Stops the stack and gathers what each run left behind, in the order of the runs.
pub(super) async fn gather(
    arm: &PlannedArm,
    stack: Stack,
    records: &[RunRecord],
) -> Result<Vec<Evidence>, Failure> {
    let settled = stack.settle().await?;
    let mut gathered = Vec::with_capacity(records.len());
    for record in records {
        let embedded = embedded(&settled, record, records.len() == 1);
        let sources = Sources {
            queue: &*settled.queue,
            dead_letter_queue: Some(&*settled.dead_letter_queue),
            claims: &*settled.claims,
            log: &*settled.log,
        };
        let mut evidence = collect(record, &sources, embedded)
            .await
            .map_err(environment)?;
        if arm.runs.iter().any(|run| run.again) {
            keep_own_rows(&mut evidence, record);
        }
        gathered.push(evidence);
    }
    Ok(gathered)
}

/// Counters of the whole stack say something of a run only if it is the only one.
fn embedded(settled: &Settled, record: &RunRecord, only_run: bool) -> Embedded {
    let (usage, witness) = witness(settled.wire.history(), settled.invocations);
    Embedded {
        ledger: Some(match only_run {
            true => whole_ledger(settled, record),
            false => own_ledger(settled, record),
        }),
        usage: only_run.then_some(usage),
        witness: only_run.then_some(witness),
        faults: settled.faults.iter().map(fault_fired).collect(),
        gathered_at: Some(settled.clock.now()),
    }
}

fn fault_fired((rule, fired): &(String, u64)) -> FaultFired {
    FaultFired {
        rule: rule.clone(),
        fired: *fired,
    }
}

fn whole_ledger(settled: &Settled, record: &RunRecord) -> LedgerTotals {
    let total = settled.ledger.total(&record.order.order_id);
    total.map_or_else(LedgerTotals::default, |total| LedgerTotals {
        charges: total.charges,
        amount: total.amount,
    })
}

/// The charges that messages of this run led to: another run may be about the same order.
fn own_ledger(settled: &Settled, record: &RunRecord) -> LedgerTotals {
    let own: HashSet<&str> = record.message_ids.iter().map(|id| &**id).collect();
    let mut amounts = Vec::new();
    settled.ledger.visit(&mut |entry| {
        if own.contains(entry.message_id.as_str()) {
            amounts.push(entry.amount);
        }
    });
    LedgerTotals {
        charges: amounts.len() as u64,
        amount: amounts.iter().sum(),
    }
}

/// Leaves out the charges in the table that messages of another run led to.
fn keep_own_rows(evidence: &mut Evidence, record: &RunRecord) {
    evidence.items.retain(|item| {
        let key = item.get(KEY_ATTRIBUTE).map_or("", |key| key.as_str());
        GuardName::charged_by_row(item).is_none()
            || record.message_ids.iter().any(|id| key.ends_with(&**id))
    });
}
