//! The syntax tree.

use crate::insights::diagnosis::Span;
use crate::insights::record::Groups;
use crate::insights::time::Period;

/// A whole query, or one in parentheses.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) groups: Groups,
    pub(crate) commands: Vec<Command>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Command {
    /// The first word.
    pub(crate) span: Span,
    pub(crate) kind: CommandKind,
}

#[derive(Clone, Debug)]
pub(crate) enum CommandKind {
    Fields(Vec<Item>),
    Display(Vec<Item>),
    Filter(Expression),
    Parse(Parse),
    Stats {
        aggregates: Vec<Item>,
        groups: Vec<Item>,
    },
    Sort(Vec<SortKey>),
    Limit {
        any: bool,
        count: u64,
    },
    Dedup(Vec<Expression>),
    Unnest {
        list: Expression,
        into: Name,
    },
    Pattern(Expression),
    Diff(DiffWindow),
    Join(Box<Join>),
    AddTotals(Totals),
}

/// `expression [as name]`, with the text as it was typed: that is the name of the column when
/// there is no alias.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) expression: Expression,
    pub(crate) text: String,
    pub(crate) alias: Option<Name>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Parse {
    /// `None` is `@message`.
    pub(crate) field: Option<Expression>,
    pub(crate) mode: ParseMode,
}

#[derive(Clone, Debug)]
pub(crate) enum ParseMode {
    Glob {
        pattern: String,
        span: Span,
        names: Vec<Name>,
    },
    Regex {
        pattern: Regex,
        multi: bool,
    },
    Logfmt {
        name: Name,
    },
}

/// The text between the slashes.
#[derive(Clone, Debug)]
pub(crate) struct Regex {
    pub(crate) text: String,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct SortKey {
    pub(crate) expression: Expression,
    pub(crate) descending: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiffWindow {
    Preceding,
    Day,
    Week,
    Month,
}

#[derive(Clone, Debug)]
pub(crate) struct Join {
    pub(crate) keep_unmatched: bool,
    pub(crate) left: Name,
    pub(crate) right: Name,
    pub(crate) left_key: Name,
    pub(crate) right_key: Name,
    pub(crate) script: Script,
}

#[derive(Clone, Debug)]
pub(crate) struct Totals {
    pub(crate) row: bool,
    pub(crate) column: bool,
    pub(crate) name: String,
    pub(crate) fields: Vec<Expression>,
}

#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) span: Span,
    pub(crate) kind: ExpressionKind,
}

#[derive(Clone, Debug)]
pub(crate) enum ExpressionKind {
    /// As it was written.
    Number(String),
    Text(String),
    /// Path with dots; array indexes are written `.0`. `quoted` if backticks were used.
    Field {
        path: String,
        quoted: bool,
    },
    Period(Period),
    /// `*`, in `count(*)` only.
    Star,
    Call {
        name: Name,
        arguments: Vec<Expression>,
    },
    Negate(Box<Expression>),
    Not(Box<Expression>),
    And(Vec<Expression>),
    Or(Vec<Expression>),
    Arithmetic(Arithmetic, Box<Expression>, Box<Expression>),
    Compare(Comparison, Box<Expression>, Box<Expression>),
    Like {
        value: Box<Expression>,
        pattern: Matcher,
    },
    In {
        value: Box<Expression>,
        list: Vec<Expression>,
    },
    InQuery {
        value: Box<Expression>,
        script: Box<Script>,
    },
}

#[derive(Clone, Debug)]
pub(crate) enum Matcher {
    Substring(String),
    Regex(Regex),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}
