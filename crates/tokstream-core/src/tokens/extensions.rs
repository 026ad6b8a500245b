//! Which tokens may lie across the end of a text: those with a given proper beginning that may
//! follow a given token.
//!
//! `b` may follow `a` if no merge ever crosses the border between them. The right neighbour of
//! the border is, one after another, each piece of `b`'s left spine: its first byte, the token
//! that this byte first becomes part of, and so on up to `b`. Tokens that begin alike share these
//! pieces, so what is known of one token's spine is kept for the next; and a merge that crosses
//! before the first byte's own first merge rules out, unseen, all tokens with a later one.

use super::merge::{Forest, NEVER};
use crate::error::TableError;
use crate::prepared::{Reader, Writer};
use crate::table::Table;

/// Tokens per entry of `earliest`.
const BLOCK: usize = 64;

/// Reachable tokens by their bytes, with the time at which each one's first byte first merges.
#[derive(Clone, Debug)]
pub(crate) struct Extensions {
    sorted: Table<u32>,
    first_merges: Table<u32>,
    /// The least of each block of `first_merges`.
    earliest: Table<u32>,
}

impl Extensions {
    /// `sorted`: all reachable tokens in order of their bytes.
    pub(crate) fn new(sorted: Vec<u32>, forest: &Forest) -> Self {
        let first_merge = |&token: &u32| {
            let mut token = token;
            while forest.length(forest.left(token)) > 1 {
                token = forest.left(token);
            }
            forest.time(token) as u32
        };
        let first_merges: Vec<u32> = sorted.iter().map(first_merge).collect();
        let earliest: Vec<u32> = first_merges
            .chunks(BLOCK)
            .map(|block| block.iter().copied().min().unwrap_or(u32::MAX))
            .collect();
        Self { sorted: sorted.into(), first_merges: first_merges.into(), earliest: earliest.into() }
    }

    /// Put all tables into a file.
    pub(crate) fn write<'a>(&'a self, writer: &mut Writer<'a>) {
        writer.put(&self.sorted);
        writer.put(&self.first_merges);
        writer.put(&self.earliest);
    }

    /// Take them back.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, TableError> {
        let sorted: Table<u32> = reader.take()?;
        let n = sorted.len();
        let first_merges = reader.take_n(n)?;
        Ok(Self { sorted, first_merges, earliest: reader.take_n(n.div_ceil(BLOCK))? })
    }

    /// The token with exactly these bytes.
    pub(crate) fn find(&self, forest: &Forest, bytes: &[u8]) -> Option<u32> {
        let found = self.sorted.binary_search_by(|&token| forest.bytes(token).cmp(bytes));
        found.ok().map(|index| self.sorted[index])
    }

    /// The tokens that begin with `prefix`; `first` come before them.
    pub(super) fn beginning_with<'a>(
        &'a self,
        forest: &'a Forest,
        prefix: &'a [u8],
        first: usize,
    ) -> Prefixed<'a> {
        Prefixed::new(&self.sorted, forest, prefix, first)
    }

    /// Is there a token of which `prefix` is a proper prefix, which may follow `before` (any
    /// token, if that is 0), and whose rest `may_take` accepts? `first`: how many tokens come
    /// before all that begin with `prefix`.
    ///
    /// Cost: O(tokens with this prefix) at worst, a small part of them usually.
    pub(crate) fn any_may_follow(
        &self,
        forest: &Forest,
        before: u32,
        prefix: &[u8],
        first: usize,
        may_take: &dyn Fn(&[u8]) -> bool,
    ) -> bool {
        let due = match before {
            0 => NEVER,
            _ => match forest.meeting(before, forest.atom(prefix[0])) {
                0 => NEVER,
                joined => forest.time(joined),
            },
        };
        let is_whole = |&token: &u32| forest.length(token) == prefix.len();
        let mut at = first + usize::from(self.sorted.get(first).is_some_and(is_whole));
        let mut run = Prefixed::new(&self.sorted, forest, prefix, first);
        let mut spine = Spine::default();
        while run.holds(at) {
            if at.is_multiple_of(BLOCK) && u64::from(self.earliest[at / BLOCK]) >= due {
                at += BLOCK;
                continue;
            }
            let token = self.sorted[at];
            if u64::from(self.first_merges[at]) < due
                && (before == 0 || spine.crossed(forest, before, token) == 0)
                && may_take(&forest.bytes(token)[prefix.len()..])
            {
                return true;
            }
            at += 1;
        }
        false
    }
}

