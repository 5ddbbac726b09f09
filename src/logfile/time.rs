//! Times in log lines and on the command line.

use std::fmt;

use jiff::civil::Date;
use jiff::tz::TimeZone;

/// `2026-09-20T20:58:23Z`
const SHORTEST_TIME: usize = 20;

/// A level in brackets and a tab may stand before the time (Lambda's Python runtime).
const FARTHEST_TAB: usize = 16;

/// Reads RFC 3339 times. Lines of a log mostly share their date, so the last one is remembered.
#[derive(Clone, Debug, Default)]
pub(super) struct TimeReader {
    date: [u8; 10],
    midnight_millis: i64,
}

impl TimeReader {
    /// The time that a line begins with, also behind a first word and a tab.
    pub(super) fn of_line(&mut self, line: &[u8]) -> Option<i64> {
        if line.first()?.is_ascii_digit() {
            return self.leading(line).map(|(millis, _)| millis);
        }
        let tab = line
            .iter()
            .take(FARTHEST_TAB)
            .position(|byte| *byte == b'\t')?;
        self.leading(&line[tab + 1..]).map(|(millis, _)| millis)
    }

    /// The time that the text begins with, in epoch milliseconds, and its length in bytes. The
    /// date and the time may be separated by a blank, and a comma may stand for the point, as RFC
    /// 3339 and ISO 8601 allow; the offset must be there.
    pub(super) fn leading(&mut self, text: &[u8]) -> Option<(i64, usize)> {
        if text.len() < SHORTEST_TIME
            || !matches!(text[10], b'T' | b't' | b' ')
            || text[13] != b':'
            || text[16] != b':'
        {
            return None;
        }
        let midnight = self.midnight(text[..10].try_into().ok()?)?;
        let hour = below(24, two_digits(&text[11..])?)?;
        let minute = below(60, two_digits(&text[14..])?)?;
        // A leap second counts as the one before it.
        let second = below(61, two_digits(&text[17..])?)?.min(59);
        let (fraction_millis, length) = fraction(&text[19..])?;
        let at = 19 + length;
        let (offset_minutes, length) = offset(text.get(at..)?)?;
        let end = at + length;
        if text.get(end).is_some_and(u8::is_ascii_alphanumeric) {
            return None;
        }
        let seconds = (hour * 60 + minute - offset_minutes) * 60 + second;
        Some((midnight + seconds * 1000 + fraction_millis, end))
    }

    fn midnight(&mut self, date: [u8; 10]) -> Option<i64> {
        if date == self.date {
            return Some(self.midnight_millis);
        }
        if date[4] != b'-' || date[7] != b'-' {
            return None;
        }
        let year = two_digits(&date)? * 100 + two_digits(&date[2..])?;
        let number = |at: usize| two_digits(&date[at..]).and_then(|n| i8::try_from(n).ok());
        let day = Date::new(i16::try_from(year).ok()?, number(5)?, number(8)?).ok()?;
        let midnight = TimeZone::UTC.to_timestamp(day.at(0, 0, 0, 0)).ok()?;
        self.date = date;
        self.midnight_millis = midnight.as_millisecond();
        Some(self.midnight_millis)
    }
}

fn two_digits(text: &[u8]) -> Option<i64> {
    let digit = |byte: u8| byte.is_ascii_digit().then(|| i64::from(byte - b'0'));
    Some(digit(*text.first()?)? * 10 + digit(*text.get(1)?)?)
}

fn below(limit: i64, number: i64) -> Option<i64> {
    (number < limit).then_some(number)
}

/// `.240`, cut to milliseconds, or nothing; with its length.
fn fraction(text: &[u8]) -> Option<(i64, usize)> {
    if !matches!(text.first(), Some(b'.' | b',')) {
        return Some((0, 0));
    }
    let digits = text[1..].iter().take_while(|byte| byte.is_ascii_digit());
    let count = digits.count();
    let mut millis = 0;
    for place in 0..3 {
        let digit = if place < count {
            text[1 + place] - b'0'
        } else {
            0
        };
        millis = millis * 10 + i64::from(digit);
    }
    (count > 0).then_some((millis, 1 + count))
}

