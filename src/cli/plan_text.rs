//! A plan, for people.

use std::fmt::Write;

use crate::experiment::Plan;

/// What a plan does, arm by arm.
pub(super) fn plan_text(plan: &Plan) -> String {
    let mut text = String::new();
    let mut line = |line: std::fmt::Arguments<'_>| {
        writeln!(text, "{line}").expect("writing into a string cannot fail");
    };
    line(format_args!("{}: {}", plan.name, plan.title));
    for sentence in plan.learn.trim().lines() {
        line(format_args!("  {sentence}"));
    }
    for arm in &plan.arms {
        line(format_args!("{}: {}", arm.name, arm.title));
        line(format_args!("  guard: {}", arm.guard));
        let knobs = arm.knobs.named().into_iter().chain(arm.knobs.unusual());
        let knobs: Vec<String> = knobs
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        line(format_args!("  knobs: {}", knobs.join(" ")));
        for fault in &arm.faults {
            line(format_args!("  fault: {fault}"));
        }
        for step in &arm.steps {
            line(format_args!("  {step}"));
        }
        for run in &arm.runs {
            let again = if run.again { " again" } else { "" };
            let order = &run.order.order_id;
            line(format_args!("  expect: {order}{again} {}", run.expected));
        }
    }
    text
}
