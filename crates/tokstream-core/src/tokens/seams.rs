//! Where a pretoken can be taken apart: boundaries that no token spans.
//!
//! Merging never crosses such a boundary, since what came of it would be a token that spans it. So
//! the pretoken's ids are those of its parts. Scripts without spaces have pretokens as long as
//! clauses, hardly one of them seen before; their parts are words, which the table of pretokens
//! knows. Only characters of three bytes are looked at: that is where these scripts are.

use crate::simd::Path;

use super::merge::shrink;
use super::seams_plain;
use super::vocabulary::TokenTable;
#[cfg(target_arch = "x86_64")]
use super::{seams_avx2, seams_avx512};
use crate::error::TableError;
use crate::prepared::{Reader, Writer};
use crate::table::Table;

pub(super) const HASH_BITS: u32 = 20;
pub(super) const HASH_FACTOR: u32 = 0x9E37_79B1;
const N_CHARACTERS: usize = 1 << 16;
/// What is read beyond the last entry of a table of bytes.
const SPARE: usize = 3;
/// So far from the end of a text `last` looks.
const MAX_BACK: usize = 64;
const N_WORDS: usize = 1 << (HASH_BITS - 6);

/// Of what may be on the right of a boundary: a token that begins inside the character on the left
/// may go on like this.
const GOES_ON: u8 = 1;
/// A token that ends inside it may end like this.
const IS_CUT: u8 = 2;
/// An entry that only a whole pretoken becomes begins with it: a part must not look like one.
const BEGINS: u8 = 4;
/// Any character, behind the end of such an entry.
const FOLLOWS: u8 = 8;
/// Of what may be on the left: shifted by so much, the flags that forbid a boundary where they are on
/// the right.
pub(super) const LEFT: u32 = 4;
pub(super) const RIGHT: u8 = GOES_ON | IS_CUT | BEGINS | FOLLOWS;

/// Which boundaries are spanned. Cost: 192 KiB.
#[derive(Clone, Debug)]
pub(crate) struct Seams {
    /// Bits by hash of two characters that follow each other inside a token. Two pairs that share
    /// a bit only cost a part.
    pairs: Table<u64>,
    /// By character: whether it may be beside a boundary that a token spans which begins or ends
    /// inside a character, on the left and on the right.
    joins: Table<u8>,
    path: Path,
}

/// Boundaries of one batch, kept between calls.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// By byte: does a part end before it?
    bits: Vec<u64>,
    ends: Vec<usize>,
}

impl Parts {
    /// Give back what very many boundaries needed.
    pub(crate) fn shrink(&mut self) {
        shrink(&mut self.bits);
        shrink(&mut self.ends);
    }
}

/// Does a character of three bytes begin with it?
#[inline(always)]
pub(super) fn is_lead(byte: u8) -> bool {
    byte & 0xF0 == 0xE0
}

