//! What a line of the function's log says, besides the worker's events.
//!
//! The texts are those of Lambda's Node.js runtime and of the platform around it (`REPORT`,
//! `Invoke Error`, `Task timed out`), and those of the worker's own errors.

use std::borrow::Cow;

use serde::Deserialize;

use super::readback::Ending;

/// A line that is no event, as far as it matters.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// The invocation is over; how, if the platform says that it failed.
    Report {
        request_id: &'a str,
        failure: Option<Ending>,
    },
    /// The invocation failed.
    Failed {
        request_id: &'a str,
        failure: Ending,
    },
    /// One message of the invocation failed, and only that.
    MessageFailed {
        request_id: &'a str,
        message_id: &'a str,
        failure: Ending,
    },
    /// The till replayed its first answer.
    Replayed { request_id: &'a str },
}

impl<'a> Line<'a> {
    /// Reads a line. `None` for the many that do not matter.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        if let Some(report) = text.strip_prefix("REPORT RequestId: ") {
            let request_id = report.split('\t').next().unwrap_or(report);
            let failure = reported_failure(report);
            return Some(Self::Report {
                request_id: request_id.trim_end(),
                failure,
            });
        }
        if let Some(rest) = text.strip_prefix("RequestId: ") {
            let (request_id, _) = rest.split_once(" Error: Runtime exited")?;
            return Some(Self::Failed {
                request_id,
                failure: Ending::Crashed,
            });
        }
        let mut fields = text.splitn(4, '\t');
        let (Some(_), Some(request_id), Some(level), Some(said)) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            return timed_out(text);
        };
        match level {
            "ERROR" => error(request_id, said),
            "INFO" if said.starts_with("charge replayed") => Some(Self::Replayed { request_id }),
            _ => None,
        }
    }
}

/// `Status: timeout` or `Status: error` with its type; other REPORT lines have no status.
fn reported_failure(report: &str) -> Option<Ending> {
    let field = |name| report.split('\t').find_map(|part| part.strip_prefix(name));
    match field("Status: ")?.trim_end() {
        "timeout" => Some(Ending::TimedOut),
        "error" => Some(match field("Error Type: ")?.trim_end() {
            "Runtime.ExitError" => Ending::Crashed,
            thrown => of_error_type(thrown),
        }),
        _ => None,
    }
}

/// `<time> <request id> Task timed out after 3.00 seconds`.
fn timed_out(text: &str) -> Option<Line<'_>> {
    let (before, _) = text.split_once(" Task timed out after ")?;
    let (_, request_id) = before.split_once(' ')?;
    Some(Line::Failed {
        request_id,
        failure: Ending::TimedOut,
    })
}

fn error<'a>(request_id: &'a str, said: &'a str) -> Option<Line<'a>> {
    if let Some(thrown) = said.strip_prefix("Invoke Error") {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Thrown<'a> {
            #[serde(borrow)]
            error_type: Cow<'a, str>,
        }
        let thrown: Thrown<'_> = serde_json::from_str(thrown.trim()).ok()?;
        return Some(Line::Failed {
            request_id,
            failure: of_error_type(&thrown.error_type),
        });
    }
    let (message_id, why) = said.strip_prefix("message ")?.split_once(" failed: ")?;
    Some(Line::MessageFailed {
        request_id,
        message_id,
        failure: of_message(why),
    })
}

/// By the class of the error that left the handler.
fn of_error_type(error_type: &str) -> Ending {
    match error_type {
        "InProgressError" => Ending::Refused,
        "PayloadMismatchError" => Ending::Mismatched,
        "ClaimTakenError" => Ending::ClaimTaken,
        "OrderError" | "EventError" => Ending::Unread,
        _ => Ending::Failed,
    }
}

/// By what the error says.
fn of_message(why: &str) -> Ending {
    let about_order = |end: &str| why.starts_with("order `") && why.contains(end);
    if why.starts_with("payload mismatch") {
        Ending::Mismatched
    } else if about_order("` is being processed by another delivery") {
        Ending::Refused
    } else if about_order("` was claimed by another delivery") {
        Ending::ClaimTaken
    } else if ["the body is not an order", "the order id ", "`"]
        .iter()
        .any(|start| why.starts_with(start))
    {
        Ending::Unread
    } else {
        Ending::Failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_platforms_lines_are_understood() {
        let report = |text: &str| match Line::read(text) {
            Some(Line::Report {
                request_id: "q-1",
                failure,
            }) => failure,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(report("REPORT RequestId: q-1\tDuration: 1.00 ms\t"), None);
        for (status, failure) in [
            ("Status: timeout\t", Ending::TimedOut),
            (
                "Status: error\tError Type: Runtime.ExitError\t",
                Ending::Crashed,
            ),
            (
                "Status: error\tError Type: InProgressError",
                Ending::Refused,
            ),
            ("Status: error\tError Type: Throttling", Ending::Failed),
        ] {
            assert_eq!(
                report(&format!(
                    "REPORT RequestId: q-1\tDuration: 1.00 ms\t{status}"
                )),
                Some(failure),
                "{status}"
            );
        }
        for (text, failure) in [
            (
                "2026-09-20T20:58:23.240Z q-1 Task timed out after 3.00 seconds",
                Ending::TimedOut,
            ),
            (
                "RequestId: q-1 Error: Runtime exited without providing a reason\nRuntime.ExitError",
                Ending::Crashed,
            ),
            (
                "t\tq-1\tERROR\tInvoke Error \t{\"errorType\":\"PayloadMismatchError\",\"errorMessage\":\"\"}",
                Ending::Mismatched,
            ),
            (
                "t\tq-1\tERROR\tInvoke Error \t{\"errorType\":\"OrderError\",\"errorMessage\":\"\"}",
                Ending::Unread,
            ),
        ] {
            let found = Line::read(text);
            let request_id = "q-1";
            assert_eq!(
                found,
                Some(Line::Failed {
                    request_id,
                    failure
                }),
                "{text}"
            );
        }
    }

    #[test]
    fn the_workers_errors_are_told_apart() {
        for (why, failure) in [
            (
                "payload mismatch: order `O` has other content in message `m-1`",
                Ending::Mismatched,
            ),
            (
                "order `O` is being processed by another delivery until T",
                Ending::Refused,
            ),
            (
                "order `O` was claimed by another delivery before this one had finished",
                Ending::ClaimTaken,
            ),
            (
                "the body is not an order: expected value at line 1 column 1",
                Ending::Unread,
            ),
            (
                "PutItem failed with `ThrottlingException`: later",
                Ending::Failed,
            ),
        ] {
            let text = format!("t\tq-1\tERROR\tmessage m-1 failed: {why}");
            assert_eq!(
                Line::read(&text),
                Some(Line::MessageFailed {
                    request_id: "q-1",
                    message_id: "m-1",
                    failure
                }),
                "{why}"
            );
        }
        assert_eq!(
            Line::read("t\tq-1\tINFO\tcharge replayed: the till had the key, no money moved"),
            Some(Line::Replayed { request_id: "q-1" })
        );
        for other in [
            "START RequestId: q-1 Version: $LATEST",
            "END RequestId: q-1",
            "t\tq-1\tERROR\tthe claim was not released: no",
            "t\tq-1\tINFO\tanswered with the stored result: {}",
            "",
        ] {
            assert_eq!(Line::read(other), None, "{other}");
        }
    }
}
