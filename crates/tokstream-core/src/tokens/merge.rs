//! The successor forest: Merge of every prefix, one byte at a time.
//!
//! The parent of a token is the right part of its canonical rule, so a token's ancestors are its
//! right spine. Children are ordered by falling rank and ids are preorder numbers; then "the text
//! before `w`'s right part ends, when `w` would be merged, in `w`'s left part" is one range test
//! on the id of the last token there. The longest token that passes is the last token of the
//! prefix. Source: Jiang & Gong, arXiv:2605.30813; the proofs do not need the text to end.
//!
//! Ours, for merges of lower rank than one they need: such a merge happens in the cascade of the
//! last merge of its level, before anything else does, and a level is worked off from left to
//! right. So of two merges of one level that share a token the left one goes first, as it does of
//! two of equal rank; only if that token is itself the cascade's latest and the right one's other
//! part was there before does the lower rank go first. Tokens are ordered by level, and all of
//! this stays a range test.

use bytemuck::{Pod, Zeroable};

use crate::error::TableError;
use crate::prefetch::prefetch;
use crate::prepared::{Reader, Writer};
use crate::table::Table;

use super::canonical::{NONE, Rules};
use super::vocabulary::{TokenTable, Vocabulary};

/// Suffixes tried from the longest down before the forest is descended; text needs one or two.
const MAX_TRIES: usize = 16;

/// The time of what does not happen.
pub(crate) const NEVER: u64 = u64::MAX;

/// What the range test needs of one token; 16 bytes, the hot part of the vocabulary.
#[derive(Clone, Copy, Debug, Default, Zeroable, Pod)]
#[repr(C)]
struct Node {
    /// The test: the last token before the right part has an id in `low..high`.
    low: u32,
    high: u32,
    /// The next shorter token that is a suffix of this one.
    next: u32,
    length: u16,
    right_length: u16,
}

/// All reachable tokens, numbered from 1 in preorder of the forest; 0 is no token.
#[derive(Clone, Debug)]
pub(crate) struct Forest {
    nodes: Table<Node>,
    /// Vocabulary ids by forest id.
    ids: Table<u32>,
    /// Places in canonical order by forest id.
    ranks: Table<u32>,
    /// Place of the first token of the level by forest id: the token's own, usually.
    levels: Table<u32>,
    /// Canonical rules by forest id, 0 for single bytes.
    left: Table<u32>,
    right: Table<u32>,
    /// Single bytes.
    atoms: [u32; 256],
    /// Children of each node as one list: left part, child, ordered by left part.
    child_starts: Table<u32>,
    children: Table<[u32; 2]>,
    /// Bytes, by forest id.
    blob: Table<u8>,
    begins: Table<u32>,
}

/// Buffers of one merge, kept between calls.
#[derive(Debug, Default)]
pub struct MergeScratch {
    last: Vec<u32>,
}

/// What is kept between calls of a buffer that grows with the text, in elements.
const MAX_KEPT: usize = 1 << 15;

impl MergeScratch {
    /// Give back what a very long pretoken needed.
    pub(crate) fn shrink(&mut self) {
        shrink(&mut self.last);
    }
}

/// Keep what is in `buffer`, but not its room if that is for more than `n_kept` elements and they are
/// not there: a buffer that is still full would grow again, and be copied each time. What is kept
/// moves, so that all of the old room can be used for something else.
pub(crate) fn give_back<T: Clone>(buffer: &mut Vec<T>, n_kept: usize) {
    if buffer.capacity() > n_kept && buffer.len() <= n_kept {
        *buffer = buffer.clone();
    }
}

/// Forget what is in `buffer`, and most of its room if it has much.
pub(crate) fn shrink<T>(buffer: &mut Vec<T>) {
    if buffer.capacity() > MAX_KEPT {
        buffer.clear();
        buffer.shrink_to(MAX_KEPT);
    }
}

