//! What a queue refuses to take or to hand out.

use std::collections::BTreeMap;
use std::sync::Arc;

use lab::cloud::queue::{ReceiveMessage, SendMessage};
use lab::ports::MessageAttribute;

use crate::support::{Account, hidden_for, invalid_parameter, told, up_to};

fn with_attributes(attributes: &[(&str, MessageAttribute)]) -> SendMessage {
    let pair = |(name, value): &(&str, MessageAttribute)| ((*name).to_owned(), value.clone());
    SendMessage {
        attributes: Arc::new(attributes.iter().map(pair).collect::<BTreeMap<_, _>>()),
        ..SendMessage::new("one")
    }
}

fn text(data_type: &str, value: &str) -> MessageAttribute {
    MessageAttribute::Text {
        data_type: data_type.to_owned(),
        value: value.to_owned(),
    }
}

/// RECORDED: an empty body.
#[test]
fn an_empty_body_is_missing() {
    let mut account = Account::orders(&[]);
    assert_eq!(
        told(account.try_send("orders", SendMessage::new(""))),
        (
            "MissingParameter",
            "MissingRequiredParameterException",
            400,
            "The request must contain the parameter MessageBody.".to_owned()
        )
    );
}

/// RECORDED 2025-08-19: the limit is that of the queue, 1 MiB by default, and includes attributes.
#[test]
fn a_message_is_at_most_as_long_as_the_queue_allows() {
    let mut account = Account::orders(&[]);
    let too_long = |limit: u32| {
        invalid_parameter(&format!(
            "One or more parameters are invalid. Reason: Message must be shorter than {limit} bytes."
        ))
    };
    account.send("orders", &"a".repeat(1_048_576));
    let sent = account.try_send("orders", SendMessage::new("a".repeat(1_048_577)));
    assert_eq!(told(sent), too_long(1_048_576));
    account
        .set("orders", &[("MaximumMessageSize", "1024")])
        .unwrap();
    // Name, data type and value count: 3 + 6 + 3 bytes.
    let attributes = with_attributes(&[("run", MessageAttribute::string("r-1"))]).attributes;
    let message = |length: usize| SendMessage {
        attributes: Arc::clone(&attributes),
        ..SendMessage::new("a".repeat(length))
    };
    account.try_send("orders", message(1012)).unwrap();
    assert_eq!(
        told(account.try_send("orders", message(1013))),
        too_long(1024)
    );
    // The trace header does not count.
    let traced = SendMessage {
        trace_header: Some("Root=1".to_owned()),
        ..message(1012)
    };
    account.try_send("orders", traced).unwrap();
}

/// SQS SendMessage: the characters of XML 1.0.
#[test]
fn a_body_holds_characters_of_xml() {
    let mut account = Account::orders(&[]);
    account.send(
        "orders",
        "\t\n\r \u{d7ff}\u{e000}\u{fffd}\u{10000}\u{10ffff}",
    );
    for bad in ["a\u{0}", "\u{b}", "\u{1f}b", "\u{fffe}", "x\u{ffff}"] {
        let refused = told(account.try_send("orders", SendMessage::new(bad)));
        assert_eq!(
            (refused.0, refused.1, refused.2),
            ("InvalidMessageContents", "InvalidMessageContents", 400)
        );
        assert_eq!(
            refused.3,
            "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF"
        );
    }
}

/// The check of a shared content is remembered; that of its neighbour must not be taken for it.
#[test]
fn a_remembered_check_belongs_to_its_own_content() {
    let mut account = Account::orders(&[("MaximumMessageSize", "1024")]);
    let good = SendMessage::new("good");
    for _ in 0..3 {
        account.try_send("orders", good.clone()).unwrap();
    }
    let long = SendMessage {
        body: Arc::from("a".repeat(2000)),
        ..good.clone()
    };
    let refused = told(account.try_send("orders", long.clone()));
    assert_eq!(
        told(account.try_send("orders", long)),
        refused,
        "the second time, too"
    );
    account.try_send("orders", good).unwrap();
}

