//! The order: what a message says, byte for byte.

use std::fmt;
use std::iter::Sum;
use std::str::FromStr;

use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::ports::MAX_KEY_BYTES;

/// Most digits before the decimal point that an amount may have.
const MAX_INTEGER_DIGITS: usize = 15;

/// The name of an order, made by its producer. It is the partition key of the claim table, so
/// DynamoDB's limits for keys hold: 1 to 2,048 bytes of UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrderId(String);

/// An amount of money as decimal text, kept as it was written: `150.00` stays `150.00`.
#[derive(Clone, Debug)]
pub struct Amount {
    text: String,
    value: Decimal,
}

/// A customer's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The business key: one order, however many copies of its message there are.
    pub order_id: OrderId,
    /// Who pays.
    pub customer_id: String,
    /// How much.
    pub amount: Amount,
}

/// Why a text is not an order, an order id or an amount.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// The amount is not plain decimal text.
    #[error("`{0}` is not an amount: write digits with at most two decimals, as in `150.00`")]
    Amount(String),
    /// The body is not JSON of the right shape.
    #[error("the body is not an order: {0}")]
    Body(String),
    /// The order id is empty or blank.
    #[error("the order id is empty: DynamoDB keys have 1 to {MAX_KEY_BYTES} bytes")]
    EmptyId,
    /// The order id is too long for a key.
    #[error("the order id has {0} bytes: DynamoDB keys have 1 to {MAX_KEY_BYTES} bytes")]
    LongId(usize),
}

impl OrderId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for OrderId {
    type Err = OrderError;

    fn from_str(text: &str) -> Result<Self, OrderError> {
        if text.trim().is_empty() {
            return Err(OrderError::EmptyId);
        }
        if text.len() > MAX_KEY_BYTES {
            return Err(OrderError::LongId(text.len()));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for OrderId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Amount {
    /// The amount as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl FromStr for Amount {
    type Err = OrderError;

    fn from_str(text: &str) -> Result<Self, OrderError> {
        let refuse = || OrderError::Amount(text.to_owned());
        let (integer, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        // JSON numbers have no leading zeros.
        let leading_zero = integer.len() > 1 && integer.starts_with('0');
        if !digits(integer) || !digits(fraction) || leading_zero {
            return Err(refuse());
        }
        if integer.len() > MAX_INTEGER_DIGITS || fraction.len() > 2 {
            return Err(refuse());
        }
        Ok(Self {
            text: text.to_owned(),
            value: text.parse().map_err(|_| refuse())?,
        })
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// Equal when worth the same: `150.0` equals `150.00`.
impl PartialEq for Amount {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for Amount {}

impl<'a> Sum<&'a Amount> for Amount {
    fn sum<I: Iterator<Item = &'a Amount>>(amounts: I) -> Self {
        let value: Decimal = amounts.map(|amount| amount.value).sum();
        Self {
            text: value.to_string(),
            value,
        }
    }
}

impl Order {
    /// The message body, with the amount as it was written.
    pub fn body(&self) -> String {
        let text = |value: &str| serde_json::Value::from(value).to_string();
        format!(
            r#"{{"orderId":{},"customerId":{},"amount":{}}}"#,
            text(self.order_id.as_str()),
            text(&self.customer_id),
            self.amount,
        )
    }

    /// Reads a message body.
    ///
    /// # Errors
    /// [`OrderError`] if the body is not a JSON object with a usable `orderId`, `customerId` and
    /// `amount`. Further fields are allowed: producers add them.
    pub fn from_body(body: &str) -> Result<Self, OrderError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Body<'a> {
            order_id: String,
            customer_id: String,
            #[serde(borrow)]
            amount: &'a RawValue,
        }
        let body: Body<'_> =
            serde_json::from_str(body).map_err(|error| OrderError::Body(error.to_string()))?;
        Ok(Self {
            order_id: body.order_id.parse()?,
            customer_id: body.customer_id,
            amount: body.amount.get().parse()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(id: &str, amount: &str) -> Order {
        Order {
            order_id: id.parse().expect("a valid id"),
            customer_id: "CUSTOMER-123".to_owned(),
            amount: amount.parse().expect("a valid amount"),
        }
    }

    #[test]
    fn the_body_is_the_articles_byte_for_byte() {
        let body = order("ORDER-003", "150.00").body();
        assert_eq!(
            body,
            r#"{"orderId":"ORDER-003","customerId":"CUSTOMER-123","amount":150.00}"#
        );
        let back = Order::from_body(&body).expect("our own body");
        assert_eq!(back.amount.as_str(), "150.00");
        assert_eq!(back.body(), body);
    }

    #[test]
    fn ids_that_need_escaping_survive() {
        for id in ["a \"b\" \\ c", "pedido-ñ-🎉", "tab\there"] {
            let order = order(id, "1.50");
            assert_eq!(Order::from_body(&order.body()), Ok(order));
        }
    }

    #[test]
    fn keys_that_dynamodb_refuses_are_refused() {
        assert_eq!("".parse::<OrderId>(), Err(OrderError::EmptyId));
        assert_eq!(" \t".parse::<OrderId>(), Err(OrderError::EmptyId));
        assert_eq!(
            "x".repeat(2049).parse::<OrderId>(),
            Err(OrderError::LongId(2049))
        );
        assert!("x".repeat(2048).parse::<OrderId>().is_ok());
        // 513 characters of four bytes each are too many, although 513 < 2,048.
        assert_eq!(
            "🎉".repeat(513).parse::<OrderId>(),
            Err(OrderError::LongId(2052))
        );
    }

    #[test]
    fn amounts_are_plain_decimals() {
        for good in ["150.00", "150", "150.5", "0.01", "0"] {
            assert_eq!(
                good.parse::<Amount>().map(|a| a.to_string()),
                Ok(good.to_owned())
            );
        }
        for bad in [
            "150,00",
            "1e3",
            "-1",
            "150.005",
            "+1",
            "",
            ".5",
            "5.",
            "007",
            "NaN",
            "1_000",
            "٣",
            "1234567890123456",
        ] {
            assert_eq!(
                bad.parse::<Amount>(),
                Err(OrderError::Amount(bad.to_owned()))
            );
        }
    }

    #[test]
    fn sums_keep_their_decimals() {
        let amounts = vec!["150.00".parse::<Amount>().expect("an amount"); 4];
        assert_eq!(amounts.iter().sum::<Amount>().as_str(), "600.00");
    }

    #[test]
    fn a_body_without_an_order_id_is_no_order() {
        for body in [
            r#"{"customerId":"C-1","amount":1}"#,
            r#"{"orderId":null,"customerId":"C-1","amount":1}"#,
            r#"{"orderId":"","customerId":"C-1","amount":1}"#,
            r#"{"orderId":"O","customerId":"C-1","amount":"1.00"}"#,
            "{orderId:ORDER-003}",
            "",
        ] {
            assert!(Order::from_body(body).is_err(), "{body}");
        }
    }
}
