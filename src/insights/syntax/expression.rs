//! Expressions, by precedence: `or`, `and`, `not`, comparisons, `+ -`, `* / %`, `^`, minus.

use super::lexer::Token;
use super::parser::Parser;
use super::tree::{Arithmetic, Comparison, Expression, ExpressionKind, Matcher, Name, Regex};
use crate::insights::diagnosis::{Fault, Span};
use crate::insights::time::Period;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Result<Expression, Fault> {
        self.nested(Self::disjunction)
    }

    fn disjunction(&mut self) -> Result<Expression, Fault> {
        self.chain("or", Self::conjunction, ExpressionKind::Or)
    }

    fn conjunction(&mut self) -> Result<Expression, Fault> {
        self.chain("and", Self::negation, ExpressionKind::And)
    }

    fn chain(
        &mut self,
        word: &str,
        part: fn(&mut Self) -> Result<Expression, Fault>,
        kind: fn(Vec<Expression>) -> ExpressionKind,
    ) -> Result<Expression, Fault> {
        let first = part(self)?;
        if !self.at_word(word) {
            return Ok(first);
        }
        let mut span = first.span;
        let mut parts = vec![first];
        while self.take_word(word)? {
            let next = part(self)?;
            span = span.to(next.span);
            parts.push(next);
        }
        Ok(Expression {
            span,
            kind: kind(parts),
        })
    }

    fn negation(&mut self) -> Result<Expression, Fault> {
        if !self.at_word("not") {
            return self.comparison();
        }
        let (_, start) = self.advance()?;
        let inner = self.nested(Self::negation)?;
        let span = start.to(inner.span);
        Ok(Expression {
            span,
            kind: ExpressionKind::Not(Box::new(inner)),
        })
    }

    fn comparison(&mut self) -> Result<Expression, Fault> {
        let left = self.sum()?;
        let operator = match &self.token {
            Token::Symbol("=") => Comparison::Equal,
            Token::Symbol("!=") => Comparison::NotEqual,
            Token::Symbol("<") => Comparison::Less,
            Token::Symbol("<=") => Comparison::LessOrEqual,
            Token::Symbol(">") => Comparison::Greater,
            Token::Symbol(">=") => Comparison::GreaterOrEqual,
            _ => return self.matching(left),
        };
        self.advance()?;
        if operator == Comparison::Equal && self.at_symbol("=") {
            return Err(Fault::new(self.span, "`==` is not an operator").hint("write `=`"));
        }
        if operator == Comparison::Less && self.at_symbol(">") {
            return Err(Fault::new(self.span, "`<>` is not an operator").hint("write `!=`"));
        }
        if self.at_symbol("/") {
            return Err(
                Fault::new(self.span, "a comparison takes no regular expression")
                    .hint("write `like /…/` or `=~ /…/`"),
            );
        }
        let right = self.sum()?;
        let span = left.span.to(right.span);
        let kind = ExpressionKind::Compare(operator, Box::new(left), Box::new(right));
        Ok(Expression { span, kind })
    }

    /// `[not] like`, `=~`, `[not] in`.
    fn matching(&mut self, left: Expression) -> Result<Expression, Fault> {
        let negated = self.at_word("not");
        if negated {
            self.advance()?;
            if !self.at_word("like") && !self.at_word("in") {
                return Err(self.unexpected("`like` or `in` behind `not`"));
            }
        }
        let matched = if self.take_word("like")? || self.at_symbol("=~") {
            if self.at_symbol("=~") {
                self.regex_expected("a regular expression such as `/text/` behind `=~`")?;
            }
            let pattern = self.matcher()?;
            let kind = ExpressionKind::Like {
                value: Box::new(left),
                pattern,
            };
            Expression {
                span: Span::default(),
                kind,
            }
        } else if self.take_word("in")? {
            self.membership(left)?
        } else {
            return Ok(left);
        };
        let (start, kind) = match &matched.kind {
            ExpressionKind::Like { value, .. }
            | ExpressionKind::In { value, .. }
            | ExpressionKind::InQuery { value, .. } => (value.span.start, matched.kind),
            _ => return Ok(matched),
        };
        let span = Span::new(start, self.before);
        let matched = Expression { span, kind };
        Ok(if negated {
            Expression {
                span,
                kind: ExpressionKind::Not(Box::new(matched)),
            }
        } else {
            matched
        })
    }

    /// Behind `=~`: checks that a slash follows, and steps onto it.
    fn regex_expected(&mut self, what: &str) -> Result<(), Fault> {
        self.advance()?;
        if self.at_symbol("/") {
            return Ok(());
        }
        Err(self.unexpected(what))
    }

    fn matcher(&mut self) -> Result<Matcher, Fault> {
        if self.at_symbol("/") {
            return Ok(Matcher::Regex(self.regex()?));
        }
        if matches!(self.token, Token::Name { .. }) {
            let given = self.token.describe();
            return Err(self
                .unexpected("a string or a regular expression behind `like`")
                .hint(format!("write {given} in quotes")));
        }
        let (text, _) = self.expect_string("a string or a regular expression behind `like`")?;
        Ok(Matcher::Substring(text))
    }

    /// The current token is the first slash.
    pub(super) fn regex(&mut self) -> Result<Regex, Fault> {
        let (text, span) = self.lexer.regex(self.span.start)?;
        self.span = span;
        self.advance()?;
        if text.is_empty() {
            return Err(Fault::new(span, "this regular expression is empty"));
        }
        Ok(Regex { text, span })
    }

    fn membership(&mut self, value: Expression) -> Result<Expression, Fault> {
        let value = Box::new(value);
        if self.at_symbol("(") {
            let script = Box::new(self.subquery()?);
            let kind = ExpressionKind::InQuery { value, script };
            return Ok(Expression {
                span: Span::default(),
                kind,
            });
        }
        self.expect_symbol("[", "or `(` behind `in`")?;
        let mut list = Vec::new();
        while !self.at_symbol("]") {
            list.push(self.sum()?);
            if !self.take_symbol(",")? && !self.at_symbol("]") {
                return Err(self.unexpected("`,` or `]` in the list"));
            }
        }
        self.advance()?;
        let kind = ExpressionKind::In { value, list };
        Ok(Expression {
            span: Span::default(),
            kind,
        })
    }

    fn sum(&mut self) -> Result<Expression, Fault> {
        let operators = [("+", Arithmetic::Add), ("-", Arithmetic::Subtract)];
        self.arithmetic(&operators, Self::product)
    }

    fn product(&mut self) -> Result<Expression, Fault> {
        let operators = [
            ("*", Arithmetic::Multiply),
            ("/", Arithmetic::Divide),
            ("%", Arithmetic::Remainder),
        ];
        self.arithmetic(&operators, Self::power)
    }

    /// Left-associative. Each operator makes the tree one deeper, so the chain counts as nesting.
    fn arithmetic(
        &mut self,
        operators: &[(&str, Arithmetic)],
        part: fn(&mut Self) -> Result<Expression, Fault>,
    ) -> Result<Expression, Fault> {
        let mut left = part(self)?;
        let mut links = 0;
        while let Some((_, operator)) = operators.iter().find(|(text, _)| self.at_symbol(text)) {
            links += 1;
            if links > 256 {
                return Err(Fault::new(self.span, "this calculation is too long"));
            }
            self.advance()?;
            let right = part(self)?;
            let span = left.span.to(right.span);
            let kind = ExpressionKind::Arithmetic(*operator, Box::new(left), Box::new(right));
            left = Expression { span, kind };
        }
        Ok(left)
    }

    fn power(&mut self) -> Result<Expression, Fault> {
        let base = self.unary()?;
        if !self.take_symbol("^")? {
            return Ok(base);
        }
        let exponent = self.nested(Self::power)?;
        let span = base.span.to(exponent.span);
        let kind =
            ExpressionKind::Arithmetic(Arithmetic::Power, Box::new(base), Box::new(exponent));
        Ok(Expression { span, kind })
    }

    fn unary(&mut self) -> Result<Expression, Fault> {
        if !self.at_symbol("-") {
            return self.atom();
        }
        let (_, start) = self.advance()?;
        let inner = self.nested(Self::unary)?;
        let span = start.to(inner.span);
        if let ExpressionKind::Number(text) = inner.kind {
            let kind = ExpressionKind::Number(format!("-{text}"));
            return Ok(Expression { span, kind });
        }
        Ok(Expression {
            span,
            kind: ExpressionKind::Negate(Box::new(inner)),
        })
    }

    fn atom(&mut self) -> Result<Expression, Fault> {
        const EXPECTED: &str = "a field, a value or a function";
        match &self.token {
            Token::Symbol("(") => {
                let (_, start) = self.advance()?;
                let inner = self.expression()?;
                let end = self.expect_symbol(")", "to close the parenthesis")?;
                Ok(Expression {
                    span: start.to(end),
                    kind: inner.kind,
                })
            }
            Token::Symbol("/") => Err(self
                .unexpected(EXPECTED)
                .hint("a regular expression stands behind `like`, `=~` or `parse`")),
            Token::Symbol(_) | Token::End => Err(self.unexpected(EXPECTED)),
            Token::Name {
                quoted: false,
                path,
            } if self.is_reserved(path) => Err(self.unexpected(EXPECTED)),
            _ => self.leaf(),
        }
    }

    /// Words that cannot be fields without backticks because they join expressions.
    fn is_reserved(&self, word: &str) -> bool {
        ["and", "or", "not", "like", "in", "as", "by"]
            .iter()
            .any(|reserved| word.eq_ignore_ascii_case(reserved))
    }

    fn leaf(&mut self) -> Result<Expression, Fault> {
        let (token, span) = self.advance()?;
        let kind = match token {
            Token::Number(text) => ExpressionKind::Number(text),
            Token::Text(text) => ExpressionKind::Text(text),
            Token::Period { count, unit } => {
                ExpressionKind::Period(Period::parse(&count, &unit, span)?)
            }
            Token::Name {
                path,
                quoted: false,
            } if self.at_symbol("(") => {
                return self.call(Name { text: path, span });
            }
            Token::Name { path, quoted } => ExpressionKind::Field { path, quoted },
            Token::Symbol(_) | Token::End => ExpressionKind::Star,
        };
        Ok(Expression { span, kind })
    }

    fn call(&mut self, name: Name) -> Result<Expression, Fault> {
        self.expect_symbol("(", "behind the function")?;
        let mut arguments = Vec::new();
        if self.at_symbol("*") {
            let (_, span) = self.advance()?;
            arguments.push(Expression {
                span,
                kind: ExpressionKind::Star,
            });
        }
        while !self.at_symbol(")") {
            if !arguments.is_empty() && !self.take_symbol(",")? {
                let what = format!("`,` or `)` in the arguments of `{}`", name.text);
                return Err(self.unexpected(&what));
            }
            arguments.push(self.expression()?);
        }
        let (_, end) = self.advance()?;
        let span = name.span.to(end);
        Ok(Expression {
            span,
            kind: ExpressionKind::Call { name, arguments },
        })
    }
}
