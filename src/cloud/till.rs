//! The till as a ledger that the worker cannot read: the lab's own record of who was charged.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;

mod book;

use self::book::{Book, Entry, KeyedCharge, MessageId};
use crate::order::{Amount, OrderId};
use crate::ports::{Caller, Charge, Clock, PortError, Receipt, Till, Timestamp};

/// A payment gateway with a ledger. Charges go through [`Till`]; only the lab holds this type,
/// and with it the right to look.
///
/// A charge that carries an idempotency key is made once: a repetition with the same order and
/// amount is answered from the first one, and one with another order or amount is refused with
/// `IdempotencyKeyMismatch`. The message that led to the charge does not take part, since a
/// redelivered copy of an order is the same payment. Keys are kept for ever unless
/// [`Ledger::forgetting_keys_after`] says otherwise.
pub struct Ledger {
    clock: Arc<dyn Clock>,
    honours_keys: bool,
    key_lifetime: Option<Duration>,
    book: Mutex<Book>,
}

/// One movement of money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerEntry {
    /// When.
    pub time: Timestamp,
    /// The order that was charged.
    pub order_id: OrderId,
    /// The copy that led to it.
    pub message_id: String,
    /// How much.
    pub amount: Amount,
    /// Number of the invocation that charged; `None` if it was no invocation.
    pub invocation: Option<u32>,
}

/// What one order was charged in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderTotal {
    /// How often money moved.
    pub charges: u64,
    /// The sum.
    pub amount: Amount,
}

impl Ledger {
    /// An empty ledger of a gateway that honours idempotency keys.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            honours_keys: true,
            key_lifetime: None,
            book: Mutex::default(),
        }
    }

    /// Takes keys for what they are to many gateways: a field that nobody looks at.
    #[must_use]
    pub fn ignoring_keys(mut self) -> Self {
        self.honours_keys = false;
        self
    }

    /// Forgets a key when `lifetime` has passed since the charge that was made under it, as
    /// gateways do (24 hours is common). A repetition after that is a new charge.
    #[must_use]
    pub fn forgetting_keys_after(mut self, lifetime: Duration) -> Self {
        self.key_lifetime = Some(lifetime);
        self
    }

    /// Shows every movement of money to `visit`, in order. The till waits meanwhile, so `visit`
    /// must not charge.
    pub fn visit(&self, visit: &mut dyn FnMut(LedgerEntry)) {
        let book = self.book();
        for entry in book.entries() {
            visit(book.read(entry));
        }
    }

    /// Every movement of money, in order.
    pub fn entries(&self) -> Vec<LedgerEntry> {
        let mut entries = Vec::new();
        self.visit(&mut |entry| entries.push(entry));
        entries
    }

    /// How often money moved.
    pub fn charges(&self) -> u64 {
        self.book().entries().count() as u64
    }

    /// How often a stored answer was replayed instead.
    pub fn replays(&self) -> u64 {
        self.book().replays
    }

    /// What each charged order was charged, by order.
    pub fn totals(&self) -> BTreeMap<OrderId, OrderTotal> {
        let book = self.book();
        let mut charged: Vec<(u32, u32)> = book
            .entries()
            .map(|entry| (entry.order, entry.amount))
            .collect();
        charged.sort_unstable_by_key(|(order, _)| *order);
        charged
            .chunk_by(|left, right| left.0 == right.0)
            .map(|charges| {
                let amounts = charges
                    .iter()
                    .map(|(_, amount)| book.amounts.value(*amount));
                let total = OrderTotal {
                    charges: charges.len() as u64,
                    amount: amounts.sum(),
                };
                (book.orders.value(charges[0].0).clone(), total)
            })
            .collect()
    }

    /// What one order was charged; `None` if it never was.
    pub fn total(&self, order_id: &OrderId) -> Option<OrderTotal> {
        let book = self.book();
        let order = book.orders.index(order_id.as_str())?;
        let amounts: Vec<&Amount> = book
            .entries()
            .filter(|entry| entry.order == order)
            .map(|entry| book.amounts.value(entry.amount))
            .collect();
        (!amounts.is_empty()).then(|| OrderTotal {
            charges: amounts.len() as u64,
            amount: amounts.into_iter().sum(),
        })
    }

    fn is_remembered(&self, charge: &KeyedCharge, now: Timestamp) -> bool {
        self.key_lifetime
            .is_none_or(|lifetime| now.since(charge.time) < lifetime)
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        // An entry is written by its last step, so a panic elsewhere leaves the book in order.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Till for Ledger {
    async fn charge(&self, by: &Caller, charge: Charge) -> Result<Receipt, PortError> {
        let mut book = self.book();
        let order = book
            .orders
            .intern(charge.order_id.as_str(), &charge.order_id);
        let amount = book.amounts.intern(charge.amount.as_str(), &charge.amount);
        let time = self.clock.now();
        if let Some(key) = charge.key.filter(|_| self.honours_keys) {
            let first = book.keys.get(key.as_str()).copied();
            if let Some(first) = first.filter(|first| self.is_remembered(first, time)) {
                let same_worth = book.amounts.value(first.amount) == &charge.amount;
                if first.order != order || !same_worth {
                    return Err(key_mismatch(&key));
                }
                book.replays += 1;
                return Ok(Receipt { replayed: true });
            }
            let keyed = KeyedCharge {
                order,
                amount,
                time,
            };
            book.keys.insert(key.into(), keyed);
        }
        book.enter(Entry {
            time,
            order,
            amount,
            message: MessageId::new(charge.message_id),
            invocation: match by {
                Caller::Invocation(invocation) => NonZeroU32::new(invocation.number),
                Caller::Producer | Caller::Mapping | Caller::Observer => None,
            },
        });
        Ok(Receipt { replayed: false })
    }
}

