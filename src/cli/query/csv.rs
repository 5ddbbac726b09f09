//! A result as CSV.

use std::borrow::Cow;

use super::cells::{escaped, is_number, misleads};
use crate::insights::Output;

/// A header and one record per row; an absent field is empty.
pub(super) fn render(output: &Output) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let written = "writing into memory cannot fail, and all records have as many fields";
    writer.write_record(&output.columns).expect(written);
    for row in &output.rows {
        let fields = row
            .iter()
            .map(|value| field(value.as_deref().unwrap_or_default()));
        let fields: Vec<Cow<'_, str>> = fields.collect();
        writer
            .write_record(fields.iter().map(|field| field.as_bytes()))
            .expect(written);
    }
    let bytes = writer
        .into_inner()
        .expect("flushing into memory cannot fail");
    String::from_utf8(bytes).expect("all fields are UTF-8")
}

/// A value, made harmless: a spreadsheet takes text with these beginnings for a formula, and a
/// terminal obeys control characters. Lines and tabs inside of a value are kept.
fn field(value: &str) -> Cow<'_, str> {
    let shown = escaped(value, |character| {
        misleads(character) && !matches!(character, '\n' | '\t')
    });
    match value.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number(value) {
        true => Cow::Owned(format!("'{shown}")),
        false => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::output;
    use super::*;

    #[test]
    fn absent_fields_are_empty_and_names_stay_as_they_are() {
        let output = output(
            &["@message", "a,b"],
            &[&[Some("x\n\"y\""), None], &[None, Some("-4")]],
        );
        assert_eq!(
            render(&output),
            "@message,\"a,b\"\n\"x\n\"\"y\"\"\",\n,-4\n"
        );
    }

    #[test]
    fn no_field_is_a_formula_or_an_order_to_a_terminal() {
        for (value, shown) in [
            ("=HYPERLINK(\"x\")", "'=HYPERLINK(\"x\")"),
            ("@cmd", "'@cmd"),
            ("-rf", "'-rf"),
            ("-4.5", "-4.5"),
            ("+1e3", "+1e3"),
            ("a\tb\u{1b}[2J\r", r"a	b\u{1b}[2J\r"),
            ("2026-09-20", "2026-09-20"),
        ] {
            assert_eq!(field(value), shown);
        }
    }
}
