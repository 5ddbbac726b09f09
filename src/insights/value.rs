//! Values of fields, and how they compare.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::choices::{FALSE_TEXT, TRUE_TEXT};
use super::format;

/// The value of a field. Types belong to values, not to fields: text that reads as a number
/// compares and calculates as one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Absent,
    Text(Cow<'a, str>),
    /// Computed. Numbers that were read stay text, digit by digit.
    Number(f64),
    /// A count or a pointer: exact.
    Ordinal(u64),
    Truth(bool),
    /// Milliseconds since 1970.
    Time(i64),
    /// A map or list: its JSON text, known to be valid.
    Json(Cow<'a, str>),
}

/// A number, exact where it is an integer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Numeric {
    Integer(i64),
    Float(f64),
}

impl Numeric {
    pub(crate) fn as_f64(self) -> f64 {
        match self {
            // Beyond 2^53 this rounds, as every calculation with such numbers does.
            Numeric::Integer(integer) => integer as f64,
            Numeric::Float(float) => float,
        }
    }

    fn compare(self, other: Numeric) -> Ordering {
        match (self, other) {
            (Numeric::Integer(left), Numeric::Integer(right)) => left.cmp(&right),
            (left, right) => left
                .as_f64()
                .partial_cmp(&right.as_f64())
                .unwrap_or(Ordering::Equal),
        }
    }
}

/// The number that a text is, if it is one and nothing else.
pub(crate) fn numeric(text: &str) -> Option<Numeric> {
    let bytes = text.as_bytes();
    let first = *bytes.first()?;
    if !(first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.')) || bytes.len() > 40 {
        return None;
    }
    if bytes.len() < 19 && bytes[1..].iter().all(u8::is_ascii_digit) && first != b'.' {
        return text.parse().ok().map(Numeric::Integer);
    }
    let allowed = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    if !bytes.iter().all(allowed) {
        return None;
    }
    if let Ok(integer) = text.parse() {
        return Some(Numeric::Integer(integer));
    }
    let float: f64 = text.parse().ok()?;
    float.is_finite().then_some(Numeric::Float(float))
}

impl<'a> Value<'a> {
    pub(crate) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Value::Text(text.into())
    }

    pub(crate) const fn borrowed(text: &'a str) -> Self {
        Value::Text(Cow::Borrowed(text))
    }

    pub(crate) fn number(number: f64) -> Self {
        super::choices::finite(number).map_or(Value::Absent, Value::Number)
    }

    pub(crate) const fn is_absent(&self) -> bool {
        matches!(self, Value::Absent)
    }

    /// The same value without a copy of its text.
    pub(crate) fn reborrow<'r>(&'r self) -> Value<'r>
    where
        'a: 'r,
    {
        match self {
            Value::Absent => Value::Absent,
            Value::Text(text) => Value::borrowed(text),
            Value::Number(number) => Value::Number(*number),
            Value::Ordinal(ordinal) => Value::Ordinal(*ordinal),
            Value::Truth(truth) => Value::Truth(*truth),
            Value::Time(time) => Value::Time(*time),
            Value::Json(json) => Value::Json(Cow::Borrowed(json)),
        }
    }

    pub(crate) fn into_owned(self) -> Value<'static> {
        match self {
            Value::Absent => Value::Absent,
            Value::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Value::Number(number) => Value::Number(number),
            Value::Ordinal(ordinal) => Value::Ordinal(ordinal),
            Value::Truth(truth) => Value::Truth(truth),
            Value::Time(time) => Value::Time(time),
            Value::Json(json) => Value::Json(Cow::Owned(json.into_owned())),
        }
    }

    pub(crate) fn numeric(&self) -> Option<Numeric> {
        match self {
            Value::Absent | Value::Json(_) => None,
            Value::Text(text) => numeric(text),
            Value::Number(number) => Some(Numeric::Float(*number)),
            Value::Ordinal(ordinal) => Some(
                i64::try_from(*ordinal).map_or(Numeric::Float(*ordinal as f64), Numeric::Integer),
            ),
            Value::Truth(truth) => Some(Numeric::Integer(i64::from(*truth))),
            Value::Time(time) => Some(Numeric::Integer(*time)),
        }
    }

    pub(crate) fn as_f64(&self) -> Option<f64> {
        self.numeric().map(Numeric::as_f64)
    }

    /// The value as results show it; `None` if there is none.
    pub(crate) fn show(&self) -> Option<Cow<'_, str>> {
        match self {
            Value::Absent => None,
            Value::Text(text) | Value::Json(text) => Some(Cow::Borrowed(text)),
            Value::Number(number) => Some(Cow::Owned(format::number(*number))),
            Value::Ordinal(ordinal) => Some(Cow::Owned(ordinal.to_string())),
            Value::Truth(true) => Some(Cow::Borrowed(TRUE_TEXT)),
            Value::Truth(false) => Some(Cow::Borrowed(FALSE_TEXT)),
            Value::Time(time) => Some(Cow::Owned(format::time(*time))),
        }
    }

    /// Whether a filter keeps it.
    pub(crate) fn is_true(&self) -> bool {
        match self {
            Value::Truth(truth) => *truth,
            Value::Text(text) if text.eq_ignore_ascii_case("true") => true,
            other => other.as_f64().is_some_and(|number| number != 0.0),
        }
    }

    /// Bytes that the value holds beside itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Value::Text(Cow::Owned(text)) | Value::Json(Cow::Owned(text)) => text.capacity(),
            _ => 0,
        }
    }

    /// Order for `=`, `<` and the like: as numbers if both are, as text otherwise. `None` if one
    /// is absent.
    pub(crate) fn compare(&self, other: &Value<'_>) -> Option<Ordering> {
        if let (Value::Text(left), Value::Text(right)) = (self, other)
            && left == right
        {
            return Some(Ordering::Equal);
        }
        if let (Some(left), Some(right)) = (self.numeric(), other.numeric()) {
            return Some(left.compare(right));
        }
        if let (Value::Truth(truth), Value::Text(text)) | (Value::Text(text), Value::Truth(truth)) =
            (self, other)
            && text.eq_ignore_ascii_case(if *truth { "true" } else { "false" })
        {
            return Some(Ordering::Equal);
        }
        Some(self.show()?.cmp(&other.show()?))
    }

    /// Order of `sort … asc`: absent, then what is not a number, naturally, then numbers.
    /// (User guide, `sort`; where absent values go is not documented.)
    pub(crate) fn sort_order(&self, other: &Value<'_>) -> Ordering {
        match (self.numeric(), other.numeric()) {
            (Some(left), Some(right)) => left.compare(right).then_with(|| match (self, other) {
                (Value::Text(left), Value::Text(right)) => left.cmp(right),
                _ => Ordering::Equal,
            }),
            (Some(_), None) => Ordering::Greater,
            (None, Some(_)) => Ordering::Less,
            (None, None) => match (self.show(), other.show()) {
                (Some(left), Some(right)) => natural_order(&left, &right),
                (left, right) => left.is_some().cmp(&right.is_some()),
            },
        }
    }
}

