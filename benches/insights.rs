//! How fast queries go over lines of the lab's worker, against the cheapest thing that could be
//! done with them: looking for the literal text of the filter, once per line and in one sweep, and
//! `grep -c`.
//!
//! `cargo bench --bench insights -- [MIB] [QUERY]` (default 512, all queries). One thread per core, each over its part
//! of the lines; the best of three runs counts.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use lab::insights::{Groups, Options, Record, Source, SourceError, compile};
use regex::Regex;

const CHARGES: &str = r#"filter @message like /"type":"charge_applied"/
| parse @message /"orderId":"(?<orderId>(?:[^"\\]|\\.)*)"/
| parse @message /"messageId":"(?<messageId>[^"]+)"/
| stats count(*) as charges, count_distinct(orderId) as orders, count_distinct(messageId) as messages"#;

const QUERIES: [(&str, &str); 8] = [
    ("charges", CHARGES),
    (
        "filter and count",
        r#"filter @message like /"type":"charge_applied"/ | stats count(*)"#,
    ),
    ("count", "stats count(*)"),
    ("by discovered type", "stats count(*) as events by type"),
    (
        "discovered filter",
        r#"filter type = "charge_applied" and orderId = "ORDER-000003" | stats count(*) as n"#,
    ),
    (
        "newest 100",
        "filter @message like 'charge' | sort @timestamp desc | limit 100",
    ),
    (
        "by message",
        "parse @message '\"messageId\":\"*\"' as id | stats count(*) as n by id | sort n desc | limit 5",
    ),
    (
        "binned",
        "filter @message like 'ERROR' or @message like 'charge' | stats count(*) by bin(1m)",
    ),
];

/// Whole lines of a log in memory.
#[derive(Clone, Copy)]
struct Lines<'a>(&'a str);

impl Source for Lines<'_> {
    fn scan(
        &mut self,
        _: &Groups,
        visit: &mut dyn FnMut(Record<'_>) -> ControlFlow<()>,
    ) -> Result<(), SourceError> {
        let mut pointer = 0;
        let mut rest = self.0;
        while !rest.is_empty() {
            let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
            let (line, behind) = rest.split_at(length);
            let record = Record {
                timestamp_millis: 1_790_000_000_000 + pointer as i64,
                pointer,
                ..Record::message(line)
            };
            if visit(record).is_break() {
                break;
            }
            pointer += length as u64;
            rest = behind;
        }
        Ok(())
    }
}

/// Six lines per delivery, one of them a charge; a new order for every ten messages.
fn generate(bytes: usize) -> String {
    let mut log = String::with_capacity(bytes + 2048);
    let mut message = 0;
    while log.len() < bytes {
        let request = format!("5f0c5a5e-3f8f-4d57-9df1-{message:012x}");
        let order = message / 10;
        log.push_str(&format!("START RequestId: {request} Version: $LATEST\n"));
        for event in [
            "process_start",
            "claim_won",
            "charge_applied",
            "process_end",
        ] {
            log.push_str(&format!(
                "2026-09-20T20:58:23.240Z\t{request}\tINFO\t{{\"type\":\"{event}\",\"orderId\":\"ORDER-{order:06}\",\"messageId\":\"{message:08x}-7c1e-4a52-8d0b-9b4f2f6a1c3d\",\"run\":\"r-1\",\"requestId\":\"{request}\",\"guard\":\"claim\",\"receiveCount\":1,\"amount\":150.00}}\n"
            ));
        }
        log.push_str(&format!(
            "REPORT RequestId: {request}\tDuration: 3.01 ms\tBilled Duration: 4 ms\tMemory Size: 128 MB\tMax Memory Used: 36 MB\t\n"
        ));
        message += 1;
    }
    log
}

