//! The validated plan: from here on there are no strings to be parsed.

use std::time::Duration;

use super::duration::format_duration;
use super::knobs::{Knobs, TableKind};
use super::scenario::Scenario;
use crate::cloud::wire::{FaultRule, Latency};
use crate::failure::Failure;
use crate::mapping::VisibilityMode;
use crate::order::{Amount, Order};
use crate::verdict::Verdict;
use crate::worker::GuardName;

/// Most copies in one send: a limit against slips of the keyboard, at about 2 GB of evidence per
/// million.
pub(super) const MAX_COPIES: u64 = 10_000_000;

/// What the command line changes about a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Copies in every send.
    pub copies: Option<u64>,
    /// How long a charge takes.
    pub work: Option<Duration>,
    /// Amount in every send.
    pub amount: Option<Amount>,
    /// Customer in every send.
    pub customer: Option<String>,
    /// Function timeout.
    pub function_timeout: Option<Duration>,
    /// Visibility timeout of the queue.
    pub visibility_timeout: Option<Duration>,
    /// See [`VisibilityMode`].
    pub visibility_mode: Option<VisibilityMode>,
    /// Receives after which a message goes to the dead-letter queue.
    pub max_receive_count: Option<u32>,
    /// Most messages in one invocation.
    pub batch_size: Option<u16>,
    /// How long a batch may be gathered.
    pub batching_window: Option<Duration>,
    /// How long a call of the consumer takes.
    pub latency: Option<Latency>,
    /// Which table.
    pub table: Option<TableKind>,
    /// Faults in every arm, in addition to its own.
    pub faults: Vec<FaultRule>,
}

impl Overrides {
    fn apply(&self, arm: &mut PlannedArm, visibility_given: bool) {
        let knobs = &mut arm.knobs;
        if let Some(timeout) = self.function_timeout {
            knobs.function_timeout = timeout;
            if !visibility_given {
                knobs.visibility_timeout = timeout * 6;
            }
        }
        set(&mut knobs.work, self.work);
        set(&mut knobs.visibility_timeout, self.visibility_timeout);
        set(&mut knobs.mapping.visibility_mode, self.visibility_mode);
        set(&mut knobs.max_receive_count, self.max_receive_count);
        set(&mut knobs.mapping.batch_size, self.batch_size);
        set(&mut knobs.mapping.batching_window, self.batching_window);
        set(&mut knobs.latency, self.latency.clone());
        set(&mut knobs.table, self.table);
        arm.faults.extend(self.faults.iter().cloned());
        for order in arm.orders_mut() {
            set(&mut order.amount, self.amount.clone());
            set(&mut order.customer_id, self.customer.clone());
        }
        for step in &mut arm.steps {
            if let StepAction::Send(send) = &mut step.action {
                set(&mut send.copies, self.copies);
            }
        }
    }
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// How a body is wrapped on its way to the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Envelope {
    /// As the producer wrote it; also what SNS does with raw message delivery.
    #[default]
    None,
    /// In the JSON of an SNS notification, with a MessageId and a time of its own.
    Sns,
}

/// What is sent in one go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Send {
    /// Index of the run that the copies belong to.
    pub run: usize,
    /// What is sent.
    pub order: Order,
    /// How often.
    pub copies: u64,
    /// Further fields of the body, as text with `{copy}` and `{time}` replaced for each copy.
    pub extra: Vec<(String, String)>,
    /// How the body is wrapped.
    pub envelope: Envelope,
    /// Deduplication id on a FIFO queue, with `{copy}` replaced.
    pub deduplication_id: Option<String>,
    /// Message group on a FIFO queue, with `{copy}` replaced.
    pub group: Option<String>,
    /// Delay of each message, 0 to 900 s.
    pub delay: Option<Duration>,
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepAction {
    /// Messages are sent.
    Send(Send),
    /// The messages in the dead-letter queue are moved back (`StartMessageMoveTask`).
    Redrive,
}

/// Something that is done at a certain time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// When, counted from the first moment of the arm.
    pub at: Duration,
    /// What.
    pub action: StepAction,
}

