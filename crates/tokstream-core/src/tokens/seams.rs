//! Where a pretoken can be taken apart: boundaries that no token spans.
//!
//! Merging never crosses such a boundary, since what came of it would be a token that spans it. So
//! the pretoken's ids are those of its parts. Scripts without spaces have pretokens as long as
//! clauses, hardly one of them seen before; their parts are words, which the table of pretokens
//! knows. Only characters of three bytes are looked at: that is where these scripts are.

use super::vocabulary::TokenTable;

const HASH_BITS: u32 = 20;
/// Pretokens shorter than two characters of three bytes have no such boundary.
const MIN_BYTES: usize = 6;
const N_CHARACTERS: usize = 1 << 16;

/// A token may span the boundary before this character, whatever is on the other side.
const JOINS_BEFORE: u8 = 1;
/// The same for the boundary behind it.
const JOINS_AFTER: u8 = 2;

/// Which boundaries are spanned. Cost: 192 KiB.
#[derive(Debug)]
pub(crate) struct Seams {
    /// Bits by hash of two characters that follow each other inside a token. Two pairs that share
    /// a bit only cost a part.
    pairs: Vec<u64>,
    /// By character: what tokens that begin or end inside a character forbid.
    joins: Vec<u8>,
}

#[inline(always)]
fn hash(left: u32, right: u32) -> usize {
    ((left << 16 | right).wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS)) as usize
}

/// The code point of three bytes.
#[inline(always)]
fn code_point(bytes: [u8; 3]) -> u32 {
    let [lead, middle, last] = bytes.map(u32::from);
    (lead & 0x0F) << 12 | (middle & 0x3F) << 6 | last & 0x3F
}

/// The character of three bytes that begins here, whole or the first bytes of it.
enum Character {
    Other,
    Whole(u32),
    /// Code points from the first to the second.
    Cut(u32, u32),
}

fn character(bytes: &[u8]) -> Character {
    let (first, n_known) = match *bytes {
        [lead @ 0xE0..0xF0, middle, last, ..] => {
            return Character::Whole(code_point([lead, middle, last]));
        }
        [lead @ 0xE0..0xF0, middle] => (code_point([lead, middle, 0]), 6),
        [lead @ 0xE0..0xF0] => (code_point([lead, 0, 0]), 12),
        _ => return Character::Other,
    };
    Character::Cut(first, first | ((1 << n_known) - 1))
}

impl Seams {
    /// From the tokens that Merge produces.
    pub(crate) fn new(tokens: &TokenTable, ranks: &[u32]) -> Self {
        let mut seams = Self { pairs: vec![0; 1 << (HASH_BITS - 6)], joins: vec![0; N_CHARACTERS] };
        for &rank in ranks {
            seams.add(tokens.bytes(rank));
        }
        seams
    }

    fn add(&mut self, token: &[u8]) {
        for at in (1..token.len()).filter(|&at| token[at] & 0xC0 != 0x80) {
            let begin = (0..at).rev().find(|&k| token[k] & 0xC0 != 0x80);
            let left = begin.map(|begin| character(&token[begin..at]));
            match (left, character(&token[at..])) {
                (_, Character::Other) | (Some(Character::Other | Character::Cut(..)), _) => {}
                (Some(Character::Whole(left)), Character::Whole(right)) => {
                    let bit = hash(left, right);
                    self.pairs[bit >> 6] |= 1 << (bit & 63);
                }
                (Some(Character::Whole(left)), Character::Cut(..)) => {
                    self.joins[left as usize] |= JOINS_AFTER;
                }
                // The token begins inside the character on the left.
                (None, Character::Whole(right)) => self.joins[right as usize] |= JOINS_BEFORE,
                (None, Character::Cut(first, last)) => {
                    for joins in &mut self.joins[first as usize..=last as usize] {
                        *joins |= JOINS_BEFORE;
                    }
                }
            }
        }
    }

    /// Put the ends of the parts of the pretokens of `text` that end at `ends`, the first beginning
    /// at `begin`, into `parts`. False if there is nothing to take apart.
    pub(crate) fn take_apart(
        &self,
        text: &[u8],
        begin: usize,
        ends: &[usize],
        parts: &mut Vec<usize>,
    ) -> bool {
        let end = ends.last().copied().unwrap_or(begin);
        if text[begin..end].is_ascii() {
            return false;
        }
        parts.clear();
        parts.resize(end - begin, 0);
        let mut n = 0;
        let mut begin = begin;
        for &end in ends {
            // In scripts without spaces a pretoken begins with one of their characters, or with
            // one other byte.
            if end - begin >= MIN_BYTES && text[begin].max(text[begin + 1]) >= 0xE0 {
                n = self.take_one_apart(text, begin, end, parts, n);
            }
            parts[n] = end;
            n += 1;
            begin = end;
        }
        parts.truncate(n);
        true
    }

    fn take_one_apart(
        &self,
        text: &[u8],
        begin: usize,
        end: usize,
        parts: &mut [usize],
        mut n: usize,
    ) -> usize {
        // No boundary is looked for behind a character of another length.
        let mut before = (0, JOINS_AFTER);
        let mut at = begin;
        while let Some(&[lead, middle, last]) = text[at..end].first_chunk() {
            if lead & 0xF0 != 0xE0 {
                at += match lead {
                    0..0xC0 => 1,
                    0xC0..0xE0 => 2,
                    _ => 4,
                };
                before = (0, JOINS_AFTER);
                if at >= end {
                    break;
                }
                continue;
            }
            let right = code_point([lead, middle, last]);
            let joins = self.joins[right as usize % N_CHARACTERS];
            let bit = hash(before.0, right);
            let is_pair = (self.pairs[bit >> 6] >> (bit & 63) & 1) as u8;
            let is_joined = is_pair | (before.1 & JOINS_AFTER) >> 1 | joins & JOINS_BEFORE;
            parts[n] = at;
            n += usize::from(is_joined == 0);
            before = (right, joins);
            at += 3;
        }
        n
    }
}
