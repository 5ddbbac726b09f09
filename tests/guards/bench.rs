//! A function under a guard, with everything around it, and hand-made deliveries.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use lab::cloud::claims::MemoryClaims;
use lab::cloud::clock::VirtualClock;
use lab::cloud::log::EmbeddedLog;
use lab::cloud::till::Ledger;
use lab::entropy::Entropy;
use lab::event::Event;
use lab::ports::{
    AttributeValue, Caller, Claims, Clock, Item, KEY_ATTRIBUTE, Log, TimeRange, Timestamp,
};
use lab::worker::{
    Function, GuardName, GuardSettings, Host, HostPorts, HostSettings, InvokeOutcome,
};

use crate::faults::{Call, Fault, Faulty};

/// 2026-09-20T20:58:23.240Z.
pub(crate) const START: Timestamp = Timestamp::from_millis(1_789_937_903_240);
pub(crate) const WORK: Duration = Duration::from_secs(4);
pub(crate) const TIMEOUT: Duration = Duration::from_secs(10);
pub(crate) const DAY: Duration = Duration::from_secs(24 * 60 * 60);
pub(crate) const ORDER: &str = "ORDER-003";

/// The events of a delivery that charged without a claim.
pub(crate) const CHARGED: &[&str] = &["process_start", "charge_applied", "process_end"];
/// The events of a delivery that won the claim and charged.
pub(crate) const WON: &[&str] = &[
    "process_start",
    "claim_won",
    "charge_applied",
    "process_end",
];
/// The events of a delivery that was skipped as a duplicate.
pub(crate) const SKIPPED: &[&str] = &[
    "process_start",
    "claim_lost",
    "skip_duplicate",
    "process_end",
];
/// The events of a delivery that failed before it had a claim.
pub(crate) const FAILED: &[&str] = &["process_start"];
/// The events of a delivery that won the claim and failed before its charge was logged.
pub(crate) const FAILED_CLAIMED: &[&str] = &["process_start", "claim_won"];

/// The order of every test, in a body that the producer wrote.
pub(crate) fn body(amount: &str) -> String {
    format!(r#"{{"orderId":"{ORDER}","customerId":"CUSTOMER-123","amount":{amount}}}"#)
}

/// One delivery of one message.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) body: String,
    pub(crate) receive_count: usize,
}

/// The first delivery of a message with that id.
pub(crate) fn message(id: &str) -> Message {
    Message {
        id: id.to_owned(),
        body: body("150.00"),
        receive_count: 1,
    }
}

impl Message {
    /// The nth delivery of the same message.
    pub(crate) fn again(&self, receive_count: usize) -> Self {
        Self {
            receive_count,
            ..self.clone()
        }
    }

    pub(crate) fn with_body(mut self, body: impl Into<String>) -> Self {
        self.body = body.into();
        self
    }
}

pub(crate) fn sqs_event(messages: &[Message]) -> String {
    let records: Vec<_> = messages
        .iter()
        .map(|message| {
            serde_json::json!({
                "messageId": message.id,
                "receiptHandle": "handle",
                "body": message.body,
                "attributes": {"ApproximateReceiveCount": message.receive_count.to_string()},
                "messageAttributes": {"run": {"stringValue": "r-1", "dataType": "String"}},
                "eventSource": "aws:sqs",
            })
        })
        .collect();
    serde_json::json!({ "Records": records }).to_string()
}

/// The answer that names these messages as failed.
pub(crate) fn answered(failed: &[&str]) -> InvokeOutcome {
    let failures: Vec<_> = failed
        .iter()
        .map(|id| serde_json::json!({ "itemIdentifier": id }))
        .collect();
    InvokeOutcome::Answered(serde_json::json!({ "batchItemFailures": failures }).to_string())
}

/// Turns a till into another kind of till.
pub(crate) type TillSetup = fn(Ledger) -> Ledger;

