//! Fault rules as text: `crash@claim:after`, `delay=3s@complete`, `lose-answer@charge#2`.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use super::fault::{Action, FAIL_MESSAGE, FaultRule, Occurrence, default_code};
use super::operation::Operation;
use super::point::{CallPoint, Moment};
use crate::failure::{Failure, nearest};

/// `ACTION@CALL`, where the moment is written only if it is not the usual one of the action, and
/// the number only if it is not 1.
impl fmt::Display for FaultRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (action, point) = (self.action(), self.point());
        formatter.write_str(action.name())?;
        match action {
            Action::Delay(delay) => write_delay(formatter, *delay)?,
            Action::Fail { code, message } if message != FAIL_MESSAGE => {
                write!(formatter, "={code}: {message}")?;
            }
            Action::Fail { code, .. } if code != default_code(point.call) => {
                write!(formatter, "={code}")?;
            }
            _ => {}
        }
        match action.default_moment() {
            Some(moment) if moment == point.moment => write!(formatter, "@{}", point.call)?,
            _ => write!(formatter, "@{point}")?,
        }
        match self.occurrence() {
            Occurrence::FIRST => Ok(()),
            Occurrence::Nth(number) => write!(formatter, "#{number}"),
            Occurrence::Every => formatter.write_str("#*"),
        }
    }
}

/// In the units of [`parse_delay`], each that is needed.
fn write_delay(formatter: &mut fmt::Formatter<'_>, delay: Duration) -> fmt::Result {
    let seconds = delay.as_secs();
    let units = [
        (seconds / 3600, "h"),
        (seconds / 60 % 60, "m"),
        (seconds % 60, "s"),
        (delay.subsec_millis().into(), "ms"),
    ];
    formatter.write_str("=")?;
    units
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .try_for_each(|(count, unit)| write!(formatter, "{count}{unit}"))
}

/// Reads `ACTION@CALL[:MOMENT][#NUMBER]`.
///
/// - `ACTION` is `crash`, `throttle`, `fail`, `fail=CODE`, `fail=CODE: MESSAGE`, `lose-answer`,
///   `no-answer` or `delay=3s`.
/// - `CALL` is a verb of [`Operation`].
/// - `MOMENT` is `before` or `after`. A crash must say which; for the others see
///   [`Action::default_moment`].
/// - `NUMBER` counts the calls of the stack from 1, which is also what is meant without it; `*` is
///   every call.
///
/// Errors are usage [`Failure`]s that name the part that is wrong and the nearest known name.
impl FromStr for FaultRule {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let (action, address) = text.rsplit_once('@').ok_or_else(|| {
            Failure::usage(format!("`{text}` is not a fault")).hint(
                "write an action and a call, as in `crash@claim:after`, `throttle@claim#2` or \
                 `delay=3s@complete`",
            )
        })?;
        let (name, value) = match action.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (action, None),
        };
        if !Action::NAMES.contains(&name) {
            return Err(unknown(text, "action", name, &Action::NAMES));
        }
        let (point, number) = match address.split_once('#') {
            Some((point, number)) => (point, Some(number)),
            None => (address, None),
        };
        let (call, moment) = match point.split_once(':') {
            Some((call, moment)) => (call, Some(moment)),
            None => (point, None),
        };
        let call = parse_call(text, call)?;
        let action = parse_action(text, name, value, call)?;
        let moment = match moment {
            Some(moment) => parse_moment(text, moment)?,
            None => action.default_moment().ok_or_else(|| {
                Failure::usage(format!("`{text}` does not say when")).hint(format!(
                    "write `{name}@{call}:before` or `{name}@{call}:after`"
                ))
            })?,
        };
        let occurrence = number.map_or(Ok(Occurrence::FIRST), |number| {
            parse_occurrence(text, number)
        })?;
        FaultRule::new(action, CallPoint { call, moment }, occurrence)
    }
}

fn unknown(text: &str, what: &str, given: &str, known: &[&str]) -> Failure {
    let failure = Failure::usage(format!(
        "unknown {what} `{given}` in `{text}`; known {what}s: {}",
        known.join(", ")
    ));
    match nearest(given, known.iter().copied()) {
        Some(name) => failure.hint(format!("did you mean `{name}`?")),
        None => failure,
    }
}

fn parse_call(text: &str, given: &str) -> Result<Operation, Failure> {
    Operation::of_verb(given).ok_or_else(|| {
        let verbs = Operation::ALL.map(Operation::verb);
        let by_name = Operation::ALL
            .into_iter()
            .find(|operation| operation.name().eq_ignore_ascii_case(given));
        let failure = unknown(text, "call", given, &verbs);
        match by_name {
            Some(operation) => {
                failure.hint(format!("`{}` is the call `{operation}`", operation.name()))
            }
            None => failure,
        }
    })
}

fn parse_action(
    text: &str,
    name: &str,
    value: Option<&str>,
    call: Operation,
) -> Result<Action, Failure> {
    match (name, value) {
        ("crash", None) => Ok(Action::Crash),
        ("throttle", None) => Ok(Action::Throttle),
        ("lose-answer", None) => Ok(Action::LoseAnswer),
        ("no-answer", None) => Ok(Action::NoAnswer),
        ("fail", None) => Ok(Action::fail(call)),
        ("fail", Some(error)) => {
            let (code, message) = match error.split_once(':') {
                Some((code, message)) => (code, message.trim()),
                None => (error, FAIL_MESSAGE),
            };
            Ok(Action::Fail {
                code: code.to_owned(),
                message: message.to_owned(),
            })
        }
        ("delay", Some(delay)) => parse_delay(text, delay).map(Action::Delay),
        ("delay", None) => Err(Failure::usage(format!("`{text}` does not say how long"))
            .hint(format!("write a duration, as in `delay=3s@{call}`"))),
        (_, _) => Err(Failure::usage(format!(
            "`{name}` takes no value, but `{text}` gives it one"
        ))
        .hint(format!("write `{name}@{call}`"))),
    }
}

/// Reads a duration such as `4s`, `500ms` or `1h30m`.
fn parse_delay(text: &str, given: &str) -> Result<Duration, Failure> {
    given
        .parse::<jiff::SignedDuration>()
        .ok()
        .and_then(|delay| Duration::try_from(delay).ok())
        .ok_or_else(|| {
            Failure::usage(format!("`{given}` in `{text}` is not a duration"))
                .hint("write a number with a unit, as in `4s`, `500ms`, `2m` or `1h30m`")
        })
}

fn parse_moment(text: &str, given: &str) -> Result<Moment, Failure> {
    Moment::ALL
        .into_iter()
        .find(|moment| moment.name() == given)
        .ok_or_else(|| unknown(text, "moment", given, &Moment::ALL.map(Moment::name)))
}

fn parse_occurrence(text: &str, given: &str) -> Result<Occurrence, Failure> {
    // `parse` would take a sign too.
    let digits = given.bytes().all(|byte| byte.is_ascii_digit());
    match given.parse::<NonZeroU32>() {
        Ok(number) if digits => Ok(Occurrence::Nth(number)),
        _ if given == "*" => Ok(Occurrence::Every),
        _ => Err(Failure::usage(format!(
            "`#{given}` in `{text}` is not the number of a call"
        ))
        .hint("count from 1, as in `#2`, or write `#*` for every call")),
    }
}
