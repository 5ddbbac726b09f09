//! The port of the lab over one queue of the service.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::ports::{
    BatchFailure, Caller, Outgoing, PortError, Queue, QueueDepth, QueueSettings, ReceiptHandle,
    ReceiveRequest, Received, Sent,
};

use super::batch;
use super::error::QueueError;
use super::request::{ChangeVisibility, ReceiveMessage, SendMessage, whole_seconds};
use super::service::QueueService;

/// One queue of a [`QueueService`], as a [`Queue`].
///
/// SQS counts in whole seconds, so a wait, delay or timeout between two of them becomes the later
/// one. Entries of batch calls have no ids here: they are named by their position.
#[derive(Clone)]
pub struct QueueHandle {
    service: Arc<QueueService>,
    queue: Arc<str>,
}

impl QueueHandle {
    pub(super) fn new(service: Arc<QueueService>, queue: &str) -> Self {
        Self {
            service,
            queue: Arc::from(queue),
        }
    }

    /// The service that the queue belongs to.
    pub fn service(&self) -> &Arc<QueueService> {
        &self.service
    }
}

fn refused(operation: &'static str) -> impl Fn(QueueError) -> PortError {
    move |error| error.into_port_error(operation)
}

fn failure(index: usize, error: QueueError) -> BatchFailure {
    BatchFailure {
        index,
        code: error.code.to_owned(),
        message: error.message,
    }
}

#[async_trait]
impl Queue for QueueHandle {
    async fn send(&self, _by: &Caller, message: Outgoing) -> Result<Sent, PortError> {
        let message = SendMessage::from(message);
        self.service
            .with(|queues, now, entropy| queues.send_message(now, entropy, &self.queue, message))
            .map_err(refused("SendMessage"))
    }

    async fn send_batch(
        &self,
        _by: &Caller,
        messages: Vec<Outgoing>,
    ) -> Result<Vec<Result<Sent, BatchFailure>>, PortError> {
        let messages: Vec<SendMessage> = messages.into_iter().map(SendMessage::from).collect();
        self.service
            .with(|queues, now, entropy| {
                queues.open(now, &self.queue)?;
                batch::check_count("SendMessageBatch", messages.len())?;
                queues.check_batch_size(messages.iter())?;
                let sends = messages.into_iter().enumerate().map(|(index, message)| {
                    let sent = queues.send_message(now, entropy, &self.queue, message);
                    sent.map_err(|error| failure(index, error))
                });
                Ok(sends.collect())
            })
            .map_err(refused("SendMessageBatch"))
    }

    async fn receive(
        &self,
        _by: &Caller,
        request: ReceiveRequest,
    ) -> Result<Vec<Received>, PortError> {
        let request = ReceiveMessage {
            max_messages: request.max_messages.into(),
            wait_seconds: request.wait.map(whole_seconds),
            visibility_timeout_seconds: request.visibility_timeout.map(whole_seconds),
            attempt_id: None,
        };
        let deliveries = self.service.receive_message(&self.queue, &request).await;
        let deliveries = deliveries.map_err(refused("ReceiveMessage"))?;
        Ok(deliveries
            .into_iter()
            .map(|delivery| delivery.received)
            .collect())
    }

    async fn delete_batch(
        &self,
        _by: &Caller,
        handles: &[ReceiptHandle],
    ) -> Result<Vec<BatchFailure>, PortError> {
        self.service
            .with(|queues, now, _| {
                queues.open(now, &self.queue)?;
                batch::check_count("DeleteMessageBatch", handles.len())?;
                let deletes = handles.iter().enumerate().filter_map(|(index, handle)| {
                    let deleted = queues.delete_message(now, &self.queue, &handle.0);
                    deleted.err().map(|error| failure(index, error))
                });
                Ok(deletes.collect())
            })
            .map_err(refused("DeleteMessageBatch"))
    }

    async fn change_visibility(
        &self,
        _by: &Caller,
        handle: &ReceiptHandle,
        timeout: Duration,
    ) -> Result<(), PortError> {
        let change = ChangeVisibility {
            receipt_handle: handle.0.clone(),
            visibility_timeout_seconds: whole_seconds(timeout),
        };
        self.service
            .with(|queues, now, _| queues.change_message_visibility(now, &self.queue, &change))
            .map_err(refused("ChangeMessageVisibility"))
    }

    async fn settings(&self, _by: &Caller) -> Result<QueueSettings, PortError> {
        self.service
            .with(|queues, now, _| queues.settings(now, &self.queue))
            .map_err(refused("GetQueueAttributes"))
    }

    async fn depth(&self, _by: &Caller) -> Result<QueueDepth, PortError> {
        self.service
            .with(|queues, now, _| queues.depth(now, &self.queue))
            .map_err(refused("GetQueueAttributes"))
    }
}
