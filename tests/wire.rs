//! Faults on the wire: every action at every call, and nothing of the sort without its rule.

#[path = "wire/bench.rs"]
mod bench;
#[path = "wire/consumer.rs"]
mod consumer;
#[path = "wire/order.rs"]
mod order;
#[path = "wire/queue.rs"]
mod queue;
#[path = "wire/text.rs"]
mod text;
