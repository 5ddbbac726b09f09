//! Where events lie: text in blocks, one small record per event.
//!
//! A run of a million messages writes seven million lines, so an event costs its text and 24
//! bytes, and nothing is ever copied to make room. Blocks and chunks are shared with readers and
//! only grow while nobody else holds them; a reader therefore sees one moment, holds no lock, and
//! may write while it reads.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::ports::{LogLine, Timestamp};

/// Most bytes of one event, the overhead included (CloudWatch Logs quota: 1 MB, counted as in
/// PutLogEvents batches).
pub(super) const MAX_EVENT_BYTES: usize = 1 << 20;

/// What PutLogEvents counts for an event beside its text.
pub(super) const EVENT_OVERHEAD_BYTES: usize = 26;

/// Text of one block. Every accepted event fits into one.
const BLOCK_BYTES: usize = MAX_EVENT_BYTES;

/// Records of one chunk (768 KiB).
const CHUNK_RECORDS: usize = 1 << 15;

/// Bits that an offset into a block and a length take.
const PLACE_BITS: u32 = BLOCK_BYTES.trailing_zeros();

const PLACE_MASK: u64 = (1 << PLACE_BITS) - 1;

/// One event.
#[derive(Clone, Copy)]
struct Record {
    /// Epoch milliseconds.
    ingested_at: u64,
    /// Block, offset and length of the text, 24 + 20 + 20 bits.
    place: u64,
    /// Milliseconds from the event to its ingestion; negative for events from the future. The
    /// service takes in nothing that is out of the range of this type.
    age: i32,
    /// Index of the stream.
    stream: u32,
}

const _: () = assert!(size_of::<Record>() == 24);

impl Record {
    fn timestamp(self) -> u64 {
        self.ingested_at.saturating_add_signed(-i64::from(self.age))
    }
}

/// Records in the order of arrival.
struct Chunk {
    /// Position of the first record.
    first: u64,
    records: Vec<Record>,
}

/// All events of a group.
#[derive(Default)]
pub(super) struct Store {
    blocks: Vec<Arc<String>>,
    chunks: Vec<Arc<Chunk>>,
    streams: Vec<Arc<str>>,
    stream_indexes: HashMap<Arc<str>, u32>,
    events: u64,
    latest: u64,
    out_of_order: bool,
}

impl Store {
    /// Appends an event. The caller has seen to it that the text is neither empty nor longer
    /// than the limit, and that the event is at most 24 days from its ingestion.
    pub(super) fn append(
        &mut self,
        stream: &str,
        timestamp: Timestamp,
        ingested_at: Timestamp,
        message: &str,
    ) {
        let timestamp = timestamp.as_millis();
        let ingested_at = ingested_at.as_millis();
        let age = i128::from(ingested_at) - i128::from(timestamp);
        let record = Record {
            ingested_at,
            place: self.place(message),
            age: i32::try_from(age).expect("the service bounds the age of events"),
            stream: self.stream(stream),
        };
        self.push(record);
        self.out_of_order |= timestamp < self.latest;
        self.latest = self.latest.max(timestamp);
    }

    /// Puts the text into the open block, or into a new one if it does not fit or if a reader
    /// holds the block.
    fn place(&mut self, message: &str) -> u64 {
        let fits = |block: &String| block.len() + message.len() <= BLOCK_BYTES;
        let open = self.blocks.last_mut().and_then(Arc::get_mut);
        let offset = match open.filter(|block| fits(block)) {
            Some(block) => {
                let offset = block.len();
                block.push_str(message);
                offset
            }
            None => {
                let mut block = String::with_capacity(BLOCK_BYTES);
                block.push_str(message);
                self.blocks.push(Arc::new(block));
                0
            }
        };
        let block = self.blocks.len() as u64 - 1;
        (block << (2 * PLACE_BITS)) | ((offset as u64) << PLACE_BITS) | message.len() as u64
    }

    fn push(&mut self, record: Record) {
        let open = self.chunks.last_mut().and_then(Arc::get_mut);
        match open.filter(|chunk| chunk.records.len() < CHUNK_RECORDS) {
            Some(chunk) => chunk.records.push(record),
            None => {
                let mut records = Vec::with_capacity(CHUNK_RECORDS);
                records.push(record);
                self.chunks.push(Arc::new(Chunk {
                    first: self.events,
                    records,
                }));
            }
        }
        self.events += 1;
    }

