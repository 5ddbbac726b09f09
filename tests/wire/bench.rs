//! A table, a till and a queue behind one wire, and a consumer that makes every call once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lab::cloud::claims::MemoryClaims;
use lab::cloud::clock::VirtualClock;
use lab::cloud::queue::{QueueConfig, QueueService};
use lab::cloud::till::Ledger;
use lab::cloud::wire::{
    Answer, FaultRule, Latency, Outcome, Wire, WiredClaims, WiredQueue, WiredTill,
};
use lab::entropy::Entropy;
use lab::ports::{
    Caller, Charge, Claims, Clock, Condition, Invocation, Item, KEY_ATTRIBUTE, PortError, Queue,
    Till, Timestamp, WriteOutcome,
};

pub(crate) const START: Timestamp = Timestamp::from_millis(1_789_937_903_240);

/// What an SDK waits before it repeats a call.
pub(crate) const RETRY_PAUSE: Duration = Duration::from_millis(50);

/// The calls of [`Bench::consume`], in its order.
pub(crate) const VERBS: [&str; 6] = ["read", "claim", "charge", "complete", "transact", "release"];

pub(crate) struct Bench {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) wire: Arc<Wire>,
    pub(crate) claims: WiredClaims,
    pub(crate) queue: WiredQueue,
    pub(crate) ledger: Arc<Ledger>,
    till: WiredTill,
    table: Arc<MemoryClaims>,
}

/// What a run of the consumer left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trace {
    /// What the consumer saw, call by call.
    pub(crate) saw: Vec<String>,
    /// How its process ended.
    pub(crate) ending: Ending,
    /// How long that took.
    pub(crate) took: Duration,
    pub(crate) state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Returned,
    Killed,
    TimedOut,
}

/// The statuses in the table by key, and how often the customer was charged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) items: BTreeMap<String, String>,
    pub(crate) charges: u64,
}

pub(crate) fn rule(text: &str) -> FaultRule {
    text.parse()
        .unwrap_or_else(|failure| panic!("{text}: {failure}"))
}

pub(crate) fn item(key: &str, status: &str) -> Item {
    Item::from([
        (KEY_ATTRIBUTE.to_owned(), key.into()),
        ("status".to_owned(), status.into()),
    ])
}

pub(crate) fn has_status(status: &str) -> Condition {
    Condition::Equals {
        attribute: "status",
        value: status.to_owned(),
    }
}

pub(crate) fn invocation(number: u32) -> Arc<Invocation> {
    Arc::new(Invocation::new(number, format!("request-{number}")))
}

fn written(outcome: &WriteOutcome) -> &'static str {
    match outcome {
        WriteOutcome::Applied => "applied",
        WriteOutcome::Refused { .. } => "refused",
    }
}

impl Bench {
    pub(crate) fn new(rules: &[&str]) -> Self {
        Self::with_latency(rules, Latency::NONE)
    }

