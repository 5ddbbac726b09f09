//! Runs the operations of a segment on one row.

use std::borrow::Cow;
use std::ops::ControlFlow;

use regex::{CaptureLocations, Regex};

use super::environment::Environment;
use super::evaluate::{evaluate, test};
use crate::insights::discover;
use crate::insights::pattern::Glob;
use crate::insights::plan::{Operation, Slot};
use crate::insights::shortcut::{Outcome, Shortcut};
use crate::insights::value::Value;

/// Places of groups, kept between rows: one per operation.
pub(super) type Scratch = Vec<Option<CaptureLocations>>;

pub(super) fn scratch(operations: &[Operation]) -> Scratch {
    let locations = |operation: &Operation| match operation {
        Operation::Regex { regex, .. } => Some(regex.capture_locations()),
        _ => None,
    };
    operations.iter().map(locations).collect()
}

/// What takes the rows that come out.
pub(super) type Emit<'e, 'a> = dyn FnMut(&[Value<'a>]) -> ControlFlow<()> + 'e;

/// Runs the operations and gives what comes out to `emit`.
pub(super) fn operate<'a>(
    operations: &'a [Operation],
    row: &mut [Value<'a>],
    scratch: &mut [Option<CaptureLocations>],
    environment: &'a Environment,
    emit: &mut Emit<'_, 'a>,
) -> ControlFlow<()> {
    for (index, operation) in operations.iter().enumerate() {
        match operation {
            Operation::Filter(node) => {
                if !test(node, row, environment) {
                    return ControlFlow::Continue(());
                }
            }
            Operation::Let { slot, node } => {
                row[*slot] = evaluate(node, row, environment).into_owned();
            }
            Operation::Copy { slot, from } => row[*slot] = row[*from].clone(),
            Operation::Discover { message, paths } => {
                if let Value::Text(Cow::Borrowed(message)) = row[*message] {
                    paths.read(message, environment.lambda_group, row);
                }
            }
            Operation::Lambda {
                message,
                field,
                slot,
            } => {
                if let (true, Value::Text(Cow::Borrowed(message))) =
                    (environment.lambda_group, &row[*message])
                {
                    row[*slot] = field.read(message);
                }
            }
            Operation::Regex {
                source,
                regex,
                groups,
                shortcut,
                multi: false,
            } => {
                if take_shortcut(row, *source, groups, shortcut.as_ref()) {
                    continue;
                }
                let locations = scratch[index].as_mut();
                capture(row, *source, regex, groups, locations);
            }
            Operation::Glob {
                source,
                glob,
                slots,
            } => {
                split(row, *source, glob, slots);
            }
            Operation::Logfmt { source, slot } => {
                let map = row[*source].show().map(|text| logfmt(&text));
                row[*slot] = map.map_or(Value::Absent, |map| Value::Json(Cow::Owned(map)));
            }
            Operation::Total { slots, slot } => {
                let numbers = slots.iter().filter_map(|slot| total_part(&row[*slot]));
                row[*slot] = numbers
                    .reduce(|a, b| a + b)
                    .map_or(Value::Absent, Value::number);
            }
            Operation::Regex { .. } | Operation::Unnest { .. } | Operation::Join { .. } => {
                let rows = several(operation, row, environment);
                let rest = &operations[index + 1..];
                for mut row in rows {
                    operate(rest, &mut row, &mut scratch[index + 1..], environment, emit)?;
                }
                return ControlFlow::Continue(());
            }
        }
    }
    emit(row)
}

/// What counts in a total: numbers, not times.
pub(super) fn total_part(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Time(_) => None,
        other => other.as_f64(),
    }
}

fn split<'a>(row: &mut [Value<'a>], source: Slot, glob: &Glob, slots: &[Slot]) {
    let found = if let Value::Text(Cow::Borrowed(text)) = row[source] {
        glob.find(text, |at, part| row[slots[at]] = Value::borrowed(part))
    } else {
        let text = row[source].show().map(Cow::into_owned);
        text.is_some_and(|text| {
            glob.find(&text, |at, part| {
                row[slots[at]] = Value::text(part.to_owned())
            })
        })
    };
    if !found {
        slots.iter().for_each(|slot| row[*slot] = Value::Absent);
    }
}

/// Whether the shortcut decided what the group is.
fn take_shortcut<'a>(
    row: &mut [Value<'a>],
    source: Slot,
    groups: &[(usize, Slot)],
    shortcut: Option<&Shortcut>,
) -> bool {
    let (Some(shortcut), [(_, slot)]) = (shortcut, groups) else {
        return false;
    };
    let Value::Text(Cow::Borrowed(text)) = row[source] else {
        return false;
    };
    row[*slot] = match shortcut.find(text) {
        Outcome::Found(start, end) => Value::borrowed(&text[start..end]),
        Outcome::Nothing => Value::Absent,
        Outcome::Unknown => return false,
    };
    true
}

