//! Why nothing matched although there are events: conditions that something slightly different
//! would have met.

use std::cmp::Ordering;

use regex::Regex;

use super::diagnosis::Span;
use super::discover::Paths;
use super::output::Warning;
use super::pattern;
use super::syntax::{Command, CommandKind, Comparison, Expression, ExpressionKind, Matcher};
use super::value::Value;

/// Events that are looked at one after the other, and then one of how many.
const LOOKED_AT: u64 = 20_000;
const ONE_OF: u64 = 256;

/// A condition of the query with its variants.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    /// The condition as typed.
    text: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// `@message like …`.
    Message {
        exact: Regex,
        variants: Vec<(Regex, Reason)>,
    },
    /// `field = "text"`, or `ispresent(field)` if nothing is wanted.
    Field {
        path: String,
        wanted: Option<String>,
        other_case: Option<Regex>,
    },
}

/// What is different in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Spaces,
    EscapedQuotes,
    EscapedQuotesAndSpaces,
    Case,
    Blanks,
    OtherField,
    BehindText,
}

const REASONS: usize = 7;

impl Reason {
    fn advice(self) -> &'static str {
        match self {
            Self::Spaces => {
                r#"the log has spaces around the colon: write `"key"\s*:\s*"value"` in a regular expression"#
            }
            Self::EscapedQuotes => {
                r#"the quotes in the log are escaped, as in Lambda's JSON log format: write `\\"` in a regular expression, or log in the text format"#
            }
            Self::EscapedQuotesAndSpaces => {
                r#"the quotes in the log are escaped and there are spaces around the colon: write `\\"key\\"\s*:\s*\\"value\\"` in a regular expression"#
            }
            Self::Case => "upper and lower case differ in the log: write `like /(?i)…/`",
            Self::Blanks => "the value in the log has blanks around it: compare `trim(field)`",
            Self::OtherField => "a field of that name exists in other upper and lower case",
            Self::BehindText => {
                "the JSON stands behind other text and is discovered in Lambda groups only: `parse` the field out of `@message`"
            }
        }
    }
}

/// The checks for the filters that stand ahead of any aggregation.
pub(crate) fn checks(text: &str, commands: &[Command]) -> Vec<Check> {
    let mut checks = Vec::new();
    for command in commands {
        match &command.kind {
            CommandKind::Filter(condition) => match &condition.kind {
                ExpressionKind::And(parts) => {
                    checks.extend(parts.iter().filter_map(|part| check(text, part)));
                }
                _ => checks.extend(check(text, condition)),
            },
            CommandKind::Fields(_) | CommandKind::Display(_) | CommandKind::Parse(_) => {}
            _ => break,
        }
    }
    checks
}

fn check(text: &str, condition: &Expression) -> Option<Check> {
    let kind = match &condition.kind {
        ExpressionKind::Like { value, pattern } if is_field(value, "@message") => {
            let regex = match pattern {
                Matcher::Substring(text) => regex::escape(text),
                Matcher::Regex(regex) => regex.text.clone(),
            };
            message_check(&regex)?
        }
        ExpressionKind::Compare(Comparison::Equal, left, right) => {
            let (ExpressionKind::Field { path, .. }, ExpressionKind::Text(wanted)) =
                (&left.kind, &right.kind)
            else {
                return None;
            };
            field_check(path, Some(wanted.clone()))?
        }
        ExpressionKind::Call { name, arguments } if name.text.eq_ignore_ascii_case("ispresent") => {
            let ExpressionKind::Field { path, .. } = &arguments.first()?.kind else {
                return None;
            };
            field_check(path, None)?
        }
        _ => return None,
    };
    let text = text.get(condition.span.start..condition.span.end)?;
    Some(Check {
        text: text.to_owned(),
        kind,
    })
}

fn is_field(expression: &Expression, name: &str) -> bool {
    matches!(&expression.kind, ExpressionKind::Field { path, .. } if path == name)
}

