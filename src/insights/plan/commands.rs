//! Commands that work on rows: filter, parse, unnest, sort, limit, dedup, pattern.

use super::builder::Builder;
use super::node::Node;
use super::scope::{Found, Scope};
use super::step::{Column, Limit, Operation, OrderKey, Sink, Slot};
use crate::insights::choices::{DIFF_COLUMNS, SORT_DESCENDS_BY_DEFAULT};
use crate::insights::diagnosis::{Fault, Span};
use crate::insights::pattern::{self, Glob};
use crate::insights::shortcut::Shortcut;
use crate::insights::syntax::{
    DiffWindow, Expression, ExpressionKind, Name, Parse, ParseMode, SortKey,
};

impl Builder<'_> {
    /// Conditions joined by `and` become filters of their own; those that need nothing discovered
    /// come first.
    pub(super) fn filter(&mut self, condition: &Expression) -> Result<(), Fault> {
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

    pub(super) fn parse(&mut self, parse: &Parse, span: Span) -> Result<(), Fault> {
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

    pub(super) fn unnest(&mut self, list: &Expression, into: &Name) -> Result<(), Fault> {
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

    pub(super) fn sort(&mut self, keys: &[SortKey], span: Span) -> Result<(), Fault> {
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

    pub(super) fn limit(&mut self, any: bool, count: u64, span: Span) -> Result<(), Fault> {
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

    pub(super) fn dedup(&mut self, by: &[Expression]) -> Result<(), Fault> {
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

    pub(super) fn pattern(
        &mut self,
        text: Node,
        diff: Option<DiffWindow>,
        span: Span,
    ) -> Result<(), Fault> {
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
            Some(_) => DIFF_COLUMNS,
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
}

fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
