//! The embedded SQS, rule by rule.

mod administration;
mod batches;
mod clock;
mod dead_letter;
mod digests;
mod faults;
mod fifo;
mod long_polling;
mod port;
mod properties;
mod receipts;
mod standard;
mod support;
mod validation;
