//! The time range of a query.

use std::time::Duration;

use jiff::{Span, SpanRelativeTo};

use crate::failure::Failure;
use crate::logfile::{Moment, parse_moment};
use crate::ports::Timestamp;

#[derive(Debug, clap::Args)]
pub(super) struct RangeArguments {
    /// Only events of the last so many minutes, hours or days: before `--end`, or before now
    #[arg(long, env = "LAB_SINCE", value_parser = parse_since, value_name = "DURATION")]
    since: Option<Duration>,

    /// Only events from then on: RFC 3339, epoch seconds (10 digits) or milliseconds (13 digits)
    #[arg(long, env = "LAB_START", value_parser = parse_moment, value_name = "TIME")]
    start: Option<Moment>,

    /// Only events up to then, written like `--start`; a whole second counts to its end
    #[arg(long, env = "LAB_END", value_parser = parse_moment, value_name = "TIME")]
    end: Option<Moment>,
}

/// First and last millisecond, and what `now()` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) start_millis: i64,
    pub(super) end_millis: i64,
    pub(super) now_millis: i64,
}

impl Range {
    /// Whether anything is left out.
    pub(super) fn is_limited(&self) -> bool {
        (self.start_millis, self.end_millis) != (i64::MIN, i64::MAX)
    }
}

impl RangeArguments {
    pub(super) fn range(&self, now: Timestamp) -> Result<Range, Failure> {
        let now_millis = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
        let end = self.end.map(|end| end.last_millis);
        let (start_millis, end_millis) = match (self.since, self.start) {
            (Some(_), Some(_)) => {
                return Err(Failure::usage(
                    "`--since` and `--start` both say where the time range begins",
                )
                .hint("leave one of them out (`LAB_SINCE` and `LAB_START` are the same flags)"));
            }
            (Some(since), None) => {
                let end = end.unwrap_or(now_millis);
                let length = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
                (end.saturating_sub(length), end)
            }
            (None, start) => (
                start.map_or(i64::MIN, |start| start.first_millis),
                end.unwrap_or(i64::MAX),
            ),
        };
        if end_millis < start_millis {
            return Err(Failure::usage("the time range ends before it begins")
                .hint("`--end` must not be earlier than `--start`"));
        }
        Ok(Range {
            start_millis,
            end_millis,
            now_millis,
        })
    }
}

/// A duration; days have 24 hours.
fn parse_since(text: &str) -> Result<Duration, Failure> {
    let span = text.parse::<Span>().ok();
    span.and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()).ok())
        .and_then(|duration| Duration::try_from(duration).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| {
            Failure::usage(format!("`{text}` is not a duration"))
                .hint("write a number with a unit, as in `15m`, `2h30m` or `7d`")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(
        since: Option<&str>,
        start: Option<&str>,
        end: Option<&str>,
    ) -> Result<(i64, i64), String> {
        let moment = |text: &str| parse_moment(text).expect("a time");
        let arguments = RangeArguments {
            since: since.map(|text| parse_since(text).expect("a duration")),
            start: start.map(moment),
            end: end.map(moment),
        };
        let now = Timestamp::default() + Duration::from_millis(1_789_937_903_240);
        let range = arguments.range(now).map_err(|failure| failure.message)?;
        assert_eq!(range.now_millis, 1_789_937_903_240);
        Ok((range.start_millis, range.end_millis))
    }

    #[test]
    fn a_range_may_be_open() {
        assert_eq!(range(None, None, None), Ok((i64::MIN, i64::MAX)));
        assert_eq!(
            range(None, Some("1789937903"), None),
            Ok((1_789_937_903_000, i64::MAX))
        );
        assert_eq!(
            range(None, None, Some("1789937903")),
            Ok((i64::MIN, 1_789_937_903_999))
        );
    }

    #[test]
    fn since_counts_back_from_the_end_or_from_now() {
        assert_eq!(
            range(Some("15m"), None, None),
            Ok((1_789_937_003_240, 1_789_937_903_240))
        );
        assert_eq!(
            range(Some("1d"), None, Some("86400000ms")),
            Ok((0, 86_400_000))
        );
    }

    #[test]
    fn contradictions_are_refused() {
        let both = range(Some("15m"), Some("0s"), None);
        assert_eq!(
            both,
            Err("`--since` and `--start` both say where the time range begins".to_owned())
        );
        let reversed = range(None, Some("2s"), Some("1s"));
        assert_eq!(
            reversed,
            Err("the time range ends before it begins".to_owned())
        );
        assert_eq!(range(None, Some("1s"), Some("1s")), Ok((1000, 1999)));
    }

    #[test]
    fn durations_have_units() {
        for (text, seconds) in [
            ("90s", 90),
            ("2h30m", 9000),
            ("7d", 604_800),
            ("1w", 604_800),
        ] {
            assert_eq!(
                parse_since(text),
                Ok(Duration::from_secs(seconds)),
                "{text}"
            );
        }
        for text in ["", "15", "-5m", "0s", "1month", "soon"] {
            assert!(parse_since(text).is_err(), "{text}");
        }
    }
}