/// The tokens that begin with a prefix: where they end is found a piece at a time, since the first
/// of them mostly answer the question.
#[derive(Debug)]
pub(super) struct Prefixed<'a> {
    sorted: &'a [u32],
    forest: &'a Forest,
    prefix: &'a [u8],
    first: usize,
    /// Tokens before this one are known to begin with it.
    end: usize,
    /// How many are looked at next.
    step: usize,
    /// None beyond `end` does.
    is_known: bool,
}

impl<'a> Prefixed<'a> {
    fn new(sorted: &'a [u32], forest: &'a Forest, prefix: &'a [u8], first: usize) -> Self {
        Self { sorted, forest, prefix, first, end: first, step: 1, is_known: false }
    }

    /// How many tokens come before all that begin with the prefix.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// The token at `at`, if it begins with the prefix; those from `first` up to it do.
    pub(super) fn get(&mut self, at: usize) -> Option<u32> {
        self.holds(at).then(|| self.sorted[at])
    }

    /// All of them.
    pub(super) fn all(&mut self) -> &'a [u32] {
        while !self.is_known {
            self.holds(self.end);
        }
        &self.sorted[self.first..self.end]
    }

    /// Does the token at `at` begin with the prefix? Those before it do.
    ///
    /// Cost: O(1) amortized over calls with growing `at`, and O(log tokens) in all.
    #[inline(always)]
    fn holds(&mut self, at: usize) -> bool {
        while at >= self.end && !self.is_known {
            let next = (self.end + self.step).max(at + 1).min(self.sorted.len());
            let begins = |&token: &u32| self.forest.bytes(token).starts_with(self.prefix);
            if next > self.end && begins(&self.sorted[next - 1]) {
                self.end = next;
                self.step *= 2;
            } else {
                self.end += self.sorted[self.end..next].partition_point(begins);
                self.is_known = true;
            }
        }
        at < self.end
    }
}

/// The left spine of the token last asked about, from its first byte up: each piece, and how a
/// merge crosses the border if nothing longer takes that piece first.
#[derive(Default)]
struct Spine {
    pieces: Vec<Piece>,
    /// Pieces of the next token, from the token down.
    next: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Piece {
    token: u32,
    /// What the merge across the border makes, 0 if there is none.
    crossed: u32,
    /// That merge has happened before this piece came into being.
    is_settled: bool,
}

impl Spine {
    /// What a merge across the border between `before` and `token` makes, 0 if there is none.
    fn crossed(&mut self, forest: &Forest, before: u32, token: u32) -> u32 {
        self.next.clear();
        let mut piece = token;
        while piece != 0 {
            self.next.push(piece);
            piece = forest.left(piece);
        }
        let next = self.next.iter().rev();
        let n_known = self.pieces.iter().zip(next).take_while(|(a, b)| a.token == **b).count();
        self.pieces.truncate(n_known);
        for &token in self.next.iter().rev().skip(n_known) {
            let piece = match self.pieces.last() {
                // At an equal time the border, being further left, goes first.
                Some(&last)
                    if last.is_settled
                        || (last.crossed != 0 && forest.goes_first(last.crossed, token)) =>
                {
                    Piece { token, is_settled: true, ..last }
                }
                _ => Piece { token, crossed: forest.meeting(before, token), is_settled: false },
            };
            self.pieces.push(piece);
        }
        self.pieces.last().map_or(0, |piece| piece.crossed)
    }
}
