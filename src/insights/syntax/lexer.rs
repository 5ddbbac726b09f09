//! Tokens, taken one at a time because what a `/` means depends on where it stands.

use crate::insights::diagnosis::{Fault, Span};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A keyword, a function or a field with its path: `items.0.id`, `a[0]`, `` `odd-key` ``.
    Name {
        path: String,
        quoted: bool,
    },
    /// As it was written.
    Number(String),
    /// `5m`: a number with letters right behind it.
    Period {
        count: String,
        unit: String,
    },
    Text(String),
    Symbol(&'static str),
    End,
}

impl Token {
    /// How an error calls it.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Name { path, .. } => format!("`{path}`"),
            Token::Number(text) => format!("the number `{text}`"),
            Token::Period { count, unit } => format!("`{count}{unit}`"),
            Token::Text(text) if text.chars().count() <= 20 => format!("the string \"{text}\""),
            Token::Text(_) => "a string".to_owned(),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end of the query".to_owned(),
        }
    }
}

const SYMBOLS: [&str; 21] = [
    "=~", "!=", "<=", ">=", "=", "<", ">", "+", "-", "*", "/", "%", "^", "(", ")", "[", "]", ",",
    "|", ":", ".",
];

pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

/// Blanks the comment lines, so that every place stays where it was.
pub(super) fn without_comments(text: &str) -> String {
    let mut blanked = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('#') {
            let content = line.trim_end_matches('\n');
            blanked.extend(std::iter::repeat_n(' ', content.len()));
            blanked.push_str(&line[content.len()..]);
        } else {
            blanked.push_str(line);
        }
    }
    blanked
}

fn begins_name(character: char) -> bool {
    character.is_alphabetic() || character == '_' || character == '@' || character == '`'
}

fn continues_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '@'
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_blank(&mut self) {
        let rest = self.rest();
        // A byte order mark or a zero-width space pasted from a web page is blank too.
        let blank = |character: char| {
            character.is_whitespace() || matches!(character, '\u{feff}' | '\u{200b}')
        };
        self.at += rest.len() - rest.trim_start_matches(blank).len();
    }

    pub(super) fn next(&mut self) -> Result<(Token, Span), Fault> {
        self.skip_blank();
        let start = self.at;
        let token = match self.peek() {
            None => Token::End,
            Some(first) if begins_name(first) => self.name()?,
            Some(first) if first.is_ascii_digit() => self.number()?,
            Some('.') if self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                self.number()?
            }
            Some(quote @ ('"' | '\'')) => self.string(quote)?,
            Some(other) => self.symbol(other)?,
        };
        Ok((token, Span::new(start, self.at)))
    }

    fn symbol(&mut self, first: char) -> Result<Token, Fault> {
        let rest = self.rest();
        if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            self.at += symbol.len();
            return Ok(Token::Symbol(symbol));
        }
        let span = Span::new(self.at, self.at + first.len_utf8());
        let fault = Fault::new(span, format!("unexpected character `{first}`"));
        Err(match first {
            '#' => fault.hint("a comment is a line of its own that begins with `#`"),
            '&' => fault.hint("write `and`"),
            '!' => fault.hint("write `not` or `!=`"),
            '“' | '”' | '‘' | '’' => {
                fault.hint("these are typographic quotes; write \" or '")
            }
            _ => fault,
        })
    }

    fn name(&mut self) -> Result<Token, Fault> {
        let (mut path, mut quoted) = self.name_part()?;
        loop {
            let mut ahead = self.rest().chars();
            match (ahead.next(), ahead.next()) {
                (Some('.'), Some(next)) if continues_name(next) || next == '`' => {
                    self.at += 1;
                    let (part, part_quoted) = self.name_part()?;
                    path.push('.');
                    path.push_str(&part);
                    quoted |= part_quoted;
                }
                (Some('['), Some(next)) if next.is_ascii_digit() => {
                    let rest = &self.rest()[1..];
                    let digits =
                        rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                    if !rest[digits..].starts_with(']') {
                        break;
                    }
                    path.push('.');
                    path.push_str(&rest[..digits]);
                    self.at += digits + 2;
                }
                _ => break,
            }
        }
        Ok(Token::Name { path, quoted })
    }

    fn name_part(&mut self) -> Result<(String, bool), Fault> {
        let rest = self.rest();
        if let Some(quoted) = rest.strip_prefix('`') {
            let Some(end) = quoted.find('`') else {
                let span = Span::new(self.at, self.at + 1);
                return Err(Fault::new(span, "this backtick is never closed"));
            };
            if end == 0 {
                let span = Span::new(self.at, self.at + 2);
                return Err(Fault::new(span, "there is no name between the backticks"));
            }
            self.at += end + 2;
            return Ok((quoted[..end].to_owned(), true));
        }
        let length = rest.len() - rest.trim_start_matches(continues_name).len();
        self.at += length;
        Ok((rest[..length].to_owned(), false))
    }

    fn number(&mut self) -> Result<Token, Fault> {
        let start = self.at;
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let rest = self.rest();
        let mut length = digits(rest);
        let whole = length;
        if rest[length..].starts_with('.') && digits(&rest[length + 1..]) > 0 {
            length += 1 + digits(&rest[length + 1..]);
        }
        if let Some(exponent) = rest[length..].strip_prefix(['e', 'E']) {
            let sign = usize::from(exponent.starts_with(['+', '-']));
            let count = digits(&exponent[sign..]);
            if count > 0 {
                length += 1 + sign + count;
            }
        }
        self.at += length;
        let behind = self.rest();
        let letters = behind.len() - behind.trim_start_matches(continues_name).len();
        if letters == 0 {
            return Ok(Token::Number(rest[..length].to_owned()));
        }
        self.at += letters;
        if length == whole {
            return Ok(Token::Period {
                count: rest[..whole].to_owned(),
                unit: behind[..letters].to_owned(),
            });
        }
        let span = Span::new(start, self.at);
        Err(Fault::new(
            span,
            format!("`{}` is not a number", &self.text[start..self.at]),
        ))
    }

    fn string(&mut self, quote: char) -> Result<Token, Fault> {
        let start = self.at;
        let mut text = String::new();
        let mut characters = self.rest()[1..].char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => match characters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, escaped @ ('"' | '\'' | '\\'))) => text.push(escaped),
                    Some((_, other)) => {
                        text.push('\\');
                        text.push(other);
                    }
                    None => break,
                },
                _ if character == quote => {
                    self.at = start + 1 + at + 1;
                    return Ok(Token::Text(text));
                }
                _ => text.push(character),
            }
        }
        let span = Span::new(start, start + 1);
        Err(Fault::new(span, "this string is never closed"))
    }

    /// Reads `/…/` from `at`, which is where the first slash stands. `\/` is a slash.
    pub(super) fn regex(&mut self, at: usize) -> Result<(String, Span), Fault> {
        let mut text = String::new();
        let mut characters = self.text[at + 1..].char_indices();
        while let Some((offset, character)) = characters.next() {
            match character {
                '\\' => match characters.next() {
                    Some((_, '/')) => text.push('/'),
                    Some((_, other)) => {
                        text.push('\\');
                        text.push(other);
                    }
                    None => break,
                },
                '/' => {
                    self.at = at + 1 + offset + 1;
                    return Ok((text, Span::new(at, self.at)));
                }
                _ => text.push(character),
            }
        }
        let span = Span::new(at, at + 1);
        Err(Fault::new(span, "this regular expression is never closed")
            .hint("it ends at the next `/`; write a slash inside as `\\/`"))
    }
}
