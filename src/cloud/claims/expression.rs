//! Conditions in DynamoDB's expression language. The texts are constants: nothing that comes
//! from a message ever becomes part of one.

use super::attributes::{
    EXPIRATION_ATTRIBUTE, IN_PROGRESS, IN_PROGRESS_EXPIRATION_ATTRIBUTE, STATUS_ATTRIBUTE,
};
use crate::ports::{AttributeValue, Condition, KEY_ATTRIBUTE};

/// A `ConditionExpression` with the names and values that it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionExpression {
    /// The expression.
    pub text: &'static str,
    /// `ExpressionAttributeNames`: placeholder and attribute name.
    pub names: Vec<(&'static str, &'static str)>,
    /// `ExpressionAttributeValues`: placeholder and value.
    pub values: Vec<(&'static str, AttributeValue)>,
}

/// The condition as an expression; `None` for [`Condition::Always`], which is a request without
/// one.
///
/// [`Condition::AbsentOrExpired`] compares whole seconds with whole seconds and whole
/// milliseconds with whole milliseconds, as Powertools does: an item whose `expiration` is the
/// second of `now` still stands.
pub fn condition_expression(condition: &Condition) -> Option<ConditionExpression> {
    let number = |value: u64| AttributeValue::Number(value.to_string());
    match condition {
        Condition::Always => None,
        Condition::Absent => Some(ConditionExpression {
            text: "attribute_not_exists(#key)",
            names: vec![("#key", KEY_ATTRIBUTE)],
            values: Vec::new(),
        }),
        Condition::AbsentOrExpired { now } => Some(ConditionExpression {
            text: "attribute_not_exists(#key) OR #expiration < :now_seconds \
                   OR (#status = :in_progress AND attribute_exists(#lease) AND #lease < :now_millis)",
            names: vec![
                ("#key", KEY_ATTRIBUTE),
                ("#expiration", EXPIRATION_ATTRIBUTE),
                ("#status", STATUS_ATTRIBUTE),
                ("#lease", IN_PROGRESS_EXPIRATION_ATTRIBUTE),
            ],
            values: vec![
                (":now_seconds", number(now.as_secs())),
                (":now_millis", number(now.as_millis())),
                (":in_progress", IN_PROGRESS.into()),
            ],
        }),
        Condition::Equals { attribute, value } => Some(ConditionExpression {
            text: "#attribute = :value",
            names: vec![("#attribute", attribute)],
            values: vec![(":value", value.as_str().into())],
        }),
    }
}
