//! Synthetic runs for the tests of the formats: judged by the real judge, on made-up evidence.

use std::collections::BTreeMap;

use super::model::{JudgedRun, Report};
use serde_json::value::RawValue;

use crate::event::{Event, EventType};
use crate::order::Order;
use crate::ports::{Item, KEY_ATTRIBUTE, LogLine, QueueDepth, Timestamp};
use crate::verdict::{
    ChargesRow, Evidence, LedgerTotals, ReadBack, Reader, RunRecord, Usage, Verdict, judge,
};
use crate::worker::GuardName;

/// What a run looks like; the rest follows.
pub(super) struct Sketch {
    pub(super) number: u64,
    pub(super) arm: &'static str,
    pub(super) title: &'static str,
    pub(super) guard: GuardName,
    pub(super) order_id: String,
    pub(super) copies: u64,
    /// Deliveries that charge; the others skip. The third delivery wins the claim.
    pub(super) charges: u64,
    pub(super) expected: Option<Verdict>,
}

/// The MessageId of a copy.
pub(super) fn message_id(run: u64, copy: u64) -> String {
    format!("{:08x}-0000-4000-8000-{:012x}", run * 0x1000 + copy, copy)
}

/// The request id of the invocation that took the copy.
fn request_id(copy: u64) -> String {
    format!("{copy:08x}-1111-4111-8111-111111111111")
}

/// The three runs of the article.
pub(super) fn article() -> Report {
    let sketch = |number, arm, title, guard, order: &str, copies, charges, expected| {
        Sketch {
            number,
            arm,
            title,
            guard,
            order_id: order.to_owned(),
            copies,
            charges,
            expected: Some(expected),
        }
        .judged()
    };
    report(vec![
        sketch(
            1,
            "guard-off",
            "experiment 1: guard off, 4 copies of ORDER-001",
            GuardName::None,
            "ORDER-001",
            4,
            4,
            Verdict::Double,
        ),
        sketch(
            2,
            "guard-on",
            "experiment 2: guard on, 10 copies of ORDER-003",
            GuardName::Claim,
            "ORDER-003",
            10,
            1,
            Verdict::Pass,
        ),
        sketch(
            3,
            "race",
            "two deliveries look before either has written",
            GuardName::IfExists,
            "ORDER-004",
            4,
            2,
            Verdict::Double,
        ),
    ])
}

/// A report of some runs.
pub(super) fn report(runs: Vec<JudgedRun>) -> Report {
    let knob = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    Report {
        name: "article".to_owned(),
        title: "The same order arrives many times.".to_owned(),
        seed: Some(1),
        knobs: vec![knob("work", "4s"), knob("visibility_timeout", "30s")],
        replay: "lab run article --seed 1".to_owned(),
        runs,
    }
}

/// A guarded run of 4 copies of an order with this id.
pub(super) fn guarded(number: u64, order_id: &str) -> JudgedRun {
    Sketch {
        number,
        arm: "guard-on",
        title: "4 copies of one order",
        guard: GuardName::Claim,
        order_id: order_id.to_owned(),
        copies: 4,
        charges: 1,
        expected: None,
    }
    .judged()
}

/// A guarded run whose sums do not meet: a `process_end` is missing.
pub(super) fn incomplete() -> JudgedRun {
    let mut run = guarded(1, "ORDER-003");
    let evidence = &mut run.evidence;
    evidence.events.insert(EventType::ProcessEnd, 3);
    evidence.read_back.events.insert(EventType::ProcessEnd, 3);
    run.judgement = judge(&run.record, &run.evidence);
    run.warnings = vec!["one line of the log could not be read: look at it by hand".to_owned()];
    run
}

/// Ids that try to break a terminal, a Markdown table or a spreadsheet.
pub(super) const HOSTILE_IDS: [&str; 6] = [
    "=HYPERLINK(\"http://evil.example\",\"ORDER\")",
    "\u{1b}[2J\u{1b}]0;owned\u{7}ORDER\u{9b}31m",
    "two\nlines\tand|a `pipe` <b>bold</b>\\|",
    "🎉👩‍👧 pedido-ñ, \"5\"",
    "@cmd-+1",
    "\u{202e}300-REDRO",
];

/// One run per hostile id, and one with the longest id that a key may have.
pub(super) fn hostile() -> Report {
    let longest = format!("ORDER-{}-END", "x".repeat(2038));
    let ids = HOSTILE_IDS.into_iter().chain([longest.as_str()]);
    report(
        ids.zip(1..)
            .map(|(id, number)| guarded(number, id))
            .collect(),
    )
}

impl Sketch {
    /// The run with its evidence and verdict.
    pub(super) fn judged(&self) -> JudgedRun {
        let record = self.record();
        let evidence = self.evidence(&record);
        JudgedRun {
            arm: self.arm.to_owned(),
            title: self.title.to_owned(),
            judgement: judge(&record, &evidence),
            record,
            evidence,
            expected: self.expected,
            queried_by: "embedded".to_owned(),
            warnings: Vec::new(),
        }
    }

    fn record(&self) -> RunRecord {
        RunRecord {
            run: format!("run-{}", self.number),
            target: "local".to_owned(),
            guard: self.guard,
            order: Order {
                order_id: self.order_id.parse().expect("a valid id"),
                customer_id: "CUSTOMER-123".to_owned(),
                amount: "150.00".parse().expect("an amount"),
            },
            other_contents: Vec::new(),
            message_ids: (1..=self.copies)
                .map(|copy| message_id(self.number, copy).into())
                .collect(),
        }
    }

