//! Receiving messages: one attempt, without waiting.

use std::sync::Arc;
use std::time::Duration;

use crate::entropy::Entropy;
use crate::ports::Timestamp;

use super::check;
use super::error::QueueError;
use super::handle::Receipt;
use super::limits;
use super::memory::Attempt;
use super::message::{Delivery, Message, State};
use super::queues::{Queues, open};
use super::request::ReceiveMessage;
use super::state::Queue;

/// A receive request with the settings of its queue filled in.
struct Order {
    limit: usize,
    visibility: Duration,
    /// Zero is a short poll.
    wait: Duration,
    in_flight_quota: u64,
    /// Receives that the redrive policy allows.
    max_receive_count: Option<u32>,
}

/// What one attempt took from a queue.
#[derive(Default)]
struct Taken {
    places: Vec<u32>,
    /// Messages that were received too often and are no longer in the queue.
    dead: Vec<Message>,
}

impl Queues {
    /// One attempt of `ReceiveMessage`: what can be received now, at most what was asked for.
    ///
    /// Whether this is part of a long poll is for the request and the queue's own wait time to
    /// say; it matters at the in-flight quota, where a short poll is an error and a long poll
    /// finds nothing. The wait itself is for the caller.
    ///
    /// A message that has been received `maxReceiveCount` times goes to the dead-letter queue
    /// instead. If that queue has been deleted it is handed out as if there were no policy.
    ///
    /// # Errors
    /// `QueueDoesNotExist`, a parameter out of its range, `OverLimit`.
    pub fn receive_message(
        &mut self,
        now: Timestamp,
        entropy: &Entropy,
        queue: &str,
        request: &ReceiveMessage,
    ) -> Result<Vec<Delivery>, QueueError> {
        let target = self.dead_letter_target(now, queue)?;
        let config = &self.config;
        let source = open(config, &mut self.queues, now, queue)?;
        let mut order = source.order(request, config.in_flight_quota)?;
        order.max_receive_count = target.as_ref().map(|(_, allowed)| *allowed);
        let places = source.repeat_attempt(now, request, &order);
        if !places.is_empty() {
            return Ok(source.deliveries(&places, &config.sender_id));
        }
        if source.misses(&order) {
            return Ok(Vec::new());
        }
        let full = source.store.depth().in_flight >= order.in_flight_quota;
        if full && order.wait.is_zero() && !source.is_fifo() {
            return Err(QueueError::over_limit());
        }
        let taken = source.take(now, entropy, &order);
        let deliveries = source.deliveries(&taken.places, &config.sender_id);
        source.remember_attempt(now, request, &taken.places);
        source.release(now, &taken.places);
        if let Some((target, _)) = target
            && !taken.dead.is_empty()
        {
            let source_arn = Arc::clone(&source.arn);
            let target = open(config, &mut self.queues, now, queue_of(&target))?;
            for message in taken.dead {
                target.adopt(now, message, &source_arn);
            }
        }
        Ok(deliveries)
    }

    /// Checks a `ReceiveMessage` and tells how long it waits: as long as it says, or else as long
    /// as the queue says.
    ///
    /// # Errors
    /// `QueueDoesNotExist`, a parameter out of its range.
    pub fn wait_of(
        &mut self,
        now: Timestamp,
        queue: &str,
        request: &ReceiveMessage,
    ) -> Result<Duration, QueueError> {
        let quota = self.config.in_flight_quota;
        Ok(self.open(now, queue)?.order(request, quota)?.wait)
    }

    /// The ARN of the dead-letter queue, if it is there, and the receives allowed before it.
    fn dead_letter_target(
        &mut self,
        now: Timestamp,
        queue: &str,
    ) -> Result<Option<(Arc<str>, u32)>, QueueError> {
        let Some(redrive) = &self.open(now, queue)?.attributes.redrive else {
            return Ok(None);
        };
        let target = Arc::clone(&redrive.target_arn);
        let allowed = redrive.max_receive_count;
        let exists = self.open(now, queue_of(&target)).is_ok();
        Ok(exists.then_some((target, allowed)))
    }
}

