//! Canonical rules: the one merge by which each reachable token comes into being.
//!
//! A token is reachable if Merge of its own bytes is the token itself. The last merge of that run
//! is its canonical rule; wherever the token appears, it appears by this rule, so every other way
//! to spell it can be forgotten. Where ranks do not increase along a run, the highest one on the
//! way is the token's level, and tokens are put in order by level; see `merge` for the reason.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::error::TableError;

use super::spelled::Spelled;
use super::vocabulary::TokenTable;

pub(crate) const NONE: u32 = u32::MAX;

/// Per merge rank: the left and right part of the canonical rule, `NONE` for single bytes.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) left: Vec<u32>,
    pub(crate) right: Vec<u32>,
    reachable: Vec<bool>,
    /// The highest rank on the way to the token: its own, if ranks increase.
    pub(crate) levels: Vec<u32>,
    /// Rank of each single byte.
    pub(crate) atoms: [u32; 256],
}

impl Rules {
    pub(crate) fn is_reachable(&self, rank: u32) -> bool {
        self.reachable[rank as usize]
    }

    /// Rules that are known: for each of `tokens`, which are in canonical order, its left part, its
    /// right part and the first token of its level.
    pub(crate) fn given(tokens: &TokenTable, rules: &[[u32; 3]]) -> Result<Self, TableError> {
        let n = tokens.len();
        if rules.len() != n {
            return Err(TableError(format!("{} rules do not fit {n} tokens", rules.len())));
        }
        let mut atoms = [NONE; 256];
        for (rank, &[left, right, level]) in (0_u32..).zip(rules) {
            let bytes = tokens.bytes(rank);
            let is_sound = match bytes {
                [byte] => {
                    let is_new = atoms[*byte as usize] == NONE;
                    atoms[*byte as usize] = rank;
                    is_new && (left, right) == (NONE, NONE)
                }
                _ => {
                    (left as usize) < n
                        && (right as usize) < n
                        && bytes.strip_prefix(tokens.bytes(left)) == Some(tokens.bytes(right))
                }
            };
            let is_level = level <= rank && rules[level as usize][2] == level;
            if !is_sound || !is_level {
                return Err(TableError(format!(
                    "the rule of the token with id {} does not make it",
                    tokens.id(rank)
                )));
            }
        }
        check_atoms(&atoms)?;
        Ok(Self {
            left: rules.iter().map(|rule| rule[0]).collect(),
            right: rules.iter().map(|rule| rule[1]).collect(),
            reachable: vec![true; n],
            levels: rules.iter().map(|rule| rule[2]).collect(),
            atoms,
        })
    }

    /// The order in which tokens must be, if they are not yet.
    pub(crate) fn order(&self) -> Option<Vec<u32>> {
        let is_cascade = |rank: u32| self.levels[rank as usize] != rank;
        let n = self.levels.len() as u32;
        if !(0..n).any(is_cascade) {
            return None;
        }
        let mut order: Vec<u32> = (0..n).collect();
        order.sort_unstable_by_key(|&rank| (self.levels[rank as usize], is_cascade(rank), rank));
        Some(order)
    }

    /// The same rules for tokens in this order.
    pub(crate) fn permuted(&self, order: &[u32]) -> Self {
        let mut place = vec![NONE; order.len()];
        for (at, &rank) in (0..).zip(order) {
            place[rank as usize] = at;
        }
        let moved = |rank: u32| place.get(rank as usize).copied().unwrap_or(NONE);
        let list = |of: &[u32]| order.iter().map(|&rank| moved(of[rank as usize])).collect();
        Self {
            left: list(&self.left),
            right: list(&self.right),
            reachable: order.iter().map(|&rank| self.reachable[rank as usize]).collect(),
            levels: list(&self.levels),
            atoms: self.atoms.map(moved),
        }
    }
}

fn check_atoms(atoms: &[u32; 256]) -> Result<(), TableError> {
    match atoms.iter().position(|&rank| rank == NONE) {
        Some(byte) => {
            Err(TableError(format!("there is no token for the single byte 0x{byte:02X}")))
        }
        None => Ok(()),
    }
}

/// Up to so many bytes, the least of all ranks is found by looking at each.
const SHORT: usize = 64;

/// One part of the token whose run is followed; parts form a linked list over byte positions.
#[derive(Clone, Copy)]
struct Part {
    rank: u32,
    length: u32,
    previous: u32,
    alive: bool,
}

