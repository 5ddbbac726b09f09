//! Evaluates expressions over a row.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::environment::Environment;
use crate::insights::choices::ABSENT_DIFFERS;
use crate::insights::discover;
use crate::insights::plan::Node;
use crate::insights::syntax::{Arithmetic, Comparison};
use crate::insights::value::Value;

/// The value of an expression. Texts are borrowed from the row where they can be.
pub(super) fn evaluate<'r>(
    node: &'r Node,
    row: &'r [Value<'r>],
    environment: &'r Environment,
) -> Value<'r> {
    match node {
        Node::Constant(value) => value.reborrow(),
        Node::Slot(slot) => row[*slot].reborrow(),
        Node::Path { slot, path } => match &row[*slot] {
            Value::Json(json) => discover::pick(json, path),
            _ => Value::Absent,
        },
        Node::Negate(inner) => {
            let number = evaluate(inner, row, environment).as_f64();
            number.map_or(Value::Absent, |number| Value::number(-number))
        }
        Node::Arithmetic(operator, left, right) => {
            let left = evaluate(left, row, environment).as_f64();
            let right = evaluate(right, row, environment).as_f64();
            match (left, right) {
                (Some(left), Some(right)) => Value::number(calculate(*operator, left, right)),
                _ => Value::Absent,
            }
        }
        // Seconds, as AWS documents it.
        Node::Now => Value::Number((environment.now_millis.div_euclid(1000)) as f64),
        Node::Round { value, period, up } => {
            let millis = match evaluate(value, row, environment) {
                Value::Time(millis) => Some(millis),
                other => other.as_f64().map(|number| number as i64),
            };
            let round = |millis| {
                if *up {
                    period.ceil(millis)
                } else {
                    period.floor(millis)
                }
            };
            millis.map_or(Value::Absent, |millis| Value::Time(round(millis)))
        }
        Node::Coalesce(parts) => {
            let mut values = parts.iter().map(|part| evaluate(part, row, environment));
            values
                .find(|value| !value.is_absent())
                .unwrap_or(Value::Absent)
        }
        Node::Case {
            branches,
            otherwise,
        } => {
            let branch = branches
                .iter()
                .find(|(condition, _)| test(condition, row, environment));
            evaluate(
                branch.map_or(otherwise, |(_, value)| value),
                row,
                environment,
            )
        }
        Node::Replace { value, regex, by } => match evaluate(value, row, environment).show() {
            Some(text) => Value::text(regex.replace_all(&text, by.as_str()).into_owned()),
            None => Value::Absent,
        },
        Node::Call {
            definition,
            arguments,
        } => {
            const INLINE: usize = 4;
            if arguments.len() <= INLINE {
                let mut values = [const { Value::Absent }; INLINE];
                for (value, argument) in values.iter_mut().zip(arguments) {
                    *value = evaluate(argument, row, environment);
                }
                return (definition.run)(&mut values[..arguments.len()]);
            }
            let values = arguments
                .iter()
                .map(|argument| evaluate(argument, row, environment));
            (definition.run)(&mut values.collect::<Vec<_>>())
        }
        Node::Not(_)
        | Node::And(_)
        | Node::Or(_)
        | Node::Compare(..)
        | Node::Matches { .. }
        | Node::In { .. }
        | Node::InQuery { .. } => Value::Truth(test(node, row, environment)),
    }
}

/// Whether a condition holds.
pub(super) fn test(node: &Node, row: &[Value<'_>], environment: &Environment) -> bool {
    match node {
        Node::Not(inner) => !test(inner, row, environment),
        Node::And(parts) => parts.iter().all(|part| test(part, row, environment)),
        Node::Or(parts) => parts.iter().any(|part| test(part, row, environment)),
        Node::Compare(operator, left, right) => {
            let left = evaluate(left, row, environment);
            let right = evaluate(right, row, environment);
            compare(*operator, &left, &right)
        }
        Node::Matches { value, regex } => match &**value {
            Node::Slot(slot) => match &row[*slot] {
                Value::Text(text) => regex.is_match(text),
                other => other.show().is_some_and(|text| regex.is_match(&text)),
            },
            other => {
                let value = evaluate(other, row, environment);
                value.show().is_some_and(|text| regex.is_match(&text))
            }
        },
        Node::In { value, list } => {
            let value = evaluate(value, row, environment);
            list.iter()
                .any(|one| value.compare(&evaluate(one, row, environment)) == Some(Ordering::Equal))
        }
        Node::InQuery { value, subquery } => {
            let value = evaluate(value, row, environment);
            let contains = |text: Cow<'_, str>| environment.sets[*subquery].contains(&*text);
            value.show().is_some_and(contains)
        }
        other => evaluate(other, row, environment).is_true(),
    }
}

fn compare(operator: Comparison, left: &Value<'_>, right: &Value<'_>) -> bool {
    // The most frequent comparison needs no order.
    if let (Value::Text(left), Value::Text(right)) = (left, right)
        && left == right
    {
        return matches!(
            operator,
            Comparison::Equal | Comparison::LessOrEqual | Comparison::GreaterOrEqual
        );
    }
    let Some(order) = left.compare(right) else {
        let both = left.is_absent() && right.is_absent();
        return ABSENT_DIFFERS && operator == Comparison::NotEqual && !both;
    };
    match operator {
        Comparison::Equal => order == Ordering::Equal,
        Comparison::NotEqual => order != Ordering::Equal,
        Comparison::Less => order == Ordering::Less,
        Comparison::LessOrEqual => order != Ordering::Greater,
        Comparison::Greater => order == Ordering::Greater,
        Comparison::GreaterOrEqual => order != Ordering::Less,
    }
}

fn calculate(operator: Arithmetic, left: f64, right: f64) -> f64 {
    match operator {
        Arithmetic::Add => left + right,
        Arithmetic::Subtract => left - right,
        Arithmetic::Multiply => left * right,
        Arithmetic::Divide => left / right,
        Arithmetic::Remainder => left % right,
        Arithmetic::Power => left.powf(right),
    }
}
