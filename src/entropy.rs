//! The one source of randomness: ids and jitter come from a seed, so that a run can be repeated.

use std::sync::{Mutex, PoisonError};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A seeded stream of random numbers, shared by everything that needs one.
#[derive(Debug)]
pub struct Entropy {
    rng: Mutex<ChaCha8Rng>,
}

impl Entropy {
    /// The stream that belongs to `seed`.
    pub fn seeded(seed: u64) -> Self {
        Self {
            rng: Mutex::new(ChaCha8Rng::seed_from_u64(seed)),
        }
    }

    /// A random number.
    pub fn number(&self) -> u64 {
        self.with(Rng::next_u64)
    }

    /// A random version 4 UUID in the usual hyphenated form.
    pub fn uuid(&self) -> String {
        let mut bytes = [0; 16];
        self.with(|rng| rng.fill_bytes(&mut bytes));
        uuid::Builder::from_random_bytes(bytes)
            .into_uuid()
            .to_string()
    }

    /// 32 lower-case hexadecimal digits, as in the name of a Lambda log stream.
    pub fn hex32(&self) -> String {
        format!("{:016x}{:016x}", self.number(), self.number())
    }

    fn with<T>(&self, draw: impl FnOnce(&mut ChaCha8Rng) -> T) -> T {
        draw(&mut self.rng.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_ids_and_another_seed_others() {
        let draw = |seed| {
            let entropy = Entropy::seeded(seed);
            (entropy.uuid(), entropy.hex32(), entropy.number())
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert_eq!(draw(1).0.as_bytes()[14], b'4', "version 4");
    }
}
