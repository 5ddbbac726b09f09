//! Places for values that come and go: a place keeps its number while its value lives.

/// Places in one block of memory. Blocks are never moved, so growing costs no copy and no spare
/// capacity beyond one block.
const BLOCK: usize = 1024;

/// Values by place.
#[derive(Debug)]
pub(super) struct Slab<T> {
    blocks: Vec<Vec<Option<T>>>,
    free: Vec<u32>,
    len: usize,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            free: Vec::new(),
            len: 0,
        }
    }
}

impl<T> Slab<T> {
    /// Puts a value into a free place and tells which.
    pub(super) fn insert(&mut self, value: T) -> u32 {
        self.len += 1;
        if let Some(place) = self.free.pop() {
            if let Some(slot) = self.slot(place) {
                *slot = Some(value);
            }
            return place;
        }
        if self.blocks.last().is_none_or(|block| block.len() == BLOCK) {
            self.blocks.push(Vec::with_capacity(BLOCK));
        }
        let before = (self.blocks.len() - 1) * BLOCK;
        let block = self.blocks.last_mut().expect("a block was just ensured");
        block.push(Some(value));
        u32::try_from(before + block.len() - 1).expect("a queue holds fewer than 2^32 messages")
    }

    /// Takes the value out of its place.
    pub(super) fn remove(&mut self, place: u32) -> Option<T> {
        let value = self.slot(place)?.take()?;
        self.len -= 1;
        if self.len == 0 {
            // Nobody refers to any place: give the memory back, and start from the front again.
            self.blocks.truncate(1);
            self.blocks.iter_mut().for_each(Vec::clear);
            self.free = Vec::new();
        } else {
            self.free.push(place);
        }
        Some(value)
    }

    /// The value at that place.
    pub(super) fn get(&self, place: u32) -> Option<&T> {
        let place = place as usize;
        self.blocks.get(place / BLOCK)?.get(place % BLOCK)?.as_ref()
    }

    /// The value at that place, to be changed.
    pub(super) fn get_mut(&mut self, place: u32) -> Option<&mut T> {
        self.slot(place)?.as_mut()
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    fn slot(&mut self, place: u32) -> Option<&mut Option<T>> {
        let place = place as usize;
        self.blocks.get_mut(place / BLOCK)?.get_mut(place % BLOCK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_used_again_and_an_empty_slab_gives_its_blocks_back() {
        let mut slab = Slab::default();
        let places: Vec<u32> = (0..3000).map(|number| slab.insert(number)).collect();
        assert_eq!((slab.blocks.len(), slab.len()), (3, 3000));
        assert_eq!(slab.get(places[2500]), Some(&2500));
        assert_eq!(slab.remove(places[7]), Some(7));
        assert_eq!(slab.get(places[7]), None);
        assert_eq!(slab.remove(places[7]), None, "twice");
        assert_eq!(slab.insert(9000), places[7]);
        for place in places {
            slab.remove(place);
        }
        assert_eq!((slab.blocks.len(), slab.len(), slab.free.len()), (1, 0, 0));
    }
}
