//! The way of a call over the wire: before, apply, after, and once more if its answer is lost.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::armed::{Armed, Ending, Fate};
use super::fault::{self, Action, FaultRule};
use super::history::{Answer, Call, CallerId, History, Outcome};
use super::latency::Latency;
use super::operation::Operation;
use super::point::{Moment, PassedPoint};
use crate::entropy::Entropy;
use crate::ports::{BatchFailure, Caller, Clock, PortError};

/// How long an SDK waits before it repeats a call whose answer was lost: the mean of what the AWS
/// SDK for JavaScript draws for its first retry (up to 100 ms). Fixed, so that a rule changes no
/// other random number of the run.
const SDK_RETRY_PAUSE: Duration = Duration::from_millis(50);

/// The wire that all ports of one stack share.
pub struct Wire {
    clock: Arc<dyn Clock>,
    entropy: Arc<Entropy>,
    latency: Latency,
    history: History,
    /// Calls so far, by operation.
    counts: [AtomicU32; Operation::ALL.len()],
    armed: Vec<Armed>,
}

impl Wire {
    /// A wire with nothing recorded yet.
    pub fn new(clock: Arc<dyn Clock>, entropy: Arc<Entropy>, latency: Latency) -> Self {
        Self {
            clock,
            entropy,
            latency,
            history: History::default(),
            counts: Default::default(),
            armed: Vec::new(),
        }
    }

    /// Puts rules in force, in addition to those that are. Where several hit the same point they
    /// take effect in this order, until one of them ends the call.
    #[must_use]
    pub fn with_faults(mut self, rules: Vec<FaultRule>) -> Self {
        self.armed.extend(rules.into_iter().map(Armed::new));
        self
    }

    /// What has passed so far.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Every rule and how often it fired, in the order in which they were given. A run in which
    /// one of them never fired has not tried what it was meant to try.
    pub fn fired(&self) -> Vec<(FaultRule, u64)> {
        self.armed
            .iter()
            .map(|armed| (armed.rule.clone(), armed.fired()))
            .collect()
    }

    /// Every point that the calls so far have passed, in order: where a rule would have fired.
    pub fn points_passed(&self) -> Vec<PassedPoint> {
        self.history.points()
    }

    /// Carries one call to the service and its answer back. `outcomes` tells what an answer says
    /// about the call, or about each message that it brings.
    pub(super) async fn call<Q, R, F>(
        &self,
        by: &Caller,
        operation: Operation,
        request: Q,
        apply: impl Fn(Q) -> F + Send,
        outcomes: impl Fn(&R, &mut dyn FnMut(Outcome)) + Send,
    ) -> Result<R, PortError>
    where
        Q: Clone + Send,
        R: Send,
        F: Future<Output = Result<R, PortError>> + Send,
    {
        // All that rules can do is boxed, here and below: a future is moved together with the room
        // for all that it might ever do, and a run without faults makes millions of calls.
        if !self.armed.is_empty() {
            return Box::pin(self.call_under_rules(by, operation, request, apply, outcomes)).await;
        }
        if let Some(time) = self.travel_time(by) {
            self.clock.sleep(time).await;
        }
        let passage = self.enter(by, operation, 1);
        let result = apply(request).await;
        self.record_result(&passage, &result, &outcomes, Answer::Arrived);
        result
    }

    async fn call_under_rules<Q, R, F>(
        &self,
        by: &Caller,
        operation: Operation,
        request: Q,
        apply: impl Fn(Q) -> F + Send,
        outcomes: impl Fn(&R, &mut dyn FnMut(Outcome)) + Send,
    ) -> Result<R, PortError>
    where
        Q: Clone + Send,
        R: Send,
        F: Future<Output = Result<R, PortError>> + Send,
    {
        let mut passage = self.before(by, operation, 1).await?;
        match passage.refusals.pop() {
            Some(refusal) => Err(PortError::rejected(
                operation.name(),
                refusal.code,
                refusal.message,
            )),
            None => self.carry(passage, request, apply, outcomes).await,
        }
    }

