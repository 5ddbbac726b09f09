//! What all batch calls have in common.

use std::collections::BTreeSet;

use super::check;
use super::error::QueueError;
use super::limits;
use super::request::{BatchEntry, BatchOutcome};

/// Refuses a batch as a whole: by number of entries and by their ids. `operation` is the name of
/// the call.
pub(super) fn check_entries<T>(
    operation: &str,
    entries: &[BatchEntry<T>],
) -> Result<(), QueueError> {
    check_count(operation, entries.len())?;
    let mut seen = BTreeSet::new();
    for entry in entries {
        check::entry_id(&entry.id)?;
        if !seen.insert(entry.id.as_str()) {
            return Err(QueueError::repeated_entry_id(&entry.id));
        }
    }
    Ok(())
}

/// Refuses a batch that is empty or too long.
pub(super) fn check_count(operation: &str, entries: usize) -> Result<(), QueueError> {
    match entries {
        0 => Err(QueueError::empty_batch(operation)),
        1..=limits::MAX_BATCH_ENTRIES => Ok(()),
        more => Err(QueueError::too_many_entries(more)),
    }
}

/// Carries the entries out one after the other.
pub(super) fn collect<T, R>(
    entries: Vec<BatchEntry<T>>,
    mut carry_out: impl FnMut(T) -> Result<R, QueueError>,
) -> BatchOutcome<R> {
    let mut outcome = BatchOutcome {
        successful: Vec::new(),
        failed: Vec::new(),
    };
    for entry in entries {
        match carry_out(entry.request) {
            Ok(result) => outcome.successful.push((entry.id, result)),
            Err(error) => outcome.failed.push((entry.id, error)),
        }
    }
    outcome
}
