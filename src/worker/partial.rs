//! The answer of a consumer that reports partial batch failures.

use serde::Serialize;

/// `{"batchItemFailures":[{"itemIdentifier":"…"}]}` (Lambda, `ReportBatchItemFailures`).
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BatchResponse {
    batch_item_failures: Vec<ItemFailure>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ItemFailure {
    item_identifier: String,
}

impl BatchResponse {
    /// Adds a message that must come back.
    pub(super) fn fail(&mut self, message_id: &str) {
        self.batch_item_failures.push(ItemFailure {
            item_identifier: message_id.to_owned(),
        });
    }

    /// The answer as JSON text.
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("an answer is plain data")
    }
}