/// One order whose fate is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedRun {
    /// The order.
    pub order: Order,
    /// What is sent besides under the same order id: another amount or customer.
    pub other_contents: Vec<Order>,
    /// Whether the order was sent before, and is meant to be charged once more.
    pub again: bool,
    /// Expected verdict.
    pub expected: Verdict,
}

/// How long a run may take, in virtual time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Until every message has been delivered once, counted from the last step.
    pub delivery: Duration,
    /// Until the queue is empty, counted from then on.
    pub drain: Duration,
}

impl Default for Budget {
    /// Enough for every redelivery up to the dead-letter queue under usual settings.
    fn default() -> Self {
        Self {
            delivery: Duration::from_secs(3600),
            drain: Duration::from_secs(4 * 3600),
        }
    }
}

/// One stack with what is done to it, and the runs that come out of that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedArm {
    /// Short name.
    pub name: String,
    /// What is done.
    pub title: String,
    /// Guard in force.
    pub guard: GuardName,
    /// Settings of its stack.
    pub knobs: Knobs,
    /// What is done, in order of time.
    pub steps: Vec<Step>,
    /// The orders that are judged; one, unless the steps say otherwise.
    pub runs: Vec<PlannedRun>,
    /// Faults on the wire.
    pub faults: Vec<FaultRule>,
    /// Time limits.
    pub budget: Budget,
}

impl PlannedArm {
    /// An arm in which copies of one order are sent at once.
    pub fn one_send(
        name: impl Into<String>,
        title: impl Into<String>,
        guard: GuardName,
        order: Order,
        copies: u64,
        expected: Verdict,
    ) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            guard,
            knobs: Knobs::default(),
            steps: vec![Step {
                at: Duration::ZERO,
                action: StepAction::Send(Send::new(0, order.clone(), copies)),
            }],
            runs: vec![PlannedRun {
                order,
                other_contents: Vec::new(),
                again: false,
                expected,
            }],
            faults: Vec::new(),
            budget: Budget::default(),
        }
    }

    /// Messages that are sent in all.
    pub fn copies(&self) -> u64 {
        self.sends().map(|send| send.copies).sum()
    }

    /// The sends, in order.
    pub fn sends(&self) -> impl Iterator<Item = &Send> {
        self.steps.iter().filter_map(|step| match &step.action {
            StepAction::Send(send) => Some(send),
            StepAction::Redrive => None,
        })
    }

    /// Whether dead letters are moved back.
    pub fn redrives(&self) -> bool {
        let is_redrive = |step: &Step| step.action == StepAction::Redrive;
        self.steps.iter().any(is_redrive)
    }

    fn orders_mut(&mut self) -> impl Iterator<Item = &mut Order> {
        let sent = self
            .steps
            .iter_mut()
            .filter_map(|step| match &mut step.action {
                StepAction::Send(send) => Some(&mut send.order),
                StepAction::Redrive => None,
            });
        let runs = self.runs.iter_mut();
        let judged =
            runs.flat_map(|run| std::iter::once(&mut run.order).chain(&mut run.other_contents));
        sent.chain(judged)
    }

    fn validate(&self) -> Result<(), Failure> {
        self.knobs.validate()?;
        for send in self.sends() {
            send.validate(&self.knobs)?;
        }
        Ok(())
    }
}

impl Send {
    /// Copies of an order that are sent as they are.
    pub fn new(run: usize, order: Order, copies: u64) -> Self {
        Self {
            run,
            order,
            copies,
            extra: Vec::new(),
            envelope: Envelope::None,
            deduplication_id: None,
            group: None,
            delay: None,
        }
    }