/// `Z`, `+02:00` or `+0200`, in minutes; with its length.
fn offset(text: &[u8]) -> Option<(i64, usize)> {
    let sign = match text.first()? {
        b'Z' | b'z' => return Some((0, 1)),
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let hours = below(24, two_digits(&text[1..])?)?;
    let colon = usize::from(text.get(3) == Some(&b':'));
    let minutes = below(60, two_digits(text.get(3 + colon..)?)?)?;
    Some((sign * (hours * 60 + minutes), 5 + colon))
}

/// Epoch seconds have ten digits from 2001 to 2286, milliseconds thirteen. No other count of
/// digits is taken for a time, because its unit would be a guess.
pub(super) fn epoch_millis(number: f64) -> Option<i64> {
    let millis = match number {
        1e9..1e10 => number * 1000.0,
        1e12..1e13 => number,
        _ => return None,
    };
    // In this range the conversion is exact.
    Some(millis as i64)
}

/// A point in time as a user writes it: a whole second or a millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// First millisecond that belongs to it.
    pub first_millis: i64,
    /// Last millisecond that belongs to it. A time without a fraction is a whole second, as in
    /// StartQuery, whose end counts to its last millisecond.
    pub last_millis: i64,
}

/// Why a text is no point in time: what it is, and what to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MomentError {
    message: String,
    hint: &'static str,
}

impl fmt::Display for MomentError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}\n(hint: {})", self.message, self.hint)
    }
}

impl std::error::Error for MomentError {}

const WRITE_A_TIME: &str = "write RFC 3339 as in `2026-09-20T20:58:00Z`, epoch seconds (10 digits) \
                            or epoch milliseconds (13 digits)";

const WRITE_THE_UNIT: &str = "add the unit, as in `86400s` or `86400000ms`";

/// Reads RFC 3339 with its offset, ten digits as epoch seconds, thirteen as epoch milliseconds, or
/// any number of digits with the unit `s` or `ms`.
///
/// # Errors
/// If it is none of these; another count of digits is refused with the unit that it looks like.
pub fn parse_moment(text: &str) -> Result<Moment, MomentError> {
    let text = text.trim();
    let fault = |message: String, hint| MomentError { message, hint };
    let (digits, unit) = match text.strip_suffix("ms") {
        Some(digits) => (digits, "ms"),
        None => (
            text.trim_end_matches('s'),
            if text.ends_with('s') { "s" } else { "" },
        ),
    };
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let number = digits.parse::<i64>().ok();
        let moment = match (unit, digits.len()) {
            ("s", _) | ("", 10) => number.and_then(second),
            ("ms", _) | ("", 13) => number.map(millisecond),
            (_, count) => {
                let looks = match count {
                    16 => "; this looks like microseconds",
                    19 => "; this looks like nanoseconds",
                    _ => "",
                };
                let digits = if count == 1 { "digit" } else { "digits" };
                return Err(fault(
                    format!(
                        "`{text}` has {count} {digits}: epoch seconds have 10, epoch milliseconds 13{looks}"
                    ),
                    if looks.is_empty() {
                        WRITE_THE_UNIT
                    } else {
                        WRITE_A_TIME
                    },
                ));
            }
        };
        return moment.ok_or_else(|| fault(format!("`{text}` is out of range"), WRITE_A_TIME));
    }
    match TimeReader::default().leading(text.as_bytes()) {
        Some((millis, length)) if length == text.len() => Ok(match text.contains(['.', ',']) {
            true => millisecond(millis),
            false => second(millis / 1000).unwrap_or(millisecond(millis)),
        }),
        _ if TimeReader::default()
            .leading(format!("{text}Z").as_bytes())
            .is_some() =>
        {
            Err(fault(
                format!("`{text}` has no offset from UTC"),
                "add `Z` for UTC, or an offset as in `+02:00`",
            ))
        }
        _ => Err(fault(format!("`{text}` is not a time"), WRITE_A_TIME)),
    }
}

fn second(second: i64) -> Option<Moment> {
    let first_millis = second.checked_mul(1000)?;
    Some(Moment {
        first_millis,
        last_millis: first_millis.checked_add(999)?,
    })
}

