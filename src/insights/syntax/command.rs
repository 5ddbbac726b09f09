//! Commands.

use super::lexer::Token;
use super::parser::Parser;
use super::tree::{
    Command, CommandKind, DiffWindow, Expression, Item, Name, Parse, ParseMode, SortKey, Totals,
};
use crate::insights::choices::LARGEST_LIMIT;
use crate::insights::diagnosis::{Fault, Span};
use crate::insights::function;

const COMMANDS: [&str; 18] = [
    "fields",
    "display",
    "filter",
    "parse",
    "stats",
    "sort",
    "order",
    "limit",
    "head",
    "dedup",
    "unnest",
    "expand",
    "pattern",
    "diff",
    "join",
    "addtotals",
    "source",
    "filterIndex",
];

/// Commands that exist and cannot be run here, with the reason.
const REFUSED: [(&str, &str); 8] = [
    (
        "filterIndex",
        "field indexes exist in CloudWatch only; write `filter` with the same condition",
    ),
    (
        "anomaly",
        "anomaly detection uses models that are trained inside of CloudWatch",
    ),
    (
        "unmask",
        "unmasking needs a data protection policy and `logs:Unmask` in CloudWatch",
    ),
    ("lookup", "lookup tables are stored in CloudWatch"),
    (
        "relevantfields",
        "the relevance of fields is computed by CloudWatch in an undocumented way",
    ),
    (
        "logcompare",
        "its result is undocumented; `diff` compares with an earlier window",
    ),
    (
        "tail",
        "it is deprecated; write `sort @timestamp asc | limit N`",
    ),
    (
        "search",
        "it is undocumented; write `filter @message like \"text\"`",
    ),
];

