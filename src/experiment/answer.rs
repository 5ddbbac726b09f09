//! What a consumer's answer can look like when its author got the form wrong.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;

use crate::failure::{Failure, nearest};
use crate::worker::{Function, InvokeOutcome};

/// The form of the answer to a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnswerForm {
    /// As the consumer gives it.
    #[default]
    AsIs,
    /// Text that is not JSON.
    NotJson,
    /// The JSON text `"ok"`.
    Ok,
    /// `BatchItemFailures`, with a capital letter.
    Capitalised,
    /// An entry with an empty `itemIdentifier`.
    EmptyIdentifier,
    /// An entry whose `itemIdentifier` is null.
    NullIdentifier,
    /// An entry with `ItemIdentifier`, with a capital letter.
    CapitalisedIdentifier,
    /// An entry with an `itemIdentifier` that is not in the batch.
    UnknownIdentifier,
}

impl AnswerForm {
    /// All forms.
    pub const ALL: [AnswerForm; 8] = [
        Self::AsIs,
        Self::NotJson,
        Self::Ok,
        Self::Capitalised,
        Self::EmptyIdentifier,
        Self::NullIdentifier,
        Self::CapitalisedIdentifier,
        Self::UnknownIdentifier,
    ];

    /// The name as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AsIs => "as-is",
            Self::NotJson => "not-json",
            Self::Ok => "ok",
            Self::Capitalised => "capitalised",
            Self::EmptyIdentifier => "empty-identifier",
            Self::NullIdentifier => "null-identifier",
            Self::CapitalisedIdentifier => "capitalised-identifier",
            Self::UnknownIdentifier => "unknown-identifier",
        }
    }

    /// The answer in this form.
    fn of(self, answer: String) -> String {
        let entry = |entry: &str| format!(r#"{{"batchItemFailures":[{entry}]}}"#);
        match self {
            Self::AsIs => answer,
            Self::NotJson => "not json".to_owned(),
            Self::Ok => r#""ok""#.to_owned(),
            Self::Capitalised => answer.replace("batchItemFailures", "BatchItemFailures"),
            Self::EmptyIdentifier => entry(r#"{"itemIdentifier":""}"#),
            Self::NullIdentifier => entry(r#"{"itemIdentifier":null}"#),
            Self::CapitalisedIdentifier => entry(r#"{"ItemIdentifier":"m-1"}"#),
            Self::UnknownIdentifier => entry(r#"{"itemIdentifier":"no-such-message"}"#),
        }
    }
}

impl fmt::Display for AnswerForm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for AnswerForm {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let found = Self::ALL.into_iter().find(|form| form.name() == text);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            let failure = Failure::usage(format!(
                "unknown form of answer `{text}`; known forms: {}",
                names.join(", ")
            ));
            match nearest(text, names) {
                Some(name) => failure.hint(format!("did you mean `{name}`?")),
                None => failure,
            }
        })
    }
}

/// A function whose answers come out in another form.
pub(super) struct Answering {
    inner: Arc<dyn Function>,
    form: AnswerForm,
    changed: Arc<AtomicU64>,
}

impl Answering {
    /// Wraps a function; `changed` counts the answers whose form was changed.
    pub(super) fn new(inner: Arc<dyn Function>, form: AnswerForm, changed: Arc<AtomicU64>) -> Self {
        Self {
            inner,
            form,
            changed,
        }
    }
}

#[async_trait]
impl Function for Answering {
    async fn invoke(&self, event: &str) -> InvokeOutcome {
        match self.inner.invoke(event).await {
            InvokeOutcome::Answered(answer) => {
                self.changed.fetch_add(1, Ordering::Relaxed);
                InvokeOutcome::Answered(self.form.of(answer))
            }
            outcome => outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_read_back_and_slips_get_a_suggestion() {
        for form in AnswerForm::ALL {
            assert_eq!(form.name().parse(), Ok(form));
        }
        let failure = "notjson".parse::<AnswerForm>().expect_err("a slip");
        assert_eq!(failure.hint.as_deref(), Some("did you mean `not-json`?"));
    }

    #[test]
    fn only_the_capitalised_form_keeps_what_the_consumer_said() {
        let answer = r#"{"batchItemFailures":[{"itemIdentifier":"m-1"}]}"#;
        let in_form = |form: AnswerForm| form.of(answer.to_owned());
        assert_eq!(in_form(AnswerForm::AsIs), answer);
        assert_eq!(
            in_form(AnswerForm::Capitalised),
            r#"{"BatchItemFailures":[{"itemIdentifier":"m-1"}]}"#
        );
        assert_eq!(
            in_form(AnswerForm::NullIdentifier),
            r#"{"batchItemFailures":[{"itemIdentifier":null}]}"#
        );
    }
}