impl Forest {
    /// Number the tokens; also returns the number of the token of each rank.
    pub(crate) fn new(tokens: &TokenTable, rules: &Rules) -> (Self, Vec<u32>) {
        let n_ranks = tokens.len();
        // Children by rank of the parent, each list by falling rank.
        let mut starts = vec![0_u32; n_ranks + 1];
        for &right in rules.right.iter().filter(|&&right| right != NONE) {
            starts[right as usize + 1] += 1;
        }
        for k in 0..n_ranks {
            starts[k + 1] += starts[k];
        }
        let mut fill = starts.clone();
        let mut lists = vec![0_u32; starts[n_ranks] as usize];
        for rank in (0..n_ranks as u32).rev().filter(|&rank| rules.right[rank as usize] != NONE) {
            let slot = &mut fill[rules.right[rank as usize] as usize];
            lists[*slot as usize] = rank;
            *slot += 1;
        }
        let children_of =
            |rank: u32| &lists[starts[rank as usize] as usize..starts[rank as usize + 1] as usize];

        let mut of_rank = vec![0_u32; n_ranks];
        let mut ends = vec![0_u32; n_ranks];
        let mut ranks = vec![NONE];
        let mut stack: Vec<(u32, usize)> = Vec::new();
        for &atom in &rules.atoms {
            of_rank[atom as usize] = ranks.len() as u32;
            ranks.push(atom);
            stack.push((atom, 0));
            while let Some((rank, k)) = stack.last_mut() {
                if let Some(&child) = children_of(*rank).get(*k) {
                    *k += 1;
                    of_rank[child as usize] = ranks.len() as u32;
                    ranks.push(child);
                    stack.push((child, 0));
                } else {
                    ends[*rank as usize] = ranks.len() as u32;
                    stack.pop();
                }
            }
        }

        // By place of its first token: the last token of each level.
        let mut level_ends: Vec<u32> = (0..n_ranks as u32).collect();
        for (rank, &level) in (0..).zip(&rules.levels) {
            level_ends[level as usize] = rank;
        }
        let level_of = |rank: u32| rules.levels[rank as usize];

        let n = ranks.len();
        let forest_id = |rank: u32| if rank == NONE { 0 } else { of_rank[rank as usize] };
        let mut nodes = vec![Node::default(); n];
        let mut ids = vec![0; n];
        let mut levels = vec![0; n];
        let (mut lefts, mut rights) = (vec![0; n], vec![0; n]);
        let mut child_starts = vec![0; n + 1];
        let mut children: Vec<[u32; 2]> = Vec::with_capacity(lists.len());
        let mut blob = Vec::new();
        let mut begins = vec![0; n + 1];
        for id in 1..n {
            let rank = ranks[id];
            let bytes = tokens.bytes(rank);
            let (left, right) = (rules.left[rank as usize], rules.right[rank as usize]);
            blob.extend_from_slice(bytes);
            begins[id + 1] = blob.len() as u32;
            ids[id] = tokens.id(rank);
            (lefts[id], rights[id]) = (forest_id(left), forest_id(right));
            levels[id] = level_of(rank);
            let node = &mut nodes[id];
            node.length = bytes.len() as u16;
            if left != NONE {
                let siblings = children_of(left);
                let level = level_of(rank);
                let is_from_left = level_of(left) == level && level_of(right) != level;
                let closing = if is_from_left { rank } else { level_ends[level as usize] };
                let k = siblings.partition_point(|&child| child > closing);
                node.low = forest_id(left);
                node.high = siblings.get(k).map_or(ends[left as usize], |&c| forest_id(c));
                node.right_length = tokens.bytes(right).len() as u16;
            }
            let begin = children.len();
            let child = |&child: &u32| [forest_id(rules.left[child as usize]), forest_id(child)];
            children.extend(children_of(rank).iter().map(child));
            children[begin..].sort_unstable();
            child_starts[id + 1] = children.len() as u32;
        }
        let forest = Self {
            nodes: nodes.into(),
            ids: ids.into(),
            ranks: ranks.into(),
            levels: levels.into(),
            left: lefts.into(),
            right: rights.into(),
            atoms: rules.atoms.map(forest_id),
            child_starts: child_starts.into(),
            children: children.into(),
            blob: blob.into(),
            begins: begins.into(),
        };
        (forest, of_rank)
    }

