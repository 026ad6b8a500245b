//! Canonical rules: the one merge by which each reachable token comes into being.
//!
//! A token is reachable if Merge of its own bytes is the token itself. The last merge of that run
//! is its canonical rule; wherever the token appears, it appears by this rule, so every other way
//! to spell it can be forgotten. The fast algorithms need ranks to increase along every run; a
//! vocabulary in which they do not is refused.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::error::TableError;

use super::vocabulary::TokenTable;

pub(crate) const NONE: u32 = u32::MAX;

/// Per merge rank: the left and right part of the canonical rule, `NONE` for single bytes.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) left: Vec<u32>,
    pub(crate) right: Vec<u32>,
    reachable: Vec<bool>,
    /// Rank of each single byte.
    pub(crate) atoms: [u32; 256],
}

impl Rules {
    pub(crate) fn is_reachable(&self, rank: u32) -> bool {
        self.reachable[rank as usize]
    }
}

/// One part of the token whose run is followed; parts form a linked list over byte positions.
#[derive(Clone, Copy)]
struct Part {
    rank: u32,
    length: u32,
    previous: u32,
    alive: bool,
}

/// Follows Merge on one token at a time.
struct Runs<'a> {
    tokens: &'a TokenTable,
    ranks: FxHashMap<&'a [u8], u32>,
    parts: Vec<Part>,
    queue: BinaryHeap<Reverse<(u32, u32, u32)>>,
}

/// How a run ended: the last merge, or none if the token was not reached.
enum Run {
    Reached(u32, u32),
    NotReached,
    RanksDecrease,
}

impl Runs<'_> {
    /// Queue the merge of the part at `left` with the one behind it, if that is a token.
    fn queue(&mut self, token: &[u8], left: u32) {
        let right = left + self.parts[left as usize].length;
        if right as usize >= token.len() {
            return;
        }
        let end = right + self.parts[right as usize].length;
        if let Some(&rank) = self.ranks.get(&token[left as usize..end as usize]) {
            self.queue.push(Reverse((rank, left, end - left)));
        }
    }

    fn follow(&mut self, token: &[u8], own_rank: u32, atoms: &[u32; 256]) -> Run {
        self.parts.clear();
        self.queue.clear();
        self.parts.extend((0_u32..).zip(token).map(|(at, &byte)| Part {
            rank: atoms[byte as usize],
            length: 1,
            previous: at.wrapping_sub(1),
            alive: true,
        }));
        for left in 0..token.len() as u32 - 1 {
            self.queue(token, left);
        }
        let mut highest = 0;
        let mut decreased = false;
        while let Some(Reverse((rank, left, length))) = self.queue.pop() {
            let a = self.parts[left as usize];
            let right = left + a.length;
            if !a.alive || a.length >= length || right as usize >= token.len() {
                continue;
            }
            let b = self.parts[right as usize];
            if a.length + b.length != length {
                continue;
            }
            decreased |= rank < highest;
            highest = highest.max(rank);
            if length as usize == token.len() && rank == own_rank {
                return if decreased { Run::RanksDecrease } else { Run::Reached(a.rank, b.rank) };
            }
            self.parts[right as usize].alive = false;
            self.parts[left as usize] = Part { rank, length, ..a };
            let end = left + length;
            if let Some(next) = self.parts.get_mut(end as usize) {
                next.previous = left;
            }
            if a.previous != NONE {
                self.queue(token, a.previous);
            }
            self.queue(token, left);
        }
        Run::NotReached
    }
}

/// The canonical rule of every token, in O(total bytes · log(longest token)).
pub(crate) fn rules(tokens: &TokenTable) -> Result<Rules, TableError> {
    let n = tokens.len() as u32;
    let mut atoms = [NONE; 256];
    let mut ranks = FxHashMap::default();
    ranks.reserve(n as usize);
    for rank in 0..n {
        let bytes = tokens.bytes(rank);
        if let Some(other) = ranks.insert(bytes, rank) {
            return Err(TableError(format!(
                "ids {} and {} are the same token",
                tokens.id(other),
                tokens.id(rank)
            )));
        }
        if let [byte] = *bytes {
            atoms[byte as usize] = rank;
        }
    }
    if let Some(byte) = atoms.iter().position(|&rank| rank == NONE) {
        return Err(TableError(format!("there is no token for the single byte 0x{byte:02X}")));
    }
    let mut runs = Runs { tokens, ranks, parts: Vec::new(), queue: BinaryHeap::new() };
    let mut rules = Rules {
        left: vec![NONE; n as usize],
        right: vec![NONE; n as usize],
        reachable: vec![false; n as usize],
        atoms,
    };
    for rank in 0..n {
        let token = runs.tokens.bytes(rank);
        rules.reachable[rank as usize] = true;
        if token.len() == 1 {
            continue;
        }
        match runs.follow(token, rank, &atoms) {
            Run::Reached(left, right) => {
                rules.left[rank as usize] = left;
                rules.right[rank as usize] = right;
            }
            Run::NotReached => rules.reachable[rank as usize] = false,
            Run::RanksDecrease => {
                return Err(TableError(format!(
                    "the token with id {} is built from a merge of higher rank than a later one; \
                     vocabularies whose merge ranks do not increase along a token's own merges \
                     are not supported",
                    tokens.id(rank)
                )));
            }
        }
    }
    Ok(rules)
}
