//! The commands that the documentation shows print what it says.

use std::path::Path;
use std::process::Command;

use crate::support::data;

/// A command of a `console` block and what is shown below it.
fn examples(page: &str) -> Vec<(String, String)> {
    let mut examples: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match (
                line.strip_prefix("$ "),
                line.strip_prefix("> "),
                examples.last_mut(),
            ) {
                (Some(command), _, _) => examples.push((command.to_owned(), String::new())),
                (None, Some(more), Some((command, output))) if output.is_empty() => {
                    command.push('\n');
                    command.push_str(more);
                }
                (None, _, Some((_, output))) => {
                    output.push_str(line);
                    output.push('\n');
                }
                _ => panic!("output without a command: {line}"),
            },
        }
    }
    examples
}

#[cfg(unix)]
#[test]
fn the_page_shows_what_the_commands_print() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/query.md")).expect("the page");
    let binaries = Path::new(env!("CARGO_BIN_EXE_lab"))
        .parent()
        .expect("a folder");
    let path = format!(
        "{}:{}",
        binaries.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let examples = examples(&page);
    assert!(examples.len() >= 10, "{} examples", examples.len());
    for (command, shown) in examples {
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1\n{command}")])
            .current_dir(data())
            .env_clear()
            .env("PATH", &path)
            .output()
            .expect("a shell");
        let printed = String::from_utf8(output.stdout).expect("text");
        assert_eq!(printed, shown, "$ {command}");
    }
}