    /// Checks it against what the queue accepts.
    ///
    /// # Errors
    /// A usage [`Failure`].
    pub fn validate(&self, knobs: &Knobs) -> Result<(), Failure> {
        if self.copies == 0 || self.copies > MAX_COPIES {
            return Err(Failure::usage(format!(
                "{} copies is out of range: 1 to {MAX_COPIES}",
                self.copies
            )));
        }
        let queue = &knobs.queue;
        if queue.fifo && !queue.content_based_deduplication && self.deduplication_id.is_none() {
            return Err(Failure::usage(
                "The queue should either have ContentBasedDeduplication enabled or \
                 MessageDeduplicationId provided explicitly",
            )
            .hint(
                "set `content_based_deduplication` of the queue, or `deduplication_id` of the \
                 send",
            ));
        }
        if !queue.fifo && (self.deduplication_id.is_some() || self.group.is_some()) {
            return Err(
                Failure::usage("a deduplication id and a group need a FIFO queue")
                    .hint("set `fifo = true` of the queue"),
            );
        }
        if queue.fifo && self.delay.is_some() {
            // SQS SendMessage: DelaySeconds of a message is not for FIFO queues.
            return Err(
                Failure::usage("messages of a FIFO queue have no delay of their own")
                    .hint("set `delay` of the queue"),
            );
        }
        Ok(())
    }
}

/// A scenario with everything decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The scenario's name, or the path of its file.
    pub name: String,
    /// The scenario's title.
    pub title: String,
    /// What can be learnt from it.
    pub learn: String,
    /// Seed of ids and jitter.
    pub seed: u64,
    /// The stacks, in order.
    pub arms: Vec<PlannedArm>,
}

impl Plan {
    /// Decides everything.
    ///
    /// # Errors
    /// A usage [`Failure`] for a value that is out of range.
    pub fn new(scenario: &Scenario, seed: u64, overrides: &Overrides) -> Result<Self, Failure> {
        let mut arms = Vec::with_capacity(scenario.arms.len());
        for (arm, visibility_given) in &scenario.arms {
            let mut arm = arm.clone();
            overrides.apply(&mut arm, *visibility_given);
            arm.validate()?;
            arms.push(arm);
        }
        Ok(Self {
            name: scenario.name.clone(),
            title: scenario.title.clone(),
            learn: scenario.learn.clone(),
            seed,
            arms,
        })
    }

    /// The knobs that have the same value in all arms, by the names of their flags.
    pub fn common_knobs(&self) -> Vec<(String, String)> {
        let mut all = self.arms.iter().map(|arm| arm.knobs.named());
        let mut common = all.next().unwrap_or_default();
        for knobs in all {
            common.retain(|knob| knobs.contains(knob));
        }
        common
    }

    /// The title of an arm with all that sets its stack apart: knobs that differ between arms,
    /// knobs that are not as usual, faults.
    pub fn full_title(&self, arm: &PlannedArm) -> String {
        let common = self.common_knobs();
        let mut apart: Vec<String> = arm
            .knobs
            .named()
            .into_iter()
            .filter(|knob| !common.contains(knob))
            .chain(arm.knobs.unusual())
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        apart.extend(arm.faults.iter().map(ToString::to_string));
        match apart.as_slice() {
            [] => arm.title.clone(),
            apart => format!("{} [{}]", arm.title, apart.join(" ")),
        }
    }
}

impl std::fmt::Display for Step {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "at {}: ", format_duration(self.at))?;
        match &self.action {
            StepAction::Redrive => formatter.write_str("move the dead letters back"),
            StepAction::Send(send) => write!(formatter, "{send}"),
        }
    }
}

impl std::fmt::Display for Send {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "send {} x {} of {} for {}",
            self.copies, self.order.order_id, self.order.amount, self.order.customer_id
        )?;
        for (name, value) in &self.extra {
            write!(formatter, ", {name} = {value}")?;
        }
        if self.envelope == Envelope::Sns {
            formatter.write_str(", as an SNS notification")?;
        }
        if let Some(id) = &self.deduplication_id {
            write!(formatter, ", deduplication id {id}")?;
        }
        if let Some(group) = &self.group {
            write!(formatter, ", group {group}")?;
        }
        if let Some(delay) = self.delay {
            write!(formatter, ", delayed by {}", format_duration(delay))?;
        }
        Ok(())
    }
}
