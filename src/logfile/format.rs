//! What a file holds, told from its first bytes.

use std::fmt;

use super::lambda;
use super::time::TimeReader;

/// How files are read. The names are those of `--input-format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum InputFormat {
    /// Told from the first bytes of each file
    #[default]
    Auto,
    /// A line is an event; its time is one that it begins with
    Text,
    /// A line is an event; its time is in `timestamp`, `time` or `@timestamp`
    JsonLines,
    /// What `aws logs filter-log-events` and `get-log-events` print
    AwsJson,
    /// A CloudWatch Logs export: `<time> <message>`, a message may have several lines
    Export,
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    JsonLines,
    AwsJson,
    Export,
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Text => "text",
            Self::JsonLines => "JSON lines",
            Self::AwsJson => "events as `aws logs` prints them",
            Self::Export => "CloudWatch export",
        })
    }
}

/// Keys that an event of `aws logs` may begin with.
const EVENT_KEYS: [&str; 5] = [
    "eventId",
    "ingestionTime",
    "logStreamName",
    "message",
    "timestamp",
];

impl Format {
    /// The format that was asked for, or else the one that the head of the file has.
    pub(super) fn of(wanted: InputFormat, head: &[u8]) -> Self {
        match wanted {
            InputFormat::Auto => Self::detect(head),
            InputFormat::Text => Self::Text,
            InputFormat::JsonLines => Self::JsonLines,
            InputFormat::AwsJson => Self::AwsJson,
            InputFormat::Export => Self::Export,
        }
    }

    fn detect(head: &[u8]) -> Self {
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        let begin = head.trim_ascii_start();
        if is_aws_json(begin) {
            Self::AwsJson
        } else if begin.first() == Some(&b'{') {
            Self::JsonLines
        } else if is_export(begin) {
            Self::Export
        } else {
            Self::Text
        }
    }

    /// Whether events are lines.
    pub(super) fn has_lines(self) -> bool {
        self != Self::AwsJson
    }
}

/// `{"events":[` and then nothing, or an event.
fn is_aws_json(head: &[u8]) -> bool {
    let mut rest = head;
    let mut skip = |sign: &[u8]| {
        let trimmed = rest.trim_ascii_start();
        rest = trimmed.strip_prefix(sign).unwrap_or(trimmed);
        trimmed.starts_with(sign)
    };
    if !(skip(b"{") && skip(b"\"events\"") && skip(b":") && skip(b"[")) {
        return false;
    }
    if skip(b"]") {
        return true;
    }
    skip(b"{")
        && EVENT_KEYS
            .iter()
            .any(|key| skip(format!("\"{key}\"").as_bytes()))
}

/// An application may also write a time and a blank before each line. What tells an export is a
/// time and then something that begins a message of a function.
fn is_export(head: &[u8]) -> bool {
    let mut times = TimeReader::default();
    let mut messages = head.split(|byte| *byte == b'\n').map(|line| {
        let (_, length) = export_time(&mut times, line)?;
        line.get(length..)
    });
    let first = messages.next().flatten();
    first.is_some_and(is_functions) || (first.is_some() && messages.flatten().any(is_functions))
}

fn is_functions(message: &[u8]) -> bool {
    lambda::is_lambda_line(message)
}

/// The time that an export writes before a message, and the length of it with the blank behind.
pub(super) fn export_time(times: &mut TimeReader, line: &[u8]) -> Option<(i64, usize)> {
    // `2026-09-20T20:58:23.240Z `: always UTC, always three digits.
    const LENGTH: usize = 24;
    if line.get(LENGTH - 1) != Some(&b'Z') || line.get(10) != Some(&b'T') {
        return None;
    }
    let (millis, length) = times.leading(line)?;
    match line.get(LENGTH) {
        _ if length != LENGTH => None,
        Some(b' ') => Some((millis, LENGTH + 1)),
        None | Some(b'\r') => Some((millis, LENGTH)),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell_the_format() {
        for (head, format) in [
            ("", Format::Text),
            (
                "2026-09-20T20:58:23.240Z\tq-1\tINFO\t{\"type\":\"a\"}\n",
                Format::Text,
            ),
            (
                "2026-09-20T20:58:23.240Z INFO started\n2026-09-20T20:58:24.240Z INFO ended",
                Format::Text,
            ),
            ("text {\"a\":1}", Format::Text),
            ("[{\"a\":1}]", Format::Text),
            (
                "{\"time\":\"2026-09-20T20:58:23.240Z\"}\n",
                Format::JsonLines,
            ),
            ("\u{feff}\r\n {\"a\":1}", Format::JsonLines),
            (
                "{\"events\":[\"a\",\"b\"]}\n{\"events\":[]}",
                Format::JsonLines,
            ),
            ("{\"events\":[{\"name\":\"a\"}]}\n", Format::JsonLines),
            (
                "{\n    \"events\": [\n        {\n            \"logStreamName\": \"s\",",
                Format::AwsJson,
            ),
            (
                "\u{feff}{\"events\":[],\"nextForwardToken\":\"f\"}",
                Format::AwsJson,
            ),
            (
                "2026-09-20T20:58:23.240Z START RequestId: q-1 Version: $LATEST\n",
                Format::Export,
            ),
            (
                "2026-09-20T20:58:23.240Z text\nmore\n2026-09-20T20:58:23.241Z END RequestId: q-1\n",
                Format::Export,
            ),
            (
                "2026-09-20T20:58:23.240Z 2026-09-20T20:58:23.240Z\tq-1\tINFO\t{}\n",
                Format::Export,
            ),
            ("2026-09-20T20:58:23Z END RequestId: q-1\n", Format::Text),
        ] {
            assert_eq!(
                Format::of(InputFormat::Auto, head.as_bytes()),
                format,
                "{head}"
            );
        }
    }

    #[test]
    fn what_is_asked_for_wins() {
        for (wanted, format) in [
            (InputFormat::Text, Format::Text),
            (InputFormat::JsonLines, Format::JsonLines),
            (InputFormat::AwsJson, Format::AwsJson),
            (InputFormat::Export, Format::Export),
        ] {
            assert_eq!(Format::of(wanted, b"{\"events\":[]}"), format);
        }
    }
}
