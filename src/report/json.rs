//! The report for programs: one JSON document, described by `report.schema.json`.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::escape::misleads;
use super::model::{JudgedRun, Report};
use super::summary::VERSION;
use crate::event::EventType;
use crate::ports::{AttributeValue, Item};
use crate::verdict::{Check, Cost, FaultFired, PRICES_OF, Usage, Verdict};

/// Name and version of the format. The number changes when a reader of the old format would be
/// misled.
pub const SCHEMA_NAME: &str = "lab.report/1";

/// The JSON schema (draft 2020-12) of the document.
pub const SCHEMA: &str = include_str!("report.schema.json");

/// The report as JSON.
pub(super) fn render(report: &Report) -> String {
    let document = Document::new(report);
    let json = serde_json::to_string_pretty(&document).expect("a report is plain data");
    printable(&json) + "\n"
}

/// JSON has to escape C0 control characters only. Others that a terminal could obey are escaped
/// too; a reader gets the same text.
fn printable(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '\n' => text.push('\n'),
            _ if misleads(character) => text.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => text.push(character),
        }
    }
    text
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    seed: Option<u64>,
    runs: Vec<Run<'a>>,
    name: &'a str,
    title: &'a str,
    version: &'static str,
    knobs: Knobs<'a>,
    as_expected: bool,
    replay: &'a str,
}

#[derive(Serialize)]
struct Run<'a> {
    run: &'a str,
    arm: &'a str,
    title: &'a str,
    target: &'a str,
    guard: &'static str,
    order: &'a str,
    sent: u64,
    messages_started: u64,
    deliveries: u64,
    messages: u64,
    orders: u64,
    charges: u64,
    events: Events<'a>,
    items: Vec<TableItem<'a>>,
    table_writes: Option<u64>,
    ledger: Option<Ledger>,
    left_in_queue: u64,
    amount_owed: &'a str,
    amount_charged: String,
    overlapped: bool,
    redeliveries: u64,
    replays: u64,
    payload_mismatches: u64,
    faults: Vec<Fault<'a>>,
    usage: Option<Calls>,
    cost: Option<MillionMessages>,
    reconciled: bool,
    verdict: &'static str,
    reason: &'a str,
    lines: &'a [String],
    expected: Option<&'static str>,
    as_expected: bool,
    checks: Vec<Sum>,
    queried_by: &'a str,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct Ledger {
    charges: u64,
    amount: String,
}

#[derive(Serialize)]
struct Fault<'a> {
    rule: &'a str,
    fired: u64,
}

#[derive(Serialize)]
struct Calls {
    writes: u64,
    refused_writes: u64,
    transactions: u64,
    refused_transactions: u64,
    write_units: u64,
    reads: u64,
    queue_requests: u64,
    empty_receives: u64,
}

#[derive(Serialize)]
struct MillionMessages {
    table: String,
    queue: String,
    prices: &'static str,
}

#[derive(Serialize)]
struct Sum {
    name: &'static str,
    left: u64,
    right: u64,
    holds: bool,
}

/// An object with the knobs in their own order.
struct Knobs<'a>(&'a [(String, String)]);

/// An object with the types that occurred.
struct Events<'a>(&'a JudgedRun);

/// An item in DynamoDB's own JSON.
struct TableItem<'a>(&'a Item);

impl<'a> Document<'a> {
    fn new(report: &'a Report) -> Self {
        Self {
            schema: SCHEMA_NAME,
            seed: report.seed,
            runs: report.runs.iter().map(Run::new).collect(),
            name: &report.name,
            title: &report.title,
            version: VERSION,
            knobs: Knobs(&report.knobs),
            as_expected: !report.runs.is_empty() && report.runs.iter().all(JudgedRun::as_expected),
            replay: &report.replay,
        }
    }
}

impl<'a> Run<'a> {
    fn new(run: &'a JudgedRun) -> Self {
        let (record, evidence, judgement) = (&run.record, &run.evidence, &run.judgement);
        Self {
            run: &record.run,
            arm: &run.arm,
            title: &run.title,
            target: &record.target,
            guard: record.guard.name(),
            order: record.order.order_id.as_str(),
            sent: record.sent(),
            messages_started: evidence.read_back.messages_started,
            deliveries: evidence.read_back.deliveries.len() as u64,
            messages: evidence.charges.messages,
            orders: evidence.charges.orders,
            charges: evidence.charges.charges,
            events: Events(run),
            items: evidence.items.iter().map(TableItem).collect(),
            table_writes: evidence.table_writes(),
            ledger: evidence.ledger.as_ref().map(|ledger| Ledger {
                charges: ledger.charges,
                amount: ledger.amount.to_string(),
            }),
            left_in_queue: evidence.depth.total(),
            amount_owed: record.order.amount.as_str(),
            amount_charged: run.amount_charged(),
            overlapped: judgement.overlapped,
            redeliveries: evidence.redeliveries(),
            replays: evidence.replays(),
            payload_mismatches: evidence.payload_mismatches(),
            faults: evidence.faults.iter().map(Fault::new).collect(),
            usage: evidence.usage.map(Calls::new),
            cost: evidence.cost(record).map(MillionMessages::new),
            reconciled: judgement.reconciled,
            verdict: judgement.verdict.name(),
            reason: &judgement.reason,
            lines: &judgement.lines,
            expected: run.expected.map(Verdict::name),
            as_expected: run.as_expected(),
            checks: judgement.checks.iter().map(Sum::new).collect(),
            queried_by: &run.queried_by,
            warnings: &run.warnings,
        }
    }
}

impl<'a> Fault<'a> {
    fn new(fault: &'a FaultFired) -> Self {
        Self {
            rule: &fault.rule,
            fired: fault.fired,
        }
    }
}

impl Calls {
    fn new(usage: Usage) -> Self {
        Self {
            writes: usage.writes,
            refused_writes: usage.refused_writes,
            transactions: usage.transactions,
            refused_transactions: usage.refused_transactions,
            write_units: usage.write_units(),
            reads: usage.reads,
            queue_requests: usage.queue_requests(),
            empty_receives: usage.empty_receives,
        }
    }
}

impl MillionMessages {
    fn new(cost: Cost) -> Self {
        Self {
            table: cost.table.to_string(),
            queue: cost.queue.to_string(),
            prices: PRICES_OF,
        }
    }
}

impl Sum {
    fn new(check: &Check) -> Self {
        Self {
            name: check.name,
            left: check.left,
            right: check.right,
            holds: check.holds(),
        }
    }
}

impl Serialize for Knobs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Serialize for Events<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let count = |event_type: EventType| (event_type.name(), self.0.evidence.count(event_type));
        let counts = EventType::ALL.into_iter().map(count);
        serializer.collect_map(counts.filter(|(_, count)| *count > 0))
    }
}

impl Serialize for TableItem<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0 {
            let (kind, text) = match value {
                AttributeValue::Text(text) => ("S", text),
                AttributeValue::Number(text) => ("N", text),
            };
            map.serialize_entry(name, &std::collections::BTreeMap::from([(kind, text)]))?;
        }
        map.end()
    }
}
