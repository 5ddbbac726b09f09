//! Failures: of a text that is no query, and of a run.

use std::fmt;

use super::record::SourceError;

/// A stretch of the query text, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    pub(crate) const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// From the beginning of this one to the end of the other.
    pub(crate) const fn to(self, other: Span) -> Span {
        Span::new(self.start, other.end)
    }
}

/// What is wrong and where, before the text is at hand to show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) span: Span,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Fault {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds `did you mean` if a known name is near the given one.
    pub(crate) fn nearest<'k>(self, given: &str, known: impl IntoIterator<Item = &'k str>) -> Self {
        match nearest(given, known) {
            Some(name) if self.hint.is_none() => self.hint(format!("did you mean `{name}`?")),
            _ => self,
        }
    }
}

/// The known name nearest to `given`, whatever the case of its letters, if one is near enough to
/// be a slip.
pub(crate) fn nearest<'k>(
    given: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> Option<&'k str> {
    // Long names would cost a quadratic comparison and resemble nothing.
    if given.len() > 64 {
        return None;
    }
    let given = given.to_lowercase();
    known
        .into_iter()
        .map(|name| {
            (
                strsim::damerau_levenshtein(&given, &name.to_lowercase()),
                name,
            )
        })
        .filter(|(distance, name)| *distance <= name.len().max(given.len()).div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// A text that is not a query this engine runs: what is wrong, the place, and what to do.
///
/// `Display` shows the line with a caret under the place. The API's `MalformedQueryException`
/// takes [`message`](Self::message) and the character offsets for `queryCompileError`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError(Box<Compiled>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Compiled {
    message: String,
    hint: Option<String>,
    start_char: usize,
    end_char: usize,
    line: usize,
    column: usize,
    excerpt: String,
    width: usize,
}

impl CompileError {
    pub(crate) fn new(text: &str, fault: Fault) -> Self {
        let start = floor_boundary(text, fault.span.start);
        let end = floor_boundary(text, fault.span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let start_char = text[..start].chars().count();
        let marked = &text[start..end.min(line_end)];
        Self(Box::new(Compiled {
            message: fault.message,
            hint: fault.hint,
            start_char,
            end_char: start_char + text[start..end].chars().count(),
            line: text[..start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            excerpt: text[line_start..line_end].trim_end().replace('\t', " "),
            width: marked.chars().count().max(1),
        }))
    }

    /// What is wrong: a lower-case fragment.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do, or the name that was probably meant.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// First character of the place (`startCharOffset`), counted from 0.
    pub fn start_char_offset(&self) -> usize {
        self.0.start_char
    }

    /// Character after the place (`endCharOffset`), counted from 0.
    pub fn end_char_offset(&self) -> usize {
        self.0.end_char
    }

    /// Line of the place, counted from 1.
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// Column of the place in characters, counted from 1.
    pub fn column(&self) -> usize {
        self.0.column
    }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for CompileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = &*self.0;
        writeln!(
            formatter,
            "line {}, column {}: {}",
            error.line, error.column, error.message
        )?;
        writeln!(formatter, "  {}", error.excerpt)?;
        let margin = " ".repeat(error.column - 1);
        write!(formatter, "  {margin}{}", "^".repeat(error.width))?;
        match &error.hint {
            Some(hint) => write!(formatter, "\n(hint: {hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for CompileError {}

/// Why a run gave no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The records could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The query must hold more than [`Options::memory_limit_bytes`](super::Options) allows.
    #[error(
        "{what} need more than the {} MiB of memory that a query may use\n(hint: filter more, \
         group by something with fewer values, or raise the memory limit)", limit_bytes / (1 << 20)
    )]
    Memory {
        /// What was being held, in the plural.
        what: &'static str,
        /// The limit in bytes.
        limit_bytes: usize,
    },
    /// The end of the time range is before its start.
    #[error("the time range ends at {end_millis} ms, before it starts at {start_millis} ms")]
    TimeRange {
        /// First millisecond asked for.
        start_millis: i64,
        /// Last millisecond asked for.
        end_millis: i64,
    },
}
