//! Events of the formats in which a line, or a line with those that continue it, is an event.

use std::io::{self, Read};
use std::ops::ControlFlow;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use super::counters::Counters;
use super::format::{Format, export_time};
use super::lines::{LONGEST_LINE_BYTES, read_lines};
use super::time::{TimeReader, epoch_millis};

/// Keys of a JSON line whose value is its time.
const TIME_KEYS: [&str; 3] = ["timestamp", "time", "@timestamp"];

/// An event of a file, before it is known which file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event<'a> {
    /// Milliseconds since 1970, if the event or one before it has a time.
    pub(super) time_millis: Option<i64>,
    pub(super) ingestion_millis: Option<i64>,
    pub(super) stream: Option<&'a str>,
    pub(super) message: &'a str,
    /// Where it is: the position of its first byte, or its number.
    pub(super) position: u64,
}

pub(super) type Visit<'v> = &'v mut dyn FnMut(Event<'_>) -> ControlFlow<()>;

/// Shows the events of a text. `position` is that of its first byte; `time_millis` is taken by
/// the events before the first that has a time.
pub(super) fn read_events(
    format: Format,
    reader: &mut dyn Read,
    position: u64,
    time_millis: Option<i64>,
    counters: &mut Counters,
    visit: Visit<'_>,
) -> io::Result<()> {
    if format == Format::Export {
        return read_export(reader, position, time_millis, counters, visit);
    }
    let mut times = LineTimes::new(format);
    // A file in whose head nothing has a time has none: then the search for one is saved.
    let timed = time_millis.is_some();
    let mut latest = time_millis;
    read_lines(reader, position, counters, &mut |position, line| {
        if timed && let Some(millis) = times.of_line(line.as_bytes()) {
            latest = Some(millis);
        }
        visit(Event {
            time_millis: latest,
            ingestion_millis: None,
            stream: None,
            message: line,
            position,
        })
    })
}

/// In an export, a line that does not begin with a time continues the message before it.
fn read_export(
    reader: &mut dyn Read,
    position: u64,
    time_millis: Option<i64>,
    counters: &mut Counters,
    visit: Visit<'_>,
) -> io::Result<()> {
    let mut times = TimeReader::default();
    let mut message = String::new();
    let mut begun: Option<(Option<i64>, u64)> = None;
    let mut over = false;
    let mut show = |begun: Option<(Option<i64>, u64)>, message: &str| match begun {
        Some((time_millis, position)) if !message.is_empty() => visit(Event {
            time_millis,
            ingestion_millis: None,
            stream: None,
            message,
            position,
        }),
        _ => ControlFlow::Continue(()),
    };
    read_lines(reader, position, counters, &mut |position, line| {
        match export_time(&mut times, line.as_bytes()) {
            Some((millis, length)) => {
                let flow = show(begun, &message);
                over = flow.is_break();
                message.clear();
                message.push_str(&line[length..]);
                begun = Some((Some(millis), position));
                flow
            }
            None => {
                if begun.is_none() {
                    begun = Some((time_millis, position));
                } else if message.len() + line.len() < LONGEST_LINE_BYTES {
                    message.push('\n');
                } else {
                    // So much cannot be one event: the rest becomes another.
                    let flow = show(begun, &message);
                    message.clear();
                    begun = begun.map(|(time_millis, _)| (time_millis, position));
                    message.push_str(line);
                    over = flow.is_break();
                    return flow;
                }
                message.push_str(line);
                ControlFlow::Continue(())
            }
        }
    })?;
    if !over {
        // The end does not matter any more.
        let _ = show(begun, &message);
    }
    Ok(())
}

/// Finds the time of a line that has one of its own.
pub(super) struct LineTimes {
    format: Format,
    times: TimeReader,
    time: memchr::memmem::Finder<'static>,
}

impl LineTimes {
    pub(super) fn new(format: Format) -> Self {
        Self {
            format,
            times: TimeReader::default(),
            time: memchr::memmem::Finder::new("time"),
        }
    }

    pub(super) fn of_line(&mut self, line: &[u8]) -> Option<i64> {
        match self.format {
            Format::Export => export_time(&mut self.times, line).map(|(millis, _)| millis),
            Format::JsonLines if line.trim_ascii_start().first() == Some(&b'{') => {
                // Most lines without a time are passed over without being parsed.
                self.time.find(line)?;
                json_time(line, &mut self.times)
            }
            _ => self.times.of_line(line),
        }
    }
}

/// The first of [`TIME_KEYS`] in an object that holds a time.
fn json_time(line: &[u8], times: &mut TimeReader) -> Option<i64> {
    let mut found = None;
    let seed = TimeOf {
        times,
        found: &mut found,
    };
    // Reading ends with an error where the time was found, or where the line is no JSON.
    let _ = seed.deserialize(&mut serde_json::Deserializer::from_slice(line));
    found
}

struct TimeOf<'t> {
    times: &'t mut TimeReader,
    found: &'t mut Option<i64>,
}

