//! Periods (`5m`, `1h`, `2mo`) and the instants they round to, in UTC.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::diagnosis::{Fault, Span};

/// A number of units, as `bin` and `datefloor` take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Period {
    count: i64,
    unit: Unit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Millis,
    Seconds,
    Minutes,
    Hours,
    Days,
    Weeks,
    Months,
    Quarters,
    Years,
}

/// Names of units, singular; most also take a plural `s`. (User guide, `stats`, `bin`.)
const UNITS: [(&str, Unit); 25] = [
    ("ms", Unit::Millis),
    ("msec", Unit::Millis),
    ("millisecond", Unit::Millis),
    ("s", Unit::Seconds),
    ("sec", Unit::Seconds),
    ("second", Unit::Seconds),
    ("m", Unit::Minutes),
    ("min", Unit::Minutes),
    ("minute", Unit::Minutes),
    ("h", Unit::Hours),
    ("hr", Unit::Hours),
    ("hour", Unit::Hours),
    ("d", Unit::Days),
    ("day", Unit::Days),
    ("w", Unit::Weeks),
    ("week", Unit::Weeks),
    ("mo", Unit::Months),
    ("mon", Unit::Months),
    ("month", Unit::Months),
    ("q", Unit::Quarters),
    ("qtr", Unit::Quarters),
    ("quarter", Unit::Quarters),
    ("y", Unit::Years),
    ("yr", Unit::Years),
    ("year", Unit::Years),
];

const DAY_MILLIS: i64 = 86_400_000;

impl std::fmt::Display for Period {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The first name of each unit is its short one.
        let name = UNITS.iter().find(|(_, unit)| *unit == self.unit);
        write!(
            formatter,
            "{}{}",
            self.count,
            name.map_or("", |(name, _)| name)
        )
    }
}

impl Period {
    /// Reads a period and checks its cap: ms up to 1000, s and m up to 60, h up to 24.
    pub(crate) fn parse(count: &str, unit: &str, span: Span) -> Result<Self, Fault> {
        let lower = unit.to_ascii_lowercase();
        let singular = lower.strip_suffix('s').filter(|rest| !rest.is_empty());
        let find = |name: &str| UNITS.iter().find(|(known, _)| *known == name);
        let found = find(&lower).or_else(|| singular.and_then(find));
        let Some((_, unit)) = found else {
            return Err(Fault::new(span, format!("`{unit}` is not a unit of time"))
                .hint("units are ms, s, m, h, d, w, mo, q, y"));
        };
        let parsed: Option<i64> = count.parse().ok().filter(|count| *count > 0);
        let Some(count) = parsed else {
            return Err(Fault::new(
                span,
                "a period is a positive number and a unit, such as `5m`",
            ));
        };
        let period = Self { count, unit: *unit };
        let (most, name) = match unit {
            Unit::Millis => (1000, "milliseconds"),
            Unit::Seconds => (60, "seconds"),
            Unit::Minutes => (60, "minutes"),
            Unit::Hours => (24, "hours"),
            _ => (10_000, "such periods"),
        };
        if count > most {
            let fault = Fault::new(
                span,
                format!("{name} go up to {most} in a period, not {count}"),
            );
            return Err(match period.in_larger_unit() {
                Some(text) => fault.hint(format!("write `{text}`")),
                None => fault,
            });
        }
        Ok(period)
    }

    /// `300s` as `5m`.
    fn in_larger_unit(self) -> Option<String> {
        let ladder = [
            (Unit::Millis, 1000, Unit::Seconds, "s", 60),
            (Unit::Seconds, 60, Unit::Minutes, "m", 60),
            (Unit::Minutes, 60, Unit::Hours, "h", 24),
            (Unit::Hours, 24, Unit::Days, "d", 10_000),
        ];
        let (mut count, mut unit) = (self.count, self.unit);
        for (from, factor, to, name, most) in ladder {
            if from == unit && count % factor == 0 {
                (count, unit) = (count / factor, to);
                if count <= most {
                    return Some(format!("{count}{name}"));
                }
            }
        }
        None
    }

    fn fixed_millis(self) -> Option<i64> {
        let unit = match self.unit {
            Unit::Millis => 1,
            Unit::Seconds => 1000,
            Unit::Minutes => 60_000,
            Unit::Hours => 3_600_000,
            Unit::Days => DAY_MILLIS,
            Unit::Weeks => 7 * DAY_MILLIS,
            Unit::Months | Unit::Quarters | Unit::Years => return None,
        };
        Some(unit * self.count)
    }

