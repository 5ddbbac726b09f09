//! A result as JSON.

use serde_json::{Map, Value};

use super::cells::misleads;
use crate::insights::Output;

/// An array with one object per line.
pub(super) fn render(output: &Output) -> String {
    let rows: Vec<String> = output
        .rows
        .iter()
        .map(|row| {
            let named = output.columns.iter().zip(row);
            let present = named.filter_map(|(name, value)| {
                let value = Value::String(value.clone()?);
                Some((name.clone(), value))
            });
            harmless(&Value::Object(present.collect::<Map<_, _>>()).to_string())
        })
        .collect();
    match rows.is_empty() {
        true => "[]\n".to_owned(),
        false => format!("[\n  {}\n]\n", rows.join(",\n  ")),
    }
}

/// JSON leaves some characters as they are that a terminal obeys. They stand in strings only, where
/// they can as well be written as escapes; those that JSON does not know how to write do not occur.
fn harmless(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        match misleads(character) {
            true => text.push_str(&format!("\\u{:04x}", u32::from(character))),
            false => text.push(character),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::format::output;
    use super::*;

    #[test]
    fn rows_are_objects_in_the_order_of_the_columns() {
        let output = output(
            &["z", "a"],
            &[&[Some("1"), Some("é")], &[None, Some("2")], &[None, None]],
        );
        assert_eq!(
            render(&output),
            "[\n  {\"z\":\"1\",\"a\":\"é\"},\n  {\"a\":\"2\"},\n  {}\n]\n"
        );
    }

    #[test]
    fn no_rows_are_an_empty_array() {
        assert_eq!(render(&output(&["a"], &[])), "[]\n");
    }

    #[test]
    fn a_terminal_obeys_nothing_and_a_reader_gets_everything() {
        let hostile = "\u{1b}[2J\u{7f}\u{9b}31m\u{202e}\0\n\"";
        let text = render(&output(&["a"], &[&[Some(hostile)]]));
        assert_eq!(
            text,
            "[\n  {\"a\":\"\\u001b[2J\\u007f\\u009b31m\\u202e\\u0000\\n\\\"\"}\n]\n"
        );
        let read: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read[0]["a"], hostile);
    }
}
