//! Text from outside, made safe to look at.
//!
//! Order ids are made by producers and may hold anything. A terminal obeys control characters, and
//! bidirectional marks let a line read differently from what it says, so no format for people
//! prints them as they are. JSON carries every id exactly.

/// Ids up to this many characters are shown whole to people.
const SHOWN_WHOLE: usize = 40;

/// Characters kept at the beginning of a longer id.
const SHOWN_HEAD: usize = 20;

/// Characters kept at its end.
const SHOWN_TAIL: usize = 8;

/// Characters of a MessageId that tell one copy from another at a glance: the first group of a
/// UUID.
const SHORT_MESSAGE_ID: usize = 8;

/// Whether a terminal or a reader could be misled by the character: control characters (C0, DEL,
/// C1), line and paragraph separators, marks of the Unicode bidirectional algorithm, and marks
/// that take no room.
pub(super) fn misleads(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{061c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
}

/// The text on one line, with misleading characters written as Rust escapes: `\n`, `\u{1b}`.
pub(super) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if misleads(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// An order id for people: on one line, and with its middle left out if it is long.
pub(super) fn short_id(id: &str) -> String {
    let characters: Vec<char> = id.chars().collect();
    if characters.len() <= SHOWN_WHOLE {
        return visible(id);
    }
    let head: String = characters[..SHOWN_HEAD].iter().collect();
    let tail: String = characters[characters.len() - SHOWN_TAIL..].iter().collect();
    format!("{}…{} ({} bytes)", visible(&head), visible(&tail), id.len())
}

/// A MessageId for people.
pub(super) fn short_message_id(id: &str) -> String {
    visible(&id.chars().take(SHORT_MESSAGE_ID).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_not_sent() {
        assert_eq!(
            visible("a\tb\r\nc\u{1b}[2J\u{7f}\u{9b}31m"),
            r"a\tb\r\nc\u{1b}[2J\u{7f}\u{9b}31m"
        );
        assert_eq!(visible("\u{202e}99\u{2066}"), r"\u{202e}99\u{2066}");
    }

    #[test]
    fn letters_and_emoji_stay() {
        for text in ["pedido-ñ-🎉", "👩‍👧", "a|b,c\"d\"", r"back\slash", ""] {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn long_ids_lose_their_middle_and_tell_their_length() {
        let id = format!("ORDER-{}-END", "x".repeat(2038));
        assert_eq!(short_id(&id), "ORDER-xxxxxxxxxxxxxx…xxxx-END (2048 bytes)");
        assert_eq!(short_id(&"🎉".repeat(40)), "🎉".repeat(40));
        assert_eq!(
            short_id(&"🎉".repeat(512)),
            format!("{}…{} (2048 bytes)", "🎉".repeat(20), "🎉".repeat(8))
        );
    }

    #[test]
    fn message_ids_are_known_by_their_first_group() {
        assert_eq!(
            short_message_id("5fea7756-0ea4-451a-a703-a558b933e274"),
            "5fea7756"
        );
        assert_eq!(short_message_id("m\u{1b}1"), r"m\u{1b}1");
    }
}
