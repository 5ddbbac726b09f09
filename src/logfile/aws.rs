//! What `aws logs filter-log-events` and `aws logs get-log-events` print.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::text::{Event, Visit};

/// An event as the service describes it (FilteredLogEvent, OutputLogEvent).
#[derive(Deserialize)]
#[serde(expecting = "an event")]
struct Printed {
    timestamp: Option<i64>,
    message: String,
    #[serde(rename = "ingestionTime")]
    ingestion_time: Option<i64>,
    #[serde(rename = "logStreamName")]
    stream: Option<String>,
}

/// Shows the events of one or more documents that stand behind each other, as pages are printed.
/// Positions are the numbers of the events.
pub(super) fn read_documents(reader: &mut dyn Read, visit: Visit<'_>) -> io::Result<()> {
    let mut reader = BufReader::with_capacity(1 << 16, reader);
    if reader.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
        reader.consume(3);
    }
    let mut reading = Reading {
        visit,
        events: 0,
        over: false,
    };
    while !reading.over && has_more(&mut reader)? {
        let mut document = serde_json::Deserializer::from_reader(&mut reader);
        match Document(&mut reading).deserialize(&mut document) {
            Err(error) if !reading.over => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

/// Passes over white space.
fn has_more(reader: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let block = reader.fill_buf()?;
        let blank = block.len() - block.trim_ascii_start().len();
        let (empty, more) = (block.is_empty(), blank < block.len());
        reader.consume(blank);
        if empty || more {
            return Ok(more);
        }
    }
}

struct Reading<'v> {
    visit: Visit<'v>,
    events: u64,
    /// Whether no more events are wanted. Reading then ends with an error that does not matter.
    over: bool,
}

struct Document<'r, 'v>(&'r mut Reading<'v>);

impl<'de> DeserializeSeed<'de> for Document<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Document<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with `events`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut found = false;
        while let Some(key) = map.next_key::<String>()? {
            if key == "events" {
                found = true;
                map.next_value_seed(Events(&mut *self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        match found {
            true => Ok(()),
            false => Err(A::Error::missing_field("events")),
        }
    }
}

struct Events<'r, 'v>(&'r mut Reading<'v>);

impl<'de> DeserializeSeed<'de> for Events<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Events<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(event) = list.next_element::<Printed>()? {
            let position = self.0.events;
            self.0.events += 1;
            if event.message.is_empty() {
                continue;
            }
            let flow = (self.0.visit)(Event {
                time_millis: event.timestamp,
                ingestion_millis: event.ingestion_time,
                stream: event.stream.as_deref(),
                message: &event.message,
                position,
            });
            if flow.is_break() {
                self.0.over = true;
                return Err(A::Error::custom("the rest does not matter"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;

    fn read(text: &str) -> Result<Vec<String>, String> {
        let mut found = Vec::new();
        let result = read_documents(&mut text.as_bytes(), &mut |event| {
            found.push(format!(
                "{:?} {:?} {:?} {} {}",
                event.time_millis,
                event.ingestion_millis,
                event.stream,
                event.message,
                event.position
            ));
            ControlFlow::Continue(())
        });
        result.map(|()| found).map_err(|error| error.to_string())
    }

    #[test]
    fn events_are_read_from_every_page() {
        let pages = r#"{"events":[{"logStreamName":"s","timestamp":1,"message":"a\n","ingestionTime":2,"eventId":"3"}],"nextToken":"t"}
            {"searchedLogStreams":[],"events":[{"timestamp":4,"message":"b"},{"message":""}]}
        "#;
        assert_eq!(
            read(&format!("\u{feff}{pages}")),
            Ok(vec![
                "Some(1) Some(2) Some(\"s\") a\n 0".to_owned(),
                "Some(4) None None b 1".to_owned()
            ])
        );
        assert_eq!(read(r#"{"events":[]}"#), Ok(Vec::new()));
        assert_eq!(read(" \n"), Ok(Vec::new()));
    }

    #[test]
    fn what_is_broken_is_told_with_its_place() {
        for (text, message) in [
            (
                r#"{"events":[{"timestamp":1,"message":"a"}"#,
                "EOF while parsing a list at line 1 column 40",
            ),
            (
                "{\"events\":[\n3]}",
                "invalid type: integer `3`, expected an event at line 2 column 2",
            ),
            (
                r#"{"events":[{"timestamp":1}]}"#,
                "missing field `message` at line 1 column 26",
            ),
            (
                r#"{"logGroups":[]}"#,
                "missing field `events` at line 1 column 16",
            ),
            ("{\"events\":[]} x", "expected value at line 1 column 1"),
        ] {
            assert_eq!(read(text), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn reading_stops_when_no_more_events_are_wanted() {
        let text = r#"{"events":[{"message":"a"},{"message":"b"}]}"#;
        let mut seen = 0;
        let result = read_documents(&mut text.as_bytes(), &mut |_| {
            seen += 1;
            ControlFlow::Break(())
        });
        assert!(result.is_ok());
        assert_eq!(seen, 1);
    }
}
