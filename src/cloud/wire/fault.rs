//! Fault rules: at which point of which call what happens.

use std::num::NonZeroU32;
use std::time::Duration;

use super::operation::{Operation, Service};
use super::point::{CallPoint, Moment};
use crate::failure::Failure;
use crate::ports::{ErrorKind, PortError};

/// Longest delay: 12 h, the longest time that SQS hides a message. Nobody waits longer for a call.
const MAX_DELAY: Duration = Duration::from_secs(12 * 3600);

/// The message of a failure that a rule leaves to us. It says who did it.
pub(super) const FAIL_MESSAGE: &str = "refused by a fault rule";

/// What a fault does to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// The process of the calling invocation is killed, and none of its code runs again.
    Crash,
    /// The service sends the call away ([`crate::ports::ErrorKind::Throttled`]), as it looks to a
    /// caller whose SDK has given up. The call is not applied.
    Throttle,
    /// The service refuses the call ([`crate::ports::ErrorKind::Rejected`]). The call is not
    /// applied.
    Fail {
        /// The service's error code: letters, digits, `.` and `_`.
        code: String,
        /// The service's message: one line without blanks at its ends.
        message: String,
    },
    /// The call is applied and its answer dropped. The SDK does not tell its caller but makes the
    /// same call again, and the caller gets the second answer.
    LoseAnswer,
    /// The caller is told that there was no answer ([`crate::ports::ErrorKind::NoAnswer`]): after
    /// the call was applied, or, if the request was lost on its way, without that.
    NoAnswer,
    /// The request takes so much longer to arrive, or the answer to come back: whole milliseconds,
    /// up to 12 h.
    Delay(Duration),
}

impl Action {
    /// All names.
    pub const NAMES: [&str; 6] = [
        "crash",
        "throttle",
        "fail",
        "lose-answer",
        "no-answer",
        "delay",
    ];

    /// A failure with the code by which the service of this call refuses what the caller has no
    /// permission for. It is a common way to lose exactly one kind of call, and a sure sign that
    /// the call was not applied.
    pub fn fail(call: Operation) -> Self {
        Self::Fail {
            code: default_code(call).to_owned(),
            message: FAIL_MESSAGE.to_owned(),
        }
    }

    /// The name as it is written.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Throttle => "throttle",
            Self::Fail { .. } => "fail",
            Self::LoseAnswer => "lose-answer",
            Self::NoAnswer => "no-answer",
            Self::Delay(_) => "delay",
        }
    }

    /// The moment that is meant when none is written; a crash must say.
    pub const fn default_moment(&self) -> Option<Moment> {
        match self {
            Self::Crash => None,
            Self::Throttle | Self::Fail { .. } | Self::Delay(_) => Some(Moment::Before),
            Self::LoseAnswer | Self::NoAnswer => Some(Moment::After),
        }
    }
}

/// Which of the calls of its operation a rule hits, counted over all callers of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurrence {
    /// One of them, from 1.
    Nth(NonZeroU32),
    /// Every one.
    Every,
}

impl Occurrence {
    /// The first call, which is meant when nothing else is written.
    pub const FIRST: Occurrence = Self::Nth(NonZeroU32::MIN);

    /// Whether it is the call with this number.
    pub(super) fn is(self, number: u32) -> bool {
        match self {
            Self::Nth(nth) => nth.get() == number,
            Self::Every => true,
        }
    }
}

/// At one point of one call, or of every call of its kind, something happens.
///
/// The rule hits calls of whoever makes them, except [`crate::ports::Caller::Observer`]; a crash
/// hits invocations only. It fires at most once per call, not again when the SDK repeats the call.
/// One message of a batch call can fail alone; everything else befalls the whole request.
///
/// Written `ACTION@CALL[:MOMENT][#NUMBER]`: see its [`std::str::FromStr`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultRule {
    action: Action,
    point: CallPoint,
    occurrence: Occurrence,
}

