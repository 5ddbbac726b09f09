//! Reading a run's lines back one by one: the second way to every number that a query gives, and
//! the only way to see which deliveries overlapped.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::event::{Event, EventType};
use crate::order::Amount;
use crate::ports::{LogLine, Timestamp};

/// A place in the order of a log: by time, then by arrival where the target tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Event time.
    pub time: Timestamp,
    /// Order of arrival; 0 where it is not known.
    pub position: u64,
}

/// What the log says of one delivery: one message in one invocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryTrace {
    /// `process_start`.
    pub started: Option<Moment>,
    /// `process_end`.
    pub ended: Option<Moment>,
    /// When the platform said that the invocation was over (its REPORT line).
    pub reported: Option<Moment>,
    /// Whether the claim was won.
    pub won: bool,
    /// Charges that it logged.
    pub charges: u32,
}

impl DeliveryTrace {
    /// Whether it was broken off: started and not ended, in an invocation that is over.
    pub fn failed(&self) -> bool {
        self.started.is_some() && self.ended.is_none() && self.reported.is_some()
    }
}

/// The lines of one run, counted one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadBack {
    /// Events by type.
    pub events: BTreeMap<EventType, u64>,
    /// Distinct messages that started.
    pub messages_started: u64,
    /// Messages that started although the run did not send them.
    pub foreign_messages: u64,
    /// Distinct guards named by the events.
    pub guards: Vec<String>,
    /// Distinct orders on `charge_applied` lines.
    pub orders_charged: u64,
    /// Distinct messages on `charge_applied` lines.
    pub messages_charged: u64,
    /// Sum of the amounts on `charge_applied` lines.
    pub amount_charged: Amount,
    /// One trace per delivery, in the order of their first lines.
    pub deliveries: Vec<DeliveryTrace>,
}

impl ReadBack {
    /// Whether two deliveries were being processed at the same time.
    pub fn overlapped(&self) -> bool {
        let mut spans: Vec<(Moment, Moment)> = self
            .deliveries
            .iter()
            .filter_map(|trace| Some((trace.started?, trace.ended.or(trace.reported)?)))
            .collect();
        spans.sort_unstable();
        let mut busy_until: Option<Moment> = None;
        for (start, end) in spans {
            if busy_until.is_some_and(|until| start < until) {
                return true;
            }
            busy_until = busy_until.max(Some(end));
        }
        false
    }

    /// Deliveries that satisfy `test`.
    pub fn count(&self, test: impl Fn(&DeliveryTrace) -> bool) -> u64 {
        self.deliveries.iter().filter(|trace| test(trace)).count() as u64
    }
}

/// Takes lines one at a time.
pub struct Reader<'a> {
    run: &'a str,
    sent: HashSet<&'a str>,
    seen: HashSet<Box<str>>,
    events: BTreeMap<EventType, u64>,
    foreign_messages: u64,
    guards: Vec<String>,
    orders_charged: HashSet<String>,
    messages_charged: HashSet<String>,
    amounts: Vec<Amount>,
    deliveries: Vec<DeliveryTrace>,
    /// Deliveries of the invocations that are not over yet, by request id.
    open: HashMap<Box<str>, Vec<(Box<str>, usize)>>,
}

impl<'a> Reader<'a> {
    /// A reader for the events of one run.
    pub fn new(run: &'a str, message_ids: &'a [Box<str>]) -> Self {
        Self {
            run,
            sent: message_ids.iter().map(|id| &**id).collect(),
            seen: HashSet::new(),
            events: BTreeMap::new(),
            foreign_messages: 0,
            guards: Vec::new(),
            orders_charged: HashSet::new(),
            messages_charged: HashSet::new(),
            amounts: Vec::new(),
            deliveries: Vec::new(),
            open: HashMap::new(),
        }
    }

    /// Takes the next line. Lines of other runs and lines that are no events are passed over.
    pub fn read(&mut self, line: LogLine<'_>) {
        let moment = Moment {
            time: line.timestamp,
            position: line.position.unwrap_or_default(),
        };
        if let Some(report) = line.message.strip_prefix("REPORT RequestId: ") {
            let request_id = report.split('\t').next().unwrap_or(report);
            self.close(request_id, moment);
            return;
        }
        let Some(event) = Event::from_line(line.message) else {
            return;
        };
        if event.run == self.run {
            self.take(&event, moment);
        }
    }

    fn close(&mut self, request_id: &str, moment: Moment) {
        for (_, index) in self.open.remove(request_id).unwrap_or_default() {
            self.deliveries[index].reported = Some(moment);
        }
    }

    fn take(&mut self, event: &Event<'_>, moment: Moment) {
        *self.events.entry(event.event_type).or_default() += 1;
        if !self.guards.iter().any(|guard| *guard == event.guard) {
            self.guards.push(event.guard.to_string());
        }
        let index = self.delivery(event);
        let trace = &mut self.deliveries[index];
        match event.event_type {
            EventType::ProcessStart => trace.started = Some(moment),
            EventType::ProcessEnd => trace.ended = Some(moment),
            EventType::ClaimWon => trace.won = true,
            EventType::ChargeApplied => {
                trace.charges += 1;
                self.orders_charged.insert(event.order_id.to_string());
                self.messages_charged.insert(event.message_id.to_string());
                let amount = event.amount.and_then(|amount| amount.get().parse().ok());
                self.amounts.extend(amount);
            }
            EventType::ClaimLost | EventType::SkipDuplicate => {}
        }
        if event.event_type == EventType::ProcessStart && !self.seen.contains(&*event.message_id) {
            self.seen.insert(event.message_id.as_ref().into());
            if !self.sent.contains(&*event.message_id) {
                self.foreign_messages += 1;
            }
        }
    }

    /// The delivery that the event belongs to: its message in its invocation.
    fn delivery(&mut self, event: &Event<'_>) -> usize {
        if !self.open.contains_key(&*event.request_id) {
            self.open
                .insert(event.request_id.as_ref().into(), Vec::with_capacity(1));
        }
        let messages = self
            .open
            .get_mut(&*event.request_id)
            .expect("it has just been put there");
        if let Some((_, index)) = messages.iter().find(|(id, _)| **id == *event.message_id) {
            return *index;
        }
        let index = self.deliveries.len();
        messages.push((event.message_id.as_ref().into(), index));
        self.deliveries.push(DeliveryTrace::default());
        index
    }

    /// The sums.
    pub fn finish(self) -> ReadBack {
        ReadBack {
            events: self.events,
            messages_started: self.seen.len() as u64,
            foreign_messages: self.foreign_messages,
            guards: self.guards,
            orders_charged: self.orders_charged.len() as u64,
            messages_charged: self.messages_charged.len() as u64,
            amount_charged: self.amounts.iter().sum(),
            deliveries: self.deliveries,
        }
    }
}
