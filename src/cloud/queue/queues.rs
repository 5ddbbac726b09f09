//! All queues of the account, as a state machine without a clock: every operation is told the
//! time. This file has the queues themselves; messages are in `send`, `receive`, `acknowledge`.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::entropy::Entropy;
use crate::ports::{QueueDepth, QueueSettings, Timestamp};

use super::attributes::{AttributeMap, Attributes};
use super::check::ContentCheck;
use super::config::QueueConfig;
use super::error::QueueError;
use super::fault::{FaultTally, QueueFaults};
use super::limits;
use super::name;
use super::state::{Queue, QueueTotals};
use super::task::MoveTask;

/// Attributes that can be read and not set.
const READ_ONLY: [&str; 6] = [
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesDelayed",
    "ApproximateNumberOfMessagesNotVisible",
    "CreatedTimestamp",
    "LastModifiedTimestamp",
    "QueueArn",
];

/// Attributes that can be set, on some queue or other.
const SETTABLE: [&str; 15] = [
    "ContentBasedDeduplication",
    "DeduplicationScope",
    "DelaySeconds",
    "FifoQueue",
    "FifoThroughputLimit",
    "KmsDataKeyReusePeriodSeconds",
    "KmsMasterKeyId",
    "MaximumMessageSize",
    "MessageRetentionPeriod",
    "Policy",
    "ReceiveMessageWaitTimeSeconds",
    "RedriveAllowPolicy",
    "RedrivePolicy",
    "SqsManagedSseEnabled",
    "VisibilityTimeout",
];

/// All queues of one account in one region.
///
/// Operations that take a `queue` understand its URL and its bare name. Each brings the queue up
/// to `now` first; `now` must not go back from call to call.
#[derive(Debug)]
pub struct Queues {
    pub(super) config: QueueConfig,
    pub(super) queues: BTreeMap<String, Queue>,
    /// When the queues that are no more were deleted.
    deleted: BTreeMap<String, Timestamp>,
    pub(super) content: ContentCheck,
    pub(super) tasks: Vec<MoveTask>,
}

impl Queues {
    /// No queues yet.
    pub fn new(config: QueueConfig) -> Self {
        Self {
            config,
            queues: BTreeMap::new(),
            deleted: BTreeMap::new(),
            content: ContentCheck::default(),
            tasks: Vec::new(),
        }
    }

    /// Whose queues these are and by which rules.
    pub fn config(&self) -> &QueueConfig {
        &self.config
    }

    /// `CreateQueue`: the URL of the queue, which may exist already if no given attribute has
    /// another value there.
    ///
    /// # Errors
    /// A bad name or attribute, `QueueAlreadyExists`, or `QueueDeletedRecently` within 60 s of the
    /// deletion of a queue of the same name.
    pub fn create_queue(
        &mut self,
        now: Timestamp,
        entropy: &Entropy,
        queue_name: &str,
        attributes: &AttributeMap,
    ) -> Result<String, QueueError> {
        let fifo = match attributes.get("FifoQueue").map(String::as_str) {
            None => false,
            Some("true") => true,
            // RECORDED: a standard queue has no such attribute, not even as `false`.
            Some(_) => return Err(QueueError::unknown_attribute("FifoQueue")),
        };
        name::check(queue_name, fifo)?;
        let wanted = Attributes::defaults(fifo).with(attributes)?;
        if let Some(queue) = self.queues.get(queue_name) {
            let (there, wanted) = (queue.attributes.to_map(), wanted.to_map());
            let differs = |name: &&String| there.get(*name) != wanted.get(*name);
            return match attributes.keys().find(differs) {
                Some(name) => Err(QueueError::queue_exists(name)),
                None => Ok(name::url(&self.config, queue_name)),
            };
        }
        let deleted = self.deleted.get(queue_name);
        if deleted.is_some_and(|deleted| now < *deleted + limits::RECREATE_AFTER) {
            return Err(QueueError::queue_deleted_recently());
        }
        let arn = name::arn(&self.config, queue_name);
        self.check_redrive_target(&arn, &wanted)?;
        self.deleted.remove(queue_name);
        let queue = Queue::new(Arc::from(arn), entropy.number(), wanted, now);
        self.queues.insert(queue_name.to_owned(), queue);
        Ok(name::url(&self.config, queue_name))
    }

