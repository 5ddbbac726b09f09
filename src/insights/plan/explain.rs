//! The plan as text.

use super::describe::Names;
use super::step::{Limit, Operation, OrderKey, Plan, Sink};
use crate::insights::syntax::DiffWindow;

/// One line per step, in the order in which the engine takes them.
pub(crate) fn explain(plan: &Plan) -> String {
    let mut lines = Vec::new();
    describe(plan, "", &mut lines);
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

fn describe(plan: &Plan, margin: &str, lines: &mut Vec<String>) {
    lines.push(format!("{margin}scan {}", plan.groups));
    for (index, subquery) in plan.subqueries.iter().enumerate() {
        lines.push(format!("{margin}first, subquery {}:", index + 1));
        describe(subquery, &format!("{margin}    "), lines);
    }
    for (index, join) in plan.joins.iter().enumerate() {
        lines.push(format!(
            "{margin}first, right side of join {}, held in memory:",
            index + 1
        ));
        describe(join, &format!("{margin}    "), lines);
    }
    let mut scopes = plan.names.iter().map(|names| Names::quoted(names));
    let mut names = scopes.next().unwrap_or(Names(Vec::new()));
    for (index, segment) in plan.segments.iter().enumerate() {
        let each = if index == 0 { "per event" } else { "per row" };
        for operation in &segment.operations {
            if let Some(text) = operation_text(operation, &mut names) {
                lines.push(format!("{margin}{each}: {text}"));
            }
        }
        lines.push(format!("{margin}{}", sink_text(&segment.sink, &names)));
        if let Sink::Stats { groups, aggregates } = &segment.sink {
            let results = groups.iter().map(|node| names.text(node));
            let results: Vec<String> = results
                .chain(aggregates.iter().map(|a| names.aggregate(a)))
                .collect();
            names = scopes.next().unwrap_or(Names(Vec::new()));
            for (slot, text) in results.into_iter().enumerate() {
                names.call(slot, text);
            }
        } else if matches!(segment.sink, Sink::Pattern { .. }) {
            names = scopes.next().unwrap_or(Names(Vec::new()));
        }
    }
    let columns: Vec<&str> = plan.columns.iter().map(|c| c.name.as_str()).collect();
    lines.push(format!("{margin}columns: {}", columns.join(", ")));
}

/// `None` for what only moves values.
fn operation_text(operation: &Operation, names: &mut Names) -> Option<String> {
    Some(match operation {
        Operation::Filter(node) => format!("keep if {}", names.text(node)),
        Operation::Let { slot, node } => {
            let text = names.text(node);
            match names.call(*slot, text.clone()) {
                true if names.of(*slot) != text => format!("{} = {text}", names.of(*slot)),
                _ => format!("compute {text}"),
            }
        }
        Operation::Copy { slot, from } => {
            let text = names.of(*from);
            if !names.call(*slot, text.clone()) {
                return None;
            }
            format!("{} = {text}", names.of(*slot))
        }
        Operation::Discover { paths, .. } => {
            let paths: Vec<&str> = paths.names().collect();
            format!("discover {} in the first JSON object", paths.join(", "))
        }
        Operation::Lambda { slot, .. } => {
            format!("discover {} in the text of Lambda", names.of(*slot))
        }
        Operation::Regex {
            source,
            regex,
            multi,
            shortcut,
            ..
        } => {
            let regex = regex.as_str().replace('/', "\\/");
            let many = if *multi { ", one row per match" } else { "" };
            let fast = if shortcut.is_some() {
                ", by plain search"
            } else {
                ""
            };
            format!("parse {} with /{regex}/{many}{fast}", names.of(*source))
        }
        Operation::Glob { source, slots, .. } => {
            let made: Vec<String> = slots.iter().map(|slot| names.of(*slot)).collect();
            format!("parse {} into {}", names.of(*source), made.join(", "))
        }
        Operation::Logfmt { source, slot } => {
            format!(
                "parse {} as logfmt into {}",
                names.of(*source),
                names.of(*slot)
            )
        }
        Operation::Unnest { list, slot, .. } => {
            format!(
                "one row for each element of {} as {}",
                names.text(list),
                names.of(*slot)
            )
        }
        Operation::Join {
            right,
            key,
            keep_unmatched,
            ..
        } => {
            let kind = if *keep_unmatched { "left join" } else { "join" };
            format!("{kind} {} on {}", right + 1, names.of(*key))
        }
        Operation::Total { slots, slot } => {
            let added: Vec<String> = slots.iter().map(|slot| names.of(*slot)).collect();
            format!("{} = sum of {}", names.of(*slot), added.join(", "))
        }
    })
}

fn sink_text(sink: &Sink, names: &Names) -> String {
    match sink {
        Sink::Order { keys, limit, .. } => {
            let limit = match limit {
                Limit::All => "all rows".to_owned(),
                Limit::Rows(count) => format!("the first {count} rows"),
                Limit::OfCall => "rows up to the limit of the call".to_owned(),
            };
            format!("keep {limit}, {}", order_text(keys, names))
        }
        Sink::Any { count, .. } => format!("stop at any {count} rows"),
        Sink::Dedup { by, keys, .. } => {
            let by: Vec<String> = by.iter().map(|node| names.text(node)).collect();
            format!(
                "keep the first row for each {}, {}",
                by.join(", "),
                order_text(keys, names)
            )
        }
        Sink::Stats { groups, aggregates } => {
            let aggregates: Vec<String> = aggregates.iter().map(|a| names.aggregate(a)).collect();
            let groups: Vec<String> = groups.iter().map(|node| names.text(node)).collect();
            let by = if groups.is_empty() { "" } else { " by " };
            format!(
                "aggregate {}{by}{}",
                aggregates.join(", "),
                groups.join(", ")
            )
        }
        Sink::Pattern { text, diff } => {
            let window = match diff {
                None => "",
                Some(DiffWindow::Preceding) => " and compare with the window before",
                Some(DiffWindow::Day) => " and compare with a day before",
                Some(DiffWindow::Week) => " and compare with a week before",
                Some(DiffWindow::Month) => " and compare with a month before",
            };
            format!("count the patterns of {}{window}", names.text(text))
        }
        Sink::Totals { slots, .. } => {
            let added: Vec<String> = slots.iter().map(|slot| names.of(*slot)).collect();
            format!("add a row with the sums of {}", added.join(", "))
        }
    }
}

fn order_text(keys: &[OrderKey], names: &Names) -> String {
    if keys.is_empty() {
        return "in the order that they have (events: newest first)".to_owned();
    }
    let key = |key: &OrderKey| {
        let direction = if key.descending { "desc" } else { "asc" };
        format!("{} {direction}", names.of(key.slot))
    };
    format!("by {}", keys.iter().map(key).collect::<Vec<_>>().join(", "))
}
