//! What Lambda's own lines say: `START`, `END`, `REPORT`, and the request id of any line.

use crate::insights::value::Value;

/// A field that CloudWatch discovers in the log groups of functions. (User guide, "Supported logs
/// and discovered fields".)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LambdaField {
    Type,
    RequestId,
    Duration,
    BilledDuration,
    InitDuration,
    MemorySize,
    MaxMemoryUsed,
    XrayTraceId,
    XraySegmentId,
}

const FIELDS: [(&str, LambdaField); 9] = [
    ("@type", LambdaField::Type),
    ("@requestId", LambdaField::RequestId),
    ("@duration", LambdaField::Duration),
    ("@billedDuration", LambdaField::BilledDuration),
    ("@initDuration", LambdaField::InitDuration),
    ("@memorySize", LambdaField::MemorySize),
    ("@maxMemoryUsed", LambdaField::MaxMemoryUsed),
    ("@xrayTraceId", LambdaField::XrayTraceId),
    ("@xraySegmentId", LambdaField::XraySegmentId),
];

/// Types of lines, the first word of each.
const TYPES: [&str; 4] = ["START", "END", "REPORT", "INIT_START"];

impl LambdaField {
    pub(crate) const NAMES: [&str; 9] = {
        let mut names = [""; 9];
        let mut at = 0;
        while at < 9 {
            names[at] = FIELDS[at].0;
            at += 1;
        }
        names
    };

    pub(crate) fn named(name: &str) -> Option<Self> {
        FIELDS
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, field)| *field)
    }

    pub(crate) fn read(self, message: &str) -> Value<'_> {
        match self {
            Self::Type => line_type(message).map_or(Value::Absent, Value::borrowed),
            Self::RequestId => request_id(message).map_or(Value::Absent, Value::borrowed),
            Self::Duration => report(message, "Duration: ", 1.0),
            Self::BilledDuration => report(message, "Billed Duration: ", 1.0),
            Self::InitDuration => report(message, "Init Duration: ", 1.0),
            // AWS's samples divide by 1000 twice to get megabytes.
            Self::MemorySize => report(message, "Memory Size: ", 1_000_000.0),
            Self::MaxMemoryUsed => report(message, "Max Memory Used: ", 1_000_000.0),
            Self::XrayTraceId => behind(message, "XRAY TraceId: "),
            Self::XraySegmentId => behind(message, "SegmentId: "),
        }
    }
}

fn line_type(message: &str) -> Option<&str> {
    let word = message.split([' ', '\t', '\n']).next()?;
    TYPES.contains(&word).then_some(word)
}

fn behind<'m>(message: &'m str, label: &str) -> Value<'m> {
    let Some(at) = message.find(label) else {
        return Value::Absent;
    };
    let rest = &message[at + label.len()..];
    let end = rest.find(|c: char| c.is_whitespace() || c == ',');
    Value::borrowed(&rest[..end.unwrap_or(rest.len())])
}

/// The metric of a `REPORT` line that begins with the label, tab-separated.
fn report<'m>(message: &'m str, label: &str, factor: f64) -> Value<'m> {
    if !message.starts_with("REPORT") {
        return Value::Absent;
    }
    let part = message
        .split('\t')
        .find_map(|part| part.trim().strip_prefix(label));
    let Some(text) = part.and_then(|part| part.split(' ').next()) else {
        return Value::Absent;
    };
    if factor == 1.0 {
        return Value::borrowed(text);
    }
    text.parse()
        .map_or(Value::Absent, |number: f64| Value::number(number * factor))
}

/// `RequestId: <id>`, or the id in a line of the runtimes' loggers:
/// `<ISO time>⇥<id>⇥…` (Node.js), `[INFO]⇥<ISO time>⇥<id>⇥…` (Python),
/// `<ISO time> <id> Task timed out …`.
fn request_id(message: &str) -> Option<&str> {
    if let Some((_, rest)) = message.split_once("RequestId: ")
        && line_type(message).is_some()
    {
        return rest
            .split(char::is_whitespace)
            .next()
            .filter(|id| !id.is_empty());
    }
    let mut words = message.splitn(4, ['\t', ' ']);
    let first = words.next()?;
    let second = words.next()?;
    let (time, id) = match first.starts_with('[') {
        true => (second, words.next()?),
        false => (first, second),
    };
    (looks_like_time(time) && looks_like_id(id)).then_some(id)
}

fn looks_like_time(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() >= 20 && bytes[4] == b'-' && bytes[10] == b'T' && bytes[0].is_ascii_digit()
}

/// Ids are UUIDs; ids of other forms are taken where no word of a language could stand.
fn looks_like_id(word: &str) -> bool {
    word.contains('-')
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, message: &str) -> Option<String> {
        let field = LambdaField::named(name).expect(name);
        field.read(message).show().map(std::borrow::Cow::into_owned)
    }

    const ID: &str = "5f0c5a5e-3f8f-4d57-9df1-0d1d9b1f2c3a";

    #[test]
    fn a_report_line_gives_its_metrics() {
        let line = format!(
            "REPORT RequestId: {ID}\tDuration: 3.01 ms\tBilled Duration: 4 ms\tMemory Size: 128 MB\tMax Memory Used: 36 MB\tInit Duration: 110.10 ms\t\nXRAY TraceId: 1-5e34a614-10bdbf1e\tSegmentId: 07f3\tSampled: true\t\n"
        );
        for (name, value) in [
            ("@type", "REPORT"),
            ("@requestId", ID),
            ("@duration", "3.01"),
            ("@billedDuration", "4"),
            ("@initDuration", "110.10"),
            ("@memorySize", "128000000"),
            ("@maxMemoryUsed", "36000000"),
            ("@xrayTraceId", "1-5e34a614-10bdbf1e"),
            ("@xraySegmentId", "07f3"),
        ] {
            assert_eq!(field(name, &line).as_deref(), Some(value), "{name}");
        }
    }

    #[test]
    fn every_line_of_an_invocation_has_its_request_id() {
        for line in [
            format!("START RequestId: {ID} Version: $LATEST\n"),
            format!("END RequestId: {ID}\n"),
            format!("2026-09-20T20:58:23.240Z\t{ID}\tINFO\t{{}}"),
            format!("[INFO]\t2026-09-20T20:58:23.240Z\t{ID}\ttext"),
            format!("2026-09-20T20:58:26.240Z {ID} Task timed out after 3.00 seconds\n"),
        ] {
            assert_eq!(field("@requestId", &line).as_deref(), Some(ID), "{line}");
        }
    }

    #[test]
    fn other_lines_have_none_of_it() {
        for line in [
            "",
            "REPORT",
            "plain text",
            "2026-09-20T20:58:23.240Z INFO text",
            "STARTED x",
        ] {
            for name in LambdaField::NAMES.iter().filter(|name| **name != "@type") {
                assert_eq!(field(name, line), None, "{name} of {line}");
            }
        }
        assert_eq!(field("@type", "STARTED x"), None);
        assert_eq!(field("@duration", "Duration: 3 ms"), None);
    }
}