    /// `GetQueueUrl`.
    ///
    /// # Errors
    /// `QueueDoesNotExist`.
    pub fn get_queue_url(
        &mut self,
        now: Timestamp,
        queue_name: &str,
    ) -> Result<String, QueueError> {
        self.open(now, queue_name)?;
        Ok(name::url(&self.config, queue_name))
    }

    /// `DeleteQueue`: at once, with all its messages (AWS may take up to 60 s).
    ///
    /// # Errors
    /// `QueueDoesNotExist`.
    pub fn delete_queue(&mut self, now: Timestamp, queue: &str) -> Result<(), QueueError> {
        self.open(now, queue)?;
        let name = name::of_url(&self.config, queue)?;
        self.queues.remove(name);
        self.deleted.insert(name.to_owned(), now);
        Ok(())
    }

    /// `PurgeQueue`: at once, delayed messages and those in flight included (AWS may take up to
    /// 60 s).
    ///
    /// # Errors
    /// `QueueDoesNotExist`, or `PurgeQueueInProgress` within 60 s of another purge.
    pub fn purge_queue(&mut self, now: Timestamp, queue: &str) -> Result<(), QueueError> {
        let purged = self.open(now, queue)?;
        let last = purged.purged_at;
        if last.is_some_and(|last| now < last + limits::PURGE_INTERVAL) {
            let name = name::of_url(&self.config, queue)?;
            return Err(QueueError::purge_in_progress(name));
        }
        purged.purge(now);
        Ok(())
    }

    /// `SetQueueAttributes`: all of them or, with an error, none. In force at once (AWS may take
    /// up to 60 s, and 15 min for the retention period).
    ///
    /// # Errors
    /// `QueueDoesNotExist`, or an attribute that is not known or has a bad value.
    pub fn set_queue_attributes(
        &mut self,
        now: Timestamp,
        queue: &str,
        attributes: &AttributeMap,
    ) -> Result<(), QueueError> {
        let before = self.open(now, queue)?;
        let arn = Arc::clone(&before.arn);
        let changed = before.attributes.with(attributes)?;
        self.check_redrive_target(&arn, &changed)?;
        let queue = self.open(now, queue)?;
        let delay_changed = queue.attributes.delay_seconds != changed.delay_seconds;
        queue.attributes = changed;
        queue.modified_at = now;
        if delay_changed {
            queue.delay_changed(now);
        }
        Ok(())
    }

    /// `GetQueueAttributes` for the given names; `All` means all of them.
    ///
    /// The counters are exact here and eventually consistent on AWS.
    ///
    /// # Errors
    /// `QueueDoesNotExist`, or a name that is not known.
    pub fn get_queue_attributes(
        &mut self,
        now: Timestamp,
        queue: &str,
        names: &[&str],
    ) -> Result<AttributeMap, QueueError> {
        let queue = self.open(now, queue)?;
        for name in names {
            if *name != "All" && !READ_ONLY.contains(name) && !SETTABLE.contains(name) {
                return Err(QueueError::unknown_attribute(name));
            }
        }
        let depth = queue.store.depth();
        let mut map = queue.attributes.to_map();
        let mut add = |name: &str, value: String| map.insert(name.to_owned(), value);
        add("ApproximateNumberOfMessages", depth.visible.to_string());
        add(
            "ApproximateNumberOfMessagesNotVisible",
            depth.in_flight.to_string(),
        );
        add(
            "ApproximateNumberOfMessagesDelayed",
            depth.delayed.to_string(),
        );
        add("CreatedTimestamp", queue.created_at.as_secs().to_string());
        add(
            "LastModifiedTimestamp",
            queue.modified_at.as_secs().to_string(),
        );
        add("QueueArn", queue.arn.to_string());
        if !names.contains(&"All") {
            map.retain(|name, _| names.contains(&name.as_str()));
        }
        Ok(map)
    }

    /// What a mapping must know about its queue.
    ///
    /// # Errors
    /// `QueueDoesNotExist`.
    pub fn settings(&mut self, now: Timestamp, queue: &str) -> Result<QueueSettings, QueueError> {
        let queue = self.open(now, queue)?;
        let seconds = queue.attributes.visibility_timeout_seconds.into();
        Ok(QueueSettings {
            arn: queue.arn.to_string(),
            visibility_timeout: std::time::Duration::from_secs(seconds),
            fifo: queue.is_fifo(),
        })
    }

