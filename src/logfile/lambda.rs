//! Telling the log of a Lambda function from another.

use super::time::TimeReader;

/// What the lines of Lambda itself begin with.
const PLATFORM: [&[u8]; 4] = [
    b"START RequestId: ",
    b"END RequestId: ",
    b"REPORT RequestId: ",
    b"INIT_START Runtime Version: ",
];

/// Whether a message is one of Lambda itself, or of the loggers of its runtimes:
/// `<time>⇥<id>⇥<LEVEL>⇥…` (Node.js), `[<LEVEL>]⇥<time>⇥<id>⇥…` (Python).
pub(super) fn is_lambda_line(message: &[u8]) -> bool {
    if PLATFORM.iter().any(|begin| message.starts_with(begin)) {
        return true;
    }
    let mut fields = message.splitn(4, |byte| *byte == b'\t');
    let (Some(first), Some(second), Some(third), Some(_)) =
        (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return false;
    };
    let is_time = |field: &[u8]| {
        let read = TimeReader::default().leading(field);
        read.is_some_and(|(_, length)| length == field.len())
    };
    let is_level = |field: &[u8]| !field.is_empty() && field.iter().all(u8::is_ascii_uppercase);
    let in_brackets = first
        .strip_prefix(b"[")
        .and_then(|level| level.strip_suffix(b"]"));
    match in_brackets {
        Some(level) => is_level(level) && is_time(second) && is_id(third),
        None => is_time(first) && is_id(second) && is_level(third),
    }
}

fn is_id(field: &[u8]) -> bool {
    !field.is_empty()
        && field
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_lambda_are_known_by_their_beginning() {
        for line in [
            "START RequestId: q-1 Version: $LATEST",
            "END RequestId: q-1",
            "REPORT RequestId: q-1\tDuration: 3.01 ms",
            "INIT_START Runtime Version: nodejs:24.v1",
            "2026-09-20T20:58:23.240Z\tq-1\tINFO\t{}",
            "[INFO]\t2026-09-20T20:58:23.240Z\tq-1\ttext",
        ] {
            assert!(is_lambda_line(line.as_bytes()), "{line}");
        }
        for line in [
            "",
            "START",
            "2026-09-20T20:58:23.240Z INFO {}",
            "2026-09-20T20:58:23.240Z\tinfo\tmain\ttext",
            "2026-09-20T20:58:23.240Z\tq 1\tINFO\ttext",
            "[info]\t2026-09-20T20:58:23.240Z\tq-1\ttext",
            "a\tb\tINFO\td",
        ] {
            assert!(!is_lambda_line(line.as_bytes()), "{line}");
        }
    }
}
