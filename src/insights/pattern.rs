//! Regular expressions and glob patterns.

use regex::{Regex, RegexBuilder};

use super::diagnosis::{Fault, Span};

/// Bytes that a compiled expression may take; larger ones are refused instead of being slow.
const LARGEST_REGEX: usize = 4 << 20;

/// Compiles a regular expression, refusing by name what CloudWatch's engine does not have either.
pub(crate) fn regex(text: &str, span: Span) -> Result<Regex, Fault> {
    if let Some(unknown) = not_regular(text) {
        return Err(
            Fault::new(span, format!("regular expressions have no {unknown} here")).hint(
                "CloudWatch uses an engine that never goes back; match the text around instead",
            ),
        );
    }
    let built = RegexBuilder::new(text).size_limit(LARGEST_REGEX).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => {
            Fault::new(span, "this regular expression is too large when compiled")
                .hint("use smaller repetition counts")
        }
        other => {
            let text = other.to_string();
            let reason = text.lines().last().unwrap_or_default();
            let reason = reason.strip_prefix("error: ").unwrap_or(reason).trim();
            Fault::new(span, format!("not a regular expression: {reason}"))
        }
    })
}

/// A literal text as an expression: the engine's search for one is the fastest there is.
pub(crate) fn literal(text: &str) -> Result<Regex, Fault> {
    regex(&regex::escape(text), Span::default())
}

/// A replacement as RE2 writes it (`\1`) in the engine's way (`${1}`).
pub(crate) fn replacement(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek().copied()) {
            ('\\', Some(digit @ '0'..='9')) => {
                characters.next();
                written.push_str("${");
                written.push(digit);
                written.push('}');
            }
            ('\\', Some('\\')) => {
                characters.next();
                written.push('\\');
            }
            ('$', _) => written.push_str("$$"),
            (other, _) => written.push(other),
        }
    }
    written
}

fn not_regular(text: &str) -> Option<&'static str> {
    let mut in_class = false;
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if character == '\\' {
            let escaped = rest[1..].chars().next();
            match escaped {
                Some('1'..='9') if !in_class => return Some("backreferences such as `\\1`"),
                Some('k') if !in_class => return Some("backreferences such as `\\k<name>`"),
                _ => {}
            }
            rest = &rest[1 + escaped.map_or(0, char::len_utf8)..];
            continue;
        }
        match character {
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => {
                let named = [
                    ("(?=", "lookahead `(?=…)`"),
                    ("(?!", "lookahead `(?!…)`"),
                    ("(?<=", "lookbehind `(?<=…)`"),
                    ("(?<!", "lookbehind `(?<!…)`"),
                    ("(?>", "atomic groups `(?>…)`"),
                    ("(?(", "conditions `(?(…)…)`"),
                ];
                if let Some((_, name)) = named.iter().find(|(start, _)| rest.starts_with(start)) {
                    return Some(name);
                }
            }
            '+' if !in_class && (rest.len() < text.len()) => {
                let before = &text[..text.len() - rest.len()];
                if before.ends_with(['*', '+', '}'])
                    && !before.ends_with("\\*")
                    && !before.ends_with("\\+")
                    && !before.ends_with("\\}")
                {
                    return Some("possessive quantifiers such as `*+`");
                }
            }
            _ => {}
        }
        rest = &rest[character.len_utf8()..];
    }
    None
}

/// `text * more *`: literal texts with a wildcard between each two.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    literals: Vec<String>,
}

impl Glob {
    /// `\*` is a star and no wildcard.
    pub(crate) fn new(pattern: &str) -> Self {
        let mut literals = vec![String::new()];
        let mut characters = pattern.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '*' => literals.push(String::new()),
                '\\' if characters.peek() == Some(&'*') => {
                    characters.next();
                    push_last(&mut literals, '*');
                }
                other => push_last(&mut literals, other),
            }
        }
        Self { literals }
    }

    pub(crate) fn wildcards(&self) -> usize {
        self.literals.len() - 1
    }

    /// Finds the pattern anywhere in the text and calls `found` with what each wildcard stands
    /// for: as little as possible, and the rest of the text for one at the end. `false` if the
    /// text does not match; then `found` may have been called for the first wildcards.
    pub(crate) fn find<'t>(&self, text: &'t str, mut found: impl FnMut(usize, &'t str)) -> bool {
        let Some((first, others)) = self.literals.split_first() else {
            return false;
        };
        let Some(at) = text.find(first.as_str()) else {
            return false;
        };
        let mut rest = &text[at + first.len()..];
        for (index, literal) in others.iter().enumerate() {
            let last = index + 1 == others.len();
            let end = match literal.is_empty() && last {
                true => Some(rest.len()),
                false => rest.find(literal.as_str()),
            };
            let Some(end) = end else {
                return false;
            };
            found(index, &rest[..end]);
            rest = &rest[end + literal.len()..];
        }
        true
    }
}

fn push_last(literals: &mut [String], character: char) {
    if let Some(last) = literals.last_mut() {
        last.push(character);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'t>(pattern: &str, text: &'t str) -> Option<Vec<&'t str>> {
        let mut parts = Vec::new();
        let glob = Glob::new(pattern);
        glob.find(text, |_, part| parts.push(part)).then_some(parts)
    }

    #[test]
    fn wildcards_take_as_little_as_possible_and_the_last_takes_the_rest() {
        let text = "25 [ERROR] disk full";
        assert_eq!(
            found("* [*] *", text),
            Some(vec!["25", "ERROR", "disk full"])
        );
        assert_eq!(found("[*]", text), Some(vec!["ERROR"]));
        assert_eq!(found("<*>", text), None);
        assert_eq!(found("\\**", "a*b"), Some(vec!["b"]));
    }

    #[test]
    fn what_is_not_regular_is_refused_by_name() {
        for (text, name) in [
            ("(?=a)", "lookahead `(?=…)`"),
            ("(?<!a)b", "lookbehind `(?<!…)`"),
            (r"(a)\1", r"backreferences such as `\1`"),
            ("a*+", "possessive quantifiers such as `*+`"),
        ] {
            let fault = regex(text, Span::default()).expect_err(text);
            assert_eq!(
                fault.message,
                format!("regular expressions have no {name} here")
            );
        }
        for fine in [r"(?<name>[(?=]+)", r"\\1", r"\*+", "(?i)a", "a+?"] {
            assert!(regex(fine, Span::default()).is_ok(), "{fine}");
        }
    }

    #[test]
    fn errors_of_the_engine_are_one_line() {
        let fault = regex("(a", Span::default()).expect_err("unclosed");
        assert_eq!(fault.message, "not a regular expression: unclosed group");
        let fault = regex(r"(\w{500}){500}", Span::default()).expect_err("too large");
        assert_eq!(
            fault.message,
            "this regular expression is too large when compiled"
        );
    }
}
