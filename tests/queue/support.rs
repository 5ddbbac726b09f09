//! One account with queues and a hand-driven time.

use std::collections::BTreeMap;
use std::time::Duration;

use lab::cloud::queue::{
    AttributeMap, ChangeVisibility, Delivery, QueueConfig, QueueError, QueueFaults, QueueTotals,
    Queues, ReceiveMessage, SendMessage,
};
use lab::entropy::Entropy;
use lab::ports::{QueueDepth, Sent, Timestamp};

/// Where the time of the tests begins: 2026-09-20T20:58:23.240Z.
pub(crate) const START: Timestamp = Timestamp::from_millis(1_789_937_903_240);

pub(crate) struct Account {
    pub(crate) queues: Queues,
    pub(crate) entropy: Entropy,
    pub(crate) now: Timestamp,
}

impl Account {
    pub(crate) fn new() -> Self {
        Self::with(QueueConfig::default())
    }

    pub(crate) fn with(config: QueueConfig) -> Self {
        Self {
            queues: Queues::new(config),
            entropy: Entropy::seeded(7),
            now: START,
        }
    }

    /// An account with the standard queue `orders` and the given attributes.
    pub(crate) fn orders(attributes: &[(&str, &str)]) -> Self {
        let mut account = Self::new();
        account.create("orders", attributes);
        account
    }

    /// An account with the FIFO queue `orders.fifo` and the given attributes.
    pub(crate) fn fifo(attributes: &[(&str, &str)]) -> Self {
        let mut account = Self::new();
        let mut all = vec![("FifoQueue", "true")];
        all.extend(attributes);
        account.create("orders.fifo", &all);
        account
    }

    pub(crate) fn pass(&mut self, seconds: u64) {
        self.pass_millis(seconds * 1000);
    }

    pub(crate) fn pass_millis(&mut self, millis: u64) {
        self.now = self.now + Duration::from_millis(millis);
    }

    pub(crate) fn try_create(
        &mut self,
        name: &str,
        attributes: &[(&str, &str)],
    ) -> Result<String, QueueError> {
        self.queues
            .create_queue(self.now, &self.entropy, name, &map(attributes))
    }

    pub(crate) fn create(&mut self, name: &str, attributes: &[(&str, &str)]) -> String {
        self.try_create(name, attributes).unwrap()
    }

    pub(crate) fn set(
        &mut self,
        queue: &str,
        attributes: &[(&str, &str)],
    ) -> Result<(), QueueError> {
        self.queues
            .set_queue_attributes(self.now, queue, &map(attributes))
    }

    pub(crate) fn attributes(&mut self, queue: &str, names: &[&str]) -> AttributeMap {
        self.queues
            .get_queue_attributes(self.now, queue, names)
            .unwrap()
    }

    pub(crate) fn try_send(
        &mut self,
        queue: &str,
        message: SendMessage,
    ) -> Result<Sent, QueueError> {
        self.queues
            .send_message(self.now, &self.entropy, queue, message)
    }

    pub(crate) fn send(&mut self, queue: &str, body: &str) -> String {
        self.try_send(queue, SendMessage::new(body))
            .unwrap()
            .message_id
    }

    pub(crate) fn send_grouped(&mut self, body: &str, group: &str, deduplication_id: &str) -> Sent {
        self.try_send("orders.fifo", grouped(body, group, deduplication_id))
            .unwrap()
    }

    pub(crate) fn try_receive(
        &mut self,
        queue: &str,
        request: &ReceiveMessage,
    ) -> Result<Vec<Delivery>, QueueError> {
        self.queues
            .receive_message(self.now, &self.entropy, queue, request)
    }

    /// A short poll for up to ten messages.
    pub(crate) fn receive(&mut self, queue: &str) -> Vec<Delivery> {
        self.try_receive(queue, &up_to(10)).unwrap()
    }

    /// A short poll that must find exactly one message.
    pub(crate) fn receive_one(&mut self, queue: &str) -> Delivery {
        let mut found = self.try_receive(queue, &up_to(1)).unwrap();
        assert_eq!(found.len(), 1, "a message");
        found.remove(0)
    }

    pub(crate) fn bodies(&mut self, queue: &str) -> Vec<String> {
        bodies(&self.receive(queue))
    }

    pub(crate) fn try_delete(&mut self, queue: &str, handle: &str) -> Result<(), QueueError> {
        self.queues.delete_message(self.now, queue, handle)
    }

    pub(crate) fn delete(&mut self, queue: &str, delivery: &Delivery) {
        self.try_delete(queue, handle(delivery)).unwrap();
    }

    pub(crate) fn change(
        &mut self,
        queue: &str,
        delivery: &Delivery,
        seconds: i64,
    ) -> Result<(), QueueError> {
        let change = ChangeVisibility {
            receipt_handle: handle(delivery).to_owned(),
            visibility_timeout_seconds: seconds,
        };
        self.queues
            .change_message_visibility(self.now, queue, &change)
    }

    /// Visible, in flight, delayed.
    pub(crate) fn depth(&mut self, queue: &str) -> (u64, u64, u64) {
        let QueueDepth {
            visible,
            in_flight,
            delayed,
        } = self.queues.depth(self.now, queue).unwrap();
        (visible, in_flight, delayed)
    }

    pub(crate) fn totals(&mut self, queue: &str) -> QueueTotals {
        self.queues.totals(self.now, queue).unwrap()
    }

    pub(crate) fn arm(&mut self, queue: &str, faults: QueueFaults) {
        self.queues.set_faults(self.now, queue, faults).unwrap();
    }
}

pub(crate) fn map(attributes: &[(&str, &str)]) -> BTreeMap<String, String> {
    let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    attributes.iter().map(pair).collect()
}

pub(crate) fn grouped(body: &str, group: &str, deduplication_id: &str) -> SendMessage {
    SendMessage {
        group_id: Some(group.to_owned()),
        deduplication_id: Some(deduplication_id.to_owned()),
        ..SendMessage::new(body)
    }
}

pub(crate) fn up_to(max_messages: i64) -> ReceiveMessage {
    ReceiveMessage {
        max_messages,
        ..ReceiveMessage::default()
    }
}

pub(crate) fn hidden_for(seconds: i64) -> ReceiveMessage {
    ReceiveMessage {
        visibility_timeout_seconds: Some(seconds),
        ..up_to(10)
    }
}

pub(crate) fn handle(delivery: &Delivery) -> &str {
    &delivery.received.receipt_handle.0
}

pub(crate) fn count(delivery: &Delivery) -> u32 {
    delivery.received.receive_count
}

pub(crate) fn bodies(deliveries: &[Delivery]) -> Vec<String> {
    let body = |delivery: &Delivery| delivery.received.body.to_string();
    deliveries.iter().map(body).collect()
}

/// Code, shape, status and text of an error.
pub(crate) fn told<T>(result: Result<T, QueueError>) -> (&'static str, &'static str, u16, String) {
    match result {
        Ok(_) => panic!("an error was expected"),
        Err(error) => (error.code, error.shape, error.status, error.message),
    }
}

/// The most frequent kind of error, with this text.
pub(crate) fn invalid_parameter(text: &str) -> (&'static str, &'static str, u16, String) {
    (
        "InvalidParameterValue",
        "InvalidParameterValueException",
        400,
        text.to_owned(),
    )
}