impl Parser<'_> {
    pub(super) fn command(&mut self) -> Result<Command, Fault> {
        let Some(word) = self.word().map(str::to_owned) else {
            return Err(self
                .unexpected("a command")
                .hint("a query is commands with `|` between them, such as `filter … | stats …`"));
        };
        let span = self.span;
        if let Some((name, reason)) = REFUSED
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(&word))
        {
            let message = format!("`{name}` cannot be run here: {reason}");
            return Err(Fault::new(span, message));
        }
        let known = COMMANDS
            .iter()
            .find(|name| name.eq_ignore_ascii_case(&word));
        let Some(known) = known else {
            return Err(unknown_command(&word, span));
        };
        self.advance()?;
        let kind = match *known {
            "fields" => CommandKind::Fields(self.items()?),
            "display" => CommandKind::Display(self.items()?),
            "filter" => CommandKind::Filter(self.expression()?),
            "parse" => CommandKind::Parse(self.parse_command()?),
            "stats" => self.stats()?,
            "sort" | "order" => self.sort()?,
            "limit" | "head" => self.limit()?,
            "dedup" => CommandKind::Dedup(self.field_list()?),
            "unnest" => self.unnest()?,
            "expand" => self.expand()?,
            "pattern" => CommandKind::Pattern(self.expression()?),
            "diff" => self.diff()?,
            "join" => self.join()?,
            "addtotals" => self.totals()?,
            _ => {
                return Err(Fault::new(
                    span,
                    "`SOURCE` stands at the beginning of a query only",
                ));
            }
        };
        Ok(Command { span, kind })
    }

    fn items(&mut self) -> Result<Vec<Item>, Fault> {
        let mut items = vec![self.item()?];
        while self.take_symbol(",")? {
            items.push(self.item()?);
        }
        Ok(items)
    }

    fn item(&mut self) -> Result<Item, Fault> {
        let start = self.span.start;
        let expression = self.expression()?;
        let text = self.text[start..self.before].trim().to_owned();
        let alias = match self.take_word("as")? {
            true => Some(self.name("a name behind `as`")?),
            false => None,
        };
        Ok(Item {
            expression,
            text,
            alias,
        })
    }

    fn field_list(&mut self) -> Result<Vec<Expression>, Fault> {
        let mut fields = vec![self.expression()?];
        while self.take_symbol(",")? {
            fields.push(self.expression()?);
        }
        Ok(fields)
    }

    fn parse_command(&mut self) -> Result<Parse, Fault> {
        let field = match &self.token {
            Token::Name { .. } if !self.at_word("logfmt") && !self.at_word("csv") => {
                let (token, span) = self.advance()?;
                let Token::Name { path, quoted } = token else {
                    return Err(Fault::new(span, "expected a field"));
                };
                let kind = super::tree::ExpressionKind::Field { path, quoted };
                Some(Expression { span, kind })
            }
            _ => None,
        };
        let mode = self.parse_mode()?;
        Ok(Parse { field, mode })
    }

    fn parse_mode(&mut self) -> Result<ParseMode, Fault> {
        if self.at_symbol("/") {
            let pattern = self.regex()?;
            if self.at_word("as") {
                return Err(self
                    .unexpected("named groups in the regular expression")
                    .hint("write `(?<name>…)` inside; `as` belongs to a \"* pattern\""));
            }
            let multi = self.take_word("multi")?;
            return Ok(ParseMode::Regex { pattern, multi });
        }
        if self.at_word("csv") {
            return Err(Fault::new(
                self.span,
                "`parse … csv` cannot be run here: its syntax is undocumented",
            ));
        }
        if self.take_word("logfmt")? {
            if !self.take_word("as")? {
                return Err(self.unexpected("`as` and a name behind `logfmt`"));
            }
            let name = self.name("a name behind `as`")?;
            return Ok(ParseMode::Logfmt { name });
        }
        let (pattern, span) =
            self.expect_string("a pattern: \"text *\", /regular expression/ or `logfmt`")?;
        if !self.take_word("as")? {
            return Err(self.unexpected("`as` and a name for each `*`"));
        }
        let mut names = vec![self.name("a name behind `as`")?];
        while self.take_symbol(",")? {
            names.push(self.name("a name behind `,`")?);
        }
        Ok(ParseMode::Glob {
            pattern,
            span,
            names,
        })
    }

    fn stats(&mut self) -> Result<CommandKind, Fault> {
        let aggregates = self.items()?;
        let groups = match self.take_word("by")? {
            true => self.items()?,
            false => Vec::new(),
        };
        Ok(CommandKind::Stats { aggregates, groups })
    }

    fn sort(&mut self) -> Result<CommandKind, Fault> {
        self.take_word("by")?;
        let mut keys = Vec::new();
        loop {
            let expression = self.expression()?;
            let descending = if self.take_word("asc")? {
                Some(false)
            } else if self.take_word("desc")? {
                Some(true)
            } else {
                None
            };
            keys.push(SortKey {
                expression,
                descending,
            });
            if !self.take_symbol(",")? {
                return Ok(CommandKind::Sort(keys));
            }
        }
    }

    fn limit(&mut self) -> Result<CommandKind, Fault> {
        let any = self.take_word("any")?;
        let Token::Number(text) = self.token.clone() else {
            return Err(self.unexpected("a number of rows"));
        };
        let count = text
            .parse()
            .ok()
            .filter(|count| (1..=LARGEST_LIMIT).contains(count));
        let Some(count) = count else {
            let message = format!("`limit` takes 1 to {LARGEST_LIMIT} rows, not {text}");
            return Err(Fault::new(self.span, message));
        };
        self.advance()?;
        Ok(CommandKind::Limit { any, count })
    }

    fn unnest(&mut self) -> Result<CommandKind, Fault> {
        let list = self.expression()?;
        if !self.take_word("into")? {
            return Err(self.unexpected("`into` and a name behind the list"));
        }
        let into = self.name("a name behind `into`")?;
        Ok(CommandKind::Unnest { list, into })
    }

    /// `expand f` is `unnest f into f`.
    fn expand(&mut self) -> Result<CommandKind, Fault> {
        let span = self.span;
        let Token::Name { path, .. } = self.token.clone() else {
            return Err(self.unexpected("a field with a list"));
        };
        let list = self.expression()?;
        let into = Name { text: path, span };
        Ok(CommandKind::Unnest { list, into })
    }

    fn diff(&mut self) -> Result<CommandKind, Fault> {
        let windows = [
            ("previousDay", DiffWindow::Day),
            ("previousWeek", DiffWindow::Week),
            ("previousMonth", DiffWindow::Month),
        ];
        let Some(word) = self.word().map(str::to_owned) else {
            return Ok(CommandKind::Diff(DiffWindow::Preceding));
        };
        let found = windows
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(&word));
        let Some((_, window)) = found else {
            return Err(self
                .unexpected("`previousDay`, `previousWeek`, `previousMonth` or nothing")
                .nearest(&word, windows.iter().map(|(name, _)| *name)));
        };
        self.advance()?;
        Ok(CommandKind::Diff(*window))
    }

    pub(super) fn option_name(&mut self) -> Result<(), Fault> {
        self.advance()?;
        self.expect_symbol("=", "behind the option")?;
        Ok(())
    }

    fn totals(&mut self) -> Result<CommandKind, Fault> {
        let mut totals = Totals {
            row: true,
            column: false,
            name: "Total".to_owned(),
            fields: Vec::new(),
        };
        loop {
            if self.at_word("row") {
                self.option_name()?;
                totals.row = self.boolean()?;
            } else if self.at_word("col") {
                self.option_name()?;
                totals.column = self.boolean()?;
            } else if self.at_word("fieldname") {
                self.option_name()?;
                totals.name = match &self.token {
                    Token::Text(text) => text.clone(),
                    Token::Name { path, .. } => path.clone(),
                    _ => return Err(self.unexpected("a name for the column of totals")),
                };
                self.advance()?;
            } else if matches!(self.token, Token::Name { .. }) {
                totals.fields.push(self.expression()?);
                self.take_symbol(",")?;
            } else {
                return Ok(CommandKind::AddTotals(totals));
            }
        }
    }

    fn boolean(&mut self) -> Result<bool, Fault> {
        let value = if self.at_word("true") {
            true
        } else if self.at_word("false") {
            false
        } else {
            return Err(self.unexpected("`true` or `false`"));
        };
        self.advance()?;
        Ok(value)
    }
}

fn unknown_command(word: &str, span: Span) -> Fault {
    let fault = Fault::new(span, format!("unknown command `{word}`"));
    if function::is_aggregate(word) {
        return fault.hint(format!(
            "`{word}` belongs behind `stats`: `stats {word}(…)`"
        ));
    }
    if word.eq_ignore_ascii_case("where") || word.eq_ignore_ascii_case("select") {
        let command = if word.eq_ignore_ascii_case("where") {
            "filter"
        } else {
            "fields"
        };
        return fault.hint(format!("the command is called `{command}`"));
    }
    let known = COMMANDS
        .into_iter()
        .chain(REFUSED.iter().map(|(name, _)| *name));
    let fault = fault.nearest(word, known);
    match fault.hint {
        Some(_) => fault,
        None => fault.hint(format!("known commands: {}", COMMANDS[..16].join(", "))),
    }
}
