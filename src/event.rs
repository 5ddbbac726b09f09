//! The worker's events: one JSON object per log line, written by the worker and read back as
//! evidence.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What the worker did, in the words of the original SQS lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventType {
    /// A delivery is being processed.
    ProcessStart,
    /// The guard holds the claim on the order.
    ClaimWon,
    /// The claim on the order is held by another delivery.
    ClaimLost,
    /// The delivery ends without an effect.
    SkipDuplicate,
    /// The till has run.
    ChargeApplied,
    /// The delivery has been processed.
    ProcessEnd,
}

impl EventType {
    /// All types, in the order in which a delivery can pass them.
    pub const ALL: [EventType; 6] = [
        EventType::ProcessStart,
        EventType::ClaimWon,
        EventType::ClaimLost,
        EventType::SkipDuplicate,
        EventType::ChargeApplied,
        EventType::ProcessEnd,
    ];

    /// The type as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ProcessStart => "process_start",
            Self::ClaimWon => "claim_won",
            Self::ClaimLost => "claim_lost",
            Self::SkipDuplicate => "skip_duplicate",
            Self::ChargeApplied => "charge_applied",
            Self::ProcessEnd => "process_end",
        }
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// One event. The order of the fields is the order on the line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event<'a> {
    /// What happened.
    #[serde(rename = "type")]
    pub event_type: EventType,
    /// The order.
    #[serde(borrow)]
    pub order_id: Cow<'a, str>,
    /// The copy.
    #[serde(borrow)]
    pub message_id: Cow<'a, str>,
    /// The run that sent the copy; empty if the message did not say.
    #[serde(borrow)]
    pub run: Cow<'a, str>,
    /// The invocation.
    #[serde(borrow)]
    pub request_id: Cow<'a, str>,
    /// The guard that was in force.
    #[serde(borrow)]
    pub guard: Cow<'a, str>,
    /// `ApproximateReceiveCount` of the delivery.
    pub receive_count: u32,
    /// What was charged, as it was written in the body; on `charge_applied` only.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<&'a RawValue>,
}

impl<'a> Event<'a> {
    /// The JSON line.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("an event is plain data")
    }

    /// Reads an event out of a log line: from its first brace on, so that the prefix that a
    /// Lambda runtime puts before the text does not matter. `None` if the line is not an event.
    pub fn from_line(line: &'a str) -> Option<Self> {
        let json = &line[line.find('{')?..];
        serde_json::from_str(json.trim_end()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(event_type: EventType) -> Event<'static> {
        Event {
            event_type,
            order_id: "ORDER-003".into(),
            message_id: "m-1".into(),
            run: "r-1".into(),
            request_id: "q-1".into(),
            guard: "claim".into(),
            receive_count: 1,
            amount: None,
        }
    }

    #[test]
    fn a_line_is_one_json_object_and_keeps_the_amount() {
        let amount = RawValue::from_string("150.00".to_owned()).expect("a number");
        let charged = Event {
            amount: Some(&amount),
            ..event(EventType::ChargeApplied)
        };
        assert_eq!(
            charged.to_line(),
            r#"{"type":"charge_applied","orderId":"ORDER-003","messageId":"m-1","run":"r-1","requestId":"q-1","guard":"claim","receiveCount":1,"amount":150.00}"#
        );
    }

    #[test]
    fn an_event_is_found_behind_the_prefix_of_a_lambda_line() {
        for event_type in EventType::ALL {
            let line = format!(
                "2026-09-20T20:58:23.240Z\tq-1\tINFO\t{}\n",
                event(event_type).to_line()
            );
            let back = Event::from_line(&line).expect("an event");
            assert_eq!(back.event_type, event_type);
            assert_eq!(back.to_line(), event(event_type).to_line());
        }
    }

    #[test]
    fn other_lines_are_not_events() {
        for line in [
            "START RequestId: q-1 Version: $LATEST",
            r#"{"type":"unheard_of"}"#,
            "{",
            "",
        ] {
            assert!(Event::from_line(line).is_none(), "{line}");
        }
    }
}
