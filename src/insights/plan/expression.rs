//! Expressions: names into slots, functions checked, constants folded into patterns.

use super::builder::Builder;
use super::node::Node;
use super::step::SystemField;
use crate::insights::diagnosis::{Fault, Span};
use crate::insights::function;
use crate::insights::output::Warning;
use crate::insights::pattern;
use crate::insights::syntax::{Arithmetic, Expression, ExpressionKind, Matcher, Name, Script};
use crate::insights::time::Period;
use crate::insights::value::{Numeric, Value, numeric};

/// Conditions of one `case`. (User guide: up to ten branches.)
const MOST_BRANCHES: usize = 10;

impl Builder<'_> {
    pub(super) fn node(&mut self, expression: &Expression) -> Result<Node, Fault> {
        match &expression.kind {
            ExpressionKind::Call { .. }
            | ExpressionKind::Arithmetic(..)
            | ExpressionKind::Compare(..) => {
                let text = &self.text[expression.span.start..expression.span.end];
                if let Some(slot) = self.scope.computed(text) {
                    return Ok(Node::Slot(slot));
                }
            }
            _ => {}
        }
        self.fresh_node(expression)
    }

    fn fresh_node(&mut self, expression: &Expression) -> Result<Node, Fault> {
        let span = expression.span;
        Ok(match &expression.kind {
            ExpressionKind::Number(text) => Node::Constant(constant_number(text)),
            ExpressionKind::Text(text) => Node::Constant(Value::text(text.clone())),
            ExpressionKind::Field { path, quoted } => self.field(path, *quoted, span)?,
            ExpressionKind::Period(_) => {
                return Err(Fault::new(
                    span,
                    "a period such as `5m` stands in `bin(5m)` only",
                ));
            }
            ExpressionKind::Star => {
                return Err(Fault::new(span, "`*` stands in `count(*)` only"));
            }
            ExpressionKind::Call { name, arguments } => self.call(name, arguments, span)?,
            ExpressionKind::Negate(inner) => Node::Negate(Box::new(self.node(inner)?)),
            ExpressionKind::Not(inner) => Node::Not(Box::new(self.node(inner)?)),
            ExpressionKind::And(parts) => Node::And(self.nodes(parts)?),
            ExpressionKind::Or(parts) => Node::Or(self.nodes(parts)?),
            ExpressionKind::Arithmetic(operator, left, right) => {
                self.notice_hyphen(*operator, left, right);
                let left = Box::new(self.node(left)?);
                Node::Arithmetic(*operator, left, Box::new(self.node(right)?))
            }
            ExpressionKind::Compare(operator, left, right) => {
                let left = Box::new(self.node(left)?);
                Node::Compare(*operator, left, Box::new(self.node(right)?))
            }
            ExpressionKind::Like { value, pattern } => {
                let regex = match pattern {
                    Matcher::Substring(text) => pattern::literal(text)?,
                    Matcher::Regex(regex) => pattern::regex(&regex.text, regex.span)?,
                };
                Node::Matches {
                    value: Box::new(self.node(value)?),
                    regex,
                }
            }
            ExpressionKind::In { value, list } => {
                let value = Box::new(self.node(value)?);
                Node::In {
                    value,
                    list: self.nodes(list)?,
                }
            }
            ExpressionKind::InQuery { value, script } => {
                let value = Box::new(self.node(value)?);
                Node::InQuery {
                    value,
                    subquery: self.subquery(script)?,
                }
            }
        })
    }

    fn nodes(&mut self, expressions: &[Expression]) -> Result<Vec<Node>, Fault> {
        expressions
            .iter()
            .map(|expression| self.node(expression))
            .collect()
    }

    fn field(&mut self, path: &str, quoted: bool, span: Span) -> Result<Node, Fault> {
        if !quoted && self.scope.made(path).is_none() {
            match path.to_ascii_lowercase().as_str() {
                "true" => return Ok(Node::Constant(Value::Truth(true))),
                "false" => return Ok(Node::Constant(Value::Truth(false))),
                "null" => {
                    return Err(Fault::new(span, "there is no value `null`")
                        .hint("write `ispresent(field)` or `not ispresent(field)`"));
                }
                _ => {}
            }
        }
        if let Some(node) = self.right_side_field(path, span)? {
            return Ok(node);
        }
        let path = match &self.left_name {
            Some(left) => path
                .strip_prefix(left.as_str())
                .and_then(|p| p.strip_prefix('.')),
            None => None,
        }
        .unwrap_or(path);
        Ok(self.scope.find(path, span)?.node())
    }

    /// `foo-bar` is a subtraction; it is probably meant as a name.
    fn notice_hyphen(&mut self, operator: Arithmetic, left: &Expression, right: &Expression) {
        let name =
            |side: &Expression| matches!(side.kind, ExpressionKind::Field { quoted: false, .. });
        let between = left.span.end + 1 == right.span.start;
        if operator == Arithmetic::Subtract && between && name(left) && name(right) {
            let text = &self.text[left.span.start..right.span.end];
            self.scope.warnings.push(Warning::new(
                format!("`{text}` is read as a subtraction"),
                format!("a field with a hyphen is written in backticks: `` `{text}` ``"),
            ));
        }
    }

    fn call(&mut self, name: &Name, arguments: &[Expression], span: Span) -> Result<Node, Fault> {
        if function::is_aggregate(&name.text) {
            let message = format!(
                "`{}` is an aggregate function; it stands behind `stats` only",
                name.text
            );
            return Err(Fault::new(name.span, message));
        }
        if let Some(special) = function::SPECIAL
            .iter()
            .find(|special| special.eq_ignore_ascii_case(&name.text))
        {
            return self.special(special, arguments, span);
        }
        let Some(definition) = function::scalar(&name.text) else {
            let known = function::scalar_names().chain(function::aggregate_names());
            return Err(
                Fault::new(name.span, format!("unknown function `{}`", name.text))
                    .nearest(&name.text, known),
            );
        };
        check_count(
            definition.name,
            arguments.len(),
            definition.least,
            definition.most,
            span,
        )?;
        Ok(Node::Call {
            definition,
            arguments: self.nodes(arguments)?,
        })
    }

    fn special(&mut self, name: &str, arguments: &[Expression], span: Span) -> Result<Node, Fault> {
        let (least, most) = match name {
            "now" => (0, 0),
            "bin" => (1, 1),
            "datefloor" | "dateceil" => (2, 2),
            "regex_replace" => (3, 3),
            "case" => (2, 2 * MOST_BRANCHES + 1),
            _ => (1, 64),
        };
        check_count(name, arguments.len(), least, most, span)?;
        Ok(match name {
            "now" => Node::Now,
            "bin" => {
                let period = period(&arguments[0], "bin(5m)")?;
                let timestamp = self.timestamp(span)?;
                Node::Round {
                    value: Box::new(timestamp),
                    period,
                    up: false,
                }
            }
            "datefloor" | "dateceil" => {
                let period = period(&arguments[1], &format!("{name}(@timestamp, 1h)"))?;
                let value = Box::new(self.node(&arguments[0])?);
                Node::Round {
                    value,
                    period,
                    up: name == "dateceil",
                }
            }
            "regex_replace" => self.replacement(arguments)?,
            "case" => {
                let pairs = arguments.chunks_exact(2);
                let otherwise = match pairs.remainder().first() {
                    Some(expression) => self.node(expression)?,
                    None => Node::Constant(Value::Absent),
                };
                let mut branches = Vec::new();
                for pair in pairs {
                    branches.push((self.node(&pair[0])?, self.node(&pair[1])?));
                }
                Node::Case {
                    branches,
                    otherwise: Box::new(otherwise),
                }
            }
            _ => Node::Coalesce(self.nodes(arguments)?),
        })
    }

    /// `bin` rounds `@timestamp`, which an aggregation must have carried along.
    fn timestamp(&mut self, span: Span) -> Result<Node, Fault> {
        if self.scope.raw {
            return Ok(Node::Slot(self.scope.system(SystemField::Timestamp)));
        }
        match self.scope.made("@timestamp") {
            Some(slot) => Ok(Node::Slot(slot)),
            None => Err(
                Fault::new(span, "`bin` needs `@timestamp`, which `stats` took away").hint(
                    "name it in the first `stats`, as in `by bin(1h) as t`, and use `t` here",
                ),
            ),
        }
    }

    fn replacement(&mut self, arguments: &[Expression]) -> Result<Node, Fault> {
        let ExpressionKind::Text(text) = &arguments[1].kind else {
            return Err(Fault::new(
                arguments[1].span,
                "`regex_replace` takes its regular expression as a string",
            ));
        };
        let ExpressionKind::Text(by) = &arguments[2].kind else {
            return Err(Fault::new(
                arguments[2].span,
                "`regex_replace` takes its replacement as a string",
            ));
        };
        let regex = pattern::regex(text, arguments[1].span)?;
        let by = pattern::replacement(by);
        Ok(Node::Replace {
            value: Box::new(self.node(&arguments[0])?),
            regex,
            by,
        })
    }

    fn subquery(&mut self, script: &Script) -> Result<usize, Fault> {
        let plan = super::builder::subplan(self.text, script)?;
        if plan.columns.len() != 1 {
            let names: Vec<&str> = plan.columns.iter().map(|c| c.name.as_str()).collect();
            let message = format!(
                "a subquery behind `in` gives one column; this one gives {}: {}",
                names.len(),
                names.join(", ")
            );
            return Err(Fault::new(script.span, message).hint("end it with `| fields name`"));
        }
        self.subqueries.push(plan);
        Ok(self.subqueries.len() - 1)
    }
}

