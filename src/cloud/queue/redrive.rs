//! The two policies that tie a queue to its dead-letter queue.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::error::QueueError;
use super::limits;

/// `RedrivePolicy` of a source queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RedrivePolicy {
    /// ARN of the dead-letter queue.
    pub(super) target_arn: Arc<str>,
    /// Receives allowed; the next one moves the message instead.
    pub(super) max_receive_count: u32,
    /// The JSON text as it was set, which is also how it is read back.
    pub(super) text: String,
}

impl RedrivePolicy {
    /// Reads the policy. Whether the target exists and admits the source is for the caller to say.
    pub(super) fn parse(text: &str) -> Result<Self, QueueError> {
        let invalid = |reason: &str| QueueError::value(text, "RedrivePolicy", reason);
        let missing = |name: &str| {
            invalid(&format!(
                "Redrive policy does not contain mandatory attribute: {name}."
            ))
        };
        let Ok(Value::Object(fields)) = serde_json::from_str(text) else {
            return Err(invalid("Redrive policy is not a valid JSON map."));
        };
        let target = fields
            .get("deadLetterTargetArn")
            .ok_or_else(|| missing("deadLetterTargetArn"))?;
        let count = fields
            .get("maxReceiveCount")
            .ok_or_else(|| missing("maxReceiveCount"))?;
        let known = ["deadLetterTargetArn", "maxReceiveCount"];
        if let Some(other) = fields.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(invalid(&format!(
                "Only following attributes are supported: [deadLetterTargetArn, maxReceiveCount], found {other}."
            )));
        }
        let Some(target) = target.as_str().filter(|arn| arn.split(':').count() == 6) else {
            return Err(invalid("Invalid value for deadLetterTargetArn."));
        };
        let shown = Shown(count);
        let count = match count {
            Value::String(digits) => digits.parse().ok(),
            other => other.as_i64(),
        };
        let max_receive_count = count
            .filter(|count| limits::MAX_RECEIVE_COUNT.contains(count))
            .and_then(|count| u32::try_from(count).ok())
            .ok_or_else(|| {
                invalid(&format!(
                    "Invalid value for maxReceiveCount: {shown}, valid values are from 1 to 1000 both inclusive."
                ))
            })?;
        Ok(Self {
            target_arn: Arc::from(target),
            max_receive_count,
            text: text.to_owned(),
        })
    }
}

/// A JSON value, strings without their quotes.
struct Shown<'a>(&'a Value);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::String(text) => formatter.write_str(text),
            other => write!(formatter, "{other}"),
        }
    }
}

/// `RedriveAllowPolicy` of a dead-letter queue: which queues may name it as their target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RedriveAllowPolicy {
    permission: Permission,
    /// The JSON text as it was set.
    pub(super) text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Permission {
    All,
    None,
    Sources(Vec<String>),
}

impl RedriveAllowPolicy {
    /// Reads the policy.
    pub(super) fn parse(text: &str) -> Result<Self, QueueError> {
        let invalid = |reason: &str| QueueError::value(text, "RedriveAllowPolicy", reason);
        let Ok(Value::Object(fields)) = serde_json::from_str(text) else {
            return Err(invalid("Redrive allow policy is not a valid JSON map."));
        };
        let sources = fields.get("sourceQueueArns");
        let permission = match fields.get("redrivePermission").and_then(Value::as_str) {
            Some("allowAll") if sources.is_none() => Permission::All,
            Some("denyAll") if sources.is_none() => Permission::None,
            Some("byQueue") => Permission::Sources(source_arns(sources).ok_or_else(|| {
                invalid("sourceQueueArns must list 1 to 10 queue ARNs when redrivePermission is byQueue.")
            })?),
            Some("allowAll" | "denyAll") => {
                return Err(invalid(
                    "sourceQueueArns is only allowed when redrivePermission is byQueue.",
                ));
            }
            _ => {
                return Err(invalid(
                    "redrivePermission must be one of allowAll, denyAll and byQueue.",
                ));
            }
        };
        Ok(Self {
            permission,
            text: text.to_owned(),
        })
    }

    /// Whether the queue with this ARN may use the dead-letter queue.
    pub(super) fn admits(&self, source_arn: &str) -> bool {
        match &self.permission {
            Permission::All => true,
            Permission::None => false,
            Permission::Sources(arns) => arns.iter().any(|arn| arn == source_arn),
        }
    }
}

fn source_arns(list: Option<&Value>) -> Option<Vec<String>> {
    let arns: Vec<String> = list?
        .as_array()?
        .iter()
        .map(|arn| arn.as_str().map(str::to_owned))
        .collect::<Option<_>>()?;
    (1..=limits::MAX_REDRIVE_SOURCES)
        .contains(&arns.len())
        .then_some(arns)
}