/// The name in the ARN of a queue of this account.
fn queue_of(arn: &str) -> &str {
    arn.rsplit(':').next().unwrap_or(arn)
}

impl Queue {
    fn wait_seconds(&self, request: &ReceiveMessage) -> Result<u32, QueueError> {
        let own = self.attributes.wait_seconds;
        let asked = request.wait_seconds.unwrap_or(own.into());
        // RECORDED 2025-02-10.
        let reason = "Must be >= 0 and <= 20, if provided.";
        check::seconds(asked, "WaitTimeSeconds", limits::WAIT_SECONDS, reason)
    }

    fn order(&self, request: &ReceiveMessage, in_flight_quota: u64) -> Result<Order, QueueError> {
        let asked = request.max_messages;
        // RECORDED 2023-11-14.
        let reason = "Must be between 1 and 10, if provided.";
        let range = limits::RECEIVE_MESSAGES;
        let limit = check::seconds(asked, "MaxNumberOfMessages", range, reason)?;
        let own = self.attributes.visibility_timeout_seconds;
        let asked = request.visibility_timeout_seconds.unwrap_or(own.into());
        let reason = "Must be >= 0 and <= 43200, if provided.";
        let range = limits::VISIBILITY_SECONDS;
        let visibility = check::seconds(asked, "VisibilityTimeout", range, reason)?;
        if let Some(id) = request.attempt_id.as_ref().filter(|_| !self.is_fifo()) {
            return Err(QueueError::value(
                id,
                "ReceiveRequestAttemptId",
                "The request include parameter that is not valid for this queue type.",
            ));
        }
        Ok(Order {
            limit: limit as usize,
            visibility: Duration::from_secs(visibility.into()),
            wait: Duration::from_secs(self.wait_seconds(request)?.into()),
            in_flight_quota,
            max_receive_count: None,
        })
    }

    /// Whether this short poll asks the wrong servers (a fault).
    fn misses(&mut self, order: &Order) -> bool {
        let armed = self.faults_in_force().missed_short_polls > 0;
        let misses = armed && order.wait.is_zero() && self.store.ready().available() > 0;
        if misses {
            self.faults.missed_short_polls -= 1;
            self.tally.missed += 1;
        }
        misses
    }

    /// Puts the next messages in flight.
    fn take(&mut self, now: Timestamp, entropy: &Entropy, order: &Order) -> Taken {
        let mut taken = Taken::default();
        let mut next = Vec::new();
        loop {
            let room = order
                .in_flight_quota
                .saturating_sub(self.store.depth().in_flight);
            let room = usize::try_from(room).unwrap_or(usize::MAX);
            let wanted = (order.limit - taken.places.len()).min(room);
            if wanted == 0 {
                return taken;
            }
            let mut out_of_order = false;
            if self.faults_in_force().reorder {
                out_of_order = self.store.ready().any(entropy.number(), &mut next);
            } else {
                self.store.ready().next(wanted, &mut next);
            }
            if next.is_empty() {
                return taken;
            }
            for place in next.drain(..) {
                if self.is_dead(place, order) {
                    taken.dead.extend(self.store.remove(place));
                    self.totals.moved_out += 1;
                    continue;
                }
                self.receive(now, place, order.visibility);
                self.tally.reordered += u64::from(out_of_order);
                taken.places.push(place);
            }
        }
    }

    /// SQS developer guide, dead-letter queues: a message moves when its receive count would
    /// exceed `maxReceiveCount`, that is at what would be one receive more.
    fn is_dead(&self, place: u32, order: &Order) -> bool {
        let message = self.store.get(place);
        let receives = message.map_or(0, Message::receives_here);
        order
            .max_receive_count
            .is_some_and(|allowed| receives >= allowed)
    }

