//! A stack in one process: queue, table, log and till of the embedded cloud, the consumer, and the
//! mapping between them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::answer::{AnswerForm, Answering};
use super::knobs::{Knobs, TableKind};
use super::plan::PlannedArm;
use super::recorder::RecordingQueue;
use super::skew::{AheadClock, PlatformTimedLog, TakingTurns};
use crate::cloud::claims::{DynoxideClaims, MemoryClaims};
use crate::cloud::clock::VirtualClock;
use crate::cloud::log::EmbeddedLog;
use crate::cloud::queue::{QueueConfig, QueueService};
use crate::cloud::till::Ledger;
use crate::cloud::wire::{PassedPoint, Wire, WiredClaims, WiredQueue, WiredTill};
use crate::entropy::Entropy;
use crate::failure::Failure;
use crate::mapping::{FunctionLimits, Mapping};
use crate::ports::{Claims, Clock, Log, PortError, Queue, Timestamp};
use crate::worker::{Function, GuardName, Host, HostPorts, HostSettings};

/// Where virtual time begins: 2026-09-20T20:58:23.240Z, the evening of the original lab.
const EPOCH: Timestamp = Timestamp::from_millis(1_789_937_903_240);

const QUEUE: &str = "lab-orders";
const DEAD_LETTER_QUEUE: &str = "lab-orders-dead-letters";
const TABLE: &str = "lab-orders";
const LOG_GROUP: &str = "/aws/lambda/lab-orders-worker";

/// A stack that is up.
pub(super) struct Stack {
    pub(super) queue: Arc<dyn Queue>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) entropy: Arc<Entropy>,
    pub(super) dead_letter_queue: Arc<dyn Queue>,
    pub(super) claims: Arc<dyn Claims>,
    pub(super) log: Arc<dyn Log>,
    pub(super) ledger: Arc<Ledger>,
    pub(super) wire: Arc<Wire>,
    queues: Queues,
    consumer: Consumer,
    mapping: Mapping,
}

/// What is known of the queues beyond the port.
struct Queues {
    service: Arc<QueueService>,
    queue_name: String,
    dead_letter_arn: String,
    /// Present if dead letters are moved back.
    recorder: Option<Arc<RecordingQueue>>,
}

/// The function, of one host or of two whose clocks differ.
struct Consumer {
    hosts: Vec<Arc<Host>>,
    form: AnswerForm,
    answers_changed: Arc<AtomicU64>,
}

impl Stack {
    /// Brings up a fresh stack. Must be called inside a runtime with paused time.
    pub(super) async fn up(arm: &PlannedArm, seed: u64) -> Result<Self, Failure> {
        let knobs = &arm.knobs;
        let clock: Arc<dyn Clock> = Arc::new(VirtualClock::starting_at(EPOCH));
        let entropy = Arc::new(Entropy::seeded(seed));
        let wire = Wire::new(
            Arc::clone(&clock),
            Arc::clone(&entropy),
            knobs.latency.clone(),
        );
        let wire = Arc::new(wire.with_faults(arm.faults.clone()));
        let (queue, dead_letter_queue, queues) = queues(arm, &clock, &entropy, &wire)?;
        let table: Arc<dyn Claims> = match knobs.table {
            TableKind::Memory => Arc::new(MemoryClaims::new(Arc::clone(&clock))),
            TableKind::Dynoxide => {
                Arc::new(DynoxideClaims::in_memory(TABLE, Arc::clone(&clock)).map_err(environment)?)
            }
        };
        let claims: Arc<dyn Claims> = Arc::new(WiredClaims::new(Arc::clone(&wire), table));
        let ledger = Arc::new(ledger(knobs, &clock));
        let log: Arc<dyn Log> = Arc::new(EmbeddedLog::new(LOG_GROUP, Arc::clone(&clock)));
        let ports = HostPorts {
            claims: Arc::clone(&claims),
            log: Arc::clone(&log),
            till: Arc::new(WiredTill::new(Arc::clone(&wire), Arc::clone(&ledger) as _)),
            clock: Arc::clone(&clock),
        };
        let (function, consumer) = consumer(knobs, arm.guard, ports, &entropy);
        let mapping = Mapping::start(
            Arc::clone(&queue),
            function,
            Arc::clone(&clock),
            knobs.mapping.clone(),
            FunctionLimits {
                timeout: knobs.function_timeout,
            },
        )
        .await?;
        queues.set_up_afterwards(knobs)?;
        Ok(Self {
            queue,
            clock,
            entropy,
            dead_letter_queue,
            claims,
            log,
            ledger,
            wire,
            queues,
            consumer,
            mapping,
        })
    }

