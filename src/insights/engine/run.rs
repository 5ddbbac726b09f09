//! One shard of a scan, and what follows when all shards are merged.

use std::ops::ControlFlow;

use super::environment::Environment;
use super::gate::Gates;
use super::operate::{Scratch, operate, scratch};
use super::rows::{Place, Row};
use super::sink::{Arrival, Gathered};
use crate::insights::diagnosis::RunError;
use crate::insights::near_miss::NearMisses;
use crate::insights::output::{Statistics, Warning};
use crate::insights::plan::{Plan, Segment, SystemField};
use crate::insights::record::Record;
use crate::insights::value::Value;

/// What all segments made of the records.
pub(crate) struct Finished {
    pub(crate) rows: Vec<Row>,
    /// Rows there were before the limit of the call, if that is known.
    pub(crate) seen: Option<u64>,
    pub(crate) statistics: Statistics,
    /// Why nothing matched, if it did not.
    pub(crate) near_misses: Vec<Warning>,
}

/// The state of a scan over a part of the records.
pub(crate) struct Shard<'q> {
    plan: &'q Plan,
    environment: &'q Environment,
    /// First and last millisecond, and those of the earlier window.
    window: (i64, i64),
    earlier: Option<(i64, i64)>,
    gathered: Gathered<'q>,
    gates: Gates<'q>,
    scratch: Scratch,
    sequence: u64,
    statistics: Statistics,
    near_misses: NearMisses,
    error: Option<RunError>,
    spare: Vec<Value<'static>>,
}

/// Empties a row and keeps its memory for values of another life.
fn recycle<'b>(mut row: Vec<Value<'_>>) -> Vec<Value<'b>> {
    row.clear();
    // Nothing is left to convert; collecting in place keeps the allocation.
    row.into_iter().map(|_| Value::Absent).collect()
}

impl<'q> Shard<'q> {
    /// `number` is the shard's place among all: records of later shards arrived later.
    pub(crate) fn new(
        plan: &'q Plan,
        environment: &'q Environment,
        window: (i64, i64),
        earlier: Option<(i64, i64)>,
        number: usize,
    ) -> Self {
        let first = &plan.segments[0];
        Self {
            plan,
            environment,
            window,
            earlier,
            gathered: Gathered::new(&first.sink, environment),
            gates: Gates::of(plan),
            scratch: scratch(&first.operations),
            sequence: (number as u64) << 40,
            statistics: Statistics::default(),
            near_misses: NearMisses::default(),
            error: None,
            spare: Vec::new(),
        }
    }

    /// Takes a record in; breaks when no more are wanted.
    pub(crate) fn push(&mut self, record: Record<'_>) -> ControlFlow<()> {
        let inside = |(start, end): (i64, i64)| (start..=end).contains(&record.timestamp_millis);
        let now = inside(self.window);
        let before = self.earlier.is_some_and(inside);
        if !now && !before {
            return ControlFlow::Continue(());
        }
        self.statistics.records_scanned += 1;
        self.statistics.bytes_scanned += record.message.len() as u64;
        self.sequence += 1;
        if !self.gates.open(record.message) {
            self.look_for_near_misses(record.message);
            return ControlFlow::Continue(());
        }
        let mut row = recycle(std::mem::take(&mut self.spare));
        let segment = &self.plan.segments[0];
        row.resize(segment.slots, Value::Absent);
        for (field, slot) in &self.plan.loads.system {
            row[*slot] = load(*field, &record);
        }
        let mut part = 0;
        let (gathered, environment) = (&mut self.gathered, self.environment);
        let mut failure = None;
        let (timestamp, sequence) = (record.timestamp_millis, self.sequence);
        let flow = operate(
            &segment.operations[self.gates.decided()..],
            &mut row,
            &mut self.scratch[self.gates.decided()..],
            environment,
            &mut |row| {
                let mut flow = ControlFlow::Continue(());
                // The windows of a `diff` may overlap.
                for earlier in [false, true] {
                    if if earlier { before } else { now } {
                        let place = Place {
                            timestamp,
                            sequence,
                            part,
                        };
                        let pushed = gathered.push(row, Arrival { place, earlier }, environment);
                        match pushed {
                            Ok(ControlFlow::Continue(())) => {}
                            Ok(ControlFlow::Break(())) => flow = ControlFlow::Break(()),
                            Err(error) => {
                                failure = Some(error);
                                flow = ControlFlow::Break(());
                            }
                        }
                    }
                }
                part += 1;
                flow
            },
        );
        self.statistics.records_matched += u64::from(part > 0);
        self.spare = recycle(row);
        if part == 0 {
            self.look_for_near_misses(record.message);
        }
        if failure.is_some() {
            self.error = failure;
        }
        flow
    }

