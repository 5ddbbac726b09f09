//! A whole stack in virtual time, and the evidence of what ran on it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use lab::cloud::claims::MemoryClaims;
use lab::cloud::clock::VirtualClock;
use lab::cloud::log::EmbeddedLog;
use lab::cloud::queue::{QueueConfig, QueueService};
use lab::cloud::till::Ledger;
use lab::cloud::wire::{Latency, Wire, WiredClaims, WiredQueue, WiredTill};
use lab::entropy::Entropy;
use lab::event::{Event, EventType};
use lab::experiment::witness;
use lab::mapping::{FunctionLimits, Mapping, MappingSettings};
use lab::order::Order;
use lab::ports::{
    Caller, Claims, Clock, Log, LogLine, MessageAttribute, Outgoing, Queue, TimeRange, Timestamp,
};
use lab::verdict::{
    ChargesRow, Embedded, Evidence, FaultFired, Judgement, LedgerTotals, Reader, RunRecord,
    Sources, Verdict, collect, judge,
};
use lab::worker::{GuardName, GuardSettings, Host, HostPorts, HostSettings, RUN_ATTRIBUTE};

/// 2026-09-20T20:58:23.240Z.
const START: Timestamp = Timestamp::from_millis(1_789_937_903_240);

/// How a run is made.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) guard: GuardName,
    /// The amounts of the copies, in the order of sending.
    pub(crate) amounts: Vec<&'static str>,
    pub(crate) faults: Vec<String>,
    pub(crate) batch_size: u16,
    /// Whether a record that fails is reported, or fails its batch.
    pub(crate) partial: bool,
    /// Pollers: 1 makes deliveries come one after the other.
    pub(crate) pollers: usize,
    pub(crate) settings: GuardSettings,
    pub(crate) work: Duration,
    pub(crate) timeout: Duration,
    pub(crate) receives: u32,
    /// How long the run is looked at.
    pub(crate) patience: Duration,
    pub(crate) seed: u64,
}

/// Copies of an order under a guard, with nothing wrong.
pub(crate) fn setup(guard: GuardName, copies: usize) -> Setup {
    Setup {
        guard,
        amounts: vec!["150.00"; copies],
        faults: Vec::new(),
        batch_size: 1,
        partial: true,
        pollers: 5,
        settings: GuardSettings::default(),
        work: Duration::from_secs(4),
        timeout: Duration::from_secs(10),
        receives: 4,
        patience: Duration::from_secs(3_600),
        seed: 1,
    }
}

/// A line of the log.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) time: Timestamp,
    pub(crate) position: u64,
    pub(crate) text: String,
}

impl Line {
    pub(crate) fn event_type(&self) -> Option<EventType> {
        Event::from_line(&self.text).map(|event| event.event_type)
    }
}

/// What a run left behind.
pub(crate) struct Run {
    pub(crate) record: RunRecord,
    pub(crate) evidence: Evidence,
    pub(crate) lines: Vec<Line>,
}

impl Run {
    pub(crate) fn judged(&self) -> Judgement {
        judge(&self.record, &self.evidence)
    }

    /// The evidence if these had been the lines of the log.
    pub(crate) fn with_lines(&self, lines: &[Line]) -> Evidence {
        reread(&self.record, self.evidence.clone(), lines)
    }
}

/// The sums that do not meet.
pub(crate) fn broken(judgement: &Judgement) -> Vec<String> {
    let broken = judgement.checks.iter().filter(|check| !check.holds());
    broken.map(ToString::to_string).collect()
}

/// A run with a fault, one delivery after the other.
pub(crate) fn faulty(guard: GuardName, copies: usize, fault: &str) -> Setup {
    let mut setup = setup(guard, copies);
    setup.faults = vec![fault.to_owned()];
    setup.pollers = 1;
    setup
}

pub(crate) fn judged(setup: &Setup) -> (Run, Judgement) {
    let run = run(setup);
    let judgement = run.judged();
    assert_eq!(broken(&judgement), Vec::<String>::new(), "{setup:?}");
    (run, judgement)
}