    /// Fill in, for every token, the next shorter token that is its suffix.
    pub(crate) fn link_suffixes(&mut self, next: &[u32]) {
        let mut nodes = self.nodes.to_vec();
        for (node, &next) in nodes.iter_mut().zip(next) {
            node.next = next;
        }
        self.nodes = nodes.into();
    }

    /// Put all tables into a file.
    pub(crate) fn write<'a>(&'a self, writer: &mut Writer<'a>) {
        writer.put(&self.atoms);
        writer.put(&self.nodes);
        for numbers in [&self.ids, &self.ranks, &self.levels, &self.left, &self.right] {
            writer.put(numbers);
        }
        writer.put(&self.child_starts);
        writer.put(&self.children);
        writer.put(&self.begins);
        writer.put(&self.blob);
    }

    /// Take them back.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, TableError> {
        let atoms = reader.take_array()?;
        let nodes: Table<Node> = reader.take()?;
        let n = nodes.len();
        let mut take = || reader.take_n(n);
        let (ids, ranks, levels, left, right) = (take()?, take()?, take()?, take()?, take()?);
        let (child_starts, children) = reader.take_parts(n)?;
        let (begins, blob) = reader.take_parts(n)?;
        Ok(Self {
            nodes,
            ids,
            ranks,
            levels,
            left,
            right,
            atoms,
            child_starts,
            children,
            blob,
            begins,
        })
    }

    pub(crate) fn id(&self, token: u32) -> u32 {
        self.ids[token as usize]
    }

    /// Every id with the bytes of its token.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = (u32, usize)> + '_ {
        (1..self.nodes.len()).map(|token| (self.ids[token], self.nodes[token].length as usize))
    }

    /// Bring near what `length` and the tests need of `token`.
    #[inline(always)]
    pub(crate) fn prefetch(&self, token: u32) {
        prefetch(&self.nodes[token as usize]);
    }

    /// Bring near what `id` needs of `token`.
    #[inline(always)]
    pub(crate) fn prefetch_id(&self, token: u32) {
        prefetch(&self.ids[token as usize]);
    }

    pub(crate) fn length(&self, token: u32) -> usize {
        self.nodes[token as usize].length as usize
    }

    pub(crate) fn bytes(&self, token: u32) -> &[u8] {
        let at = token as usize;
        &self.blob[self.begins[at] as usize..self.begins[at + 1] as usize]
    }

    /// The token that the canonical rule (left, right) makes.
    fn joined(&self, left: u32, right: u32) -> Option<u32> {
        let list = self.children_of(right);
        let found = list.binary_search_by_key(&left, |&[left, _]| left);
        found.ok().map(|k| list[k][1])
    }

    /// The last token by descent from the single byte: at each step at most one child passes its
    /// test, and the last to pass is the longest. Cost: O(right spine · log(children)), where
    /// trying suffixes from the longest down may take as many steps as the token has bytes.
    #[cold]
    fn descend(&self, byte: u8, last: impl Fn(usize) -> u32, n: usize) -> u32 {
        let mut token = self.atoms[byte as usize];
        loop {
            let length = self.length(token);
            if length == n + 1 {
                return token;
            }
            let id = last(n - length);
            let children = self.children_of(token);
            let after = children.partition_point(|&[left, _]| left <= id);
            let Some(&[_, child]) = after.checked_sub(1).map(|k| &children[k]) else {
                return token;
            };
            if id >= self.nodes[child as usize].high {
                return token;
            }
            token = child;
        }
    }

    fn children_of(&self, token: u32) -> &[[u32; 2]] {
        let at = token as usize;
        &self.children[self.child_starts[at] as usize..self.child_starts[at + 1] as usize]
    }

    /// When `token` comes into being: single bytes at 0, others at their level + 1.
    pub(crate) fn time(&self, token: u32) -> u64 {
        if self.left[token as usize] == 0 { 0 } else { u64::from(self.levels[token as usize]) + 1 }
    }

    /// Of two merges that share a token, the last part of `one` and the first of `other`: does
    /// `one` go first?
    pub(crate) fn goes_first(&self, one: u32, other: u32) -> bool {
        let (due, time) = (self.time(one), self.time(other));
        if due != time {
            return due < time;
        }
        let (shared, rest) = (self.left[other as usize], self.right[other as usize]);
        let is_from_left = self.time(shared) == time && self.time(rest) != time;
        !(is_from_left && self.ranks[other as usize] < self.ranks[one as usize])
    }

    /// Left part of the canonical rule, 0 for single bytes.
    pub(crate) fn left(&self, token: u32) -> u32 {
        self.left[token as usize]
    }

    /// The token of a single byte.
    pub(crate) fn atom(&self, byte: u8) -> u32 {
        self.atoms[byte as usize]
    }

    /// What `piece` would first merge to with a token of `before`'s right spine to its left; 0 if
    /// there is no such merge.
    ///
    /// Each of those is there until its own use in a longer one, which at an equal time goes
    /// first, being further left. Cost: O(right spine · log(children)).
    pub(crate) fn meeting(&self, mut before: u32, piece: u32) -> u32 {
        let (mut first, mut user) = (0, 0);
        loop {
            if let Some(joined) = self.joined(before, piece) {
                first = if user == 0 || !self.goes_first(user, joined) { joined } else { first };
            }
            if self.left[before as usize] == 0 {
                return first;
            }
            user = before;
            before = self.right[before as usize];
        }
    }
}

