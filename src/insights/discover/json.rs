//! JSON keys as fields. Only the wanted keys are taken, as slices of the message; the rest is
//! checked and skipped.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::insights::choices::FRAGMENT_ATTEMPTS;
use crate::insights::value::Value;

/// The wanted paths, each with the slot that its value goes to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths(Vec<(String, usize)>);

impl Paths {
    pub(crate) fn add(&mut self, path: &str, slot: usize) {
        // CloudWatch shows a key `@a` as `@@a`.
        let key = path
            .strip_prefix('@')
            .filter(|rest| rest.starts_with('@'))
            .unwrap_or(path);
        self.0.push((key.to_owned(), slot));
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(path, _)| path.as_str())
    }

    pub(crate) fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().map(|(_, slot)| *slot)
    }

    /// Reads the first JSON object of the message into the row. `behind_text` allows text in front
    /// of it (Lambda); otherwise the message must begin with it.
    pub(crate) fn read<'a>(&self, message: &'a str, behind_text: bool, row: &mut [Value<'a>]) {
        let mut at = 0;
        for _ in 0..FRAGMENT_ATTEMPTS {
            let Some(found) = message[at..].find('{') else {
                return;
            };
            if !behind_text && !message[..at + found].trim_start().is_empty() {
                return;
            }
            at += found;
            if self.read_object(&message[at..], row) {
                return;
            }
            for (_, slot) in &self.0 {
                row[*slot] = Value::Absent;
            }
            at += 1;
        }
    }

    fn read_object<'a>(&self, text: &'a str, row: &mut [Value<'a>]) -> bool {
        let mut wanted: Vec<(&str, usize)> = Vec::with_capacity(self.0.len());
        wanted.extend(self.0.iter().map(|(path, slot)| (path.as_str(), *slot)));
        let seed = Node {
            wanted: &wanted,
            row,
        };
        seed.deserialize(&mut serde_json::Deserializer::from_str(text))
            .is_ok()
    }
}

/// An object or array of which some paths are wanted.
struct Node<'w, 'p, 'r, 'a> {
    wanted: &'w [(&'p str, usize)],
    row: &'r mut [Value<'a>],
}

impl<'a> DeserializeSeed<'a> for Node<'_, '_, '_, 'a> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// What a key leads to.
enum Step {
    Skip,
    /// The value itself goes to the slot, and perhaps to others (the same path twice).
    Leaf,
    Below,
}

fn step(wanted: &[(&str, usize)], key: &str) -> Step {
    let mut step = Step::Skip;
    for (path, _) in wanted {
        if *path == key {
            return Step::Leaf;
        }
        if remainder(path, key).is_some() {
            step = Step::Below;
        }
    }
    step
}

fn remainder<'p>(path: &'p str, key: &str) -> Option<&'p str> {
    path.strip_prefix(key)?.strip_prefix('.')
}

impl<'a> Node<'_, '_, '_, 'a> {
    fn leaf(&mut self, key: &str, raw: &'a RawValue) {
        let value = scalar(raw.get());
        for (path, slot) in self.wanted {
            if *path == key {
                self.row[*slot] = value.clone();
            } else if let Some(below) = remainder(path, key) {
                self.row[*slot] = pick(raw.get(), below);
            }
        }
    }
}

impl<'a> Visitor<'a> for Node<'_, '_, '_, 'a> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'a>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Key<'a>>()? {
            match step(self.wanted, &key.0) {
                Step::Skip => {
                    map.next_value::<IgnoredAny>()?;
                }
                Step::Leaf => {
                    let raw = map.next_value::<&'a RawValue>()?;
                    self.leaf(&key.0, raw);
                }
                Step::Below => {
                    let below: Vec<(&str, usize)> = self
                        .wanted
                        .iter()
                        .filter_map(|(path, slot)| Some((remainder(path, &key.0)?, *slot)))
                        .collect();
                    map.next_value_seed(Node {
                        wanted: &below,
                        row: self.row,
                    })?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'a>>(mut self, mut sequence: A) -> Result<(), A::Error> {
        let mut index = 0_u64;
        while let Some(raw) = sequence.next_element::<&'a RawValue>()? {
            self.leaf(&index.to_string(), raw);
            index += 1;
        }
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

/// A key, borrowed where it has no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'a> serde::Deserialize<'a> for Key<'a> {
    fn deserialize<D: serde::Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'a> Visitor<'a> for KeyVisitor {
            type Value = Key<'a>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a key")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'a str) -> Result<Key<'a>, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Key<'a>, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

/// The value of valid JSON text.
fn scalar(raw: &str) -> Value<'_> {
    match raw.as_bytes().first() {
        Some(b'"') => match raw[1..raw.len() - 1].contains('\\') {
            false => Value::borrowed(&raw[1..raw.len() - 1]),
            true => serde_json::from_str::<String>(raw).map_or(Value::Absent, Value::text),
        },
        Some(b'{' | b'[') => Value::Json(Cow::Borrowed(raw)),
        Some(b't') => Value::Truth(true),
        Some(b'f') => Value::Truth(false),
        Some(b'n') | None => Value::Absent,
        Some(_) => Value::borrowed(raw),
    }
}

/// The value at a path of valid JSON text.
pub(crate) fn pick<'a>(json: &'a str, path: &str) -> Value<'a> {
    let mut row = [Value::Absent];
    let seed = Node {
        wanted: &[(path, 0)],
        row: &mut row,
    };
    match seed.deserialize(&mut serde_json::Deserializer::from_str(json)) {
        Ok(()) => std::mem::replace(&mut row[0], Value::Absent),
        Err(_) => Value::Absent,
    }
}

