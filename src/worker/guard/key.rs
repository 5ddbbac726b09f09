//! What a guard calls "the same": the key under which it keeps its item.
//!
//! The key decides more than the mechanism does. One fact that arrives twice needs the same key
//! twice; two facts need two keys.

use std::borrow::Cow;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::Delivery;
use crate::order::Order;
use crate::ports::{AttributeValue, Item, KEY_ATTRIBUTE};

/// The attribute that names the order in items whose partition key does not.
pub const ORDER_ATTRIBUTE: &str = "order";

/// Where the key of an item comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyStrategy {
    /// From the business: the order id, which the producer makes once per order.
    OrderId,
    /// From the transport: the MessageId, which SQS makes once per send.
    MessageId,
    /// From the content: SHA-256 of the body, as 64 hexadecimal digits.
    BodyHash,
}

impl KeyStrategy {
    /// The key of a delivery.
    pub fn key<'d>(self, delivery: &'d Delivery<'_>) -> Cow<'d, str> {
        match self {
            Self::OrderId => Cow::Borrowed(delivery.order().order_id.as_str()),
            Self::MessageId => Cow::Borrowed(delivery.message_id()),
            Self::BodyHash => Cow::Owned(sha256(delivery.body())),
        }
    }

    /// An item under the key of a delivery. If the key is not the order id, the item names its
    /// order in [`ORDER_ATTRIBUTE`].
    pub fn item(
        self,
        delivery: &Delivery<'_>,
        attributes: impl IntoIterator<Item = (&'static str, AttributeValue)>,
    ) -> Item {
        let order = (self != Self::OrderId).then(|| {
            let order_id = delivery.order().order_id.as_str();
            (ORDER_ATTRIBUTE, order_id.into())
        });
        let key = (KEY_ATTRIBUTE, self.key(delivery).as_ref().into());
        self::attributes([key].into_iter().chain(order).chain(attributes))
    }
}

/// Attributes by name.
pub(super) fn attributes(
    attributes: impl IntoIterator<Item = (&'static str, AttributeValue)>,
) -> Item {
    attributes
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// SHA-256 of what makes the order the order: who pays and how much. Further fields of the body,
/// a timestamp for example, do not take part, nor does the spelling of the amount: `150.0` is
/// `150.00`.
pub(super) fn payload_hash(order: &Order) -> String {
    let amount = order.amount.as_str();
    let amount = match amount.contains('.') {
        true => amount.trim_end_matches('0').trim_end_matches('.'),
        false => amount,
    };
    // A list in JSON, so that no two different payloads run together to the same text.
    sha256(&serde_json::json!([order.order_id.as_str(), order.customer_id, amount]).to_string())
}

fn sha256(text: &str) -> String {
    let mut digits = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        write!(digits, "{byte:02x}").expect("a string takes every text");
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_sha_256() {
        // FIPS 180-2, appendix B.1.
        assert_eq!(
            sha256("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn the_payload_is_who_pays_and_how_much() {
        let hash = |customer: &str, amount: &str| {
            payload_hash(&Order {
                order_id: "ORDER-003".parse().expect("an order id"),
                customer_id: customer.to_owned(),
                amount: amount.parse().expect("an amount"),
            })
        };
        let first = hash("CUSTOMER-123", "150.00");
        for same in ["150", "150.0"] {
            assert_eq!(hash("CUSTOMER-123", same), first, "{same}");
        }
        for other in ["15", "1500", "150.01", "15.00"] {
            assert_ne!(hash("CUSTOMER-123", other), first, "{other}");
        }
        assert_ne!(hash("CUSTOMER-124", "150.00"), first);
        assert_eq!(
            hash("C", "100"),
            hash("C", "100.00"),
            "zeros of the integer stay"
        );
        assert_ne!(hash("C", "100"), hash("C", "1"));
    }
}
