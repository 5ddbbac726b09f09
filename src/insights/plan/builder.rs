//! Commands into operations and segments.

use super::node::Node;
use super::scope::{Found, Scope, without_blanks};
use super::step::{Column, Limit, Operation, OrderKey, Plan, Segment, Sink, Slot, SystemField};
use crate::insights::choices::SORT_DESCENDS_BY_DEFAULT;
use crate::insights::diagnosis::{Fault, Span};
use crate::insights::near_miss;
use crate::insights::pattern::{self, Glob};
use crate::insights::shortcut::Shortcut;
use crate::insights::syntax::{
    Command, CommandKind, DiffWindow, Expression, ExpressionKind, Item, Join, Name, Parse,
    ParseMode, Script, SortKey, Totals,
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

/// The right side of a join while the left side is being planned: the fields that are used of it
/// become its columns.
struct RightSide<'t> {
    name: String,
    builder: Builder<'t>,
    columns: Vec<Column>,
    slots: Vec<Slot>,
    keep_unmatched: bool,
    key: Slot,
    /// Place of the operation, which is completed at the end.
    segment: usize,
    operation: usize,
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
    display: Option<Vec<Column>>,
    pub(super) stats: usize,
    /// `sort` or `limit` behind the first `stats`.
    pub(super) ordered_after_stats: Option<Span>,
    after_dedup: bool,
    limited: bool,
    totalled: bool,
    /// Whether rows still are log events, which have a `@ptr`.
    pub(super) pointer: bool,
    pub(super) left_name: Option<String>,
    right: Vec<RightSide<'t>>,
    pub(super) diff: Option<DiffWindow>,
    /// The loads of the records, once an aggregation has closed their scope.
    pub(super) record_scope: Option<Scope>,
    /// Slots of each scope that was closed, in order.
    closed_slots: Vec<usize>,
}

