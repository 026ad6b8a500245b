//! Ids of short pretokens seen before: a table of fixed size that forgets.
//!
//! One cache line holds two entries; an entry is a key of up to 15 bytes with its length, and up
//! to three ids. Longer pretokens, or ones of more tokens, are merged anew each time. The hash is
//! not keyed: whoever forces collisions gets slower look-ups, never wrong ids.

use std::ops::Range;

/// Longest pretoken that is kept, in bytes.
const MAX_BYTES: usize = 15;
/// Most ids that are kept.
const MAX_IDS: usize = 3;
const N_LINES: usize = 1 << 16;
const WORDS_PER_LINE: usize = 8;
const WORDS_PER_ENTRY: usize = 4;

/// The table; 4 MiB, of which only touched pages cost memory.
#[derive(Debug)]
pub struct PieceTable {
    words: Vec<u64>,
    /// Where the first line begins, so that lines do not straddle cache lines.
    base: usize,
}

/// Up to three ids, or where more than three are spilled.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    values: [u32; MAX_IDS],
    n: u32,
}

const SPILLED: u32 = u32::MAX;

impl Found {
    /// The ids from `begin` on in `list`, which may be many.
    pub(crate) fn new(list: &[u32], begin: usize) -> Self {
        let ids = &list[begin..];
        let mut values = [0; MAX_IDS];
        if ids.len() > MAX_IDS {
            values[..2].copy_from_slice(&[begin as u32, list.len() as u32]);
            return Self { values, n: SPILLED };
        }
        values[..ids.len()].copy_from_slice(ids);
        Self { values, n: ids.len() as u32 }
    }

    /// The ids, or the range of the list that holds them.
    #[inline(always)]
    pub(crate) fn ids(&self) -> Result<&[u32], Range<usize>> {
        if self.n == SPILLED {
            return Err(self.values[0] as usize..self.values[1] as usize);
        }
        Ok(&self.values[..self.n as usize])
    }
}

/// Where a pretoken's entry is, or would be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    low: u64,
    high: u64,
    line: usize,
}

impl Default for PieceTable {
    fn default() -> Self {
        let words = vec![0_u64; (N_LINES + 1) * WORDS_PER_LINE];
        let base = words.as_ptr().align_offset(64).min(WORDS_PER_LINE);
        Self { words, base }
    }
}

impl PieceTable {
    /// Key of `text[begin..end]`, or `None` if it is too long to keep.
    #[inline(always)]
    pub(crate) fn place(&self, text: &[u8], begin: usize, end: usize) -> Option<Place> {
        let n = end - begin;
        if n > MAX_BYTES {
            return None;
        }
        let bytes = match text.get(begin..begin + 16).and_then(|b| <[u8; 16]>::try_from(b).ok()) {
            Some(bytes) => u128::from_le_bytes(bytes) & ((1 << (8 * n)) - 1),
            None => text[begin..end].iter().rev().fold(0, |key, &byte| key << 8 | byte as u128),
        };
        let key = bytes | (n as u128) << 120;
        let (low, high) = (key as u64, (key >> 64) as u64);
        // The two halves of the product, folded: every byte of the key reaches every bit.
        let product =
            u128::from(low ^ 0x9E37_79B9_7F4A_7C15) * u128::from(high ^ 0xC2B2_AE3D_27D4_EB4F);
        let line = (product as u64 ^ (product >> 64) as u64) as usize % N_LINES;
        Some(Place { low, high, line: self.base + line * WORDS_PER_LINE })
    }

    /// Read the line of `place`, for the cache's sake.
    #[inline(always)]
    pub(crate) fn touch(&self, place: Option<Place>) -> u64 {
        place.map_or(0, |place| self.words[place.line])
    }

    /// The ids kept for `place`.
    #[inline(always)]
    pub(crate) fn get(&self, place: Place) -> Option<Found> {
        let line: &[u64; WORDS_PER_LINE] = self.words.get(place.line..)?.first_chunk()?;
        // Which of the two it is cannot be foreseen, so that must not be a branch.
        let is_first = (line[0] ^ place.low) | (line[1] ^ place.high) == 0;
        let is_second = (line[4] ^ place.low) | (line[5] ^ place.high) == 0;
        let entry = [line[2 + 4 * usize::from(is_second)], line[3 + 4 * usize::from(is_second)]];
        if !(is_first | is_second) {
            return None;
        }
        let [pair, rest] = entry;
        let values = [pair as u32, (pair >> 32) as u32, rest as u32];
        Some(Found { values, n: (rest >> 32) as u32 })
    }

    /// Keep ids that are not spilled for `place`, instead of an older entry if need be.
    pub(crate) fn put(&mut self, place: Place, found: Found) {
        let value = |k: usize| u64::from(found.values[k]);
        let line = &mut self.words[place.line..place.line + WORDS_PER_LINE];
        // The newer entry comes first; the older of two is given up.
        if line[1] != 0 {
            line.copy_within(..WORDS_PER_ENTRY, WORDS_PER_ENTRY);
        }
        line[..WORDS_PER_ENTRY].copy_from_slice(&[
            place.low,
            place.high,
            value(0) | value(1) << 32,
            value(2) | u64::from(found.n) << 32,
        ]);
    }
}