    /// The counters of a queue.
    ///
    /// # Errors
    /// `QueueDoesNotExist`.
    pub fn depth(&mut self, now: Timestamp, queue: &str) -> Result<QueueDepth, QueueError> {
        Ok(self.open(now, queue)?.store.depth())
    }

    /// What has happened to the messages of a queue.
    ///
    /// # Errors
    /// `QueueDoesNotExist`.
    pub fn totals(&mut self, now: Timestamp, queue: &str) -> Result<QueueTotals, QueueError> {
        Ok(self.open(now, queue)?.totals)
    }

    /// Arms the faults of a queue in place of those armed before.
    ///
    /// # Errors
    /// `QueueDoesNotExist`.
    pub fn set_faults(
        &mut self,
        now: Timestamp,
        queue: &str,
        faults: QueueFaults,
    ) -> Result<(), QueueError> {
        self.open(now, queue)?.faults = faults;
        Ok(())
    }

    /// The faults that are still armed.
    ///
    /// # Errors
    /// `QueueDoesNotExist`.
    pub fn faults(&mut self, now: Timestamp, queue: &str) -> Result<QueueFaults, QueueError> {
        Ok(self.open(now, queue)?.faults)
    }

    /// How often the faults of a queue have fired.
    ///
    /// # Errors
    /// `QueueDoesNotExist`.
    pub fn fault_tally(&mut self, now: Timestamp, queue: &str) -> Result<FaultTally, QueueError> {
        Ok(self.open(now, queue)?.tally)
    }

    /// How many receives for one message could succeed now, within the in-flight quota.
    ///
    /// # Errors
    /// `QueueDoesNotExist`.
    pub fn available(&mut self, now: Timestamp, queue: &str) -> Result<usize, QueueError> {
        let quota = self.config.in_flight_quota;
        let queue = self.open(now, queue)?;
        let room = quota.saturating_sub(queue.store.depth().in_flight);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        Ok(queue.store.ready().available().min(room))
    }

    /// When the queue next changes by itself.
    ///
    /// # Errors
    /// `QueueDoesNotExist`.
    pub fn next_change(
        &mut self,
        now: Timestamp,
        queue: &str,
    ) -> Result<Option<Timestamp>, QueueError> {
        Ok(self.open(now, queue)?.next_change())
    }

    /// The queue behind a URL or name, brought up to the present.
    pub(super) fn open(&mut self, now: Timestamp, queue: &str) -> Result<&mut Queue, QueueError> {
        open(&self.config, &mut self.queues, now, queue)
    }

    /// SQS developer guide: a dead-letter queue is in the same account and region, of the same
    /// type, and must admit the source.
    fn check_redrive_target(
        &self,
        source_arn: &str,
        attributes: &Attributes,
    ) -> Result<(), QueueError> {
        let Some(redrive) = &attributes.redrive else {
            return Ok(());
        };
        let invalid = |reason| QueueError::value(&redrive.text, "RedrivePolicy", reason);
        let target = name::of_arn(&self.config, &redrive.target_arn)
            .map_err(|_| invalid("Invalid value for deadLetterTargetArn."))?;
        let target = target.and_then(|name| self.queues.get(name));
        let target = target.ok_or_else(|| invalid("Dead letter target does not exist."))?;
        if target.is_fifo() != attributes.fifo.is_some() {
            return Err(invalid(
                "Dead-letter queue must be same type of queue as the source.",
            ));
        }
        let allow = target.attributes.redrive_allow.as_ref();
        if allow.is_some_and(|allow| !allow.admits(source_arn)) {
            return Err(invalid(
                "Dead letter target does not allow this queue as a source.",
            ));
        }
        Ok(())
    }
}

/// The queue behind a URL or name, brought up to the present.
pub(super) fn open<'a>(
    config: &QueueConfig,
    queues: &'a mut BTreeMap<String, Queue>,
    now: Timestamp,
    queue: &str,
) -> Result<&'a mut Queue, QueueError> {
    let name = name::of_url(config, queue)?;
    let queue = queues.get_mut(name);
    let queue = queue.filter(|queue| now >= queue.created_at + config.creation_delay);
    let queue = queue.ok_or_else(QueueError::no_such_queue)?;
    queue.advance(now);
    Ok(queue)
}
