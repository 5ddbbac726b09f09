//! The table, twice: [`DynoxideClaims`] is a DynamoDB in the process, [`MemoryClaims`] the same
//! behaviour without the database, for virtual runs of many messages.
//!
//! Both are held equal by `tests/contract_claims.rs`: the same answers, the same refusals, the
//! same texts.

mod attributes;
mod dynoxide;
mod expression;
mod memory;
mod rules;

pub use attributes::{
    EXPIRATION_ATTRIBUTE, IN_PROGRESS, IN_PROGRESS_EXPIRATION_ATTRIBUTE, STATUS_ATTRIBUTE,
};
pub use dynoxide::DynoxideClaims;
pub use expression::{ConditionExpression, condition_expression};
pub use memory::MemoryClaims;
