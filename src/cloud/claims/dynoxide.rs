//! The table as a DynamoDB in the process.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use dynoxide::actions::create_table::CreateTableRequest;
use dynoxide::actions::delete_item::DeleteItemRequest;
use dynoxide::actions::get_item::GetItemRequest;
use dynoxide::actions::put_item::PutItemRequest;
use dynoxide::actions::scan::ScanRequest;
use dynoxide::actions::transact_write_items::{
    TransactPut, TransactWriteItem, TransactWriteItemsRequest,
};
use dynoxide::actions::update_item::UpdateItemRequest;
use dynoxide::actions::update_time_to_live::{TimeToLiveSpecification, UpdateTimeToLiveRequest};
use dynoxide::types::{
    AttributeDefinition, Item as StoredItem, KeySchemaElement, KeyType, ScalarAttributeType,
};
use dynoxide::{Database, DynoxideError};

mod convert;

use self::convert::{
    Conditional, DatabaseClock, all_old, key_of, outcome, port_error, to_item, to_key, to_stored,
};
use super::attributes::{EXPIRATION_ATTRIBUTE, has_outlived};
use super::memory::without_applied;
use super::rules::action_count_refusal;
use crate::ports::{
    Caller, Claims, Clock, Condition, Item, KEY_ATTRIBUTE, PortError, WriteOutcome,
};

/// A DynamoDB table in an embedded dynoxide: partition key [`KEY_ATTRIBUTE`], on-demand capacity,
/// time to live on [`EXPIRATION_ATTRIBUTE`].
pub struct DynoxideClaims {
    database: Database,
    table: String,
    clock: Arc<dyn Clock>,
}

impl DynoxideClaims {
    /// A new table in a database of its own that ends with this value.
    ///
    /// # Errors
    /// A [`PortError`] of `CreateTable` if the name is not 3 to 255 letters, digits, `_`, `-` or
    /// `.` (DynamoDB CreateTable).
    pub fn in_memory(table: impl Into<String>, clock: Arc<dyn Clock>) -> Result<Self, PortError> {
        let database = Database::memory_with_clock(Arc::new(DatabaseClock(Arc::clone(&clock))))
            .map_err(|error| port_error(CREATE_TABLE, &error))?;
        Self::with_table(database, table.into(), clock)
    }

