//! Rows that are held, the order they came in, and what they cost.

use std::cmp::Ordering;

use crate::insights::diagnosis::RunError;
use crate::insights::plan::Slot;
use crate::insights::value::Value;

/// A row in memory.
pub(crate) type Row = Vec<Value<'static>>;

/// Where a row stands when no key says otherwise: newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) timestamp: i64,
    /// Order of arrival.
    pub(crate) sequence: u64,
    /// Among the rows that one record gave.
    pub(crate) part: u32,
}

impl Place {
    /// The place of a row that is already in order.
    pub(crate) const fn of_index(index: usize) -> Self {
        Self {
            timestamp: 0,
            sequence: u64::MAX - index as u64,
            part: 0,
        }
    }
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> Ordering {
        let newest = (other.timestamp, other.sequence).cmp(&(self.timestamp, self.sequence));
        newest.then(self.part.cmp(&other.part))
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Copies what is to be kept of a row; the other slots become absent.
pub(crate) fn keep(row: &[Value<'_>], slots: &[Slot]) -> Row {
    let mut kept = vec![Value::Absent; row.len()];
    for slot in slots {
        kept[*slot] = row[*slot].reborrow().into_owned();
    }
    kept
}

/// Bytes that a row takes.
pub(crate) fn row_bytes(row: &[Value<'_>]) -> usize {
    let inline = size_of_val(row) + size_of::<Row>();
    inline + row.iter().map(Value::heap_bytes).sum::<usize>()
}

/// What a run may hold, and the share of one of its shards.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    pub(crate) whole: usize,
    pub(crate) share: usize,
}

/// Memory that a sink may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    limit: usize,
    /// The limit of the run, for the error.
    whole: usize,
    used: usize,
    what: &'static str,
}

impl Budget {
    pub(crate) const fn new(memory: Memory, what: &'static str) -> Self {
        Self {
            limit: memory.share,
            whole: memory.whole,
            used: 0,
            what,
        }
    }

    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), RunError> {
        self.used += bytes;
        if self.used > self.limit {
            return Err(RunError::Memory {
                what: self.what,
                limit_bytes: self.whole,
            });
        }
        Ok(())
    }

    /// The other shard is taken in piece by piece; its share comes with it.
    pub(crate) fn absorb(&mut self, other: Budget) {
        self.limit = self.limit.saturating_add(other.limit);
    }

    pub(crate) fn reset(&mut self, bytes: usize) {
        self.used = bytes;
    }
}