    /// The way to the service, as far as its door. A batch of messages counts as so many calls.
    pub(super) async fn before<'a>(
        &self,
        by: &'a Caller,
        operation: Operation,
        messages: usize,
    ) -> Result<Passage<'a>, PortError> {
        if let Some(time) = self.travel_time(by) {
            self.clock.sleep(time).await;
        }
        let mut passage = self.enter(by, operation, messages);
        if !self.armed.is_empty() {
            Box::pin(self.meet_rules(&mut passage)).await?;
        }
        Ok(passage)
    }

    /// What the rules do to a call that is at the service's door.
    async fn meet_rules(&self, passage: &mut Passage<'_>) -> Result<(), PortError> {
        for armed in &self.armed {
            if !passage.is_hit(&armed.rule, Moment::Before) {
                continue;
            }
            match armed.rule.action() {
                Action::Delay(delay) => {
                    armed.fire();
                    self.clock.sleep(*delay).await;
                }
                Action::Fail { code, message } => self.refuse(passage, armed, code, message),
                action => {
                    let Some(ending) = Ending::of(action) else {
                        continue;
                    };
                    for number in passage.applied() {
                        self.record(passage, number, Outcome::Unapplied, ending.answer());
                    }
                    armed.fire();
                    self.end(passage, ending).await?;
                }
            }
        }
        Ok(())
    }

    /// Applies a call that is at the service's door, and again while its answer is lost.
    pub(super) async fn carry<Q, R, F>(
        &self,
        passage: Passage<'_>,
        request: Q,
        apply: impl Fn(Q) -> F + Send,
        outcomes: impl Fn(&R, &mut dyn FnMut(Outcome)) + Send,
    ) -> Result<R, PortError>
    where
        Q: Clone + Send,
        R: Send,
        F: Future<Output = Result<R, PortError>> + Send,
    {
        if !self.armed.is_empty() {
            return Box::pin(self.carry_under_rules(passage, request, apply, outcomes)).await;
        }
        let result = apply(request).await;
        self.record_result(&passage, &result, &outcomes, Answer::Arrived);
        result
    }

    async fn carry_under_rules<Q, R, F>(
        &self,
        mut passage: Passage<'_>,
        mut request: Q,
        apply: impl Fn(Q) -> F + Send,
        outcomes: impl Fn(&R, &mut dyn FnMut(Outcome)) + Send,
    ) -> Result<R, PortError>
    where
        Q: Clone + Send,
        R: Send,
        F: Future<Output = Result<R, PortError>> + Send,
    {
        loop {
            let planned = Fate::of(&passage, &self.armed);
            let again = planned.repeats().then(|| request.clone());
            let result = apply(request).await;
            let fate = match brings_nothing(&result, &outcomes) {
                true => Fate::default(),
                false => planned,
            };
            self.record_result(&passage, &result, &outcomes, fate.answer());
            passage.next_rule += fate.rules;
            match (self.after(&passage, fate).await?, again) {
                (Next::Repeat, Some(again)) => request = again,
                _ => return result,
            }
        }
    }

    /// The way back from the service.
    async fn after(&self, passage: &Passage<'_>, fate: Fate<'_>) -> Result<Next, PortError> {
        for (delay, armed) in fate.delays {
            armed.fire();
            self.clock.sleep(delay).await;
        }
        match fate.end {
            Some((ending, armed)) => {
                armed.fire();
                self.end(passage, ending).await
            }
            None => Ok(Next::Return),
        }
    }

    /// Does what ends a try.
    async fn end(&self, passage: &Passage<'_>, ending: Ending) -> Result<Next, PortError> {
        match ending {
            Ending::Crash => {
                if let Caller::Invocation(invocation) = passage.by {
                    invocation.kill();
                }
                match std::future::pending::<Infallible>().await {}
            }
            Ending::Throttle => Err(fault::throttled(passage.operation)),
            Ending::NoAnswer => Err(fault::no_answer(passage.operation)),
            Ending::Repeat => {
                let time = self.travel_time(passage.by).unwrap_or_default();
                self.clock.sleep(SDK_RETRY_PAUSE + time).await;
                Ok(Next::Repeat)
            }
        }
    }

    /// The time that a request of the consumer is on its way.
    fn travel_time(&self, by: &Caller) -> Option<Duration> {
        match by {
            Caller::Invocation(_) => self.latency.draw(&self.entropy),
            Caller::Producer | Caller::Mapping | Caller::Observer => None,
        }
    }

    /// Numbers a call that has come to the service's door. The lab's own looks are not counted.
    fn enter<'a>(&self, by: &'a Caller, operation: Operation, messages: usize) -> Passage<'a> {
        let messages = match by {
            Caller::Observer => 0,
            _ => u32::try_from(messages).unwrap_or(u32::MAX),
        };
        let count = &self.counts[operation as usize];
        Passage {
            by,
            operation,
            first: 1 + count.fetch_add(messages, Ordering::Relaxed),
            messages,
            refusals: Vec::new(),
            next_rule: 0,
        }
    }

    /// Turns down the messages of a call that a rule hits.
    fn refuse(&self, passage: &mut Passage<'_>, armed: &Armed, code: &str, message: &str) {
        let occurrence = armed.rule.occurrence();
        let hit: Vec<u32> = passage
            .applied()
            .filter(|number| occurrence.is(*number))
            .collect();
        for number in hit {
            armed.fire();
            self.record(passage, number, Outcome::Unapplied, Answer::Replaced);
            passage.refusals.push(BatchFailure {
                index: (number - passage.first) as usize,
                code: code.to_owned(),
                message: message.to_owned(),
            });
        }
        passage.refusals.sort_by_key(|refusal| refusal.index);
    }

    fn record_result<R>(
        &self,
        passage: &Passage<'_>,
        result: &Result<R, PortError>,
        outcomes: &impl Fn(&R, &mut dyn FnMut(Outcome)),
        answer: Answer,
    ) {
        let mut numbers = passage.applied();
        match result {
            Ok(response) => {
                let mut number = passage.first;
                outcomes(response, &mut |outcome| {
                    // All messages of a receive have the number of the call.
                    number = numbers.next().unwrap_or(number);
                    self.record(passage, number, outcome, answer);
                });
            }
            Err(_) => numbers.for_each(|number| {
                self.record(passage, number, Outcome::Failed, answer);
            }),
        }
    }

    /// Remembers a call, or one message of it. The lab's own looks leave no trace.
    fn record(&self, passage: &Passage<'_>, occurrence: u32, outcome: Outcome, answer: Answer) {
        let caller = CallerId::from(passage.by);
        if caller != CallerId::Observer {
            self.history.record(Call {
                at: self.clock.now(),
                caller,
                occurrence,
                operation: passage.operation,
                outcome,
                answer,
            });
        }
    }
}

