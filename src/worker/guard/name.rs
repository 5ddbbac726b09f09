//! The names of the guards.

use std::fmt;
use std::str::FromStr;

use super::{
    ClaimRelease, FencedLease, Guard, GuardSettings, IfExists, KeyStrategy, Lease, Memory,
    Transaction, Unguarded, body_hash, keyed_charge, message_id,
};
use crate::failure::{Failure, nearest};

/// A guard by its name. The names are fixed: they stand in events, reports and scenario files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuardName {
    /// Charge every message (`IDEMPOTENCY=0`).
    None,
    /// The process remembers which orders it charged.
    Memory,
    /// Look, charge, then write.
    IfExists,
    /// One conditional put on the MessageId, then charge.
    MessageId,
    /// One conditional put on the hash of the body, then charge.
    BodyHash,
    /// One conditional put on the order, then charge (`IDEMPOTENCY=1`).
    Claim,
    /// As `claim`, the claim deleted on any error.
    ClaimRelease,
    /// A claim with an end, a result that is kept (Powertools' protocol).
    Lease,
    /// A lease that knows its owner.
    FencedLease,
    /// A fenced lease, and the till takes the order id as idempotency key.
    KeyedCharge,
    /// Claim and effect in one transaction.
    Transaction,
}

impl GuardName {
    /// All guards, weakest first.
    pub const ALL: [GuardName; 11] = [
        Self::None,
        Self::Memory,
        Self::IfExists,
        Self::MessageId,
        Self::BodyHash,
        Self::Claim,
        Self::ClaimRelease,
        Self::Lease,
        Self::FencedLease,
        Self::KeyedCharge,
        Self::Transaction,
    ];

    /// The name as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Memory => "memory",
            Self::IfExists => "if-exists",
            Self::MessageId => "message-id",
            Self::BodyHash => "body-hash",
            Self::Claim => "claim",
            Self::ClaimRelease => "claim-release",
            Self::Lease => "lease",
            Self::FencedLease => "fenced-lease",
            Self::KeyedCharge => "keyed-charge",
            Self::Transaction => "transaction",
        }
    }

    /// The guard itself, as a process has it that has just started.
    pub fn build(self, settings: &GuardSettings) -> Box<dyn Guard> {
        let settings = settings.clone();
        match self {
            Self::None => Box::new(Unguarded),
            Self::Memory => Box::new(Memory::default()),
            Self::IfExists => Box::new(IfExists {
                consistent_reads: settings.consistent_reads,
            }),
            Self::MessageId => Box::new(message_id()),
            Self::BodyHash => Box::new(body_hash()),
            Self::Claim => Box::new(super::Claim {
                key: KeyStrategy::OrderId,
            }),
            Self::ClaimRelease => Box::new(ClaimRelease {
                window: settings.window,
            }),
            Self::Lease => Box::new(Lease { settings }),
            Self::FencedLease => Box::new(FencedLease {
                settings,
                keyed_charge: false,
            }),
            Self::KeyedCharge => Box::new(keyed_charge(settings)),
            Self::Transaction => Box::new(Transaction { settings }),
        }
    }
}

impl fmt::Display for GuardName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for GuardName {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let found = Self::ALL.into_iter().find(|guard| guard.name() == text);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            let failure = Failure::usage(format!(
                "unknown guard `{text}`; known guards: {}",
                names.join(", ")
            ));
            match nearest(text, names) {
                Some(name) => failure.hint(format!("did you mean `{name}`?")),
                None => failure,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_slips_get_a_suggestion() {
        for guard in GuardName::ALL {
            assert_eq!(guard.name().parse(), Ok(guard));
        }
        assert_eq!(
            "ifexist".parse::<GuardName>().map_err(|e| e.to_string()),
            Err(
                "unknown guard `ifexist`; known guards: none, memory, if-exists, message-id, \
                 body-hash, claim, claim-release, lease, fenced-lease, keyed-charge, transaction\n\
                 (hint: did you mean `if-exists`?)"
                    .to_owned()
            )
        );
    }

    #[test]
    fn all_guards_are_listed_from_weak_to_strong() {
        assert!(GuardName::ALL.is_sorted());
    }
}
