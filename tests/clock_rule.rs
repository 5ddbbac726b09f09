//! Same seed, same bytes: time comes from one file, and so does chance.

mod source;

use std::path::Path;

use source::{files, paths_from, tokens};

/// The only file that may ask the system for the time.
const CLOCK: &str = "cloud/clock.rs";

/// The only file that may draw random numbers.
const ENTROPY: &str = "entropy.rs";

/// Names that stand for the system's clock wherever they are found. `UNIX_EPOCH` is one, because
/// `UNIX_EPOCH.elapsed()` reads the clock.
const CLOCK_NAMES: [&str; 3] = ["SystemTime", "UNIX_EPOCH", "chrono"];

/// Calls that read a clock, whatever path leads to them.
const CLOCK_CALLS: [(&str, &str); 3] = [("Instant", "now"), ("Timestamp", "now"), ("Zoned", "now")];

/// Sources of chance that need no seed, or that would be a second one.
const CHANCE_NAMES: [&str; 4] = ["rand_chacha", "rand_core", "fastrand", "getrandom"];

/// Calls that draw a random number.
const CHANCE_CALLS: [(&str, &str); 3] = [
    ("Uuid", "new_v4"),
    ("Uuid", "now_v7"),
    ("RandomState", "new"),
];

/// What a file names although only another file may.
fn violations(file: &Path, text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    if file != Path::new(CLOCK) {
        found.extend(named(&tokens, &CLOCK_NAMES, &CLOCK_CALLS));
        let std_instant = ["time", "Instant"];
        let paths = paths_from("std", &tokens);
        let instants = paths
            .iter()
            .filter(|path| path.starts_with(&std_instant.map(str::to_owned)));
        found.extend(instants.map(|_| "std::time::Instant".to_owned()));
    }
    if file != Path::new(ENTROPY) {
        found.extend(named(&tokens, &CHANCE_NAMES, &CHANCE_CALLS));
        // `rand` alone could be a variable.
        let rand = !paths_from("rand", &tokens).is_empty();
        found.extend(rand.then(|| "rand".to_owned()));
    }
    found
        .into_iter()
        .map(|name| format!("{}: `{name}`", file.display()))
        .collect()
}

fn named(tokens: &[String], names: &[&str], calls: &[(&str, &str)]) -> Vec<String> {
    let name = |token: &&String| names.contains(&token.as_str());
    let mut found: Vec<String> = tokens.iter().filter(name).cloned().collect();
    for window in tokens.windows(3) {
        let [of, "::", call] = [0, 1, 2].map(|index| window[index].as_str()) else {
            continue;
        };
        if calls.contains(&(of, call)) {
            found.push(format!("{of}::{call}"));
        }
    }
    found
}

#[test]
fn only_the_clock_reads_the_time_and_only_entropy_draws() {
    let files = files();
    for known in [CLOCK, ENTROPY] {
        assert!(
            files.iter().any(|(file, _)| file == Path::new(known)),
            "{known} is missing"
        );
    }
    let found: Vec<String> = files
        .iter()
        .flat_map(|(file, text)| violations(file, text))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_way_to_the_clock_or_to_chance_is_found() {
    for (text, name) in [
        ("use std::time::SystemTime;", "SystemTime"),
        ("let t = std::time::UNIX_EPOCH.elapsed();", "UNIX_EPOCH"),
        ("use std::time::{Duration, Instant};", "std::time::Instant"),
        (
            "use std::{fmt, time::{Instant as I}};",
            "std::time::Instant",
        ),
        ("let t: std::time::Instant = x;", "std::time::Instant"),
        ("let t = tokio::time::Instant::now();", "Instant::now"),
        ("let t = jiff::Timestamp::now();", "Timestamp::now"),
        ("let t = Zoned::now();", "Zoned::now"),
        ("use chrono::Utc;", "chrono"),
        ("let x: u64 = rand::random();", "rand"),
        ("use rand_chacha::ChaCha8Rng;", "rand_chacha"),
        ("let x = fastrand::u64(..);", "fastrand"),
        ("let id = uuid::Uuid::new_v4();", "Uuid::new_v4"),
    ] {
        assert_eq!(
            violations(Path::new("worker/host.rs"), text),
            [format!("worker/host.rs: `{name}`")],
            "{text}"
        );
    }
}

#[test]
fn the_clock_and_entropy_may_and_words_in_comments_do_not_count() {
    for (file, text) in [
        (
            CLOCK,
            "use std::time::SystemTime; fn f() { Instant::now(); }",
        ),
        (ENTROPY, "use rand_chacha::ChaCha8Rng;"),
        (
            "worker/host.rs",
            "// SystemTime\n/// [`Instant::now`]\nconst A: &str = \"fastrand\";",
        ),
        (
            "worker/host.rs",
            "use std::time::Duration; fn f(rand: u64) { clock.now(); }",
        ),
        (
            "worker/host.rs",
            "use tokio::time::Instant; use jiff::Timestamp; use uuid::Uuid;",
        ),
    ] {
        assert_eq!(
            violations(Path::new(file), text),
            Vec::<String>::new(),
            "{text}"
        );
    }
    // Each of the two files may do only its own thing.
    assert_eq!(violations(Path::new(CLOCK), "fastrand::u64(..)").len(), 1);
    assert_eq!(violations(Path::new(ENTROPY), "Instant::now()").len(), 1);
}