    /// Puts one message in flight and counts the receive.
    fn receive(&mut self, now: Timestamp, place: u32, visibility: Duration) {
        let armed = self.faults_in_force().duplicate_deliveries > 0;
        let before = self
            .store
            .get(place)
            .map(|message| (message.left_visible, message.until));
        self.store.turn(place, State::InFlight, now + visibility);
        let Some(message) = self.store.get_mut(place) else {
            return;
        };
        message.receive_count += 1;
        message.received_at = now;
        if message.receive_count == 1 {
            message.first_received_at = now;
        }
        let second = before.is_some_and(|(left_visible, until)| left_visible && now < until);
        message.left_visible = armed && !second && !visibility.is_zero();
        if message.left_visible {
            self.faults.duplicate_deliveries -= 1;
        }
        self.tally.duplicated += u64::from(second);
        self.totals.received += 1;
    }

    /// Shows again what was received without being hidden. Only now, so that no message is handed
    /// out twice in one answer.
    fn release(&mut self, now: Timestamp, places: &[u32]) {
        for place in places {
            let message = self.store.get(*place);
            if let Some(message) = message.filter(|it| it.left_visible || it.until <= now) {
                let until = message.until;
                self.store.turn(*place, State::Visible, until);
            }
        }
    }

    fn receipt_of(message: &Message, place: u32) -> Receipt {
        Receipt {
            place,
            serial: message.serial,
            receive_count: message.receive_count,
        }
    }

    fn deliveries(&mut self, places: &[u32], sender_id: &Arc<str>) -> Vec<Delivery> {
        let mut digests = std::mem::take(&mut self.digests);
        let delivery = |place: &u32| {
            let message = self.store.get(*place)?;
            let handle = self.handle(Self::receipt_of(message, *place));
            let fifo = self.is_fifo();
            Some(Delivery::of(message, handle, sender_id, fifo, &mut digests))
        };
        let deliveries = places.iter().filter_map(delivery).collect();
        self.digests = digests;
        deliveries
    }

    fn remember_attempt(&mut self, now: Timestamp, request: &ReceiveMessage, places: &[u32]) {
        let Some(id) = request.attempt_id.as_ref().filter(|_| !places.is_empty()) else {
            return;
        };
        let receipt = |place: &u32| {
            let message = self.store.get(*place)?;
            Some((Self::receipt_of(message, *place), message.until))
        };
        let receipts = places.iter().filter_map(receipt).collect();
        self.attempts
            .remember(now, id.clone(), Attempt { receipts });
    }

    /// SQS ReceiveMessage, FIFO: a repeated attempt gets the same messages with the same handles,
    /// and hides them anew, as long as none of them was deleted, became visible or had its
    /// visibility changed. The places of those messages; none if there is nothing to repeat.
    fn repeat_attempt(
        &mut self,
        now: Timestamp,
        request: &ReceiveMessage,
        order: &Order,
    ) -> Vec<u32> {
        let Some(id) = &request.attempt_id else {
            return Vec::new();
        };
        let Some(attempt) = self.attempts.recall(now, id) else {
            return Vec::new();
        };
        let untouched = |(receipt, until): &(Receipt, Timestamp)| {
            self.store.find(*receipt).is_some_and(|message| {
                message.state == State::InFlight
                    && message.until == *until
                    && message.receive_count == receipt.receive_count
            })
        };
        if !attempt.receipts.iter().all(untouched) {
            return Vec::new();
        }
        let until = now + order.visibility;
        let mut places = Vec::new();
        for (receipt, hidden_until) in &mut attempt.receipts {
            *hidden_until = until;
            self.store.turn(receipt.place, State::InFlight, until);
            if let Some(message) = self.store.get_mut(receipt.place) {
                message.received_at = now;
            }
            places.push(receipt.place);
        }
        self.release(now, &places);
        places
    }
}
