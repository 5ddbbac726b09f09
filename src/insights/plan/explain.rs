//! The plan as text.

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
    for (index, segment) in plan.segments.iter().enumerate() {
        let streams = if index == 0 { "per event" } else { "per row" };
        for operation in &segment.operations {
            lines.push(format!(
                "{margin}{streams}: {}",
                describe_operation(operation)
            ));
        }
        lines.push(format!("{margin}{}", describe_sink(&segment.sink)));
    }
    let names: Vec<String> = plan
        .columns
        .iter()
        .map(|c| format!("`{}`", c.name))
        .collect();
    lines.push(format!("{margin}columns: {}", names.join(", ")));
}

fn describe_operation(operation: &Operation) -> String {
    match operation {
        Operation::Filter(_) => "filter".to_owned(),
        Operation::Let { slot, .. } => format!("compute slot {slot}"),
        Operation::Copy { slot, from } => format!("copy slot {from} to slot {slot}"),
        Operation::Discover { paths, .. } => {
            let names: Vec<String> = paths.names().map(|name| format!("`{name}`")).collect();
            format!("discover in the first JSON object: {}", names.join(", "))
        }
        Operation::Lambda { field, .. } => format!("discover in Lambda's lines: {field:?}"),
        Operation::Regex { regex, multi, .. } => {
            let many = if *multi { ", one row per match" } else { "" };
            format!("parse /{}/{many}", regex.as_str())
        }
        Operation::Glob { slots, .. } => format!("parse a pattern with {} wildcards", slots.len()),
        Operation::Logfmt { .. } => "parse logfmt".to_owned(),
        Operation::Unnest { .. } => "one row per element of a list".to_owned(),
        Operation::Join {
            right,
            keep_unmatched,
            ..
        } => {
            let kind = if *keep_unmatched { "left" } else { "inner" };
            format!("{kind} join {}", right + 1)
        }
        Operation::Total { slots, .. } => format!("add up {} fields", slots.len()),
    }
}

fn describe_sink(sink: &Sink) -> String {
    match sink {
        Sink::Order { keys, limit, .. } => {
            let limit = match limit {
                Limit::All => "all rows".to_owned(),
                Limit::Rows(count) => format!("{count} rows"),
                Limit::OfCall => "rows up to the limit of the call".to_owned(),
            };
            format!("keep {limit}, {}", describe_order(keys))
        }
        Sink::Any { count, .. } => format!("stop at any {count} rows"),
        Sink::Dedup { by, keys, .. } => {
            format!(
                "keep the first row for each of {} values, {}",
                by.len(),
                describe_order(keys)
            )
        }
        Sink::Stats { groups, aggregates } => {
            let aggregates: Vec<String> = aggregates
                .iter()
                .map(|aggregate| format!("{:?}", aggregate.kind))
                .collect();
            format!(
                "aggregate {} by {} values",
                aggregates.join(", "),
                groups.len()
            )
        }
        Sink::Pattern { diff: None, .. } => "count patterns".to_owned(),
        Sink::Pattern {
            diff: Some(window), ..
        } => {
            let window = match window {
                DiffWindow::Preceding => "the window before",
                DiffWindow::Day => "a day before",
                DiffWindow::Week => "a week before",
                DiffWindow::Month => "a month before",
            };
            format!("count patterns and compare with {window}")
        }
        Sink::Totals { slots, .. } => format!("add a row with the sums of {} columns", slots.len()),
    }
}

fn describe_order(keys: &[OrderKey]) -> String {
    if keys.is_empty() {
        return "in the order they have (events: newest first)".to_owned();
    }
    let keys: Vec<String> = keys
        .iter()
        .map(|key| {
            let direction = if key.descending {
                "descending"
            } else {
                "ascending"
            };
            format!("slot {} {direction}", key.slot)
        })
        .collect();
    format!("ordered by {}", keys.join(", "))
}
