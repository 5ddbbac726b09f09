//! The three names of a queue: its own, its URL and its ARN.

use super::config::QueueConfig;
use super::error::QueueError;
use super::limits;

/// What the name of a FIFO queue ends with.
const FIFO_SUFFIX: &str = ".fifo";

/// Checks the name that a new queue is to have. `fifo` tells whether `FifoQueue` is `true`.
pub(super) fn check(name: &str, fifo: bool) -> Result<(), QueueError> {
    let stem = if fifo {
        name.strip_suffix(FIFO_SUFFIX)
    } else {
        Some(name)
    };
    let good = stem.is_some_and(|stem| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        !stem.is_empty() && stem.chars().all(allowed) && name.len() <= limits::MAX_QUEUE_NAME_CHARS
    });
    match (good, fifo) {
        (true, _) => Ok(()),
        (false, true) => Err(QueueError::parameter(
            "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.",
        )),
        (false, false) => Err(QueueError::parameter(
            "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length",
        )),
    }
}

/// The name within a queue URL of this account; a bare name stands for itself.
pub(super) fn of_url<'a>(config: &QueueConfig, url: &'a str) -> Result<&'a str, QueueError> {
    let Some((_, rest)) = url.split_once("://") else {
        return Ok(url);
    };
    let mut parts = rest.split('/').skip(1);
    match (parts.next(), parts.next(), parts.next()) {
        (Some(account), Some(name), None) if account == config.account_id => Ok(name),
        (Some(_), Some(_), None) => Err(QueueError::no_such_queue()),
        _ => Err(QueueError::invalid_address(url)),
    }
}

/// The URL of the queue of that name.
pub(super) fn url(config: &QueueConfig, name: &str) -> String {
    format!("{}/{}/{name}", config.endpoint, config.account_id)
}

/// The ARN of the queue of that name.
pub(super) fn arn(config: &QueueConfig, name: &str) -> String {
    format!("arn:aws:sqs:{}:{}:{name}", config.region, config.account_id)
}

/// The name within an ARN of this account and region; `Err` if it is not an ARN of SQS at all.
pub(super) fn of_arn<'a>(config: &QueueConfig, arn: &'a str) -> Result<Option<&'a str>, NotAnArn> {
    let parts: Vec<&str> = arn.split(':').collect();
    match parts[..] {
        ["arn", _, "sqs", region, account, name] => {
            let ours = region == config.region && account == config.account_id;
            Ok(ours.then_some(name))
        }
        _ => Err(NotAnArn),
    }
}

/// The text is not the ARN of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotAnArn;