    /// Invocations so far.
    pub(super) fn invocations(&self) -> u32 {
        self.consumer.invocations()
    }

    /// Moves the dead letters back to the queue.
    pub(super) fn redrive(&self) -> Result<(), Failure> {
        let queues = &self.queues;
        let task = queues.service.with(|service, now, entropy| {
            service.start_message_move_task(now, entropy, &queues.dead_letter_arn, None, None)
        });
        let task =
            task.map_err(|error| environment(error.into_port_error("StartMessageMoveTask")))?;
        if let Some(recorder) = &queues.recorder {
            recorder.expect_moved(task.moved);
        }
        Ok(())
    }

    /// The new ids of messages of a run that were moved back.
    pub(super) fn redriven(&self, run: &str) -> Vec<Box<str>> {
        let recorder = self.queues.recorder.as_ref();
        recorder.map_or_else(Vec::new, |recorder| recorder.redriven(run))
    }

    /// Stops the mapping, which deals with what it has received, and flushes the log.
    pub(super) async fn settle(self) -> Result<Settled, Failure> {
        self.mapping.stop().await;
        self.log.flush().await.map_err(environment)?;
        let on_the_wire = self.wire.fired().into_iter();
        let mut faults: Vec<(String, u64)> = on_the_wire
            .map(|(rule, fired)| (rule.to_string(), fired))
            .collect();
        faults.extend(self.queues.faults_fired()?);
        faults.extend(self.consumer.faults_fired());
        Ok(Settled {
            faults,
            invocations: self.consumer.invocations(),
            queue: self.queue,
            dead_letter_queue: self.dead_letter_queue,
            claims: self.claims,
            log: self.log,
            ledger: self.ledger,
            wire: self.wire,
            clock: self.clock,
        })
    }
}

impl Consumer {
    fn invocations(&self) -> u32 {
        self.hosts.iter().map(|host| host.invocations()).sum()
    }

    /// What was wrong with the consumer on purpose, and how often that showed.
    fn faults_fired(&self) -> Vec<(String, u64)> {
        let mut fired = Vec::new();
        if self.form != AnswerForm::AsIs {
            let changed = self.answers_changed.load(Ordering::Relaxed);
            fired.push((format!("answer={}", self.form), changed));
        }
        if let [_, ahead] = self.hosts.as_slice() {
            fired.push(("clock_skew".to_owned(), u64::from(ahead.invocations())));
        }
        fired
    }
}

/// A stack that does nothing any more: only its traces are left.
pub(super) struct Settled {
    /// Every fault in force and how often it fired.
    pub(super) faults: Vec<(String, u64)>,
    pub(super) invocations: u32,
    pub(super) queue: Arc<dyn Queue>,
    pub(super) dead_letter_queue: Arc<dyn Queue>,
    pub(super) claims: Arc<dyn Claims>,
    pub(super) log: Arc<dyn Log>,
    pub(super) ledger: Arc<Ledger>,
    pub(super) wire: Arc<Wire>,
    pub(super) clock: Arc<dyn Clock>,
}

impl Settled {
    /// Every point of a call that was passed, in order.
    pub(super) fn points_passed(&self) -> Vec<PassedPoint> {
        self.wire.points_passed()
    }
}

