//! The quotas of SQS and the periods that its rules speak of, each in one place.

use std::ops::RangeInclusive;
use std::time::Duration;

/// Messages or handles in one batch call (SQS quotas: 1 to 10).
pub const MAX_BATCH_ENTRIES: usize = 10;

/// All entries of a `SendMessageBatch` together, in bytes (SQS: 1 MiB since August 2025, 256 KiB
/// before).
pub const MAX_BATCH_BYTES: usize = 1_048_576;

/// Longest id of a batch entry, in characters (SQS batch calls).
pub const MAX_BATCH_ENTRY_ID_CHARS: usize = 80;

/// Longest queue name in characters, the suffix `.fifo` included (SQS CreateQueue).
pub const MAX_QUEUE_NAME_CHARS: usize = 80;

/// Message attributes of one message (SQS developer guide, message metadata).
pub const MAX_MESSAGE_ATTRIBUTES: usize = 10;

/// Longest name of a message attribute in characters (SQS developer guide, message metadata).
pub const MAX_MESSAGE_ATTRIBUTE_NAME_CHARS: usize = 256;

/// Longest group id and deduplication id in characters (SQS SendMessage).
pub const MAX_FIFO_ID_CHARS: usize = 128;

/// Messages that one `ReceiveMessage` may ask for.
pub const RECEIVE_MESSAGES: RangeInclusive<i64> = 1..=10;

/// Seconds that one `ReceiveMessage` may wait.
pub const WAIT_SECONDS: RangeInclusive<i64> = 0..=20;

/// Seconds that a message may be delayed.
pub const DELAY_SECONDS: RangeInclusive<i64> = 0..=900;

/// Seconds that a message may be hidden, counted from the `ReceiveMessage` that returned it: an
/// extension does not start the twelve hours anew (SQS ChangeMessageVisibility).
pub const VISIBILITY_SECONDS: RangeInclusive<i64> = 0..=43_200;

/// Seconds that a queue may keep a message, by default four days (SQS CreateQueue).
pub const RETENTION_SECONDS: RangeInclusive<i64> = 60..=1_209_600;

/// Bytes that a queue may allow for one message, attributes included.
pub const MESSAGE_BYTES: RangeInclusive<i64> = 1_024..=1_048_576;

/// Seconds that a data key of KMS may be reused (SQS CreateQueue).
pub const KMS_REUSE_SECONDS: RangeInclusive<i64> = 60..=86_400;

/// `maxReceiveCount` of a redrive policy.
pub const MAX_RECEIVE_COUNT: RangeInclusive<i64> = 1..=1_000;

/// Source queues that a `byQueue` redrive allow policy may name (SQS SetQueueAttributes).
pub const MAX_REDRIVE_SOURCES: usize = 10;

/// Messages of one queue that may be in flight (SQS ReceiveMessage, 2026: standard and FIFO alike).
pub const IN_FLIGHT_QUOTA: u64 = 120_000;

/// How long a FIFO queue remembers a deduplication id, from the first send (SQS SendMessage).
pub const DEDUPLICATION_INTERVAL: Duration = Duration::from_secs(5 * 60);

/// How long a `ReceiveRequestAttemptId` repeats its answer (SQS ReceiveMessage).
pub const RECEIVE_ATTEMPT_INTERVAL: Duration = Duration::from_secs(5 * 60);

/// How long the name of a deleted queue stays taken (SQS DeleteQueue).
pub const RECREATE_AFTER: Duration = Duration::from_secs(60);

/// Least time between two purges of one queue (SQS PurgeQueue).
pub const PURGE_INTERVAL: Duration = Duration::from_secs(60);

/// Queues in one answer of `ListQueues` and `ListDeadLetterSourceQueues`.
pub const LIST_PAGE: RangeInclusive<i64> = 1..=1_000;
