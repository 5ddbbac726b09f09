//! Numbers, and instants as numbers. What is not a number has no result.

use crate::insights::value::{Numeric, Value};

pub(super) fn unary(values: &[Value<'_>], compute: fn(f64) -> f64) -> Value<'static> {
    values[0]
        .as_f64()
        .map_or(Value::Absent, |number| Value::number(compute(number)))
}

/// Half away from zero, to a number of digits after the point (0 if not given).
pub(super) fn round<'r>(values: &mut [Value<'r>]) -> Value<'r> {
    let Some(number) = values[0].as_f64() else {
        return Value::Absent;
    };
    let digits = values.get(1).map_or(Some(0.0), Value::as_f64);
    let Some(digits) = digits.filter(|digits| digits.abs() <= 15.0) else {
        return Value::Absent;
    };
    let factor = 10_f64.powf(digits.trunc());
    Value::number((number * factor).round() / factor)
}

/// Values that are not numbers do not take part.
pub(super) fn extreme(values: &[Value<'_>], choose: fn(f64, f64) -> f64) -> Value<'static> {
    let numbers = values.iter().filter_map(Value::as_f64);
    numbers.reduce(choose).map_or(Value::Absent, Value::number)
}

/// Kilometres between two places given as latitude and longitude in degrees, on a sphere of
/// 6,371 km. The unit is not documented.
pub(super) fn haversine<'r>(values: &mut [Value<'r>]) -> Value<'r> {
    const EARTH_KILOMETRES: f64 = 6371.0;
    let mut degrees = values.iter().map(Value::as_f64);
    let mut next = || degrees.next().flatten().map(f64::to_radians);
    let (Some(latitude), Some(longitude), Some(to_latitude), Some(to_longitude)) =
        (next(), next(), next(), next())
    else {
        return Value::Absent;
    };
    let half = |difference: f64| (difference / 2.0).sin().powi(2);
    let chord = half(to_latitude - latitude)
        + latitude.cos() * to_latitude.cos() * half(to_longitude - longitude);
    Value::number(2.0 * EARTH_KILOMETRES * chord.sqrt().min(1.0).asin())
}

/// Milliseconds since 1970 as an instant.
pub(super) fn from_millis<'r>(values: &mut [Value<'r>]) -> Value<'r> {
    match values[0].numeric() {
        Some(Numeric::Integer(millis)) => Value::Time(millis),
        Some(Numeric::Float(millis)) => Value::Time(millis as i64),
        None => Value::Absent,
    }
}

/// An instant as milliseconds since 1970.
pub(super) fn to_millis<'r>(values: &mut [Value<'r>]) -> Value<'r> {
    unary(values, |millis| millis)
}