    fn evidence(&self, record: &RunRecord) -> Evidence {
        let events = self.events();
        let amounts = vec![record.order.amount.clone(); self.charges as usize];
        let writes = match self.guard {
            GuardName::None => 0,
            GuardName::IfExists => self.charges,
            _ => 2 * self.charges,
        };
        let refused_writes = match self.guard.claims() {
            true => self.copies - self.charges,
            false => 0,
        };
        let reads = match self.guard {
            GuardName::IfExists => self.copies,
            _ => 0,
        };
        Evidence {
            dead_letters: 0,
            charges: ChargesRow {
                charges: self.charges,
                orders: u64::from(self.charges > 0),
                messages: self.charges,
            },
            read_back: self.read_back(record),
            events,
            items: self.items(),
            ledger: Some(LedgerTotals {
                charges: self.charges,
                amount: amounts.iter().sum(),
            }),
            depth: QueueDepth::default(),
            fifo: false,
            usage: Some(Usage {
                writes,
                refused_writes,
                reads,
                sends: self.copies,
                receives: self.copies,
                deletes: self.copies,
                ..Usage::default()
            }),
            witness: None,
            faults: Vec::new(),
            gathered_at: None,
        }
    }

    fn events(&self) -> BTreeMap<EventType, u64> {
        let skipped = self.copies - self.charges;
        let (won, lost) = match self.guard.claims() {
            true => (self.charges, skipped),
            // `if-exists` takes no claim, but says that it met one.
            false => (0, skipped),
        };
        let counts = [
            (EventType::ProcessStart, self.copies),
            (EventType::ClaimWon, won),
            (EventType::ClaimLost, lost),
            (EventType::SkipDuplicate, skipped),
            (EventType::ChargeApplied, self.charges),
            (EventType::ProcessEnd, self.copies),
        ];
        counts.into_iter().filter(|(_, count)| *count > 0).collect()
    }

    /// The lines of the run, read back. All deliveries begin and end at the same time.
    fn read_back(&self, record: &RunRecord) -> ReadBack {
        let charged = match self.charges == self.copies {
            true => 1..=self.copies,
            false => 3..=2 + self.charges,
        };
        let claims = self.guard.claims();
        let mut reader = Reader::new(&record.run, &record.message_ids);
        let mut write = |millis: u64, position: u64, message: String| {
            let time = Timestamp::from_millis(1_790_000_000_000 + millis);
            reader.read(LogLine {
                timestamp: time,
                ingested_at: time,
                stream: "stream",
                message: &message,
                position: Some(position),
            });
        };
        let mut position = 0;
        for (millis, step) in [(0, 0), (4_000, 1)] {
            for copy in 1..=self.copies {
                let charges = charged.contains(&copy);
                let types: &[EventType] = match (step, charges, claims) {
                    (0, true, true) => &[EventType::ProcessStart, EventType::ClaimWon],
                    (0, true, false) => &[EventType::ProcessStart],
                    (0, false, true) => &[
                        EventType::ProcessStart,
                        EventType::ClaimLost,
                        EventType::SkipDuplicate,
                    ],
                    (0, false, false) => &[EventType::ProcessStart],
                    (_, true, _) => &[EventType::ChargeApplied, EventType::ProcessEnd],
                    (_, false, true) => &[EventType::ProcessEnd],
                    (_, false, false) => &[
                        EventType::ClaimLost,
                        EventType::SkipDuplicate,
                        EventType::ProcessEnd,
                    ],
                };
                for event_type in types {
                    position += 1;
                    write(millis, position, self.line(record, copy, *event_type));
                }
                if step == 1 {
                    position += 1;
                    write(
                        millis,
                        position,
                        format!(
                            "REPORT RequestId: {}\tDuration: 4000.00 ms\t",
                            request_id(copy)
                        ),
                    );
                }
            }
        }
        reader.finish()
    }

    fn line(&self, record: &RunRecord, copy: u64, event_type: EventType) -> String {
        let amount = RawValue::from_string(record.order.amount.to_string()).expect("a number");
        Event {
            event_type,
            order_id: self.order_id.as_str().into(),
            message_id: message_id(self.number, copy).into(),
            run: record.run.as_str().into(),
            request_id: request_id(copy).into(),
            guard: self.guard.name().into(),
            receive_count: 1,
            amount: (event_type == EventType::ChargeApplied).then_some(&*amount),
        }
        .to_line()
    }

    fn items(&self) -> Vec<Item> {
        if !self.guard.writes_items() {
            return Vec::new();
        }
        let winner = message_id(self.number, 3);
        let mut item = Item::from([
            (KEY_ATTRIBUTE.to_owned(), self.order_id.as_str().into()),
            ("status".to_owned(), "COMPLETED".into()),
            ("completedMessageId".to_owned(), winner.as_str().into()),
            ("completedAt".to_owned(), "2026-09-21T14:13:24.000Z".into()),
        ]);
        if self.guard.claims() {
            item.insert("messageId".to_owned(), winner.into());
            item.insert("claimedAt".to_owned(), "2026-09-21T14:13:20.000Z".into());
        }
        vec![item]
    }
}
