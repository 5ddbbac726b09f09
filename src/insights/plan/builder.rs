//! Commands into operations and segments.

use super::join::RightSide;
use super::node::Node;
use super::scope::{Scope, without_blanks};
use super::step::{Column, Limit, Operation, OrderKey, Plan, Segment, Sink, Slot, SystemField};
use crate::insights::diagnosis::{Fault, Span};
use crate::insights::near_miss;
use crate::insights::syntax::{
    Command, CommandKind, DiffWindow, Expression, ExpressionKind, Item, Script, Totals,
};

/// Plans a query.
pub(crate) fn plan(text: &str, script: &Script) -> Result<Plan, Fault> {
    let mut builder = Builder::new(text, script);
    builder.commands(&script.commands)?;
    builder.finish(Limit::OfCall)
}

/// Plans the query of `in (…)`: all of its rows count, and `@ptr` is not one of its columns.
pub(super) fn subplan(text: &str, script: &Script) -> Result<Plan, Fault> {
    let mut builder = Builder::new(text, script);
    builder.pointer = false;
    builder.commands(&script.commands)?;
    builder.finish(Limit::All)
}

pub(super) struct Builder<'t> {
    pub(super) text: &'t str,
    script: &'t Script,
    pub(super) scope: Scope,
    pub(super) operations: Vec<Operation>,
    pub(super) segments: Vec<Segment>,
    pub(super) subqueries: Vec<Plan>,
    /// What `sort` asked for; carried out by the next command that needs an order.
    pub(super) order: Vec<OrderKey>,
    /// Columns of `fields`, and of `parse` and the like.
    pub(super) fields: Option<Vec<Column>>,
    pub(super) extracted: Vec<Column>,
    pub(super) display: Option<Vec<Column>>,
    pub(super) stats: usize,
    /// `sort` or `limit` behind the first `stats`.
    pub(super) ordered_after_stats: Option<Span>,
    pub(super) after_dedup: bool,
    pub(super) limited: bool,
    totalled: bool,
    /// Whether rows still are log events, which have a `@ptr`.
    pub(super) pointer: bool,
    pub(super) left_name: Option<String>,
    pub(super) right: Vec<RightSide<'t>>,
    pub(super) diff: Option<DiffWindow>,
    /// The scopes that aggregations closed, in order; the first is that of the records.
    closed: Vec<Scope>,
}

impl<'t> Builder<'t> {
    pub(super) fn new(text: &'t str, script: &'t Script) -> Self {
        Self {
            text,
            script,
            scope: Scope::of_records(),
            operations: Vec::new(),
            segments: Vec::new(),
            subqueries: Vec::new(),
            order: Vec::new(),
            fields: None,
            extracted: Vec::new(),
            display: None,
            stats: 0,
            ordered_after_stats: None,
            after_dedup: false,
            limited: false,
            totalled: false,
            pointer: true,
            left_name: None,
            right: Vec::new(),
            diff: None,
            closed: Vec::new(),
        }
    }

    pub(super) fn commands(&mut self, commands: &'t [Command]) -> Result<(), Fault> {
        let mut commands = commands.iter().peekable();
        while let Some(command) = commands.next() {
            if self.after_dedup && !matches!(command.kind, CommandKind::Limit { .. }) {
                return Err(
                    Fault::new(command.span, "only `limit` can stand behind `dedup`")
                        .hint("put `dedup` last"),
                );
            }
            let next = commands.peek().map(|next| &next.kind);
            if let (CommandKind::Pattern(field), Some(CommandKind::Diff(window))) =
                (&command.kind, next)
            {
                commands.next();
                let text = self.node(field)?;
                self.pattern(text, Some(*window), command.span)?;
                continue;
            }
            self.command(command)?;
        }
        Ok(())
    }

    fn command(&mut self, command: &'t Command) -> Result<(), Fault> {
        let span = command.span;
        match &command.kind {
            CommandKind::Fields(items) => self.fields(items),
            CommandKind::Display(items) => self.display(items),
            CommandKind::Filter(condition) => self.filter(condition),
            CommandKind::Parse(parse) => self.parse(parse, span),
            CommandKind::Stats { aggregates, groups } => self.stats(aggregates, groups, span),
            CommandKind::Sort(keys) => self.sort(keys, span),
            CommandKind::Limit { any, count } => self.limit(*any, *count, span),
            CommandKind::Dedup(by) => self.dedup(by),
            CommandKind::Unnest { list, into } => self.unnest(list, into),
            CommandKind::Pattern(field) => {
                let text = self.node(field)?;
                self.pattern(text, None, span)
            }
            CommandKind::Diff(window) => {
                let message = self.scope.find("@message", span)?.node();
                self.pattern(message, Some(*window), span)
            }
            CommandKind::Join(join) => self.join(join, span),
            CommandKind::AddTotals(totals) => self.totals(totals),
        }
    }

    /// The slot of an expression; a new one if it is more than a field.
    pub(super) fn slot_of(&mut self, expression: &Expression) -> Result<Slot, Fault> {
        let node = self.node(expression)?;
        Ok(self.slot_of_node(node))
    }

    pub(super) fn slot_of_node(&mut self, node: Node) -> Slot {
        match node {
            Node::Slot(slot) => slot,
            node => self.compute(node),
        }
    }

    pub(super) fn compute(&mut self, node: Node) -> Slot {
        let slot = self.scope.new_slot();
        self.operations.push(Operation::Let { slot, node });
        slot
    }

