//! Many complete pretokens at once.
//!
//! In passes over at most some thousand pretokens: make their keys, look all of them up, merge
//! those that were not found, append the ids in text order. Short loops without unforeseen
//! branches let the processor wait for several look-ups at once; each is a function of its own, so
//! that its values stay in registers.

use super::lanes::{self, Job};
use super::links::SIGN;
use super::merge::{MergeScratch, shrink};
use super::pieces::{self, Found, Key, PieceTable};
use super::ready;
use super::seams::Parts;
use super::vocabulary::Vocabulary;

/// Pretokens whose table lines are brought near together.
const GROUP: usize = 1024;
/// Ids gathered before they are appended.
const MAX_IDS: usize = 4 * GROUP;
/// Bytes of all pretokens that are merged along with each other, save the last of them.
const MAX_VALUES: usize = 4096;
const N_LATEST: usize = 1024;

/// What a space in the text at hand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spaces {
    /// A space.
    Kept,
    /// U+2581, which it was not replaced by yet. Pieces are kept as they are in the text: what a
    /// normalizer has turned into signs has no spaces, so the two never mean different ids.
    Signs,
}

impl Spaces {
    /// The text that is merged.
    fn text<'a>(self, text: &'a [u8], folded: &'a [u8]) -> &'a [u8] {
        match self {
            Self::Kept => text,
            Self::Signs => folded,
        }
    }
}

/// Append `piece` with a sign for each space.
fn fold(piece: &[u8], folded: &mut Vec<u8>) {
    for &byte in piece {
        if byte == b' ' {
            folded.extend_from_slice(&SIGN);
        } else {
            folded.push(byte);
        }
    }
}

/// Buffers of a batch, kept between calls.
#[derive(Debug)]
pub struct Batch {
    /// Ends of the parts that pretokens are taken apart into.
    parts: Parts,
    keys: Vec<Key>,
    hashes: Vec<u32>,
    found: Vec<Found>,
    /// Indices of pretokens that the table does not know.
    misses: Vec<u32>,
    ids: Vec<u32>,
    /// Pretokens to merge, and their indices.
    jobs: Vec<Job>,
    job_of: Vec<u32>,
    /// By the lower bits of a hash, the latest job that belongs there; maybe a stale one.
    latest: Vec<u16>,
    /// Index of a pretoken, and of the same one before.
    same: Vec<(u32, u32)>,
    /// Values of the jobs' bytes.
    values: Vec<u32>,
    n_values: usize,
    /// Ids of pretokens that have too many for a `Found`.
    spill: Vec<u32>,
    /// Text of the jobs, if that is not the text at hand.
    folded: Vec<u8>,
    merge: MergeScratch,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            parts: Parts::default(),
            keys: vec![Key::default(); GROUP],
            hashes: vec![0; GROUP],
            found: vec![Found::default(); GROUP],
            misses: vec![0; GROUP],
            ids: vec![0; MAX_IDS],
            jobs: Vec::new(),
            job_of: Vec::new(),
            latest: vec![0; N_LATEST],
            same: Vec::new(),
            values: vec![0; MAX_VALUES + SIGN.len() * pieces::MAX_BYTES],
            n_values: 0,
            spill: Vec::new(),
            folded: Vec::new(),
            merge: MergeScratch::default(),
        }
    }
}

impl Batch {
    /// Give back what very long pretokens needed.
    pub(crate) fn shrink(&mut self) {
        self.parts.shrink();
        shrink(&mut self.spill);
        shrink(&mut self.folded);
        self.merge.shrink();
    }

    /// Append the ids of the pretokens of `text` that end at `ends`, the first beginning at `begin`.
    pub fn encode(
        &mut self,
        vocabulary: &Vocabulary,
        table: &mut PieceTable,
        text: &[u8],
        begin: usize,
        ends: &[usize],
        out: &mut Vec<u32>,
    ) {
        self.encode_as(Spaces::Kept, vocabulary, table, text, begin, ends, out);
    }

    /// The same for text whose spaces are read as `spaces` says.
    #[expect(clippy::too_many_arguments, reason = "they are what one step needs")]
    pub(crate) fn encode_as(
        &mut self,
        spaces: Spaces,
        vocabulary: &Vocabulary,
        table: &mut PieceTable,
        text: &[u8],
        begin: usize,
        ends: &[usize],
        out: &mut Vec<u32>,
    ) {
        let mut parts = std::mem::take(&mut self.parts);
        let apart = vocabulary.seams.take_apart(text, begin, ends, &mut parts);
        self.encode_parts(spaces, vocabulary, table, text, begin, apart.unwrap_or(ends), out);
        self.parts = parts;
    }