    pub(crate) fn with_latency(rules: &[&str], latency: Latency) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(VirtualClock::starting_at(START));
        let entropy = Arc::new(Entropy::seeded(1));
        let rules = rules.iter().map(|text| rule(text)).collect();
        let wire = Wire::new(Arc::clone(&clock), Arc::clone(&entropy), latency);
        let wire = Arc::new(wire.with_faults(rules));
        let table = Arc::new(MemoryClaims::new(Arc::clone(&clock)));
        let ledger = Arc::new(Ledger::new(Arc::clone(&clock)));
        let service = QueueService::new(Arc::clone(&clock), entropy, QueueConfig::default());
        service
            .with(|queues, now, entropy| {
                queues.create_queue(now, entropy, "orders", &BTreeMap::new())
            })
            .expect("a new queue");
        let queue: Arc<dyn Queue> = Arc::new(service.handle("orders").expect("the queue"));
        Self {
            claims: WiredClaims::new(Arc::clone(&wire), Arc::clone(&table) as _),
            till: WiredTill::new(Arc::clone(&wire), Arc::clone(&ledger) as _),
            queue: WiredQueue::new(Arc::clone(&wire), queue),
            clock,
            wire,
            ledger,
            table,
        }
    }

    /// Makes the first `calls` of [`VERBS`] and stops at the first error.
    async fn consume(&self, by: &Caller, order: &str, calls: usize, saw: &Mutex<Vec<String>>) {
        for verb in &VERBS[..calls] {
            let result = self.call(by, order, verb).await;
            let line = match &result {
                Ok(answer) => format!("{verb}: {answer}"),
                Err(error) => format!("{verb}: {:?}, {error}", error.kind),
            };
            saw.lock().expect("not poisoned").push(line);
            if result.is_err() {
                return;
            }
        }
    }

    async fn call(&self, by: &Caller, order: &str, verb: &str) -> Result<String, PortError> {
        let answer = match verb {
            "read" => match self.claims.get(by, order, true).await? {
                Some(_) => "there",
                None => "nothing",
            },
            "claim" => written(
                &self
                    .claims
                    .put(by, item(order, "CLAIMED"), Condition::Absent)
                    .await?,
            ),
            "charge" => {
                let charge = Charge {
                    order_id: order.parse().expect("an order id"),
                    message_id: "m-1".to_owned(),
                    amount: "150.00".parse().expect("an amount"),
                    key: None,
                };
                self.till.charge(by, charge).await?;
                "paid"
            }
            "complete" => {
                let set = Item::from([("status".to_owned(), "COMPLETED".into())]);
                let condition = has_status("CLAIMED");
                written(&self.claims.update(by, order, set, condition).await?)
            }
            "transact" => {
                let puts = ["bill", "parcel"]
                    .map(|part| (item(&format!("{order}-{part}"), "NEW"), Condition::Absent));
                let outcomes = self.claims.put_all(by, puts.into()).await?;
                return Ok(outcomes.iter().map(written).collect::<Vec<_>>().join(" "));
            }
            "release" => {
                let condition = has_status("COMPLETED");
                written(&self.claims.delete(by, order, condition).await?)
            }
            other => panic!("no call {other}"),
        };
        Ok(answer.to_owned())
    }

    /// Runs the consumer as one invocation, as a host would, for at most an hour.
    pub(crate) async fn invoke(&self, number: u32, order: &str, calls: usize) -> Trace {
        self.invoke_within(Duration::from_secs(3600), number, order, calls)
            .await
    }

    pub(crate) async fn invoke_within(
        &self,
        timeout: Duration,
        number: u32,
        order: &str,
        calls: usize,
    ) -> Trace {
        let started = self.clock.now();
        let invocation = invocation(number);
        let by = Caller::Invocation(Arc::clone(&invocation));
        let saw = Mutex::default();
        let ending = tokio::select! {
            biased;
            () = invocation.killed() => Ending::Killed,
            () = self.consume(&by, order, calls, &saw) => Ending::Returned,
            () = self.clock.sleep(timeout) => Ending::TimedOut,
        };
        Trace {
            saw: saw.into_inner().expect("not poisoned"),
            ending,
            took: self.clock.now().since(started),
            state: self.state().await,
        }
    }

    pub(crate) async fn state(&self) -> State {
        let items = self.table.scan(&Caller::Observer).await.expect("a scan");
        let told = items.into_iter().map(|item| {
            let text = |name: &str| item[name].as_str().to_owned();
            (text(KEY_ATTRIBUTE), text("status"))
        });
        State {
            items: told.collect(),
            charges: self.ledger.charges(),
        }
    }

    /// How often each rule fired, in their order.
    pub(crate) fn fired(&self) -> Vec<u64> {
        let fired = self.wire.fired();
        fired.into_iter().map(|(_, count)| count).collect()
    }

    /// The tries of one kind of call.
    pub(crate) fn tries(&self, verb: &str) -> Vec<(Outcome, Answer)> {
        let calls = self.wire.history().calls();
        calls
            .into_iter()
            .filter(|call| call.operation.verb() == verb)
            .map(|call| (call.outcome, call.answer))
            .collect()
    }
}

/// One invocation of the consumer under these rules.
pub(crate) async fn run(rules: &[&str], calls: usize) -> (Bench, Trace) {
    let bench = Bench::new(rules);
    let trace = bench.invoke(1, "ORDER-003", calls).await;
    (bench, trace)
}

/// What the consumer does and leaves behind if nothing happens to it.
pub(crate) async fn undisturbed(calls: usize) -> Trace {
    run(&[], calls).await.1
}