fn capture<'a>(
    row: &mut [Value<'a>],
    source: Slot,
    regex: &Regex,
    groups: &[(usize, Slot)],
    locations: Option<&mut CaptureLocations>,
) {
    let Some(locations) = locations else {
        return;
    };
    if let Value::Text(Cow::Borrowed(text)) = row[source] {
        let found = regex.captures_read(locations, text).is_some();
        for (group, slot) in groups {
            let place = locations.get(*group).filter(|_| found);
            row[*slot] = place.map_or(Value::Absent, |(a, b)| Value::borrowed(&text[a..b]));
        }
        return;
    }
    let values: Vec<Value<'static>> = match row[source].show() {
        None => groups.iter().map(|_| Value::Absent).collect(),
        Some(text) => {
            let found = regex.captures_read(locations, &text).is_some();
            let value = |(group, _): &(usize, Slot)| match locations.get(*group) {
                Some((a, b)) if found => Value::text(text[a..b].to_owned()),
                _ => Value::Absent,
            };
            groups.iter().map(value).collect()
        }
    };
    for ((_, slot), value) in groups.iter().zip(values) {
        row[*slot] = value;
    }
}

/// The rows of an operation that gives several.
fn several<'a>(
    operation: &'a Operation,
    row: &[Value<'a>],
    environment: &'a Environment,
) -> Vec<Vec<Value<'a>>> {
    match operation {
        Operation::Regex {
            source,
            regex,
            groups,
            ..
        } => matches(row, *source, regex, groups),
        Operation::Unnest {
            list,
            slot,
            parse_text,
        } => {
            let list = evaluate(list, row, environment).into_owned();
            let elements = elements(&list, *parse_text);
            let with = |element: Value<'static>| {
                let mut row = row.to_vec();
                row[*slot] = element;
                row
            };
            elements.into_iter().map(with).collect()
        }
        Operation::Join {
            right,
            key,
            slots,
            keep_unmatched,
        } => {
            let table = &environment.joins[*right];
            let found = row[*key].show().and_then(|key| table.by_key.get(&*key));
            match found {
                Some(found) => {
                    let with = |at: &usize| {
                        let mut row = row.to_vec();
                        for (slot, value) in slots.iter().zip(&table.rows[*at]) {
                            row[*slot] = value.reborrow();
                        }
                        row
                    };
                    found.iter().map(with).collect()
                }
                None if *keep_unmatched => vec![row.to_vec()],
                None => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

fn elements(list: &Value<'_>, parse_text: bool) -> Vec<Value<'static>> {
    let own = |values: Vec<Value<'_>>| values.into_iter().map(Value::into_owned).collect();
    match list {
        Value::Json(json) => own(discover::elements(json)),
        Value::Text(text) if parse_text && text.trim_start().starts_with('[') => {
            match discover::parse(text) {
                Value::Json(json) => own(discover::elements(&json)),
                _ => vec![list.reborrow().into_owned()],
            }
        }
        other => vec![other.reborrow().into_owned()],
    }
}

/// `multi`: one row per match; an event without a match stays, without the fields.
fn matches<'a>(
    row: &[Value<'a>],
    source: Slot,
    regex: &Regex,
    groups: &[(usize, Slot)],
) -> Vec<Vec<Value<'a>>> {
    let text = row[source].show().unwrap_or_default();
    let mut rows = Vec::new();
    for captures in regex.captures_iter(&text) {
        let mut row = row.to_vec();
        for (group, slot) in groups {
            let part = captures.get(*group);
            row[*slot] = part.map_or(Value::Absent, |part| Value::text(part.as_str().to_owned()));
        }
        rows.push(row);
    }
    if rows.is_empty() {
        rows.push(row.to_vec());
    }
    rows
}

/// `key=value key="quoted value" flag` as a JSON map. A key without a value is true.
fn logfmt(text: &str) -> String {
    let mut map = serde_json::Map::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| c == '=' || c.is_whitespace())
            .unwrap_or(rest.len());
        let key = &rest[..end];
        rest = &rest[end..];
        let Some(value) = rest.strip_prefix('=') else {
            if !key.is_empty() {
                map.insert(key.to_owned(), serde_json::Value::from("true"));
            }
            rest = rest.trim_start();
            continue;
        };
        let (value, behind) = logfmt_value(value);
        if !key.is_empty() {
            map.insert(key.to_owned(), serde_json::Value::from(value));
        }
        rest = behind.trim_start();
    }
    serde_json::Value::Object(map).to_string()
}

fn logfmt_value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (value, &quoted[at + 1..]),
            '\\' => value.extend(characters.next().map(|(_, escaped)| match escaped {
                'n' => '\n',
                't' => '\t',
                other => other,
            })),
            other => value.push(other),
        }
    }
    (value, "")
}
