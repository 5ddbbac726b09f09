//! Values of a result, made safe to look at.

use std::borrow::Cow;

/// Whether a terminal or a reader could be misled by the character: control characters, line
/// separators, and marks of the bidirectional algorithm or without width.
pub(super) fn misleads(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{061c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
}

/// The text on one line, with misleading characters written as escapes: `\n`, `\u{1b}`.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, misleads)
}

/// The text with some characters written as escapes.
pub(super) fn escaped(text: &str, escape: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&escape) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match escape(character) {
            true => shown.extend(character.escape_default()),
            false => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

/// Whether the value is a plain number. Digits behind a leading zero are an id.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']).as_bytes();
    if matches!(digits, [b'0', b'0'..=b'9', ..]) {
        return false;
    }
    text.bytes()
        .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
        && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_not_sent() {
        assert_eq!(
            visible("a\tb\r\nc\u{1b}[2J\0\u{9b}\u{202e}"),
            r"a\tb\r\nc\u{1b}[2J\u{0}\u{9b}\u{202e}"
        );
        assert_eq!(visible(r"ñ🎉 back\slash"), r"ñ🎉 back\slash");
    }

    #[test]
    fn numbers_are_plain() {
        for text in ["4", "-1.5", "0", "-0.5", "1E21", "150.00"] {
            assert!(is_number(text), "{text}");
        }
        for text in ["", "-", "1-2", "inf", "NaN", "=1", " 1", "007", "-01"] {
            assert!(!is_number(text), "{text}");
        }
    }
}