/// Integers that a float cannot hold stay text, which compares exactly.
fn constant_number(text: &str) -> Value<'static> {
    const LARGEST_EXACT: u64 = 1 << 53;
    match numeric(text) {
        Some(Numeric::Integer(integer)) if integer.unsigned_abs() > LARGEST_EXACT => {
            Value::text(text.to_owned())
        }
        Some(number) => Value::Number(number.as_f64()),
        None => Value::text(text.to_owned()),
    }
}

fn period(argument: &Expression, example: &str) -> Result<Period, Fault> {
    match &argument.kind {
        ExpressionKind::Period(period) => Ok(*period),
        _ => Err(Fault::new(
            argument.span,
            format!("expected a period, as in `{example}`"),
        )),
    }
}

pub(super) fn check_count(
    name: &str,
    given: usize,
    least: usize,
    most: usize,
    span: Span,
) -> Result<(), Fault> {
    if (least..=most).contains(&given) {
        return Ok(());
    }
    let takes = match (least, most) {
        (0, 0) => "no arguments".to_owned(),
        (1, 1) => "1 argument".to_owned(),
        (least, most) if least == most => format!("{least} arguments"),
        (least, most) => format!("{least} to {most} arguments"),
    };
    Err(Fault::new(
        span,
        format!("`{name}` takes {takes}, not {given}"),
    ))
}