/// What the lines say, without times and ids.
fn said(judgement: &Judgement) -> Vec<String> {
    let lines = judgement.lines.iter();
    lines
        .map(|line| line.splitn(3, "  ").nth(2).unwrap_or(line).to_owned())
        .collect()
}

#[track_caller]
pub(crate) fn check(setup: &Setup, verdict: Verdict, reason: &str, lines: &[&str]) {
    let (_, judgement) = judged(setup);
    assert_eq!(
        (judgement.verdict, judgement.reason.as_str()),
        (verdict, reason),
        "{:?}",
        judgement.lines
    );
    assert_eq!(said(&judgement), lines);
}

/// Evidence whose queries and lines are those of another log.
pub(crate) fn reread(record: &RunRecord, mut evidence: Evidence, lines: &[Line]) -> Evidence {
    let mut reader = Reader::new(&record.run, &record.message_ids);
    let mut events = BTreeMap::new();
    let (mut orders, mut messages) = (BTreeSet::new(), BTreeSet::new());
    for line in lines {
        reader.read(LogLine {
            timestamp: line.time,
            ingested_at: line.time,
            stream: "stream",
            message: &line.text,
            position: Some(line.position),
        });
        let Some(event) = Event::from_line(&line.text).filter(|event| event.run == record.run)
        else {
            continue;
        };
        *events.entry(event.event_type).or_default() += 1;
        if event.event_type == EventType::ChargeApplied {
            orders.insert(event.order_id.to_string());
            messages.insert(event.message_id.to_string());
        }
    }
    evidence.charges = ChargesRow {
        charges: events
            .get(&EventType::ChargeApplied)
            .copied()
            .unwrap_or_default(),
        orders: orders.len() as u64,
        messages: messages.len() as u64,
    };
    evidence.events = events;
    evidence.read_back = reader.finish();
    evidence
}

/// Makes a run.
pub(crate) fn run(setup: &Setup) -> Run {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    runtime.block_on(run_in_virtual_time(setup))
}

async fn run_in_virtual_time(setup: &Setup) -> Run {
    let clock: Arc<dyn Clock> = Arc::new(VirtualClock::starting_at(START));
    let entropy = Arc::new(Entropy::seeded(setup.seed));
    let rules = setup
        .faults
        .iter()
        .map(|rule| rule.parse().expect("a rule"));
    let latency: Latency = "2..9ms".parse().expect("a latency");
    let wire = Wire::new(Arc::clone(&clock), Arc::clone(&entropy), latency);
    let wire = Arc::new(wire.with_faults(rules.collect()));
    let (queue, dead) = queues(setup, &clock, &entropy, &wire);
    let table = Arc::new(MemoryClaims::new(Arc::clone(&clock)));
    let claims: Arc<dyn Claims> = Arc::new(WiredClaims::new(Arc::clone(&wire), table));
    let ledger = Arc::new(Ledger::new(Arc::clone(&clock)));
    let log: Arc<dyn Log> = Arc::new(EmbeddedLog::new("/aws/lambda/lab", Arc::clone(&clock)));
    let host_settings = HostSettings {
        guard: setup.guard,
        work: setup.work,
        timeout: setup.timeout,
        reserved_concurrency: None,
        report_batch_item_failures: setup.partial,
    };
    let ports = HostPorts {
        claims: Arc::clone(&claims),
        log: Arc::clone(&log),
        till: Arc::new(WiredTill::new(Arc::clone(&wire), Arc::clone(&ledger) as _)),
        clock: Arc::clone(&clock),
    };
    let host = Host::new(host_settings, ports, Arc::clone(&entropy));
    let host = Arc::new(host.with_guard_settings(setup.settings.clone()));
    let record = RunRecord {
        message_ids: send(&*queue, &setup.amounts).await,
        run: "r-1".to_owned(),
        target: "local".to_owned(),
        guard: setup.guard,
        order: order(setup.amounts[0]),
        other_contents: setup
            .amounts
            .iter()
            .filter(|amount| **amount != setup.amounts[0])
            .map(|amount| order(amount))
            .collect(),
    };
    let mapping = Mapping::start(
        Arc::clone(&queue),
        Arc::clone(&host) as _,
        Arc::clone(&clock),
        MappingSettings {
            batch_size: setup.batch_size,
            report_batch_item_failures: setup.partial,
            initial_concurrency: setup.pollers,
            maximum_concurrency: setup.pollers,
            ..MappingSettings::default()
        },
        FunctionLimits {
            timeout: setup.timeout,
        },
    )
    .await
    .expect("a mapping");
    let deadline = clock.now() + setup.patience;
    let depth = async || {
        let depth = queue.depth(&Caller::Observer).await;
        depth.expect("a depth").total()
    };
    while depth().await > 0 && clock.now() < deadline {
        clock.sleep(Duration::from_secs(1)).await;
    }
    mapping.stop().await;
    log.flush().await.expect("flushed");
    let total = ledger.total(&record.order.order_id);
    let (usage, witness) = witness(&wire, host.invocations());
    let fired = wire.fired().into_iter().map(|(rule, fired)| FaultFired {
        rule: rule.to_string(),
        fired,
    });
    let embedded = Embedded {
        ledger: Some(
            total.map_or_else(LedgerTotals::default, |total| LedgerTotals {
                charges: total.charges,
                amount: total.amount,
            }),
        ),
        usage: Some(usage),
        witness: Some(witness),
        faults: fired.collect(),
        gathered_at: Some(clock.now()),
    };
    let sources = Sources {
        queue: &*queue,
        dead_letter_queue: Some(&*dead),
        claims: &*claims,
        log: &*log,
    };
    let evidence = collect(&record, &sources, embedded)
        .await
        .expect("evidence");
    let mut lines = Vec::new();
    log.read(&Caller::Observer, TimeRange::ALL, &mut |line| {
        lines.push(Line {
            time: line.timestamp,
            position: line.position.unwrap_or_default(),
            text: line.message.to_owned(),
        });
    })
    .await
    .expect("lines");
    Run {
        record,
        evidence,
        lines,
    }
}

