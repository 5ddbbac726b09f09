//! Reads one table of a file key by key. What nobody asked for is unknown.

use std::cell::RefCell;
use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::duration::parse_duration;
use super::mistake::Mistakes;
use crate::failure::{Failure, nearest};

/// A value with the place where it stands.
#[derive(Clone, Debug)]
pub(super) struct Found<T> {
    pub(super) value: T,
    pub(super) span: Range<usize>,
}

/// A table that is being read. Drop it with [`Section::finish`], or unknown keys go unnoticed.
pub(super) struct Section<'t> {
    table: &'t DeTable<'t>,
    /// As it is written in the file: `[[arm]]`.
    name: String,
    pub(super) span: Range<usize>,
    mistakes: &'t RefCell<Mistakes>,
    asked: Vec<&'static str>,
}

impl<'t> Section<'t> {
    pub(super) fn new(
        name: impl Into<String>,
        table: &'t DeTable<'t>,
        span: Range<usize>,
        mistakes: &'t RefCell<Mistakes>,
    ) -> Self {
        Self {
            table,
            name: name.into(),
            span,
            mistakes,
            asked: Vec::new(),
        }
    }

    /// Notes a mistake.
    pub(super) fn mistake(&self, span: Range<usize>, message: impl Into<String>) {
        self.mistakes.borrow_mut().add(span, message);
    }

    /// Notes a failure as a mistake.
    pub(super) fn failure(&self, span: Range<usize>, failure: Failure) {
        self.mistakes.borrow_mut().add_failure(span, failure);
    }

    /// The value, or a mistake at the place of the section.
    pub(super) fn required<T>(&self, key: &str, value: Option<T>) -> Option<T> {
        if value.is_none() && !self.has(key) {
            self.mistake(
                self.span.clone(),
                format!("`{key}` is missing in {}", self.name),
            );
        }
        value
    }

    fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    fn ask(&mut self, key: &'static str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.asked.push(key);
        self.table.get(key)
    }

    fn wrong(&self, key: &str, value: &Spanned<DeValue<'_>>, wanted: &str) {
        let found = value.get_ref().type_str();
        self.mistake(
            value.span(),
            format!("`{key}` must be {wanted}, not {}", with_article(found)),
        );
    }

    /// A text.
    pub(super) fn text(&mut self, key: &'static str) -> Option<Found<String>> {
        let value = self.ask(key)?;
        match value.get_ref() {
            DeValue::String(text) => Some(Found {
                value: text.to_string(),
                span: value.span(),
            }),
            _ => {
                self.wrong(key, value, "a text");
                None
            }
        }
    }