/// A call at the service's door.
pub(super) struct Passage<'a> {
    by: &'a Caller,
    operation: Operation,
    /// Number of the first message.
    first: u32,
    messages: u32,
    /// The messages that a fault turned down, in their order; the others go on.
    pub(super) refusals: Vec<BatchFailure>,
    /// The first rule that has not yet had its chance on the way back. What comes before it is
    /// done with this call, so that a rule that loses every answer does not lose them for ever.
    pub(super) next_rule: usize,
}

impl Passage<'_> {
    /// Numbers of the messages that go on.
    fn applied(&self) -> impl Iterator<Item = u32> {
        let refused = |index| self.refusals.iter().any(|refusal| refusal.index == index);
        (0..self.messages)
            .filter(move |index| !refused(*index as usize))
            .map(|index| self.first + index)
    }

    pub(super) fn is_hit(&self, rule: &FaultRule, moment: Moment) -> bool {
        let point = rule.point();
        let can = match self.by {
            Caller::Invocation(_) => true,
            Caller::Producer | Caller::Mapping => rule.action() != &Action::Crash,
            Caller::Observer => false,
        };
        can && point.call == self.operation
            && point.moment == moment
            && self.applied().any(|number| rule.occurrence().is(number))
    }
}

/// Whether an answer has nothing that could be lost or late: a receive that found no message. A
/// fault that befell it would count as fired and prove nothing.
fn brings_nothing<R>(
    result: &Result<R, PortError>,
    outcomes: &impl Fn(&R, &mut dyn FnMut(Outcome)),
) -> bool {
    let mut empty = false;
    if let Ok(response) = result {
        outcomes(response, &mut |outcome| empty |= outcome == Outcome::Empty);
    }
    empty
}

/// What a caller's SDK does after a try.
enum Next {
    /// Returns the answer.
    Return,
    /// Makes the call again.
    Repeat,
}
