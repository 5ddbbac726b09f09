//! The attributes that `CreateQueue` and `SetQueueAttributes` set, as typed values.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::error::QueueError;
use super::limits;
use super::redrive::{RedriveAllowPolicy, RedrivePolicy};

/// Attributes as SQS exchanges them: text by name.
pub type AttributeMap = BTreeMap<String, String>;

/// What a FIFO deduplication id must be unique in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum DeduplicationScope {
    #[default]
    Queue,
    MessageGroup,
}

/// The attributes that only FIFO queues have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FifoAttributes {
    pub(super) content_based_deduplication: bool,
    pub(super) scope: DeduplicationScope,
    per_group_throughput: bool,
}

/// The settable attributes of one queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attributes {
    pub(super) visibility_timeout_seconds: u32,
    pub(super) delay_seconds: u32,
    pub(super) retention_seconds: u32,
    pub(super) wait_seconds: u32,
    pub(super) max_message_bytes: u32,
    /// Present on FIFO queues.
    pub(super) fifo: Option<FifoAttributes>,
    pub(super) redrive: Option<RedrivePolicy>,
    pub(super) redrive_allow: Option<RedriveAllowPolicy>,
    policy: Option<String>,
    kms_key: Option<String>,
    kms_reuse_seconds: Option<u32>,
    sqs_encryption: bool,
}

impl Attributes {
    /// The attributes of a queue for which none was given (SQS CreateQueue, defaults).
    pub(super) fn defaults(fifo: bool) -> Self {
        Self {
            visibility_timeout_seconds: 30,
            delay_seconds: 0,
            retention_seconds: 345_600,
            wait_seconds: 0,
            max_message_bytes: 1_048_576,
            fifo: fifo.then(FifoAttributes::default),
            redrive: None,
            redrive_allow: None,
            policy: None,
            kms_key: None,
            kms_reuse_seconds: None,
            sqs_encryption: true,
        }
    }

    /// The attributes after the given ones have been set; `self` is left as it was.
    pub(super) fn with(&self, given: &AttributeMap) -> Result<Self, QueueError> {
        let mut changed = self.clone();
        for (name, value) in given {
            changed.set(name, value)?;
        }
        let kms = given.contains_key("KmsMasterKeyId") && changed.kms_key.is_some();
        if kms
            && given
                .get("SqsManagedSseEnabled")
                .is_some_and(|on| on == "true")
        {
            // RECORDED 2022-08-01.
            return Err(QueueError::attribute_name(
                "You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.",
            ));
        }
        if kms {
            changed.sqs_encryption = false;
        } else if given.contains_key("SqsManagedSseEnabled") && changed.sqs_encryption {
            changed.kms_key = None;
            changed.kms_reuse_seconds = None;
        }
        if let Some(fifo) = changed.fifo
            && fifo.per_group_throughput
            && fifo.scope == DeduplicationScope::Queue
        {
            return Err(QueueError::attribute_value(
                "The perMessageGroupId value is allowed only when the value for DeduplicationScope is messageGroup.",
            ));
        }
        Ok(changed)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), QueueError> {
        let number = |range| whole_number(name, value, range);
        match name {
            "VisibilityTimeout" => {
                self.visibility_timeout_seconds = number(limits::VISIBILITY_SECONDS)?;
            }
            "DelaySeconds" => self.delay_seconds = number(limits::DELAY_SECONDS)?,
            "MessageRetentionPeriod" => {
                self.retention_seconds = number(limits::RETENTION_SECONDS)?;
            }
            "ReceiveMessageWaitTimeSeconds" => self.wait_seconds = number(limits::WAIT_SECONDS)?,
            "MaximumMessageSize" => self.max_message_bytes = number(limits::MESSAGE_BYTES)?,
            // An empty text takes the attribute away.
            "RedrivePolicy" => self.redrive = given(value).map(RedrivePolicy::parse).transpose()?,
            "RedriveAllowPolicy" => {
                self.redrive_allow = given(value).map(RedriveAllowPolicy::parse).transpose()?;
            }
            "Policy" => self.policy = given(value).map(str::to_owned),
            "KmsMasterKeyId" => self.kms_key = given(value).map(str::to_owned),
            "KmsDataKeyReusePeriodSeconds" => {
                self.kms_reuse_seconds = Some(number(limits::KMS_REUSE_SECONDS)?);
            }
            "SqsManagedSseEnabled" => self.sqs_encryption = flag(name, value)?,
            _ => self.set_fifo(name, value)?,
        }
        Ok(())
    }