    /// The beginning of the period in which the instant lies. Periods up to a day are counted from
    /// 1970, weeks from the first Monday in it, months from January of the year 0.
    pub(crate) fn floor(self, millis: i64) -> i64 {
        match self.fixed_millis() {
            Some(length) => {
                // 1970-01-05 was a Monday.
                let origin = if self.unit == Unit::Weeks {
                    4 * DAY_MILLIS
                } else {
                    0
                };
                let distance = millis.saturating_sub(origin);
                millis.saturating_sub(distance.rem_euclid(length))
            }
            None => self.calendar_floor(millis).unwrap_or(millis),
        }
    }

    /// The beginning of the next period, or the instant itself if one begins there.
    pub(crate) fn ceil(self, millis: i64) -> i64 {
        let floor = self.floor(millis);
        if floor == millis {
            return millis;
        }
        match self.fixed_millis() {
            Some(length) => floor.saturating_add(length),
            None => {
                let months = i32::try_from(self.months()).unwrap_or(i32::MAX);
                let next = civil(floor)
                    .and_then(|date| date.checked_add(months.months()).ok())
                    .and_then(millis_of);
                next.unwrap_or(millis)
            }
        }
    }

    fn months(self) -> i64 {
        match self.unit {
            Unit::Quarters => 3 * self.count,
            Unit::Years => 12 * self.count,
            _ => self.count,
        }
    }

    fn calendar_floor(self, millis: i64) -> Option<i64> {
        let date = civil(millis)?;
        let month = i64::from(date.year()) * 12 + i64::from(date.month()) - 1;
        let floor = month - month.rem_euclid(self.months());
        let year = i16::try_from(floor.div_euclid(12)).ok()?;
        let month = i8::try_from(floor.rem_euclid(12) + 1).ok()?;
        millis_of(DateTime::new(year, month, 1, 0, 0, 0, 0).ok()?)
    }
}

fn civil(millis: i64) -> Option<DateTime> {
    let timestamp = Timestamp::from_millisecond(millis).ok()?;
    Some(TimeZone::UTC.to_datetime(timestamp))
}

fn millis_of(date: DateTime) -> Option<i64> {
    let timestamp = TimeZone::UTC.to_timestamp(date).ok()?;
    Some(timestamp.as_millisecond())
}

/// The same instant so many months later, or as late in that month as there are days.
pub(crate) fn shifted(millis: i64, months: i32) -> i64 {
    let later = civil(millis).and_then(|date| date.checked_add(months.months()).ok());
    later.and_then(millis_of).unwrap_or(millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(text: &str) -> Result<Period, Fault> {
        let digits = text.trim_end_matches(char::is_alphabetic);
        Period::parse(digits, &text[digits.len()..], Span::default())
    }

    fn millis(text: &str) -> i64 {
        text.parse::<Timestamp>()
            .expect("a timestamp")
            .as_millisecond()
    }

    #[test]
    fn instants_are_rounded_down_and_up_in_every_unit() {
        let at = millis("2026-09-20T20:58:23.240Z");
        for (text, floor, ceil) in [
            (
                "100ms",
                "2026-09-20T20:58:23.200Z",
                "2026-09-20T20:58:23.300Z",
            ),
            ("30s", "2026-09-20T20:58:00Z", "2026-09-20T20:58:30Z"),
            ("5min", "2026-09-20T20:55:00Z", "2026-09-20T21:00:00Z"),
            ("2hours", "2026-09-20T20:00:00Z", "2026-09-20T22:00:00Z"),
            ("1d", "2026-09-20T00:00:00Z", "2026-09-21T00:00:00Z"),
            ("1w", "2026-09-14T00:00:00Z", "2026-09-21T00:00:00Z"),
            ("1mo", "2026-09-01T00:00:00Z", "2026-10-01T00:00:00Z"),
            ("1q", "2026-07-01T00:00:00Z", "2026-10-01T00:00:00Z"),
            ("1y", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        ] {
            let period = period(text).expect(text);
            assert_eq!(period.floor(at), millis(floor), "{text}");
            assert_eq!(period.ceil(at), millis(ceil), "{text}");
            assert_eq!(period.ceil(period.floor(at)), period.floor(at), "{text}");
        }
    }

    #[test]
    fn caps_are_refused_with_the_larger_unit() {
        let fault = period("300s").expect_err("too many seconds");
        assert_eq!(fault.message, "seconds go up to 60 in a period, not 300");
        assert_eq!(fault.hint.as_deref(), Some("write `5m`"));
        assert_eq!(
            period("7200s").expect_err("too many").hint.as_deref(),
            Some("write `2h`")
        );
        assert_eq!(
            period("5x").expect_err("no unit").message,
            "`x` is not a unit of time"
        );
        assert!(period("0m").is_err());
    }

    #[test]
    fn the_ends_of_time_do_not_panic() {
        for text in ["1ms", "7d", "3w", "1mo", "2y"] {
            for at in [i64::MIN, -1, 0, i64::MAX] {
                let period = period(text).expect(text);
                assert!(period.floor(at) <= at);
                period.ceil(at);
            }
        }
    }
}
