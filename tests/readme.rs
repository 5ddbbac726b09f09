//! The README says what the program prints.

use std::process::{Command, Output};

const README: &str = include_str!("../README.md");

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

/// The fenced blocks of that language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    README
        .split(&fence)
        .skip(1)
        .map(|rest| rest.split("\n```").next().unwrap_or(rest))
        .collect()
}

#[test]
fn the_report_on_top_is_what_the_first_command_prints() {
    let output = lab(&["run", "article"]);
    let printed = String::from_utf8(output.stdout).expect("text");
    assert_eq!(blocks("text")[0], printed.trim_end());
}

#[test]
fn every_command_shown_is_accepted() {
    let mut commands = 0;
    for line in blocks("sh").into_iter().flat_map(str::lines) {
        let Some(command) = line.strip_prefix("lab ") else {
            continue;
        };
        let command = command.split('#').next().unwrap_or(command);
        // A hundred thousand copies are for a release build.
        let command = command.replace("100000", "1000");
        let output = Command::new("sh")
            .args(["-c", &format!("exec \"$LAB\" {command}")])
            .env("LAB", env!("CARGO_BIN_EXE_lab"))
            .output()
            .expect("a shell");
        let code = output.status.code();
        assert!(
            matches!(code, Some(0 | 1 | 4)),
            "`lab {command}` ends with {code:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        commands += 1;
    }
    assert!(commands >= 5, "{commands} commands");
}

#[test]
fn every_exit_code_is_documented() {
    use lab::failure::exit;
    for code in [
        exit::EXPECTED,
        exit::NOT_IDEMPOTENT,
        exit::USAGE,
        exit::ENVIRONMENT,
        exit::INCONCLUSIVE,
        exit::CONTROLS,
        exit::BUG,
    ] {
        assert!(README.contains(&format!("| {code} | ")), "exit code {code}");
    }
}
