//! The queue behind the wire.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::{Operation, Outcome, Wire};
use crate::ports::{
    BatchFailure, Caller, Outgoing, PortError, Queue, QueueDepth, QueueSettings, ReceiptHandle,
    ReceiveRequest, Received, Sent,
};

/// A queue whose calls are recorded.
pub struct WiredQueue {
    wire: Arc<Wire>,
    queue: Arc<dyn Queue>,
}

impl WiredQueue {
    /// Puts `queue` behind `wire`.
    pub fn new(wire: Arc<Wire>, queue: Arc<dyn Queue>) -> Self {
        Self { wire, queue }
    }
}

fn outcome<T>(result: &Result<T, PortError>) -> Outcome {
    match result {
        Ok(_) => Outcome::Applied,
        Err(_) => Outcome::Failed,
    }
}

#[async_trait]
impl Queue for WiredQueue {
    async fn send(&self, by: &Caller, message: Outgoing) -> Result<Sent, PortError> {
        self.wire.travel(by).await;
        let result = self.queue.send(by, message).await;
        self.wire
            .record(by, Operation::SendMessage, outcome(&result));
        result
    }

    async fn send_batch(
        &self,
        by: &Caller,
        messages: Vec<Outgoing>,
    ) -> Result<Vec<Result<Sent, BatchFailure>>, PortError> {
        self.wire.travel(by).await;
        let result = self.queue.send_batch(by, messages).await;
        match &result {
            Ok(entries) => {
                for entry in entries {
                    let outcome = match entry {
                        Ok(_) => Outcome::Applied,
                        Err(_) => Outcome::Failed,
                    };
                    self.wire.record(by, Operation::SendMessage, outcome);
                }
            }
            Err(_) => self
                .wire
                .record(by, Operation::SendMessage, Outcome::Failed),
        }
        result
    }

    async fn receive(
        &self,
        by: &Caller,
        request: ReceiveRequest,
    ) -> Result<Vec<Received>, PortError> {
        self.wire.travel(by).await;
        let result = self.queue.receive(by, request).await;
        let entries = result.as_ref().map_or(1, |messages| messages.len().max(1));
        for _ in 0..entries {
            self.wire
                .record(by, Operation::ReceiveMessage, outcome(&result));
        }
        result
    }

    async fn delete_batch(
        &self,
        by: &Caller,
        handles: &[ReceiptHandle],
    ) -> Result<Vec<BatchFailure>, PortError> {
        self.wire.travel(by).await;
        let result = self.queue.delete_batch(by, handles).await;
        for index in 0..handles.len() {
            let failed = result.as_ref().map_or(true, |failures| {
                failures.iter().any(|failure| failure.index == index)
            });
            let outcome = if failed {
                Outcome::Failed
            } else {
                Outcome::Applied
            };
            self.wire.record(by, Operation::DeleteMessage, outcome);
        }
        result
    }

    async fn change_visibility(
        &self,
        by: &Caller,
        handle: &ReceiptHandle,
        timeout: Duration,
    ) -> Result<(), PortError> {
        self.wire.travel(by).await;
        let result = self.queue.change_visibility(by, handle, timeout).await;
        self.wire
            .record(by, Operation::ChangeMessageVisibility, outcome(&result));
        result
    }

    async fn settings(&self, by: &Caller) -> Result<QueueSettings, PortError> {
        self.queue.settings(by).await
    }

    async fn depth(&self, by: &Caller) -> Result<QueueDepth, PortError> {
        self.queue.depth(by).await
    }
}