pub(crate) fn order(amount: &str) -> Order {
    Order {
        order_id: "ORDER-003".parse().expect("an id"),
        customer_id: "CUSTOMER-123".to_owned(),
        amount: amount.parse().expect("an amount"),
    }
}

async fn send(queue: &dyn Queue, amounts: &[&str]) -> Vec<Box<str>> {
    let attributes = BTreeMap::from([(RUN_ATTRIBUTE.to_owned(), MessageAttribute::string("r-1"))]);
    let attributes = Arc::new(attributes);
    let mut ids = Vec::new();
    for amount in amounts {
        let message = Outgoing {
            attributes: Arc::clone(&attributes),
            ..Outgoing::new(order(amount).body())
        };
        if let Ok(sent) = queue.send(&Caller::Producer, message).await {
            ids.push(sent.message_id.into());
        }
    }
    ids
}

fn queues(
    setup: &Setup,
    clock: &Arc<dyn Clock>,
    entropy: &Arc<Entropy>,
    wire: &Arc<Wire>,
) -> (Arc<dyn Queue>, Arc<dyn Queue>) {
    let config = QueueConfig::default();
    let arn = format!("arn:aws:sqs:{}:{}:dead", config.region, config.account_id);
    let service = QueueService::new(Arc::clone(clock), Arc::clone(entropy), config);
    let create = |name: &str, attributes: BTreeMap<String, String>| -> Arc<dyn Queue> {
        service
            .with(|queues, now, entropy| queues.create_queue(now, entropy, name, &attributes))
            .expect("a queue");
        let handle = service.handle(name).expect("the queue");
        Arc::new(WiredQueue::new(Arc::clone(wire), Arc::new(handle)))
    };
    let dead = create("dead", BTreeMap::new());
    let redrive =
        serde_json::json!({ "deadLetterTargetArn": arn, "maxReceiveCount": setup.receives });
    let attributes = BTreeMap::from([
        ("VisibilityTimeout".to_owned(), "60".to_owned()),
        ("RedrivePolicy".to_owned(), redrive.to_string()),
    ]);
    (create("orders", attributes), dead)
}
