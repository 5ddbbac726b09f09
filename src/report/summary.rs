//! The sentences around the table that text and Markdown share.

use std::collections::BTreeMap;

use super::escape::visible;
use super::model::{JudgedRun, Report};
use crate::verdict::PRICES_OF;
use crate::worker::GuardName;

/// The version of this program.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What it takes to repeat the report: version, seed, target and knobs.
pub(super) fn knobs_line(report: &Report) -> String {
    let seed = report
        .seed
        .map_or_else(|| "-".to_owned(), |seed| seed.to_string());
    let mut parts = vec![format!("lab {VERSION}"), format!("seed={seed}")];
    if !report.knobs.iter().any(|(name, _)| name == "target") {
        let mut targets: Vec<&str> = Vec::new();
        for run in &report.runs {
            if !targets.contains(&run.record.target.as_str()) {
                targets.push(&run.record.target);
            }
        }
        if !targets.is_empty() {
            parts.push(format!("target={}", visible(&targets.join(","))));
        }
    }
    let knob = |(name, value): &(String, String)| visible(&format!("{name}={value}"));
    parts.extend(report.knobs.iter().map(knob));
    parts.join("  ")
}

/// Why the verdict is what it is. Sums that do not meet are left out, because
/// [`broken_sums`] lists them.
pub(super) fn reason(run: &JudgedRun) -> String {
    let reason = &run.judgement.reason;
    let list = broken_sums(run).join("; ");
    let short = reason.strip_suffix(&list).unwrap_or(reason);
    visible(short.trim_end())
}

/// The sums that do not meet.
pub(super) fn broken_sums(run: &JudgedRun) -> Vec<String> {
    let broken = |check: &&crate::verdict::Check| !check.holds();
    let checks = run.judgement.checks.iter().filter(broken);
    checks.map(ToString::to_string).collect()
}

/// The runs in one sentence, strongest guard first; `None` if there are no runs.
pub(super) fn comparison(report: &Report) -> Option<String> {
    let mut by_guard: BTreeMap<GuardName, Vec<&JudgedRun>> = BTreeMap::new();
    for run in &report.runs {
        by_guard.entry(run.record.guard).or_default().push(run);
    }
    let clauses: Vec<String> = by_guard
        .iter()
        .rev()
        .map(|(guard, runs)| clause(*guard, runs))
        .collect();
    (!clauses.is_empty()).then(|| clauses.join("; "))
}

/// Where the dollars in the table come from; `None` if there are none.
pub(super) fn prices(report: &Report) -> Option<String> {
    let priced = |run: &JudgedRun| run.evidence.cost(&run.record).is_some();
    report
        .runs
        .iter()
        .any(priced)
        .then(|| format!("USD: computed from {PRICES_OF}, items up to 1 KB, free tier left out"))
}

fn clause(guard: GuardName, runs: &[&JudgedRun]) -> String {
    let charges = runs.iter().map(|run| run.evidence.charge_count()).sum();
    let messages = runs.iter().map(|run| run.record.sent()).sum();
    let guarded = match guard {
        GuardName::None => "unguarded",
        _ => "guarded",
    };
    let in_runs = match runs.len() {
        1 => String::new(),
        many => format!(", {many} runs"),
    };
    format!(
        "{guarded} ({guard}{in_runs}): {} for {} from {}",
        plural(charges, "charge"),
        // Each run sends copies of one order, in a stack of its own or under an id of its own.
        plural(runs.len() as u64, "order"),
        plural(messages, "message"),
    )
}

fn plural(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixtures;

    #[test]
    fn the_first_line_names_seed_target_and_knobs() {
        let mut report = fixtures::article();
        assert_eq!(
            knobs_line(&report),
            format!("lab {VERSION}  seed=1  target=local  work=4s  visibility_timeout=30s")
        );
        report.seed = None;
        report.knobs = vec![("target".to_owned(), "aws".to_owned())];
        assert_eq!(
            knobs_line(&report),
            format!("lab {VERSION}  seed=-  target=aws")
        );
    }

    #[test]
    fn the_comparison_puts_the_strongest_guard_first() {
        assert_eq!(
            comparison(&fixtures::article()).as_deref(),
            Some(
                "guarded (claim): 1 charge for 1 order from 10 messages; \
                 guarded (if-exists): 2 charges for 1 order from 4 messages; \
                 unguarded (none): 4 charges for 1 order from 4 messages"
            )
        );
    }

    #[test]
    fn runs_under_one_guard_are_added_up() {
        let mut report = fixtures::article();
        report.runs.retain(|run| run.arm == "guard-off");
        report.runs.push(report.runs[0].clone());
        assert_eq!(
            comparison(&report).as_deref(),
            Some("unguarded (none, 2 runs): 8 charges for 2 orders from 8 messages")
        );
        report.runs.clear();
        assert_eq!(comparison(&report), None);
    }

    #[test]
    fn broken_sums_are_listed_once() {
        let run = fixtures::incomplete();
        assert_eq!(reason(&run), "the sums do not meet:");
        assert_eq!(
            broken_sums(&run),
            ["deliveries started = deliveries ended or failed: 4 ≠ 3"]
        );
    }
}