    /// The column of an item of `fields` or `display`.
    fn column(&mut self, item: &Item) -> Result<Column, Fault> {
        let plain = matches!(item.expression.kind, ExpressionKind::Field { .. });
        let node = self.node(&item.expression)?;
        let Some(alias) = &item.alias else {
            let slot = self.slot_of_node(node);
            if !plain {
                self.scope.describe(&item.text, slot);
                self.scope.computed.push((without_blanks(&item.text), slot));
            }
            return Ok(Column {
                name: column_name(item),
                slot,
            });
        };
        let slot = match node {
            // A copy, so that both names stay what they are.
            Node::Slot(from) => {
                let slot = self.scope.new_slot();
                self.operations.push(Operation::Copy { slot, from });
                slot
            }
            node => self.compute(node),
        };
        self.scope.define(alias, slot)?;
        Ok(Column {
            name: alias.text.clone(),
            slot,
        })
    }

    fn columns(&mut self, items: &[Item]) -> Result<Vec<Column>, Fault> {
        items.iter().map(|item| self.column(item)).collect()
    }

    fn fields(&mut self, items: &[Item]) -> Result<(), Fault> {
        let columns = self.columns(items)?;
        let mut fields = self.fields.take().unwrap_or_default();
        for column in columns {
            if !fields.iter().any(|known| known.name == column.name) {
                fields.push(column);
            }
        }
        // What was extracted before keeps its place among the columns.
        self.fields = Some(fields);
        Ok(())
    }

    fn display(&mut self, items: &[Item]) -> Result<(), Fault> {
        self.display = Some(self.columns(items)?);
        Ok(())
    }

    pub(super) fn close_segment(&mut self, sink: Sink) {
        let operations = std::mem::take(&mut self.operations);
        // The number of slots is known at the end only.
        self.segments.push(Segment {
            slots: 0,
            operations,
            sink,
        });
    }

    /// Takes away all names.
    pub(super) fn enter(&mut self, scope: Scope) {
        let warnings = std::mem::take(&mut self.scope.warnings);
        let before = std::mem::replace(&mut self.scope, Scope { warnings, ..scope });
        self.closed.push(before);
        self.fields = None;
        self.display = None;
        self.extracted.clear();
        self.pointer = false;
        self.left_name = None;
    }

    fn totals(&mut self, totals: &Totals) -> Result<(), Fault> {
        let mut slots = Vec::new();
        for field in &totals.fields {
            slots.push(self.slot_of(field)?);
        }
        if slots.is_empty() {
            slots = self
                .shown_columns()
                .iter()
                .map(|column| column.slot)
                .collect();
        }
        if totals.row {
            let slot = self.scope.new_slot();
            self.operations.push(Operation::Total {
                slots: slots.clone(),
                slot,
            });
            self.scope.redefine(&totals.name, slot);
            let column = Column {
                name: totals.name.clone(),
                slot,
            };
            let mut columns = self.shown_columns();
            columns.push(column);
            self.display = Some(columns);
            slots.push(slot);
        }
        if totals.column {
            let keys = std::mem::take(&mut self.order);
            self.close_segment(Sink::Order {
                keys,
                limit: Limit::OfCall,
                keep: Vec::new(),
            });
            self.close_segment(Sink::Totals {
                slots,
                keep: Vec::new(),
            });
            self.totalled = true;
            // The row of sums is no log event.
            self.pointer = false;
        }
        Ok(())
    }

    /// Columns at this place.
    fn shown_columns(&mut self) -> Vec<Column> {
        if let Some(display) = &self.display {
            return display.clone();
        }
        if let Some(fields) = &self.fields {
            return fields.clone();
        }
        let mut columns = Vec::new();
        if self.scope.raw {
            for (name, field) in [
                ("@timestamp", SystemField::Timestamp),
                ("@message", SystemField::Message),
            ] {
                let slot = self.scope.system(field);
                columns.push(Column {
                    name: name.to_owned(),
                    slot,
                });
            }
        }
        columns.extend(self.extracted.iter().cloned());
        columns
    }

    pub(super) fn finish(mut self, limit: Limit) -> Result<Plan, Fault> {
        let joins = self.finish_joins()?;
        let mut columns = self.shown_columns();
        if self.pointer {
            let slot = self.scope.system(SystemField::Pointer);
            columns.retain(|column| column.name != "@ptr");
            columns.push(Column {
                name: "@ptr".to_owned(),
                slot,
            });
        }
        let settled = self.operations.is_empty() && self.order.is_empty();
        if self.segments.is_empty() || !settled {
            let keys = std::mem::take(&mut self.order);
            self.close_segment(Sink::Order {
                keys,
                limit,
                keep: Vec::new(),
            });
        }
        let warnings = std::mem::take(&mut self.scope.warnings);
        let mut plan = Plan {
            groups: self.script.groups.clone(),
            loads: super::step::Loads::default(),
            segments: Vec::new(),
            columns,
            subqueries: self.subqueries,
            joins,
            limited: self.limited,
            totalled: self.totalled,
            warnings,
            checks: near_miss::checks(self.text, &self.script.commands),
            lambda_fields: Vec::new(),
            names: Vec::new(),
            diff: self.diff,
        };
        self.closed.push(self.scope);
        super::finish::complete(&mut plan, self.segments, self.closed);
        Ok(plan)
    }
}

/// A column without alias is called by its text as typed; a field in backticks without them.
pub(super) fn column_name(item: &Item) -> String {
    match (&item.alias, &item.expression.kind) {
        (Some(alias), _) => alias.text.clone(),
        (None, ExpressionKind::Field { path, quoted: true }) => path.clone(),
        (None, _) => item.text.clone(),
    }
}
