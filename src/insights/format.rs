//! How results write numbers and times.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::choices::{EXPONENT_FROM, FRACTION_DIGITS};

/// A computed number: an integer without a point, anything else rounded.
pub(crate) fn number(number: f64) -> String {
    if number.abs() >= EXPONENT_FROM {
        return format!("{number:E}");
    }
    if number.fract() == 0.0 {
        // -0 is shown as 0.
        return format!("{:.0}", number + 0.0);
    }
    let rounded = format!("{number:.FRACTION_DIGITS$}");
    let trimmed = rounded.trim_end_matches('0').trim_end_matches('.');
    match trimmed {
        "-0" | "" => "0".to_owned(),
        _ => trimmed.to_owned(),
    }
}

/// `2024-11-20 15:45:00.000`, UTC; an instant outside of the calendar stays a number.
pub(crate) fn time(millis: i64) -> String {
    let Ok(timestamp) = Timestamp::from_millisecond(millis) else {
        return millis.to_string();
    };
    let date = TimeZone::UTC.to_datetime(timestamp);
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}",
        date.year(),
        date.month(),
        date.day(),
        date.hour(),
        date.minute(),
        date.second(),
        date.subsec_nanosecond() / 1_000_000
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_and_integers_have_no_point() {
        for (given, shown) in [
            (6.0, "6"),
            (-0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (1.0 / 3.0, "0.3333"),
            (-0.000_01, "0"),
            (150.25, "150.25"),
            (955_512_908.0, "955512908"),
            (1.28e8, "128000000"),
            (1e21, "1E21"),
        ] {
            assert_eq!(number(given), shown);
        }
    }

    #[test]
    fn times_are_utc_with_milliseconds() {
        assert_eq!(time(1_732_117_500_000), "2024-11-20 15:45:00.000");
        assert_eq!(time(-1), "1969-12-31 23:59:59.999");
        assert_eq!(time(i64::MAX), i64::MAX.to_string());
    }
}
