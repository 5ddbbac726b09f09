//! The binary as a user meets it: output, errors, exit codes.

use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn lab(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command.args(arguments);
    // What the caller's shell sets must not decide a test.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("LAB_") {
            command.env_remove(name);
        }
    }
    command
}

fn run(arguments: &[&str]) -> Output {
    lab(arguments).output().expect("the binary runs")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("text")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("text")
}

fn article(extra: &[&str]) -> Value {
    let arguments = [&["run", "article", "--format", "json"], extra].concat();
    let output = run(&arguments);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

#[test]
fn the_article_comes_out_as_it_was_published() {
    let output = run(&["run", "article", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["schema"], "lab.report/1");
    let row = |run: &Value| {
        let fields = [
            "guard",
            "order",
            "sent",
            "messages",
            "orders",
            "charges",
            "events",
            "amount_owed",
            "amount_charged",
            "overlapped",
            "reconciled",
            "verdict",
        ];
        Value::Array(fields.map(|field| run[field].clone()).to_vec())
    };
    let runs: Vec<Value> = report["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .map(row)
        .collect();
    let expected = serde_json::json!([
        ["none", "ORDER-001", 4, 4, 1, 4,
         {"process_start": 4, "charge_applied": 4, "process_end": 4},
         "150.00", "600.00", true, true, "DOUBLE"],
        ["claim", "ORDER-003", 10, 1, 1, 1,
         {"process_start": 10, "claim_won": 1, "claim_lost": 9, "skip_duplicate": 9,
          "charge_applied": 1, "process_end": 10},
         "150.00", "150.00", true, true, "PASS"],
        ["if-exists", "ORDER-002", 4, 4, 1, 4,
         {"process_start": 4, "charge_applied": 4, "process_end": 4},
         "150.00", "600.00", true, true, "DOUBLE"],
    ]);
    assert_eq!(Value::Array(runs), expected);
}

#[test]
fn the_guarded_run_leaves_one_completed_item_that_names_the_winner() {
    let report = article(&[]);
    let items = report["runs"][1]["items"].as_array().expect("items");
    assert_eq!(items.len(), 1);
    let item = &items[0];
    assert_eq!(item["orderId"]["S"], "ORDER-003");
    assert_eq!(item["status"]["S"], "COMPLETED");
    assert_eq!(item["messageId"], item["completedMessageId"]);
    let time = |name: &str| {
        let text = item[name]["S"].as_str().expect("a time");
        text.parse::<jiff::Timestamp>().expect("ISO 8601")
    };
    let took = time("completedAt").duration_since(time("claimedAt"));
    assert!(
        (4_000..4_100).contains(&took.as_millis()),
        "the charge takes 4 s, the calls around it milliseconds: {took:?}"
    );
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_other_ids() {
    let first = run(&["run", "article"]);
    assert_eq!(first.stdout, run(&["run", "article"]).stdout);
    let other = run(&["run", "article", "--seed", "2"]);
    assert_eq!(other.status.code(), Some(0));
    assert_ne!(first.stdout, other.stdout);
}

#[test]
fn both_tables_give_the_same_report() {
    let with = |table| {
        let mut report = article(&["--table", table]);
        for field in ["knobs", "replay"] {
            report.as_object_mut().expect("an object").remove(field);
        }
        report
    };
    assert_eq!(with("memory"), with("dynoxide"));
}

#[test]
fn the_last_line_repeats_the_run() {
    let arguments = [
        "run",
        "article",
        "--seed",
        "7",
        "--copies",
        "6",
        "--work",
        "1500ms",
        "--amount",
        "9.50",
        "--customer",
        "it's me",
    ];
    let output = run(&arguments);
    let replay = stdout(&output)
        .lines()
        .last()
        .expect("a last line")
        .to_owned();
    let words = replay.strip_prefix("lab ").expect("a command");
    let script = format!("exec \"$LAB\" {words}");
    let again = Command::new("sh")
        .args(["-c", &script])
        .env("LAB", env!("CARGO_BIN_EXE_lab"))
        .output()
        .expect("a shell");
    assert_eq!(stdout(&again), stdout(&output));
}

#[test]
fn four_seconds_of_work_or_a_quarter_of_an_hour_are_the_same_to_virtual_time() {
    let report = article(&["--work", "14m", "--function-timeout", "15m"]);
    let verdicts: Vec<&Value> = (0..3)
        .map(|index| &report["runs"][index]["verdict"])
        .collect();
    assert_eq!(verdicts, ["DOUBLE", "PASS", "DOUBLE"]);
}

#[test]
fn ten_thousand_copies_reconcile() {
    let report = article(&["--copies", "10000"]);
    let guarded = &report["runs"][1];
    assert_eq!(guarded["verdict"], "PASS");
    assert_eq!(guarded["sent"], 10_000);
    assert_eq!(guarded["events"]["skip_duplicate"], 9_999);
    assert_eq!(guarded["reconciled"], true);
}

#[test]
fn a_single_copy_proves_nothing() {
    let output = run(&["run", "article", "--copies", "1"]);
    assert_eq!(output.status.code(), Some(4), "{}", stdout(&output));
    assert!(stdout(&output).contains("INCONCLUSIVE"));
}

#[test]
fn work_beyond_the_function_timeout_is_warned_of_and_charges_nobody() {
    let output = run(&["run", "article", "--work", "40s"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stdout(&output).contains("LOST"), "{}", stdout(&output));
    assert!(
        stderr(&output).contains("the function timeout is 30 s"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn bad_input_is_refused_with_the_value_and_the_accepted_range() {
    for (arguments, message) in [
        (&["run", "artcle"][..], "unknown scenario `artcle`"),
        (
            &["run", "article", "--copies", "0"],
            "0 copies is out of range: 1 to 10000000",
        ),
        (&["run", "article", "--copies", "-1"], "-1"),
        (&["run", "article", "--copies", "10.5"], "10.5"),
        (&["run", "article", "--copies", "ten"], "ten"),
        (
            &["run", "article", "--copies", "10000001"],
            "10000001 copies is out of range",
        ),
        (
            &["run", "article", "--amount", "150,00"],
            "`150,00` is not an amount",
        ),
        (
            &["run", "article", "--amount", "1e3"],
            "`1e3` is not an amount",
        ),
        (&["run", "article", "--amount=-1"], "`-1` is not an amount"),
        (
            &["run", "article", "--amount", "150.005"],
            "`150.005` is not an amount",
        ),
        (&["run", "article", "--work", "4"], "`4` is not a duration"),
        (&["run", "article", "--work=-4s"], "`-4s` is not a duration"),
        (
            &["run", "article", "--latency", "9..2ms"],
            "`9..2ms` is not a range",
        ),
        (
            &["run", "article", "--batch-size", "11"],
            "Maximum batch window in seconds",
        ),
        (
            &["run", "article", "--function-timeout", "16m"],
            "function timeout 960 s is out of range",
        ),
        (
            &["run", "article", "--function-timeout", "500ms"],
            "function timeout 0.5 s is out of range",
        ),
        (
            &["run", "article", "--visibility-timeout", "5s"],
            "Queue visibility timeout: 5 seconds is less than Function timeout: 30 seconds",
        ),
        (
            &["run", "article", "--visibility-timeout", "13h"],
            "visibility timeout 46800 s is out of range",
        ),
        (
            &["run", "article", "--visibility-mode", "que"],
            "did you mean `queue`?",
        ),
        (
            &["run", "article", "--max-receive-count", "0"],
            "max receive count 0 is out of range",
        ),
        (&["run"], "<SCENARIO>"),
        (&["rnu", "article"], "rnu"),
        (&[], "Usage"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(
            stderr(&output).contains(message),
            "{arguments:?} says: {}",
            stderr(&output)
        );
        assert_eq!(stdout(&output), "", "{arguments:?}");
    }
}

#[test]
fn environment_variables_stand_in_for_flags_and_flags_win() {
    let output = lab(&["run", "article", "--format", "json"])
        .env("LAB_COPIES", "6")
        .output()
        .expect("the binary runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["runs"][1]["sent"], 6);
    let output = lab(&["run", "article", "--format", "json", "--copies", "7"])
        .env("LAB_COPIES", "6")
        .output()
        .expect("the binary runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["runs"][1]["sent"], 7);
}

#[test]
fn colour_comes_when_asked_for_and_not_into_a_pipe() {
    assert!(!stdout(&run(&["run", "article"])).contains('\x1b'));
    assert!(stdout(&run(&["run", "article", "--color", "always"])).contains('\x1b'));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = lab(&["run", "article", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_environment_failure() {
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("Linux has it");
    let output = lab(&["run", "article"])
        .stdout(full)
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(3));
    assert!(
        stderr(&output).starts_with("error: standard output cannot be written: "),
        "{}",
        stderr(&output)
    );
}

#[test]
fn completions_name_the_subcommands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = run(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        assert!(stdout(&output).contains("completions"), "{shell}");
        assert!(stdout(&output).contains("article") || stdout(&output).contains("run"));
    }
}

#[test]
fn the_scenarios_are_listed_with_what_they_expect() {
    let output = run(&["run", "--list"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(text.contains("article"), "{text}");
    assert!(text.contains("DOUBLE"), "{text}");
}