fn key_mismatch(key: &str) -> PortError {
    let message = format!(
        "the idempotency key `{key}` was used before for another order or amount: use a new key \
         for a new charge"
    );
    PortError::rejected("Charge", "IdempotencyKeyMismatch", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::Invocation;

    struct Stopped;

    #[async_trait]
    impl Clock for Stopped {
        fn now(&self) -> Timestamp {
            Timestamp::from_millis(1_789_937_903_240)
        }

        async fn sleep_until(&self, _deadline: Timestamp) {}
    }

    const FIRST: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

    fn charge(order: &str, message: &str, amount: &str, key: Option<&str>) -> Charge {
        Charge {
            order_id: order.parse().expect("an order id"),
            message_id: message.to_owned(),
            amount: amount.parse().expect("an amount"),
            key: key.map(str::to_owned),
        }
    }

    fn pay(ledger: &Ledger, by: &Caller, charge: Charge) -> Result<Receipt, PortError> {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime")
            .block_on(ledger.charge(by, charge))
    }

    fn invocation(number: u32) -> Caller {
        Caller::Invocation(Arc::new(Invocation::new(number, "q-1".to_owned())))
    }

    const PAID: Result<Receipt, PortError> = Ok(Receipt { replayed: false });
    const REPLAYED: Result<Receipt, PortError> = Ok(Receipt { replayed: true });

    #[test]
    fn every_charge_without_a_key_moves_money() {
        let ledger = Ledger::new(Arc::new(Stopped));
        for number in 1..=4 {
            let charge = charge("ORDER-001", FIRST, "150.00", None);
            assert_eq!(pay(&ledger, &invocation(number), charge), PAID);
        }
        assert_eq!(
            pay(&ledger, &Caller::Observer, charge("O", "m-1", "1.5", None)),
            PAID
        );
        let entries = ledger.entries();
        assert_eq!(ledger.charges(), 5);
        assert_eq!(
            entries[3],
            LedgerEntry {
                time: Stopped.now(),
                order_id: "ORDER-001".parse().expect("an order id"),
                message_id: FIRST.to_owned(),
                amount: "150.00".parse().expect("an amount"),
                invocation: Some(4),
            }
        );
        assert_eq!(entries[4].message_id, "m-1");
        assert_eq!(entries[4].invocation, None);
        let totals = ledger.totals();
        let told: Vec<_> = totals
            .iter()
            .map(|(order, total)| (order.as_str(), total.charges, total.amount.as_str()))
            .collect();
        assert_eq!(told, [("O", 1, "1.5"), ("ORDER-001", 4, "600.00")]);
        for (order, total) in &totals {
            assert_eq!(ledger.total(order).as_ref(), Some(total));
        }
        assert_eq!(
            ledger.total(&"ORDER-002".parse().expect("an order id")),
            None
        );
    }

    #[test]
    fn a_key_moves_money_once_and_the_copy_does_not_matter() {
        let ledger = Ledger::new(Arc::new(Stopped));
        let by = invocation(1);
        assert_eq!(
            pay(&ledger, &by, charge("O", "m-1", "150.00", Some("O"))),
            PAID
        );
        assert_eq!(
            pay(&ledger, &by, charge("O", "m-1", "150.00", Some("O"))),
            REPLAYED
        );
        assert_eq!(
            pay(&ledger, &by, charge("O", "m-2", "150.0", Some("O"))),
            REPLAYED
        );
        assert_eq!(
            pay(&ledger, &by, charge("P", "m-3", "150.00", Some("P"))),
            PAID
        );
        assert_eq!((ledger.charges(), ledger.replays()), (2, 2));
        assert_eq!(ledger.entries()[0].message_id, "m-1");
    }

    #[test]
    fn a_key_belongs_to_one_order_and_amount() {
        let ledger = Ledger::new(Arc::new(Stopped));
        let by = invocation(1);
        assert_eq!(
            pay(&ledger, &by, charge("O", "m-1", "150.00", Some("k"))),
            PAID
        );
        for other in [
            charge("O", "m-1", "500.00", Some("k")),
            charge("P", "m-1", "150.00", Some("k")),
        ] {
            let error = pay(&ledger, &by, other).expect_err("another payload");
            assert_eq!(
                error.to_string(),
                "Charge failed with `IdempotencyKeyMismatch`: the idempotency key `k` was used \
                 before for another order or amount: use a new key for a new charge"
            );
        }
        assert_eq!((ledger.charges(), ledger.replays()), (1, 0));
        assert_eq!(ledger.total(&"P".parse().expect("an order id")), None);
    }

    #[test]
    fn a_till_without_keys_charges_again() {
        let ledger = Ledger::new(Arc::new(Stopped)).ignoring_keys();
        for amount in ["150.00", "150.00", "500.00"] {
            let charge = charge("O", "m-1", amount, Some("O"));
            assert_eq!(pay(&ledger, &invocation(1), charge), PAID);
        }
        let total = ledger
            .total(&"O".parse().expect("an order id"))
            .expect("a total");
        assert_eq!((total.charges, total.amount.as_str()), (3, "800.00"));
    }

    #[test]
    fn message_ids_come_back_as_they_were_written() {
        let ledger = Ledger::new(Arc::new(Stopped));
        let ids = [
            FIRST,
            &FIRST.to_uppercase(),
            &FIRST.replace('-', ""),
            "",
            "m-🎉",
        ];
        for id in ids {
            assert_eq!(
                pay(&ledger, &Caller::Observer, charge("O", id, "1", None)),
                PAID
            );
        }
        let told: Vec<String> = ledger
            .entries()
            .into_iter()
            .map(|entry| entry.message_id)
            .collect();
        assert_eq!(told, ids);
    }

    #[test]
    fn charges_beyond_one_chunk_are_all_kept_in_order() {
        let ledger = Ledger::new(Arc::new(Stopped));
        let count = u32::try_from(book::CHUNK_ENTRIES).expect("a small number") + 2;
        for number in 1..=count {
            pay(
                &ledger,
                &invocation(number),
                charge("O", FIRST, "0.01", None),
            )
            .expect("paid");
        }
        let mut expected = 1..=count;
        ledger.visit(&mut |entry| assert_eq!(entry.invocation, expected.next()));
        assert_eq!(expected.next(), None);
        let total = ledger
            .total(&"O".parse().expect("an order id"))
            .expect("a total");
        assert_eq!(total.amount.as_str(), "163.86");
    }
}
