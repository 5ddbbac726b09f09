//! Warnings that save an afternoon.

use super::output::{Output, Warning};
use super::plan::Plan;
use super::query::Options;

/// Latest time that somebody means in milliseconds: the year 2200.
const LATEST_SENSIBLE_MILLIS: i64 = 7_258_118_400_000;

/// What the user should know about a finished run.
pub(super) fn after(
    plan: &Plan,
    options: &Options,
    output: &Output,
    seen: Option<u64>,
) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = Vec::new();
    for warning in plan.warnings.iter().cloned() {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    if options.start_millis > LATEST_SENSIBLE_MILLIS {
        warnings.push(Warning::new(
            format!(
                "the time range starts at {}, centuries from now",
                super::format::time(options.start_millis)
            ),
            "StartQuery takes seconds; this looks like milliseconds",
        ));
    }
    if !options.lambda_group {
        for field in &plan.lambda_fields {
            warnings.push(Warning::new(
                format!("`{field}` is discovered in the log groups of Lambda functions only"),
                "parse it out of `@message`, or read the log as that of a function",
            ));
        }
    }
    let shown = output.rows.len() as u64;
    if !plan.limited && seen.is_some_and(|seen| seen > shown) {
        warnings.push(Warning::new(
            format!("{shown} of {} rows are shown", seen.unwrap_or(shown)),
            "add `| limit N`, up to 100,000",
        ));
    }
    warnings
}
