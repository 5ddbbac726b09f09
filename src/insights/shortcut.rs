//! Regular expressions that need no automaton: `literal(?<name>[^x]*)literal`.
//!
//! Most fields are parsed out of JSON text like this. Such an expression is deterministic: the
//! group ends at the first character that its class excludes, and the text behind begins with one.

use regex::Regex;

use super::pattern;

/// The parts of such an expression.
#[derive(Clone, Debug)]
pub(crate) struct Shortcut {
    before: Regex,
    /// Which ASCII characters end the group.
    stops: [bool; 128],
    /// Whether a backslash takes the next character with it: `(?:[^"\\]|\\.)*`.
    escapes: bool,
    /// `+` and not `*`.
    at_least_one: bool,
    behind: String,
}

/// What a shortcut knows about a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The place of the group.
    Found(usize, usize),
    Nothing,
    /// The first place that looked right was not: the expression itself must decide.
    Unknown,
}

impl Shortcut {
    /// The shortcut for an expression with one named group, if it has that form.
    pub(crate) fn of(expression: &str) -> Option<Self> {
        let (before, rest) = literal(expression)?;
        let rest = rest
            .strip_prefix("(?<")
            .or_else(|| rest.strip_prefix("(?P<"))?;
        let (_, rest) = rest.split_once('>')?;
        let (stops, escapes, rest) = match rest.strip_prefix("(?:[^") {
            Some(rest) => {
                let (stops, rest) = class(rest)?;
                (stops, true, rest.strip_prefix(r"|\\.)")?)
            }
            None => {
                let (stops, rest) = class(rest.strip_prefix("[^")?)?;
                (stops, false, rest)
            }
        };
        let at_least_one = rest.starts_with('+');
        let rest = rest.strip_prefix(['*', '+'])?.strip_prefix(')')?;
        let (behind, rest) = literal(rest)?;
        let first = behind.chars().next()?;
        let stopped = |character: char| stops.get(character as usize) == Some(&true);
        // With escapes, a backslash must not also be an ordinary character or the end.
        let deterministic = stopped(first) && (!escapes || (stopped('\\') && first != '\\'));
        if !rest.is_empty() || before.is_empty() || !deterministic {
            return None;
        }
        let before = pattern::literal(&before).ok()?;
        Some(Self {
            before,
            stops,
            escapes,
            at_least_one,
            behind,
        })
    }

    pub(crate) fn find(&self, text: &str) -> Outcome {
        let Some(before) = self.before.find(text) else {
            return Outcome::Nothing;
        };
        let start = before.end();
        let Some(end) = self.run(text, start) else {
            return Outcome::Unknown;
        };
        let long_enough = end > start || !self.at_least_one;
        if long_enough && text[end..].starts_with(&self.behind) {
            return Outcome::Found(start, end);
        }
        Outcome::Unknown
    }

    /// Where the group that begins at `start` ends.
    fn run(&self, text: &str, start: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut at = start;
        loop {
            let byte = *bytes.get(at)?;
            if !self.stops.get(usize::from(byte)).copied().unwrap_or(false) {
                at += 1;
            } else if self.escapes && byte == b'\\' {
                let escaped = text[at + 1..].chars().next()?;
                // `.` is no line break.
                if escaped == '\n' {
                    return Some(at);
                }
                at += 1 + escaped.len_utf8();
            } else {
                return Some(at);
            }
        }
    }
}

/// The literal text at the beginning, and the rest. `None` if a repetition belongs to its end.
fn literal(expression: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut characters = expression.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some((_, escaped)) if is_quoted(escaped) => text.push(escaped),
                _ => return None,
            },
            '(' => return Some((text, &expression[at..])),
            '.' | '^' | '$' | '*' | '+' | '?' | '{' | '}' | '[' | ']' | '|' | ')' => return None,
            other => text.push(other),
        }
    }
    Some((text, ""))
}

/// Whether a backslash makes the character itself of it; `\<` and `\>` are borders of words.
fn is_quoted(character: char) -> bool {
    character.is_ascii_punctuation() && !matches!(character, '<' | '>')
}

/// The characters of a class behind `[^`, and the rest behind `]`. Only single ASCII characters.
fn class(expression: &str) -> Option<([bool; 128], &str)> {
    let mut stops = [false; 128];
    let mut characters = expression.char_indices();
    let mut empty = true;
    while let Some((at, character)) = characters.next() {
        let member = match character {
            ']' if !empty => return Some((stops, &expression[at + 1..])),
            '\\' => characters
                .next()
                .map(|(_, escaped)| escaped)
                .filter(|c| is_quoted(*c))?,
            '-' | '[' | ']' | '^' | '&' | '~' => return None,
            other => other,
        };
        *stops.get_mut(member as usize)? = true;
        empty = false;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ESCAPED: &str = r#""orderId":"(?<orderId>(?:[^"\\]|\\.)*)""#;
    const PLAIN: &str = r#""messageId":"(?<messageId>[^"]+)""#;

    fn group(expression: &str, text: &str) -> Option<(usize, usize)> {
        let regex = Regex::new(expression).expect("an expression");
        let captures = regex.captures(text)?;
        captures
            .iter()
            .flatten()
            .nth(1)
            .map(|group| (group.start(), group.end()))
    }

    #[test]
    fn the_common_forms_are_recognised_and_others_are_not() {
        for expression in [ESCAPED, PLAIN, r"user=(?<u>[^ ,]*),", r"\[(?P<x>[^\]]+)\]"] {
            assert!(Shortcut::of(expression).is_some(), "{expression}");
        }
        for expression in [
            r"(?<a>[^x]*)x",
            r"a+(?<a>[^x]*)x",
            r"a(?<a>[^x]*)",
            r"a(?<a>[^x]*)y",
            r"a(?<a>[^x]*?)x",
            r"a(?<a>[^x]*)x+",
            r"a(?<a>[^a-z]*)a",
            r"a(?<a>[^\d]*)1",
            r"a(?<a>[x]*)x",
            r"a|b(?<a>[^x]*)x",
            r"(?i)a(?<a>[^x]*)x",
            r#"a(?<a>(?:[^"]|\\.)*)""#,
            r"a\b(?<a>[^x]*)x",
            r"a(?<a>[^x]*)x$",
        ] {
            assert!(Shortcut::of(expression).is_none(), "{expression}");
        }
    }

    proptest! {
        #[test]
        fn a_shortcut_never_contradicts_its_expression(
            text in r#"(\PC|["\\\n]|"orderId":"|"messageId":"|a|x|\[|\]){0,40}"#,
        ) {
            for expression in [ESCAPED, PLAIN, r"a(?<g>[^x]*)xa", r"\[(?<g>[^\]]+)\]", r"aa(?<g>[^a]*)a"] {
                let shortcut = Shortcut::of(expression).expect("a shortcut");
                match shortcut.find(&text) {
                    Outcome::Found(start, end) => {
                        prop_assert_eq!(group(expression, &text), Some((start, end)));
                    }
                    Outcome::Nothing => prop_assert_eq!(group(expression, &text), None),
                    Outcome::Unknown => {}
                }
            }
        }
    }
}
