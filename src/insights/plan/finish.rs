//! What can be done only when the whole query is known: where fields are discovered, and which
//! slots must outlive a sink.

use super::scope::Scope;
use super::step::{Operation, Plan, Segment, Slot, SystemField};
use crate::insights::discover::Paths;

/// Completes the segments and puts them into the plan. The first scope is that of the records.
pub(super) fn complete(plan: &mut Plan, mut segments: Vec<Segment>, mut scopes: Vec<Scope>) {
    if let (Some(first), Some(records)) = (segments.first_mut(), scopes.first_mut()) {
        place_discovery(first, records);
        plan.loads.system.clone_from(&records.system);
        plan.lambda_fields = records.lambda.iter().map(|(_, name, _)| *name).collect();
    }
    plan.names = scopes.iter().map(Scope::names).collect();
    let mut slots = scopes.iter().map(|scope| scope.slots);
    let mut current = slots.next().unwrap_or(0);
    for segment in &mut segments {
        segment.slots = current;
        if segment.sink.keep().is_none() {
            current = slots.next().unwrap_or(0);
        }
    }
    keep_what_is_read(&mut segments, plan);
    plan.segments = segments;
}

/// Puts the discovery of fields in front of the first operation that reads one of them.
fn place_discovery(first: &mut Segment, records: &mut Scope) {
    if records.discovered.is_empty() && records.lambda.is_empty() {
        return;
    }
    let message = records.system(SystemField::Message);
    let mut discoveries: Vec<(Operation, Vec<Slot>)> = Vec::new();
    for (field, _, slot) in &records.lambda {
        let operation = Operation::Lambda {
            message,
            field: *field,
            slot: *slot,
        };
        discoveries.push((operation, vec![*slot]));
    }
    if !records.discovered.is_empty() {
        let mut paths = Paths::default();
        for (path, slot) in &records.discovered {
            paths.add(path, *slot);
        }
        let slots = paths.slots().collect();
        discoveries.push((Operation::Discover { message, paths }, slots));
    }
    for (operation, slots) in discoveries {
        let place = first.operations.iter().position(|operation| {
            let mut found = false;
            operation.reads(&mut |slot| found |= slots.contains(&slot));
            found
        });
        let place = place.unwrap_or(first.operations.len());
        first.operations.insert(place, operation);
    }
}

/// Goes from the columns back to the records: a sink keeps what is read behind it.
fn keep_what_is_read(segments: &mut [Segment], plan: &Plan) {
    let mut read: Vec<Slot> = plan.columns.iter().map(|column| column.slot).collect();
    for segment in segments.iter_mut().rev() {
        match segment.sink.keep() {
            Some(keep) => {
                read.sort_unstable();
                read.dedup();
                keep.clone_from(&read);
            }
            None => read.clear(),
        }
        segment.sink.reads(&mut |slot| read.push(slot));
        for operation in &segment.operations {
            operation.reads(&mut |slot| read.push(slot));
        }
    }
}
