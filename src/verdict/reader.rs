//! Reads a run's lines one at a time. What it keeps of a delivery is a few dozen bytes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::exhibit::{Exhibits, Kind};
use super::line::Line;
use super::readback::{DeliveryTrace, Ending, Moment, ReadBack};
use crate::event::{Event, EventType};
use crate::order::Amount;
use crate::ports::{LogLine, Timestamp};

/// What is known of a message, in one byte.
mod flag {
    pub(super) const STARTED: u8 = 1;
    pub(super) const ENDED: u8 = 1 << 1;
    pub(super) const CHARGED: u8 = 1 << 2;
    pub(super) const CLAIMED: u8 = 1 << 3;
    /// Failed before it could say how its claim went.
    pub(super) const PERHAPS_CLAIMED: u8 = 1 << 4;
    pub(super) const UNREAD: u8 = 1 << 5;
}

/// Takes lines one at a time.
pub struct Reader<'a> {
    run: &'a str,
    /// Numbers of the messages that were sent.
    sent: HashMap<&'a str, u32>,
    /// Numbers of the others.
    foreign: HashMap<Box<str>, u32>,
    /// By number.
    messages: Vec<u8>,
    /// Amounts on `charge_applied` lines as they were written, and how often.
    charged: BTreeMap<Box<str>, u64>,
    orders_charged: BTreeSet<Box<str>>,
    /// Invocations that are not over yet, by request id.
    open: HashMap<Box<str>, Invocation>,
    found: ReadBack,
}

/// What is known of an invocation that is not over yet.
#[derive(Default)]
struct Invocation {
    /// Its deliveries, by message.
    deliveries: Vec<(u32, usize)>,
    failure: Option<Ending>,
}

impl<'a> Reader<'a> {
    /// A reader for the lines of one run.
    pub fn new(run: &'a str, message_ids: &'a [Box<str>]) -> Self {
        let mut sent = HashMap::with_capacity(message_ids.len());
        for id in message_ids {
            let number = number(sent.len());
            sent.entry(&**id).or_insert(number);
        }
        Self {
            run,
            foreign: HashMap::new(),
            messages: vec![0; sent.len()],
            charged: BTreeMap::new(),
            orders_charged: BTreeSet::new(),
            open: HashMap::new(),
            found: ReadBack {
                events: BTreeMap::new(),
                messages_sent: sent.len() as u64,
                messages_started: 0,
                foreign_messages: 0,
                messages_unread: 0,
                messages_unfinished: 0,
                messages_claimed: 0,
                messages_perhaps_claimed: 0,
                guards: Vec::new(),
                orders_charged: 0,
                messages_charged: 0,
                amount_charged: std::iter::empty().sum(),
                amounts: Vec::new(),
                redeliveries: 0,
                replays: 0,
                payload_mismatches: 0,
                invocations: 0,
                failed_invocations: 0,
                cut_off: 0,
                last_line: Timestamp::from_millis(0),
                // Most messages are delivered once: no room is wasted then.
                deliveries: Vec::with_capacity(sent.len()),
                exhibits: Exhibits::default(),
            },
            sent,
        }
    }

    /// Takes the next line. Lines of other runs and lines that say nothing of a delivery are
    /// passed over.
    pub fn read(&mut self, line: LogLine<'_>) {
        let moment = Moment {
            time: line.timestamp,
            position: line.position.unwrap_or_default(),
        };
        if let Some(event) = Event::from_line(line.message) {
            if event.run == self.run {
                self.take(&event, moment);
            }
            return;
        }
        match Line::read(line.message) {
            Some(Line::Report {
                request_id,
                failure,
            }) => self.close(request_id, failure, moment),
            Some(Line::Failed {
                request_id,
                failure,
            }) => self.note_failure(request_id, failure),
            Some(Line::MessageFailed {
                request_id,
                message_id,
                failure,
            }) => self.fail_message(request_id, message_id, failure, moment),
            Some(Line::Replayed { request_id }) => self.replay(request_id, moment),
            None => {}
        }
    }

    fn take(&mut self, event: &Event<'_>, moment: Moment) {
        self.found.last_line = self.found.last_line.max(moment.time);
        *self.found.events.entry(event.event_type).or_default() += 1;
        if !self.found.guards.iter().any(|guard| *guard == event.guard) {
            self.found.guards.push(event.guard.to_string());
        }
        let message = self.message(&event.message_id);
        let index = self.delivery(&event.request_id, message);
        let flags = &mut self.messages[message as usize];
        let trace = &mut self.found.deliveries[index];
        match event.event_type {
            EventType::ProcessStart => {
                trace.started = Some(moment);
                self.found.redeliveries += u64::from(*flags & flag::STARTED != 0);
                *flags |= flag::STARTED;
            }
            EventType::ProcessEnd => {
                trace.finished = Some(moment);
                trace.ending = Ending::Ended;
                *flags |= flag::ENDED;
            }
            EventType::ClaimWon => {
                trace.won = true;
                *flags |= flag::CLAIMED;
            }
            EventType::ClaimLost => {
                trace.lost = true;
                *flags |= flag::CLAIMED;
            }
            EventType::SkipDuplicate => trace.skipped = true,
            EventType::ChargeApplied => {
                trace.charges += 1;
                *flags |= flag::CHARGED;
                self.charge(event);
            }
        }
        let (trace, kind) = (self.found.deliveries[index], Kind::Event(event.event_type));
        let exhibits = &mut self.found.exhibits;
        exhibits.keep(kind, moment, &event.request_id, index, &trace);
    }

