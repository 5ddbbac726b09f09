//! DynamoDB's rules for the requests of the port, with its texts, for the adapter that has no
//! DynamoDB behind it. How numbers are read, stored and sized is dynoxide's own code, because
//! the two adapters must agree on every digit.

use dynoxide::types::{
    MAX_ITEM_SIZE, normalize_dynamo_number, normalize_number_for_sort, number_size,
    validate_dynamo_number,
};

use super::attributes::{
    EXPIRATION_ATTRIBUTE, IN_PROGRESS, IN_PROGRESS_EXPIRATION_ATTRIBUTE, STATUS_ATTRIBUTE,
};
use crate::ports::{AttributeValue, Condition, Item, KEY_ATTRIBUTE, MAX_KEY_BYTES};

/// Most actions of one transaction (DynamoDB TransactWriteItems).
pub(super) const MAX_TRANSACTION_ACTIONS: usize = 100;

/// Most bytes of all items of one transaction (DynamoDB TransactWriteItems: 4 MB).
pub(super) const MAX_TRANSACTION_BYTES: usize = 4 * 1024 * 1024;

/// Most digits that DynamoDB keeps of a number.
const MAX_DIGITS: usize = 38;

/// A request that the service refuses with a `ValidationException`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Violation {
    /// The key is the empty string. Alone among the faults of a key it ends a whole transaction
    /// instead of being one of its cancellation reasons.
    EmptyKey,
    /// Any other fault, with the service's text.
    Other(String),
}

impl Violation {
    fn other(message: &str) -> Self {
        Self::Other(message.to_owned())
    }

    /// The text of single-item writes for a fault that is found while the request is read.
    fn while_reading(message: &str) -> Self {
        Self::Other(format!("1 validation error detected: {message}"))
    }

    /// The service's text.
    pub(super) fn message(self) -> String {
        match self {
            Self::EmptyKey => format!(
                "One or more parameter values are not valid. The AttributeValue for a key \
                 attribute cannot contain an empty string value. Key: {KEY_ATTRIBUTE}"
            ),
            Self::Other(message) => message,
        }
    }
}

/// `PutItem`: checks the item in the service's order, brings its numbers into the form in which
/// they are stored, and returns the key.
pub(super) fn accept_put(item: &mut Item) -> Result<&str, Violation> {
    if item.contains_key("") {
        return Err(Violation::while_reading("Empty attribute name"));
    }
    check_numbers(item)?;
    if item_bytes(item) > MAX_ITEM_SIZE {
        return Err(too_large());
    }
    store_numbers(item);
    item_key(item)
}

/// What `TransactWriteItems` refuses as a whole before it looks at any condition.
pub(super) fn check_transaction(puts: &[(Item, Condition)]) -> Result<(), Violation> {
    if puts.iter().any(|(item, _)| item.contains_key("")) {
        return Err(Violation::other("Empty attribute name"));
    }
    if puts
        .iter()
        .any(|(item, _)| item_bytes(item) > MAX_ITEM_SIZE)
    {
        return Err(too_large());
    }
    let mut keys: Vec<_> = puts.iter().filter_map(|(item, _)| target(item)).collect();
    keys.sort_unstable();
    if keys.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Violation::other(
            "Transaction request cannot include multiple operations on one item",
        ));
    }
    if puts.iter().map(|(item, _)| item_bytes(item)).sum::<usize>() > MAX_TRANSACTION_BYTES {
        return Err(Violation::other(
            "Collection size of items exceeded, which can also be caused by the aggregate size \
             of the items in the transaction exceeding the 4MB limit",
        ));
    }
    Ok(())
}

/// The text of the refusal of a transaction with no or too many actions; `None` if the number is
/// right. DynamoDB repeats the whole list in the text in most regions and leaves it out in
/// others; ours leaves it out, which keeps the text the same from run to run.
pub(super) fn action_count_refusal(count: usize) -> Option<String> {
    let bound = match count {
        0 => "greater than or equal to 1".to_owned(),
        1..=MAX_TRANSACTION_ACTIONS => return None,
        _ => format!("less than or equal to {MAX_TRANSACTION_ACTIONS}"),
    };
    let list = if count == 0 { "Value '[]'" } else { "Value" };
    Some(format!(
        "1 validation error detected: {list} at 'transactItems' failed to satisfy constraint: \
         Member must have length {bound}"
    ))
}

/// One `Put` of a transaction: as [`accept_put`], in the order of `TransactWriteItems`.
pub(super) fn accept_transaction_put(item: &mut Item) -> Result<String, Violation> {
    let key = item_key(item)?.to_owned();
    check_numbers(item)?;
    store_numbers(item);
    Ok(key)
}

/// `UpdateItem`: checks what can be told from the request alone.
pub(super) fn accept_update(key: &str, set: &mut Item) -> Result<(), Violation> {
    if set.contains_key("") {
        return Err(Violation::while_reading(
            "ExpressionAttributeNames contains invalid value: Empty attribute name for key #s0",
        ));
    }
    check_numbers(set)?;
    check_key(key)?;
    // What DynamoDB charges a `SET` clause with: dynoxide's measurement of the service.
    let clause = |(name, value): (&String, &AttributeValue)| 19 + name.len() + value_bytes(value);
    if !set.is_empty() && 3 + set.iter().map(clause).sum::<usize>() > MAX_ITEM_SIZE {
        return Err(update_too_large());
    }
    store_numbers(set);
    Ok(())
}

