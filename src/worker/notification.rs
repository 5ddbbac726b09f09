//! What a queue gets from a topic without raw message delivery: the message inside a notification.

use serde::Deserialize;

/// The text of the message in the notification that this body is; `None` if it is none.
///
/// SNS developer guide, "Amazon SNS message and JSON formats".
pub(super) fn message_of(body: &str) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct Notification {
        #[serde(rename = "Type")]
        kind: String,
        message: String,
    }
    let notification: Notification = serde_json::from_str(body).ok()?;
    (notification.kind == "Notification").then_some(notification.message)
}

#[cfg(test)]
mod tests {
    use super::message_of;

    #[test]
    fn only_a_notification_has_a_message_in_it() {
        let body = |kind: &str| {
            format!(r#"{{"Type":"{kind}","TopicArn":"a","Message":"{{\"a\":1.00}}"}}"#)
        };
        assert_eq!(
            message_of(&body("Notification")).as_deref(),
            Some(r#"{"a":1.00}"#)
        );
        assert_eq!(message_of(&body("SubscriptionConfirmation")), None);
        assert_eq!(message_of(r#"{"Type":"Notification"}"#), None);
        assert_eq!(message_of("not json"), None);
    }
}
