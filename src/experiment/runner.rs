//! Makes the runs of a plan, one arm after the other, each on a stack of its own.

use std::time::Duration;

use super::body::Copies;
use super::evidence::gather;
use super::plan::{Plan, PlannedArm, Send, StepAction};
use super::stack::{Stack, environment};
use crate::cloud::wire::PassedPoint;
use crate::failure::Failure;
use crate::ports::{Caller, QueueDepth, Timestamp};
use crate::report::JudgedRun;
use crate::verdict::{RunRecord, judge};

/// Most entries of a SendMessageBatch.
const SEND_BATCH: u64 = 10;
/// How often the queue is looked at while it drains, in virtual time.
const DRAIN_INTERVAL: Duration = Duration::from_secs(1);

/// Hears how far a run has come.
pub trait Progress {
    /// An arm begins.
    fn begin(&self, arm: &PlannedArm);
    /// So many messages have been handed to the consumer.
    fn delivered(&self, invocations: u64);
    /// The arm has drained; its evidence is being read.
    fn collecting(&self);
    /// The arm is over.
    fn end(&self);
}

/// Makes all runs.
///
/// # Errors
/// A [`Failure`] if a stack could not be brought up or its evidence could not be read.
pub fn run(plan: &Plan, progress: &dyn Progress) -> Result<Vec<JudgedRun>, Failure> {
    let mut runs = Vec::with_capacity(plan.arms.len());
    for (index, arm) in plan.arms.iter().enumerate() {
        let title = plan.full_title(arm);
        runs.extend(in_virtual_time(run_arm(
            arm,
            &title,
            seed(plan, index),
            progress,
        ))?);
    }
    Ok(runs)
}

/// Every point of a call that an arm passes, in order: where its consumer could crash.
///
/// # Errors
/// As [`run`].
pub fn crash_points(plan: &Plan, index: usize) -> Result<Vec<PassedPoint>, Failure> {
    let arm = &plan.arms[index];
    in_virtual_time(async {
        let (stack, _) = drive(arm, seed(plan, index), &Silent).await?;
        Ok(stack.settle().await?.points_passed())
    })
}

/// Nobody hears.
pub(super) struct Silent;

impl Progress for Silent {
    fn begin(&self, _arm: &PlannedArm) {}
    fn delivered(&self, _invocations: u64) {}
    fn collecting(&self) {}
    fn end(&self) {}
}

fn seed(plan: &Plan, index: usize) -> u64 {
    plan.seed
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(index as u64)
}

fn in_virtual_time<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    // A fresh runtime is a fresh clock: nothing of one arm can reach into the next.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .map_err(|error| Failure::environment(format!("no runtime: {error}")))?;
    runtime.block_on(future)
}

