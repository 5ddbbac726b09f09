//! The queues behind a lock, with a clock, and with receives that wait.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::entropy::Entropy;
use crate::ports::{Clock, Timestamp};

use super::config::QueueConfig;
use super::error::QueueError;
use super::line::{Line, Ticket};
use super::message::Delivery;
use super::name;
use super::port::QueueHandle;
use super::queues::Queues;
use super::request::ReceiveMessage;

/// All queues of one account, shared by everybody who uses them.
pub struct QueueService {
    state: Mutex<State>,
    clock: Arc<dyn Clock>,
    entropy: Arc<Entropy>,
}

struct State {
    queues: Queues,
    /// The long polls by queue name; a queue at which nobody waits has no line.
    lines: BTreeMap<String, Line>,
    last_ticket: Ticket,
}

/// How a call begins.
enum Entry<'a> {
    /// With its answer.
    Answered(Vec<Delivery>),
    /// With a place in the line.
    Waiting(Turn<'a>),
}

/// The outcome of a look at the queue.
enum Look {
    /// The answer to the consumer.
    Answer(Vec<Delivery>),
    /// Nothing yet: sleep until then, or until woken.
    Sleep(Timestamp),
}

impl QueueService {
    /// A service without queues.
    pub fn new(clock: Arc<dyn Clock>, entropy: Arc<Entropy>, config: QueueConfig) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                queues: Queues::new(config),
                lines: BTreeMap::new(),
                last_ticket: 0,
            }),
            clock,
            entropy,
        })
    }

    /// A handle to one queue, by URL or by name.
    ///
    /// # Errors
    /// `QueueDoesNotExist`.
    pub fn handle(self: &Arc<Self>, queue: &str) -> Result<QueueHandle, QueueError> {
        self.with(|queues, now, _| queues.open(now, queue).map(|_| ()))?;
        Ok(QueueHandle::new(Arc::clone(self), queue))
    }

    /// Carries out operations on the queues at the present time, and wakes the long polls for
    /// which it made a message available. Everything that does not wait goes through here.
    pub fn with<R>(&self, operate: impl FnOnce(&mut Queues, Timestamp, &Entropy) -> R) -> R {
        let mut state = self.lock();
        let now = self.clock.now();
        let result = operate(&mut state.queues, now, &self.entropy);
        state.settle(now);
        result
    }

    /// `ReceiveMessage`, with its wait: returns as soon as at least one message is available and
    /// it is this call's turn, and with nothing when the wait ends.
    ///
    /// Messages are taken at the very moment in which the future is ready, so a call that is
    /// dropped before has taken none.
    ///
    /// # Errors
    /// As [`Queues::receive_message`]. A queue that is deleted during the wait ends it with
    /// `QueueDoesNotExist`.
    pub async fn receive_message(
        &self,
        queue: &str,
        request: &ReceiveMessage,
    ) -> Result<Vec<Delivery>, QueueError> {
        let turn = match self.enter(queue, request)? {
            Entry::Answered(messages) => return Ok(messages),
            Entry::Waiting(turn) => turn,
        };
        loop {
            match self.look(&turn, request)? {
                Look::Answer(messages) => return Ok(messages),
                Look::Sleep(until) => {
                    tokio::select! {
                        biased;
                        () = turn.notify.notified() => {}
                        () = self.clock.sleep_until(until) => {}
                    }
                }
            }
        }
    }

    /// The answer to a call that need not wait, or else its place in the line. Who waits already
    /// comes first, but cannot keep a short poll from taking what is there.
    fn enter(&self, queue: &str, request: &ReceiveMessage) -> Result<Entry<'_>, QueueError> {
        let mut state = self.lock();
        let now = self.clock.now();
        let wait = state.queues.wait_of(now, queue, request)?;
        let name = name::of_url(state.queues.config(), queue)?;
        let alone = !state.lines.contains_key(name);
        if wait.is_zero() || alone || request.attempt_id.is_some() {
            let received = state
                .queues
                .receive_message(now, &self.entropy, queue, request);
            state.settle(now);
            let messages = received?;
            if wait.is_zero() || !messages.is_empty() {
                return Ok(Entry::Answered(messages));
            }
        }
        state.last_ticket += 1;
        let turn = Turn {
            service: self,
            queue: name.to_owned(),
            ticket: state.last_ticket,
            notify: Arc::new(Notify::new()),
            end: now + wait,
        };
        let line = state.lines.entry(turn.queue.clone()).or_default();
        line.wait(turn.ticket, Arc::clone(&turn.notify));
        Ok(Entry::Waiting(turn))
    }

    /// Takes what is there for a call that waits.
    fn look(&self, turn: &Turn<'_>, request: &ReceiveMessage) -> Result<Look, QueueError> {
        let mut state = self.lock();
        let now = self.clock.now();
        loop {
            state.settle(now);
            let State { queues, lines, .. } = &mut *state;
            let line = lines.entry(turn.queue.clone()).or_default();
            if !line.is_woken(turn.ticket) {
                let next_change = queues.next_change(now, &turn.queue)?;
                return Ok(if now >= turn.end {
                    Look::Answer(Vec::new())
                } else {
                    Look::Sleep(line.sleep_until(turn.ticket, turn.end, next_change))
                });
            }
            let messages = queues.receive_message(now, &self.entropy, &turn.queue, request)?;
            if !messages.is_empty() {
                return Ok(Look::Answer(messages));
            }
            // A short poll was faster, or the message went to the dead-letter queue.
            line.wait(turn.ticket, Arc::clone(&turn.notify));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Wakes the long polls for which a message is available.
    fn settle(&mut self, now: Timestamp) {
        for (queue, line) in &mut self.lines {
            match self.queues.available(now, queue) {
                Ok(available) => {
                    let next_change = self.queues.next_change(now, queue).ok().flatten();
                    line.settle(available, next_change);
                }
                Err(_) => line.wake_all(),
            }
        }
    }
}

/// A place in the line, given up when the call ends in whatever way: a message that was meant for
/// it then wakes the next.
struct Turn<'a> {
    service: &'a QueueService,
    queue: String,
    ticket: Ticket,
    notify: Arc<Notify>,
    /// When the wait ends.
    end: Timestamp,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.service.lock();
        if let Some(line) = state.lines.get_mut(&self.queue) {
            line.leave(self.ticket);
            if line.is_empty() {
                state.lines.remove(&self.queue);
            }
        }
        let now = self.service.clock.now();
        state.settle(now);
    }
}
