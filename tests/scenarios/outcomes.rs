//! The scenarios that are compiled in.

use lab::cloud::wire::{FaultRule, Occurrence};
use lab::experiment::{Overrides, Plan, PlannedArm, Progress, ScenarioName, run};
use lab::report::JudgedRun;
use lab::verdict::Verdict;

struct Silent;

impl Progress for Silent {
    fn begin(&self, _arm: &PlannedArm) {}
    fn delivered(&self, _invocations: u64) {}
    fn collecting(&self) {}
    fn end(&self) {}
}

fn plan(name: ScenarioName, seed: u64) -> Plan {
    let scenario = name.load().expect("it can be read");
    Plan::new(&scenario, seed, &Overrides::default()).expect("it is valid")
}

fn unexpected(plan: &Plan) -> Vec<String> {
    let runs = run(plan, &Silent).expect("it runs");
    let unexpected = runs.iter().filter(|run| !run.as_expected());
    unexpected
        .map(|run| {
            format!(
                "{} / {}: {} ({})",
                plan.name, run.arm, run.judgement.verdict, run.judgement.reason
            )
        })
        .collect()
}

#[test]
fn every_scenario_comes_out_as_it_says() {
    let wrong: Vec<String> = ScenarioName::ALL
        .iter()
        .flat_map(|name| unexpected(&plan(*name, 1)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What depends on how the deliveries interleave must not depend on the seed. The scenarios that
/// last for days are left out, and so is the one in which the seed decides which of two workers,
/// whose clocks differ by more than the lease, comes first.
#[test]
fn other_seeds_come_out_alike() {
    let left_out = ["b-ttl-late", "c-window-outlives-retries", "clock-skew"];
    for seed in [2, 7] {
        let wrong: Vec<String> = ScenarioName::ALL
            .iter()
            .filter(|name| !left_out.contains(&name.name()))
            .flat_map(|name| unexpected(&plan(*name, seed)))
            .collect();
        assert!(wrong.is_empty(), "seed {seed}: {}", wrong.join("\n"));
    }
}

/// A harness whose faults do nothing must not look like one whose consumers survive them.
#[test]
fn a_fault_that_never_fires_proves_nothing() {
    let mut tried = 0;
    for name in ScenarioName::ALL {
        let mut plan = plan(*name, 1);
        plan.arms.retain(|arm| !arm.faults.is_empty());
        for arm in &mut plan.arms {
            arm.faults = arm.faults.iter().map(disarmed).collect();
        }
        for run in run(&plan, &Silent).expect("it runs") {
            tried += 1;
            let JudgedRun { arm, judgement, .. } = &run;
            assert_eq!(judgement.verdict, Verdict::Inconclusive, "{name} / {arm}");
            assert!(
                judgement.reason.contains("never fired"),
                "{name} / {arm}: {}",
                judgement.reason
            );
        }
    }
    assert!(tried > 50, "only {tried} runs have faults");
}

/// The same rule at a call that does not happen.
fn disarmed(rule: &FaultRule) -> FaultRule {
    let never = 1_000_000.try_into().expect("not zero");
    FaultRule::new(rule.action().clone(), rule.point(), Occurrence::Nth(never))
        .expect("as good as the rule itself")
}

#[test]
fn both_tables_come_to_the_same_verdicts() {
    let overrides = Overrides {
        table: Some(lab::experiment::TableKind::Dynoxide),
        ..Overrides::default()
    };
    for name in [
        "crash-after-charge",
        "own-claim-after-lost-answer",
        "same-key-other-amount",
    ] {
        let scenario = name
            .parse::<ScenarioName>()
            .and_then(ScenarioName::load)
            .expect("it can be read");
        let plan = Plan::new(&scenario, 1, &overrides).expect("it is valid");
        assert_eq!(unexpected(&plan), Vec::<String>::new());
    }
}

#[test]
fn every_scenario_is_in_the_documentation() {
    let documentation = include_str!("../../docs/scenarios.md");
    for name in ScenarioName::ALL {
        let cell = format!("| `{name}` |");
        assert!(documentation.contains(&cell), "{name} is missing");
    }
    let rows = documentation.lines().filter(|line| line.starts_with("| `"));
    let known = |row: &&str| {
        let name = row.split('`').nth(1).unwrap_or_default();
        name.parse::<ScenarioName>().is_ok()
    };
    let scenarios = rows.filter(known).count();
    assert_eq!(scenarios, ScenarioName::ALL.len());
}