async fn run_arm(
    arm: &PlannedArm,
    title: &str,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<JudgedRun>, Failure> {
    progress.begin(arm);
    let (stack, driven) = drive(arm, seed, progress).await?;
    progress.collecting();
    let evidence = gather(arm, stack, &driven.records).await?;
    progress.end();
    let judged = driven.records.into_iter().zip(evidence).zip(&arm.runs);
    Ok(judged
        .map(|((record, evidence), planned)| JudgedRun {
            arm: run_name(arm, &record, planned.again),
            title: title.to_owned(),
            judgement: judge(&record, &evidence),
            expected: Some(planned.expected),
            queried_by: "embedded".to_owned(),
            warnings: driven.warnings.clone(),
            record,
            evidence,
        })
        .collect())
}

/// An arm with one run gives it its own name.
fn run_name(arm: &PlannedArm, record: &RunRecord, again: bool) -> String {
    match (arm.runs.len(), again) {
        (1, _) => arm.name.clone(),
        (_, false) => format!("{}: {}", arm.name, record.order.order_id),
        (_, true) => format!("{}: {} again", arm.name, record.order.order_id),
    }
}

/// What is known of an arm that has been driven to its end.
struct Driven {
    records: Vec<RunRecord>,
    warnings: Vec<String>,
}

/// Brings up a stack, does all steps and waits until the queue is empty.
async fn drive(
    arm: &PlannedArm,
    seed: u64,
    progress: &dyn Progress,
) -> Result<(Stack, Driven), Failure> {
    let stack = Stack::up(arm, seed).await?;
    let started = stack.clock.now();
    let mut records: Vec<RunRecord> = arm
        .runs
        .iter()
        .map(|planned| RunRecord {
            run: format!("r-{}", &stack.entropy.hex32()[..8]),
            target: "local".to_owned(),
            guard: arm.guard,
            order: planned.order.clone(),
            other_contents: planned.other_contents.clone(),
            message_ids: Vec::new(),
        })
        .collect();
    for step in &arm.steps {
        stack.clock.sleep_until(started + step.at).await;
        match &step.action {
            StepAction::Redrive => stack.redrive()?,
            StepAction::Send(send) => {
                send_copies(&stack, arm, send, &mut records[send.run]).await?;
            }
        }
    }
    let warnings = drain(arm, &stack, progress).await?;
    for record in &mut records {
        let redriven = stack.redriven(&record.run);
        record.message_ids.extend(redriven);
    }
    Ok((stack, Driven { records, warnings }))
}

/// Sends all copies, and notes the ids of those that the queue accepted.
async fn send_copies(
    stack: &Stack,
    arm: &PlannedArm,
    send: &Send,
    record: &mut RunRecord,
) -> Result<(), Failure> {
    let copies = Copies::new(send, arm.knobs.queue.fifo, &record.run, &stack.entropy);
    record.message_ids.reserve(send.copies as usize);
    let mut sent = 0;
    while sent < send.copies {
        let now = stack.clock.now();
        let batch = sent + 1..=send.copies.min(sent + SEND_BATCH);
        sent = *batch.end();
        let batch = batch.map(|copy| copies.message(copy, now)).collect();
        match stack.queue.send_batch(&Caller::Producer, batch).await {
            Ok(answers) => record.message_ids.extend(
                answers
                    .into_iter()
                    .flatten()
                    .map(|sent| sent.message_id.into_boxed_str()),
            ),
            // A producer whose send failed has a fault to thank for it: that is the experiment.
            Err(_) if !arm.faults.is_empty() => {}
            Err(error) => return Err(environment(error)),
        }
    }
    Ok(())
}

/// Waits until the queue is empty or the time for that is over. What is left then is evidence, not
/// an error.
async fn drain(
    arm: &PlannedArm,
    stack: &Stack,
    progress: &dyn Progress,
) -> Result<Vec<String>, Failure> {
    let budget = &arm.budget;
    let knobs = &arm.knobs;
    let work =
        knobs.work.as_secs_f64() * arm.copies() as f64 / knobs.mapping.initial_concurrency as f64;
    let work = Duration::from_secs_f64(work);
    let waiting = |depth: &QueueDepth| depth.visible + depth.delayed;
    let delivered_by = stack.clock.now() + budget.delivery + work;
    let left = wait(stack, progress, delivered_by, &waiting).await?;
    let mut warnings = Vec::new();
    if left > 0 {
        warnings.push(format!(
            "the delivery budget of {} s was over with {left} messages not delivered",
            budget.delivery.as_secs()
        ));
    }
    let drained_by = stack.clock.now() + budget.drain + work;
    let left = wait(stack, progress, drained_by, &QueueDepth::total).await?;
    if left > 0 {
        warnings.push(format!(
            "the drain budget of {} s was over with {left} messages left in the queue",
            budget.drain.as_secs()
        ));
    }
    Ok(warnings)
}

/// Waits until nothing is left or it is too late; what is left.
async fn wait(
    stack: &Stack,
    progress: &dyn Progress,
    deadline: Timestamp,
    left: &(dyn Fn(&QueueDepth) -> u64 + Sync),
) -> Result<u64, Failure> {
    loop {
        let depth = stack.queue.depth(&Caller::Observer).await;
        let left = left(&depth.map_err(environment)?);
        if left == 0 || stack.clock.now() >= deadline {
            return Ok(left);
        }
        progress.delivered(u64::from(stack.invocations()));
        stack.clock.sleep(DRAIN_INTERVAL).await;
    }
}
