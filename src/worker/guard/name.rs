//! The names of the guards.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::{Claim, Guard, IfExists, Unguarded};
use crate::failure::{Failure, nearest};

/// A guard by its name. The names are fixed: they stand in events, reports and scenario files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuardName {
    /// Charge every message (`IDEMPOTENCY=0`).
    None,
    /// Look, charge, then write.
    IfExists,
    /// One conditional put on the order, then charge (`IDEMPOTENCY=1`).
    Claim,
}

impl GuardName {
    /// All guards, weakest first.
    pub const ALL: [GuardName; 3] = [Self::None, Self::IfExists, Self::Claim];

    /// The name as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::IfExists => "if-exists",
            Self::Claim => "claim",
        }
    }

    /// Whether the guard takes a claim before it charges, and says so with `claim_won` or
    /// `claim_lost` for every delivery.
    pub const fn claims(self) -> bool {
        matches!(self, Self::Claim)
    }

    /// Whether the guard leaves an item for every order that it charged.
    pub const fn writes_items(self) -> bool {
        matches!(self, Self::Claim | Self::IfExists)
    }

    /// The guard itself.
    pub fn build(self) -> Arc<dyn Guard> {
        match self {
            Self::None => Arc::new(Unguarded),
            Self::IfExists => Arc::new(IfExists),
            Self::Claim => Arc::new(Claim),
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
                "unknown guard `ifexist`; known guards: none, if-exists, claim\n\
                 (hint: did you mean `if-exists`?)"
                    .to_owned()
            )
        );
    }
}