/// Parts of about the same size that end with a line.
fn split(log: &str, count: usize) -> Vec<Lines<'_>> {
    let mut parts = Vec::new();
    let mut rest = log;
    for left in (1..=count).rev() {
        let about = rest.len() / left;
        let end = rest[about..]
            .find('\n')
            .map_or(rest.len(), |at| about + at + 1);
        let (part, behind) = rest.split_at(if left == 1 { rest.len() } else { end });
        parts.push(Lines(part));
        rest = behind;
    }
    parts
}

fn best<T: PartialEq + std::fmt::Debug>(mut run: impl FnMut() -> T) -> (Duration, T) {
    let time = |run: &mut dyn FnMut() -> T| {
        let start = Instant::now();
        let result = run();
        (start.elapsed(), result)
    };
    let (mut least, result) = time(&mut run);
    for _ in 0..2 {
        let (again, same) = time(&mut run);
        assert_eq!(result, same, "a run gave another result");
        least = least.min(again);
    }
    (least, result)
}

fn gigabytes_per_second(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / time.as_secs_f64() / 1e9
}

/// The time of `grep -c` over the same lines in a file, where there is a `grep`.
fn grep_count(log: &str, expected: usize) -> Option<Duration> {
    let file = tempfile::NamedTempFile::new().ok()?;
    std::fs::write(file.path(), log).ok()?;
    let count = || {
        let mut grep = std::process::Command::new("grep");
        let output = grep
            .args(["-c", "-F", "\"type\":\"charge_applied\""])
            .arg(file.path())
            .output();
        String::from_utf8(output.ok()?.stdout)
            .ok()?
            .trim()
            .parse::<usize>()
            .ok()
    };
    let (time, counted) = best(count);
    (counted? == expected).then_some(time)
}

fn in_threads<'a>(parts: &[Lines<'a>], work: impl Fn(&'a str) -> usize + Sync) -> usize {
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = parts
            .iter()
            .map(|part| scope.spawn(move || work(part.0)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a count"))
            .sum()
    })
}

fn main() {
    let mebibytes = std::env::args()
        .skip(1)
        .find_map(|argument| argument.parse().ok());
    let log = generate(mebibytes.unwrap_or(512_usize) << 20);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let parts = split(&log, cores);
    let lines = log.bytes().filter(|byte| *byte == b'\n').count();
    println!(
        "{lines} lines, {:.2} GB, {cores} threads",
        log.len() as f64 / 1e9
    );

    let needle = Regex::new("\"type\":\"charge_applied\"").expect("a literal");
    let (sweep, found) = best(|| in_threads(&parts, |part| needle.find_iter(part).count()));
    let (grep, matched) = best(|| {
        in_threads(&parts, |part| {
            part.split('\n')
                .filter(|line| needle.is_match(line))
                .count()
        })
    });
    assert_eq!(found, matched);
    let show = |name: &str, time: Duration, rest: &str| {
        println!(
            "{name:<20} {:>6.2} GB/s  {rest}",
            gigabytes_per_second(log.len(), time)
        );
    };
    show("one literal sweep", sweep, &format!("({found} found)"));
    show("literal per line", grep, &format!("({matched} lines)"));

    if let Some(time) = grep_count(&log, matched) {
        show("grep -c, one process", time, &format!("({matched} lines)"));
    }

    let only = std::env::args()
        .skip(1)
        .find(|argument| QUERIES.iter().any(|(name, _)| name == argument));
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    for (name, text) in QUERIES.into_iter().filter(|(name, _)| wanted(name)) {
        let query = compile(text).expect("a query");
        let (time, output) = best(|| {
            query
                .run_parts(&mut parts.clone(), &Options::default())
                .expect("a result")
        });
        let first: Vec<&str> = output
            .rows
            .first()
            .into_iter()
            .flatten()
            .flatten()
            .map(String::as_str)
            .collect();
        let mut shown = first.join(" ").replace('\n', " ");
        shown.truncate(60);
        let ratio = time.as_secs_f64() / grep.as_secs_f64();
        show(
            name,
            time,
            &format!("{ratio:>5.2} x literal per line   {shown}"),
        );
    }
}
