//! Imports point one way. This test reads every path under `src` that leads to another room.

mod source;

use std::path::Path;

use source::{files, paths_from, tokens};

/// The rooms from top to bottom. A room may use every room of a lower row, and none beside it.
const ROWS: [&[&str]; 6] = [
    &["cli"],
    &[
        "experiment",
        "explore",
        "report",
        "store",
        "endpoint",
        "aws",
    ],
    &["mapping", "verdict", "cloud", "logfile"],
    &["worker"],
    &["ports"],
    &["order", "event"],
];

/// Everybody may use these. They use nobody.
const LEAVES: [&str; 2] = ["entropy", "failure"];

/// `insights` stands alone: it uses nobody, and only these use it.
const USERS_OF_INSIGHTS: [&str; 5] = ["cli", "experiment", "verdict", "cloud", "logfile"];

/// Single names that may be used although their room may not: from, to, names.
const EXCEPTIONS: [(&str, &str, &[&str]); 2] = [
    // What an experiment hands over is what every format prints.
    ("experiment", "report", &["JudgedRun", "Report"]),
    // An order id is a partition key, so the limit of keys is its limit.
    ("order", "ports", &["MAX_KEY_BYTES"]),
];

/// Rooms of which only some names may be used although they lie lower: from, to, names.
const NARROW: [(&str, &str, &[&str]); 1] = [
    // A verdict is drawn from evidence. All that it knows of the worker is which guard was meant
    // and what that guard leaves behind.
    (
        "verdict",
        "worker",
        &["EffectSite", "GuardName", "KeyStrategy"],
    ),
];

fn is_room(name: &str) -> bool {
    ROWS.iter().any(|row| row.contains(&name)) || LEAVES.contains(&name) || name == "insights"
}

fn lies_lower(from: &str, to: &str) -> bool {
    let row = |room: &str| ROWS.iter().position(|row| row.contains(&room));
    matches!((row(from), row(to)), (Some(from), Some(to)) if from < to)
}

/// Whether the room `from` may use `path`, whose first part is a room.
fn allowed(from: &str, path: &[String]) -> bool {
    let to = path[0].as_str();
    let name = path.get(1).map_or("", String::as_str);
    let listed = |list: &[(&str, &str, &[&str])]| {
        let entry = list.iter().find(|each| (each.0, each.1) == (from, to));
        entry.map(|each| each.2.contains(&name))
    };
    match (from, to) {
        _ if from == to => true,
        // The binary and the root of the library know how to start the program, no more.
        ("main" | "lib", _) => to == "cli" || LEAVES.contains(&to),
        ("insights" | "entropy" | "failure", _) => false,
        (_, "entropy" | "failure") => true,
        (_, "insights") => USERS_OF_INSIGHTS.contains(&from),
        // It reads any log, so it knows nothing of ours.
        ("logfile", _) => false,
        _ => listed(&EXCEPTIONS)
            .or(listed(&NARROW))
            .unwrap_or_else(|| lies_lower(from, to)),
    }
}

/// The arrows that point the wrong way in a file with this path under `src`.
fn violations(file: &Path, text: &str) -> Vec<String> {
    let mut modules: Vec<String> = file
        .with_extension("")
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    modules.retain(|part| part != "mod");
    let room = modules[0].as_str();
    let tokens = tokens(text);
    let mut paths = paths_from("crate", &tokens);
    if room == "main" {
        paths.extend(paths_from("lab", &tokens));
    }
    paths.extend(climbed(modules.len(), &tokens));
    paths
        .iter()
        .filter(|path| !is_room(&path[0]) || !allowed(room, path))
        .map(|path| {
            format!(
                "{}: `{room}` must not use `{}`",
                file.display(),
                path.join("::")
            )
        })
        .collect()
}

/// Paths to rooms that climb out of a file with `super`, which is `depth` steps below the root.
/// Inline modules lie deeper; a path that stays in the room because of that is not one of these,
/// unless it leads to something that is called like a room.
fn climbed(depth: usize, tokens: &[String]) -> Vec<Vec<String>> {
    let mut paths = paths_from("super", tokens);
    paths.retain_mut(|path| {
        let steps = 1 + path.iter().take_while(|part| *part == "super").count();
        path.drain(..steps - 1);
        steps >= depth && path.first().is_some_and(|name| is_room(name))
    });
    paths
}

