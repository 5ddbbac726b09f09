//! What a FIFO queue remembers for five minutes: sends, and receive attempts.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use crate::ports::Timestamp;

use super::handle::Receipt;

/// Deduplication id, and the group if ids need only be unique within their group.
pub(super) type DeduplicationKey = (Option<Arc<str>>, Arc<str>);

/// The first send with some deduplication id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FirstSend {
    pub(super) id: Uuid,
    pub(super) serial: u64,
}

/// The answer to a receive that carried a `ReceiveRequestAttemptId`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    /// What was handed out, and until when each message was hidden.
    pub(super) receipts: Vec<(Receipt, Timestamp)>,
}

/// Values that are forgotten a fixed time after they were first remembered.
#[derive(Debug)]
pub(super) struct Memory<K, V> {
    span: Duration,
    values: HashMap<K, V>,
    /// When each key was remembered, in that order.
    since: VecDeque<(Timestamp, K)>,
}

impl<K: Clone + Eq + Hash, V> Memory<K, V> {
    pub(super) fn new(span: Duration) -> Self {
        Self {
            span,
            values: HashMap::new(),
            since: VecDeque::new(),
        }
    }

    /// The value of a key that is still remembered.
    pub(super) fn recall(&mut self, now: Timestamp, key: &K) -> Option<&mut V> {
        while let Some((since, key)) = self.since.front()
            && *since + self.span <= now
        {
            self.values.remove(key);
            self.since.pop_front();
        }
        self.values.get_mut(key)
    }

    /// Remembers a value under a key from now on, or changes the value of a key without
    /// remembering it for longer.
    pub(super) fn remember(&mut self, now: Timestamp, key: K, value: V) {
        if self.values.insert(key.clone(), value).is_none() {
            self.since.push_back((now, key));
        }
    }

    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.since.clear();
    }
}
