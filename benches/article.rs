//! Speed and size of a run on the embedded cloud. Prints figures; judges nothing.
//!
//! ```text
//! cargo bench --bench article              # one order, guard on, growing numbers of copies
//! cargo bench --bench article -- 1000000   # another greatest number
//! ```

use std::cell::Cell;
use std::process::Command;
use std::time::{Duration, Instant};

use lab::experiment::{Overrides, Plan, PlannedArm, Progress, ScenarioName, run};

const CHILD: &str = "--one-run";
const DEFAULT_MOST: u64 = 100_000;

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    match arguments.as_slice() {
        [flag, arm, copies] if flag == CHILD => child(arm, copies.parse().expect("a number")),
        [most] => parent(most.parse().expect("the greatest number of copies")),
        _ => parent(DEFAULT_MOST),
    }
}

/// Each run is a process of its own, so that its peak memory is its own too.
fn parent(most: u64) {
    println!(
        "{:<10} {:>9} {:>12} {:>12} {:>10} {:>10} {:>14}",
        "run", "copies", "delivered/s", "with report", "delivery s", "peak MB", "bytes/message"
    );
    let base = measure("guard-on", 10).peak_bytes;
    for (arm, copies) in [
        ("guard-on", most / 4),
        ("guard-on", most / 2),
        ("guard-on", most),
        ("guard-off", most),
        ("race", most),
    ] {
        let figures = measure(arm, copies);
        println!(
            "{arm:<10} {copies:>9} {:>12.0} {:>12.0} {:>10.2} {:>10.0} {:>14.0}",
            copies as f64 / figures.delivery.as_secs_f64(),
            copies as f64 / figures.total.as_secs_f64(),
            figures.delivery.as_secs_f64(),
            figures.peak_bytes as f64 / 1e6,
            figures.peak_bytes.saturating_sub(base) as f64 / copies as f64,
        );
    }
    println!("base memory {:.1} MB", base as f64 / 1e6);
}

struct Figures {
    delivery: Duration,
    total: Duration,
    peak_bytes: u64,
}

fn measure(arm: &str, copies: u64) -> Figures {
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args([CHILD, arm, &copies.to_string()])
        .output()
        .expect("it can be started again");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    let numbers: Vec<u64> = text
        .split_whitespace()
        .map(|number| number.parse().expect("a number"))
        .collect();
    Figures {
        delivery: Duration::from_nanos(numbers[0]),
        total: Duration::from_nanos(numbers[1]),
        peak_bytes: numbers[2],
    }
}

/// Notes when the copies had been delivered and when the evidence had been read.
struct Stopwatch {
    started: Instant,
    delivery: Cell<Duration>,
}

impl Progress for Stopwatch {
    fn begin(&self, _arm: &PlannedArm) {}
    fn delivered(&self, _invocations: u64) {}
    fn collecting(&self) {
        self.delivery.set(self.started.elapsed());
    }
    fn end(&self) {}
}

fn child(arm: &str, copies: u64) {
    let scenario = "article"
        .parse::<ScenarioName>()
        .and_then(ScenarioName::load)
        .expect("the article");
    let overrides = Overrides {
        copies: Some(copies),
        ..Overrides::default()
    };
    let mut plan = Plan::new(&scenario, 1, &overrides).expect("a plan");
    plan.arms.retain(|planned| planned.name == arm);
    let watch = Stopwatch {
        started: Instant::now(),
        delivery: Cell::default(),
    };
    let runs = run(&plan, &watch).expect("a run");
    let total = watch.started.elapsed();
    assert!(runs[0].as_expected(), "{}", runs[0].judgement.reason);
    println!(
        "{} {} {}",
        watch.delivery.get().as_nanos(),
        total.as_nanos(),
        peak_bytes()
    );
}

/// The process's peak resident memory, where the system tells (Linux); 0 elsewhere.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok())
        .unwrap_or_default()
        * 1024
}