fn millisecond(millis: i64) -> Moment {
    Moment {
        first_millis: millis,
        last_millis: millis,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MILLIS: i64 = 1_789_937_903_240;

    fn of_line(line: &str) -> Option<i64> {
        TimeReader::default().of_line(line.as_bytes())
    }

    #[test]
    fn a_line_may_begin_with_a_time_in_any_way_of_writing_it() {
        for line in [
            "2026-09-20T20:58:23.240Z",
            "2026-09-20T20:58:23.240Z\tid\tINFO\t{}",
            "[INFO]\t2026-09-20T20:58:23.240Z\tid\ttext",
            "2026-09-20 20:58:23,240Z text",
            "2026-09-20t20:58:23.240999999z",
            "2026-09-20T22:58:23.24+02:00 text",
            "2026-09-20T15:28:23.240-0530] text",
        ] {
            assert_eq!(of_line(line), Some(MILLIS), "{line}");
        }
        assert_eq!(
            of_line("2026-09-20T20:58:60Z"),
            of_line("2026-09-20T20:58:59Z")
        );
        assert_eq!(of_line("1969-12-31T23:59:59.999Z"), Some(-1));
    }

    #[test]
    fn other_lines_have_no_time() {
        for line in [
            "",
            "text",
            "START RequestId: 1 Version: $LATEST",
            "2026-09-20T20:58:23.240",
            "2026-09-20 20:58:23,240 INFO no offset",
            "2026-02-30T20:58:23Z",
            "2026-09-20T24:58:23Z",
            "2026-09-20T20:60:23Z",
            "2026-09-20T20:58:61Z",
            "2026-09-20T20:58:23.Z",
            "2026-09-20T20:58:23.240Zulu",
            "2026-09-20T20:58:23+2:00",
            "2026/09/20T20:58:23Z",
            "text far to the left\t2026-09-20T20:58:23.240Z",
            "2026-09-20T20:58:2",
        ] {
            assert_eq!(of_line(line), None, "{line}");
        }
    }

    #[test]
    fn the_unit_of_an_epoch_is_never_guessed() {
        let range = |text| parse_moment(text).map(|i| (i.first_millis, i.last_millis));
        let second = (1_789_937_903_000, 1_789_937_903_999);
        for text in ["1789937903", "1789937903s", "2026-09-20T20:58:23Z"] {
            assert_eq!(range(text), Ok(second), "{text}");
        }
        for text in [
            "1789937903240",
            "1789937903240ms",
            "2026-09-20T20:58:23.240Z",
        ] {
            assert_eq!(range(text), Ok((MILLIS, MILLIS)), "{text}");
        }
        assert_eq!(range("0s"), Ok((0, 999)));
        assert_eq!(range("1969-12-31T23:59:59Z"), Ok((-1000, -1)));
        for (text, message) in [
            ("", "`` is not a time\n(hint: write RFC 3339"),
            ("yesterday", "`yesterday` is not a time\n"),
            (
                "86400",
                "`86400` has 5 digits: epoch seconds have 10, epoch milliseconds 13\n(hint: add the unit, as in `86400s` or `86400000ms`)",
            ),
            (
                "1789937903240000",
                "`1789937903240000` has 16 digits: epoch seconds have 10, epoch milliseconds 13; this looks like microseconds\n",
            ),
            (
                "1789937903240000000",
                "`1789937903240000000` has 19 digits: epoch seconds have 10, epoch milliseconds 13; this looks like nanoseconds\n",
            ),
            (
                "9223372036854775807s",
                "`9223372036854775807s` is out of range\n",
            ),
            (
                "2026-09-20T20:58:23",
                "`2026-09-20T20:58:23` has no offset from UTC\n(hint: add `Z` for UTC",
            ),
            ("2026-09-20", "`2026-09-20` is not a time\n"),
        ] {
            let error = parse_moment(text).expect_err(text).to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }

    #[test]
    fn numbers_are_times_only_with_ten_or_thirteen_digits() {
        assert_eq!(epoch_millis(1_789_937_903.0), Some(1_789_937_903_000));
        assert_eq!(epoch_millis(1_789_937_903_240.0), Some(MILLIS));
        for number in [0.0, 99.0, 999_999_999.0, 1e10, 1e11, 1e13, -1e9, f64::NAN] {
            assert_eq!(epoch_millis(number), None, "{number}");
        }
    }

    proptest! {
        #[test]
        fn times_are_read_as_a_calendar_library_writes_them(millis in -62_135_596_800_000_i64..253_402_000_000_000) {
            let text = jiff::Timestamp::from_millisecond(millis).expect("in range").to_string();
            let read = TimeReader::default().leading(text.as_bytes());
            prop_assert_eq!(read, Some((millis, text.len())));
        }

        #[test]
        fn nothing_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = TimeReader::default().of_line(&bytes);
            let _ = parse_moment(&String::from_utf8_lossy(&bytes));
        }
    }
}