    #[expect(clippy::too_many_arguments, reason = "they are what one step needs")]
    fn encode_parts(
        &mut self,
        spaces: Spaces,
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
                self.merge_misses(spaces, vocabulary, table, text, begin, ends, n_misses);
            }
            self.append(ends.len(), out);
            begin = ends.last().copied().unwrap_or(begin);
        }
    }

    #[inline(never)]
    fn make_keys(&mut self, table: &PieceTable, text: &[u8], mut begin: usize, ends: &[usize]) {
        let table = table.view();
        for ((&end, key), hash) in ends.iter().zip(&mut self.keys).zip(&mut self.hashes) {
            debug_assert!(begin < end, "no pretoken is empty");
            *key = pieces::key(text, begin, end);
            *hash = pieces::hash(*key);
            table.prefetch(*hash);
            begin = end;
        }
    }

    /// Look up the first `n` keys; returns how many were not found.
    #[inline(never)]
    fn look_up(&mut self, table: &PieceTable, n: usize) -> usize {
        let table = table.view();
        let mut n_misses = 0;
        let keys = self.keys[..n].iter().zip(&self.hashes);
        for (index, ((&key, &hash), found)) in (0..).zip(keys.zip(&mut self.found)) {
            let is_found;
            (*found, is_found) = table.get(key, hash);
            self.misses[n_misses] = index;
            n_misses += usize::from(!is_found);
        }
        n_misses
    }

    /// Find the ids of the pretokens that were not found, the first of all beginning at `first`.
    #[inline(never)]
    #[expect(clippy::too_many_arguments, reason = "they are what one step needs")]
    fn merge_misses(
        &mut self,
        spaces: Spaces,
        vocabulary: &Vocabulary,
        table: &mut PieceTable,
        text: &[u8],
        first: usize,
        ends: &[usize],
        n_misses: usize,
    ) {
        self.spill.clear();
        self.same.clear();
        self.clear_jobs();
        let mut folded = std::mem::take(&mut self.folded);
        for &index in &self.misses[..n_misses] {
            table.view().prefetch_second(self.hashes[index as usize]);
        }
        for miss in 0..n_misses {
            let index = self.misses[miss] as usize;
            let (key, hash) = (self.keys[index], self.hashes[index]);
            let begin = if index == 0 { first } else { ends[index - 1] };
            let length = ends[index] - begin;
            if pieces::is_short(key) {
                if let Some(found) = table.find(key, hash) {
                    self.found[index] = found;
                    continue;
                }
                // The same pretoken may have been missed before in this batch.
                let latest = &mut self.latest[hash as usize % N_LATEST];
                let before = *latest as usize;
                if self.job_of.get(before).is_some_and(|&other| self.keys[other as usize] == key) {
                    self.same.push((index as u32, self.job_of[before]));
                    continue;
                }
                *latest = self.jobs.len() as u16;
            } else {
                let piece = &text[begin..ends[index]];
                let n_spilled = self.spill.len();
                if let Some(ids) = table.long.find(piece) {
                    self.spill.extend_from_slice(ids);
                } else {
                    let n_folded = folded.len();
                    let merged = match spaces {
                        Spaces::Kept => piece,
                        Spaces::Signs => {
                            fold(piece, &mut folded);
                            &folded[n_folded..]
                        }
                    };
                    vocabulary.merge(merged, &mut self.merge, &mut self.spill);
                    folded.truncate(n_folded);
                    table.long.put(piece, &self.spill[n_spilled..]);
                }
                self.found[index] = Found::new(&self.spill, n_spilled);
                continue;
            }
            let (begin, length) = match spaces {
                Spaces::Kept => (begin, length),
                Spaces::Signs => {
                    let piece = &text[begin..ends[index]];
                    if let Some(id) = ready::id_of(piece) {
                        self.found[index] = Found::new(&[id], 0);
                        table.put(key, hash, self.found[index]);
                        continue;
                    }
                    let place = folded.len();
                    fold(piece, &mut folded);
                    (place, folded.len() - place)
                }
            };
            self.jobs.push(Job { begin, length, values: self.n_values });
            self.job_of.push(index as u32);
            self.n_values += length;
            if self.n_values > MAX_VALUES {
                self.do_jobs(vocabulary, table, spaces.text(text, &folded));
                folded.clear();
            }
        }
        self.do_jobs(vocabulary, table, spaces.text(text, &folded));
        folded.clear();
        self.folded = folded;
        for &(index, other) in &self.same {
            self.found[index as usize] = self.found[other as usize];
        }
    }

    /// Merge the jobs and keep what is short.
    fn do_jobs(&mut self, vocabulary: &Vocabulary, table: &mut PieceTable, text: &[u8]) {
        let values = &mut self.values;
        lanes::longest_suffixes(&vocabulary.automaton, text, &self.jobs, values);
        let forest = &vocabulary.forest;
        for job in &self.jobs {
            let last = values[job.values + job.length - 1];
            forest.prefetch(last);
        }
        for job in &self.jobs {
            let values = &values[job.values..job.values + job.length];
            // A whole token needs no tests.
            if values.last().is_none_or(|&last| forest.length(last) < job.length) {
                for &value in values {
                    forest.prefetch(value);
                }
            }
        }
        for (job, &index) in self.jobs.iter().zip(&self.job_of) {
            let values = &mut values[job.values..job.values + job.length];
            let piece = &text[job.begin..job.begin + job.length];
            let n_spilled = self.spill.len();
            if let Some(id) = vocabulary.whole_piece(piece) {
                self.spill.push(id);
            } else {
                if values.last().is_none_or(|&last| forest.length(last) < job.length) {
                    vocabulary.test(piece, values);
                }
                vocabulary.emit(values, &mut self.spill);
            }
            let index = index as usize;
            let found = Found::new(&self.spill, n_spilled);
            if !found.is_spilled() {
                self.spill.truncate(n_spilled);
                table.put(self.keys[index], self.hashes[index], found);
            }
            self.found[index] = found;
        }
        self.clear_jobs();
    }

    fn clear_jobs(&mut self) {
        self.jobs.clear();
        self.job_of.clear();
        self.n_values = 0;
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