/// Runs of digits by length and then value, everything else by Unicode. (User guide, `sort`.)
pub(crate) fn natural_order(left: &str, right: &str) -> Ordering {
    let (mut left_rest, mut right_rest) = (left, right);
    while !left_rest.is_empty() && !right_rest.is_empty() {
        let (left_run, left_digits) = run(left_rest);
        let (right_run, right_digits) = run(right_rest);
        let order = if left_digits && right_digits {
            left_run
                .len()
                .cmp(&right_run.len())
                .then_with(|| left_run.cmp(right_run))
        } else {
            left_run.cmp(right_run)
        };
        if order != Ordering::Equal {
            return order;
        }
        left_rest = &left_rest[left_run.len()..];
        right_rest = &right_rest[right_run.len()..];
    }
    left_rest.len().cmp(&right_rest.len())
}

fn run(text: &str) -> (&str, bool) {
    let digits = text.as_bytes()[0].is_ascii_digit();
    let end = text
        .bytes()
        .position(|byte| byte.is_ascii_digit() != digits);
    (&text[..end.unwrap_or(text.len())], digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value<'_> {
        Value::borrowed(text)
    }

    #[test]
    fn the_order_of_the_user_guide_holds() {
        let order = [
            "!:",
            "#",
            "*%04",
            "0#",
            "5A",
            "111A",
            "2345_",
            "@",
            "@_",
            "A",
            "A9876fghj",
            "a12345hfh",
            "0",
            "01",
            "1",
            "2",
            "3",
        ];
        let mut shuffled = order;
        shuffled.reverse();
        shuffled.sort_by(|left, right| text(left).sort_order(&text(right)));
        assert_eq!(shuffled, order);
    }

    #[test]
    fn text_that_is_a_number_compares_as_one() {
        assert_eq!(text("10").compare(&text("9")), Some(Ordering::Greater));
        assert_eq!(
            text("150.00").compare(&Value::Number(150.0)),
            Some(Ordering::Equal)
        );
        assert_eq!(text("10a").compare(&text("9")), Some(Ordering::Less));
        assert_eq!(text("1").compare(&Value::Absent), None);
    }

    #[test]
    fn long_integers_are_not_rounded_together() {
        assert_eq!(
            text("9007199254740993").compare(&text("9007199254740992")),
            Some(Ordering::Greater)
        );
        assert_eq!(
            text("955512908").numeric().map(Numeric::as_f64),
            Some(955_512_908.0)
        );
    }

    #[test]
    fn only_numbers_are_numbers() {
        for not in [
            "", "-", "+", ".", "1.2.3", "inf", "NaN", "1e999", "0x10", " 1", "1 ", "e5", "٣",
        ] {
            assert!(numeric(not).is_none(), "{not:?}");
        }
        for number in ["0", "-1", "+1", ".5", "1.", "1e3", "-1.5E-3"] {
            assert!(numeric(number).is_some(), "{number:?}");
        }
    }

    #[test]
    fn truth_equals_its_number_and_its_word() {
        for other in [text("true"), text("1"), Value::Number(1.0)] {
            assert_eq!(Value::Truth(true).compare(&other), Some(Ordering::Equal));
            assert_ne!(Value::Truth(false).compare(&other), Some(Ordering::Equal));
        }
    }
}
