//! Groups of `stats … by`: a hash table over one arena of key bytes.

use super::aggregate::State;
use super::environment::Environment;
use super::evaluate::evaluate;
use super::rows::{Budget, Memory, Place, Row};
use crate::insights::choices::UNGROUPED_STATS_ALWAYS_GIVE_A_ROW;
use crate::insights::diagnosis::RunError;
use crate::insights::format;
use crate::insights::plan::{Aggregate, Node};
use crate::insights::value::Value;

/// All groups with the states of their aggregates, in the order in which the groups came up.
pub(super) struct GroupTable<'q> {
    groups: &'q [Node],
    aggregates: &'q [Aggregate],
    keys: Keys,
    /// `aggregates.len()` for each group.
    states: Vec<State>,
    budget: Budget,
    /// The key of the row at hand.
    key: Vec<u8>,
}

impl<'q> GroupTable<'q> {
    pub(super) fn new(groups: &'q [Node], aggregates: &'q [Aggregate], memory: Memory) -> Self {
        let what = if groups.is_empty() {
            "the values of `stats`"
        } else {
            "the groups of `stats`"
        };
        Self {
            groups,
            aggregates,
            keys: Keys::default(),
            states: Vec::new(),
            budget: Budget::new(memory, what),
            key: Vec::new(),
        }
    }

    pub(super) fn push(
        &mut self,
        row: &[Value<'_>],
        place: Place,
        environment: &Environment,
    ) -> Result<(), RunError> {
        self.key.clear();
        for group in self.groups {
            match group {
                Node::Slot(slot) => encode(&row[*slot], &mut self.key),
                node => encode(&evaluate(node, row, environment), &mut self.key),
            }
        }
        let group = self.group()?;
        let first = group * self.aggregates.len();
        let states = self.states[first..].iter_mut();
        let mut grown = 0;
        for (state, aggregate) in states.zip(self.aggregates) {
            match &aggregate.argument {
                None => state.count_row(),
                Some(Node::Slot(slot)) => grown += state.update(row[*slot].reborrow(), place),
                Some(node) => grown += state.update(evaluate(node, row, environment), place),
            }
        }
        match grown {
            0 => Ok(()),
            grown => self.budget.take(grown),
        }
    }

    /// The group of the key at hand.
    fn group(&mut self) -> Result<usize, RunError> {
        let (group, new) = self.keys.insert(&self.key);
        if new {
            self.states.extend(self.aggregates.iter().map(State::new));
            let states = size_of::<State>() * self.aggregates.len();
            self.budget
                .take(states + self.key.len() + Keys::BYTES_PER_KEY)?;
        }
        Ok(group)
    }

    pub(super) fn merge(&mut self, other: GroupTable<'q>) -> Result<(), RunError> {
        self.budget.absorb(other.budget);
        let mut states = other.states.into_iter();
        for index in 0..other.keys.len() {
            self.key.clear();
            self.key.extend_from_slice(other.keys.get(index));
            let group = self.group()?;
            let first = group * self.aggregates.len();
            let mut grown = 0;
            for at in 0..self.aggregates.len() {
                if let Some(state) = states.next() {
                    grown += self.states[first + at].merge(state);
                }
            }
            self.budget.take(grown)?;
        }
        Ok(())
    }

    /// One row per group: the groups, then the aggregates.
    pub(super) fn finish(mut self) -> Result<Vec<Row>, RunError> {
        if self.groups.is_empty() && UNGROUPED_STATS_ALWAYS_GIVE_A_ROW {
            self.key.clear();
            self.group()?;
        }
        let mut states = self.states.into_iter();
        let mut rows = Vec::with_capacity(self.keys.len());
        for index in 0..self.keys.len() {
            let mut row = Vec::with_capacity(self.groups.len() + self.aggregates.len());
            let mut key = self.keys.get(index);
            for _ in self.groups {
                row.push(decode(&mut key));
            }
            for aggregate in self.aggregates {
                let state = states.next().map(|state| state.result(aggregate));
                row.push(state.unwrap_or(Value::Absent));
            }
            rows.push(row);
        }
        Ok(rows)
    }
}

const ABSENT: u8 = 0;
const TEXT: u8 = 1;
const NUMBER: u8 = 2;
const TIME: u8 = 3;
const JSON: u8 = 4;

/// Writes a value so that values which results show alike, and only those, are equal.
pub(super) fn encode(value: &Value<'_>, key: &mut Vec<u8>) {
    let mut text = |kind: u8, text: &str| {
        key.push(kind);
        key.extend_from_slice(&(text.len() as u64).to_le_bytes());
        key.extend_from_slice(text.as_bytes());
    };
    match value {
        Value::Absent => key.push(ABSENT),
        Value::Text(content) => text(TEXT, content),
        Value::Json(content) => text(JSON, content),
        Value::Time(millis) => {
            key.push(TIME);
            key.extend_from_slice(&millis.to_le_bytes());
        }
        Value::Number(number) => {
            let shown = format::number(*number);
            // A number that loses digits when it is shown stays apart from its neighbours.
            if shown.parse() == Ok(*number) {
                text(TEXT, &shown);
            } else {
                key.push(NUMBER);
                key.extend_from_slice(&number.to_bits().to_le_bytes());
            }
        }
        Value::Ordinal(_) | Value::Truth(_) => text(TEXT, &value.show().unwrap_or_default()),
    }
}

/// Reads a value back and steps behind it.
fn decode(key: &mut &[u8]) -> Value<'static> {
    let eight = |key: &mut &[u8]| {
        let Some((bytes, rest)) = key.split_first_chunk::<8>() else {
            return 0;
        };
        *key = rest;
        u64::from_le_bytes(*bytes)
    };
    let Some((kind, rest)) = key.split_first() else {
        return Value::Absent;
    };
    *key = rest;
    match *kind {
        TIME => Value::Time(eight(key) as i64),
        NUMBER => Value::Number(f64::from_bits(eight(key))),
        TEXT | JSON => {
            let length = eight(key) as usize;
            let (content, rest) = key.split_at(length.min(key.len()));
            *key = rest;
            let content = String::from_utf8_lossy(content).into_owned();
            if *kind == JSON {
                return Value::Json(content.into());
            }
            Value::text(content)
        }
        _ => Value::Absent,
    }
}

