//! Many complete pretokens at once.
//!
//! In passes over at most some thousand pretokens: make their keys, look all of them up, merge
//! those that were not found, append the ids in text order. Short loops without unforeseen
//! branches let the processor wait for several look-ups at once.

use super::merge::MergeScratch;
use super::pieces::{self, Found, Key, PieceTable};
use super::vocabulary::Vocabulary;

/// Pretokens whose table lines are brought near together.
const GROUP: usize = 1024;
/// Ids gathered before they are appended.
const MAX_IDS: usize = 4 * GROUP;

/// Buffers of a batch, kept between calls.
#[derive(Debug)]
pub struct Batch {
    keys: Vec<Key>,
    lines: Vec<u32>,
    found: Vec<Found>,
    /// Indices of pretokens that the table does not know.
    misses: Vec<u32>,
    ids: Vec<u32>,
    /// Ids of pretokens that have too many for a `Found`.
    spill: Vec<u32>,
    merge: MergeScratch,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            keys: vec![Key::default(); GROUP],
            lines: vec![0; GROUP],
            found: vec![Found::default(); GROUP],
            misses: vec![0; GROUP],
            ids: vec![0; MAX_IDS],
            spill: Vec::new(),
            merge: MergeScratch::default(),
        }
    }
}

impl Batch {
    /// Append the ids of the pretokens of `text` that end at `ends`, the first beginning at `begin`.
    pub fn encode(
        &mut self,
        vocabulary: &Vocabulary,
        table: &mut PieceTable,
        text: &[u8],
        mut begin: usize,
        ends: &[usize],
        out: &mut Vec<u32>,
    ) {
        for ends in ends.chunks(GROUP) {
            self.make_keys(table, text, begin, ends);
            let n_misses = self.look_up(table, ends.len());
            if n_misses > 0 {
                self.merge_misses(vocabulary, table, text, begin, ends, n_misses);
            }
            self.append(ends.len(), out);
            begin = ends.last().copied().unwrap_or(begin);
        }
    }

    #[inline(never)]
    fn make_keys(&mut self, table: &PieceTable, text: &[u8], mut begin: usize, ends: &[usize]) {
        let table = table.view();
        for ((&end, key), line) in ends.iter().zip(&mut self.keys).zip(&mut self.lines) {
            *key = pieces::key(text, begin, end);
            *line = pieces::line_of(*key);
            table.prefetch(*line);
            begin = end;
        }
    }

    /// Look up the first `n` keys; returns how many were not found.
    #[inline(never)]
    fn look_up(&mut self, table: &PieceTable, n: usize) -> usize {
        let table = table.view();
        let mut n_misses = 0;
        let keys = self.keys[..n].iter().zip(&self.lines);
        for (index, ((&key, &line), found)) in (0..).zip(keys.zip(&mut self.found)) {
            let is_found;
            (*found, is_found) = table.get(key, line);
            self.misses[n_misses] = index;
            n_misses += usize::from(!is_found);
        }
        n_misses
    }

    #[inline(never)]
    fn merge_misses(
        &mut self,
        vocabulary: &Vocabulary,
        table: &mut PieceTable,
        text: &[u8],
        first: usize,
        ends: &[usize],
        n_misses: usize,
    ) {
        self.spill.clear();
        for &index in &self.misses[..n_misses] {
            let index = index as usize;
            let (key, line) = (self.keys[index], self.lines[index]);
            let is_short = pieces::is_short(key);
            // In the line beside, or merged since it was looked up.
            if is_short && let Some(found) = table.find(key, line) {
                self.found[index] = found;
                continue;
            }
            let begin = if index == 0 { first } else { ends[index - 1] };
            let n_spilled = self.spill.len();
            vocabulary.merge(&text[begin..ends[index]], &mut self.merge, &mut self.spill);
            let found = Found::new(&self.spill, n_spilled);
            if !found.is_spilled() {
                self.spill.truncate(n_spilled);
                if is_short {
                    table.put(key, line, found);
                }
            }
            self.found[index] = found;
        }
    }

    /// Append the ids of the first `n` pretokens.
    #[inline(never)]
    fn append(&mut self, n: usize, out: &mut Vec<u32>) {
        let mut n_ids = 0;
        for found in &self.found[..n] {
            let (ids, n) = found.ids();
            if n > ids.len() {
                out.extend_from_slice(&self.ids[..n_ids]);
                out.extend_from_slice(&self.spill[found.spilled()]);
                n_ids = 0;
                continue;
            }
            self.ids[n_ids..n_ids + ids.len()].copy_from_slice(&ids);
            n_ids += n;
        }
        out.extend_from_slice(&self.ids[..n_ids]);
    }
}
