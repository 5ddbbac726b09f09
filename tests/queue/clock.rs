//! Tokio's paused time as the clock of the lab.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use lab::cloud::queue::{QueueConfig, QueueService};
use lab::entropy::Entropy;
use lab::ports::{Clock, Timestamp};
use tokio::time::Instant;

use crate::support::{START, map};

pub(crate) struct PausedClock {
    base: Instant,
}

#[async_trait]
impl Clock for PausedClock {
    fn now(&self) -> Timestamp {
        START + self.base.elapsed()
    }

    async fn sleep_until(&self, deadline: Timestamp) {
        tokio::time::sleep_until(self.base + deadline.since(START)).await;
    }
}

/// A service with the queue `orders`, at the beginning of time.
pub(crate) fn service(config: QueueConfig, attributes: &[(&str, &str)]) -> Arc<QueueService> {
    let clock = PausedClock {
        base: Instant::now(),
    };
    let service = QueueService::new(Arc::new(clock), Arc::new(Entropy::seeded(7)), config);
    create(&service, "orders", attributes);
    service
}

pub(crate) fn create(service: &QueueService, name: &str, attributes: &[(&str, &str)]) {
    let attributes = map(attributes);
    service
        .with(|queues, now, entropy| queues.create_queue(now, entropy, name, &attributes))
        .unwrap();
}

/// Milliseconds since the beginning of time.
pub(crate) fn elapsed(service: &QueueService) -> u64 {
    service.with(|_, now, _| now).since(START).as_millis() as u64
}

pub(crate) async fn pass(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}
