//! `lab run` with files, several scenarios, faults and crash points.

use std::process::{Command, Output};

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

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("text")
}

const FILE: &str = r#"title = "t"
learn = "l"
[[arm]]
name = "mine"
title = "two copies"
guard = "claim"
order = "O"
copies = 2
expect = "PASS"
guard_settings = { consistent_reads = false }
"#;

#[test]
fn a_file_is_run_and_its_replay_names_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("it's mine.toml");
    std::fs::write(&path, FILE).expect("written");
    let path = path.to_str().expect("text");
    let arguments = ["run", path, "--seed", "3", "--fault", "throttle@claim#2"];
    let output = lab(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        stdout(&output).contains("two copies [consistent_reads=false throttle@claim#2]"),
        "{}",
        stdout(&output)
    );
    let replay = stdout(&output).lines().last().expect("a last line");
    assert!(replay.contains("--fault 'throttle@claim#2'"), "{replay}");
    let words = replay.strip_prefix("lab ").expect("a command");
    let again = Command::new("sh")
        .args(["-c", &format!("exec \"$LAB\" {words}")])
        .env("LAB", env!("CARGO_BIN_EXE_lab"))
        .output()
        .expect("a shell");
    assert_eq!(stdout(&again), stdout(&output));
}

#[test]
fn files_that_cannot_be_read_say_so() {
    let output = lab(&["run", "no-such.toml"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        stderr(&output).starts_with("error: scenario file `no-such.toml` cannot be read: "),
        "{}",
        stderr(&output)
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.toml");
    std::fs::write(&path, FILE.replace("guard =", "gaurd =")).expect("written");
    let output = lab(&["run", path.to_str().expect("text")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("x.toml:6:1: unknown key `gaurd`"),
        "{}",
        stderr(&output)
    );
    assert_eq!(stdout(&output), "");
}

#[test]
fn several_scenarios_are_run_in_order() {
    let output = lab(&["run", "a-guard-on", "c-atomic", "--format", "csv"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let arms: Vec<&str> = stdout(&output)
        .lines()
        .map(|line| line.split(',').nth(1).unwrap_or_default())
        .collect();
    assert_eq!(arms, ["arm", "guard-on", "two-steps", "one-step"]);
}

#[test]
fn every_crash_point_that_is_listed_can_be_crashed_at() {
    let output = lab(&["run", "a-guard-on", "--copies", "2", "--crash-points"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let lines: Vec<&str> = stdout(&output).lines().skip(1).collect();
    // Two claims, one charge, one receipt; each has a point before it and one after it.
    let points: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(points.len(), 8, "{}", stdout(&output));
    for point in [
        "claim:before#1",
        "claim:after#2",
        "charge:after#1",
        "complete:after#1",
    ] {
        assert!(points.contains(&point), "{point} is missing in {points:?}");
    }
    for line in lines {
        let command = line.split_once("lab ").expect("a command").1;
        let output = Command::new("sh")
            .args(["-c", &format!("exec \"$LAB\" {command} --format json")])
            .env("LAB", env!("CARGO_BIN_EXE_lab"))
            .output()
            .expect("a shell");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let verdict = &report["runs"][0]["verdict"];
        assert_ne!(*verdict, "INCONCLUSIVE", "{command}: {}", stdout(&output));
    }
}

#[test]
fn a_fault_that_never_fires_ends_with_4() {
    let output = lab(&["run", "a-guard-on", "--fault", "crash@release:before"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(
        stdout(&output).contains("never fired"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn wrong_faults_are_refused() {
    let output = lab(&["run", "a-guard-on", "--fault", "crash@clam:after"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("did you mean `claim`?"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_plan_is_shown_with_all_that_it_sets() {
    let output = lab(&["run", "b-dead-letter-redrive", "--show"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    for part in [
        "message-id: charged, then the receipt failed, dead-lettered and moved back\n",
        "  guard: message-id\n",
        "max-receive-count=1",
        "  fault: fail@complete\n",
        "  at 0s: send 1 x ORDER-003 of 150.00 for CUSTOMER-123\n",
        "  at 1h: move the dead letters back\n",
        "  expect: ORDER-003 DOUBLE\n",
    ] {
        assert!(text.contains(part), "`{part}` is missing in {text}");
    }
}

#[test]
fn what_asks_for_trouble_is_warned_of() {
    let output = lab(&["run", "b-key-message-id"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        stderr(&output),
        "warning: the key of `message-id` is the MessageId, which SQS makes anew for each send: \
         copies have different keys; take the key from the order\n"
    );
}
