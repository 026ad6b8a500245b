//! Ends of complete pretokens, in text order.

use super::blocks::BlockBuffers;

/// Ends after which a scan returns, and room for those of one more stride and of a finish.
const MAX_ENDS: usize = 1024;
const SPARE: usize = 512;

/// A list that is kept between calls, so that it stays in cache.
#[derive(Debug, Default)]
pub struct Ends {
    list: Vec<usize>,
    n: usize,
    /// What blocks of text are read with.
    pub(crate) blocks: BlockBuffers,
}

impl Ends {
    /// Empty the list.
    pub fn clear(&mut self) {
        if self.list.is_empty() {
            self.list.resize(MAX_ENDS + SPARE, 0);
        }
        self.n = 0;
    }

    /// Append one end.
    pub fn push(&mut self, end: usize) {
        if self.n == self.list.len() {
            self.list.push(end);
        } else {
            self.list[self.n] = end;
        }
        self.n += 1;
    }

    /// Forget the list, and the room that a step needed which made very many ends certain.
    pub(crate) fn shrink(&mut self) {
        if self.list.len() > MAX_ENDS + SPARE {
            self.list = Vec::new();
        }
    }

    /// The ends so far.
    #[must_use]
    pub fn as_slice(&self) -> &[usize] {
        &self.list[..self.n]
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Are there as many as a scan should return at a time?
    pub(crate) fn is_full(&self) -> bool {
        self.n >= MAX_ENDS
    }

    /// Append what was found in the block that begins at `begin`.
    pub(crate) fn take_block(&mut self, begin: usize) {
        for half in self.blocks.halves.ends() {
            let n = self.n + half.len();
            if self.list.len() < n {
                self.list.resize(n, 0);
            }
            for (end, &offset) in self.list[self.n..n].iter_mut().zip(half) {
                *end = begin + usize::from(offset);
            }
            self.n = n;
        }
    }

    /// Room for `n` more, to be claimed by `grow`.
    #[inline(always)]
    pub(crate) fn room(&mut self, n: usize) -> &mut [usize] {
        if self.list.len() < self.n + n {
            self.list.resize(self.n + n, 0);
        }
        &mut self.list[self.n..self.n + n]
    }

    /// The first `n` of the room are ends.
    #[inline(always)]
    pub(crate) fn grow(&mut self, n: usize) {
        self.n += n;
    }
}
