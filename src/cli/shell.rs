//! Words for a POSIX shell.

/// The text as one word: as it is if a shell takes it so, else in single quotes.
pub(super) fn quoted(text: &str) -> String {
    let plain =
        |character: char| character.is_ascii_alphanumeric() || "_-./:=,@%+".contains(character);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_that_a_shell_would_change_are_quoted() {
        for plain in ["article", "a/b-c.toml", "crash@claim:after", "2..9ms"] {
            assert_eq!(quoted(plain), plain);
        }
        assert_eq!(quoted("crash@claim:after#2"), "'crash@claim:after#2'");
        assert_eq!(quoted("my file.toml"), "'my file.toml'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("throttle@claim#*"), "'throttle@claim#*'");
        assert_eq!(quoted(""), "''");
    }
}