#[test]
fn no_import_points_back() {
    let files = files();
    assert!(files.len() > 20, "the source is missing");
    let found: Vec<String> = files
        .iter()
        .flat_map(|(file, text)| violations(file, text))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn violations_in(file: &str, text: &str) -> Vec<String> {
    violations(Path::new(file), text)
        .into_iter()
        .map(|violation| violation.replace(&format!("{file}: "), ""))
        .collect()
}

#[test]
fn arrows_that_point_back_or_sideways_are_found() {
    for (file, text, found) in [
        (
            "ports/queue.rs",
            "use crate::worker::Function;",
            "`ports` must not use `worker::Function`",
        ),
        (
            "worker/host.rs",
            "fn f() { let clock = crate::cloud::clock::RealClock; }",
            "`worker` must not use `cloud::clock::RealClock`",
        ),
        (
            "mapping/run.rs",
            "use crate::{ports::Queue, cloud::queue::{self, MemoryQueue}};",
            "`mapping` must not use `cloud::queue::self`, `mapping` must not use `cloud::queue::MemoryQueue`",
        ),
        (
            "report/text.rs",
            "use crate::experiment::Plan;",
            "`report` must not use `experiment::Plan`",
        ),
        (
            "experiment/runner.rs",
            "use crate::report::{JudgedRun, render};",
            "`experiment` must not use `report::render`",
        ),
        (
            "verdict/record.rs",
            "use crate::worker::{GuardName, Host as H};",
            "`verdict` must not use `worker::Host`",
        ),
        (
            "order.rs",
            "use crate::ports::{MAX_KEY_BYTES, Queue};",
            "`order` must not use `ports::Queue`",
        ),
        (
            "insights/parse.rs",
            "use crate::failure::Failure;",
            "`insights` must not use `failure::Failure`",
        ),
        (
            "report/json.rs",
            "use crate::insights::Query;",
            "`report` must not use `insights::Query`",
        ),
        (
            "logfile/text.rs",
            "use crate::event::Event;",
            "`logfile` must not use `event::Event`",
        ),
        (
            "entropy.rs",
            "use crate::ports;",
            "`entropy` must not use `ports`",
        ),
        ("order.rs", "use crate::*;", "`order` must not use `*`"),
        (
            "worker/a.rs",
            "use crate::attic::Old;",
            "`worker` must not use `attic::Old`",
        ),
        (
            "main.rs",
            "lab::cloud::clock();",
            "`main` must not use `cloud::clock`",
        ),
        (
            "ports/till.rs",
            "use super::super::cloud;",
            "`ports` must not use `cloud`",
        ),
        (
            "event.rs",
            "use super::{order::Order, order};",
            "`event` must not use `order::Order`, `event` must not use `order`",
        ),
        (
            "worker/guard/name.rs",
            "#[cfg(test)] mod tests { use crate::report::Report; }",
            "`worker` must not use `report::Report`",
        ),
    ] {
        assert_eq!(
            violations_in(file, text).join(", "),
            found,
            "{file}: {text}"
        );
    }
}

#[test]
fn arrows_that_point_down_are_allowed() {
    for (file, text) in [
        (
            "cli/run.rs",
            "use crate::{experiment::{Plan, run}, report, insights::Query, order::Order};",
        ),
        (
            "logfile/part.rs",
            "use crate::{failure::Failure, insights::Record};",
        ),
        (
            "report/table.rs",
            "use crate::verdict::{self, Verdict}; use crate::report::fixtures;",
        ),
        (
            "experiment/runner.rs",
            "use crate::report::{JudgedRun, Report}; use crate::cloud;",
        ),
        (
            "verdict/queries.rs",
            "use crate::insights::Query; use crate::worker::GuardName;",
        ),
        (
            "mapping/run.rs",
            "use crate::worker::Function; use crate::failure::Failure;",
        ),
        (
            "order.rs",
            "use crate::ports::MAX_KEY_BYTES; mod tests { use super::*; }",
        ),
        (
            "ports/till.rs",
            "use crate::order::{Amount, OrderId}; use super::queue::Queue;",
        ),
        ("main.rs", "fn main() -> ExitCode { lab::cli::main() }"),
        ("lib.rs", "pub mod cloud; pub(crate) mod order;"),
        (
            "worker/guard/claim.rs",
            "use super::super::delivery::Delivery;",
        ),
        (
            "worker/host.rs",
            "// use crate::cloud::Queue;\n/// [`crate::report`]\nfn f() {}",
        ),
        (
            "worker/host.rs",
            "/* a /* crate::cloud::A */ crate::cloud::B */ fn f() {}",
        ),
        (
            "worker/host.rs",
            r##"const A: &str = "crate::cloud::\"A"; const B: &str = r#"crate::cloud::"B"#;"##,
        ),
        (
            "worker/host.rs",
            "fn f<'a>(c: char) -> &'a str { match c { '\"' | '\\'' | '{' => other_crate::cloud::X, _ => X } }",
        ),
    ] {
        assert_eq!(
            violations_in(file, text),
            Vec::<String>::new(),
            "{file}: {text}"
        );
    }
}

#[test]
fn what_follows_a_literal_is_read() {
    for text in [
        r#"const A: char = '"'; use crate::cloud::A;"#,
        r"const A: char = '\''; use crate::cloud::A;",
        r#"const A: &str = "\\"; use crate::cloud::A;"#,
        r##"const A: &str = r#"""#; use crate::cloud::A;"##,
        r#"const A: &[u8] = b"\""; use crate::cloud::A;"#,
        "fn f<'r>(r: &'r str) {} use crate::cloud::A;",
        "/* /* */ */ use crate::cloud::A;",
        "let r#type = 1; use crate::cloud::A;",
        "macro_rules! m { () => { $crate::cloud::A } }",
    ] {
        assert_eq!(
            violations_in("worker/host.rs", text),
            ["`worker` must not use `cloud::A`"],
            "{text}"
        );
    }
}