    /// The table of that name in a database file; both are created if they do not exist.
    ///
    /// The engine cannot be given a clock for a file. That matters to none of the operations
    /// here: conditions carry their own time, and [`DynoxideClaims::sweep_expired`] reads ours.
    ///
    /// # Errors
    /// A [`PortError`] of `CreateTable` if the file cannot be opened, or as for
    /// [`DynoxideClaims::in_memory`].
    pub fn open(
        file: &Path,
        table: impl Into<String>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, PortError> {
        let path = file.to_str().ok_or_else(|| {
            let message = format!("the path `{}` is not UTF-8", file.display());
            PortError::rejected(CREATE_TABLE, "InternalServerError", message)
        })?;
        let database = Database::new(path).map_err(|error| port_error(CREATE_TABLE, &error))?;
        Self::with_table(database, table.into(), clock)
    }

    fn with_table(
        database: Database,
        table: String,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, PortError> {
        let created = database.create_table(CreateTableRequest {
            table_name: table.clone(),
            key_schema: vec![KeySchemaElement {
                attribute_name: KEY_ATTRIBUTE.to_owned(),
                key_type: KeyType::HASH,
            }],
            attribute_definitions: vec![AttributeDefinition {
                attribute_name: KEY_ATTRIBUTE.to_owned(),
                attribute_type: ScalarAttributeType::S,
            }],
            billing_mode: Some("PAY_PER_REQUEST".to_owned()),
            ..CreateTableRequest::default()
        });
        match created {
            // The file had it already.
            Ok(_) | Err(DynoxideError::ResourceInUseException(_)) => {}
            Err(error) => return Err(port_error(CREATE_TABLE, &error)),
        }
        database
            .update_time_to_live(UpdateTimeToLiveRequest {
                table_name: table.clone(),
                time_to_live_specification: TimeToLiveSpecification {
                    attribute_name: EXPIRATION_ATTRIBUTE.to_owned(),
                    enabled: true,
                },
            })
            .map_err(|error| port_error("UpdateTimeToLive", &error))?;
        Ok(Self {
            database,
            table,
            clock,
        })
    }

    /// The database, for a wire endpoint over the same table. Clones share their content.
    pub fn database(&self) -> Database {
        self.database.clone()
    }

    /// The name of the table.
    pub fn table_name(&self) -> &str {
        &self.table
    }

    /// Deletes what the time to live would have deleted by now, and returns how many items that
    /// were. Nothing is deleted unless this is called: DynamoDB promises no bound either.
    ///
    /// The engine's own sweep is passed over because it also deletes items that expired more
    /// than five years ago, which DynamoDB does not, and reads the system's clock on a file.
    ///
    /// # Errors
    /// A [`PortError`] if the database fails.
    pub fn sweep_expired(&self) -> Result<usize, PortError> {
        let now = self.clock.now();
        let mut deleted = 0;
        for item in self.scan_stored()? {
            let (Some(key), Some(expiration)) =
                (item.get(KEY_ATTRIBUTE), item.get(EXPIRATION_ATTRIBUTE))
            else {
                continue;
            };
            if !has_outlived(&to_item(&item), now) {
                continue;
            }
            // On the condition that nobody has renewed it since it was read.
            let outcome = self.database.delete_item(DeleteItemRequest {
                table_name: self.table.clone(),
                key: HashMap::from([(KEY_ATTRIBUTE.to_owned(), key.clone())]),
                condition_expression: Some("#expiration = :read".to_owned()),
                expression_attribute_names: Some(HashMap::from([(
                    "#expiration".to_owned(),
                    EXPIRATION_ATTRIBUTE.to_owned(),
                )])),
                expression_attribute_values: Some(HashMap::from([(
                    ":read".to_owned(),
                    expiration.clone(),
                )])),
                ..DeleteItemRequest::default()
            });
            match outcome {
                Ok(_) => deleted += 1,
                Err(DynoxideError::ConditionalCheckFailedException(..)) => {}
                Err(error) => return Err(port_error("DeleteItem", &error)),
            }
        }
        Ok(deleted)
    }

    /// Every item, page by page (DynamoDB Scan: pages of 1 MB).
    fn scan_stored(&self) -> Result<Vec<StoredItem>, PortError> {
        let mut items = Vec::new();
        let mut start = None;
        loop {
            let page = self
                .database
                .scan(ScanRequest {
                    table_name: self.table.clone(),
                    consistent_read: Some(true),
                    exclusive_start_key: start,
                    ..ScanRequest::default()
                })
                .map_err(|error| port_error("Scan", &error))?;
            items.extend(page.items.unwrap_or_default());
            start = page.last_evaluated_key;
            if start.is_none() {
                return Ok(items);
            }
        }
    }
}

#[async_trait]
impl Claims for DynoxideClaims {
    async fn get(
        &self,
        _by: &Caller,
        key: &str,
        consistent: bool,
    ) -> Result<Option<Item>, PortError> {
        self.database
            .get_item(GetItemRequest {
                table_name: self.table.clone(),
                key: to_key(key),
                consistent_read: Some(consistent),
                ..GetItemRequest::default()
            })
            .map(|response| response.item.as_ref().map(to_item))
            .map_err(|error| port_error("GetItem", &error))
    }

    async fn put(
        &self,
        _by: &Caller,
        item: Item,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError> {
        let condition = Conditional::new(&condition);
        let written = self.database.put_item(PutItemRequest {
            table_name: self.table.clone(),
            item: to_stored(item),
            condition_expression: condition.text,
            expression_attribute_names: condition.names,
            expression_attribute_values: condition.values,
            return_values_on_condition_check_failure: all_old(),
            ..PutItemRequest::default()
        });
        outcome("PutItem", written)
    }

    async fn update(
        &self,
        _by: &Caller,
        key: &str,
        set: Item,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError> {
        let mut conditional = Conditional::new(&condition);
        let update_expression = conditional.add_set_clauses(set);
        let written = self.database.update_item(UpdateItemRequest {
            table_name: self.table.clone(),
            key: to_key(key),
            update_expression,
            condition_expression: conditional.text,
            expression_attribute_names: conditional.names,
            expression_attribute_values: conditional.values,
            return_values_on_condition_check_failure: all_old(),
            ..UpdateItemRequest::default()
        });
        outcome("UpdateItem", written)
    }

    async fn delete(
        &self,
        _by: &Caller,
        key: &str,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError> {
        let condition = Conditional::new(&condition);
        let written = self.database.delete_item(DeleteItemRequest {
            table_name: self.table.clone(),
            key: to_key(key),
            condition_expression: condition.text,
            expression_attribute_names: condition.names,
            expression_attribute_values: condition.values,
            return_values_on_condition_check_failure: all_old(),
            ..DeleteItemRequest::default()
        });
        outcome("DeleteItem", written)
    }

    async fn put_all(
        &self,
        _by: &Caller,
        puts: Vec<(Item, Condition)>,
    ) -> Result<Vec<WriteOutcome>, PortError> {
        let count = puts.len();
        if let Some(message) = action_count_refusal(count) {
            return Err(PortError::rejected(
                TRANSACTION,
                "ValidationException",
                message,
            ));
        }
        let written = self
            .database
            .transact_write_items(TransactWriteItemsRequest {
                transact_items: puts
                    .into_iter()
                    .map(|(item, condition)| self.transaction_put(item, &condition))
                    .collect(),
                ..TransactWriteItemsRequest::default()
            });
        match written {
            Ok(_) => Ok(vec![WriteOutcome::Applied; count]),
            Err(DynoxideError::TransactionCanceledException(message, reasons)) => {
                let refused = |code: &str| ["None", CONDITION_FAILED].contains(&code);
                if !reasons.iter().all(|reason| refused(&reason.code)) {
                    let code = "TransactionCanceledException";
                    return Err(PortError::rejected(TRANSACTION, code, message));
                }
                let outcomes = reasons.into_iter().map(|reason| {
                    let existing = reason.item.as_ref().map(to_item);
                    match reason.code.as_str() {
                        CONDITION_FAILED => WriteOutcome::Refused { existing },
                        _ => WriteOutcome::Applied,
                    }
                });
                Ok(outcomes.map(without_applied).collect())
            }
            Err(error) => Err(port_error(TRANSACTION, &error)),
        }
    }

    async fn scan(&self, _by: &Caller) -> Result<Vec<Item>, PortError> {
        let mut items: Vec<Item> = self.scan_stored()?.iter().map(to_item).collect();
        // The service's order is that of the hash of the key.
        items.sort_by(|left, right| key_of(left).cmp(key_of(right)));
        Ok(items)
    }
}

impl DynoxideClaims {
    fn transaction_put(&self, item: Item, condition: &Condition) -> TransactWriteItem {
        let condition = Conditional::new(condition);
        TransactWriteItem {
            put: Some(TransactPut {
                table_name: self.table.clone(),
                item: to_stored(item),
                condition_expression: condition.text,
                expression_attribute_names: condition.names,
                expression_attribute_values: condition.values,
                return_values_on_condition_check_failure: all_old(),
            }),
            ..TransactWriteItem::default()
        }
    }
}

const CREATE_TABLE: &str = "CreateTable";
const TRANSACTION: &str = "TransactWriteItems";
const CONDITION_FAILED: &str = "ConditionalCheckFailed";
