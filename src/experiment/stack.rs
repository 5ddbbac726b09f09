//! A stack in one process: queue, table, log and till of the embedded cloud, the consumer, and the
//! mapping between them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::plan::{Knobs, TableKind};
use super::witness::witness;
use crate::cloud::claims::{DynoxideClaims, MemoryClaims};
use crate::cloud::clock::VirtualClock;
use crate::cloud::log::EmbeddedLog;
use crate::cloud::queue::{QueueConfig, QueueService};
use crate::cloud::till::Ledger;
use crate::cloud::wire::{Wire, WiredClaims, WiredQueue, WiredTill};
use crate::entropy::Entropy;
use crate::failure::Failure;
use crate::mapping::{FunctionLimits, Mapping};
use crate::ports::{Claims, Clock, Log, PortError, Queue, Timestamp};
use crate::verdict::{Embedded, Evidence, FaultFired, LedgerTotals, RunRecord, Sources, collect};
use crate::worker::{GuardName, Host, HostPorts, HostSettings};

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
    dead_letter_queue: Arc<dyn Queue>,
    claims: Arc<dyn Claims>,
    log: Arc<dyn Log>,
    ledger: Arc<Ledger>,
    wire: Arc<Wire>,
    host: Arc<Host>,
    mapping: Mapping,
}

impl Stack {
    /// Brings up a fresh stack. Must be called inside a runtime with paused time.
    pub(super) async fn up(knobs: &Knobs, guard: GuardName, seed: u64) -> Result<Self, Failure> {
        let clock: Arc<dyn Clock> = Arc::new(VirtualClock::starting_at(EPOCH));
        let entropy = Arc::new(Entropy::seeded(seed));
        let wire = Arc::new(Wire::new(
            Arc::clone(&clock),
            Arc::clone(&entropy),
            knobs.latency.clone(),
        ));
        let (queue, dead_letter_queue) = queues(knobs, &clock, &entropy, &wire)?;
        let table: Arc<dyn Claims> = match knobs.table {
            TableKind::Memory => Arc::new(MemoryClaims::new(Arc::clone(&clock))),
            TableKind::Dynoxide => {
                Arc::new(DynoxideClaims::in_memory(TABLE, Arc::clone(&clock)).map_err(environment)?)
            }
        };
        let claims: Arc<dyn Claims> = Arc::new(WiredClaims::new(Arc::clone(&wire), table));
        let ledger = Arc::new(Ledger::new(Arc::clone(&clock)));
        let log: Arc<dyn Log> = Arc::new(EmbeddedLog::new(LOG_GROUP, Arc::clone(&clock)));
        let host = Arc::new(Host::new(
            HostSettings {
                guard,
                work: knobs.work,
                timeout: knobs.function_timeout,
                reserved_concurrency: None,
                report_batch_item_failures: knobs.mapping.report_batch_item_failures,
            },
            HostPorts {
                claims: Arc::clone(&claims),
                log: Arc::clone(&log),
                till: Arc::new(WiredTill::new(Arc::clone(&wire), Arc::clone(&ledger) as _)),
                clock: Arc::clone(&clock),
            },
            Arc::clone(&entropy),
        ));
        let mapping = Mapping::start(
            Arc::clone(&queue),
            Arc::clone(&host) as _,
            Arc::clone(&clock),
            knobs.mapping.clone(),
            FunctionLimits {
                timeout: knobs.function_timeout,
            },
        )
        .await?;
        Ok(Self {
            queue,
            clock,
            entropy,
            dead_letter_queue,
            claims,
            log,
            ledger,
            wire,
            host,
            mapping,
        })
    }

    /// Invocations so far.
    pub(super) fn invocations(&self) -> u32 {
        self.host.invocations()
    }

    /// Stops the mapping and gathers what the run left behind.
    pub(super) async fn down(self, record: &RunRecord) -> Result<Evidence, Failure> {
        self.mapping.stop().await;
        self.log.flush().await.map_err(environment)?;
        let total = self.ledger.total(&record.order.order_id);
        let (usage, witness) = witness(&self.wire, self.host.invocations());
        let embedded = Embedded {
            ledger: Some(
                total.map_or_else(LedgerTotals::default, |total| LedgerTotals {
                    charges: total.charges,
                    amount: total.amount,
                }),
            ),
            usage: Some(usage),
            witness: Some(witness),
            faults: faults_fired(&self.wire),
            gathered_at: Some(self.clock.now()),
        };
        let sources = Sources {
            queue: &*self.queue,
            dead_letter_queue: Some(&*self.dead_letter_queue),
            claims: &*self.claims,
            log: &*self.log,
        };
        collect(record, &sources, embedded)
            .await
            .map_err(environment)
    }
}

fn faults_fired(wire: &Wire) -> Vec<FaultFired> {
    let rules = wire.fired().into_iter();
    rules
        .map(|(rule, fired)| FaultFired {
            rule: rule.to_string(),
            fired,
        })
        .collect()
}

fn environment(error: PortError) -> Failure {
    Failure::environment(error.to_string())
}

/// The queue and the dead-letter queue behind it.
fn queues(
    knobs: &Knobs,
    clock: &Arc<dyn Clock>,
    entropy: &Arc<Entropy>,
    wire: &Arc<Wire>,
) -> Result<(Arc<dyn Queue>, Arc<dyn Queue>), Failure> {
    let config = QueueConfig::default();
    let dead_letter_arn = format!(
        "arn:aws:sqs:{}:{}:{DEAD_LETTER_QUEUE}",
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
    let dead_letter_queue = create(DEAD_LETTER_QUEUE, BTreeMap::new())?;
    let redrive = serde_json::json!({
        "deadLetterTargetArn": dead_letter_arn,
        "maxReceiveCount": knobs.max_receive_count,
    });
    let attributes = BTreeMap::from([
        (
            "VisibilityTimeout".to_owned(),
            knobs.visibility_timeout.as_secs().to_string(),
        ),
        ("RedrivePolicy".to_owned(), redrive.to_string()),
    ]);
    Ok((create(QUEUE, attributes)?, dead_letter_queue))
}
