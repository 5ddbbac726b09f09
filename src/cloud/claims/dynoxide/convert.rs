//! The port's types in the engine's, and back.

use std::collections::HashMap;
use std::sync::Arc;

use dynoxide::DynoxideError;
use dynoxide::types::{AttributeValue as Stored, Item as StoredItem};

use super::super::expression::{ConditionExpression, condition_expression};
use crate::ports::{
    AttributeValue, Clock, Condition, ErrorKind, Item, KEY_ATTRIBUTE, PortError, WriteOutcome,
};

/// Our clock as the engine reads it.
pub(super) struct DatabaseClock(pub(super) Arc<dyn Clock>);

impl dynoxide::storage_backend::Clock for DatabaseClock {
    fn now_unix_secs(&self) -> u64 {
        self.0.now().as_secs()
    }

    fn now_unix_secs_f64(&self) -> f64 {
        let now = self.0.now();
        let millis = u32::try_from(now.as_millis() % 1000).expect("below 1,000");
        // Exact: epoch seconds are far below 2^53.
        #[expect(clippy::cast_precision_loss)]
        let seconds = now.as_secs() as f64;
        seconds + f64::from(millis) / 1000.0
    }
}

/// The parts of a request that belong to its condition. The two maps are absent when empty,
/// because the service refuses empty ones.
pub(super) struct Conditional {
    pub(super) text: Option<String>,
    pub(super) names: Option<HashMap<String, String>>,
    pub(super) values: Option<HashMap<String, Stored>>,
}

impl Conditional {
    pub(super) fn new(condition: &Condition) -> Self {
        let Some(ConditionExpression {
            text,
            names,
            values,
        }) = condition_expression(condition)
        else {
            return Self {
                text: None,
                names: None,
                values: None,
            };
        };
        let names = names
            .into_iter()
            .map(|(placeholder, name)| (placeholder.to_owned(), name.to_owned()));
        let values = values
            .into_iter()
            .map(|(placeholder, value)| (placeholder.to_owned(), to_value(value)));
        Self {
            text: Some(text.to_owned()),
            names: Some(names.collect()),
            values: Some(values.collect()).filter(|values: &HashMap<_, _>| !values.is_empty()),
        }
    }

    /// Adds the names and values of a `SET` of these attributes and returns the
    /// `UpdateExpression`; `None` if there is nothing to set.
    pub(super) fn add_set_clauses(&mut self, set: Item) -> Option<String> {
        if set.is_empty() {
            return None;
        }
        let names = self.names.get_or_insert_default();
        let values = self.values.get_or_insert_default();
        let mut clauses = Vec::with_capacity(set.len());
        for (index, (name, value)) in set.into_iter().enumerate() {
            clauses.push(format!("#s{index} = :s{index}"));
            names.insert(format!("#s{index}"), name);
            values.insert(format!(":s{index}"), to_value(value));
        }
        Some(format!("SET {}", clauses.join(", ")))
    }
}

pub(super) fn all_old() -> Option<String> {
    Some("ALL_OLD".to_owned())
}

pub(super) fn outcome<T>(
    operation: &'static str,
    written: Result<T, DynoxideError>,
) -> Result<WriteOutcome, PortError> {
    match written {
        Ok(_) => Ok(WriteOutcome::Applied),
        Err(DynoxideError::ConditionalCheckFailedException(_, existing)) => {
            Ok(WriteOutcome::Refused {
                existing: existing.as_ref().map(to_item),
            })
        }
        Err(error) => Err(port_error(operation, &error)),
    }
}

pub(super) fn port_error(operation: &'static str, error: &DynoxideError) -> PortError {
    let error_type = error.error_type();
    let code = error_type.rsplit('#').next().unwrap_or(error_type);
    PortError {
        kind: match code {
            // The storage failed: nobody can tell how far it came.
            "InternalServerError" => ErrorKind::NoAnswer,
            "ProvisionedThroughputExceededException" => ErrorKind::Throttled,
            _ => ErrorKind::Rejected,
        },
        ..PortError::rejected(operation, code, error.to_string())
    }
}

pub(super) fn to_key(key: &str) -> StoredItem {
    HashMap::from([(KEY_ATTRIBUTE.to_owned(), Stored::S(key.to_owned()))])
}

pub(super) fn to_stored(item: Item) -> StoredItem {
    item.into_iter()
        .map(|(name, value)| (name, to_value(value)))
        .collect()
}

pub(super) fn to_value(value: AttributeValue) -> Stored {
    match value {
        AttributeValue::Text(text) => Stored::S(text),
        AttributeValue::Number(text) => Stored::N(text),
    }
}

pub(super) fn to_item(stored: &StoredItem) -> Item {
    stored
        .iter()
        .map(|(name, value)| (name.clone(), from_value(value)))
        .collect()
}

/// Other types than String and Number come from other people's consumers, over the wire. They
/// are shown as DynamoDB JSON, with the keys sorted so that the text does not change.
pub(super) fn from_value(value: &Stored) -> AttributeValue {
    match value {
        Stored::S(text) => AttributeValue::Text(text.clone()),
        Stored::N(text) => AttributeValue::Number(text.clone()),
        other => {
            let mut json = serde_json::to_value(other).expect("an attribute value is plain data");
            json.sort_all_objects();
            AttributeValue::Text(json.to_string())
        }
    }
}

pub(super) fn key_of(item: &Item) -> &str {
    item.get(KEY_ATTRIBUTE).map_or("", |value| value.as_str())
}
