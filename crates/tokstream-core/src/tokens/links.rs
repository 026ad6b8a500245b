//! Where text without a pattern can be taken apart: byte pairs that are in no token.
//!
//! A token that spans a boundary has the bytes on both sides of it next to each other. So where
//! two bytes meet that follow each other in no token, a token ends for certain, and merging each
//! part by itself gives the ids of the whole. Between words that is nearly everywhere, since
//! vocabularies of whole texts have U+2581 at the beginning of a token only. This sign, and the
//! space that a normalizer turns into it, count as one byte here, a space; so text can be taken
//! apart before that is done.

use super::vocabulary::TokenTable;
use crate::error::TableError;
use crate::prepared::{Reader, Writer};
use crate::table::Table;

/// What a space is written as.
pub(crate) const SIGN: [u8; 3] = *b"\xE2\x96\x81";
const LAST_OF_SIGN: u8 = SIGN[2];
const N_BYTES: usize = 256;
const N_WORDS: usize = N_BYTES * N_BYTES / 64;

/// Which bytes follow which inside tokens. Cost: 8 KiB.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    /// A bit for each byte and the one before it; always set if that is inside a character.
    bits: Table<u64>,
}

/// The number of the word with the bit, and that of the bit in it.
#[inline(always)]
fn place(left: u8, right: u8) -> (usize, u32) {
    (usize::from(left) * (N_BYTES / 64) + usize::from(right) / 64, u32::from(right) % 64)
}

/// The bytes of `text` with each sign as a space.
fn folded(text: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (byte, after) = match rest.strip_prefix(&SIGN) {
            Some(after) => (b' ', after),
            None => rest.split_first().map(|(&byte, after)| (byte, after))?,
        };
        rest = after;
        Some(byte)
    })
}

impl Links {
    /// From the tokens that Merge produces.
    pub(crate) fn new(tokens: &TokenTable, ranks: &[u32]) -> Self {
        let mut bits = vec![0; N_WORDS];
        let mut join = |left: u8, right: u8| {
            let (word, bit) = place(left, right);
            bits[word] |= 1_u64 << bit;
        };
        for left in 0..=u8::MAX {
            (0x80..0xC0).for_each(|right| join(left, right));
        }
        for &rank in ranks {
            let token = tokens.bytes(rank);
            // The first bytes may be the end of a sign, and the last ones the beginning.
            let head = [&SIGN[1..], &SIGN[2..]].into_iter().find(|end| token.starts_with(end));
            let tail = [&SIGN[..2], &SIGN[..1]].into_iter().find(|begin| token.ends_with(begin));
            let (n_head, n_tail) = (head.map_or(0, <[u8]>::len), tail.map_or(0, <[u8]>::len));
            for (from, to) in [(0, 0), (n_head, 0), (0, n_tail), (n_head, n_tail)] {
                let Some(inner) = token.get(from..token.len() - to) else { continue };
                let before = (from > 0).then_some(b' ');
                let after = (to > 0).then_some(b' ');
                let bytes = before.into_iter().chain(folded(inner)).chain(after);
                bytes.reduce(|left, right| {
                    join(left, right);
                    right
                });
            }
        }
        Self { bits: bits.into() }
    }

    /// Put the table into a file.
    pub(crate) fn write<'a>(&'a self, writer: &mut Writer<'a>) {
        writer.put(&self.bits);
    }

    /// Take it back.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, TableError> {
        Ok(Self { bits: reader.take_n(N_WORDS)? })
    }

    /// Append the positions in `text`, whole characters, before which a token ends for certain;
    /// they count from `origin`, and the first and the last are not among them.
    ///
    /// Cost: O(bytes).
    pub(crate) fn seams(&self, text: &[u8], origin: usize, seams: &mut Vec<usize>) {
        let bits: &[u64; N_WORDS] =
            self.bits.first_chunk().unwrap_or_else(|| unreachable!("made in this size"));
        let Some((&first, rest)) = text.split_first() else { return };
        let begin = seams.len();
        seams.resize(begin + rest.len(), 0);
        let list = &mut seams[begin..];
        let (mut n, mut left) = (0, first);
        for (at, &byte) in (1..).zip(rest) {
            let mut right = byte;
            if byte == SIGN[0] && text[at..].starts_with(&SIGN) {
                right = b' ';
            }
            let (word, bit) = place(left, right);
            list[n] = origin + at;
            n += usize::from(bits[word] >> bit & 1 == 0);
            left = byte;
            if byte == LAST_OF_SIGN && text[..=at].ends_with(&SIGN) {
                left = b' ';
            }
        }
        seams.truncate(begin + n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(tokens: &[&str]) -> Links {
        let blob = tokens.concat().into_bytes();
        let lengths: Vec<u32> = tokens.iter().map(|token| token.len() as u32).collect();
        let ids = (0..tokens.len() as u32).collect();
        let table = TokenTable::new(blob, &lengths, ids).expect("lengths fit");
        Links::new(&table, &(0..tokens.len() as u32).collect::<Vec<_>>())
    }

    fn parts(links: &Links, text: &str) -> String {
        let mut seams = Vec::new();
        links.seams(text.as_bytes(), 0, &mut seams);
        seams.push(text.len());
        let mut begin = 0;
        let part = |end: usize| {
            let part = &text[begin..end];
            begin = end;
            part
        };
        seams.into_iter().map(part).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn words_are_parts_unless_a_token_spans_the_blank() {
        let links = links(&["▁th", "the", "▁▁▁", "x▁y"]);
        assert_eq!(parts(&links, "the the  the▁the▁▁the"), "the| the|  the|▁the|▁▁the");
        assert_eq!(parts(&links, "xx yx▁yx y"), "x|x y|x▁y|x y");
        assert_eq!(parts(&links, ""), "");
        assert_eq!(parts(&links, "▁"), "▁");
    }

    #[test]
    fn tokens_may_begin_and_end_inside_a_sign() {
        let tokens: [&[u8]; 3] = [b"\x81a", b"b\xE2\x96", b"\x96\x81\xE2"];
        let lengths = tokens.map(|token| token.len() as u32);
        let table = TokenTable::new(tokens.concat(), &lengths, vec![0, 1, 2]).expect("they fit");
        let links = Links::new(&table, &[0, 1, 2]);
        assert_eq!(parts(&links, "b a▁b▁▁a a"), "b a|▁|b▁▁a| a");
    }

    #[test]
    fn characters_are_not_cut() {
        let links = links(&["é▁", "的是"]);
        // The signs before and behind have bytes in common with other characters.
        assert_eq!(parts(&links, "的是‖é éé▁的\u{2581}\u{2041}"), "的是|‖|é |é|é▁|的|▁|\u{2041}");
    }
}
