//! The event that the function receives: the JSON of "Using Lambda with Amazon SQS".

use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::ports::{MessageAttribute, Received};

#[derive(Serialize)]
struct SqsEvent<'a> {
    #[serde(rename = "Records")]
    records: Vec<Record<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    message_id: &'a str,
    receipt_handle: &'a str,
    body: &'a str,
    attributes: SystemAttributes<'a>,
    message_attributes: BTreeMap<&'a str, Attribute<'a>>,
    md5_of_body: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    md5_of_message_attributes: Option<String>,
    event_source: &'static str,
    #[serde(rename = "eventSourceARN")]
    event_source_arn: &'a str,
    aws_region: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct SystemAttributes<'a> {
    approximate_receive_count: String,
    sent_timestamp: String,
    sender_id: &'a str,
    approximate_first_receive_timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence_number: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_group_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_deduplication_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dead_letter_queue_source_arn: Option<&'a str>,
}

struct Attribute<'a>(&'a MessageAttribute);

/// Lower camel case, with the empty lists that the service really sends.
impl Serialize for Attribute<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Attribute", 4)?;
        let data_type = match self.0 {
            MessageAttribute::Text { data_type, value } => {
                fields.serialize_field("stringValue", value)?;
                data_type
            }
            MessageAttribute::Binary { data_type, value } => {
                fields.serialize_field("binaryValue", &base64(value))?;
                data_type
            }
        };
        fields.serialize_field("stringListValues", &[(); 0])?;
        fields.serialize_field("binaryListValues", &[(); 0])?;
        fields.serialize_field("dataType", data_type)?;
        fields.end()
    }
}

fn base64(bytes: &[u8]) -> String {
    use ::base64::Engine as _;
    ::base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// The event for one batch, as JSON text.
pub fn event_json(batch: &[Received], queue_arn: &str) -> String {
    let region = queue_arn.split(':').nth(3).unwrap_or_default();
    let records = batch
        .iter()
        .map(|message| record(message, queue_arn, region))
        .collect();
    serde_json::to_string(&SqsEvent { records }).expect("an event is plain data")
}

fn record<'a>(message: &'a Received, queue_arn: &'a str, region: &'a str) -> Record<'a> {
    Record {
        message_id: &message.message_id,
        receipt_handle: &message.receipt_handle.0,
        body: &message.body,
        attributes: SystemAttributes {
            approximate_receive_count: message.receive_count.to_string(),
            sent_timestamp: message.sent_at.as_millis().to_string(),
            sender_id: &message.sender_id,
            approximate_first_receive_timestamp: message.first_received_at.as_millis().to_string(),
            sequence_number: message.sequence_number.as_deref(),
            message_group_id: message.group_id.as_deref(),
            message_deduplication_id: message.deduplication_id.as_deref(),
            dead_letter_queue_source_arn: message.dead_letter_source_arn.as_deref(),
        },
        message_attributes: message
            .attributes
            .iter()
            .map(|(name, attribute)| (name.as_str(), Attribute(attribute)))
            .collect(),
        md5_of_body: message.md5_of_body.to_string(),
        md5_of_message_attributes: message.md5_of_attributes.as_ref().map(ToString::to_string),
        event_source: "aws:sqs",
        event_source_arn: queue_arn,
        aws_region: region,
    }
}