#[inline(always)]
fn hash(left: u32, right: u32) -> usize {
    ((left << 16 | right).wrapping_mul(HASH_FACTOR) >> (32 - HASH_BITS)) as usize
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

/// Both tables while they are filled.
struct Marks {
    pairs: Vec<u64>,
    joins: Vec<u8>,
}

impl Marks {
    fn new() -> Self {
        let joins = vec![BEGINS << LEFT | FOLLOWS; N_CHARACTERS + SPARE];
        Self { pairs: vec![0; N_WORDS], joins }
    }

    /// An entry that a whole pretoken becomes, and nothing less or more.
    fn add_whole(&mut self, entry: &[u8]) {
        self.add(entry);
        if let Character::Whole(first) = character(entry) {
            self.joins[first as usize] |= BEGINS;
        }
        let last = (0..entry.len()).rev().find(|&at| entry[at] & 0xC0 != 0x80);
        if let Some(Character::Whole(last)) = last.map(|at| character(&entry[at..])) {
            self.joins[last as usize] |= FOLLOWS << LEFT;
        }
    }

    fn finish(self, path: Path) -> Seams {
        Seams { pairs: self.pairs.into(), joins: self.joins.into(), path }
    }

    fn add(&mut self, token: &[u8]) {
        if token.is_ascii() {
            return;
        }
        for at in (1..token.len()).filter(|&at| token[at] & 0xC0 != 0x80) {
            let begin = (0..at).rev().find(|&k| token[k] & 0xC0 != 0x80);
            let left = begin.map(|begin| character(&token[begin..at]));
            let (first, last, flag) = match (left, character(&token[at..])) {
                (_, Character::Other) | (Some(Character::Other | Character::Cut(..)), _) => {
                    continue;
                }
                (Some(Character::Whole(left)), Character::Whole(right)) => {
                    let bit = hash(left, right);
                    self.pairs[bit >> 6] |= 1 << (bit & 63);
                    continue;
                }
                (Some(Character::Whole(left)), Character::Cut(first, last)) => {
                    self.joins[left as usize] |= IS_CUT << LEFT;
                    (first, last, IS_CUT)
                }
                // The token begins inside the character on the left.
                (None, Character::Whole(right)) => (right, right, GOES_ON),
                (None, Character::Cut(first, last)) => (first, last, GOES_ON),
            };
            for joins in &mut self.joins[first as usize..=last as usize] {
                *joins |= flag;
            }
            if flag == GOES_ON {
                self.add_ends(&token[..at]);
            }
        }
    }

    /// A token begins with these last bytes of a character.
    fn add_ends(&mut self, end: &[u8]) {
        let (known, step) = match *end {
            [last] => (u32::from(last & 0x3F), 1 << 6),
            [middle, last] => (u32::from(middle & 0x3F) << 6 | u32::from(last & 0x3F), 1 << 12),
            // The last bytes of a longer character.
            _ => return,
        };
        for joins in self.joins[known as usize..N_CHARACTERS].iter_mut().step_by(step) {
            *joins |= GOES_ON << LEFT;
        }
    }
}

impl Seams {
    /// From the tokens that Merge produces.
    pub(crate) fn new(tokens: &TokenTable, ranks: &[u32]) -> Self {
        let mut marks = Marks::new();
        for &rank in ranks {
            marks.add(tokens.bytes(rank));
        }
        marks.finish(Path::from_environment())
    }

    /// The same where these entries are whole pretokens only.
    pub(crate) fn with_whole_pieces<'a>(&self, pieces: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut marks = Marks { pairs: self.pairs.to_vec(), joins: self.joins.to_vec() };
        pieces.for_each(|piece| marks.add_whole(piece));
        marks.finish(self.path)
    }

    /// Put both tables into a file.
    pub(crate) fn write<'a>(&'a self, writer: &mut Writer<'a>) {
        writer.put(&self.pairs);
        writer.put(&self.joins);
    }

    /// Take them back.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, TableError> {
        let (pairs, joins) = (reader.take_n(N_WORDS)?, reader.take_n(N_CHARACTERS + SPARE)?);
        Ok(Self { pairs, joins, path: Path::from_environment() })
    }

    /// Bits of pairs, and what characters forbid.
    #[inline(always)]
    pub(super) fn tables(&self) -> (&[u64; N_WORDS], &[u8; N_CHARACTERS + SPARE]) {
        let tables = self.pairs.first_chunk().zip(self.joins.first_chunk());
        tables.unwrap_or_else(|| unreachable!("made in this size"))
    }

    /// The last seam of `text`, which is part of one pretoken, if there is one near its end.
    ///
    /// Cost: O(1), a few characters where there are seams.
    pub(crate) fn last(&self, text: &[u8]) -> Option<usize> {
        let least = text.len().saturating_sub(MAX_BACK);
        let mut at = text.len();
        let mut after = None;
        while at > least {
            let before = match text[..at].last_chunk() {
                Some(&bytes) if is_lead(bytes[0]) => self.character(bytes),
                _ => {
                    (at, after) = (at - 1, None);
                    continue;
                }
            };
            if after.is_some_and(|after| !self.is_spanned(before, after)) {
                return Some(at);
            }
            (at, after) = (at - 3, Some(before));
        }
        None
    }

    /// May a token span the boundary between two characters of three bytes?
    #[inline(always)]
    pub(super) fn is_spanned(
        &self,
        (left, left_joins): (u32, u8),
        (right, joins): (u32, u8),
    ) -> bool {
        let bit = hash(left, right);
        let is_pair = (self.tables().0[bit >> 6] >> (bit & 63) & 1) as u8;
        (is_pair | left_joins >> LEFT & joins & RIGHT) != 0
    }

    /// The character of three bytes, and what it forbids.
    #[inline(always)]
    pub(super) fn character(&self, bytes: [u8; 3]) -> (u32, u8) {
        let character = code_point(bytes);
        (character, self.tables().1[character as usize % N_CHARACTERS])
    }

    /// Ends of the parts of the pretokens of `text` that end at `ends`, the first beginning at
    /// `begin`; `None` if there is nothing to take apart.
    pub(crate) fn take_apart<'a>(
        &self,
        text: &[u8],
        begin: usize,
        ends: &[usize],
        parts: &'a mut Parts,
    ) -> Option<&'a [usize]> {
        let text = &text[begin..ends.last().copied().unwrap_or(begin)];
        let Parts { bits, ends: parts } = parts;
        bits.clear();
        bits.resize(text.len() / 64 + 2, 0);
        if !self.find(text, bits) {
            return None;
        }
        for end in ends.iter().map(|end| end - begin) {
            bits[end / 64] |= 1 << (end % 64);
        }
        // At most one seam for three bytes.
        parts.resize(ends.len() + text.len() / 3 + 8, 0);
        let n = self.positions(bits, begin, parts);
        Some(&parts[..n])
    }

    /// Set the bits of the seams of `text`; returns whether there are any.
    fn find(&self, text: &[u8], bits: &mut [u64]) -> bool {
        match self.path {
            // SAFETY: paths that the processor does not have are not taken.
            #[cfg(target_arch = "x86_64")]
            Path::Avx512 => unsafe { seams_avx512::find(self, text, bits) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => unsafe { seams_avx2::find(self, text, bits) },
            _ => seams_plain::find(self, text, bits),
        }
    }

    /// Put the positions of set bits, the first having position `begin`, into `list`.
    fn positions(&self, bits: &[u64], begin: usize, list: &mut [usize]) -> usize {
        match self.path {
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Path::Avx512 => unsafe { seams_avx512::positions(bits, begin, list) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => unsafe { seams_avx2::positions(bits, begin, list) },
            _ => seams_plain::positions(bits, begin, list),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random.
    fn next(state: &mut u64) -> usize {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 33) as usize
    }

    /// Does any of `tokens` lie across the boundary at `at`?
    fn is_spanned(tokens: &[Vec<u8>], text: &[u8], at: usize) -> bool {
        tokens.iter().any(|token| {
            (1..token.len()).any(|left| left <= at && text[at - left..].starts_with(token))
        })
    }

    /// Boundaries, character by character.
    fn seams(tables: &Seams, text: &str) -> Vec<usize> {
        let characters: Vec<(usize, char)> = text.char_indices().collect();
        let of = |character: char| {
            let mut bytes = [0; 4];
            let bytes = character.encode_utf8(&mut bytes).as_bytes();
            bytes.try_into().ok().map(|bytes| tables.character(bytes))
        };
        let pairs = characters.windows(2).filter(|pair| {
            let both = of(pair[0].1).zip(of(pair[1].1));
            both.is_some_and(|(left, right)| !tables.is_spanned(left, right))
        });
        pairs.map(|pair| pair[1].0).collect()
    }

    #[test]
    fn every_path_finds_the_same_parts() {
        let characters = ["的", "是", "。", "あ", "ア", "가", "—", "”", "a", " ", "é", "😀", "7"];
        let (mut n_seams, mut n_whole) = (0, 0);
        let mut state = 1;
        // Now and then nearly all is ASCII.
        let text = |state: &mut u64, n: usize| -> String {
            let last = characters.len() + n % 2 * 60;
            let pick = |state: &mut u64| characters.get(next(state) % last).unwrap_or(&"a");
            (0..n).map(|_| *pick(state)).collect()
        };
        for _ in 0..2000 {
            let mut marks = Marks::new();
            let mut tokens = Vec::new();
            for _ in 0..next(&mut state) % 60 {
                let n = next(&mut state) % 3 + 2;
                let token = text(&mut state, n).into_bytes();
                // Some begin or end inside a character.
                let begin = next(&mut state) % 4;
                let end = token.len() - next(&mut state) % 3;
                tokens.push(token.get(begin..end).unwrap_or_default().to_vec());
                marks.add(&tokens[tokens.len() - 1]);
            }
            let mut whole = Vec::new();
            for _ in 0..next(&mut state) % 4 {
                let n = next(&mut state) % 3 + 1;
                whole.push(text(&mut state, n).into_bytes());
                marks.add_whole(&whole[whole.len() - 1]);
            }
            let mut tables = marks.finish(Path::Scalar);
            let n = next(&mut state) % 300;
            let text = text(&mut state, n);
            let first = text.char_indices().map(|(at, _)| at).nth(n / 9).unwrap_or(0);
            let places = text[first..].char_indices().map(|(at, _)| first + at).skip(1);
            let mut ends: Vec<usize> =
                places.filter(|_| next(&mut state).is_multiple_of(4)).collect();
            ends.push(text.len());
            ends.retain(|&end| end > first);
            let found = seams(&tables, &text[first..]);
            let near_end = found.last().map(|at| first + at);
            let mut expected: Vec<usize> = found.iter().map(|at| first + at).collect();
            expected.extend_from_slice(&ends);
            expected.sort_unstable();
            expected.dedup();
            let n = expected.len();
            for &at in expected[..n].iter().filter(|at| !ends.contains(at)) {
                assert!(!is_spanned(&tokens, text.as_bytes(), at), "{text} {at} {tokens:?}");
                n_seams += 1;
            }
            let begins = std::iter::once(first).chain(expected[..n].iter().copied());
            for (begin, &end) in begins.zip(&expected[..n]) {
                let is_pretoken = ends.contains(&end) && (begin == first || ends.contains(&begin));
                let is_whole = whole.iter().any(|entry| *entry == text.as_bytes()[begin..end]);
                assert!(is_pretoken || !is_whole, "{text} {begin} {end} {whole:?}");
            }
            let begins = std::iter::once(first).chain(ends.iter().copied());
            for (begin, &end) in begins.zip(&ends) {
                let is_whole = whole.iter().any(|entry| *entry == text.as_bytes()[begin..end]);
                let is_apart = expected[..n].iter().any(|&at| begin < at && at < end);
                assert!(!(is_whole && is_apart), "{text} {begin} {end} {whole:?}");
                n_whole += usize::from(is_whole);
            }
            for &path in Path::available() {
                tables.path = path;
                let mut parts = Parts::default();
                let apart = tables.take_apart(text.as_bytes(), first, &ends, &mut parts);
                assert_eq!(apart.is_some(), !found.is_empty(), "{path:?} {text}");
                assert_eq!(apart.unwrap_or(&ends), &expected, "{path:?} {text}");
            }

            // The last seam, of those near the end.
            let last = tables.last(&text.as_bytes()[first..]).map(|at| first + at);
            let near = |&at: &usize| text.len() - at + 3 <= MAX_BACK;
            assert_eq!(last.filter(near), near_end.filter(near), "{text}");
            assert!(last.is_none_or(|at| expected.contains(&at)), "{text}");
        }
        assert!(n_seams > 10_000 && n_whole > 100, "{n_seams} {n_whole}");
    }
}
