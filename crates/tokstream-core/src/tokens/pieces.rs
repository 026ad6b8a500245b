//! Ids of short pretokens seen before: a table of fixed size that forgets.
//!
//! One cache line holds two entries; an entry is a key of up to 15 bytes with its length, and up
//! to four ids. A pretoken that had to leave its line may be in another, which its hash names, too.
//! Of longer pretokens fewer are kept, in a table of their own. The hash is not keyed: whoever
//! forces collisions gets slower look-ups, never wrong ids.

use bytemuck::{Pod, Zeroable};
use memmap2::MmapMut;

use crate::prefetch::prefetch;

use super::equal::are_equal;
use super::long_pieces::LongPieceTable;

/// Longest pretoken that is kept, in bytes.
pub(crate) const MAX_BYTES: usize = 15;
/// Most ids that are kept.
pub(crate) const MAX_IDS: usize = 4;
const N_LINES: usize = 1 << 17;
/// The number of a pretoken's line is in the lower bits of its hash, that of its second line above.
const SECOND_SHIFT: u32 = 15;

/// The number of ids is in the upper byte of a value's last word, so ids there are below this.
const N_SHIFT: u32 = 24;
const LAST_MASK: u32 = (1 << N_SHIFT) - 1;
const SPILLED: u32 = 0xFF;

/// Length byte of keys that stand for pretokens too long to keep; no entry has it.
const TOO_LONG: u64 = 0xFF << 56;

/// What of sixteen bytes belongs to a pretoken of so many, and its length in the last byte; the last
/// one is for all that are too long.
const KEEP: [(Key, u64); MAX_BYTES + 2] = {
    let mut keep = [([u64::MAX, u64::MAX >> 8], TOO_LONG); MAX_BYTES + 2];
    let mut n = 0;
    while n <= MAX_BYTES {
        let bits = (1_u128 << (8 * n)) - 1;
        keep[n] = ([bits as u64, (bits >> 64) as u64], (n as u64) << 56);
        n += 1;
    }
    keep
};

/// A pretoken of up to 15 bytes, its length in the last byte.
pub(crate) type Key = [u64; 2];

/// Up to four ids and their number, or where more are spilled.
#[derive(Clone, Copy, Debug, Default, Zeroable, Pod)]
#[repr(transparent)]
pub(crate) struct Found([u32; MAX_IDS]);

#[derive(Clone, Copy, Debug, Default, Zeroable, Pod)]
#[repr(C)]
struct Entry {
    key: Key,
    found: Found,
}

#[derive(Clone, Copy, Debug, Default, Zeroable, Pod)]
#[repr(C, align(64))]
struct Line([Entry; 2]);

impl Entry {
    fn is_empty(&self) -> bool {
        self.key[1] == 0
    }
}

/// The table; 8 MiB, of which only touched pages cost memory.
#[derive(Debug)]
pub struct PieceTable {
    /// Zeroed by the system.
    memory: MmapMut,
    pub(crate) long: LongPieceTable,
}

impl Found {
    /// The ids from `begin` on in `list`, which may be many.
    pub(crate) fn new(list: &[u32], begin: usize) -> Self {
        let ids = &list[begin..];
        if ids.len() > MAX_IDS || ids.get(MAX_IDS - 1).is_some_and(|&id| id > LAST_MASK) {
            return Self([begin as u32, list.len() as u32, 0, SPILLED << N_SHIFT]);
        }
        let mut words = [0; MAX_IDS];
        words[..ids.len()].copy_from_slice(ids);
        words[MAX_IDS - 1] |= (ids.len() as u32) << N_SHIFT;
        Self(words)
    }

    pub(crate) fn is_spilled(self) -> bool {
        self.0[MAX_IDS - 1] >> N_SHIFT == SPILLED
    }

    /// Range of the list that holds spilled ids.
    pub(crate) fn spilled(self) -> std::ops::Range<usize> {
        self.0[0] as usize..self.0[1] as usize
    }

    /// Number of ids; more than `MAX_IDS` if they are spilled.
    #[inline(always)]
    pub(crate) fn n_ids(&self) -> usize {
        (self.0[MAX_IDS - 1] >> N_SHIFT) as usize
    }

    /// The ids, in the first words; a fourth one only in its lower bits, see `masked`.
    #[inline(always)]
    pub(crate) fn words(&self) -> &[u32; MAX_IDS] {
        &self.0
    }

    /// The ids, in the first words.
    pub(crate) fn masked(self) -> [u32; MAX_IDS] {
        let mut words = self.0;
        words[MAX_IDS - 1] &= LAST_MASK;
        words
    }
}

/// Key of `text[begin..end]`.
#[inline(always)]
pub(crate) fn key(text: &[u8], begin: usize, end: usize) -> Key {
    let bytes = text.get(begin..begin.wrapping_add(16)).and_then(<[u8]>::first_chunk);
    let Some(bytes) = bytes else { return key_at_end(&text[begin..end]) };
    let bytes = u128::from_le_bytes(*bytes);
    let (keep, length) = KEEP[end.wrapping_sub(begin).min(MAX_BYTES + 1)];
    [bytes as u64 & keep[0], (bytes >> 64) as u64 & keep[1] | length]
}

