//! How the ledger is kept: compactly, since an unguarded run of a million copies charges a
//! million times.

use std::collections::HashMap;
use std::num::NonZeroU32;

use uuid::Uuid;

use super::LedgerEntry;
use crate::order::{Amount, OrderId};
use crate::ports::Timestamp;

/// Entries of one chunk. Chunks, because one vector of a million entries would be copied each
/// time it grows.
pub(super) const CHUNK_ENTRIES: usize = 1 << 14;

/// What the till remembers.
#[derive(Default)]
pub(super) struct Book {
    chunks: Vec<Vec<Entry>>,
    pub(super) orders: Interned<OrderId>,
    pub(super) amounts: Interned<Amount>,
    /// The charge that was made under each key.
    pub(super) keys: HashMap<Box<str>, KeyedCharge>,
    pub(super) replays: u64,
}

/// What is known of the charge that was made under a key.
#[derive(Clone, Copy)]
pub(super) struct KeyedCharge {
    pub(super) order: u32,
    pub(super) amount: u32,
    pub(super) time: Timestamp,
}

/// An entry in 48 bytes.
pub(super) struct Entry {
    pub(super) time: Timestamp,
    pub(super) order: u32,
    pub(super) amount: u32,
    pub(super) message: MessageId,
    pub(super) invocation: Option<NonZeroU32>,
}

const _: () = assert!(size_of::<Entry>() <= 48);

impl Book {
    pub(super) fn enter(&mut self, entry: Entry) {
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK_ENTRIES => chunk.push(entry),
            _ => {
                let mut chunk = Vec::with_capacity(CHUNK_ENTRIES);
                chunk.push(entry);
                self.chunks.push(chunk);
            }
        }
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.chunks.iter().flatten()
    }

    pub(super) fn read(&self, entry: &Entry) -> LedgerEntry {
        LedgerEntry {
            time: entry.time,
            order_id: self.orders.value(entry.order).clone(),
            message_id: entry.message.text(),
            amount: self.amounts.value(entry.amount).clone(),
            invocation: entry.invocation.map(NonZeroU32::get),
        }
    }
}

/// A message id: 16 bytes where it is a UUID, as those of SQS are.
pub(super) enum MessageId {
    Uuid(Uuid),
    Text(Box<str>),
}

impl MessageId {
    pub(super) fn new(text: String) -> Self {
        match Uuid::try_parse(&text) {
            // Other spellings of a UUID are kept as they are.
            Ok(uuid) if uuid.to_string() == text => Self::Uuid(uuid),
            _ => Self::Text(text.into()),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Uuid(uuid) => uuid.to_string(),
            Self::Text(text) => text.to_string(),
        }
    }
}

/// Values that repeat, each kept once and named by a number.
pub(super) struct Interned<T> {
    values: Vec<T>,
    indexes: HashMap<Box<str>, u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            indexes: HashMap::new(),
        }
    }
}

impl<T: Clone> Interned<T> {
    pub(super) fn intern(&mut self, text: &str, value: &T) -> u32 {
        if let Some(index) = self.indexes.get(text) {
            return *index;
        }
        let index = u32::try_from(self.values.len()).expect("fewer than 2^32 values");
        self.values.push(value.clone());
        self.indexes.insert(text.into(), index);
        index
    }

    pub(super) fn index(&self, text: &str) -> Option<u32> {
        self.indexes.get(text).copied()
    }

    pub(super) fn value(&self, index: u32) -> &T {
        &self.values[index as usize]
    }
}
