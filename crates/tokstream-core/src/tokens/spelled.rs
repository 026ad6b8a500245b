//! Ranks of tokens by their bytes, for the many look-ups of building, most of which fail.
//!
//! Pairs of bytes have a table of their own. For longer strings, bits by hash first say that most
//! are no token, and stay near; then a table of hashes and ranks with linear probing.

use xxhash_rust::xxh3::xxh3_64;

use super::canonical::NONE;
use super::vocabulary::TokenTable;

/// Bits of the filter per token, at least.
const BITS_PER_TOKEN: usize = 16;

/// The ranks.
pub(crate) struct Spelled<'a> {
    tokens: &'a TokenTable,
    of_two: Vec<u32>,
    filter: Vec<u64>,
    /// Upper half of the hash, and the rank or `NONE`.
    slots: Vec<(u32, u32)>,
}

impl<'a> Spelled<'a> {
    /// A table for the ranks of `tokens`, none of which is in it yet.
    pub(crate) fn new(tokens: &'a TokenTable) -> Self {
        let n_bits = (tokens.len() * BITS_PER_TOKEN).next_power_of_two().max(64);
        Self {
            tokens,
            of_two: vec![NONE; 1 << 16],
            filter: vec![0; n_bits / 64],
            slots: vec![(0, NONE); (2 * tokens.len()).next_power_of_two()],
        }
    }

    /// Put the token of `rank` in; if the same one is there, its rank is returned.
    pub(crate) fn insert(&mut self, rank: u32) -> Option<u32> {
        let bytes = self.tokens.bytes(rank);
        if let [first, second] = *bytes {
            let known = &mut self.of_two[usize::from(first) << 8 | usize::from(second)];
            let other = (*known != NONE).then_some(*known);
            *known = rank;
            return other;
        }
        let hash = xxh3_64(bytes);
        let (word, bit) = self.bit(hash);
        self.filter[word] |= bit;
        match self.find(hash, bytes) {
            Ok(other) => Some(other),
            Err(slot) => {
                self.slots[slot] = ((hash >> 32) as u32, rank);
                None
            }
        }
    }

    /// The rank of the token with these bytes, or `NONE`.
    #[inline]
    pub(crate) fn rank(&self, bytes: &[u8]) -> u32 {
        if let Ok(two) = bytes.try_into() {
            return self.rank_of_two(two);
        }
        let hash = xxh3_64(bytes);
        let (word, bit) = self.bit(hash);
        if self.filter[word] & bit == 0 { NONE } else { self.find(hash, bytes).unwrap_or(NONE) }
    }

    /// The rank of the token with these two bytes, or `NONE`.
    #[inline]
    pub(crate) fn rank_of_two(&self, [first, second]: [u8; 2]) -> u32 {
        self.of_two[usize::from(first) << 8 | usize::from(second)]
    }

    /// Where the bit of `hash` is.
    fn bit(&self, hash: u64) -> (usize, u64) {
        let at = hash as usize & (64 * self.filter.len() - 1);
        (at / 64, 1 << (at % 64))
    }

    /// The rank of `bytes`, or the slot where it belongs.
    fn find(&self, hash: u64, bytes: &[u8]) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let upper = (hash >> 32) as u32;
        let mut slot = (hash >> 20) as usize & mask;
        loop {
            let (hash, rank) = self.slots[slot];
            if rank == NONE {
                return Err(slot);
            }
            if hash == upper && self.tokens.bytes(rank) == bytes {
                return Ok(rank);
            }
            slot = (slot + 1) & mask;
        }
    }
}