impl FaultRule {
    /// A rule that can happen.
    ///
    /// # Errors
    /// A usage [`Failure`] if it cannot: a crash of the producer or the mapping, a call that is
    /// throttled or refused after it was applied, an answer that is lost before there is one, a
    /// delay or an error code that is out of bounds.
    pub fn new(action: Action, point: CallPoint, occurrence: Occurrence) -> Result<Self, Failure> {
        check_point(&action, point)?;
        match &action {
            Action::Delay(delay) => check_delay(*delay)?,
            Action::Fail { code, message } => check_error(code, message)?,
            Action::Crash | Action::Throttle | Action::LoseAnswer | Action::NoAnswer => {}
        }
        Ok(Self {
            action,
            point,
            occurrence,
        })
    }

    /// What happens.
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// Where it happens.
    pub fn point(&self) -> CallPoint {
        self.point
    }

    /// At which of the calls.
    pub fn occurrence(&self) -> Occurrence {
        self.occurrence
    }
}

/// The code of a refusal for want of permission, by service.
pub(super) fn default_code(call: Operation) -> &'static str {
    match call.service() {
        Service::Queue => "AccessDenied",
        Service::Table => "AccessDeniedException",
        Service::Till => "Forbidden",
    }
}

/// What a caller gets to see when its SDK has given up on a throttled call.
pub(super) fn throttled(call: Operation) -> PortError {
    let code = match call.service() {
        Service::Queue => "RequestThrottled",
        Service::Table => "ProvisionedThroughputExceededException",
        Service::Till => "TooManyRequests",
    };
    PortError {
        kind: ErrorKind::Throttled,
        ..PortError::rejected(call.name(), code, "throttled by a fault rule")
    }
}

/// What a caller gets to see of a call without an answer, by the name that the AWS SDK for
/// JavaScript gives to it.
pub(super) fn no_answer(call: Operation) -> PortError {
    let message = "no answer: dropped by a fault rule";
    PortError {
        kind: ErrorKind::NoAnswer,
        ..PortError::rejected(call.name(), "TimeoutError", message)
    }
}

fn check_point(action: &Action, point: CallPoint) -> Result<(), Failure> {
    let (name, call) = (action.name(), point.call);
    let impossible =
        |reason: &str| Failure::usage(format!("`{name}@{point}` cannot happen: {reason}"));
    match (action, point.moment) {
        (Action::Crash, _) if !call.is_consumers() => {
            let calls = Operation::ALL
                .into_iter()
                .filter(|call| call.is_consumers());
            let verbs: Vec<_> = calls.map(Operation::verb).collect();
            let reason = format!("`{call}` is not a call of the consumer");
            Err(impossible(&reason).hint(format!("the consumer can crash at {}", verbs.join(", "))))
        }
        (Action::Throttle | Action::Fail { .. }, Moment::After) => {
            let reason = "the service turns a call down before it applies it";
            Err(impossible(reason).hint(format!(
                "write `{name}@{call}`, or `no-answer@{call}` for a call that is applied although \
                 its caller sees an error"
            )))
        }
        (Action::LoseAnswer, Moment::Before) => {
            let reason = "there is no answer yet";
            Err(impossible(reason).hint(format!("write `{name}@{call}`")))
        }
        _ => Ok(()),
    }
}

fn check_delay(delay: Duration) -> Result<(), Failure> {
    let whole = delay.subsec_nanos().is_multiple_of(1_000_000);
    if whole && !delay.is_zero() && delay <= MAX_DELAY {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "a call cannot be delayed by {delay:?}: 1ms to 12h, in whole milliseconds"
    )))
}

fn check_error(code: &str, message: &str) -> Result<(), Failure> {
    let is_code = |character: char| character.is_ascii_alphanumeric() || "._".contains(character);
    if code.is_empty() || !code.chars().all(is_code) {
        return Err(Failure::usage(format!("`{code}` is not an error code"))
            .hint("write letters, digits, `.` and `_`, as in `fail=AccessDenied@delete`"));
    }
    if message.is_empty() || message.trim() != message || message.contains(char::is_control) {
        return Err(Failure::usage(format!(
            "`{}` is not an error message",
            message.escape_debug()
        ))
        .hint("write one line, as in `fail=AccessDenied: no permission@delete`"));
    }
    Ok(())
}