impl<'de> DeserializeSeed<'de> for TimeOf<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for TimeOf<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(is_time) = map.next_key_seed(IsTimeKey)? {
            if !is_time {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            *self.found = match map.next_value()? {
                serde_json::Value::Number(number) => number.as_f64().and_then(epoch_millis),
                serde_json::Value::String(text) => match self.times.leading(text.as_bytes()) {
                    Some((millis, length)) if length == text.len() => Some(millis),
                    _ => text.parse().ok().and_then(epoch_millis),
                },
                _ => None,
            };
            if self.found.is_some() {
                return Err(A::Error::custom("the rest does not matter"));
            }
        }
        Ok(())
    }
}

struct IsTimeKey;

impl<'de> DeserializeSeed<'de> for IsTimeKey {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for IsTimeKey {
    type Value = bool;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<bool, E> {
        Ok(TIME_KEYS.contains(&key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLIS: i64 = 1_789_937_903_240;

    fn events(format: Format, time: Option<i64>, text: &str) -> Vec<(Option<i64>, String, u64)> {
        let mut found = Vec::new();
        let read = read_events(
            format,
            &mut text.as_bytes(),
            100,
            time,
            &mut Counters::default(),
            &mut |event| {
                found.push((event.time_millis, event.message.to_owned(), event.position));
                ControlFlow::Continue(())
            },
        );
        read.expect("memory can be read");
        found
    }

    #[test]
    fn a_line_without_a_time_takes_that_of_the_line_before() {
        let text = "START\n2026-09-20T20:58:23.240Z\ta\n  at b\n2026-09-20T20:58:23.241Z c\n";
        let owned = |time, text: &str, position| (Some(time), text.to_owned(), position);
        assert_eq!(
            events(Format::Text, Some(7), text),
            [
                owned(7, "START", 100),
                owned(MILLIS, "2026-09-20T20:58:23.240Z\ta", 106),
                owned(MILLIS, "  at b", 133),
                owned(MILLIS + 1, "2026-09-20T20:58:23.241Z c", 140),
            ]
        );
    }

    #[test]
    fn a_text_without_times_is_not_searched_for_them() {
        let found = events(Format::Text, None, "a\n2026-09-20T20:58:23.240Z b");
        assert_eq!(found[1].0, None);
    }

    #[test]
    fn an_export_has_its_times_apart_and_messages_of_several_lines() {
        let text = "head\n2026-09-20T20:58:23.240Z START\n2026-09-20T20:58:23.241Z a\n\n  at b\n2026-09-20T20:58:23.242Z\n2026-09-20T20:58:23.243Z c\r\n";
        let found = events(Format::Export, Some(7), text);
        let owned = |time, text: &str, position| (Some(time), text.to_owned(), position);
        assert_eq!(
            found,
            [
                owned(7, "head", 100),
                owned(MILLIS, "START", 105),
                owned(MILLIS + 1, "a\n  at b", 136),
                owned(MILLIS + 3, "c", 196),
            ]
        );
    }

    #[test]
    fn the_time_of_a_json_line_is_the_first_that_it_holds() {
        let mut times = LineTimes::new(Format::JsonLines);
        let mut of = |line: &str| times.of_line(line.as_bytes());
        for line in [
            r#"{"timestamp":"2026-09-20T20:58:23.240Z"}"#,
            r#"{"a":{"time":1},"time":1789937903240,"timestamp":"2000-01-01T00:00:00Z"}"#,
            r#" {"@timestamp":"1789937903240"}"#,
            r#"{"timesta\u006dp":"2026-09-20T22:58:23.240+02:00"} rest"#,
            r#"{"time":"3 ms","timestamp":1789937903.240}"#,
            r#"{"time":null,"timestamp":1789937903240,"#,
            "2026-09-20T20:58:23.240Z not JSON",
        ] {
            assert_eq!(of(line), Some(MILLIS), "{line}");
        }
        for line in [
            "{}",
            r#"{"a":"time"}"#,
            r#"{"time":17899379032}"#,
            r#"{"time":["2026-09-20T20:58:23.240Z"]}"#,
            r#"{"time":"2026-09-20T20:58:23.240Z and more"}"#,
            r#"{"nested":{"timestamp":"2026-09-20T20:58:23.240Z"}}"#,
            "{time",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
