//! Short pretokens that are one token each: a read-only table, made with the vocabulary.
//!
//! In: the key of a pretoken. Out: its id, if the pretoken becomes one token: because merging its
//! bytes makes that token of them, or because whole pretokens that equal an entry become it in any
//! case. Of new words two fifths are such, and need not be merged. Held back: nothing.
//!
//! A line of the cache holds three tokens. Where more belong into a line, the later ones are left
//! out: a pretoken that is not found is merged, and becomes the same. So "not found" says nothing.

use bytemuck::{Pod, Zeroable};

use crate::error::TableError;
use crate::prefetch::prefetch;
use crate::prepared::{Reader, Writer};
use crate::table::Table;

use super::pieces::{self, Key};

const N_SLOTS: usize = 3;
/// Tokens per line on average; then about a tenth of them finds no room.
const N_PER_LINE: usize = 2;

/// Keys and ids; a key of length 0 is an empty slot.
#[derive(Clone, Copy, Debug, Default, Zeroable, Pod)]
#[repr(C, align(64))]
struct Line {
    keys: [Key; N_SLOTS],
    ids: [u32; N_SLOTS],
    unused: u32,
}

/// The table; there is at least one line.
#[derive(Clone, Debug)]
pub(crate) struct Singles(Table<Line>);

/// The key of `token`, if it is short enough.
fn key(token: &[u8]) -> Option<Key> {
    let key = pieces::key(token, 0, token.len());
    pieces::is_short(key).then_some(key)
}

/// The line of the hash's key among `n`. The piece table goes by lower bits of the same hash.
#[inline(always)]
fn line(hash: u32, n: usize) -> usize {
    ((u64::from(hash) * n as u64) >> 32) as usize
}

fn put(lines: &mut [Line], key: Key, id: u32) {
    let line = line(pieces::hash(key), lines.len());
    let Line { keys, ids, .. } = &mut lines[line];
    if let Some(slot) = keys.iter().position(|&other| other == key || other == Key::default()) {
        (keys[slot], ids[slot]) = (key, id);
    }
}

impl Singles {
    /// A table of `tokens`, bytes and ids; those that come first are surer to find room.
    ///
    /// Cost: O(tokens), 64 bytes for two of them.
    pub(crate) fn new<'a>(tokens: impl Iterator<Item = (&'a [u8], u32)>) -> Self {
        let tokens: Vec<(Key, u32)> =
            tokens.filter_map(|(token, id)| Some((key(token)?, id))).collect();
        let mut lines = vec![Line::default(); tokens.len().div_ceil(N_PER_LINE).max(1)];
        for (key, id) in tokens {
            put(&mut lines, key, id);
        }
        Self(lines.into())
    }

    /// The same with other ids for `tokens`, and with those that were not in it, where room is.
    pub(crate) fn with<'a>(&self, tokens: impl Iterator<Item = (&'a [u8], u32)>) -> Self {
        let mut lines = self.0.to_vec();
        for (key, id) in tokens.filter_map(|(token, id)| Some((key(token)?, id))) {
            put(&mut lines, key, id);
        }
        Self(lines.into())
    }

    /// Put it into a file.
    pub(crate) fn write<'a>(&'a self, writer: &mut Writer<'a>) {
        writer.put(&self.0);
    }

    /// Take it back.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, TableError> {
        let lines: Table<Line> = reader.take()?;
        if lines.is_empty() {
            return Err(TableError("the prepared file is not usable: a table is empty".into()));
        }
        Ok(Self(lines))
    }

    /// Bring near what `id` reads.
    #[inline(always)]
    pub(crate) fn prefetch(&self, hash: u32) {
        prefetch(&self.0[line(hash, self.0.len())]);
    }

    /// The id of the pretoken with this key and its hash, if it is known to be one token.
    #[inline(always)]
    pub(crate) fn id(&self, key: Key, hash: u32) -> Option<u32> {
        let Line { keys, ids, .. } = &self.0[line(hash, self.0.len())];
        let slot = keys.iter().position(|other| (other[0] ^ key[0]) | (other[1] ^ key[1]) == 0)?;
        Some(ids[slot])
    }
}

#[cfg(test)]
mod tests {
    use super::super::merge::MergeScratch;
    use super::super::vocabulary::{TokenTable, Vocabulary};
    use super::*;