impl Vocabulary {
    /// The last token of Merge up to and including the `n`-th byte, `byte`: the longest of the
    /// tokens that end there, from `token` down, whose test passes.
    ///
    /// `last` gives the last token up to each of the `n` bytes before.
    #[inline(always)]
    pub(super) fn last_token(
        &self,
        mut token: u32,
        byte: u8,
        last: impl Fn(usize) -> u32,
        n: usize,
    ) -> u32 {
        for _ in 0..MAX_TRIES {
            let test = self.forest.nodes[token as usize];
            if test.length == 1 || test.length as usize == n + 1 {
                return token;
            }
            let id = last(n - test.right_length as usize);
            if test.low <= id && id < test.high {
                return token;
            }
            token = test.next;
        }
        self.forest.descend(byte, last, n)
    }

    /// Append, for each byte of `text`, the last token of Merge up to and including that byte.
    #[inline(always)]
    pub(crate) fn extend(&self, node: &mut u32, text: &[u8], last: &mut Vec<u32>) {
        last.reserve(text.len());
        for &byte in text {
            *node = self.automaton.step(*node, byte);
            let token = self.automaton.suffix(*node);
            last.push(self.last_token(token, byte, |at| last[at], last.len()));
        }
    }

    /// Append the ids of the complete pretoken `piece`. Cost: O(length).
    pub fn merge(&self, piece: &[u8], scratch: &mut MergeScratch, out: &mut Vec<u32>) {
        if let Some(id) = self.whole_piece(piece) {
            return out.push(id);
        }
        self.merge_rest(piece, scratch, out);
    }

    /// The same for what is left of a pretoken behind an emitted boundary.
    pub(crate) fn merge_rest(&self, rest: &[u8], scratch: &mut MergeScratch, out: &mut Vec<u32>) {
        let last = &mut scratch.last;
        last.clear();
        self.extend(&mut 0, rest, last);
        self.emit(last, out);
    }

    /// The part of `last` that is left without the tokens that begin at byte `end` or later.
    pub(crate) fn covering<'a>(&self, last: &'a [u32], end: usize) -> &'a [u32] {
        let mut n = last.len();
        while n > 0 {
            let begin = n - self.forest.length(last[n - 1]);
            if begin < end {
                break;
            }
            n = begin;
        }
        &last[..n]
    }

    /// Append the ids on the path that ends at the last of `last`.
    pub(crate) fn emit(&self, last: &[u32], out: &mut Vec<u32>) {
        let begin = out.len();
        let mut at = last.len();
        while at > 0 {
            let token = last[at - 1];
            out.push(self.forest.id(token));
            at -= self.forest.length(token);
        }
        out[begin..].reverse();
    }
}
