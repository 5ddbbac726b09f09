//! Guards against causes: every cell as it is expected, and each can be repeated.

use std::collections::HashSet;
use std::process::{Command, Output};
use std::sync::OnceLock;

use lab::experiment::{Cause, Cell, CellName, CellResult, matrix};
use lab::verdict::Verdict;
use lab::worker::GuardName;
use serde_json::Value;

/// All cells; they are tried once for all tests.
fn cells() -> &'static [Cell] {
    static CELLS: OnceLock<Vec<Cell>> = OnceLock::new();
    CELLS.get_or_init(|| matrix(1).expect("every cell runs"))
}

fn lab(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command.args(arguments);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("LAB_") {
            command.env_remove(name);
        }
    }
    command.output().expect("the binary runs")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("text")
}

/// The line of the expected matrix that a cell should be.
fn line(cell: &Cell) -> Vec<String> {
    let CellName { guard, cause } = cell.name;
    let numbers = |run: &lab::report::JudgedRun| {
        [
            run.judgement.verdict.to_string(),
            run.evidence.charge_count().to_string(),
            run.evidence.read_back.messages_started.to_string(),
            run.evidence.read_back.deliveries.len().to_string(),
            String::new(),
        ]
    };
    let rest = match &cell.result {
        CellResult::Run(run) => numbers(run),
        CellResult::Undecidable(why) => ["", "0", "0", "0", why].map(str::to_owned),
    };
    [cause.to_string(), guard.to_string()]
        .into_iter()
        .chain(rest)
        .collect()
}

#[test]
fn every_cell_comes_out_as_it_is_expected() {
    let mut reader = csv::Reader::from_reader(include_str!("data/matrix.csv").as_bytes());
    let expected: Vec<Vec<String>> = reader
        .records()
        .map(|record| record.expect("a line").iter().map(str::to_owned).collect())
        .collect();
    let found: Vec<Vec<String>> = cells().iter().map(line).collect();
    assert_eq!(found.len(), expected.len());
    let wrong: Vec<String> = found
        .iter()
        .zip(&expected)
        .filter(|(found, expected)| found != expected)
        .map(|(found, expected)| format!("{} instead of {}", found.join(","), expected.join(",")))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_guard_meets_every_cause() {
    let names: HashSet<CellName> = cells().iter().map(|cell| cell.name).collect();
    assert_eq!(names.len(), Cause::ALL.len() * GuardName::ALL.len());
}

#[test]
fn no_cell_is_left_undecided_without_a_reason() {
    for cell in cells() {
        if let CellResult::Run(run) = &cell.result {
            let judgement = &run.judgement;
            assert!(
                judgement.verdict.decides(),
                "{}: {}",
                cell.name,
                judgement.reason
            );
        }
    }
}

/// The proof that a cause happened: a fault that fired, more messages than were meant, a message
/// that came again, or other content.
#[test]
fn every_cause_has_happened() {
    for cell in cells() {
        let CellResult::Run(run) = &cell.result else {
            continue;
        };
        let evidence = &run.evidence;
        let happened = evidence.read_back.messages_started > 1
            || evidence.read_back.redeliveries > 0
            || evidence.faults.iter().any(|fault| fault.fired > 0);
        assert!(happened, "{}", cell.name);
        for fault in &evidence.faults {
            assert!(fault.fired > 0, "{}: {} never fired", cell.name, fault.rule);
        }
    }
}

#[test]
fn the_strongest_guards_lose_only_to_what_they_are_known_to_lose_to() {
    let of = |guard: GuardName, verdict: Verdict| -> Vec<Cause> {
        let of_guard = cells().iter().filter(|cell| cell.name.guard == guard);
        of_guard
            .filter(|cell| match &cell.result {
                CellResult::Run(run) => run.judgement.verdict == verdict,
                CellResult::Undecidable(_) => false,
            })
            .map(|cell| cell.name.cause)
            .collect()
    };
    assert_eq!(of(GuardName::KeyedCharge, Verdict::Double), []);
    // A till that keeps its keys for ever does not know that the window is over.
    assert_eq!(
        of(GuardName::KeyedCharge, Verdict::Lost),
        [Cause::LateTimeToLive]
    );
    // Its window is the guard's only memory.
    assert_eq!(
        of(GuardName::Transaction, Verdict::Double),
        [Cause::RecordExpired]
    );
    assert_eq!(of(GuardName::Transaction, Verdict::Lost), []);
    assert_eq!(of(GuardName::None, Verdict::Pass), []);
}

#[test]
fn a_cell_is_repeated_by_the_command_that_it_names() {
    let output = lab(&["matrix", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0));
    let matrix: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(matrix["schema"], "lab.matrix/1");
    let cells = matrix["cells"].as_array().expect("cells");
    for cell in cells.iter().step_by(53) {
        let replay = cell["replay"].as_str().expect("a command");
        let words: Vec<&str> = replay
            .split(' ')
            .skip(1)
            .chain(["--format", "json"])
            .collect();
        let output = lab(&words);
        if cell["verdict"].is_null() {
            assert_eq!(output.status.code(), Some(4), "{replay}");
            continue;
        }
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let run = &report["runs"][0];
        assert_eq!(run["verdict"], cell["verdict"], "{replay}");
        assert_eq!(run["reason"], cell["reason"], "{replay}");
        assert_eq!(report["replay"], *replay);
    }
}

#[test]
fn a_cell_that_no_run_can_decide_says_why() {
    let output = lab(&["matrix", "--cell", "none/throttled-claim"]);
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(
        std::str::from_utf8(&output.stderr).expect("text"),
        "error: no run can decide `none/throttled-claim`: this guard makes no claim before it \
         charges\n"
    );
    assert_eq!(stdout(&output), "");
}

#[test]
fn wrong_cells_are_refused_with_the_nearest_name() {
    for (cell, message) in [
        ("claim", "`claim` is not a cell of the matrix"),
        ("clam/sns-raw", "did you mean `claim`?"),
        ("claim/sns-rwa", "did you mean `sns-raw`?"),
    ] {
        let output = lab(&["matrix", "--cell", cell]);
        assert_eq!(output.status.code(), Some(2), "{cell}");
        let said = std::str::from_utf8(&output.stderr).expect("text");
        assert!(said.contains(message), "{cell} says: {said}");
    }
}
