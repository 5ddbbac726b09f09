//! Fields that CloudWatch finds in a message by itself: JSON keys, and what Lambda's lines say.

mod json;
mod lambda;

pub(crate) use json::{Paths, elements, parse, pick, stringify};
pub(crate) use lambda::LambdaField;
