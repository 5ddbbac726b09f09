//! What becomes of a batch, by the function's answer.

use std::collections::HashSet;
use std::fmt;

use serde_json::Value;

use crate::ports::Received;
use crate::worker::InvokeOutcome;

/// What becomes of the messages of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchOutcome {
    /// All are deleted.
    Succeeded,
    /// Those at the given positions come back, the others are deleted.
    Partly(Vec<usize>),
    /// All come back.
    Failed(FailureReason),
}

/// Why a whole batch comes back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureReason {
    /// The handler threw or the process ended.
    FunctionError,
    /// The function timeout passed.
    FunctionTimeout,
    /// The invocation was throttled until the messages were visible again.
    Throttled,
    /// The answer is not a JSON object, or its `batchItemFailures` is not a list.
    MalformedAnswer,
    /// An `itemIdentifier` is missing, null or empty, or stands under another name.
    BadIdentifier,
    /// An `itemIdentifier` is not in the batch.
    UnknownIdentifier,
}

impl fmt::Display for FailureReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::FunctionError => "the function failed",
            Self::FunctionTimeout => "the function timed out",
            Self::Throttled => "the invocation was throttled until the visibility timeout",
            Self::MalformedAnswer => {
                "the answer is not an object with a list of `batchItemFailures`"
            }
            Self::BadIdentifier => "an entry of `batchItemFailures` has no `itemIdentifier`",
            Self::UnknownIdentifier => {
                "`batchItemFailures` names a message that is not in the batch"
            }
        })
    }
}

impl BatchOutcome {
    /// Reads the end of an invocation. Without `report_batch_item_failures` the answer is not
    /// looked at, so a function that reports failures loses them.
    pub fn of(
        invocation: &InvokeOutcome,
        batch: &[Received],
        report_batch_item_failures: bool,
    ) -> Self {
        match invocation {
            InvokeOutcome::Failed { .. } => Self::Failed(FailureReason::FunctionError),
            InvokeOutcome::TimedOut => Self::Failed(FailureReason::FunctionTimeout),
            InvokeOutcome::Throttled => Self::Failed(FailureReason::Throttled),
            InvokeOutcome::Answered(_) if !report_batch_item_failures => Self::Succeeded,
            InvokeOutcome::Answered(answer) => match failed_positions(answer, batch) {
                Ok(positions) if positions.is_empty() => Self::Succeeded,
                Ok(positions) => Self::Partly(positions),
                Err(reason) => Self::Failed(reason),
            },
        }
    }
}

/// The rules of "Reporting batch item failures" (Lambda developer guide): nothing, null and an
/// empty list are success; anything that cannot be understood fails the whole batch.
fn failed_positions(answer: &str, batch: &[Received]) -> Result<Vec<usize>, FailureReason> {
    let answer: Value = serde_json::from_str(answer).map_err(|_| FailureReason::MalformedAnswer)?;
    let failures = match &answer {
        Value::Null => return Ok(Vec::new()),
        Value::Object(object) => object.get("batchItemFailures").unwrap_or(&Value::Null),
        _ => return Err(FailureReason::MalformedAnswer),
    };
    let failures = match failures {
        Value::Null => return Ok(Vec::new()),
        Value::Array(failures) => failures,
        _ => return Err(FailureReason::MalformedAnswer),
    };
    let mut failed = HashSet::new();
    for failure in failures {
        match failure.get("itemIdentifier").and_then(Value::as_str) {
            None | Some("") => return Err(FailureReason::BadIdentifier),
            Some(id) if batch.iter().any(|message| message.message_id == id) => failed.insert(id),
            Some(_) => return Err(FailureReason::UnknownIdentifier),
        };
    }
    let positions = batch.iter().enumerate();
    Ok(positions
        .filter(|(_, message)| failed.contains(message.message_id.as_str()))
        .map(|(position, _)| position)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::{ReceiptHandle, Timestamp};

    fn batch() -> Vec<Received> {
        ["m-1", "m-2", "m-3"]
            .map(|id| Received {
                message_id: id.to_owned(),
                receipt_handle: ReceiptHandle(format!("handle of {id}")),
                body: "{}".into(),
                attributes: Default::default(),
                md5_of_body: "99914b932bd37a50b983c5e7c90ae93b".into(),
                md5_of_attributes: None,
                receive_count: 1,
                sent_at: Timestamp::default(),
                first_received_at: Timestamp::default(),
                sender_id: "AIDAEXAMPLE".into(),
                group_id: None,
                deduplication_id: None,
                sequence_number: None,
                dead_letter_source_arn: None,
            })
            .into()
    }

    fn of(answer: &str) -> BatchOutcome {
        let answered = InvokeOutcome::Answered(answer.to_owned());
        BatchOutcome::of(&answered, &batch(), true)
    }

    #[test]
    fn nothing_reported_is_success() {
        for answer in [
            "null",
            "{}",
            r#"{"batchItemFailures":[]}"#,
            r#"{"batchItemFailures":null}"#,
            // The key is case-sensitive: a capital letter reports nothing at all.
            r#"{"BatchItemFailures":[{"itemIdentifier":"m-1"}]}"#,
        ] {
            assert_eq!(of(answer), BatchOutcome::Succeeded, "{answer}");
        }
    }

    #[test]
    fn reported_messages_come_back_and_the_others_do_not() {
        assert_eq!(
            of(r#"{"batchItemFailures":[{"itemIdentifier":"m-3"},{"itemIdentifier":"m-1"}]}"#),
            BatchOutcome::Partly(vec![0, 2])
        );
    }

    #[test]
    fn what_cannot_be_understood_fails_the_whole_batch() {
        use FailureReason::{BadIdentifier, MalformedAnswer, UnknownIdentifier};
        for (answer, reason) in [
            ("not json", MalformedAnswer),
            ("", MalformedAnswer),
            (r#""ok""#, MalformedAnswer),
            ("[]", MalformedAnswer),
            (r#"{"batchItemFailures":"m-1"}"#, MalformedAnswer),
            (
                r#"{"batchItemFailures":[{"itemIdentifier":""}]}"#,
                BadIdentifier,
            ),
            (
                r#"{"batchItemFailures":[{"itemIdentifier":null}]}"#,
                BadIdentifier,
            ),
            (
                r#"{"batchItemFailures":[{"ItemIdentifier":"m-1"}]}"#,
                BadIdentifier,
            ),
            (
                r#"{"batchItemFailures":[{"foo":"notvalid"}]}"#,
                BadIdentifier,
            ),
            (r#"{"batchItemFailures":["m-1"]}"#, BadIdentifier),
            (
                r#"{"batchItemFailures":[{"itemIdentifier":"m-9"}]}"#,
                UnknownIdentifier,
            ),
        ] {
            assert_eq!(of(answer), BatchOutcome::Failed(reason), "{answer}");
        }
    }

    #[test]
    fn without_the_setting_the_answer_is_ignored() {
        let answered = InvokeOutcome::Answered(
            r#"{"batchItemFailures":[{"itemIdentifier":"m-1"}]}"#.to_owned(),
        );
        assert_eq!(
            BatchOutcome::of(&answered, &batch(), false),
            BatchOutcome::Succeeded
        );
        assert_eq!(
            BatchOutcome::of(&InvokeOutcome::TimedOut, &batch(), false),
            BatchOutcome::Failed(FailureReason::FunctionTimeout)
        );
    }
}