pub(super) fn environment(error: PortError) -> Failure {
    Failure::environment(error.to_string())
}

fn ledger(knobs: &Knobs, clock: &Arc<dyn Clock>) -> Ledger {
    let mut ledger = Ledger::new(Arc::clone(clock));
    if !knobs.till.honours_keys {
        ledger = ledger.ignoring_keys();
    }
    if let Some(lifetime) = knobs.till.key_lifetime {
        ledger = ledger.forgetting_keys_after(lifetime);
    }
    ledger
}

fn consumer(
    knobs: &Knobs,
    guard: GuardName,
    ports: HostPorts,
    entropy: &Arc<Entropy>,
) -> (Arc<dyn Function>, Consumer) {
    let host = |ports: HostPorts| {
        let settings = HostSettings {
            guard,
            work: knobs.work,
            timeout: knobs.function_timeout,
            reserved_concurrency: knobs.function.reserved_concurrency,
            report_batch_item_failures: knobs.function.report_batch_item_failures,
        };
        let host = Host::new(settings, ports, Arc::clone(entropy));
        Arc::new(host.with_guard_settings(knobs.guard.clone()))
    };
    let mut hosts = vec![host(ports.clone())];
    let mut function: Arc<dyn Function> = Arc::clone(&hosts[0]) as _;
    let skew = knobs.function.clock_skew;
    if !skew.is_zero() {
        let ahead = host(HostPorts {
            log: Arc::new(PlatformTimedLog {
                inner: Arc::clone(&ports.log),
                clock: Arc::clone(&ports.clock),
            }),
            clock: Arc::new(AheadClock {
                inner: Arc::clone(&ports.clock),
                ahead: skew,
            }),
            ..ports
        });
        function = Arc::new(TakingTurns::new(function, Arc::clone(&ahead) as _));
        hosts.push(ahead);
    }
    let answers_changed = Arc::new(AtomicU64::new(0));
    let form = knobs.function.answer;
    if form != AnswerForm::AsIs {
        function = Arc::new(Answering::new(function, form, Arc::clone(&answers_changed)));
    }
    let consumer = Consumer {
        hosts,
        form,
        answers_changed,
    };
    (function, consumer)
}

type QueuePort = Arc<dyn Queue>;

/// The queue and the dead-letter queue behind it.
fn queues(
    arm: &PlannedArm,
    clock: &Arc<dyn Clock>,
    entropy: &Arc<Entropy>,
    wire: &Arc<Wire>,
) -> Result<(QueuePort, QueuePort, Queues), Failure> {
    let knobs = &arm.knobs;
    let config = QueueConfig::default();
    let name = |name: &str| match knobs.queue.fifo {
        true => format!("{name}.fifo"),
        false => name.to_owned(),
    };
    let (queue_name, dead_letter_name) = (name(QUEUE), name(DEAD_LETTER_QUEUE));
    let dead_letter_arn = format!(
        "arn:aws:sqs:{}:{}:{dead_letter_name}",
        config.region, config.account_id
    );
    let service = QueueService::new(Arc::clone(clock), Arc::clone(entropy), config);
    let create = |name: &str, attributes: BTreeMap<String, String>| {
        service
            .with(|queues, now, entropy| queues.create_queue(now, entropy, name, &attributes))
            .map_err(|error| environment(error.into_port_error("CreateQueue")))?;
        let queue = service
            .handle(name)
            .map_err(|error| environment(error.into_port_error("GetQueueUrl")))?;
        let queue: Arc<dyn Queue> = Arc::new(WiredQueue::new(Arc::clone(wire), Arc::new(queue)));
        Ok::<_, Failure>(queue)
    };
    let dead_letter_queue = create(&dead_letter_name, dead_letter_attributes(knobs))?;
    let queue = create(&queue_name, attributes(knobs, &dead_letter_arn))?;
    // A queue that gets no wrapper costs no wrapper: an arm can have millions of messages.
    let recorder = arm
        .redrives()
        .then(|| Arc::new(RecordingQueue::new(Arc::clone(&queue))));
    let queue = match &recorder {
        Some(recorder) => Arc::clone(recorder) as _,
        None => queue,
    };
    let queues = Queues {
        service,
        queue_name,
        dead_letter_arn,
        recorder,
    };
    Ok((queue, dead_letter_queue, queues))
}

