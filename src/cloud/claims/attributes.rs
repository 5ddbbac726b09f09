//! The attributes that a condition or the time to live reads.

use std::time::Duration;

use crate::ports::{AttributeValue, Item, Timestamp};

/// End of the deduplication window (Number, epoch seconds); also the table's time-to-live
/// attribute.
pub const EXPIRATION_ATTRIBUTE: &str = "expiration";

/// State of the claim (String).
pub const STATUS_ATTRIBUTE: &str = "status";

/// The state in which a lease counts (Powertools' idempotency utility).
pub const IN_PROGRESS: &str = "INPROGRESS";

/// End of the lease (Number, epoch milliseconds).
pub const IN_PROGRESS_EXPIRATION_ATTRIBUTE: &str = "inProgressExpiration";

/// DynamoDB never deletes an item that expired longer ago than this: five years, so that a wrong
/// number does not empty a table. The service does not say how long its year is.
const TIME_TO_LIVE_FLOOR: Duration = Duration::from_secs(5 * 365 * 24 * 60 * 60);

/// Whether DynamoDB's time to live would delete the item at `now`: only a Number of whole epoch
/// seconds counts, and it must lie in the past, but not more than five years.
///
/// A value in milliseconds is a moment far in the future and never expires. A fraction of a
/// second counts as no number of seconds here; what DynamoDB does with one is not documented.
pub(super) fn has_outlived(item: &Item, now: Timestamp) -> bool {
    let Some(AttributeValue::Number(text)) = item.get(EXPIRATION_ATTRIBUTE) else {
        return false;
    };
    let Ok(expiration) = text.parse::<u64>() else {
        return false;
    };
    let oldest = now.as_secs().saturating_sub(TIME_TO_LIVE_FLOOR.as_secs());
    (oldest..now.as_secs()).contains(&expiration)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(expiration: AttributeValue) -> Item {
        Item::from([(EXPIRATION_ATTRIBUTE.to_owned(), expiration)])
    }

    #[test]
    fn only_a_past_number_of_seconds_within_five_years_has_outlived() {
        let now = Timestamp::from_millis(1_760_000_000_999);
        let number = |text: &str| item(AttributeValue::Number(text.to_owned()));
        assert!(has_outlived(&number("1759999999"), now));
        assert!(!has_outlived(&number("1760000000"), now));
        // Milliseconds by mistake: the year 57,000.
        assert!(!has_outlived(&number("1759999999000"), now));
        assert!(!has_outlived(&number("1759999998.5"), now));
        assert!(!has_outlived(&number("-1"), now));
        assert!(!has_outlived(&item("1759999999".into()), now));
        assert!(!has_outlived(&Item::new(), now));
        assert!(has_outlived(&number("1602320000"), now));
        assert!(!has_outlived(&number("1602319999"), now));
    }
}
