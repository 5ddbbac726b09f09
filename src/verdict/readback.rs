//! A run's lines, read back one by one: the second way to every number that a query gives, and the
//! only way to see which deliveries overlapped and how they ended.

use std::collections::BTreeMap;

use super::exhibit::Exhibits;
use super::reader::Reader;
use crate::event::EventType;
use crate::order::Amount;
use crate::ports::Timestamp;

/// A place in the order of a log: by time, then by arrival where the target tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Event time.
    pub time: Timestamp,
    /// Order of arrival; 0 where it is not known.
    pub position: u64,
}

/// How a delivery ended, as far as the log says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ending {
    /// The log does not say.
    #[default]
    Open,
    /// It was processed to its end (`process_end`).
    Ended,
    /// It failed because another delivery held the claim.
    Refused,
    /// It failed because its order had come with other content before.
    Mismatched,
    /// It failed because its claim was taken over before it had finished.
    ClaimTaken,
    /// It failed because its body is no order.
    Unread,
    /// It failed for another reason that was reported: a call did not succeed.
    Failed,
    /// Its process ended in the middle of it.
    Crashed,
    /// The platform ended its invocation in the middle of it.
    TimedOut,
}

impl Ending {
    /// Whether the delivery did not get to its end, and the log says why.
    pub const fn is_failure(self) -> bool {
        !matches!(self, Self::Open | Self::Ended)
    }

    /// The ending as it is named beside the other lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "no ending",
            Self::Ended => "process_end",
            Self::Refused => "InProgressError",
            Self::Mismatched => "PayloadMismatchError",
            Self::ClaimTaken => "ClaimTakenError",
            Self::Unread => "OrderError",
            Self::Failed => "failed",
            Self::Crashed => "Runtime.ExitError",
            Self::TimedOut => "Task timed out",
        }
    }
}

/// What the log says of one delivery: one message in one invocation. Kept for every delivery of a
/// run, so it is small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryTrace {
    /// `process_start`.
    pub started: Option<Moment>,
    /// When it ended or failed.
    pub finished: Option<Moment>,
    /// Which message: its number in the order of sending. Messages that were not sent come after
    /// those that were.
    pub message: u32,
    /// Charges that it logged.
    pub charges: u32,
    /// How it ended.
    pub ending: Ending,
    /// Whether the claim was won.
    pub won: bool,
    /// Whether the claim was lost, or the order was known to be charged.
    pub lost: bool,
    /// Whether it was skipped as a duplicate.
    pub skipped: bool,
    /// Whether the till replayed its first answer.
    pub replayed: bool,
}

const _: () = assert!(size_of::<DeliveryTrace>() <= 64);

impl DeliveryTrace {
    /// Whether it was broken off or refused: started and not ended, and the log says why.
    pub fn failed(&self) -> bool {
        self.started.is_some() && self.ending.is_failure()
    }

    /// Whether it led to an answer of the till.
    pub fn reached_till(&self) -> bool {
        self.charges > 0 || self.replayed
    }
}

/// The lines of one run, counted one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadBack {
    /// Events by type.
    pub events: BTreeMap<EventType, u64>,
    /// Distinct messages that were sent: as many as there are ids.
    pub messages_sent: u64,
    /// Distinct messages that started.
    pub messages_started: u64,
    /// Messages that started although no send of them is known.
    pub foreign_messages: u64,
    /// Messages whose body could not be read, so that they never started.
    pub messages_unread: u64,
    /// Messages that started, of which no delivery ended.
    pub messages_unfinished: u64,
    /// Messages with a delivery that won or lost a claim.
    pub messages_claimed: u64,
    /// Further messages, with a delivery that failed before it could say how its claim went.
    pub messages_perhaps_claimed: u64,
    /// Distinct guards named by the events.
    pub guards: Vec<String>,
    /// Distinct orders on `charge_applied` lines.
    pub orders_charged: u64,
    /// Distinct messages on `charge_applied` lines.
    pub messages_charged: u64,
    /// Sum of the amounts on `charge_applied` lines.
    pub amount_charged: Amount,
    /// Distinct amounts on them.
    pub amounts: Vec<Amount>,
    /// Deliveries of messages that had been delivered before.
    pub redeliveries: u64,
    /// Answers that the till replayed.
    pub replays: u64,
    /// Deliveries that were refused because of other content.
    pub payload_mismatches: u64,
    /// Invocations that are over and left at least one line about the run.
    pub invocations: u64,
    /// Those of them that failed in the middle of a delivery.
    pub failed_invocations: u64,
    /// Deliveries that those cut off: the last one in each, if it did not end.
    pub cut_off: u64,
    /// Time of the run's last line.
    pub last_line: Timestamp,
    /// One trace per delivery, in the order of their first lines.
    pub deliveries: Vec<DeliveryTrace>,
    /// Lines that can be shown.
    pub(super) exhibits: Exhibits,
}

/// A run without a line.
impl Default for ReadBack {
    fn default() -> Self {
        Reader::new("", &[]).finish()
    }
}

impl ReadBack {
    /// Whether two deliveries were being processed at the same time.
    pub fn overlapped(&self) -> bool {
        let span = |trace: &DeliveryTrace| Some((trace.started?, trace.finished?));
        let spans = self.deliveries.iter().filter_map(span);
        if spans.clone().is_sorted() {
            return overlap(spans);
        }
        let mut sorted: Vec<(Moment, Moment)> = spans.collect();
        sorted.sort_unstable();
        overlap(sorted.into_iter())
    }

    /// Deliveries that satisfy `test`.
    pub fn count(&self, test: impl Fn(&DeliveryTrace) -> bool) -> u64 {
        self.deliveries.iter().filter(|trace| test(trace)).count() as u64
    }
}

/// Whether two of the spans, which come in the order of their beginnings, have a time in common.
fn overlap(spans: impl Iterator<Item = (Moment, Moment)>) -> bool {
    let mut busy_until: Option<Moment> = None;
    for (start, end) in spans {
        if busy_until.is_some_and(|until| start < until) {
            return true;
        }
        busy_until = busy_until.max(Some(end));
    }
    false
}