    fn charge(&mut self, event: &Event<'_>) {
        if !self.orders_charged.contains(&*event.order_id) {
            self.orders_charged.insert(event.order_id.as_ref().into());
        }
        let Some(amount) = event.amount.map(|amount| amount.get()) else {
            return;
        };
        match self.charged.get_mut(amount) {
            Some(times) => *times += 1,
            None => {
                self.charged.insert(amount.into(), 1);
            }
        }
    }

    /// The number of a message.
    fn message(&mut self, message_id: &str) -> u32 {
        let known = self.sent.get(message_id);
        if let Some(known) = known.or_else(|| self.foreign.get(message_id)) {
            return *known;
        }
        let number = number(self.messages.len());
        self.messages.push(0);
        self.foreign.insert(message_id.into(), number);
        number
    }

    fn invocation(&mut self, request_id: &str) -> &mut Invocation {
        if !self.open.contains_key(request_id) {
            self.open.insert(request_id.into(), Invocation::default());
        }
        self.open
            .get_mut(request_id)
            .expect("it has just been put there")
    }

    /// The delivery of a message in an invocation.
    fn delivery(&mut self, request_id: &str, message: u32) -> usize {
        let next = self.found.deliveries.len();
        let deliveries = &mut self.invocation(request_id).deliveries;
        // An invocation works on one message after the other: it is nearly always the last one.
        if let Some((_, index)) = deliveries.iter().rev().find(|(of, _)| *of == message) {
            return *index;
        }
        deliveries.push((message, next));
        self.found.deliveries.push(DeliveryTrace {
            message,
            ..DeliveryTrace::default()
        });
        next
    }

    fn note_failure(&mut self, request_id: &str, failure: Ending) {
        // An invocation that could not even read its event has no other line.
        if failure == Ending::Unread || self.open.contains_key(request_id) {
            self.invocation(request_id).failure = Some(failure);
        }
    }

    fn fail_message(
        &mut self,
        request_id: &str,
        message_id: &str,
        failure: Ending,
        moment: Moment,
    ) {
        let known = self.sent.get(message_id);
        let Some(message) = known.or_else(|| self.foreign.get(message_id)).copied() else {
            return;
        };
        if failure == Ending::Unread {
            self.messages[message as usize] |= flag::UNREAD;
            self.invocation(request_id);
            return;
        }
        // Its lines before this one may be lost: then it is a delivery without a start.
        let index = self.delivery(request_id, message);
        self.fail(index, failure, request_id, moment);
    }

    /// Writes down that a delivery failed.
    fn fail(&mut self, index: usize, failure: Ending, request_id: &str, moment: Moment) {
        let trace = &mut self.found.deliveries[index];
        trace.ending = failure;
        trace.finished = Some(moment);
        let trace = *trace;
        if !trace.won && !trace.lost && failure != Ending::Refused {
            self.messages[trace.message as usize] |= flag::PERHAPS_CLAIMED;
        }
        self.found.payload_mismatches += u64::from(failure == Ending::Mismatched);
        self.found.last_line = self.found.last_line.max(moment.time);
        let exhibits = &mut self.found.exhibits;
        exhibits.keep(Kind::Failure(failure), moment, request_id, index, &trace);
    }

    /// The replay is that of the delivery that is being processed.
    fn replay(&mut self, request_id: &str, moment: Moment) {
        let invocation = self.open.get(request_id);
        let Some((_, index)) = invocation.and_then(|open| open.deliveries.last().copied()) else {
            return;
        };
        self.found.replays += 1;
        let trace = &mut self.found.deliveries[index];
        trace.replayed = true;
        let trace = *trace;
        let exhibits = &mut self.found.exhibits;
        exhibits.keep(Kind::Replay, moment, request_id, index, &trace);
    }

    fn close(&mut self, request_id: &str, reported: Option<Ending>, moment: Moment) {
        let Some(invocation) = self.open.remove(request_id) else {
            return;
        };
        self.found.invocations += 1;
        let failure = invocation.failure.or(reported);
        let Some(failure) = failure.filter(|failure| *failure != Ending::Unread) else {
            return;
        };
        self.found.failed_invocations += 1;
        // Messages are processed one after the other: what failed is the last.
        if let Some((_, index)) = invocation.deliveries.last()
            && self.found.deliveries[*index].ending == Ending::Open
        {
            self.found.cut_off += 1;
            self.fail(*index, failure, request_id, moment);
        }
    }

    /// The sums.
    pub fn finish(self) -> ReadBack {
        let mut found = self.found;
        let all = |wanted: u8, unwanted: u8| {
            let is = |flags: &&u8| **flags & wanted == wanted && **flags & unwanted == 0;
            self.messages.iter().filter(is).count() as u64
        };
        found.messages_started = all(flag::STARTED, 0);
        found.messages_unread = all(flag::UNREAD, flag::STARTED);
        found.messages_unfinished = all(flag::STARTED, flag::ENDED);
        found.messages_claimed = all(flag::CLAIMED, 0);
        found.messages_perhaps_claimed = all(flag::PERHAPS_CLAIMED, flag::CLAIMED);
        found.messages_charged = all(flag::CHARGED, 0);
        let sent = self.sent.len();
        let foreign = self.messages[sent..].iter();
        found.foreign_messages =
            foreign.filter(|flags| **flags & flag::STARTED != 0).count() as u64;
        found.orders_charged = self.orders_charged.len() as u64;
        let amounts: Vec<(Amount, u64)> = self
            .charged
            .into_iter()
            .filter_map(|(amount, times)| Some((amount.parse().ok()?, times)))
            .collect();
        found.amount_charged = amounts
            .iter()
            .flat_map(|(amount, times)| std::iter::repeat_n(amount, *times as usize))
            .sum();
        for (amount, _) in amounts {
            // `150.0` is `150.00`.
            if !found.amounts.contains(&amount) {
                found.amounts.push(amount);
            }
        }
        found
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 messages")
}
