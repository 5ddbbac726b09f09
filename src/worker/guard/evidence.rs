//! What each guard leaves behind for those who judge it.

use super::{GuardName, KeyStrategy, LEDGER_PREFIX, ORDER_ATTRIBUTE};
use crate::ports::{AttributeValue, Item, KEY_ATTRIBUTE};

/// Where the effect of a guarded consumer lands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EffectSite {
    /// At the till: its ledger says who was charged.
    Till,
    /// In the guard's own table: each ledger row is a charge, and the till is never called.
    Table,
}

impl GuardName {
    /// Whether the guard takes a claim before it charges, and says so: every delivery logs
    /// `claim_won` or `claim_lost`, unless it fails before that.
    pub const fn claims(self) -> bool {
        !matches!(self, Self::None | Self::Memory | Self::IfExists)
    }

    /// Whether the guard leaves an item for every order that it charged.
    pub const fn writes_items(self) -> bool {
        self.item_key().is_some()
    }

    /// What the guard makes one item of: one per order, per message or per body. `None` if it
    /// writes no items. The ledger rows of `transaction` come on top.
    pub const fn item_key(self) -> Option<KeyStrategy> {
        match self {
            Self::None | Self::Memory => None,
            Self::MessageId => Some(KeyStrategy::MessageId),
            Self::BodyHash => Some(KeyStrategy::BodyHash),
            Self::IfExists
            | Self::Claim
            | Self::ClaimRelease
            | Self::Lease
            | Self::FencedLease
            | Self::KeyedCharge
            | Self::Transaction => Some(KeyStrategy::OrderId),
        }
    }

    /// Whether a claim in progress can be taken over when its lease is over, and a delivery that
    /// meets a living one fails instead of being skipped.
    pub const fn leases(self) -> bool {
        matches!(self, Self::Lease | Self::FencedLease | Self::KeyedCharge)
    }

    /// Whether a delivery that won its claim can end without a charge of its own, because the till
    /// replays an earlier answer.
    pub const fn replays_charges(self) -> bool {
        matches!(self, Self::KeyedCharge)
    }

    /// Where the effect lands.
    pub const fn effect_site(self) -> EffectSite {
        match self {
            Self::Transaction => EffectSite::Table,
            _ => EffectSite::Till,
        }
    }

    /// The order that an item of the table is about, whichever guard wrote it.
    pub fn order_of(item: &Item) -> Option<&str> {
        item.get(ORDER_ATTRIBUTE)
            .or_else(|| item.get(KEY_ATTRIBUTE))
            .map(AttributeValue::as_str)
    }

    /// The amount that the item says was charged, if it is a row of the ledger in the table and
    /// thus a charge itself.
    pub fn charged_by_row(item: &Item) -> Option<&str> {
        let key = item.get(KEY_ATTRIBUTE)?.as_str();
        (key.starts_with(LEDGER_PREFIX) && item.contains_key(ORDER_ATTRIBUTE))
            .then(|| item.get("amount").map(AttributeValue::as_str))
            .flatten()
    }
}
