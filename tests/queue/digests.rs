//! MD5 digests, against values recorded on AWS.

use std::collections::BTreeMap;
use std::sync::Arc;

use lab::cloud::queue::{SendMessage, md5_of_attributes, md5_of_body, md5_of_trace_header};
use lab::ports::MessageAttribute;

use crate::support::Account;

fn kenobi() -> BTreeMap<String, MessageAttribute> {
    [("Help.Me", "Me"), ("Hello", "There"), ("General", "Kenobi")]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), MessageAttribute::string(value)))
        .collect()
}

/// RECORDED by LocalStack's parity tests: `MD5OfMessageBody` of `msg` and of `test`.
#[test]
fn bodies_have_the_digests_of_aws() {
    assert_eq!(md5_of_body("msg"), "6e2baaf3b97dbeef01c0043275f9a0e7");
    assert_eq!(md5_of_body("test"), "098f6bcd4621d373cade4e832627b4f6");
}

/// RECORDED 2023-07-06: the digest covers the attributes that were asked for.
#[test]
fn attributes_have_the_digests_of_aws() {
    let mut account = Account::orders(&[("VisibilityTimeout", "0")]);
    let message = SendMessage {
        attributes: Arc::new(kenobi()),
        ..SendMessage::new("msg")
    };
    account.try_send("orders", message).unwrap();
    let found = account.receive_one("orders");
    let cases: [(&[&str], Option<&str>); 8] = [
        (&[], None),
        (&["All"], Some("4c360f3fdafd970e05fae2f149d997f5")),
        (&[".*"], Some("4c360f3fdafd970e05fae2f149d997f5")),
        (
            &["Hello", "General"],
            Some("fca026605781cb4126a1e9044df24232"),
        ),
        (
            &["Hello", "Missing"],
            Some("a311262e065454b75da111d535b8dacd"),
        ),
        (&["Hel.*"], Some("83fee93c1bcd8b9a5a923ffacdc636c7")),
        (&["Missing"], None),
        (&["AWS."], None),
    ];
    for (names, digest) in cases {
        assert_eq!(
            found.md5_of_message_attributes(names).as_deref(),
            digest,
            "{names:?}"
        );
    }
    let shown: Vec<&str> = found.message_attributes(&["Hel.*"]).into_keys().collect();
    assert_eq!(shown, ["Hello", "Help.Me"]);
}

/// RECORDED 2023-11-14: a binary attribute. The recorded value begins with a control character.
#[test]
fn a_binary_attribute_has_the_digest_of_aws() {
    let value = b"traceparent\x1e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01".to_vec();
    let attribute = MessageAttribute::Binary {
        data_type: "Binary".to_owned(),
        value,
    };
    assert_eq!(
        md5_of_attributes([("attr1", &attribute)]).as_deref(),
        Some("8cbe4db156db8a94db8b801b7addb984")
    );
}

/// The system attribute that a sender may set is digested like an attribute of its name.
#[test]
fn the_trace_header_is_digested_as_an_attribute() {
    let attribute = MessageAttribute::string("Root=1");
    assert_eq!(
        Some(md5_of_trace_header("Root=1")),
        md5_of_attributes([("AWSTraceHeader", &attribute)])
    );
}
