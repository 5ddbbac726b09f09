//! Moving messages back out of a dead-letter queue.

use std::sync::Arc;

use crate::entropy::Entropy;
use crate::ports::Timestamp;

use super::error::QueueError;
use super::message;
use super::name;
use super::queues::Queues;

/// Message move tasks in one answer of `ListMessageMoveTasks` (SQS: 1 to 10, default 1).
const MAX_LISTED_TASKS: usize = 10;

/// A message move task, which here is complete as soon as it is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveTask {
    /// `TaskHandle`.
    pub task_handle: String,
    /// `SourceArn`: the dead-letter queue.
    pub source_arn: String,
    /// `DestinationArn`, if one was given.
    pub destination_arn: Option<String>,
    /// `MaxNumberOfMessagesPerSecond`, if one was given. It does not slow the task down.
    pub max_messages_per_second: Option<i64>,
    /// `StartedTimestamp`.
    pub started_at: Timestamp,
    /// `ApproximateNumberOfMessagesMoved`.
    pub moved: u64,
    /// `ApproximateNumberOfMessagesToMove`, when the task was started.
    pub to_move: u64,
}

impl Queues {
    /// `StartMessageMoveTask`: moves the visible messages of a dead-letter queue to the given
    /// queue, or each to the queue from which it came. Done at once.
    ///
    /// A moved message is a new message: new id, new enqueue time, no receives yet (SQS
    /// StartMessageMoveTask). Without a destination, messages that did not come from a queue that
    /// still exists stay where they are.
    ///
    /// # Errors
    /// `ResourceNotFoundException` for a queue that does not exist; `InvalidParameterValue` if the
    /// source is nobody's dead-letter queue, the destination of another type, or the rate is not
    /// 1 to 500.
    pub fn start_message_move_task(
        &mut self,
        now: Timestamp,
        entropy: &Entropy,
        source_arn: &str,
        destination_arn: Option<&str>,
        max_messages_per_second: Option<i64>,
    ) -> Result<MoveTask, QueueError> {
        let source = self.name_of_arn(now, source_arn, "SourceArn")?;
        if self.sources_of(source_arn).is_empty() {
            // RECORDED 2024-01-05.
            return Err(QueueError::parameter(
                "Source queue must be configured as a Dead Letter Queue.",
            ));
        }
        let destination = destination_arn
            .map(|arn| self.name_of_arn(now, arn, "DestinationArn"))
            .transpose()?;
        if let Some(destination) = &destination
            && self.queues[destination].is_fifo() != self.queues[&source].is_fifo()
        {
            return Err(QueueError::parameter(
                "Source queue and destination queue must be of the same type.",
            ));
        }
        if let Some(rate) = max_messages_per_second.filter(|rate| !(1..=500).contains(rate)) {
            let reason = "Must be between 1 and 500, if provided.";
            return Err(QueueError::value(
                rate,
                "MaxNumberOfMessagesPerSecond",
                reason,
            ));
        }
        let to_move = self.open(now, &source)?.store.depth().visible;
        let moved = self.move_visible(now, entropy, &source, destination.as_deref())?;
        let task = MoveTask {
            task_handle: entropy.hex32(),
            source_arn: source_arn.to_owned(),
            destination_arn: destination_arn.map(str::to_owned),
            max_messages_per_second,
            started_at: now,
            moved,
            to_move,
        };
        self.tasks.push(task.clone());
        Ok(task)
    }

    /// `ListMessageMoveTasks`: the latest tasks of a source, newest first; all are `COMPLETED`.
    ///
    /// # Errors
    /// `ResourceNotFoundException`.
    pub fn list_message_move_tasks(
        &mut self,
        now: Timestamp,
        source_arn: &str,
        max_results: Option<usize>,
    ) -> Result<Vec<MoveTask>, QueueError> {
        self.name_of_arn(now, source_arn, "SourceArn")?;
        let most = max_results.unwrap_or(1).min(MAX_LISTED_TASKS);
        let tasks = self.tasks.iter().rev();
        let tasks = tasks.filter(|task| task.source_arn == source_arn);
        Ok(tasks.take(most).cloned().collect())
    }

    fn name_of_arn(
        &mut self,
        now: Timestamp,
        arn: &str,
        parameter: &str,
    ) -> Result<String, QueueError> {
        let name = name::of_arn(&self.config, arn).ok().flatten();
        match name.map(|name| (name, self.open(now, name).is_ok())) {
            Some((name, true)) => Ok(name.to_owned()),
            _ => Err(QueueError::no_such_resource(parameter)),
        }
    }

    fn move_visible(
        &mut self,
        now: Timestamp,
        entropy: &Entropy,
        source: &str,
        destination: Option<&str>,
    ) -> Result<u64, QueueError> {
        let mut moved = 0;
        for place in self.open(now, source)?.store.visible_places() {
            let origin = self
                .open(now, source)?
                .store
                .get(place)
                .and_then(|message| {
                    let extra = message.extra.as_deref()?;
                    extra.source_arn.clone()
                });
            let target = match (destination, &origin) {
                (Some(name), _) => Some(name),
                (None, Some(arn)) => name::of_arn(&self.config, arn).ok().flatten(),
                (None, None) => None,
            };
            let Some(target) = target.filter(|name| self.queues.contains_key(*name)) else {
                continue;
            };
            let from = self.open(now, source)?;
            let Some(mut message) = from.store.remove(place) else {
                continue;
            };
            from.totals.moved_out += 1;
            message.id = message::new_id(entropy);
            message.sent_at = now;
            message.receive_count = 0;
            if let Some(extra) = message.extra.as_deref_mut() {
                extra.source_arn = None;
                extra.receives_elsewhere = 0;
                if extra.deduplication_id.is_some() {
                    extra.deduplication_id = Some(Arc::from(message::id_text(message.id)));
                }
            }
            let to = self.open(now, target)?;
            to.take_in(message);
            to.totals.moved_in += 1;
            moved += 1;
        }
        Ok(moved)
    }
}
