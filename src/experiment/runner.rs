//! Makes the runs of a plan, one after the other, each on a stack of its own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::plan::{Knobs, Plan, PlannedArm};
use super::stack::Stack;
use crate::failure::Failure;
use crate::ports::{Caller, MessageAttribute, Outgoing, Queue};
use crate::report::JudgedRun;
use crate::verdict::{RunRecord, judge};
use crate::worker::RUN_ATTRIBUTE;

/// Most entries of a SendMessageBatch.
const SEND_BATCH: u64 = 10;
/// How often the queue is looked at while it drains, in virtual time.
const DRAIN_INTERVAL: Duration = Duration::from_secs(1);
/// Time to drain beyond the work itself: enough for every redelivery up to the dead-letter queue.
const DRAIN_MARGIN: Duration = Duration::from_secs(4 * 3600);

/// Hears how far a run has come.
pub trait Progress {
    /// A run begins.
    fn begin(&self, arm: &PlannedArm);
    /// So many messages have been handed to the consumer.
    fn delivered(&self, invocations: u64);
    /// The run has drained; its evidence is being read.
    fn collecting(&self);
    /// The run is over.
    fn end(&self);
}

/// Makes all runs.
///
/// # Errors
/// A [`Failure`] if a stack could not be brought up or its evidence could not be read.
pub fn run(plan: &Plan, progress: &dyn Progress) -> Result<Vec<JudgedRun>, Failure> {
    let runs = plan.arms.iter().enumerate().map(|(index, arm)| {
        // A fresh runtime is a fresh clock: nothing of one run can reach into the next.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .map_err(|error| Failure::environment(format!("no runtime: {error}")))?;
        let seed = plan
            .seed
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(index as u64);
        runtime.block_on(run_arm(&plan.knobs, arm, seed, progress))
    });
    runs.collect()
}

async fn run_arm(
    knobs: &Knobs,
    arm: &PlannedArm,
    seed: u64,
    progress: &dyn Progress,
) -> Result<JudgedRun, Failure> {
    progress.begin(arm);
    let stack = Stack::up(knobs, arm.guard, seed).await?;
    let run = format!("r-{}", &stack.entropy.hex32()[..8]);
    let record = RunRecord {
        message_ids: send(&*stack.queue, arm, &run).await?,
        run,
        target: "local".to_owned(),
        guard: arm.guard,
        order: arm.order.clone(),
        other_contents: Vec::new(),
    };
    drain(knobs, arm, &stack, progress).await?;
    progress.collecting();
    let evidence = stack.down(&record).await?;
    let judgement = judge(&record, &evidence);
    progress.end();
    Ok(JudgedRun {
        arm: arm.name.clone(),
        title: arm.title.clone(),
        record,
        evidence,
        judgement,
        expected: Some(arm.expected),
        queried_by: "embedded".to_owned(),
        warnings: Vec::new(),
    })
}

/// Sends all copies; the ids of those that the queue accepted.
async fn send(queue: &dyn Queue, arm: &PlannedArm, run: &str) -> Result<Vec<Box<str>>, Failure> {
    let attributes = BTreeMap::from([(RUN_ATTRIBUTE.to_owned(), MessageAttribute::string(run))]);
    let message = Outgoing {
        attributes: Arc::new(attributes),
        ..Outgoing::new(arm.order.body())
    };
    let mut accepted = Vec::with_capacity(arm.copies as usize);
    let mut left = arm.copies;
    while left > 0 {
        let batch = vec![message.clone(); left.min(SEND_BATCH) as usize];
        left -= batch.len() as u64;
        let answers = queue
            .send_batch(&Caller::Producer, batch)
            .await
            .map_err(|error| Failure::environment(error.to_string()))?;
        accepted.extend(
            answers
                .into_iter()
                .flatten()
                .map(|sent| sent.message_id.into_boxed_str()),
        );
    }
    Ok(accepted)
}

/// Waits until the queue is empty or the time for that is over. What is left then is evidence, not
/// an error.
async fn drain(
    knobs: &Knobs,
    arm: &PlannedArm,
    stack: &Stack,
    progress: &dyn Progress,
) -> Result<(), Failure> {
    let work =
        knobs.work.as_secs_f64() * arm.copies as f64 / knobs.mapping.initial_concurrency as f64;
    let deadline = stack.clock.now() + DRAIN_MARGIN + Duration::from_secs_f64(work);
    loop {
        let depth = stack
            .queue
            .depth(&Caller::Observer)
            .await
            .map_err(|error| Failure::environment(error.to_string()))?;
        if depth.total() == 0 || stack.clock.now() >= deadline {
            return Ok(());
        }
        progress.delivered(u64::from(stack.invocations()));
        stack.clock.sleep(DRAIN_INTERVAL).await;
    }
}
