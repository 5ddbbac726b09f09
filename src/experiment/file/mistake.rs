//! What is wrong with a file, and where.

use std::fmt::Write;
use std::ops::Range;

use crate::failure::Failure;

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    /// Byte offset of what is wrong.
    pub(super) offset: usize,
    /// A lower-case fragment.
    pub(super) message: String,
    /// What to write instead.
    pub(super) hint: Option<String>,
}

/// All mistakes of a file so far.
#[derive(Debug, Default)]
pub(super) struct Mistakes(pub(super) Vec<Mistake>);

impl Mistakes {
    pub(super) fn add(&mut self, span: Range<usize>, message: impl Into<String>) {
        self.0.push(Mistake {
            offset: span.start,
            message: message.into(),
            hint: None,
        });
    }

    pub(super) fn add_failure(&mut self, span: Range<usize>, failure: Failure) {
        self.0.push(Mistake {
            offset: span.start,
            message: failure.message,
            hint: failure.hint,
        });
    }

    /// All of them as one usage failure, in the order of the file; `None` if there are none.
    pub(super) fn into_failure(mut self, source: &str, text: &str) -> Option<Failure> {
        self.0.sort_by_key(|mistake| mistake.offset);
        self.0.dedup();
        let count = match self.0.len() {
            0 => return None,
            1 => "1 mistake".to_owned(),
            many => format!("{many} mistakes"),
        };
        let mut message = format!("scenario `{source}` has {count}");
        for mistake in &self.0 {
            let (line, column) = place(text, mistake.offset);
            let hint = mistake.hint.as_ref();
            let hint = hint.map_or_else(String::new, |hint| format!(" (hint: {hint})"));
            let said = mistake.message.trim_end().replace('\n', " ");
            write!(message, "\n  {source}:{line}:{column}: {said}{hint}")
                .expect("writing into a string cannot fail");
        }
        Some(Failure::usage(message))
    }
}

/// Line and column of a byte offset, both from 1; columns count characters.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let text = "a = 1\nñ = \"ü\" # é\nb = 2\n";
        assert_eq!(place(text, 0), (1, 1));
        assert_eq!(place(text, text.find("é").expect("there")), (2, 11));
        assert_eq!(place(text, text.find('b').expect("there")), (3, 1));
        assert_eq!(place(text, 10_000), (4, 1));
    }

    #[test]
    fn mistakes_come_in_the_order_of_the_file() {
        let mut mistakes = Mistakes::default();
        mistakes.add(6..7, "second");
        mistakes.add_failure(0..1, Failure::usage("first").hint("do better"));
        let failure = mistakes
            .into_failure("x.toml", "a = 1\nb = 2\n")
            .expect("two");
        assert_eq!(
            failure.to_string(),
            "scenario `x.toml` has 2 mistakes\n  x.toml:1:1: first (hint: do better)\n  \
             x.toml:2:1: second"
        );
        assert_eq!(Mistakes::default().into_failure("x", ""), None);
    }
}
