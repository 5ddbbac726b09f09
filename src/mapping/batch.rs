//! Building a batch out of receives.

use std::time::Duration;

use super::settings::MappingSettings;
use crate::ports::{Caller, Clock, PortError, Queue, ReceiveRequest, Received};

/// Most messages that one ReceiveMessage returns.
const RECEIVE_LIMIT: usize = 10;
/// Synchronous invocation payload limit, metadata included (Lambda: 6 MB).
const PAYLOAD_LIMIT_BYTES: usize = 6 * 1024 * 1024;
/// About what a record of the event has beside body and attributes.
const RECORD_OVERHEAD_BYTES: usize = 1024;

/// Receives until the batch is full, its window is over, or (without a window) the first receive
/// has returned. Empty if nothing came within the long poll.
pub(super) async fn gather(
    queue: &dyn Queue,
    clock: &dyn Clock,
    settings: &MappingSettings,
    visibility_timeout: Option<Duration>,
) -> Result<Vec<Received>, PortError> {
    let full = usize::from(settings.batch_size);
    let mut batch = Vec::new();
    let mut deadline = None;
    loop {
        let wait = match deadline {
            None => settings.poll_wait,
            Some(deadline) => settings.poll_wait.min(round_up_to_seconds(clock, deadline)),
        };
        let request = ReceiveRequest {
            max_messages: (full - batch.len()).min(RECEIVE_LIMIT) as u8,
            wait: Some(wait),
            visibility_timeout,
        };
        match queue.receive(&Caller::Mapping, request).await {
            Ok(messages) => batch.extend(messages),
            // What has been received must not be forgotten because a later receive failed.
            Err(error) if batch.is_empty() => return Err(error),
            Err(_) => return Ok(batch),
        }
        if batch.len() >= full || settings.batching_window.is_zero() || batch.is_empty() {
            return Ok(batch);
        }
        let deadline = *deadline.get_or_insert_with(|| clock.now() + settings.batching_window);
        if clock.now() >= deadline || payload_bytes(&batch) >= PAYLOAD_LIMIT_BYTES {
            return Ok(batch);
        }
    }
}

/// SQS waits whole seconds only.
fn round_up_to_seconds(clock: &dyn Clock, deadline: crate::ports::Timestamp) -> Duration {
    let left = deadline.since(clock.now());
    Duration::from_secs(left.as_millis().div_ceil(1000) as u64)
}

/// Cuts a batch so that no event exceeds the payload limit. A single message always fits.
pub(super) fn split_by_payload(batch: Vec<Received>) -> Vec<Vec<Received>> {
    if payload_bytes(&batch) <= PAYLOAD_LIMIT_BYTES {
        return vec![batch];
    }
    let mut parts: Vec<Vec<Received>> = Vec::new();
    let mut bytes = PAYLOAD_LIMIT_BYTES;
    for message in batch {
        let size = message_bytes(&message);
        if bytes + size > PAYLOAD_LIMIT_BYTES {
            parts.push(Vec::new());
            bytes = 0;
        }
        bytes += size;
        if let Some(part) = parts.last_mut() {
            part.push(message);
        }
    }
    parts
}

fn payload_bytes(batch: &[Received]) -> usize {
    batch.iter().map(message_bytes).sum()
}

fn message_bytes(message: &Received) -> usize {
    message.body.len() + RECORD_OVERHEAD_BYTES
}