fn message_check(regex: &str) -> Option<Kind> {
    let spaced = regex.replace("\": ", "\":").replace("\":", r#""\s*:\s*"#);
    let escaped = |regex: &str| regex.replace(r#"\\""#, "\"").replace('"', r#"\\""#);
    let candidates = [
        (spaced.clone(), Reason::Spaces),
        (escaped(regex), Reason::EscapedQuotes),
        (escaped(&spaced), Reason::EscapedQuotesAndSpaces),
        (format!("(?i){regex}"), Reason::Case),
    ];
    let compiled = |text: &str| pattern::regex(text, Span::default()).ok();
    let variants = candidates
        .into_iter()
        .filter(|(candidate, _)| candidate != regex)
        .filter_map(|(candidate, reason)| Some((compiled(&candidate)?, reason)));
    Some(Kind::Message {
        exact: compiled(regex)?,
        variants: variants.collect(),
    })
}

fn field_check(path: &str, wanted: Option<String>) -> Option<Kind> {
    if path.starts_with('@') {
        return None;
    }
    let key = path.rsplit('.').next().unwrap_or(path);
    let other_case = format!("(?i)\"{}\"\\s*:", regex::escape(key));
    let other_case = pattern::regex(&other_case, Span::default()).ok();
    Some(Kind::Field {
        path: path.to_owned(),
        wanted,
        other_case,
    })
}

/// What was seen while nothing matched.
#[derive(Clone, Debug, Default)]
pub(crate) struct NearMisses {
    /// Per check: events that met it, and for each reason those that would have.
    seen: Vec<(u64, [u64; REASONS])>,
}

impl NearMisses {
    /// Looks at an event that the filters left out.
    pub(crate) fn look(&mut self, checks: &[Check], message: &str, scanned: u64, lambda: bool) {
        if scanned > LOOKED_AT && !scanned.is_multiple_of(ONE_OF) {
            return;
        }
        self.seen.resize(checks.len(), (0, [0; REASONS]));
        for (check, (met, reasons)) in checks.iter().zip(&mut self.seen) {
            match check.look(message, lambda) {
                Some(None) => *met += 1,
                Some(Some(reason)) => reasons[reason as usize] += 1,
                None => {}
            }
        }
    }

    pub(crate) fn merge(&mut self, other: NearMisses) {
        if self.seen.is_empty() {
            *self = other;
            return;
        }
        for ((met, reasons), (more, others)) in self.seen.iter_mut().zip(other.seen) {
            *met += more;
            reasons
                .iter_mut()
                .zip(others)
                .for_each(|(reason, more)| *reason += more);
        }
    }

    /// A warning for each condition that no event met and a variant would have.
    pub(crate) fn warnings(&self, checks: &[Check]) -> Vec<Warning> {
        const ALL: [Reason; REASONS] = [
            Reason::Spaces,
            Reason::EscapedQuotes,
            Reason::EscapedQuotesAndSpaces,
            Reason::Case,
            Reason::Blanks,
            Reason::OtherField,
            Reason::BehindText,
        ];
        let mut warnings = Vec::new();
        for (check, (met, reasons)) in checks.iter().zip(&self.seen) {
            let most = ALL
                .into_iter()
                .max_by_key(|reason| reasons[*reason as usize]);
            if let Some(reason) = most.filter(|reason| *met == 0 && reasons[*reason as usize] > 0) {
                let message = format!("no event matches `{}`, but some nearly do", check.text);
                warnings.push(Warning::new(message, reason.advice()));
            }
        }
        warnings
    }
}

impl Check {
    /// `None`: not even nearly; `Some(None)`: met; otherwise what is different.
    fn look(&self, message: &str, lambda: bool) -> Option<Option<Reason>> {
        match &self.kind {
            Kind::Message { exact, variants } => {
                if exact.is_match(message) {
                    return Some(None);
                }
                let found = variants.iter().find(|(regex, _)| regex.is_match(message));
                found.map(|(_, reason)| Some(*reason))
            }
            Kind::Field {
                path,
                wanted,
                other_case,
            } => {
                let mut paths = Paths::default();
                paths.add(path, 0);
                let mut row = [Value::Absent];
                paths.read(message, true, &mut row);
                let Some(value) = row[0].show() else {
                    let other = other_case
                        .as_ref()
                        .is_some_and(|regex| regex.is_match(message));
                    return other.then_some(Some(Reason::OtherField));
                };
                let behind_text = !lambda && !message.trim_start().starts_with('{');
                if behind_text {
                    return Some(Some(Reason::BehindText));
                }
                let Some(wanted) = wanted else {
                    return Some(None);
                };
                if row[0].compare(&Value::borrowed(wanted)) == Some(Ordering::Equal) {
                    Some(None)
                } else if value.trim() == wanted.trim() {
                    Some(Some(Reason::Blanks))
                } else if value.to_lowercase() == wanted.to_lowercase() {
                    Some(Some(Reason::Case))
                } else {
                    None
                }
            }
        }
    }
}
