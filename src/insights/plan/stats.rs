//! `stats`: aggregates found inside of expressions, groups, and the names that are left.

use super::builder::{Builder, column_name};
use super::expression::check_count;
use super::node::Node;
use super::scope::{Scope, without_blanks};
use super::step::{Aggregate, Column, Sink, Slot};
use crate::insights::diagnosis::{Fault, Span};
use crate::insights::function::{self, AggregateKind};
use crate::insights::syntax::{Expression, ExpressionKind, Item, Name};

/// `stats` commands in a query. (User guide, `stats`.)
const MOST_STATS: usize = 2;

impl Builder<'_> {
    pub(super) fn stats(
        &mut self,
        aggregates: &[Item],
        groups: &[Item],
        span: Span,
    ) -> Result<(), Fault> {
        if self.stats == MOST_STATS {
            return Err(Fault::new(span, "a query has at most two `stats`"));
        }
        if self.stats == 1
            && let Some(place) = self.ordered_after_stats
        {
            return Err(
                Fault::new(place, "`sort` and `limit` stand behind the second `stats`")
                    .hint("move this command to the end"),
            );
        }
        self.stats += 1;
        let mut group_nodes = Vec::new();
        for group in groups {
            group_nodes.push(self.node(&group.expression)?);
        }
        let mut calls = Vec::new();
        for (index, item) in aggregates.iter().enumerate() {
            let before = calls.len();
            self.collect_aggregates(&item.expression, &mut calls)?;
            // `max(a) as x, min(a) as y, x - y as z` calculates with the results before it.
            let reads_results = names_one_of(&item.expression, &aggregates[..index]);
            if calls.len() == before && !reads_results {
                let message = format!("`{}` has no aggregate function", item.text);
                return Err(Fault::new(item.expression.span, message).hint(
                    "`stats` takes functions such as count(*), sum(x) or avg(x); fields stand \
                     behind `by`",
                ));
            }
        }
        let aggregate_nodes = calls
            .iter()
            .map(|(_, aggregate)| aggregate.clone())
            .collect();
        self.order.clear();
        self.close_segment(Sink::Stats {
            groups: group_nodes,
            aggregates: aggregate_nodes,
        });
        self.enter(Scope::closed("stats"));
        self.name_results(aggregates, groups, &calls)
    }

    fn name_results(
        &mut self,
        aggregates: &[Item],
        groups: &[Item],
        calls: &[(String, Aggregate)],
    ) -> Result<(), Fault> {
        let mut columns: Vec<Column> = Vec::new();
        for group in groups {
            let slot = self.scope.new_slot();
            self.name_result(group, slot, &mut columns)?;
        }
        for (text, _) in calls {
            let slot = self.scope.new_slot();
            self.scope.computed.push((without_blanks(text), slot));
        }
        for item in aggregates {
            // Every aggregate in it is in a slot now.
            let slot = match self.node(&item.expression)? {
                Node::Slot(slot) => slot,
                node => self.compute(node),
            };
            self.name_result(item, slot, &mut columns)?;
        }
        self.extracted = columns;
        Ok(())
    }

    fn name_result(
        &mut self,
        item: &Item,
        slot: Slot,
        columns: &mut Vec<Column>,
    ) -> Result<(), Fault> {
        let name = column_name(item);
        if columns.iter().any(|known| known.name == name) {
            let place = item
                .alias
                .as_ref()
                .map_or(item.expression.span, |alias| alias.span);
            let message = format!("the name `{name}` is already given to another column");
            return Err(Fault::new(place, message).hint("choose another name behind `as`"));
        }
        match &item.alias {
            Some(alias) => self.scope.define(alias, slot)?,
            None => self.scope.describe(&name, slot),
        }
        self.scope.computed.push((without_blanks(&item.text), slot));
        columns.push(Column { name, slot });
        Ok(())
    }

    /// Adds each aggregate call of the expression, once.
    fn collect_aggregates(
        &mut self,
        expression: &Expression,
        calls: &mut Vec<(String, Aggregate)>,
    ) -> Result<(), Fault> {
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Call { name, arguments } => {
                let Some(kind) = function::aggregate(&name.text) else {
                    for argument in arguments {
                        self.collect_aggregates(argument, calls)?;
                    }
                    return self.check_function(name);
                };
                let aggregate = self.aggregate(kind, name, arguments, span)?;
                let text = &self.text[span.start..span.end];
                calls.push((text.to_owned(), aggregate));
            }
            ExpressionKind::Negate(inner) | ExpressionKind::Not(inner) => {
                self.collect_aggregates(inner, calls)?;
            }
            ExpressionKind::Arithmetic(_, left, right)
            | ExpressionKind::Compare(_, left, right) => {
                self.collect_aggregates(left, calls)?;
                self.collect_aggregates(right, calls)?;
            }
            ExpressionKind::And(parts) | ExpressionKind::Or(parts) => {
                for part in parts {
                    self.collect_aggregates(part, calls)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// So that `stats cuont(*)` is about the function and not about a missing aggregate.
    fn check_function(&self, name: &Name) -> Result<(), Fault> {
        let mut known = function::scalar_names();
        if known.any(|known| known.eq_ignore_ascii_case(&name.text)) {
            return Ok(());
        }
        let known = function::aggregate_names().chain(function::scalar_names());
        let fault = Fault::new(name.span, format!("unknown function `{}`", name.text));
        Err(fault.nearest(&name.text, known))
    }

    fn aggregate(
        &mut self,
        kind: AggregateKind,
        name: &Name,
        arguments: &[Expression],
        span: Span,
    ) -> Result<Aggregate, Fault> {
        let (least, most) = match kind {
            AggregateKind::Count => (0, 1),
            AggregateKind::Percentile => (2, 2),
            _ => (1, 1),
        };
        check_count(&name.text, arguments.len(), least, most, span)?;
        let argument = match arguments.first().map(|argument| &argument.kind) {
            None => None,
            Some(ExpressionKind::Star) if kind == AggregateKind::Count => None,
            Some(_) => Some(self.node(&arguments[0])?),
        };
        let percent = match arguments.get(1) {
            Some(argument) => percent(argument)?,
            None => 0.0,
        };
        Ok(Aggregate {
            kind,
            argument,
            percent,
        })
    }
}

/// Whether the expression reads the alias of one of the items.
fn names_one_of(expression: &Expression, items: &[Item]) -> bool {
    match &expression.kind {
        ExpressionKind::Field { path, .. } => {
            let mut aliases = items.iter().filter_map(|item| item.alias.as_ref());
            aliases.any(|alias| alias.text == *path)
        }
        ExpressionKind::Call { arguments, .. } => arguments
            .iter()
            .any(|argument| names_one_of(argument, items)),
        ExpressionKind::Negate(inner) => names_one_of(inner, items),
        ExpressionKind::Arithmetic(_, left, right) | ExpressionKind::Compare(_, left, right) => {
            names_one_of(left, items) || names_one_of(right, items)
        }
        _ => false,
    }
}

fn percent(argument: &Expression) -> Result<f64, Fault> {
    let number = match &argument.kind {
        ExpressionKind::Number(text) => text.parse::<f64>().ok(),
        _ => None,
    };
    let inside = number.filter(|percent| (0.0..=100.0).contains(percent));
    inside.ok_or_else(|| {
        Fault::new(
            argument.span,
            "the percentile is a number from 0 to 100, as in `pct(x, 95)`",
        )
    })
}