    fn next(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    /// All bytes, then joins of tokens; now and then an entry that no merge may make.
    fn vocabulary(state: &mut u64, n: usize) -> (Vec<Vec<u8>>, Vocabulary) {
        let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        while tokens.len() < 256 + n {
            let letters = [97, 98, 99];
            let mut part = || match next(state) as usize % (tokens.len() - 250) {
                k if k < 6 => vec![letters[k % 3]],
                k => tokens[k + 250].clone(),
            };
            let mut token = [part(), part()].concat();
            if next(state).is_multiple_of(16) {
                token.extend([100, 100]);
            }
            if token.len() < 20 && !tokens.contains(&token) {
                tokens.push(token);
            }
        }
        let lengths: Vec<u32> = tokens.iter().map(|token| token.len() as u32).collect();
        let ids = (0..tokens.len() as u32).map(|rank| rank ^ 5).collect();
        let table = TokenTable::new(tokens.concat(), &lengths, ids).expect("a sound table");
        (tokens, Vocabulary::new(&table).expect("a sound vocabulary"))
    }

    fn found(vocabulary: &Vocabulary, piece: &[u8]) -> Option<u32> {
        let key = key(piece)?;
        vocabulary.singles.id(key, pieces::hash(key))
    }

    fn merged(vocabulary: &Vocabulary, piece: &[u8]) -> Vec<u32> {
        let mut ids = Vec::new();
        vocabulary.merge(piece, &mut MergeScratch::default(), &mut ids);
        ids
    }

    #[test]
    fn what_is_found_is_what_merging_makes() {
        let mut state = 7;
        for round in 0..12 {
            let (tokens, mut vocabulary) = vocabulary(&mut state, 10 + 40 * round);
            let added: Vec<(Box<[u8]>, u32)> = (0..round as u32)
                .map(|k| {
                    let word = (0..2 + k % 5).map(|_| b'a' + next(&mut state) as u8 % 5);
                    (word.collect(), 10_000 + k)
                })
                .filter(|(word, _): &(Box<[u8]>, u32)| !tokens.iter().any(|t| **t == **word))
                .collect();
            vocabulary.add_whole_pieces(&added[..added.len().min(1)]);
            let mut n_found = 0;
            for token in &tokens {
                if let Some(id) = found(&vocabulary, token) {
                    n_found += 1;
                    assert_eq!(merged(&vocabulary, token), [id], "{token:?}");
                }
            }
            let n_short = tokens.iter().filter(|token| key(token).is_some()).count();
            assert!(n_found * 5 > n_short * 4, "{n_found} of {n_short} found");
            for _ in 0..2000 {
                let n = 1 + next(&mut state) % 16;
                let text: Vec<u8> = (0..n).map(|_| b'a' + next(&mut state) as u8 % 4).collect();
                let ids = merged(&vocabulary, &text);
                assert!(found(&vocabulary, &text).is_none_or(|id| ids == [id]), "{text:?}");
            }
        }
    }

    #[test]
    fn what_finds_no_room_is_left_out() {
        let words: Vec<[u8; 3]> = (0..=255).map(|k| [k, 1, 2]).collect();
        let one = || std::iter::once((words[0].as_slice(), 0));
        let singles =
            Singles::new(one()).with((1..).zip(&words[1..]).map(|(id, word)| (&word[..], id)));
        let is_found = |word: &[u8; 3]| {
            let key = key(word).expect("a short word");
            singles.id(key, pieces::hash(key)).is_some()
        };
        assert_eq!(words.iter().filter(|word| is_found(word)).count(), N_SLOTS);
        assert!(is_found(&words[0]), "what is in it stays");
    }

    #[test]
    fn a_token_gets_the_id_said_last_and_long_ones_none() {
        let singles =
            Singles::new([(&b"ab"[..], 1)].into_iter()).with([(&b"ab"[..], 2)].into_iter());
        let key = key(b"ab").expect("a short word");
        assert_eq!(singles.id(key, pieces::hash(key)), Some(2));
        assert_eq!(singles.id(Key::default(), 0).filter(|&id| id != 0), None);
        assert!(super::key(&[b'a'; 16]).is_none());
    }
}
