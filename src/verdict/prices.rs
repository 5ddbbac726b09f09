//! List prices, in millionths of a dollar. The one place to change when AWS changes them.
//!
//! Region us-east-1, on demand, without the free tier, first tier of volume. They were taken from
//! secondary sources on the dates below, not from AWS's own price list, and say nothing of
//! discounts, taxes or other regions: what is computed from them is an estimate.

/// Region and date of the table, as it is shown beside every figure that is made of it.
pub const PRICES_OF: &str = "us-east-1 list prices of 2026-08";

/// One million write request units of a DynamoDB table (since 2024-11-01; read 2026-08).
pub(super) const MILLION_WRITE_UNITS: u64 = 625_000;

/// One million read request units of a DynamoDB table (since 2024-11-01; read 2026-08).
pub(super) const MILLION_READ_UNITS: u64 = 125_000;

/// One million requests to a standard SQS queue (read 2026-06-13).
pub(super) const MILLION_STANDARD_REQUESTS: u64 = 400_000;

/// One million requests to a FIFO queue (read 2026-06-13).
pub(super) const MILLION_FIFO_REQUESTS: u64 = 500_000;
