//! Ids of pretokens of 16 to 256 bytes seen before: two tables of fixed size that forget.
//!
//! Such pretokens are rare, but merging one takes as long as looking up a hundred short ones and
//! more, for each byte waits for memory: runs of blanks in code, separator lines. An entry is the
//! pretoken, padded with zeros, then its length and its ids. A new entry takes the place of the one
//! before.

use bytemuck::Zeroable;

/// Pretokens of up to 64 bytes; 512 KiB.
type Usual = Entries<8, 14>;
const N_USUAL: usize = 1 << 12;
/// Longer ones, up to 256 bytes; 256 KiB.
type Longer = Entries<32, 62>;
const N_LONGER: usize = 1 << 9;

/// A pretoken of up to `8 * WORDS` bytes with at most `IDS` ids.
#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(C)]
struct Entry<const WORDS: usize, const IDS: usize> {
    bytes: [u64; WORDS],
    length: u32,
    n_ids: u32,
    ids: [u32; IDS],
}

#[derive(Debug)]
struct Entries<const WORDS: usize, const IDS: usize>(Box<[Entry<WORDS, IDS>]>);

/// Both tables, of which only touched pages cost memory.
#[derive(Debug)]
pub(crate) struct LongPieceTable {
    usual: Usual,
    longer: Longer,
}

impl Default for LongPieceTable {
    fn default() -> Self {
        Self { usual: Entries::new(N_USUAL), longer: Entries::new(N_LONGER) }
    }
}

impl LongPieceTable {
    /// The ids kept for `piece`.
    pub(crate) fn find(&self, piece: &[u8]) -> Option<&[u32]> {
        if piece.len() <= Usual::MAX_BYTES {
            self.usual.find(piece)
        } else {
            self.longer.find(piece)
        }
    }

    /// Keep the ids of `piece`, if neither is too long.
    pub(crate) fn put(&mut self, piece: &[u8], ids: &[u32]) {
        if piece.len() <= Usual::MAX_BYTES {
            self.usual.put(piece, ids);
        } else {
            self.longer.put(piece, ids);
        }
    }
}

impl<const WORDS: usize, const IDS: usize> Entries<WORDS, IDS> {
    const MAX_BYTES: usize = 8 * WORDS;

    fn new(n_entries: usize) -> Self {
        Self(bytemuck::zeroed_slice_box(n_entries))
    }

    /// The padded pretoken and the number of its entry; `None` if it is too long.
    fn place(&self, piece: &[u8]) -> Option<([u64; WORDS], usize)> {
        let mut bytes = [0; WORDS];
        bytemuck::bytes_of_mut(&mut bytes).get_mut(..piece.len())?.copy_from_slice(piece);
        let mix = |hash: u64, &word: &u64| {
            (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_right(29)
        };
        let words = &bytes[..piece.len().div_ceil(8)];
        let hash = words.iter().fold(piece.len() as u64, mix);
        Some((bytes, (hash ^ hash >> 32) as usize % self.0.len()))
    }

    fn find(&self, piece: &[u8]) -> Option<&[u32]> {
        let (bytes, number) = self.place(piece)?;
        let entry = &self.0[number];
        let is_found = entry.length as usize == piece.len() && entry.bytes == bytes;
        is_found.then(|| &entry.ids[..entry.n_ids as usize])
    }

    fn put(&mut self, piece: &[u8], ids: &[u32]) {
        if let Some((bytes, number)) = self.place(piece).filter(|_| ids.len() <= IDS) {
            let entry = &mut self.0[number];
            (entry.bytes, entry.length, entry.n_ids) =
                (bytes, piece.len() as u32, ids.len() as u32);
            entry.ids[..ids.len()].copy_from_slice(ids);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pretokens_that_differ_only_in_length_or_at_their_ends_are_told_apart() {
        let mut table = LongPieceTable::default();
        let pieces = [15, 16, 63, 64, 65, 255, 256].map(|n| [vec![0; n - 1], vec![1]].concat());
        for (id, piece) in (0..).zip(&pieces) {
            table.put(piece, &[id, id]);
            assert_eq!(table.find(piece), Some(&[id, id][..]));
            let other = [&piece[..piece.len() - 1], &[2]].concat();
            assert_eq!(table.find(&other), None);
        }
    }

    #[test]
    fn what_is_too_long_is_not_kept() {
        let mut table = LongPieceTable::default();
        table.put(&[7; 257], &[1]);
        assert_eq!(table.find(&[7; 257]), None);
        table.put(&[7; 256], &[1; 63]);
        assert_eq!(table.find(&[7; 256]), None);
        table.put(&[7; 64], &[1; 15]);
        assert_eq!(table.find(&[7; 64]), None);
        table.put(&[7; 256], &[1; 62]);
        assert_eq!(table.find(&[7; 256]), Some(&[1; 62][..]));
    }
}