/// `UpdateItem`: checks what the service looks at only after the condition.
pub(super) fn check_updated(set: &Item, updated: &Item) -> Result<(), Violation> {
    if set.contains_key(KEY_ATTRIBUTE) {
        return Err(Violation::Other(format!(
            "One or more parameter values were invalid: Cannot update attribute {KEY_ATTRIBUTE}. \
             This attribute is part of the key"
        )));
    }
    if item_bytes(updated) > MAX_ITEM_SIZE {
        return Err(update_too_large());
    }
    Ok(())
}

/// A key given by itself.
pub(super) fn check_key(key: &str) -> Result<(), Violation> {
    if key.is_empty() {
        return Err(Violation::EmptyKey);
    }
    if key.len() > MAX_KEY_BYTES {
        return Err(Violation::other(
            "One or more parameter values were invalid: Size of hashkey has exceeded the maximum \
             size limit of2048 bytes",
        ));
    }
    Ok(())
}

/// The key of an item that is to be put.
fn item_key(item: &Item) -> Result<&str, Violation> {
    match item.get(KEY_ATTRIBUTE) {
        Some(AttributeValue::Text(key)) => {
            check_key(key)?;
            Ok(key)
        }
        Some(AttributeValue::Number(_)) => Err(Violation::Other(format!(
            "One or more parameter values were invalid: Type mismatch for key {KEY_ATTRIBUTE} \
             expected: S actual: N"
        ))),
        None => Err(Violation::Other(format!(
            "One or more parameter values were invalid: Missing the key {KEY_ATTRIBUTE} in the item"
        ))),
    }
}

/// What tells two actions of a transaction apart: the type and value of the key.
fn target(item: &Item) -> Option<(bool, String)> {
    match item.get(KEY_ATTRIBUTE)? {
        AttributeValue::Text(key) => Some((false, key.clone())),
        AttributeValue::Number(key) => Some((true, normalize_number_for_sort(key))),
    }
}

fn check_numbers(item: &Item) -> Result<(), Violation> {
    for value in item.values() {
        if let AttributeValue::Number(text) = value
            && !is_plain_integer(text)
        {
            if text.is_empty() {
                return Err(Violation::while_reading(
                    "The parameter cannot be converted to a numeric value: ",
                ));
            }
            validate_dynamo_number(text)
                .map_err(|error| Violation::while_reading(&error.to_string()))?;
        }
    }
    Ok(())
}

fn store_numbers(item: &mut Item) {
    for value in item.values_mut() {
        if let AttributeValue::Number(text) = value
            && !is_plain_integer(text)
        {
            *text = normalize_dynamo_number(text);
        }
    }
}

/// Whether the number is one that DynamoDB takes and stores as it is; true for every number that
/// guards write, so that they cost nothing.
fn is_plain_integer(text: &str) -> bool {
    (1..=MAX_DIGITS).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'))
}

fn item_bytes(item: &Item) -> usize {
    item.iter()
        .map(|(name, value)| name.len() + value_bytes(value))
        .sum()
}

fn value_bytes(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::Text(text) => text.len(),
        AttributeValue::Number(text) => number_size(text),
    }
}

fn too_large() -> Violation {
    Violation::other("Item size has exceeded the maximum allowed size")
}

fn update_too_large() -> Violation {
    Violation::other("Item size to update has exceeded the maximum allowed size")
}

/// Whether the condition is met by the item that stands under the key.
pub(super) fn is_met(condition: &Condition, existing: Option<&Item>) -> bool {
    match condition {
        Condition::Always => true,
        Condition::Absent => existing.is_none(),
        Condition::AbsentOrExpired { now } => existing.is_none_or(|item| {
            let over = |attribute, bound| is_number_below(item.get(attribute), bound);
            let in_progress =
                matches!(item.get(STATUS_ATTRIBUTE), Some(AttributeValue::Text(status)) if status == IN_PROGRESS);
            over(EXPIRATION_ATTRIBUTE, now.as_secs())
                || (in_progress && over(IN_PROGRESS_EXPIRATION_ATTRIBUTE, now.as_millis()))
        }),
        Condition::Equals { attribute, value } => matches!(
            existing.and_then(|item| item.get(*attribute)),
            Some(AttributeValue::Text(text)) if text == value
        ),
    }
}

/// Only numbers compare with numbers, and by value.
fn is_number_below(value: Option<&AttributeValue>, bound: u64) -> bool {
    let Some(AttributeValue::Number(text)) = value else {
        return false;
    };
    match text.parse::<u64>() {
        Ok(number) => number < bound,
        Err(_) => normalize_number_for_sort(text) < normalize_number_for_sort(&bound.to_string()),
    }
}