    fn stream(&mut self, name: &str) -> u32 {
        if let Some(index) = self.stream_indexes.get(name) {
            return *index;
        }
        let index = u32::try_from(self.streams.len()).expect("fewer than 2^32 streams");
        let name: Arc<str> = name.into();
        self.streams.push(Arc::clone(&name));
        self.stream_indexes.insert(name, index);
        index
    }

    /// How many events there are.
    pub(super) fn events(&self) -> u64 {
        self.events
    }

    /// The streams in the order of their first events.
    pub(super) fn streams(&self) -> &[Arc<str>] {
        &self.streams
    }

    /// The group at this moment.
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            blocks: self.blocks.clone(),
            chunks: self.chunks.clone(),
            streams: self.streams.clone(),
            events: self.events,
            out_of_order: self.out_of_order,
        }
    }
}

/// A group at one moment.
pub(super) struct Snapshot {
    blocks: Vec<Arc<String>>,
    chunks: Vec<Arc<Chunk>>,
    streams: Vec<Arc<str>>,
    events: u64,
    out_of_order: bool,
}

impl Snapshot {
    /// How many events there are.
    pub(super) fn events(&self) -> u64 {
        self.events
    }

    /// The same events in at most `parts` snapshots of about the same size, one after the other
    /// in the order of time; in one if they are not in that order.
    pub(super) fn divided(self, parts: usize) -> Vec<Snapshot> {
        if self.out_of_order {
            return vec![self];
        }
        let size = self.chunks.len().div_ceil(parts.max(1)).max(1);
        let part = |chunks: &[Arc<Chunk>]| Snapshot {
            blocks: self.blocks.clone(),
            chunks: chunks.to_vec(),
            streams: self.streams.clone(),
            events: chunks.iter().map(|chunk| chunk.records.len() as u64).sum(),
            out_of_order: false,
        };
        self.chunks.chunks(size).map(part).collect()
    }

    /// Shows the events to `visit` by event time, and in the order of arrival within one
    /// millisecond, until it breaks off.
    pub(super) fn visit(&self, visit: &mut dyn FnMut(LogLine<'_>) -> ControlFlow<()>) {
        // Whether the visitor saw everything is its own business.
        let _ = if self.out_of_order {
            self.visit_sorted(visit)
        } else {
            self.records()
                .try_for_each(|(position, record)| visit(self.line(position, record)))
        };
    }

    /// Sorts an index. The sort is stable and takes sorted stretches as they are, so a few late
    /// events cost little.
    fn visit_sorted(
        &self,
        visit: &mut dyn FnMut(LogLine<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut index: Vec<(u64, u64)> = self
            .records()
            .map(|(position, record)| (record.timestamp(), position))
            .collect();
        index.sort_by_key(|(timestamp, _)| *timestamp);
        index.into_iter().try_for_each(|(_, position)| {
            let after = self.chunks.partition_point(|chunk| chunk.first <= position);
            let chunk = &self.chunks[after - 1];
            let within = usize::try_from(position - chunk.first).expect("an index of the chunk");
            visit(self.line(position, chunk.records[within]))
        })
    }

    fn records(&self) -> impl Iterator<Item = (u64, Record)> {
        self.chunks
            .iter()
            .flat_map(|chunk| (chunk.first..).zip(chunk.records.iter().copied()))
    }

    fn line(&self, position: u64, record: Record) -> LogLine<'_> {
        let part = |shift| usize::try_from((record.place >> shift) & PLACE_MASK).unwrap_or(0);
        let block = usize::try_from(record.place >> (2 * PLACE_BITS)).unwrap_or(0);
        let offset = part(PLACE_BITS);
        LogLine {
            timestamp: Timestamp::from_millis(record.timestamp()),
            ingested_at: Timestamp::from_millis(record.ingested_at),
            stream: &self.streams[record.stream as usize],
            message: &self.blocks[block][offset..offset + part(0)],
            position: Some(position),
        }
    }
}