    /// Only while nothing matches: a query that finds something needs no explanation.
    fn look_for_near_misses(&mut self, message: &str) {
        let Statistics {
            records_matched,
            records_scanned,
            ..
        } = self.statistics;
        if records_matched == 0 && !self.plan.checks.is_empty() {
            let lambda = self.environment.lambda_group;
            self.near_misses
                .look(&self.plan.checks, message, records_scanned, lambda);
        }
    }

    /// Takes in what the shard behind this one gathered.
    pub(crate) fn merge(&mut self, other: Shard<'q>) -> Result<(), RunError> {
        if let Some(error) = other.error {
            return Err(error);
        }
        self.statistics.add(other.statistics);
        self.near_misses.merge(other.near_misses);
        self.gathered.merge(other.gathered)
    }

    pub(crate) fn finish(self) -> Result<Finished, RunError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let seen = self
            .gathered
            .seen()
            .filter(|_| self.plan.segments.len() == 1);
        let mut rows = self.gathered.finish()?;
        for segment in &self.plan.segments[1..] {
            rows = continue_with(segment, rows, self.environment)?;
        }
        let nothing = self.statistics.records_matched == 0;
        let near_misses = match nothing {
            true => self.near_misses.warnings(&self.plan.checks),
            false => Vec::new(),
        };
        Ok(Finished {
            rows,
            seen,
            statistics: self.statistics,
            near_misses,
        })
    }
}

fn load<'a>(field: SystemField, record: &Record<'a>) -> Value<'a> {
    match field {
        SystemField::Message => Value::borrowed(record.message),
        SystemField::Timestamp => Value::Time(record.timestamp_millis),
        SystemField::IngestionTime => Value::Time(record.ingestion_millis),
        SystemField::LogStream => Value::borrowed(record.stream),
        SystemField::Log => Value::borrowed(record.log),
        SystemField::Pointer => Value::Ordinal(record.pointer),
    }
}

/// Runs a later segment over rows in memory.
fn continue_with(
    segment: &Segment,
    rows: Vec<Row>,
    environment: &Environment,
) -> Result<Vec<Row>, RunError> {
    let mut gathered = Gathered::new(&segment.sink, environment);
    let mut scratch = scratch(&segment.operations);
    for (index, mut row) in rows.into_iter().enumerate() {
        row.resize(segment.slots, Value::Absent);
        let mut failure = None;
        let mut part = 0;
        let flow = operate(
            &segment.operations,
            &mut row,
            &mut scratch,
            environment,
            &mut |row| {
                let place = Place {
                    part,
                    ..Place::of_index(index)
                };
                part += 1;
                let arrival = Arrival {
                    place,
                    earlier: false,
                };
                gathered
                    .push(row, arrival, environment)
                    .unwrap_or_else(|error| {
                        failure = Some(error);
                        ControlFlow::Break(())
                    })
            },
        );
        if let Some(error) = failure {
            return Err(error);
        }
        if flow.is_break() {
            break;
        }
    }
    gathered.finish()
}
