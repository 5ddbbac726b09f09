//! `body-hash`: the mechanism of `claim`, keyed by the SHA-256 of the body.
//!
//! It stops every copy whose body is the same byte for byte, whoever made it.
//!
//! Weakness: a body that carries the time of sending, or whose producer writes its fields in
//! another order, is another body, and is charged.

use super::{Claim, KeyStrategy};

/// The guard `body-hash`.
pub const fn body_hash() -> Claim {
    Claim {
        key: KeyStrategy::BodyHash,
    }
}
