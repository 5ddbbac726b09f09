//! The one ordered history: who called what, when, and how it came out.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::operation::Operation;
use super::point::{CallPoint, Moment, PassedPoint};
use crate::ports::{Caller, Timestamp};

/// Calls of one chunk. Chunks, because one vector of millions of calls would be copied each time
/// it grows.
const CHUNK_CALLS: usize = 1 << 14;

/// A try of a call as it is remembered. Small, because a run of a million copies makes several
/// million.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// When the service had dealt with it, or when it was clear that it would not get there.
    pub at: Timestamp,
    /// Who made it.
    pub caller: CallerId,
    /// Its number among the calls of its operation in this stack, from 1 in the order in which
    /// they reached the service. All tries of a call have one number; so have the messages of one
    /// receive, while each entry of a batch of sends or deletes has its own.
    pub occurrence: u32,
    /// What it asked for.
    pub operation: Operation,
    /// What the service did.
    pub outcome: Outcome,
    /// What became of the service's answer.
    pub answer: Answer,
}

const _: () = assert!(size_of::<Call>() <= 24);

impl Call {
    /// Whether DynamoDB bills this try as a write: it reached the table, and its condition was met
    /// or not (a failed condition is billed too; throttled and invalid requests are not).
    pub const fn is_billed_write(&self) -> bool {
        self.operation.is_table_write()
            && matches!(self.outcome, Outcome::Applied | Outcome::Refused)
    }
}

/// A [`Caller`] without its baggage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallerId {
    /// See [`Caller::Producer`].
    Producer,
    /// See [`Caller::Mapping`].
    Mapping,
    /// See [`Caller::Invocation`]: its number.
    Invocation(u32),
    /// See [`Caller::Observer`].
    Observer,
}

impl From<&Caller> for CallerId {
    fn from(caller: &Caller) -> Self {
        match caller {
            Caller::Producer => Self::Producer,
            Caller::Mapping => Self::Mapping,
            Caller::Invocation(invocation) => Self::Invocation(invocation.number),
            Caller::Observer => Self::Observer,
        }
    }
}

/// What the service did with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It did what it was asked to do.
    Applied,
    /// The condition of a write was not met.
    Refused,
    /// It had no message for a receive.
    Empty,
    /// It failed.
    Failed,
    /// Nothing: a fault kept the call from it.
    Unapplied,
}

/// What became of the service's answer on its way to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// It was handed over.
    Arrived,
    /// A fault dropped it, and the caller's SDK tries again: another try follows.
    Lost,
    /// A fault dropped it, and the caller is told that there was none.
    Missing,
    /// A fault put an error in its place.
    Replaced,
    /// A fault killed the caller.
    CallerGone,
}

/// All calls of one stack, in the order in which they were dealt with. A call whose caller gave up
/// while it was still on its way is not among them.
#[derive(Debug, Default)]
pub struct History {
    chunks: Mutex<Vec<Vec<Call>>>,
}

impl History {
    /// Appends a call.
    pub fn record(&self, call: Call) {
        let mut chunks = self.lock();
        match chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK_CALLS => chunk.push(call),
            _ => {
                // The first chunk grows, since most stacks see few calls.
                let capacity = if chunks.is_empty() { 0 } else { CHUNK_CALLS };
                let mut chunk = Vec::with_capacity(capacity);
                chunk.push(call);
                chunks.push(chunk);
            }
        }
    }

    /// Calls that satisfy `test`.
    pub fn count(&self, test: impl Fn(&Call) -> bool) -> u64 {
        let chunks = self.lock();
        chunks.iter().flatten().filter(|call| test(call)).count() as u64
    }

    /// Shows every call to `visit`, in order. Other calls wait meanwhile, so `visit` must not make
    /// any.
    pub fn visit(&self, visit: impl FnMut(&Call)) {
        self.lock().iter().flatten().for_each(visit);
    }

    /// A copy of all calls.
    pub fn calls(&self) -> Vec<Call> {
        self.lock().concat()
    }

    /// The points that the calls have passed, in order; each point once, however many tries its
    /// call took.
    pub(super) fn points(&self) -> Vec<PassedPoint> {
        let mut passed = BTreeSet::new();
        let mut points = Vec::new();
        self.visit(|call| {
            let moments: &[Moment] = match call.outcome {
                // No rule can do anything to an answer that brings nothing.
                Outcome::Unapplied | Outcome::Empty => &[Moment::Before],
                Outcome::Applied | Outcome::Refused | Outcome::Failed => {
                    &[Moment::Before, Moment::After]
                }
            };
            for &moment in moments {
                let point = CallPoint {
                    call: call.operation,
                    moment,
                };
                if passed.insert((point, call.occurrence)) {
                    points.push(PassedPoint {
                        point,
                        occurrence: call.occurrence,
                        caller: call.caller,
                        at: call.at,
                    });
                }
            }
        });
        points
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Vec<Call>>> {
        self.chunks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_beyond_one_chunk_are_all_kept_in_order() {
        let history = History::default();
        let count = u32::try_from(CHUNK_CALLS).expect("a small number") + 2;
        for occurrence in 1..=count {
            history.record(Call {
                at: Timestamp::from_millis(0),
                caller: CallerId::Mapping,
                occurrence,
                operation: Operation::ReceiveMessage,
                outcome: Outcome::Applied,
                answer: Answer::Arrived,
            });
        }
        let occurrences: Vec<u32> = history.calls().iter().map(|call| call.occurrence).collect();
        assert_eq!(occurrences, (1..=count).collect::<Vec<_>>());
        assert_eq!(history.count(|call| call.occurrence % 2 == 0), 8193);
    }
}