/// What can be chosen about a bench.
pub(crate) struct Setup {
    pub(crate) settings: GuardSettings,
    pub(crate) timeout: Duration,
    pub(crate) report_batch_item_failures: bool,
    pub(crate) till: TillSetup,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            settings: GuardSettings::default(),
            timeout: TIMEOUT,
            report_batch_item_failures: true,
            till: |ledger| ledger,
        }
    }
}

fn host(guard: GuardName, setup: &Setup, ports: HostPorts, seed: u64) -> Host {
    let settings = HostSettings {
        guard,
        work: WORK,
        timeout: setup.timeout,
        reserved_concurrency: None,
        report_batch_item_failures: setup.report_batch_item_failures,
    };
    Host::new(settings, ports, Arc::new(Entropy::seeded(seed)))
        .with_guard_settings(setup.settings.clone())
}

/// A clock that is wrong.
struct Ahead {
    clock: Arc<dyn Clock>,
    ahead: Duration,
}

#[async_trait]
impl Clock for Ahead {
    fn now(&self) -> Timestamp {
        self.clock.now() + self.ahead
    }

    async fn sleep_until(&self, deadline: Timestamp) {
        let left = deadline.since(self.now());
        self.clock.sleep(left).await;
    }
}

pub(crate) struct Bench {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) table: Arc<MemoryClaims>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) faulty: Arc<Faulty>,
    log: Arc<EmbeddedLog>,
    host: Host,
    guard: GuardName,
    setup: Setup,
}

impl Bench {
    pub(crate) fn new(guard: GuardName) -> Self {
        Self::with(guard, Setup::default())
    }

