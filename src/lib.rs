//! `lab` feeds a queue consumer the same order many times, on purpose and under control, and says
//! from the evidence whether the order was charged once, twice or never.
//!
//! ```text
//!            send              deliver                invoke                 evidence
//! Order ───▶ Queue ──▶ Mapping (pollers, batches) ──▶ Worker ── events ──▶ Log ──▶ Insights ──▶ Verdict ──▶ Report
//!                                                     │    │
//!                                              Claims ◀┘    └▶ Till (the effect: a charge)
//! ```
//!
//! Who may use whom: `cli` → `experiment`, `report` → `verdict`, `mapping`, `cloud` → `worker` →
//! `ports` → `order`, `event`. `insights` uses nothing else of ours, and only `cloud`, `verdict`,
//! `logfile` and `cli` use it; `logfile` uses nothing else. `entropy` and `failure` are leaves.
//! `tests/architecture.rs` holds this.

pub mod cli;
pub mod cloud;
pub mod entropy;
pub mod event;
pub mod experiment;
pub mod failure;
pub mod insights;
pub mod logfile;
pub mod mapping;
pub mod order;
pub mod ports;
pub mod report;
pub mod verdict;
pub mod worker;
