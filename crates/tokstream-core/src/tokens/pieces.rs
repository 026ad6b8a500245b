//! Ids of short pretokens seen before: a table of fixed size that forgets.
//!
//! One cache line holds two entries; an entry is a key of up to 15 bytes with its length, and up
//! to three ids. Longer pretokens, or ones of more tokens, are merged anew each time. The hash is
//! not keyed: whoever forces collisions gets slower look-ups, never wrong ids.

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

/// Where a pretoken's entry is, or would be.
#[derive(Clone, Copy)]
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
        let hash = (low ^ high >> 3).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ high.wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
        let line = (hash ^ hash >> 32) as usize % N_LINES;
        Some(Place { low, high, line: self.base + line * WORDS_PER_LINE })
    }

    /// Append the ids kept for `place`; false if there are none.
    #[inline(always)]
    pub(crate) fn get(&self, place: Place, out: &mut Vec<u32>) -> bool {
        let line = &self.words[place.line..place.line + WORDS_PER_LINE];
        let entry = if line[0] == place.low && line[1] == place.high {
            &line[..WORDS_PER_ENTRY]
        } else if line[4] == place.low && line[5] == place.high {
            &line[WORDS_PER_ENTRY..]
        } else {
            return false;
        };
        let (pair, rest) = (entry[2], entry[3]);
        let ids = [pair as u32, (pair >> 32) as u32, rest as u32];
        match rest >> 32 {
            1 => out.push(ids[0]),
            2 => out.extend_from_slice(&ids[..2]),
            _ => out.extend_from_slice(&ids),
        }
        true
    }

    /// Keep `ids` for `place`, in the place of an older entry if need be.
    pub(crate) fn put(&mut self, place: Place, ids: &[u32]) {
        if ids.is_empty() || ids.len() > MAX_IDS {
            return;
        }
        let id = |k: usize| u64::from(ids.get(k).copied().unwrap_or(0));
        let line = &mut self.words[place.line..place.line + WORDS_PER_LINE];
        // The newer entry comes first; the older of two is given up.
        if line[1] != 0 {
            line.copy_within(..WORDS_PER_ENTRY, WORDS_PER_ENTRY);
        }
        line[..WORDS_PER_ENTRY].copy_from_slice(&[
            place.low,
            place.high,
            id(0) | id(1) << 32,
            id(2) | (ids.len() as u64) << 32,
        ]);
    }
}