/// Different byte strings, numbered in the order of their arrival.
#[derive(Default)]
pub(super) struct Keys {
    arena: Vec<u8>,
    /// Where each key ends in the arena, and its hash.
    ends: Vec<(usize, u64)>,
    /// Number of a key plus one; 0 is an empty place.
    places: Vec<u32>,
}

impl Keys {
    /// What a key costs beside its bytes.
    pub(super) const BYTES_PER_KEY: usize = 16 + 8;

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before].0);
        &self.arena[start..self.ends[index].0]
    }

    /// The number of the key, and whether it is new.
    pub(super) fn insert(&mut self, key: &[u8]) -> (usize, bool) {
        if key.is_empty() && self.ends.len() == 1 && self.arena.is_empty() {
            return (0, false);
        }
        if self.ends.len() * 4 >= self.places.len() * 3 {
            self.grow();
        }
        let hash = hash(key);
        let mask = self.places.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.places[at] {
                0 => break,
                number => {
                    let index = number as usize - 1;
                    if self.ends[index].1 == hash && self.get(index) == key {
                        return (index, false);
                    }
                }
            }
            at = (at + 1) & mask;
        }
        self.arena.extend_from_slice(key);
        self.ends.push((self.arena.len(), hash));
        self.places[at] = self.ends.len() as u32;
        (self.ends.len() - 1, true)
    }

    fn grow(&mut self) {
        let size = (self.places.len() * 2).max(16);
        self.places.clear();
        self.places.resize(size, 0);
        let mask = size - 1;
        for (index, (_, hash)) in self.ends.iter().enumerate() {
            let mut at = *hash as usize & mask;
            while self.places[at] != 0 {
                at = (at + 1) & mask;
            }
            self.places[at] = index as u32 + 1;
        }
    }
}

/// Multiplies and folds eight bytes at a time. Equal keys are compared byte by byte anyway.
fn hash(key: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, word: u64| {
        let product = u128::from(state ^ word) * u128::from(FACTOR);
        (product >> 64) as u64 ^ product as u64
    };
    let chunks = key.chunks_exact(8);
    let mut last = [0; 8];
    last[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    let mut state = mix(FACTOR, key.len() as u64);
    for chunk in chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        state = mix(state.rotate_left(23), u64::from_le_bytes(word));
    }
    mix(mix(state.rotate_left(23), u64::from_le_bytes(last)), FACTOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_numbered_once() {
        let mut keys = Keys::default();
        for round in 0..2 {
            for number in 0..5000_usize {
                let key = number.to_string();
                assert_eq!(keys.insert(key.as_bytes()), (number, round == 0));
            }
        }
        assert_eq!(keys.get(4711), b"4711");
    }

    #[test]
    fn values_come_back_from_their_keys() {
        let values = [
            Value::Absent,
            Value::borrowed("text"),
            Value::borrowed(""),
            Value::Number(1.0 / 3.0),
            Value::Time(-5),
            Value::Json("{}".into()),
        ];
        let mut key = Vec::new();
        values.iter().for_each(|value| encode(value, &mut key));
        let mut rest = key.as_slice();
        for value in values {
            assert_eq!(decode(&mut rest), value);
        }
    }

    #[test]
    fn a_number_and_its_text_are_one_group() {
        let key = |value: Value<'_>| {
            let mut key = Vec::new();
            encode(&value, &mut key);
            key
        };
        assert_eq!(key(Value::Number(3.0)), key(Value::borrowed("3")));
        assert_eq!(key(Value::Truth(true)), key(Value::Ordinal(1)));
        assert_ne!(key(Value::Number(0.000_01)), key(Value::Number(0.000_02)));
    }
}
