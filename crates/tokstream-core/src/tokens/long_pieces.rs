//! Ids of pretokens of 16 to 256 bytes seen before: tables of fixed size that forget.
//!
//! Such pretokens are rare, but merging one takes as long as looking up a hundred short ones and
//! more, for each byte waits for memory: long names and runs of blanks in code, separator lines. An
//! entry is the pretoken, padded with zeros, then its length and its ids. It may be in two places; a
//! new one comes first, and the older of the two is forgotten.

use bytemuck::Zeroable;

/// Pretokens of up to 32 bytes and few ids, which most are; 1 MiB.
type Usual = Entries<4, 7>;
const N_USUAL: usize = 1 << 13;
/// Others of up to 64 bytes; 256 KiB.
type Long = Entries<8, 15>;
const N_LONG: usize = 1 << 10;
/// Longer ones, up to 256 bytes; 256 KiB.
type Longer = Entries<32, 63>;
const N_LONGER: usize = 1 << 8;

/// A pretoken of up to `8 * WORDS` bytes with at most `IDS` ids.
#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(C, align(64))]
struct Entry<const WORDS: usize, const IDS: usize> {
    bytes: [u64; WORDS],
    length: u16,
    n_ids: u16,
    ids: [u32; IDS],
}

/// Pairs of entries.
#[derive(Debug)]
struct Entries<const WORDS: usize, const IDS: usize>(Box<[[Entry<WORDS, IDS>; 2]]>);

/// The tables, of which only touched pages cost memory.
#[derive(Debug)]
pub(crate) struct LongPieceTable {
    usual: Usual,
    long: Long,
    longer: Longer,
}

impl Default for LongPieceTable {
    fn default() -> Self {
        Self {
            usual: Entries::new(N_USUAL),
            long: Entries::new(N_LONG),
            longer: Entries::new(N_LONGER),
        }
    }
}

impl LongPieceTable {
    /// The ids kept for `piece`.
    pub(crate) fn find(&self, piece: &[u8]) -> Option<&[u32]> {
        let found = self.usual.find(piece).or_else(|| self.long.find(piece));
        found.or_else(|| self.longer.find(piece))
    }

    /// Keep the ids of `piece`, where there is room for both; if they are too long, nowhere.
    pub(crate) fn put(&mut self, piece: &[u8], ids: &[u32]) {
        if Usual::has_room(piece, ids) {
            self.usual.put(piece, ids);
        } else if Long::has_room(piece, ids) {
            self.long.put(piece, ids);
        } else if Longer::has_room(piece, ids) {
            self.longer.put(piece, ids);
        }
    }
}

impl<const WORDS: usize, const IDS: usize> Entry<WORDS, IDS> {
    fn is(&self, bytes: &[u64; WORDS], length: usize) -> bool {
        usize::from(self.length) == length && self.bytes == *bytes
    }
}

impl<const WORDS: usize, const IDS: usize> Entries<WORDS, IDS> {
    /// Can an entry hold this?
    fn has_room(piece: &[u8], ids: &[u32]) -> bool {
        piece.len() <= 8 * WORDS && ids.len() <= IDS
    }

    fn new(n_pairs: usize) -> Self {
        Self(bytemuck::zeroed_slice_box(n_pairs))
    }

    /// The padded pretoken and the number of its pair; `None` if it is too long.
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
        let entry = self.0[number].iter().find(|entry| entry.is(&bytes, piece.len()))?;
        Some(&entry.ids[..entry.n_ids.into()])
    }

    fn put(&mut self, piece: &[u8], ids: &[u32]) {
        if let Some((bytes, number)) = self.place(piece) {
            let [newer, older] = &mut self.0[number];
            *older = *newer;
            (newer.bytes, newer.length, newer.n_ids) =
                (bytes, piece.len() as u16, ids.len() as u16);
            newer.ids[..ids.len()].copy_from_slice(ids);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pretokens_that_differ_only_in_length_or_at_their_ends_are_told_apart() {
        let mut table = LongPieceTable::default();
        let pieces =
            [15, 16, 31, 32, 33, 63, 64, 65, 255, 256].map(|n| [vec![0; n - 1], vec![1]].concat());
        for (id, piece) in (0..).zip(&pieces) {
            table.put(piece, &[id, id]);
            assert_eq!(table.find(piece), Some(&[id, id][..]));
            let other = [&piece[..piece.len() - 1], &[2]].concat();
            assert_eq!(table.find(&other), None);
        }
    }

    #[test]
    fn zeros_at_the_end_are_not_room_that_is_left() {
        let mut table = Usual::new(1);
        table.put(&[0; 20], &[1]);
        assert_eq!(table.find(&[0; 21]), None);
        table.put(&[0; 21], &[2]);
        assert_eq!(table.find(&[0; 20]), Some(&[1][..]));
        assert_eq!(table.find(&[0; 21]), Some(&[2][..]));
    }

    #[test]
    fn what_is_too_long_is_not_kept() {
        let mut table = LongPieceTable::default();
        table.put(&[7; 257], &[1]);
        assert_eq!(table.find(&[7; 257]), None);
        for (n_bytes, n_ids) in [(32, 63), (64, 63), (256, 63)] {
            let (piece, ids) = (vec![7; n_bytes], vec![1; n_ids + 1]);
            table.put(&piece, &ids);
            assert_eq!(table.find(&piece), None);
            table.put(&piece, &ids[1..]);
            assert_eq!(table.find(&piece), Some(&ids[1..]));
        }
    }

    #[test]
    fn of_pieces_that_share_a_place_the_latest_two_are_kept() {
        let mut table = Usual::new(1);
        let pieces = [[1; 20], [2; 20], [3; 20]];
        for (id, piece) in (0..).zip(&pieces) {
            table.put(piece, &[id]);
        }
        assert_eq!(
            pieces.map(|piece| table.find(&piece).map(<[u32]>::to_vec)),
            [None, Some(vec![1]), Some(vec![2])]
        );
    }
}
