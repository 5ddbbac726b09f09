//! Sets of fingerprints, for `count_distinct`.

use std::hash::{DefaultHasher, Hasher};

/// A set of 64-bit fingerprints of texts: eight bytes a place. Two of ten million texts share one
/// with a probability of three in a million; CloudWatch itself counts approximately there.
#[derive(Clone, Debug, Default)]
pub(super) struct Fingerprints {
    /// 0 is an empty place.
    places: Vec<u64>,
    count: usize,
}

/// The fingerprint of a text.
pub(super) fn fingerprint(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text);
    hasher.finish().max(1)
}

impl Fingerprints {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Adds one; the bytes by which the set grew.
    pub(super) fn insert(&mut self, fingerprint: u64) -> usize {
        let mut grown = 0;
        // At most three quarters full.
        if self.count * 4 >= self.places.len() * 3 {
            grown = self.grow();
        }
        if place(&mut self.places, fingerprint) {
            self.count += 1;
        }
        grown
    }

    fn grow(&mut self) -> usize {
        let size = (self.places.len() * 2).max(4);
        let grown = (size - self.places.len()) * size_of::<u64>();
        let before = std::mem::replace(&mut self.places, vec![0; size]);
        for fingerprint in before.into_iter().filter(|fingerprint| *fingerprint != 0) {
            place(&mut self.places, fingerprint);
        }
        grown
    }

    /// Adds all of another set; the bytes by which this one grew.
    pub(super) fn merge(&mut self, other: &Fingerprints) -> usize {
        let others = other.places.iter().filter(|fingerprint| **fingerprint != 0);
        others.map(|fingerprint| self.insert(*fingerprint)).sum()
    }
}

/// Puts the fingerprint into its place; whether it is new.
fn place(places: &mut [u64], fingerprint: u64) -> bool {
    let mask = places.len() - 1;
    let mut at = fingerprint as usize & mask;
    loop {
        match places[at] {
            0 => {
                places[at] = fingerprint;
                return true;
            }
            there if there == fingerprint => return false,
            _ => at = (at + 1) & mask,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_counts_once_in_and_across_sets() {
        let (mut left, mut right) = (Fingerprints::default(), Fingerprints::default());
        for number in 0..10_000 {
            let text = (number % 1000).to_string();
            left.insert(fingerprint(text.as_bytes()));
            right.insert(fingerprint((500 + number % 1000).to_string().as_bytes()));
        }
        assert_eq!(left.len(), 1000);
        left.merge(&right);
        assert_eq!(left.len(), 1500);
    }
}