/// Attributes that are not set stay at what CreateQueue takes for them.
fn attributes(knobs: &Knobs, dead_letter_arn: &str) -> BTreeMap<String, String> {
    let redrive = serde_json::json!({
        "deadLetterTargetArn": dead_letter_arn,
        "maxReceiveCount": knobs.max_receive_count,
    });
    let seconds = |duration: std::time::Duration| duration.as_secs().to_string();
    let mut attributes = BTreeMap::from([
        (
            "VisibilityTimeout".to_owned(),
            seconds(knobs.visibility_timeout),
        ),
        ("RedrivePolicy".to_owned(), redrive.to_string()),
        (
            "MessageRetentionPeriod".to_owned(),
            seconds(knobs.queue.retention),
        ),
        ("DelaySeconds".to_owned(), seconds(knobs.queue.delay)),
    ]);
    if knobs.queue.fifo {
        let by_content = knobs.queue.content_based_deduplication.to_string();
        attributes.insert("FifoQueue".to_owned(), "true".to_owned());
        attributes.insert("ContentBasedDeduplication".to_owned(), by_content);
    }
    attributes
}

/// The dead-letter queue is of the same type, and keeps messages as long as can be.
fn dead_letter_attributes(knobs: &Knobs) -> BTreeMap<String, String> {
    let retention = ("MessageRetentionPeriod".to_owned(), "1209600".to_owned());
    let fifo = knobs
        .queue
        .fifo
        .then(|| ("FifoQueue".to_owned(), "true".to_owned()));
    std::iter::once(retention).chain(fifo).collect()
}

impl Queues {
    /// What is done to the queue once the mapping exists.
    fn set_up_afterwards(&self, knobs: &Knobs) -> Result<(), Failure> {
        if let Some(lowered) = knobs.queue.lowered_visibility_timeout {
            let timeout = (
                "VisibilityTimeout".to_owned(),
                lowered.as_secs().to_string(),
            );
            self.service
                .with(|queues, now, _| {
                    let lowered = BTreeMap::from([timeout]);
                    queues.set_queue_attributes(now, &self.queue_name, &lowered)
                })
                .map_err(|error| environment(error.into_port_error("SetQueueAttributes")))?;
        }
        self.service
            .with(|queues, now, _| queues.set_faults(now, &self.queue_name, knobs.queue.faults))
            .map_err(|error| environment(error.into_port_error("GetQueueAttributes")))
    }

    fn faults_fired(&self) -> Result<Vec<(String, u64)>, Failure> {
        let read = self.service.with(|queues, now, _| {
            let left = queues.faults(now, &self.queue_name)?;
            Ok((left, queues.fault_tally(now, &self.queue_name)?))
        });
        let (left, tally) = read.map_err(|error: crate::cloud::queue::QueueError| {
            environment(error.into_port_error("GetQueueAttributes"))
        })?;
        let counted = [
            (
                "duplicate_deliveries",
                left.duplicate_deliveries > 0,
                tally.duplicated,
            ),
            (
                "resurrected_deletes",
                left.resurrected_deletes > 0,
                tally.resurrected,
            ),
            ("reorder", left.reorder, tally.reordered),
        ];
        Ok(counted
            .into_iter()
            .filter(|(_, armed, fired)| *armed || *fired > 0)
            .map(|(name, _, fired)| (name.to_owned(), fired))
            .collect())
    }
}
