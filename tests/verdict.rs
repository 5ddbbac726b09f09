//! Evidence and its judge: real runs of the embedded cloud under every guard and every fault, and
//! the same evidence with something missing.

#[path = "verdict/bench.rs"]
mod bench;
#[path = "verdict/charges.rs"]
mod charges;
#[path = "verdict/checks.rs"]
mod checks;
#[path = "verdict/faults.rs"]
mod faults;
#[path = "verdict/gaps.rs"]
mod gaps;
#[path = "verdict/verdicts.rs"]
mod verdicts;
