//! States of aggregates: updated row by row, merged across shards.

use std::cmp::Ordering;

use super::distinct::{Fingerprints, fingerprint};
use super::rows::Place;
use crate::insights::choices::{DEVIATION_OF_SAMPLE, SUM_OF_NOTHING_IS_ZERO, percentile_index};
use crate::insights::function::AggregateKind;
use crate::insights::plan::Aggregate;
use crate::insights::value::Value;

/// What is known so far of one aggregate of one group.
#[derive(Clone, Debug)]
pub(super) enum State {
    Count(u64),
    Distinct(Fingerprints),
    Sum(Sum),
    Average(Sum),
    /// The value that sorts first (`Less`) or last.
    Extreme(Option<Value<'static>>, Ordering),
    Percentile(Vec<f64>),
    Deviation(Deviation),
    /// The value of the oldest (`Less`) or newest row that has one.
    Moment(Option<Box<(i64, u64, Value<'static>)>>, Ordering),
}

/// A sum that carries its rounding error along (Neumaier), so that shards hardly change it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    sum: f64,
    error: f64,
    count: u64,
}

/// Mean and squared distances from it (Welford).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deviation {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Sum {
    fn add(&mut self, number: f64) {
        let sum = self.sum + number;
        self.error += if self.sum.abs() >= number.abs() {
            (self.sum - sum) + number
        } else {
            (number - sum) + self.sum
        };
        self.sum = sum;
        self.count += 1;
    }

    fn merge(&mut self, other: Sum) {
        let count = self.count + other.count;
        self.add(other.sum);
        self.error += other.error;
        self.count = count;
    }

    fn total(self) -> f64 {
        self.sum + self.error
    }
}

impl Deviation {
    fn add(&mut self, number: f64) {
        self.count += 1;
        let distance = number - self.mean;
        self.mean += distance / self.count as f64;
        self.squares += distance * (number - self.mean);
    }

    fn merge(&mut self, other: Deviation) {
        let count = self.count + other.count;
        if other.count == 0 {
            return;
        }
        let distance = other.mean - self.mean;
        let share = other.count as f64 / count as f64;
        self.squares += other.squares + distance * distance * self.count as f64 * share;
        self.mean += distance * share;
        self.count = count;
    }

    fn result(self) -> Value<'static> {
        let divisor = if DEVIATION_OF_SAMPLE {
            self.count.saturating_sub(1)
        } else {
            self.count
        };
        match divisor {
            0 => Value::Absent,
            divisor => Value::number((self.squares / divisor as f64).sqrt()),
        }
    }
}

impl State {
    pub(super) fn new(aggregate: &Aggregate) -> Self {
        match aggregate.kind {
            AggregateKind::Count => State::Count(0),
            AggregateKind::CountDistinct => State::Distinct(Fingerprints::default()),
            AggregateKind::Sum => State::Sum(Sum::default()),
            AggregateKind::Average => State::Average(Sum::default()),
            AggregateKind::Least | AggregateKind::SortsFirst => {
                State::Extreme(None, Ordering::Less)
            }
            AggregateKind::Greatest | AggregateKind::SortsLast => {
                State::Extreme(None, Ordering::Greater)
            }
            AggregateKind::Percentile => State::Percentile(Vec::new()),
            AggregateKind::Deviation => State::Deviation(Deviation::default()),
            AggregateKind::Earliest => State::Moment(None, Ordering::Less),
            AggregateKind::Latest => State::Moment(None, Ordering::Greater),
        }
    }

    /// `count(*)`.
    pub(super) fn count_row(&mut self) {
        if let State::Count(count) = self {
            *count += 1;
        }
    }

    /// Takes the value of a row in; the bytes by which the state grew. Absent values do not count.
    pub(super) fn update(&mut self, value: Value<'_>, place: Place) -> usize {
        if value.is_absent() {
            return 0;
        }
        match self {
            State::Count(count) => *count += 1,
            State::Distinct(set) => {
                let text = value.show().unwrap_or_default();
                return set.insert(fingerprint(text.as_bytes()));
            }
            State::Sum(sum) | State::Average(sum) => {
                if let Some(number) = value.as_f64() {
                    sum.add(number);
                }
            }
            State::Extreme(best, wanted) => {
                let better = match best {
                    Some(best) => value.sort_order(best) == *wanted,
                    None => true,
                };
                if better {
                    let before = best.as_ref().map_or(0, Value::heap_bytes);
                    let value = best.insert(value.into_owned());
                    return value.heap_bytes().saturating_sub(before);
                }
            }
            State::Percentile(numbers) => {
                if let Some(number) = value.as_f64() {
                    numbers.push(number);
                    return size_of::<f64>();
                }
            }
            State::Deviation(deviation) => {
                if let Some(number) = value.as_f64() {
                    deviation.add(number);
                }
            }
            State::Moment(..) => {
                return self.update_moment(place.timestamp, place.sequence, value);
            }
        }
        0
    }

    fn update_moment(&mut self, timestamp: i64, sequence: u64, value: Value<'_>) -> usize {
        let State::Moment(best, wanted) = self else {
            return 0;
        };
        let better = match best {
            Some(best) => (timestamp, sequence).cmp(&(best.0, best.1)) == *wanted,
            None => true,
        };
        if !better {
            return 0;
        }
        let before = best.as_ref().map_or(0, |best| best.2.heap_bytes());
        let best = best.insert(Box::new((timestamp, sequence, value.into_owned())));
        best.2.heap_bytes().saturating_sub(before)
    }

    /// Takes in what another shard knows; the bytes by which the state grew.
    pub(super) fn merge(&mut self, other: State) -> usize {
        match (self, other) {
            (State::Count(count), State::Count(other)) => *count += other,
            (State::Distinct(set), State::Distinct(other)) => return set.merge(&other),
            (State::Sum(sum), State::Sum(other)) | (State::Average(sum), State::Average(other)) => {
                sum.merge(other)
            }
            (State::Percentile(numbers), State::Percentile(other)) => {
                let bytes = other.len() * size_of::<f64>();
                numbers.extend(other);
                return bytes;
            }
            (State::Deviation(deviation), State::Deviation(other)) => deviation.merge(other),
            (state @ State::Extreme(..), State::Extreme(Some(value), _)) => {
                return state.update(value, Place::of_index(0));
            }
            (state @ State::Moment(..), State::Moment(Some(moment), _)) => {
                let (timestamp, sequence, value) = *moment;
                return state.update_moment(timestamp, sequence, value);
            }
            _ => {}
        }
        0
    }

    pub(super) fn result(self, aggregate: &Aggregate) -> Value<'static> {
        match self {
            State::Count(count) => Value::Ordinal(count),
            State::Distinct(set) => Value::Ordinal(set.len() as u64),
            State::Sum(sum) if sum.count == 0 && !SUM_OF_NOTHING_IS_ZERO => Value::Absent,
            State::Sum(sum) => Value::number(sum.total()),
            State::Average(sum) if sum.count == 0 => Value::Absent,
            State::Average(sum) => Value::number(sum.total() / sum.count as f64),
            State::Extreme(value, _) => value.unwrap_or(Value::Absent),
            State::Percentile(mut numbers) => {
                if numbers.is_empty() {
                    return Value::Absent;
                }
                let index = percentile_index(numbers.len(), aggregate.percent);
                let (_, number, _) = numbers.select_nth_unstable_by(index, f64::total_cmp);
                Value::number(*number)
            }
            State::Deviation(deviation) => deviation.result(),
            State::Moment(moment, _) => moment.map_or(Value::Absent, |moment| moment.2),
        }
    }
}
