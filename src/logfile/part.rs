//! A part of the files, as the query language reads it.

use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::PoisonError;

use super::counters::Counters;
use super::file::{LogFile, visible};
use super::logs::{Logs, belongs};
use super::text::Event;
use crate::insights::{Groups, Record, Source, SourceError};

/// Bits of `@ptr` below the number of the file.
const POSITION_BITS: u32 = 44;

/// Is told how much has been read.
pub trait Progress: Sync {
    /// So many more bytes, as they lie on disk.
    fn read(&self, bytes: u64);
}

impl Progress for () {
    fn read(&self, _: u64) {}
}

/// Consecutive files, or pieces of them. A source of the records in them.
pub struct Part<'l> {
    logs: &'l Logs,
    pieces: Vec<Piece<'l>>,
    progress: &'l dyn Progress,
    /// The time of events that have none: the nearest to 1970 that lies in the range.
    timeless_millis: i64,
}

pub(super) struct Piece<'l> {
    file: &'l LogFile,
    /// Place of the file among all.
    number: u64,
    range: Option<Range<u64>>,
    counted: bool,
}

impl<'l> Piece<'l> {
    pub(super) fn new(file: &'l LogFile, number: usize, range: Option<Range<u64>>) -> Self {
        Self {
            file,
            number: number as u64,
            range,
            counted: false,
        }
    }
}

impl<'l> Part<'l> {
    pub(super) fn new(logs: &'l Logs, pieces: Vec<Piece<'l>>, progress: &'l dyn Progress) -> Self {
        Self {
            logs,
            pieces,
            progress,
            timeless_millis: 0,
        }
    }

    /// Says in which time range the query will look, first and last millisecond: events of files
    /// without times are then in it.
    pub fn look_between(&mut self, (start_millis, end_millis): (i64, i64)) {
        self.timeless_millis = 0.min(end_millis).max(start_millis);
    }
}

impl Source for Part<'_> {
    fn scan(
        &mut self,
        groups: &Groups,
        visit: &mut dyn FnMut(Record<'_>) -> ControlFlow<()>,
    ) -> Result<(), SourceError> {
        let on_read = |bytes| self.progress.read(bytes);
        let mut over = false;
        for piece in self.pieces.iter_mut() {
            let file = piece.file;
            if over || !belongs(file, groups) {
                continue;
            }
            let mut read = Counters::default();
            let mut shown = Counters::default();
            let mut show = |event: Event<'_>| {
                shown.event(event.time_millis);
                let timestamp_millis = event.time_millis.unwrap_or(self.timeless_millis);
                let flow = visit(Record {
                    timestamp_millis,
                    ingestion_millis: event.ingestion_millis.unwrap_or(timestamp_millis),
                    log: &file.log,
                    stream: event.stream.unwrap_or(&file.name),
                    message: event.message,
                    pointer: (piece.number << POSITION_BITS) | event.position,
                });
                over = flow.is_break();
                flow
            };
            let result = file.read(piece.range.clone(), &on_read, &mut read, &mut show);
            result.map_err(|error| broken(file, shown.events, &error))?;
            if !piece.counted {
                piece.counted = true;
                read.add(shown);
                let mut counters = self
                    .logs
                    .counters
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                counters.add(read);
            }
        }
        Ok(())
    }
}

fn broken(file: &LogFile, events: u64, error: &io::Error) -> SourceError {
    let gzip = if file.gzip { ", as gzip" } else { "" };
    let plural = if events == 1 { "" } else { "s" };
    SourceError(format!(
        "`{}` cannot be read to its end{gzip}: {error} (after {events} event{plural})",
        visible(&file.shown),
    ))
}