    /// A text that stands for something.
    pub(super) fn parsed<T: FromStr>(&mut self, key: &'static str) -> Option<Found<T>>
    where
        T::Err: IntoFailure,
    {
        let text = self.text(key)?;
        match text.value.parse() {
            Ok(value) => Some(Found {
                value,
                span: text.span,
            }),
            Err(error) => {
                self.failure(text.span, T::Err::into_failure(error));
                None
            }
        }
    }

    /// A duration, as in `4s`.
    pub(super) fn duration(&mut self, key: &'static str) -> Option<Found<Duration>> {
        let text = self.text(key)?;
        match parse_duration(&text.value) {
            Ok(value) => Some(Found {
                value,
                span: text.span,
            }),
            Err(failure) => {
                self.failure(text.span, failure);
                None
            }
        }
    }

    /// A whole number that the type can hold.
    pub(super) fn integer<T: TryFrom<u64>>(&mut self, key: &'static str) -> Option<Found<T>> {
        let value = self.ask(key)?;
        let DeValue::Integer(integer) = value.get_ref() else {
            self.wrong(key, value, "a whole number");
            return None;
        };
        let number = u64::from_str_radix(integer.as_str(), integer.radix());
        match number.ok().and_then(|number| T::try_from(number).ok()) {
            Some(number) => Some(Found {
                value: number,
                span: value.span(),
            }),
            None => {
                self.mistake(value.span(), format!("`{key}` {integer} is out of range"));
                None
            }
        }
    }

    /// `true` or `false`.
    pub(super) fn flag(&mut self, key: &'static str) -> Option<bool> {
        let value = self.ask(key)?;
        match value.get_ref() {
            DeValue::Boolean(flag) => Some(*flag),
            _ => {
                self.wrong(key, value, "`true` or `false`");
                None
            }
        }
    }

    /// A list of texts, each with its place.
    pub(super) fn texts(&mut self, key: &'static str) -> Vec<Found<String>> {
        let Some(value) = self.ask(key) else {
            return Vec::new();
        };
        let DeValue::Array(list) = value.get_ref() else {
            self.wrong(key, value, "a list of texts");
            return Vec::new();
        };
        let mut texts = Vec::new();
        for element in list.iter() {
            match element.get_ref() {
                DeValue::String(text) => texts.push(Found {
                    value: text.to_string(),
                    span: element.span(),
                }),
                _ => self.wrong(key, element, "a list of texts"),
            }
        }
        texts
    }

    /// Keys and texts of a table whose keys are free.
    pub(super) fn free_texts(&mut self, key: &'static str) -> Vec<(String, String)> {
        let Some(value) = self.ask(key) else {
            return Vec::new();
        };
        let DeValue::Table(table) = value.get_ref() else {
            self.wrong(key, value, "a table of texts");
            return Vec::new();
        };
        let mut texts: Vec<(usize, String, String)> = Vec::new();
        for (name, value) in table {
            match value.get_ref() {
                DeValue::String(text) => {
                    texts.push((
                        name.span().start,
                        name.get_ref().to_string(),
                        text.to_string(),
                    ));
                }
                _ => self.wrong(key, value, "a table of texts"),
            }
        }
        texts.sort();
        texts
            .into_iter()
            .map(|(_, name, text)| (name, text))
            .collect()
    }

    /// A table within.
    pub(super) fn section(&mut self, key: &'static str) -> Option<Section<'t>> {
        let value = self.ask(key)?;
        match value.get_ref() {
            DeValue::Table(table) => Some(Section::new(
                format!("`{key}` of {}", self.name),
                table,
                value.span(),
                self.mistakes,
            )),
            _ => {
                self.wrong(key, value, "a table");
                None
            }
        }
    }

    /// A list of tables within; `None` if there is none.
    pub(super) fn sections(&mut self, key: &'static str) -> Option<Vec<Section<'t>>> {
        let value = self.ask(key)?;
        let DeValue::Array(list) = value.get_ref() else {
            self.wrong(key, value, "a list of tables");
            return None;
        };
        let mut sections = Vec::new();
        for element in list.iter() {
            match element.get_ref() {
                DeValue::Table(table) => sections.push(Section::new(
                    format!("[[{key}]]"),
                    table,
                    element.span(),
                    self.mistakes,
                )),
                _ => self.wrong(key, element, "a list of tables"),
            }
        }
        Some(sections)
    }

    /// Notes every key that was not asked for.
    pub(super) fn finish(self) {
        for key in self.table.keys() {
            let given = key.get_ref().as_ref();
            if self.asked.contains(&given) {
                continue;
            }
            let near = nearest(given, self.asked.iter().copied());
            let mut failure = Failure::usage(format!(
                "unknown key `{given}` in {}; known keys: {}",
                self.name,
                self.asked.join(", ")
            ));
            if let Some(name) = near {
                failure = failure.hint(format!("did you mean `{name}`?"));
            }
            self.failure(key.span(), failure);
        }
    }
}

fn with_article(noun: &str) -> String {
    let article = match noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        true => "an",
        false => "a",
    };
    format!("{article} {noun}")
}

/// Errors of texts that can stand in a file.
pub(super) trait IntoFailure {
    fn into_failure(self) -> Failure;
}

impl IntoFailure for Failure {
    fn into_failure(self) -> Failure {
        self
    }
}

impl IntoFailure for crate::order::OrderError {
    fn into_failure(self) -> Failure {
        Failure::usage(self.to_string())
    }
}