    fn set_fifo(&mut self, name: &str, value: &str) -> Result<(), QueueError> {
        let fifo = match (&mut self.fifo, name) {
            (Some(fifo), _) => fifo,
            (None, "DeduplicationScope" | "FifoThroughputLimit") => {
                return Err(QueueError::attribute_name(format!(
                    "You can specify the {name} only when FifoQueue is set to true."
                )));
            }
            (None, _) => return Err(QueueError::unknown_attribute(name)),
        };
        match (name, value) {
            // A queue cannot become standard; saying again what it is changes nothing.
            ("FifoQueue", "true") => {}
            ("ContentBasedDeduplication", _) => {
                fifo.content_based_deduplication = flag(name, value)?;
            }
            ("DeduplicationScope", "queue") => fifo.scope = DeduplicationScope::Queue,
            ("DeduplicationScope", "messageGroup") => fifo.scope = DeduplicationScope::MessageGroup,
            ("FifoThroughputLimit", "perQueue") => fifo.per_group_throughput = false,
            ("FifoThroughputLimit", "perMessageGroupId") => fifo.per_group_throughput = true,
            ("FifoQueue" | "DeduplicationScope" | "FifoThroughputLimit", _) => {
                return Err(invalid(name));
            }
            _ => return Err(QueueError::unknown_attribute(name)),
        }
        Ok(())
    }

    /// All that are set, as text by name.
    pub(super) fn to_map(&self) -> AttributeMap {
        let mut map = AttributeMap::new();
        let mut add = |name: &str, value: String| map.insert(name.to_owned(), value);
        add(
            "VisibilityTimeout",
            self.visibility_timeout_seconds.to_string(),
        );
        add("DelaySeconds", self.delay_seconds.to_string());
        add("MessageRetentionPeriod", self.retention_seconds.to_string());
        add(
            "ReceiveMessageWaitTimeSeconds",
            self.wait_seconds.to_string(),
        );
        add("MaximumMessageSize", self.max_message_bytes.to_string());
        add("SqsManagedSseEnabled", self.sqs_encryption.to_string());
        if let Some(redrive) = &self.redrive {
            add("RedrivePolicy", redrive.text.clone());
        }
        if let Some(allow) = &self.redrive_allow {
            add("RedriveAllowPolicy", allow.text.clone());
        }
        if let Some(policy) = &self.policy {
            add("Policy", policy.clone());
        }
        if let Some(key) = &self.kms_key {
            add("KmsMasterKeyId", key.clone());
            // SQS CreateQueue: five minutes unless told otherwise.
            let seconds = self.kms_reuse_seconds.unwrap_or(300);
            add("KmsDataKeyReusePeriodSeconds", seconds.to_string());
        }
        if let Some(fifo) = self.fifo {
            add("FifoQueue", "true".to_owned());
            let content = fifo.content_based_deduplication.to_string();
            add("ContentBasedDeduplication", content);
            let scope = match fifo.scope {
                DeduplicationScope::Queue => "queue",
                DeduplicationScope::MessageGroup => "messageGroup",
            };
            add("DeduplicationScope", scope.to_owned());
            let limit = if fifo.per_group_throughput {
                "perMessageGroupId"
            } else {
                "perQueue"
            };
            add("FifoThroughputLimit", limit.to_owned());
        }
        map
    }
}

fn given(value: &str) -> Option<&str> {
    (!value.is_empty()).then_some(value)
}

fn invalid(name: &str) -> QueueError {
    QueueError::attribute_value(format!("Invalid value for the parameter {name}."))
}

fn whole_number(name: &str, value: &str, range: RangeInclusive<i64>) -> Result<u32, QueueError> {
    value
        .parse()
        .ok()
        .filter(|number| range.contains(number))
        .and_then(|number| u32::try_from(number).ok())
        .ok_or_else(|| invalid(name))
}

fn flag(name: &str, value: &str) -> Result<bool, QueueError> {
    value.parse().map_err(|_| invalid(name))
}