/// SQS developer guide, message metadata: names, types and values of attributes.
#[test]
fn message_attributes_are_checked() {
    let mut account = Account::orders(&[]);
    let good = [
        ("run", text("String", "r-1")),
        ("a_b-c.d9", text("String.url", "x")),
        ("amount", text("Number", "-150.00")),
        ("exponent", text("Number.float", "1e-5")),
        ("digits", text("Number", &"9".repeat(38))),
        (
            "raw",
            MessageAttribute::Binary {
                data_type: "Binary.png".to_owned(),
                value: vec![0, 1],
            },
        ),
    ];
    account.try_send("orders", with_attributes(&good)).unwrap();
    let names = "A-Z, a-z, 0-9, underscore (_), hyphen (-), and period (.) characters, must not start with AWS. or Amazon., and can be at most 256 characters long.";
    for name in [
        "",
        "or der",
        "AWS.x",
        "amazon.x",
        ".x",
        "x.",
        "x..y",
        &"x".repeat(257),
    ] {
        let sent = account.try_send("orders", with_attributes(&[(name, text("String", "x"))]));
        let expected = format!(
            "The message attribute name '{name}' is invalid. Attribute names can include {names}"
        );
        assert_eq!(told(sent), invalid_parameter(&expected));
    }
    let empty_binary = MessageAttribute::Binary {
        data_type: "Binary".to_owned(),
        value: Vec::new(),
    };
    let bad = [
        (
            text("", "x"),
            "The message attribute 'a' must contain non-empty message attribute type.",
        ),
        (
            text("Text", "x"),
            "The message attribute 'a' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String.",
        ),
        (
            text("String", ""),
            "The message attribute 'a' must contain non-empty message attribute value for message attribute type 'String'.",
        ),
        (
            text("Binary", "x"),
            "The message attribute 'a' must contain non-empty message attribute value for message attribute type 'Binary'.",
        ),
        (
            empty_binary,
            "The message attribute 'a' must contain non-empty message attribute value for message attribute type 'Binary'.",
        ),
        (
            text("Number", "many"),
            "Can't cast the value of message (user) attribute 'a' to a number.",
        ),
        (
            text("Number", &"9".repeat(39)),
            "Can't cast the value of message (user) attribute 'a' to a number.",
        ),
    ];
    for (attribute, expected) in bad {
        let sent = account.try_send("orders", with_attributes(&[("a", attribute)]));
        assert_eq!(told(sent), invalid_parameter(expected));
    }
}

/// SQS developer guide: at most ten attributes.
#[test]
fn a_message_has_at_most_ten_attributes() {
    let mut account = Account::orders(&[]);
    let attributes = |count: usize| SendMessage {
        attributes: Arc::new(
            (0..count)
                .map(|n| (format!("a{n}"), text("String", "x")))
                .collect(),
        ),
        ..SendMessage::new("one")
    };
    account.try_send("orders", attributes(10)).unwrap();
    assert_eq!(
        told(account.try_send("orders", attributes(11))),
        invalid_parameter("Number of message attributes [11] exceeds the allowed maximum [10].")
    );
}

/// RECORDED: the ranges of ReceiveMessage.
#[test]
fn a_receive_is_checked() {
    let mut account = Account::orders(&[]);
    for number in [0, 11, -1] {
        assert_eq!(
            told(account.try_receive("orders", &up_to(number))),
            invalid_parameter(&format!(
                "Value {number} for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided."
            ))
        );
    }
    for wait in [21, -1] {
        let request = ReceiveMessage {
            wait_seconds: Some(wait),
            ..up_to(1)
        };
        assert_eq!(
            told(account.try_receive("orders", &request)),
            invalid_parameter(&format!(
                "Value {wait} for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0 and <= 20, if provided."
            ))
        );
    }
    assert_eq!(
        told(account.try_receive("orders", &hidden_for(43_201))),
        invalid_parameter(
            "Value 43201 for parameter VisibilityTimeout is invalid. Reason: Must be >= 0 and <= 43200, if provided."
        )
    );
    account.try_receive("orders", &hidden_for(43_200)).unwrap();
    let attempt = ReceiveMessage {
        attempt_id: Some("a-1".to_owned()),
        ..up_to(1)
    };
    assert_eq!(
        told(account.try_receive("orders", &attempt)),
        invalid_parameter(
            "Value a-1 for parameter ReceiveRequestAttemptId is invalid. Reason: The request include parameter that is not valid for this queue type."
        )
    );
}