impl<'t> Builder<'t> {
    fn new(text: &'t str, script: &'t Script) -> Self {
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
            record_scope: None,
            closed_slots: Vec::new(),
        }
    }

    fn commands(&mut self, commands: &'t [Command]) -> Result<(), Fault> {
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
        Ok(match self.node(expression)? {
            Node::Slot(slot) => slot,
            node => self.compute(node),
        })
    }

    pub(super) fn compute(&mut self, node: Node) -> Slot {
        let slot = self.scope.new_slot();
        self.operations.push(Operation::Let { slot, node });
        slot
    }

    /// The column of an item of `fields` or `display`.
    fn column(&mut self, item: &Item) -> Result<Column, Fault> {
        let plain = matches!(item.expression.kind, ExpressionKind::Field { .. });
        let from = self.slot_of(&item.expression)?;
        let Some(alias) = &item.alias else {
            if !plain {
                self.scope.describe(&item.text, from);
                self.scope.computed.push((without_blanks(&item.text), from));
            }
            return Ok(Column {
                name: column_name(item),
                slot: from,
            });
        };
        // A copy, so that both names stay what they are.
        let slot = self.scope.new_slot();
        self.operations.push(Operation::Copy { slot, from });
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

    /// Conditions joined by `and` become filters of their own; those that need nothing discovered
    /// come first.
    fn filter(&mut self, condition: &Expression) -> Result<(), Fault> {
        let mut nodes = Vec::new();
        match &condition.kind {
            ExpressionKind::And(parts) => {
                for part in parts {
                    nodes.push(self.node(part)?);
                }
            }
            _ => nodes.push(self.node(condition)?),
        }
        let costly = self.scope.costly_slots();
        nodes.sort_by_key(|node| node.reads_any(&costly));
        self.operations
            .extend(nodes.into_iter().map(Operation::Filter));
        Ok(())
    }

    fn parse(&mut self, parse: &Parse, span: Span) -> Result<(), Fault> {
        let source = match &parse.field {
            Some(field) => self.slot_of(field)?,
            None => match self.scope.find("@message", span)? {
                Found::Slot(slot) => slot,
                found @ Found::Path(..) => self.compute(found.node()),
            },
        };
        match &parse.mode {
            ParseMode::Glob {
                pattern,
                span,
                names,
            } => {
                let glob = Glob::new(pattern);
                if glob.wildcards() != names.len() {
                    let message = format!(
                        "the pattern has {} and `as` gives {}",
                        count(glob.wildcards(), "`*`", "`*`"),
                        count(names.len(), "name", "names")
                    );
                    return Err(Fault::new(*span, message));
                }
                let mut slots = Vec::new();
                for name in names {
                    slots.push(self.extract(name)?);
                }
                self.operations.push(Operation::Glob {
                    source,
                    glob,
                    slots,
                });
            }
            ParseMode::Regex { pattern, multi } => {
                let regex = pattern::regex(&pattern.text, pattern.span)?;
                let mut groups = Vec::new();
                for (group, name) in regex.capture_names().enumerate() {
                    if let Some(name) = name {
                        let name = Name {
                            text: name.to_owned(),
                            span: pattern.span,
                        };
                        groups.push((group, self.extract(&name)?));
                    }
                }
                if groups.is_empty() {
                    return Err(Fault::new(
                        pattern.span,
                        "the regular expression has no named group",
                    )
                    .hint("write `(?<name>…)` around what becomes a field"));
                }
                let shortcut = (groups.len() == 1)
                    .then(|| Shortcut::of(&pattern.text))
                    .flatten();
                self.operations.push(Operation::Regex {
                    source,
                    regex,
                    groups,
                    shortcut,
                    multi: *multi,
                });
            }
            ParseMode::Logfmt { name } => {
                let slot = self.extract(name)?;
                self.operations.push(Operation::Logfmt { source, slot });
            }
        }
        Ok(())
    }

    /// A new field that is shown unless `display` says otherwise.
    fn extract(&mut self, name: &Name) -> Result<Slot, Fault> {
        let slot = self.scope.new_slot();
        self.scope.define(name, slot)?;
        self.extracted.push(Column {
            name: name.text.clone(),
            slot,
        });
        if let Some(fields) = &mut self.fields {
            fields.push(Column {
                name: name.text.clone(),
                slot,
            });
        }
        Ok(slot)
    }

    fn unnest(&mut self, list: &Expression, into: &Name) -> Result<(), Fault> {
        let parse_text = list.span == into.span;
        let list = self.node(list)?;
        let slot = self.scope.new_slot();
        self.scope.redefine(&into.text, slot);
        let column = Column {
            name: into.text.clone(),
            slot,
        };
        for columns in [Some(&mut self.extracted), self.fields.as_mut()]
            .into_iter()
            .flatten()
        {
            columns.retain(|known| known.name != column.name);
            columns.push(column.clone());
        }
        self.operations.push(Operation::Unnest {
            list,
            slot,
            parse_text,
        });
        Ok(())
    }

    fn sort(&mut self, keys: &[SortKey], span: Span) -> Result<(), Fault> {
        if self.stats == 1 {
            self.ordered_after_stats = Some(span);
        }
        let mut order = Vec::new();
        for key in keys {
            let mut slot = self.slot_of(&key.expression)?;
            // A later command may fill the slot with something else; the order stays what it was.
            if self.scope.entries.iter().any(|entry| entry.slot == slot) {
                let copy = self.scope.new_slot();
                self.operations.push(Operation::Copy {
                    slot: copy,
                    from: slot,
                });
                slot = copy;
            }
            let descending = key.descending.unwrap_or(SORT_DESCENDS_BY_DEFAULT);
            order.push(OrderKey { slot, descending });
        }
        // A second sort orders what the first left equal.
        order.append(&mut self.order);
        self.order = order;
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

    fn limit(&mut self, any: bool, count: u64, span: Span) -> Result<(), Fault> {
        if self.stats == 1 {
            self.ordered_after_stats = Some(span);
        }
        self.limited = true;
        let sink = if any && self.order.is_empty() {
            Sink::Any {
                count,
                keep: Vec::new(),
            }
        } else {
            let keys = std::mem::take(&mut self.order);
            Sink::Order {
                keys,
                limit: Limit::Rows(count),
                keep: Vec::new(),
            }
        };
        self.close_segment(sink);
        Ok(())
    }

    fn dedup(&mut self, by: &[Expression]) -> Result<(), Fault> {
        let mut nodes = Vec::new();
        for field in by {
            nodes.push(self.node(field)?);
        }
        let keys = std::mem::take(&mut self.order);
        self.close_segment(Sink::Dedup {
            by: nodes,
            keys,
            keep: Vec::new(),
        });
        self.after_dedup = true;
        Ok(())
    }

    fn pattern(&mut self, text: Node, diff: Option<DiffWindow>, span: Span) -> Result<(), Fault> {
        if self.stats > 0 || !self.scope.raw {
            let message = "`pattern` and `diff` read log events, which `stats` took away";
            return Err(Fault::new(span, message));
        }
        self.diff = diff;
        self.order.clear();
        self.close_segment(Sink::Pattern { text, diff });
        self.enter(Scope::closed("pattern"));
        let names: &[&str] = match diff {
            None => &["@pattern", "@ratio", "@sampleCount", "@severityLabel"],
            Some(_) => crate::insights::choices::DIFF_COLUMNS,
        };
        let columns = names.iter().map(|name| {
            let slot = self.scope.new_slot();
            self.scope.describe(name, slot);
            Column {
                name: (*name).to_owned(),
                slot,
            }
        });
        self.extracted = columns.collect();
        Ok(())
    }

    /// Takes away all names.
    pub(super) fn enter(&mut self, scope: Scope) {
        let warnings = std::mem::take(&mut self.scope.warnings);
        let before = std::mem::replace(&mut self.scope, Scope { warnings, ..scope });
        self.closed_slots.push(before.slots);
        if before.raw {
            self.record_scope = Some(before);
        }
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

    fn join(&mut self, join: &'t Join, span: Span) -> Result<(), Fault> {
        if self.stats > 0 {
            return Err(Fault::new(span, "`join` stands ahead of `stats`"));
        }
        let mut builder = Builder::new(self.text, &join.script);
        builder.pointer = false;
        builder.commands(&join.script.commands)?;
        let right_key = builder
            .scope
            .find(&join.right_key.text, join.right_key.span)?;
        let right_key = builder.found_slot(right_key);
        let left_key = self.scope.find(&join.left_key.text, join.left_key.span)?;
        let key = self.found_slot(left_key);
        self.right.push(RightSide {
            name: join.right.text.clone(),
            builder,
            columns: vec![Column {
                name: join.right_key.text.clone(),
                slot: right_key,
            }],
            slots: Vec::new(),
            keep_unmatched: join.keep_unmatched,
            key,
            segment: self.segments.len(),
            operation: self.operations.len(),
        });
        // Completed when it is known which fields of the right side are used.
        self.operations.push(Operation::Join {
            right: self.right.len() - 1,
            key,
            slots: Vec::new(),
            keep_unmatched: join.keep_unmatched,
        });
        self.left_name = Some(join.left.text.clone());
        Ok(())
    }

    fn found_slot(&mut self, found: Found) -> Slot {
        match found.node() {
            Node::Slot(slot) => slot,
            node => self.compute(node),
        }
    }

    /// `right.field` of a join.
    pub(super) fn right_side_field(
        &mut self,
        path: &str,
        span: Span,
    ) -> Result<Option<Node>, Fault> {
        let Some((side, field)) = path.split_once('.') else {
            return Ok(None);
        };
        if !self.scope.raw {
            return Ok(None);
        }
        let Some(right) = self.right.iter_mut().find(|right| right.name == side) else {
            return Ok(None);
        };
        let known = right
            .columns
            .iter()
            .skip(1)
            .position(|column| column.name == field);
        if let Some(at) = known {
            return Ok(Some(Node::Slot(right.slots[at])));
        }
        let found = right.builder.scope.find(field, span)?;
        let from = right.builder.found_slot(found);
        right.columns.push(Column {
            name: field.to_owned(),
            slot: from,
        });
        let slot = self.scope.new_slot();
        right.slots.push(slot);
        Ok(Some(Node::Slot(slot)))
    }

    /// Completes the joins.
    pub(super) fn finish_joins(&mut self) -> Result<Vec<Plan>, Fault> {
        let mut plans = Vec::new();
        for right in std::mem::take(&mut self.right) {
            let index = plans.len();
            let mut builder = right.builder;
            builder.display = Some(right.columns);
            plans.push(builder.finish(Limit::All)?);
            let operations = match self.segments.get_mut(right.segment) {
                Some(segment) => &mut segment.operations,
                None => &mut self.operations,
            };
            operations[right.operation] = Operation::Join {
                right: index,
                key: right.key,
                slots: right.slots,
                keep_unmatched: right.keep_unmatched,
            };
        }
        Ok(plans)
    }

    fn finish(mut self, limit: Limit) -> Result<Plan, Fault> {
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
        let lambda_scope = self.record_scope.as_ref().unwrap_or(&self.scope);
        let lambda_fields = lambda_scope
            .lambda
            .iter()
            .map(|(_, name, _)| *name)
            .collect();
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
            lambda_fields,
            diff: self.diff,
        };
        self.closed_slots.push(self.scope.slots);
        let records = self.record_scope.unwrap_or(self.scope);
        super::finish::complete(&mut plan, self.segments, records, self.closed_slots);
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

pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
