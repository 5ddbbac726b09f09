//! The queue behind the wire.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::passage::Passage;
use super::{Operation, Outcome, Wire};
use crate::ports::{
    BatchFailure, Caller, Outgoing, PortError, Queue, QueueDepth, QueueSettings, ReceiptHandle,
    ReceiveRequest, Received, Sent,
};

/// A queue whose calls are recorded and meet the faults of the wire.
pub struct WiredQueue {
    wire: Arc<Wire>,
    queue: Arc<dyn Queue>,
}

impl WiredQueue {
    /// Puts `queue` behind `wire`.
    pub fn new(wire: Arc<Wire>, queue: Arc<dyn Queue>) -> Self {
        Self { wire, queue }
    }

    /// The rest of a delete of these handles.
    async fn delete_on(
        &self,
        passage: Passage<'_>,
        by: &Caller,
        handles: &[ReceiptHandle],
    ) -> Result<Vec<BatchFailure>, PortError> {
        let apply = |()| self.queue.delete_batch(by, handles);
        self.wire
            .carry(passage, (), apply, |failures, tell| {
                for index in 0..handles.len() {
                    tell(match is_among(failures, Some(index)) {
                        true => Outcome::Failed,
                        false => Outcome::Applied,
                    });
                }
            })
            .await
    }
}

fn outcome<T, E>(result: &Result<T, E>) -> Outcome {
    match result {
        Ok(_) => Outcome::Applied,
        Err(_) => Outcome::Failed,
    }
}

fn is_among(failures: &[BatchFailure], index: Option<usize>) -> bool {
    failures.iter().any(|failure| Some(failure.index) == index)
}

#[async_trait]
impl Queue for WiredQueue {
    async fn send(&self, by: &Caller, message: Outgoing) -> Result<Sent, PortError> {
        let apply = |message| self.queue.send(by, message);
        self.wire
            .call(by, Operation::SendMessage, message, apply, |_, tell| {
                tell(Outcome::Applied);
            })
            .await
    }

    async fn send_batch(
        &self,
        by: &Caller,
        mut messages: Vec<Outgoing>,
    ) -> Result<Vec<Result<Sent, BatchFailure>>, PortError> {
        let operation = Operation::SendMessage;
        let passage = self.wire.before(by, operation, messages.len()).await?;
        let refused = passage.refusals.clone();
        let mut indexes = 0..;
        messages.retain(|_| !is_among(&refused, indexes.next()));
        let mut results = Vec::new();
        if refused.is_empty() || !messages.is_empty() {
            let apply = |messages| self.queue.send_batch(by, messages);
            results = self
                .wire
                .carry(passage, messages, apply, |results, tell| {
                    results.iter().for_each(|result| tell(outcome(result)));
                })
                .await?;
        }
        for failure in refused {
            results.insert(failure.index, Err(failure));
        }
        for (index, result) in results.iter_mut().enumerate() {
            if let Err(failure) = result {
                failure.index = index;
            }
        }
        Ok(results)
    }

    async fn delete_batch(
        &self,
        by: &Caller,
        handles: &[ReceiptHandle],
    ) -> Result<Vec<BatchFailure>, PortError> {
        let operation = Operation::DeleteMessage;
        let passage = self.wire.before(by, operation, handles.len()).await?;
        if passage.refusals.is_empty() {
            return self.delete_on(passage, by, handles).await;
        }
        let refused = passage.refusals.clone();
        let (indexes, kept): (Vec<usize>, Vec<ReceiptHandle>) = handles
            .iter()
            .cloned()
            .enumerate()
            .filter(|(index, _)| !is_among(&refused, Some(*index)))
            .unzip();
        let mut failures = Vec::new();
        if !kept.is_empty() {
            failures = self.delete_on(passage, by, &kept).await?;
        }
        for failure in &mut failures {
            failure.index = indexes[failure.index];
        }
        failures.extend(refused);
        failures.sort_by_key(|failure| failure.index);
        Ok(failures)
    }

    async fn receive(
        &self,
        by: &Caller,
        request: ReceiveRequest,
    ) -> Result<Vec<Received>, PortError> {
        let apply = |request| self.queue.receive(by, request);
        let operation = Operation::ReceiveMessage;
        self.wire
            .call(by, operation, request, apply, |messages, tell| {
                if messages.is_empty() {
                    tell(Outcome::Empty);
                }
                messages.iter().for_each(|_| tell(Outcome::Applied));
            })
            .await
    }

    async fn change_visibility(
        &self,
        by: &Caller,
        handle: &ReceiptHandle,
        timeout: Duration,
    ) -> Result<(), PortError> {
        let apply = |()| self.queue.change_visibility(by, handle, timeout);
        let operation = Operation::ChangeMessageVisibility;
        self.wire
            .call(by, operation, (), apply, |(), tell| tell(Outcome::Applied))
            .await
    }

    async fn settings(&self, by: &Caller) -> Result<QueueSettings, PortError> {
        self.queue.settings(by).await
    }

    async fn depth(&self, by: &Caller) -> Result<QueueDepth, PortError> {
        self.queue.depth(by).await
    }
}
