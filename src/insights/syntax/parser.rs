//! The parser's core: looking ahead, expecting, pipelines.

use super::lexer::{Lexer, Token, without_comments};
use super::tree::{Command, Name, Script};
use crate::insights::choices::LONGEST_QUERY;
use crate::insights::diagnosis::{Fault, Span};
use crate::insights::record::Groups;

/// How deep expressions and queries may nest.
const DEEPEST: usize = 64;

/// Parses a query.
pub(crate) fn parse(text: &str) -> Result<Script, Fault> {
    let length = text.chars().count();
    if length > LONGEST_QUERY {
        let message = format!("the query has {length} characters; {LONGEST_QUERY} are allowed");
        return Err(Fault::new(Span::new(0, 0), message));
    }
    let blanked = without_comments(text);
    let mut parser = Parser::new(&blanked)?;
    let script = parser.script()?;
    match parser.token {
        Token::End => Ok(script),
        _ => Err(parser.unexpected("`|` or the end of the query")),
    }
}

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) lexer: Lexer<'t>,
    pub(super) token: Token,
    pub(super) span: Span,
    /// Where the token before this one ended.
    pub(super) before: usize,
    depth: usize,
    pub(super) in_subquery: bool,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Self, Fault> {
        let mut lexer = Lexer::new(text);
        let (token, span) = lexer.next()?;
        Ok(Self {
            text,
            lexer,
            token,
            span,
            before: 0,
            depth: 0,
            in_subquery: false,
        })
    }

    pub(super) fn advance(&mut self) -> Result<(Token, Span), Fault> {
        let (next, next_span) = self.lexer.next()?;
        self.before = self.span.end;
        let span = std::mem::replace(&mut self.span, next_span);
        Ok((std::mem::replace(&mut self.token, next), span))
    }

    /// "expected …, found …" at the current token.
    pub(super) fn unexpected(&self, expected: &str) -> Fault {
        let found = self.token.describe();
        Fault::new(self.span, format!("expected {expected}, found {found}"))
    }

    /// The word at the current token, if it is one without backticks and dots.
    pub(super) fn word(&self) -> Option<&str> {
        match &self.token {
            Token::Name {
                path,
                quoted: false,
            } => Some(path),
            _ => None,
        }
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        self.word()
            .is_some_and(|given| given.eq_ignore_ascii_case(word))
    }

    pub(super) fn take_word(&mut self, word: &str) -> Result<bool, Fault> {
        let there = self.at_word(word);
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    pub(super) fn at_symbol(&self, symbol: &str) -> bool {
        matches!(&self.token, Token::Symbol(given) if *given == symbol)
    }

    pub(super) fn take_symbol(&mut self, symbol: &str) -> Result<bool, Fault> {
        let there = self.at_symbol(symbol);
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    pub(super) fn expect_symbol(&mut self, symbol: &str, behind: &str) -> Result<Span, Fault> {
        if self.at_symbol(symbol) {
            return Ok(self.advance()?.1);
        }
        Err(self.unexpected(&format!("`{symbol}` {behind}")))
    }

    pub(super) fn expect_string(&mut self, what: &str) -> Result<(String, Span), Fault> {
        if !matches!(self.token, Token::Text(_)) {
            return Err(self.unexpected(what));
        }
        match self.advance()? {
            (Token::Text(text), span) => Ok((text, span)),
            (_, span) => Err(Fault::new(span, format!("expected {what}"))),
        }
    }

    /// A new name: behind `as`, `into`, `left=`. A hyphen in it gets an error of its own.
    pub(super) fn name(&mut self, what: &str) -> Result<Name, Fault> {
        let Token::Name { path, quoted } = self.token.clone() else {
            return Err(self.unexpected(what));
        };
        let span = self.span;
        if path.contains('.') && !quoted {
            return Err(
                Fault::new(span, format!("a new name has no dots, as `{path}` has"))
                    .hint(format!("write `{}`", path.replace('.', "_"))),
            );
        }
        self.advance()?;
        if self.at_symbol("-") && self.span.start == span.end {
            let rest = &self.text[span.start..];
            let end = rest.find(|c: char| !(c.is_alphanumeric() || "-_@".contains(c)));
            let whole = &rest[..end.unwrap_or(rest.len())];
            let span = Span::new(span.start, span.start + whole.len());
            return Err(Fault::new(
                span,
                format!("`{whole}` is not a name: a hyphen is a minus"),
            )
            .hint(format!(
                "write `{}`, or put `{whole}` in backticks",
                whole.replace('-', "_")
            )));
        }
        Ok(Name { text: path, span })
    }

    /// Runs `inner` one level deeper.
    pub(super) fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Fault::new(self.span, "this is nested too deeply"));
        }
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// `[SOURCE … |] command { | command }`, up to the end or a closing parenthesis.
    pub(super) fn script(&mut self) -> Result<Script, Fault> {
        let start = self.span;
        let mut groups = Groups::Default;
        let mut commands: Vec<Command> = Vec::new();
        // A query whose first line was commented out begins with a pipe.
        self.take_symbol("|")?;
        if self.at_word("source") {
            groups = self.source_clause()?;
            if matches!(self.token, Token::End) || self.at_symbol(")") {
                let span = Span::new(start.start, self.before);
                return Ok(Script {
                    groups,
                    commands,
                    span,
                });
            }
            self.expect_symbol("|", "behind the log groups")?;
        }
        if matches!(self.token, Token::End) && commands.is_empty() {
            return Err(
                Fault::new(self.span, "the query is empty; expected a command")
                    .hint("for example `fields @timestamp, @message | limit 20`"),
            );
        }
        loop {
            commands.push(self.command()?);
            if !self.take_symbol("|")? {
                break;
            }
        }
        let span = Span::new(start.start, self.before);
        Ok(Script {
            groups,
            commands,
            span,
        })
    }

    /// `( query )`, the opening parenthesis being the current token.
    pub(super) fn subquery(&mut self) -> Result<Script, Fault> {
        if self.in_subquery {
            return Err(Fault::new(
                self.span,
                "a subquery cannot contain another one",
            ));
        }
        self.expect_symbol("(", "before the query")?;
        self.in_subquery = true;
        let script = self.nested(Self::script)?;
        self.in_subquery = false;
        self.expect_symbol(")", "or `|` behind the query in parentheses")?;
        Ok(script)
    }
}