    pub(crate) fn with(guard: GuardName, setup: Setup) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(VirtualClock::starting_at(START));
        let table = Arc::new(MemoryClaims::new(Arc::clone(&clock)));
        let ledger = Arc::new((setup.till)(Ledger::new(Arc::clone(&clock))));
        let faulty = Arc::new(Faulty::new(
            Arc::clone(&clock),
            Arc::clone(&table) as _,
            Arc::clone(&ledger) as _,
        ));
        let log = Arc::new(EmbeddedLog::new("/aws/lambda/test", Arc::clone(&clock)));
        let ports = HostPorts {
            claims: Arc::clone(&faulty) as _,
            log: Arc::clone(&log) as _,
            till: Arc::clone(&faulty) as _,
            clock: Arc::clone(&clock),
        };
        let host = host(guard, &setup, ports, 1);
        Self {
            clock,
            table,
            ledger,
            faulty,
            log,
            host,
            guard,
            setup,
        }
    }

    /// Another function under the same guard, at the same table and till, whose clock is ahead.
    pub(crate) fn host_ahead(&self, ahead: Duration) -> Host {
        let ports = HostPorts {
            claims: Arc::clone(&self.faulty) as _,
            log: Arc::clone(&self.log) as _,
            till: Arc::clone(&self.faulty) as _,
            clock: Arc::new(Ahead {
                clock: Arc::clone(&self.clock),
                ahead,
            }),
        };
        host(self.guard, &self.setup, ports, 2)
    }

    /// Arms a fault for the nth call of that kind.
    pub(crate) fn arm(&self, call: Call, nth: usize, fault: Fault) {
        self.faulty.arm(call, nth, fault);
    }

    pub(crate) async fn deliver(&self, message: &Message) -> InvokeOutcome {
        self.deliver_batch(std::slice::from_ref(message)).await
    }

    pub(crate) async fn deliver_batch(&self, messages: &[Message]) -> InvokeOutcome {
        self.host.invoke(&sqs_event(messages)).await
    }

    /// Delivers when `after` has passed since the start.
    pub(crate) async fn at(&self, after: Duration, message: &Message) -> InvokeOutcome {
        self.clock.sleep_until(START + after).await;
        self.deliver(message).await
    }

    pub(crate) async fn pass(&self, duration: Duration) {
        self.clock.sleep(duration).await;
    }

    /// As a queue would, delivers the message every 30 s until it succeeds, five times at most.
    /// Returns the number of deliveries.
    pub(crate) async fn deliver_until_done(&self, message: &Message) -> usize {
        for receive_count in 1..=5 {
            if self.deliver(&message.again(receive_count)).await == answered(&[]) {
                return receive_count;
            }
            self.pass(Duration::from_secs(30)).await;
        }
        5
    }

    /// How often the customer was charged: at the till, and by rows of the ledger in the table.
    pub(crate) async fn charges(&self) -> usize {
        let items = self.items().await;
        let rows = items
            .iter()
            .filter(|i| GuardName::charged_by_row(i).is_some());
        usize::try_from(self.ledger.charges()).expect("a few") + rows.count()
    }

    /// The event types that a delivery logged, in order.
    pub(crate) async fn events(&self, message: &Message) -> Vec<&'static str> {
        let mut events = Vec::new();
        self.read(&mut |line| {
            if let Some(event) = Event::from_line(line)
                && event.message_id == message.id
                && event.receive_count as usize == message.receive_count
            {
                assert_eq!((&*event.order_id, &*event.run), (ORDER, "r-1"));
                events.push(event.event_type.name());
            }
        })
        .await;
        events
    }

    /// The lines that contain the words, without the prefix of the runtime.
    pub(crate) async fn lines(&self, words: &str) -> Vec<String> {
        let mut lines = Vec::new();
        self.read(&mut |line| {
            if line.contains(words) {
                let text = line.splitn(4, '\t').last().unwrap_or(line);
                lines.push(text.to_owned());
            }
        })
        .await;
        lines
    }

    /// Distinct environments that ran, and processes that were started in them.
    pub(crate) async fn environments_and_processes(&self) -> (usize, usize) {
        (
            self.log.streams().len(),
            self.lines("INIT_START").await.len(),
        )
    }

    pub(crate) async fn items(&self) -> Vec<Item> {
        let items = self.table.scan(&Caller::Observer).await;
        items.expect("the table answers")
    }

    /// The table as text: one line per item, `name=value`, Numbers in angle brackets. The nth
    /// invocation's request id is written as `q-n`.
    pub(crate) async fn table_text(&self) -> Vec<String> {
        let mut request_ids = Vec::new();
        self.read(&mut |line| {
            if let Some(rest) = line.strip_prefix("START RequestId: ") {
                request_ids.push(rest.split(' ').next().expect("an id").to_owned());
            }
        })
        .await;
        let text = |item: &Item| {
            let mut parts = vec![item[KEY_ATTRIBUTE].as_str().to_owned()];
            for (name, value) in item.iter().filter(|(name, _)| *name != KEY_ATTRIBUTE) {
                parts.push(match value {
                    AttributeValue::Text(text) => format!("{name}={text}"),
                    AttributeValue::Number(number) => format!("{name}=<{number}>"),
                });
            }
            let mut line = parts.join(" ");
            for (index, id) in request_ids.iter().enumerate() {
                line = line.replace(id, &format!("q-{}", index + 1));
            }
            line
        };
        self.items().await.iter().map(text).collect()
    }

    /// One attribute of the order's item; empty if there is none.
    pub(crate) async fn attribute(&self, name: &str) -> String {
        let item = self.table.get(&Caller::Observer, ORDER, true).await;
        let item = item.expect("the table answers").unwrap_or_default();
        item.get(name)
            .map(|value| value.as_str().to_owned())
            .unwrap_or_default()
    }

    async fn read(&self, visit: &mut (dyn FnMut(&str) + Send)) {
        self.log
            .read(&Caller::Observer, TimeRange::ALL, &mut |line| {
                visit(line.message);
            })
            .await
            .expect("the log answers");
    }
}

/// A fault that never fired proves nothing.
impl Drop for Bench {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(self.faulty.left(), 0, "an armed fault never fired");
        }
    }
}
