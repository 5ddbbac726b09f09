//! What SQS demands of a message before it takes it.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, Weak};

use crate::ports::MessageAttribute;

use super::error::QueueError;
use super::limits;
use super::request::SendMessage;

/// The size of the content that was checked last, so that a million copies of one order are
/// looked through once. Weak references keep the two addresses from being used again.
#[derive(Debug, Default)]
pub(super) struct ContentCheck {
    last: Option<Checked>,
}

#[derive(Debug)]
struct Checked {
    body: Weak<str>,
    attributes: Weak<BTreeMap<String, MessageAttribute>>,
    size: usize,
}

impl ContentCheck {
    /// Bytes of body and attributes, which must be well-formed.
    pub(super) fn size(&mut self, message: &SendMessage) -> Result<usize, QueueError> {
        if let Some(last) = &self.last
            && std::ptr::addr_eq(last.body.as_ptr(), Arc::as_ptr(&message.body))
            && std::ptr::addr_eq(last.attributes.as_ptr(), Arc::as_ptr(&message.attributes))
        {
            return Ok(last.size);
        }
        let size = body_size(&message.body)? + attributes_size(&message.attributes)?;
        self.last = Some(Checked {
            body: Arc::downgrade(&message.body),
            attributes: Arc::downgrade(&message.attributes),
            size,
        });
        Ok(size)
    }
}

fn body_size(body: &str) -> Result<usize, QueueError> {
    if body.is_empty() {
        return Err(QueueError::missing("MessageBody"));
    }
    check_characters(body)?;
    Ok(body.len())
}

/// The characters of XML 1.0 (SQS SendMessage). A `str` holds no surrogates.
fn check_characters(text: &str) -> Result<(), QueueError> {
    let allowed = |c: char| match c {
        '\t' | '\n' | '\r' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        other => other >= ' ',
    };
    if text.chars().all(allowed) {
        Ok(())
    } else {
        Err(QueueError::invalid_characters())
    }
}

fn attributes_size(attributes: &BTreeMap<String, MessageAttribute>) -> Result<usize, QueueError> {
    if attributes.len() > limits::MAX_MESSAGE_ATTRIBUTES {
        return Err(QueueError::parameter(format!(
            "Number of message attributes [{}] exceeds the allowed maximum [{}].",
            attributes.len(),
            limits::MAX_MESSAGE_ATTRIBUTES
        )));
    }
    let mut size = 0;
    for (name, attribute) in attributes {
        check_attribute_name(name)?;
        check_attribute(name, attribute)?;
        let (data_type, value) = match attribute {
            MessageAttribute::Text { data_type, value } => (data_type, value.len()),
            MessageAttribute::Binary { data_type, value } => (data_type, value.len()),
        };
        size += name.len() + data_type.len() + value;
    }
    Ok(size)
}

fn check_attribute_name(name: &str) -> Result<(), QueueError> {
    let lower = name.to_ascii_lowercase();
    let reserved = lower.starts_with("aws.") || lower.starts_with("amazon.");
    let dots = name.starts_with('.') || name.ends_with('.') || name.contains("..");
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let length = (1..=limits::MAX_MESSAGE_ATTRIBUTE_NAME_CHARS).contains(&name.len());
    if length && !reserved && !dots && name.chars().all(allowed) {
        return Ok(());
    }
    Err(QueueError::parameter(format!(
        "The message attribute name '{name}' is invalid. Attribute names can include A-Z, a-z, 0-9, underscore (_), hyphen (-), and period (.) characters, must not start with AWS. or Amazon., and can be at most 256 characters long."
    )))
}

fn check_attribute(name: &str, attribute: &MessageAttribute) -> Result<(), QueueError> {
    let (data_type, empty) = match attribute {
        MessageAttribute::Text { data_type, value } => (data_type, value.is_empty()),
        MessageAttribute::Binary { data_type, value } => (data_type, value.is_empty()),
    };
    if data_type.is_empty() {
        return Err(QueueError::parameter(format!(
            "The message attribute '{name}' must contain non-empty message attribute type."
        )));
    }
    let base = data_type.split('.').next().unwrap_or_default();
    let fits = match attribute {
        MessageAttribute::Text { .. } => matches!(base, "String" | "Number"),
        MessageAttribute::Binary { .. } => base == "Binary",
    };
    if !matches!(base, "String" | "Number" | "Binary") {
        return Err(QueueError::parameter(format!(
            "The message attribute '{name}' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String."
        )));
    }
    if empty || !fits {
        return Err(QueueError::parameter(format!(
            "The message attribute '{name}' must contain non-empty message attribute value for message attribute type '{data_type}'."
        )));
    }
    match attribute {
        MessageAttribute::Text { value, .. } if base == "Number" && !is_number(value) => {
            Err(QueueError::parameter(format!(
                "Can't cast the value of message (user) attribute '{name}' to a number."
            )))
        }
        MessageAttribute::Text { value, .. } => check_characters(value),
        MessageAttribute::Binary { .. } => Ok(()),
    }
}

/// A decimal number of at most 38 digits, with sign, fraction and exponent as one likes.
fn is_number(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent),
        None => (text, "0"),
    };
    let unsigned = mantissa.strip_prefix(['+', '-']).unwrap_or(mantissa);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = whole.len() + fraction.len();
    let only_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    (1..=38).contains(&digits)
        && only_digits(whole)
        && only_digits(fraction)
        && exponent.parse::<i32>().is_ok()
}

/// A group id or deduplication id (SQS SendMessage).
pub(super) fn fifo_id(parameter: &str, id: &str) -> Result<(), QueueError> {
    let length = (1..=limits::MAX_FIFO_ID_CHARS).contains(&id.len());
    if length && id.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(());
    }
    let reason = format!(
        "{parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length."
    );
    Err(QueueError::value(id, parameter, &reason))
}

/// Seconds of a request parameter within their range.
pub(super) fn seconds(
    value: i64,
    parameter: &str,
    range: RangeInclusive<i64>,
    reason: &str,
) -> Result<u32, QueueError> {
    if !range.contains(&value) {
        return Err(QueueError::value(value, parameter, reason));
    }
    Ok(u32::try_from(value).unwrap_or(u32::MAX))
}

/// The id of a batch entry.
pub(super) fn entry_id(id: &str) -> Result<(), QueueError> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let length = (1..=limits::MAX_BATCH_ENTRY_ID_CHARS).contains(&id.len());
    if length && id.bytes().all(allowed) {
        Ok(())
    } else {
        Err(QueueError::invalid_entry_id())
    }
}
