//! Which messages came back from the dead-letter queue: a redrive gives them new ids, and only who
//! receives them learns these.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;

use crate::ports::{
    BatchFailure, Caller, MessageAttribute, Outgoing, PortError, Queue, QueueDepth, QueueSettings,
    ReceiptHandle, ReceiveRequest, Received, Sent,
};
use crate::worker::RUN_ATTRIBUTE;

/// A queue that remembers the ids of messages that were received although nobody sent them, as
/// long as a redrive explains them.
pub(super) struct RecordingQueue {
    inner: Arc<dyn Queue>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    known: HashSet<String>,
    /// Messages that were moved and have not been received yet.
    moved: u64,
    /// Run and new id of those that have.
    redriven: Vec<(String, Box<str>)>,
}

impl RecordingQueue {
    pub(super) fn new(inner: Arc<dyn Queue>) -> Self {
        Self {
            inner,
            state: Mutex::default(),
        }
    }

    /// So many messages were moved back.
    pub(super) fn expect_moved(&self, moved: u64) {
        self.state().moved += moved;
    }

    /// The new ids of the messages of a run that were moved back.
    pub(super) fn redriven(&self, run: &str) -> Vec<Box<str>> {
        let state = self.state();
        let of_run = state.redriven.iter().filter(|(of, _)| of == run);
        of_run.map(|(_, id)| id.clone()).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self, message: &Received) {
        if self.moved == 0 || !self.known.insert(message.message_id.clone()) {
            return;
        }
        self.moved -= 1;
        if let Some(MessageAttribute::Text { value, .. }) = message.attributes.get(RUN_ATTRIBUTE) {
            let id = message.message_id.as_str().into();
            self.redriven.push((value.clone(), id));
        }
    }
}

#[async_trait]
impl Queue for RecordingQueue {
    async fn send(&self, by: &Caller, message: Outgoing) -> Result<Sent, PortError> {
        let sent = self.inner.send(by, message).await?;
        self.state().known.insert(sent.message_id.clone());
        Ok(sent)
    }

    async fn send_batch(
        &self,
        by: &Caller,
        messages: Vec<Outgoing>,
    ) -> Result<Vec<Result<Sent, BatchFailure>>, PortError> {
        let results = self.inner.send_batch(by, messages).await?;
        let ids = results.iter().flatten().map(|sent| sent.message_id.clone());
        self.state().known.extend(ids);
        Ok(results)
    }

    async fn receive(
        &self,
        by: &Caller,
        request: ReceiveRequest,
    ) -> Result<Vec<Received>, PortError> {
        let messages = self.inner.receive(by, request).await?;
        let mut state = self.state();
        messages.iter().for_each(|message| state.take(message));
        drop(state);
        Ok(messages)
    }

    async fn delete_batch(
        &self,
        by: &Caller,
        handles: &[ReceiptHandle],
    ) -> Result<Vec<BatchFailure>, PortError> {
        self.inner.delete_batch(by, handles).await
    }

    async fn change_visibility(
        &self,
        by: &Caller,
        handle: &ReceiptHandle,
        timeout: Duration,
    ) -> Result<(), PortError> {
        self.inner.change_visibility(by, handle, timeout).await
    }

    async fn settings(&self, by: &Caller) -> Result<QueueSettings, PortError> {
        self.inner.settings(by).await
    }

    async fn depth(&self, by: &Caller) -> Result<QueueDepth, PortError> {
        self.inner.depth(by).await
    }
}
