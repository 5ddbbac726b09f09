//! Resolved expressions as text of the language again.

use super::node::Node;
use super::step::{Aggregate, Slot};
use crate::insights::syntax::{Arithmetic, Comparison};
use crate::insights::value::Value;

/// What the slots of a scope are called.
pub(super) struct Names(pub(super) Vec<(Slot, String)>);

impl Names {
    /// A name that can be written in a query.
    pub(super) fn of(&self, slot: Slot) -> String {
        let found = self.0.iter().rev().find(|(known, _)| *known == slot);
        found.map_or_else(|| format!("`slot {slot}`"), |(_, name)| name.clone())
    }

    /// Calls a slot by a name or, if it has none, by what is in it.
    pub(super) fn call(&mut self, slot: Slot, text: String) -> bool {
        let named = self.0.iter().any(|(known, _)| *known == slot);
        if !named {
            self.0.push((slot, text));
        }
        named
    }

    /// Puts names that are no plain paths into backticks.
    pub(super) fn quoted(names: &[(Slot, String)]) -> Self {
        let quote = |(slot, name): &(Slot, String)| (*slot, quoted(name));
        Self(names.iter().map(quote).collect())
    }

    pub(super) fn text(&self, node: &Node) -> String {
        let list = |nodes: &[Node], between: &str| {
            nodes
                .iter()
                .map(|node| self.text(node))
                .collect::<Vec<_>>()
                .join(between)
        };
        match node {
            Node::Constant(value) => constant(value),
            Node::Slot(slot) => self.of(*slot),
            Node::Path { slot, path } => {
                let path: Vec<String> = path.split('.').map(segment).collect();
                format!("{}.{}", self.of(*slot), path.join("."))
            }
            Node::Negate(inner) => format!("-({})", self.text(inner)),
            Node::Not(inner) => format!("not ({})", self.text(inner)),
            Node::And(parts) => format!("({})", list(parts, " and ")),
            Node::Or(parts) => format!("({})", list(parts, " or ")),
            Node::Arithmetic(operator, left, right) => {
                format!(
                    "({} {} {})",
                    self.text(left),
                    arithmetic(*operator),
                    self.text(right)
                )
            }
            Node::Compare(operator, left, right) => {
                format!(
                    "({} {} {})",
                    self.text(left),
                    comparison(*operator),
                    self.text(right)
                )
            }
            Node::Matches { value, regex } => {
                let regex = regex.as_str().replace('/', "\\/");
                format!("({} like /{regex}/)", self.text(value))
            }
            Node::In { value, list: set } => {
                format!("({} in [{}])", self.text(value), list(set, ", "))
            }
            Node::InQuery { value, subquery } => {
                format!("({} in (subquery {}))", self.text(value), subquery + 1)
            }
            Node::Call {
                definition,
                arguments,
            } => {
                format!("{}({})", definition.name, list(arguments, ", "))
            }
            Node::Now => "now()".to_owned(),
            Node::Round { value, period, up } => {
                let name = if *up { "dateceil" } else { "datefloor" };
                format!("{name}({}, {period})", self.text(value))
            }
            Node::Coalesce(parts) => format!("coalesce({})", list(parts, ", ")),
            Node::Case {
                branches,
                otherwise,
            } => {
                let mut parts = Vec::new();
                for (condition, value) in branches {
                    parts.push(self.text(condition));
                    parts.push(self.text(value));
                }
                if !matches!(**otherwise, Node::Constant(Value::Absent)) {
                    parts.push(self.text(otherwise));
                }
                format!("case({})", parts.join(", "))
            }
            Node::Replace { value, regex, by } => {
                let by = by.replace("$$", "$").replace("${", "\\").replace('}', "");
                let (regex, by) = (string(regex.as_str()), string(&by));
                format!("regex_replace({}, {regex}, {by})", self.text(value))
            }
        }
    }

    pub(super) fn aggregate(&self, aggregate: &Aggregate) -> String {
        let name = aggregate.kind.name();
        match &aggregate.argument {
            None => format!("{name}(*)"),
            Some(argument) if name == "pct" => {
                format!("{name}({}, {})", self.text(argument), aggregate.percent)
            }
            Some(argument) => format!("{name}({})", self.text(argument)),
        }
    }
}

fn constant(value: &Value<'_>) -> String {
    match value {
        Value::Number(number) => format!("{number}"),
        Value::Truth(truth) => truth.to_string(),
        other => string(&other.show().unwrap_or_default()),
    }
}

fn string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn segment(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '@';
    match !name.is_empty() && name.chars().all(plain) {
        true => name.to_owned(),
        false => format!("`{name}`"),
    }
}

fn quoted(name: &str) -> String {
    let begins = name.chars().next().is_some_and(|c| !c.is_numeric());
    let path: Vec<String> = name.split('.').map(segment).collect();
    match begins && !path.iter().any(|part| part.starts_with('`')) {
        true => name.to_owned(),
        false => format!("`{name}`"),
    }
}

fn arithmetic(operator: Arithmetic) -> &'static str {
    match operator {
        Arithmetic::Add => "+",
        Arithmetic::Subtract => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::Divide => "/",
        Arithmetic::Remainder => "%",
        Arithmetic::Power => "^",
    }
}

fn comparison(operator: Comparison) -> &'static str {
    match operator {
        Comparison::Equal => "=",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}
