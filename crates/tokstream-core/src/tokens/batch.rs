//! Many complete pretokens at once.
//!
//! In passes over at most some thousand pretokens: make their keys, look all of them up, merge
//! those that were not found, append the ids in text order. Short loops without unforeseen
//! branches let the processor wait for several look-ups at once; each is a function of its own, so
//! that its values stay in registers.

use bytemuck::Zeroable;
use bytemuck::allocation::zeroed_box;

use super::jobs::{self, Jobs};
use super::links::SIGN;
use super::merge::{MergeScratch, shrink};
use super::pieces::{self, Found, Key, PieceTable};
use super::ready;
use super::seams::Parts;
use super::vocabulary::Vocabulary;

/// Pretokens whose table lines are brought near together.
const GROUP: usize = 1024;
/// Ids gathered before they are appended.
const GATHERED: usize = pieces::MAX_IDS * GROUP;
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

/// Complete pretokens of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pretokens<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) spaces: Spaces,
    /// Where the first one begins.
    pub(crate) begin: usize,
    /// Where each ends; the next begins there.
    pub(crate) ends: &'a [usize],
}

impl<'a> Pretokens<'a> {
    /// Those of `text` that end at `ends`.
    pub(crate) fn new(text: &'a [u8], begin: usize, ends: &'a [usize]) -> Self {
        Self { text, spaces: Spaces::Kept, begin, ends }
    }

    /// The one at `index`: where it begins, and its text.
    #[inline(always)]
    fn get(&self, index: usize) -> (usize, &'a [u8]) {
        let begin = if index == 0 { self.begin } else { self.ends[index - 1] };
        (begin, &self.text[begin..self.ends[index]])
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

/// What is known of each pretoken of a group. Of known length, so that no index has to be looked at.
#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(C)]
struct Group {
    keys: [Key; GROUP],
    hashes: [u32; GROUP],
    found: [Found; GROUP],
    /// Indices of pretokens that the table does not know.
    misses: [u32; GROUP],
    /// Ids gathered before they are appended, and room for those that do not count.
    ids: [u32; GATHERED + pieces::MAX_IDS],
}

/// Buffers of a batch, kept between calls.
#[derive(Debug)]
pub struct Batch {
    /// Ends of the parts that pretokens are taken apart into.
    parts: Parts,
    group: Box<Group>,
    /// Pretokens to merge, and their indices.
    jobs: Jobs,
    job_of: Vec<u32>,
    /// By the lower bits of a hash, the latest job that belongs there; maybe a stale one.
    latest: Vec<u16>,
    /// Index of a pretoken, and of the same one before.
    same: Vec<(u32, u32)>,
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
            group: zeroed_box(),
            jobs: Jobs::default(),
            job_of: Vec::new(),
            latest: vec![0; N_LATEST],
            same: Vec::new(),
            spill: Vec::new(),
            folded: Vec::new(),
            merge: MergeScratch::default(),
        }
    }
}

impl Group {
    #[inline(never)]
    fn make_keys(&mut self, table: &PieceTable, pretokens: Pretokens<'_>) {
        let table = table.view();
        let Pretokens { text, mut begin, ends, .. } = pretokens;
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
        for index in 0..n.min(GROUP) {
            let (found, is_known) = table.get(self.keys[index], self.hashes[index]);
            self.found[index] = *found;
            self.misses[n_misses % GROUP] = index as u32;
            n_misses += 1 - is_known;
        }
        n_misses
    }

    /// Append the ids of the first `n` pretokens.
    #[inline(never)]
    fn append(&mut self, n: usize, spill: &[u32], out: &mut Vec<u32>) {
        let mut n_ids = 0;
        for index in 0..n.min(GROUP) {
            let (found, at) = (&self.found[index], n_ids % GATHERED);
            let n = found.n_ids();
            self.ids[at..at + pieces::MAX_IDS].copy_from_slice(found.words());
            n_ids += n;
            if n >= pieces::MAX_IDS {
                n_ids = self.append_many(at, *found, spill, out);
            }
        }
        out.extend_from_slice(&self.ids[..n_ids]);
    }

