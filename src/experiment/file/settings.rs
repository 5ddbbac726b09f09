//! Knobs in a file: tables of the defaults, then those of the arm on top.

use std::time::Duration;

use super::super::knobs::Knobs;
use super::section::Section;

/// What a file said about the knobs that hang together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Given {
    /// Whether the visibility timeout was given.
    pub(super) visibility_timeout: bool,
}

/// Reads the tables `queue`, `mapping`, `function`, `till` and `guard_settings`, and the keys
/// beside them, into the knobs. What is not there stays as it is.
pub(super) fn read(section: &mut Section<'_>, knobs: &mut Knobs, given: &mut Given) {
    set(
        &mut knobs.work,
        section.duration("work").map(|found| found.value),
    );
    let latency = section.parsed("latency").map(|found| found.value);
    set(&mut knobs.latency, latency);
    if let Some(function) = section.section("function") {
        read_function(function, knobs);
    }
    if let Some(queue) = section.section("queue") {
        read_queue(queue, knobs, given);
    }
    if let Some(mapping) = section.section("mapping") {
        read_mapping(mapping, knobs);
    }
    if let Some(till) = section.section("till") {
        read_till(till, knobs);
    }
    if let Some(guard) = section.section("guard_settings") {
        read_guard(guard, knobs);
    }
    if !given.visibility_timeout {
        // Six times the function timeout, as Lambda's documentation recommends.
        knobs.visibility_timeout = knobs.function_timeout * 6;
    }
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

fn duration(section: &mut Section<'_>, key: &'static str) -> Option<Duration> {
    section.duration(key).map(|found| found.value)
}

fn read_queue(mut section: Section<'_>, knobs: &mut Knobs, given: &mut Given) {
    if let Some(timeout) = duration(&mut section, "visibility_timeout") {
        knobs.visibility_timeout = timeout;
        given.visibility_timeout = true;
    }
    let lowered = duration(&mut section, "lowered_visibility_timeout");
    if lowered.is_some() {
        knobs.queue.lowered_visibility_timeout = lowered;
    }
    let receives = section.integer("max_receive_count");
    set(
        &mut knobs.max_receive_count,
        receives.map(|found| found.value),
    );
    set(&mut knobs.queue.fifo, section.flag("fifo"));
    let by_content = section.flag("content_based_deduplication");
    set(&mut knobs.queue.content_based_deduplication, by_content);
    set(
        &mut knobs.queue.retention,
        duration(&mut section, "retention"),
    );
    set(&mut knobs.queue.delay, duration(&mut section, "delay"));
    let faults = &mut knobs.queue.faults;
    let duplicates = section.integer("duplicate_deliveries");
    set(
        &mut faults.duplicate_deliveries,
        duplicates.map(|found| found.value),
    );
    let resurrected = section.integer("resurrected_deletes");
    set(
        &mut faults.resurrected_deletes,
        resurrected.map(|found| found.value),
    );
    set(&mut faults.reorder, section.flag("reorder"));
    section.finish();
}

fn read_mapping(mut section: Section<'_>, knobs: &mut Knobs) {
    let mapping = &mut knobs.mapping;
    let batch_size = section.integer("batch_size");
    set(&mut mapping.batch_size, batch_size.map(|found| found.value));
    set(
        &mut mapping.batching_window,
        duration(&mut section, "batching_window"),
    );
    let report = section.flag("report_batch_item_failures");
    set(&mut mapping.report_batch_item_failures, report);
    let concurrency = section.integer::<u32>("maximum_concurrency");
    set(
        &mut mapping.maximum_concurrency,
        concurrency.map(|found| found.value as usize),
    );
    let mode = section.parsed("visibility_mode");
    set(&mut mapping.visibility_mode, mode.map(|found| found.value));
    section.finish();
}

fn read_function(mut section: Section<'_>, knobs: &mut Knobs) {
    set(
        &mut knobs.function_timeout,
        duration(&mut section, "timeout"),
    );
    let reserved = section.integer::<u32>("reserved_concurrency");
    if let Some(reserved) = reserved {
        knobs.function.reserved_concurrency = Some(reserved.value as usize);
    }
    let report = section.flag("report_batch_item_failures");
    set(&mut knobs.function.report_batch_item_failures, report);
    let answer = section.parsed("answer");
    set(&mut knobs.function.answer, answer.map(|found| found.value));
    set(
        &mut knobs.function.clock_skew,
        duration(&mut section, "clock_skew"),
    );
    section.finish();
}

fn read_till(mut section: Section<'_>, knobs: &mut Knobs) {
    set(&mut knobs.till.honours_keys, section.flag("honours_keys"));
    let lifetime = duration(&mut section, "key_lifetime");
    if lifetime.is_some() {
        knobs.till.key_lifetime = lifetime;
    }
    section.finish();
}

fn read_guard(mut section: Section<'_>, knobs: &mut Knobs) {
    set(&mut knobs.guard.window, duration(&mut section, "window"));
    let lease = duration(&mut section, "lease");
    if lease.is_some() {
        knobs.guard.lease = lease;
    }
    set(
        &mut knobs.guard.lease_margin,
        duration(&mut section, "lease_margin"),
    );
    set(
        &mut knobs.guard.consistent_reads,
        section.flag("consistent_reads"),
    );
    section.finish();
}