/// `jsonParse`: text as a map, a list or a scalar; absent if it is not JSON.
pub(crate) fn parse(text: &str) -> Value<'_> {
    match serde_json::from_str::<&RawValue>(text.trim()) {
        Ok(raw) => scalar(raw.get()),
        Err(_) => Value::Absent,
    }
}

/// `jsonStringify`: a map or list as its text; text in quotes.
pub(crate) fn stringify(value: &Value<'_>) -> Value<'static> {
    match value {
        Value::Absent => Value::Absent,
        Value::Json(json) => Value::text(json.clone().into_owned()),
        Value::Truth(truth) => Value::text(truth.to_string()),
        other if other.numeric().is_some() && !matches!(other, Value::Time(_)) => other
            .show()
            .map_or(Value::Absent, |text| Value::text(text.into_owned())),
        other => match other.show() {
            Some(text) => Value::text(serde_json::Value::from(text.as_ref()).to_string()),
            None => Value::Absent,
        },
    }
}

/// The elements of a list; any other value is a list of itself. (User guide, `unnest`.)
pub(crate) fn elements(json: &str) -> Vec<Value<'_>> {
    match serde_json::from_str::<Vec<&RawValue>>(json) {
        Ok(elements) => elements.into_iter().map(|raw| scalar(raw.get())).collect(),
        Err(_) => vec![Value::Json(Cow::Borrowed(json))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<'a>(message: &'a str, paths: &[&str], behind_text: bool) -> Vec<Option<String>> {
        let mut wanted = Paths::default();
        for (slot, path) in paths.iter().enumerate() {
            wanted.add(path, slot);
        }
        let mut row: Vec<Value<'a>> = vec![Value::Absent; paths.len()];
        wanted.read(message, behind_text, &mut row);
        row.iter()
            .map(|value| value.show().map(Cow::into_owned))
            .collect()
    }

    fn texts(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| Some((*text).to_owned())).collect()
    }

    #[test]
    fn keys_are_found_behind_text_only_where_that_is_allowed() {
        let message = "2026 {no json} INFO\t{\"type\":\"charge_applied\",\"amount\":150.00} more";
        assert_eq!(
            read(message, &["type", "amount"], true),
            texts(&["charge_applied", "150.00"])
        );
        assert_eq!(read(message, &["type"], false), [None]);
        assert_eq!(read(" {\"a\":1}", &["a"], false), texts(&["1"]));
    }

    #[test]
    fn nested_keys_and_elements_are_reached_with_dots() {
        let message =
            r#"{"a":{"b":[{"id":7},"x"],"c":{"d":true}},"e.f":"dotted","@g":"at","a.b":1}"#;
        assert_eq!(
            read(
                message,
                &["a.b.0.id", "a.b.1", "a.c.d", "e.f", "@@g", "a.c"],
                false
            ),
            texts(&["7", "x", "1", "dotted", "at", "{\"d\":true}"])
        );
        assert_eq!(
            read(message, &["a.b.2", "a.b.x", "e", "a.c.d.e"], false),
            [None, None, None, None]
        );
    }

    #[test]
    fn broken_json_gives_nothing() {
        for message in [
            "{\"a\":1",
            "{\"a\":1,}",
            "{",
            "{{{{{{{{{{{{",
            "{\"a\":\"\\x\"}",
            "",
        ] {
            assert_eq!(read(message, &["a"], true), [None], "{message}");
        }
    }

    #[test]
    fn escapes_are_undone_and_null_is_absent() {
        let message = r#"{"\u0061":"say \"hi\"\n","b":null}"#;
        assert_eq!(
            read(message, &["a", "b"], false),
            [Some("say \"hi\"\n".to_owned()), None]
        );
    }
}