#[cold]
fn key_at_end(piece: &[u8]) -> Key {
    if piece.len() > MAX_BYTES {
        return [0, TOO_LONG];
    }
    let mut bytes = [0; 16];
    bytes[..piece.len()].copy_from_slice(piece);
    bytes[15] = piece.len() as u8;
    let bytes = u128::from_le_bytes(bytes);
    [bytes as u64, (bytes >> 64) as u64]
}

/// May the pretoken with this key be kept?
pub(crate) fn is_short(key: Key) -> bool {
    key[1] < TOO_LONG
}

/// Hash of a key; names its two lines.
#[inline(always)]
pub(crate) fn hash(key: Key) -> u32 {
    // The two halves of the product, folded: every byte of the key reaches every bit.
    let product =
        u128::from(key[0] ^ 0x9E37_79B9_7F4A_7C15) * u128::from(key[1] ^ 0xC2B2_AE3D_27D4_EB4F);
    (product as u64 ^ (product >> 64) as u64) as u32
}

#[inline(always)]
fn first_line(hash: u32) -> usize {
    hash as usize % N_LINES
}

#[inline(always)]
fn second_line(hash: u32) -> usize {
    (hash >> SECOND_SHIFT) as usize % N_LINES
}

impl Default for PieceTable {
    fn default() -> Self {
        let memory = MmapMut::map_anon(N_LINES * size_of::<Line>());
        let memory = memory.unwrap_or_else(|_| out_of_memory());
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        Self { memory, long: LongPieceTable::default() }
    }
}

#[cold]
fn out_of_memory() -> ! {
    std::alloc::handle_alloc_error(std::alloc::Layout::new::<[Line; N_LINES]>())
}

impl PieceTable {
    /// The lines, to look pretokens up.
    #[inline(always)]
    pub(crate) fn view(&self) -> View<'_> {
        View(bytemuck::from_bytes(&self.memory))
    }

    fn line(&mut self, number: usize) -> &mut Line {
        let lines: &mut [Line; N_LINES] = bytemuck::from_bytes_mut(&mut self.memory);
        &mut lines[number % N_LINES]
    }

    /// The ids kept for `key`; an entry in its second line moves to the first.
    pub(crate) fn find(&mut self, key: Key, hash: u32) -> Option<Found> {
        let own = self.line(first_line(hash));
        if let Some(entry) = own.0.iter().find(|entry| entry.key == key) {
            return Some(entry.found);
        }
        // Nothing leaves a line that has room.
        if own.0[1].is_empty() {
            return None;
        }
        let second = self.line(second_line(hash));
        let entry = second.0.iter_mut().find(|entry| entry.key == key)?;
        let found = std::mem::take(entry).found;
        self.put(key, hash, found);
        Some(found)
    }

    /// Keep ids that are not spilled for `key`, instead of an older entry if need be.
    pub(crate) fn put(&mut self, key: Key, hash: u32, found: Found) {
        // The newer entry comes first; of a full line, the older is handed to its second line.
        let own = self.line(first_line(hash));
        let older = std::mem::replace(&mut own.0[0], Entry { key, found });
        if older.is_empty() {
            return;
        }
        let oldest = std::mem::replace(&mut own.0[1], older);
        let line = second_line(self::hash(oldest.key));
        let other = &mut self.line(line).0[1];
        // There it takes the place of another such one, but does not drive out those at home.
        if !oldest.is_empty() && (other.is_empty() || first_line(self::hash(other.key)) != line) {
            *other = oldest;
        }
    }
}

/// The lines of a table.
#[derive(Clone, Copy)]
pub(crate) struct View<'a>(&'a [Line; N_LINES]);

impl View<'_> {
    /// Bring the first line near.
    #[inline(always)]
    pub(crate) fn prefetch(self, hash: u32) {
        prefetch(&self.0[first_line(hash)]);
    }

    /// Bring the second line near, if it may have what the first has not.
    #[inline(always)]
    pub(crate) fn prefetch_second(self, hash: u32) {
        if !self.0[first_line(hash)].0[1].is_empty() {
            prefetch(&self.0[second_line(hash)]);
        }
    }

    /// What the first line has for `key`: right only if the second value is 1, which is 0 otherwise.
    #[inline(always)]
    pub(crate) fn get(&self, key: Key, hash: u32) -> (&Found, usize) {
        let line = &self.0[first_line(hash)];
        // Which of the two it is cannot be foreseen, so that must not be a branch.
        let [is_first, is_second] = are_equal(key, [&line.0[0].key, &line.0[1].key]);
        (&line.0[is_second & 1].found, is_first | is_second)
    }
}