    /// Append four ids, or more, behind `n_ids` that were gathered; returns how many are now.
    #[cold]
    fn append_many(
        &mut self,
        n_ids: usize,
        found: Found,
        spill: &[u32],
        out: &mut Vec<u32>,
    ) -> usize {
        if found.is_spilled() {
            out.extend_from_slice(&self.ids[..n_ids]);
            out.extend_from_slice(&spill[found.spilled()]);
            return 0;
        }
        self.ids[n_ids..n_ids + pieces::MAX_IDS].copy_from_slice(&found.masked());
        n_ids + pieces::MAX_IDS
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

    /// Append the ids of `pretokens`.
    pub(crate) fn encode(
        &mut self,
        vocabulary: &Vocabulary,
        table: &mut PieceTable,
        mut pretokens: Pretokens<'_>,
        out: &mut Vec<u32>,
    ) {
        let mut parts = std::mem::take(&mut self.parts);
        let Pretokens { text, begin, ends, .. } = pretokens;
        let apart = vocabulary.seams.take_apart(text, begin, ends, &mut parts);
        for ends in apart.unwrap_or(ends).chunks(GROUP) {
            let group = Pretokens { ends, ..pretokens };
            self.group.make_keys(table, group);
            let n_misses = self.group.look_up(table, ends.len());
            if n_misses > 0 {
                self.merge_misses(vocabulary, table, group, n_misses);
            }
            self.group.append(ends.len(), &self.spill, out);
            pretokens.begin = ends.last().copied().unwrap_or(pretokens.begin);
        }
        self.parts = parts;
    }

    /// Find the ids of the pretokens that were not found.
    #[inline(never)]
    fn merge_misses(
        &mut self,
        vocabulary: &Vocabulary,
        table: &mut PieceTable,
        pretokens: Pretokens<'_>,
        n_misses: usize,
    ) {
        self.spill.clear();
        self.same.clear();
        self.clear_jobs();
        let is_source = pretokens.spaces == Spaces::Signs;
        let mut folded = std::mem::take(&mut self.folded);
        for &index in &self.group.misses[..n_misses] {
            let hash = self.group.hashes[index as usize];
            table.view().prefetch_second(hash);
            vocabulary.singles.prefetch(hash);
        }
        for miss in 0..n_misses {
            let index = self.group.misses[miss];
            let at = index as usize;
            let (key, hash) = (self.group.keys[at], self.group.hashes[at]);
            let is_short = pieces::is_short(key);
            let (mut begin, piece) = pretokens.get(at);
            if is_short {
                if let Some(found) = table.find(key, hash) {
                    self.group.found[at] = found;
                    continue;
                }
                let single =
                    if is_source { ready::id_of(piece) } else { vocabulary.singles.id(key, hash) };
                if let Some(id) = single {
                    self.group.found[at] = Found::new(&[id], 0);
                    table.put(key, hash, self.group.found[at]);
                    continue;
                }
                // The same pretoken may have been missed before in this batch.
                let latest = &mut self.latest[hash as usize % N_LATEST];
                let before = *latest as usize;
                if self
                    .job_of
                    .get(before)
                    .is_some_and(|&other| self.group.keys[other as usize] == key)
                {
                    self.same.push((index, self.job_of[before]));
                    continue;
                }
                *latest = self.jobs.len() as u16;
            } else if let Some(ids) = table.long.find(piece) {
                let n_spilled = self.spill.len();
                self.spill.extend_from_slice(ids);
                self.group.found[at] = Found::new(&self.spill, n_spilled);
                continue;
            }
            let mut length = piece.len();
            if is_source {
                begin = folded.len();
                fold(piece, &mut folded);
                length = folded.len() - begin;
            }
            let text = pretokens.spaces.text(pretokens.text, &folded);
            if length > jobs::MAX_BYTES {
                let n_spilled = self.spill.len();
                vocabulary.merge(&text[begin..begin + length], &mut self.merge, &mut self.spill);
                if is_source {
                    folded.truncate(begin);
                }
                table.long.put(piece, &self.spill[n_spilled..]);
                self.group.found[at] = Found::new(&self.spill, n_spilled);
                continue;
            }
            self.jobs.push(begin, length);
            self.job_of.push(index);
            if self.jobs.is_full() {
                self.do_jobs(vocabulary, table, pretokens, text);
                folded.clear();
            }
        }
        let text = pretokens.spaces.text(pretokens.text, &folded);
        self.do_jobs(vocabulary, table, pretokens, text);
        folded.clear();
        self.folded = folded;
        for &(index, other) in &self.same {
            self.group.found[index as usize] = self.group.found[other as usize];
        }
    }

    /// Merge the jobs, which are parts of `text`, and keep their ids.
    fn do_jobs(
        &mut self,
        vocabulary: &Vocabulary,
        table: &mut PieceTable,
        pretokens: Pretokens<'_>,
        text: &[u8],
    ) {
        self.jobs.merge(vocabulary, text);
        for (job, &index) in self.job_of.iter().enumerate() {
            let n_spilled = self.spill.len();
            if let Some(id) = vocabulary.whole_piece(self.jobs.text(job, text)) {
                self.spill.push(id);
            } else {
                self.jobs.emit(job, vocabulary, &mut self.spill);
            }
            let index = index as usize;
            let found = Found::new(&self.spill, n_spilled);
            if !pieces::is_short(self.group.keys[index]) {
                let (_, piece) = pretokens.get(index);
                table.long.put(piece, &self.spill[n_spilled..]);
            } else if !found.is_spilled() {
                table.put(self.group.keys[index], self.group.hashes[index], found);
            }
            if !found.is_spilled() {
                self.spill.truncate(n_spilled);
            }
            self.group.found[index] = found;
        }
        self.clear_jobs();
    }

    fn clear_jobs(&mut self) {
        self.jobs.clear();
        self.job_of.clear();
    }
}
