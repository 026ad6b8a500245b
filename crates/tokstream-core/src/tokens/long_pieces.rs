//! Ids of pretokens of 16 to 64 bytes seen before: a second table of fixed size that forgets.
//!
//! Such pretokens are rare, but merging one takes as long as looking up a hundred short ones: runs
//! of blanks in code, separator lines. An entry is two cache lines: the pretoken, padded with
//! zeros, then its length and up to 14 ids. A new entry takes the place of the one before.

use bytemuck::{Pod, Zeroable};

/// Longest pretoken that is kept, in bytes.
const MAX_BYTES: usize = 64;
/// Most ids that are kept.
const MAX_IDS: usize = 14;
const N_ENTRIES: usize = 1 << 12;

type Padded = [u64; MAX_BYTES / 8];

#[derive(Clone, Copy, Debug, Zeroable, Pod)]
#[repr(C)]
struct Entry {
    bytes: Padded,
    length: u32,
    n_ids: u32,
    ids: [u32; MAX_IDS],
}

/// The table; 512 KiB, of which only touched pages cost memory.
#[derive(Debug)]
pub(crate) struct LongPieceTable(Box<[Entry]>);

impl Default for LongPieceTable {
    fn default() -> Self {
        Self(bytemuck::zeroed_slice_box(N_ENTRIES))
    }
}

/// The padded pretoken and the number of its entry; `None` if it is too long.
fn place(piece: &[u8]) -> Option<(Padded, usize)> {
    let mut bytes: Padded = [0; MAX_BYTES / 8];
    bytemuck::bytes_of_mut(&mut bytes).get_mut(..piece.len())?.copy_from_slice(piece);
    let mix =
        |hash: u64, &word: &u64| (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_right(29);
    let hash = bytes.iter().fold(piece.len() as u64, mix);
    Some((bytes, (hash ^ hash >> 32) as usize % N_ENTRIES))
}

impl LongPieceTable {
    /// The ids kept for `piece`.
    pub(crate) fn find(&self, piece: &[u8]) -> Option<&[u32]> {
        let (bytes, number) = place(piece)?;
        let entry = &self.0[number];
        let is_found = entry.length as usize == piece.len() && entry.bytes == bytes;
        is_found.then(|| &entry.ids[..entry.n_ids as usize])
    }

    /// Keep the ids of `piece`, if neither is too long.
    pub(crate) fn put(&mut self, piece: &[u8], ids: &[u32]) {
        if let Some((bytes, number)) = place(piece).filter(|_| ids.len() <= MAX_IDS) {
            let entry = &mut self.0[number];
            (entry.bytes, entry.length, entry.n_ids) =
                (bytes, piece.len() as u32, ids.len() as u32);
            entry.ids[..ids.len()].copy_from_slice(ids);
        }
    }
}
