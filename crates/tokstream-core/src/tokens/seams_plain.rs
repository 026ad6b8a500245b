//! Boundaries that no token spans, one at a time, for any processor.

use super::seams::{Seams, is_lead};

/// Bytes that are looked at together for characters of three bytes that follow each other.
const STRETCH: usize = 256;
const WORD: usize = u64::BITS as usize;
/// Positions that are put into a list at a time, whether there are so many or not.
const GROUP: usize = 4;

/// Do two characters of three bytes follow each other, the first beginning before `end` bytes?
#[inline(always)]
fn has_neighbours(text: &[u8], end: usize) -> bool {
    let Some(far) = text.get(3..) else { return false };
    // Without a branch for each byte.
    let pairs = text[..end].iter().zip(far);
    pairs.fold(false, |any, (&left, &right)| any | (is_lead(left) & is_lead(right)))
}

/// Set the bits of the seams of `text`, which begins and ends with whole characters; returns
/// whether there are any. `bits` has one for each byte, and 64 more, none of them set.
pub(super) fn find(tables: &Seams, text: &[u8], bits: &mut [u64]) -> bool {
    let mut any = 0;
    let mut at = 0;
    // The character before, if that has three bytes: no boundary is looked for behind others.
    let mut left = (0, 0);
    let mut has_left = false;
    for (stretch, bits) in bits.chunks_mut(STRETCH / WORD).enumerate() {
        let begin = stretch * STRETCH;
        let Some(rest) = text.get(begin..) else { break };
        let n = rest.len().min(STRETCH);
        if !has_left && (rest[..n].is_ascii() || !has_neighbours(rest, n)) {
            // A character may go on behind it; its other bytes do not look like the first one.
            at = begin + n;
            continue;
        }
        for (word, bits) in bits.iter_mut().enumerate() {
            let begin = begin + WORD * word;
            let end = text.len().min(begin + WORD);
            let mut found = 0;
            while at < end {
                let lead = text[at];
                if is_lead(lead) {
                    let right = tables.character([lead, text[at + 1], text[at + 2]]);
                    let is_free = has_left & !tables.is_spanned(left, right);
                    found |= u64::from(is_free) << (at - begin);
                    (left, has_left) = (right, true);
                    at += 3;
                } else {
                    has_left = false;
                    at += match lead {
                        0..0xC0 => 1,
                        0xC0..0xE0 => 2,
                        _ => 4,
                    };
                }
            }
            *bits = found;
            any |= found;
        }
    }
    any != 0
}

/// Put the positions of set bits, the first bit having position `begin`, into `list`; returns how
/// many. `list` has room for all of them and 8 more.
#[inline(always)]
pub(super) fn positions(bits: &[u64], begin: usize, list: &mut [usize]) -> usize {
    let mut n = 0;
    for (word, &bits) in bits.iter().enumerate() {
        let begin = begin + WORD * word;
        let end = n + bits.count_ones() as usize;
        let mut rest = bits;
        while n < end {
            for place in &mut list[n..n + GROUP] {
                *place = begin + rest.trailing_zeros() as usize;
                rest &= rest.wrapping_sub(1);
            }
            n += GROUP;
        }
        n = end;
    }
    n
}
