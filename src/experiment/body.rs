//! Messages as a producer writes them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::plan::{Envelope, Send};
use crate::entropy::Entropy;
use crate::ports::{MessageAttribute, Outgoing, Timestamp};
use crate::worker::RUN_ATTRIBUTE;

/// The topic that notifications name.
const TOPIC_ARN: &str = "arn:aws:sns:us-east-1:000000000000:lab-orders";

/// The messages of one send. Where all copies are equal they share body and attributes, so that a
/// million of them cost nothing.
pub(super) struct Copies<'a> {
    send: &'a Send,
    fifo: bool,
    entropy: &'a Entropy,
    attributes: Arc<BTreeMap<String, MessageAttribute>>,
    plain: Option<Arc<str>>,
}

impl<'a> Copies<'a> {
    pub(super) fn new(send: &'a Send, fifo: bool, run: &str, entropy: &'a Entropy) -> Self {
        let attribute = (RUN_ATTRIBUTE.to_owned(), MessageAttribute::string(run));
        let equal = send.extra.is_empty() && send.envelope == Envelope::None;
        Self {
            send,
            fifo,
            entropy,
            attributes: Arc::new(BTreeMap::from([attribute])),
            plain: equal.then(|| send.order.body().into()),
        }
    }

    /// The copy with this number, from 1, that is sent now.
    pub(super) fn message(&self, copy: u64, now: Timestamp) -> Outgoing {
        let send = self.send;
        let numbered = |text: &String| text.replace("{copy}", &copy.to_string());
        let default_group = || send.order.order_id.to_string();
        Outgoing {
            body: match &self.plain {
                Some(body) => Arc::clone(body),
                None => self.body(copy, now).into(),
            },
            attributes: Arc::clone(&self.attributes),
            delay: send.delay,
            group_id: self
                .fifo
                .then(|| send.group.as_ref().map_or_else(default_group, numbered)),
            deduplication_id: send.deduplication_id.as_ref().map(numbered),
        }
    }

    fn body(&self, copy: u64, now: Timestamp) -> String {
        // A producer takes a moment for each copy.
        let time = (now + Duration::from_millis(copy)).to_string();
        let mut body = self.send.order.body();
        for (name, value) in &self.send.extra {
            let value = value
                .replace("{copy}", &copy.to_string())
                .replace("{time}", &time);
            body.pop();
            body.push_str(&format!(",{}:{}}}", json(name), json(&value)));
        }
        match self.send.envelope {
            Envelope::None => body,
            Envelope::Sns => notification(&body, &time, &self.entropy.uuid()),
        }
    }
}

fn json(text: &str) -> serde_json::Value {
    serde_json::Value::from(text)
}

/// The body of a message that SNS sends to a queue without raw message delivery (SNS developer
/// guide, "Amazon SNS message and JSON formats"), without the signature.
fn notification(message: &str, time: &str, id: &str) -> String {
    format!(
        r#"{{"Type":"Notification","MessageId":"{id}","TopicArn":"{TOPIC_ARN}","Message":{},"Timestamp":"{time}"}}"#,
        json(message)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::Order;

    const NOW: Timestamp = Timestamp::from_millis(1_789_937_903_240);

    fn send() -> Send {
        let order = Order {
            order_id: "ORDER-003".parse().expect("an order id"),
            customer_id: "CUSTOMER-123".to_owned(),
            amount: "150.00".parse().expect("an amount"),
        };
        Send::new(0, order, 2)
    }

    #[test]
    fn equal_copies_share_one_body() {
        let (send, entropy) = (send(), Entropy::seeded(1));
        let copies = Copies::new(&send, false, "r-1", &entropy);
        let (first, second) = (copies.message(1, NOW), copies.message(2, NOW));
        assert!(Arc::ptr_eq(&first.body, &second.body));
        assert!(Arc::ptr_eq(&first.attributes, &second.attributes));
        assert_eq!(&*first.body, send.order.body());
        assert_eq!((first.group_id, first.deduplication_id), (None, None));
    }

    #[test]
    fn further_fields_can_differ_from_copy_to_copy() {
        let mut send = send();
        send.extra = vec![
            ("sentAt".to_owned(), "{time}".to_owned()),
            ("try".to_owned(), "no. {copy}".to_owned()),
        ];
        let entropy = Entropy::seeded(1);
        let copies = Copies::new(&send, false, "r-1", &entropy);
        assert_eq!(
            &*copies.message(2, NOW).body,
            r#"{"orderId":"ORDER-003","customerId":"CUSTOMER-123","amount":150.00,"sentAt":"2026-09-20T20:58:23.242Z","try":"no. 2"}"#
        );
    }

    #[test]
    fn a_fifo_message_has_a_group_and_a_numbered_id() {
        let mut send = send();
        send.deduplication_id = Some("try-{copy}".to_owned());
        let entropy = Entropy::seeded(1);
        let message = Copies::new(&send, true, "r-1", &entropy).message(2, NOW);
        assert_eq!(message.group_id.as_deref(), Some("ORDER-003"));
        assert_eq!(message.deduplication_id.as_deref(), Some("try-2"));
    }

    #[test]
    fn a_notification_carries_the_body_as_text() {
        let mut send = send();
        send.envelope = Envelope::Sns;
        let entropy = Entropy::seeded(1);
        let body = Copies::new(&send, false, "r-1", &entropy)
            .message(1, NOW)
            .body;
        let outer: serde_json::Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!(outer["Type"], "Notification");
        assert_eq!(outer["Message"], send.order.body());
    }
}