/// Part of a short token: its rank, where it ends, and the rank of the pair that it begins.
#[derive(Clone, Copy, Default)]
struct ShortPart {
    rank: u32,
    end: u32,
    pair: u32,
}

/// Follows Merge on one token at a time.
struct Runs<'a> {
    tokens: &'a TokenTable,
    spelled: Spelled<'a>,
    parts: Vec<Part>,
    queue: BinaryHeap<Reverse<(u32, u32, u32)>>,
}

/// How a run ended: the last merge and the highest rank, or none if the token was not reached.
enum Run {
    Reached(u32, u32, u32),
    NotReached,
}

impl Runs<'_> {
    /// Queue the merge of the part at `left` with the one behind it, if that is a token.
    fn queue(&mut self, token: &[u8], left: u32) {
        let right = left + self.parts[left as usize].length;
        if right as usize >= token.len() {
            return;
        }
        let end = right + self.parts[right as usize].length;
        let rank = self.spelled.rank(&token[left as usize..end as usize]);
        if rank != NONE {
            self.queue.push(Reverse((rank, left, end - left)));
        }
    }

    fn follow(&mut self, token: &[u8], own_rank: u32, atoms: &[u32; 256]) -> Run {
        if token.len() <= SHORT {
            self.follow_short(token, own_rank, atoms)
        } else {
            self.follow_long(token, own_rank, atoms)
        }
    }

    fn follow_short(&self, token: &[u8], own_rank: u32, atoms: &[u32; 256]) -> Run {
        let mut room = [ShortPart::default(); SHORT];
        let mut n = token.len();
        for (at, &byte) in token.iter().enumerate() {
            let pair =
                token[at..].first_chunk().map_or(NONE, |&pair| self.spelled.rank_of_two(pair));
            room[at] = ShortPart { rank: atoms[byte as usize], end: at as u32 + 1, pair };
        }
        let mut highest = 0;
        loop {
            let parts = &mut room[..n];
            let mut least = 0;
            for at in 1..n {
                if parts[at].pair < parts[least].pair {
                    least = at;
                }
            }
            let ShortPart { rank: left, pair, .. } = parts[least];
            if pair == NONE {
                return Run::NotReached;
            }
            highest = highest.max(pair);
            let ShortPart { rank: right, end, .. } = parts[least + 1];
            if n == 2 {
                return if pair == own_rank {
                    Run::Reached(left, right, highest)
                } else {
                    Run::NotReached
                };
            }
            parts.copy_within(least + 2.., least + 1);
            n -= 1;
            let begin = if least == 0 { 0 } else { parts[least - 1].end as usize };
            let after = if least + 1 < n {
                self.spelled.rank(&token[begin..parts[least + 1].end as usize])
            } else {
                NONE
            };
            parts[least] = ShortPart { rank: pair, end, pair: after };
            if least > 0 {
                let before = if least == 1 { 0 } else { parts[least - 2].end as usize };
                parts[least - 1].pair = self.spelled.rank(&token[before..end as usize]);
            }
        }
    }

    fn follow_long(&mut self, token: &[u8], own_rank: u32, atoms: &[u32; 256]) -> Run {
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
            highest = highest.max(rank);
            if length as usize == token.len() && rank == own_rank {
                return Run::Reached(a.rank, b.rank, highest);
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
    let mut spelled = Spelled::new(tokens);
    for rank in 0..n {
        let bytes = tokens.bytes(rank);
        if let Some(other) = spelled.insert(rank) {
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
    check_atoms(&atoms)?;
    let mut runs = Runs { tokens, spelled, parts: Vec::new(), queue: BinaryHeap::new() };
    let mut rules = Rules {
        left: vec![NONE; n as usize],
        right: vec![NONE; n as usize],
        reachable: vec![false; n as usize],
        levels: (0..n).collect(),
        atoms,
    };
    for rank in 0..n {
        let token = runs.tokens.bytes(rank);
        rules.reachable[rank as usize] = true;
        if token.len() == 1 {
            continue;
        }
        match runs.follow(token, rank, &atoms) {
            Run::Reached(left, right, level) => {
                rules.left[rank as usize] = left;
                rules.right[rank as usize] = right;
                rules.levels[rank as usize] = level;
            }
            Run::NotReached => rules.reachable[rank as usize] = false,
        }
    }
    Ok(rules)
}
