//! Every guard against what it is for and against what breaks it: through the host, in virtual
//! time, with the table, the till and the log of the embedded cloud. Each weakness that a guard's
//! module names is shown here, and so is the guard that closes it.

#[path = "guards/bench.rs"]
mod bench;
#[path = "guards/content.rs"]
mod content;
#[path = "guards/crash.rs"]
mod crash;
#[path = "guards/faults.rs"]
mod faults;
#[path = "guards/keys.rs"]
mod keys;
#[path = "guards/lease.rs"]
mod lease;
#[path = "guards/lost_answer.rs"]
mod lost_answer;
#[path = "guards/ordinary.rs"]
mod ordinary;
#[path = "guards/process.rs"]
mod process;
#[path = "guards/refusal.rs"]
mod refusal;
#[path = "guards/window.rs"]
mod window;
