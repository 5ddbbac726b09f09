//! Small logs, and short ways to query them.

use lab::insights::{Options, Output, Record, SliceSource, compile};

/// The lines of four deliveries of one order without a guard, as Node.js writes them on Lambda.
pub(crate) fn charges_log() -> Vec<String> {
    let mut log = Vec::new();
    for copy in 1..=4 {
        for event in ["process_start", "charge_applied", "process_end"] {
            log.push(format!(
                "2026-09-20T20:58:23.24{copy}Z\t5f0c5a5e-3f8f-4d57-9df1-0d1d9b1f2c3{copy}\tINFO\t{{\"type\":\"{event}\",\"orderId\":\"ORDER-003\",\"messageId\":\"m-{copy}\",\"amount\":150.00}}\n"
            ));
        }
    }
    log
}

/// Owned lines.
pub(crate) fn lines<const N: usize>(lines: [&str; N]) -> Vec<String> {
    lines.map(str::to_owned).to_vec()
}

/// Records of these messages, a second apart, the first at 0, with their index as pointer.
pub(crate) fn records<S: AsRef<str>>(messages: &[S]) -> Vec<Record<'_>> {
    let record = |(index, message)| Record {
        timestamp_millis: index as i64 * 1000,
        ingestion_millis: index as i64 * 1000 + 500,
        log: "123456789012:/aws/lambda/worker",
        stream: "2026/09/20/[$LATEST]0123",
        message,
        pointer: index as u64,
    };
    messages
        .iter()
        .map(AsRef::as_ref)
        .enumerate()
        .map(record)
        .collect()
}

/// Runs a query that must compile and succeed.
pub(crate) fn run_with<S: AsRef<str>>(query: &str, messages: &[S], options: &Options) -> Output {
    let compiled = compile(query).unwrap_or_else(|error| panic!("{query}\n{error}"));
    let mut source = SliceSource::new(records(messages));
    compiled
        .run(&mut source, options)
        .unwrap_or_else(|error| panic!("{query}\n{error}"))
}

/// Runs a query with the default options.
pub(crate) fn run<S: AsRef<str>>(query: &str, messages: &[S]) -> Output {
    run_with(query, messages, &Options::default())
}

/// The cells; `-` where there is no value.
pub(crate) fn table(output: &Output) -> Vec<Vec<String>> {
    let cell = |cell: &Option<String>| cell.clone().unwrap_or_else(|| "-".to_owned());
    output
        .rows
        .iter()
        .map(|row| row.iter().map(cell).collect())
        .collect()
}

/// The error of a query that must not compile, as it is shown.
pub(crate) fn refused(query: &str) -> String {
    match compile(query) {
        Ok(_) => panic!("compiles: {query}"),
        Err(error) => error.to_string(),
    }
}
